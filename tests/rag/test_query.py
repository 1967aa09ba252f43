from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.components import LEXICON
from rag.lexicon import Lexicon
from rag.query import QUERY_LIMIT, rewrite
from rag.spelling import Spelling
from rag.types import Message, Query, Turn

WORDS = Lexicon(LEXICON)


def asked(*messages: str, language: str | None = None) -> Query:
    turn = Turn(id="0", messages=tuple(Message(role="user", content=m) for m in messages), language=language)
    return rewrite(turn, messages, WORDS)


@pytest.mark.parametrize(
    "fragment",
    [
        "and in pregnancy?", "And for children?", "what about children?", "or aspirin?", "how long?", "side effects?",
        "symptoms", "is it contagious?", "when should I see a doctor?", "Why?", "can they take it?", "for adults?",
        "is that safe?", "how is it treated", "¿y en el embarazo?", "und bei Kindern?", "et pour les enfants ?",
        "what are the side effects", "how often should I take it?",
    ],
)  # fmt: skip
def test_a_fragment_is_searched_with_the_question_before_it(fragment: str) -> None:
    query = asked("What is metformin for?", fragment)
    assert query.text == f"What is metformin for? {fragment}"
    assert query.kind == "with_previous"


@pytest.mark.parametrize(
    "topic",
    [
        "Gout?", "What causes asthma?", "why is my urine dark?", "how long does measles last", "When is flu season?",
        "can I get gout from beer?", "I have a headache", "How is asthma treated?", "e. coli symptoms",
        "What are the symptoms of a stroke?", "fever", "should I get a tetanus shot?",
        "my son has a rash on his arm and it itches at night since we came back from the lake",
    ],
)  # fmt: skip
def test_a_new_topic_is_searched_alone(topic: str) -> None:
    query = asked("What is metformin for?", topic)
    assert query.text == topic
    assert query.kind == "original"


def test_a_second_fragment_keeps_the_topic_and_leaves_the_first_one() -> None:
    assert asked("What is metformin for?", "and in pregnancy?", "side effects?").text == (
        "What is metformin for? side effects?"
    )


def test_the_newest_topic_is_the_one_that_is_leaned_on() -> None:
    assert asked("What is metformin for?", "What causes gout?", "is it contagious?").text == (
        "What causes gout? is it contagious?"
    )


def test_a_first_message_has_nothing_to_lean_on() -> None:
    assert asked("is it contagious?").kind == "original"


def test_fragments_all_the_way_down_are_joined_with_the_one_before() -> None:
    assert asked("why?", "how long?").text == "why? how long?"


def test_a_long_story_keeps_its_end() -> None:
    query = asked("x" * 5_000 + " so what should I do about gout?")
    assert len(query.text) == QUERY_LIMIT
    assert query.text.endswith("what should I do about gout?")


def test_a_joined_query_keeps_the_fragment_whole() -> None:
    query = asked("y " * 3_000, "and in pregnancy?")
    assert len(query.text) == QUERY_LIMIT
    assert query.text.endswith("and in pregnancy?")


def test_the_language_of_the_context_wins() -> None:
    assert asked("¿Qué es el asma?", language="de").language == "de"
    assert asked("¿Qué es el asma?").language == "es"


def test_a_fragment_has_the_language_of_what_it_continues() -> None:
    assert asked("¿Cómo se trata la diabetes tipo dos?", "¿y en el embarazo?").language == "es"


@given(st.lists(st.text(max_size=60), min_size=1, max_size=5))
def test_every_conversation_has_a_query_that_ends_with_what_was_asked_last(messages: list[str]) -> None:
    assert asked(*messages).text.endswith(messages[-1])


def test_small_talk_is_no_topic() -> None:
    query = asked("Tell me about COPD", "thanks", "what causes it?")
    assert (query.text, query.focus) == ("Tell me about COPD what causes it?", "what causes it?")
    assert query.kind == "with_previous"


@pytest.mark.parametrize("fragment", ["what should he eat?", "can she exercise?"])
def test_a_person_spoken_of_before_is_followed(fragment: str) -> None:
    assert asked("my dad has diabetes", fragment).text == f"my dad has diabetes {fragment}"


@pytest.mark.parametrize("fragment", ["what medicines are used?", "can I drink alcohol?", "which antibiotics?"])
def test_a_question_that_names_no_illness_is_about_the_one_before(fragment: str) -> None:
    assert asked("What is asthma?", fragment).text == f"What is asthma? {fragment}"


@pytest.mark.parametrize(
    ("fragment", "text"),
    [
        ("what about lupus?", "causes: what about lupus?"),
        ("and the flu?", "causes: and the flu?"),
        ("ok, and for gout", "causes: ok, and for gout"),
    ],
)
def test_a_turn_to_another_illness_keeps_the_question_and_drops_the_topic(fragment: str, text: str) -> None:
    query = asked("What causes asthma?", fragment)
    assert (query.text, query.kind) == (text, "with_previous")


def test_what_follows_a_turn_is_about_the_new_topic() -> None:
    assert asked("What causes asthma?", "what about lupus?", "how is it treated?").text == (
        "what about lupus? how is it treated?"
    )


