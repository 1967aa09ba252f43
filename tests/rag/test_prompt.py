from __future__ import annotations

from rag.prompt import build_prompt
from rag.types import Query
from tests.fakes.evidence import passage

REFLUX = passage(title="Gastroesophageal reflux disease")
CONCEPT = (("acid reflux", "gastroesophageal reflux disease", "GERD"),)


def test_a_topic_is_put_by_the_name_that_the_titles_have() -> None:
    query = Query(text="Is acid reflux dangerous?", concepts=CONCEPT)
    assert build_prompt(query, [REFLUX]).question == "Is Gastroesophageal reflux disease dangerous?"


def test_a_name_that_the_best_title_has_is_left_as_it_is() -> None:
    query = Query(text="Is acid reflux dangerous?", concepts=CONCEPT)
    assert build_prompt(query, [passage(title="Acid reflux"), REFLUX]).question == query.text


def test_a_name_that_a_later_title_is_stays_where_the_first_has_another_name_and_more() -> None:
    query = Query(text="What causes hair loss?", concepts=(("hair loss", "alopecia"),))
    narrower = passage(title="What causes Alopecia universalis ?")
    assert build_prompt(query, [narrower, passage(title="What is (are) Hair Loss ?")]).question == query.text
    assert build_prompt(query, [narrower]).question == "What causes Alopecia?"


def test_british_and_american_names_are_one() -> None:
    query = Query(text="Is acid reflux dangerous?", concepts=CONCEPT)
    british = passage(title="Gastro-oesophageal reflux disease (GORD)")
    others = passage(title="What is (are) GERD ?")
    assert build_prompt(query, [british, others]).question == "Is Gastro-oesophageal reflux disease dangerous?"
    assert build_prompt(query, [others, british]).question == "Is GERD dangerous?"


def test_a_corrected_spelling_is_what_is_answered() -> None:
    assert build_prompt(Query(text="what is asthme", corrected="what is asthma"), [REFLUX]).question == "what is asthma"


def test_a_question_in_another_language_is_put_by_its_translation() -> None:
    query = Query(text="¿Qué es la gota?", language="es", rewritten="definition gout", rewritten_by=("translated",))
    prompt = build_prompt(query, [passage(title="Gout")])
    assert (prompt.question, prompt.translated, prompt.read_in, prompt.language) == (
        "definition gout",
        True,
        "en",
        "es",
    )
    spanish = build_prompt(query, [passage(title="Gota", lang="es")])
    assert (spanish.question, spanish.translated, spanish.read_in) == ("¿Qué es la gota?", False, "es")


def test_a_translated_topic_is_put_by_the_name_that_the_titles_have() -> None:
    query = Query(
        text="Sodbrennen", language="de", rewritten="treatment gastroesophageal reflux disease acid reflux",
        rewritten_by=("translated",),
        concepts=(("Sodbrennen", "gastroesophageal reflux disease", "acid reflux", "GERD"),),
    )  # fmt: skip
    assert build_prompt(query, [passage(title="What is (are) GERD ?")]).question == "treatment GERD"


def test_a_translation_of_terms_alone_keeps_the_type_of_the_question() -> None:
    query = Query(text="Como se trata a gota?", language="pt", rewritten="gout", rewritten_by=("translated",))
    assert build_prompt(query, [passage(title="Gout")]).question == "treatment: gout"


def test_both_sides_of_a_comparison_are_put_by_the_names_of_the_titles() -> None:
    query = Query(text="acid reflux vs ulcer", concepts=CONCEPT, sides=("acid reflux", "ulcer"))
    assert build_prompt(query, [REFLUX]).sides == ("Gastroesophageal reflux disease", "ulcer")


def test_an_abbreviation_is_put_by_the_name_that_a_text_has() -> None:
    query = Query(text="What is a TIA?", concepts=(("TIA", "transient ischemic attack", "mini stroke"),))
    told = passage("A transient ischaemic attack, or mini-stroke, lasts a short time.", title="Stroke")
    assert build_prompt(query, [told]).question == "What is a transient ischaemic attack?"
    asked = passage("A TIA is a transient ischaemic attack.", title="Stroke")
    assert build_prompt(query, [asked]).question == "What is a TIA?"
