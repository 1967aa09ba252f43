from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.correct import WIDEN, merge, refine, route, standing, web_query
from rag.text import split_sentences
from rag.types import Grade, GradeLabel, Query, Retrieval, Route, Topic
from safety.types import RiskClass
from tests.fakes.evidence import passage


@pytest.mark.parametrize("label", list(GradeLabel))
def test_every_grade_has_the_route_of_its_name(label: GradeLabel) -> None:
    assert route(Grade(label=label, features={})) is Route(label.value)


def test_widening_looks_at_more_passages() -> None:
    assert WIDEN > 1


# --- stripping passages

ASKED = Query(text="How is gout treated?", focus="How is gout treated?")
IDLE = "The museum of the town shows many paintings of that period to visitors."


def stripped(
    text: str, query: Query = ASKED, *, heading: str = "History", collection: str = "health", **more: str
) -> str:
    (item,) = refine([passage(text, heading=heading, **more)], query, collection).evidence
    return item.chunk.text


def test_a_sentence_that_says_nothing_to_the_question_goes() -> None:
    text = f"Gout is an old illness. {IDLE} Treatment of gout eases pain."
    refined = refine([passage(text, heading="History")], ASKED, "health")
    assert refined.evidence[0].chunk.text == "Gout is an old illness. Treatment of gout eases pain."
    assert (refined.kept, refined.sentences) == (2, 3)


@pytest.mark.parametrize(
    "kept",
    [
        "Do not give colchicine together with clarithromycin.",
        "Everybody may take these tablets except people with kidney failure.",
        "Never double an amount that was forgotten in the morning.",
        "The tablets are safe unless the kidneys work too slowly.",
        "Only a specialist may prescribe the injections at home.",
        "The usual amount is 500 micrograms in the morning and the evening.",
        "Children have other amounts of these tablets than grown people.",
        "People who are pregnant take other tablets against these attacks.",
        "Call for an ambulance when the breathing becomes heavy and slow.",
        "Colchicine doesn’t mix well with juice of bitter fruit.",
        "Rest the joint.",
        "You can lift the leg onto a pillow in the evening.",
        "- a museum that shows many old paintings",
        "| museum | many paintings of that time | open |",
        "## The museum of the town and its many paintings",
        "The museum of the town has on show in its many large rooms:",
    ],
)
def test_caveats_numbers_advice_and_the_form_of_a_list_are_never_stripped(kept: str) -> None:
    text = f"Gout is an old illness.\n\n{kept}\n\n{IDLE}"
    assert stripped(text) == f"Gout is an old illness.\n\n{kept}"


def test_the_sentence_that_leads_into_a_list_or_a_table_stays_with_it() -> None:
    for line in ("- museums and their many paintings", "| museums | paintings |"):
        text = f"Gout is an old illness.\n\nMuseums of the town show what follows here.\n\n{line}\n{line}"
        assert stripped(text) == text


def test_what_a_kept_sentence_leans_on_stays_and_so_does_what_leans_on_it() -> None:
    before = "The new tablets came into shops lately. They ease gout."
    after = "Treatment of gout eases pain. It also calms the skin around."
    assert stripped(f"Gout is an old illness.\n\n{before}\n\n{IDLE}\n\n{after}") == (
        f"Gout is an old illness.\n\n{before}\n\n{after}"
    )


def test_a_section_that_answers_the_asked_type_stays_whole() -> None:
    text = f"Gout is an old illness. {IDLE}"
    assert stripped(text, heading="Treatment") == text


@pytest.mark.parametrize(
    ("query", "more"),
    [
        (ASKED, {"collection": "governance"}),
        (ASKED, {"heading": "CHAPTER II › Article 9"}),
        (ASKED, {"lang": "de"}),
        (Query(text="Gout", focus="Gout"), {}),
        (Query(text="What first aid does gout need?", focus="What first aid does gout need?"), {}),
        (Query(text="What is the difference between gout and lupus?"), {}),
    ],
    ids=["law", "provision", "another language", "no type", "steps", "comparison"],
)
def test_where_every_word_may_count_nothing_is_stripped(query: Query, more: dict[str, str]) -> None:
    text = f"Gout is an old illness. {IDLE}"
    assert stripped(text, query, **more) == text


@given(
    st.lists(
        st.sampled_from([IDLE, "Gout hurts.", "- an item", "It is so.", "Take care not to.", "\n", "\n\n"]), max_size=12
    )
)
def test_stripping_only_leaves_out(parts: list[str]) -> None:
    text = " ".join(parts).strip() or "x"
    before, after = split_sentences(text), iter(split_sentences(stripped(text)))
    remaining = iter(before)
    assert all(any(sentence == other for other in remaining) for sentence in after)


# --- comments and forum posts


@pytest.mark.parametrize(("risk", "kept"), [(RiskClass.R0, ["a", "b", "c"]), (RiskClass.R1, ["a", "c"])])
def test_a_comment_is_no_evidence_where_anything_is_at_risk(risk: RiskClass, kept: list[str]) -> None:
    found = Retrieval(
        evidence=(passage("a"), passage("b", hierarchy_rank=9), passage("c", hierarchy_rank=7)),
        topics=(Topic(weight=1.0, held=(True, False, False), known=True, concept=False),),
    )
    left = standing(found, risk)
    assert [e.chunk.text for e in left.evidence] == kept
    assert len(left.coverage) == len(kept)


def test_comments_alone_stay_for_the_gate_to_name() -> None:
    found = Retrieval(evidence=(passage("a", hierarchy_rank=8),))
    assert standing(found, RiskClass.R3) is found


# --- the web


def test_web_pages_take_the_place_of_a_wrong_set_and_stand_beside_a_doubtful_one() -> None:
    local, web = [passage("here", dense=0.84)], [passage("far", dense=0.8), passage("near", dense=0.9)]
    assert [e.chunk.text for e in merge(Route.INCORRECT, local, web, 6)] == ["far", "near"]
    assert [e.chunk.text for e in merge(Route.AMBIGUOUS, local, web, 6)] == ["near", "here", "far"]
    assert len(merge(Route.AMBIGUOUS, local, web, 2)) == 2


def test_without_vectors_what_stands_in_the_corpus_comes_first() -> None:
    assert [e.chunk.text for e in merge(Route.AMBIGUOUS, [passage("here")], [passage("web")], 6)] == ["here", "web"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Query(text="How is gout treated?"), "How is gout treated?"),
        (Query(text="Was ist Gicht?", language="de", rewritten="gout", rewritten_by=("translated",)), "gout"),
        (Query(text="I have gouty", corrected="I have gout"), "I have gout"),
        (Query(text="gout, write me: ann@example.org or +44 7700 900123"), "gout, write me: or"),
        (Query(text=" ".join(["word"] * 90)), " ".join(["word"] * 32)),
    ],
)
def test_what_leaves_the_house_is_short_and_names_nobody(query: Query, expected: str) -> None:
    assert web_query(query) == expected