@pytest.mark.parametrize(
    "fragment",
    [
        "how do I avoid giving it to my family",
        "can my 4 year old have them?",
        "same for kids?",
        "more",
        "how do I prevent one",
    ],
)
def test_a_longer_message_that_leans_and_names_nothing_keeps_the_topic(fragment: str) -> None:
    assert asked("tell me about influenza", "ok cool", fragment).text == f"tell me about influenza {fragment}"


def test_more_asks_again_for_what_was_asked_last() -> None:
    query = asked("What is asthma?", "how is it treated?", "thanks", "tell me more")
    assert (query.text, query.focus) == ("What is asthma? how is it treated? tell me more", "how is it treated?")


@pytest.mark.parametrize(
    ("told", "question", "kept"),
    [
        ("I'm taking warfarin", "can I eat spinach", True),
        ("My husband has gout.", "What can he drink at a party, beer?", True),
        ("What is warfarin?", "can I eat spinach", False),
        ("I'm taking warfarin", "What is shingles?", False),
        ("I'm off to the shops", "can I eat spinach", False),
    ],
)
def test_what_a_person_takes_or_has_counts_for_what_they_may_do(told: str, question: str, kept: bool) -> None:
    query = asked(told, question)
    assert (told.rstrip(".") in query.text) is kept
    assert query.text.endswith(question)


# --- what it means in clinical English


def test_lay_words_are_named_beside_the_persons_own() -> None:
    query = asked("Is acid reflux dangerous?")
    assert query.text == "Is acid reflux dangerous?"
    assert query.rewritten.startswith("Is acid reflux (gastroesophageal reflux disease")
    assert query.rewritten_by == ("lexicon",)
    assert query.searched == (query.text, query.rewritten)
    assert query.concepts[0][0] == "acid reflux"


def test_a_question_without_anything_to_add_is_searched_alone() -> None:
    query = asked("why is the sky blue")
    assert (query.rewritten, query.rewritten_by, query.searched) == ("", (), ("why is the sky blue",))


def test_another_language_is_named_in_english() -> None:
    query = asked("¿Cuáles son los síntomas de la presión alta?")
    assert (query.language, query.rewritten_by) == ("es", ("translated",))
    assert "hypertension" in query.rewritten
    assert "symptoms" in query.rewritten


def test_a_language_in_latin_letters_is_believed_where_its_table_explains_it() -> None:
    query = asked("sugar ki bimari ke lakshan")
    assert query.language == "hi"
    assert "diabetes" in query.rewritten


def test_a_story_is_also_searched_by_what_it_tells_and_asks() -> None:
    story = (
        "We moved house last month and the garden is lovely. My neighbour came round with a cake. "
        "Since Tuesday I have had heartburn after every meal and a sour taste in the mouth. "
        "The children started at the new school and they like it a lot so far. Should I see a doctor about it?"
    )
    query = asked(story)
    assert query.rewritten_by == ("condensed",)
    assert "heartburn" in query.rewritten
    assert query.rewritten.endswith("Should I see a doctor about it?")
    assert "garden" not in query.rewritten


def test_a_slip_of_the_pen_is_corrected_and_told() -> None:
    spelling = Spelling(["shingles"], lambda word: word in {"what", "are", "symptoms"})
    turn = Turn(id="0", messages=(Message(role="user", content="shingels symptoms"),))
    query = rewrite(turn, ("shingels symptoms",), WORDS, spelling)
    assert query.corrected == "shingles symptoms"
    assert "spelling" in query.rewritten_by
    assert query.concepts[0][0] == "shingles"


# --- the law


def asked_of_law(text: str) -> Query:
    turn = Turn(id="0", messages=(Message(role="user", content=text),), collection="governance")
    return rewrite(turn, (text,), WORDS)


def test_references_are_read_where_the_law_is_asked() -> None:
    [readings] = asked_of_law("What does Article 9(2)(h) allow?").references
    assert [(r.regulation, r.path) for r in readings] == [("gdpr", ("9", "2", "h")), (None, ("9", "2", "h"))]
    [readings] = asked_of_law("Article 53 on secondary use").references
    assert readings[0].regulation == "ehds"
    [readings] = asked_of_law("Article 65 GDPR").references
    assert [r.regulation for r in readings] == ["gdpr"]
    assert asked("section 2 of my leg").references == ()


def test_synthetic_records_are_searched_only_when_asked_for() -> None:
    assert asked_of_law("What is a data breach?").filters.without_types == ("record",)
    for text in ("What does SYN-014 take?", "which patients have asthma", "FHIR bundle"):
        assert asked_of_law(text).filters.without_types == ()


@pytest.mark.parametrize(
    "text", ["primary vs secondary use", "How does Article 6 differ from Article 9?", "A compared to B"]
)
def test_a_comparison_is_noticed(text: str) -> None:
    assert asked_of_law(text).compares
    assert not asked_of_law("What is secondary use?").compares


@pytest.mark.parametrize(
    "law", ["of the AI Act", "ECHR", "of the Human Rights Act", "BDSG", "of Regulation (EU) 2017/745"]
)
def test_an_article_of_another_law_is_none_of_ours(law: str) -> None:
    [readings] = asked_of_law(f"What does Article 9 {law} say?").references
    assert [r.regulation for r in readings] == ["other"]
    [readings] = asked_of_law(f"Article 9 GDPR beside that {law}").references
    assert readings[0].regulation == "gdpr"
