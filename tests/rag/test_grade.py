from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.grade import grade, probability
from rag.thresholds import GateModel
from rag.types import Evidence, Grade, GradeLabel, Query, Retrieval, Topic
from tests.fakes.evidence import passage

MODEL = GateModel(
    weights={"dense": 20.0, "coverage": 4.0, "first": 1.0, "missing": -2.0, "number": -3.0},
    bias=-18.0, correct=0.7, ambiguous=0.5, dense_floor=0.8, dense_alone=0.9, margin_floor=0.015, coverage_low=0.3,
)  # fmt: skip
ORDER = [GradeLabel.INCORRECT, GradeLabel.AMBIGUOUS, GradeLabel.CORRECT]


def topic(*held: bool, weight: float = 0.5, known: bool = True, concept: bool = False) -> Topic:
    return Topic(weight=weight, held=held, known=known, concept=concept)


def graded(
    *topics: Topic, evidence: tuple[Evidence, ...] | None = None, text: str = "what is it", **more: object
) -> Grade:
    evidence = evidence or (passage(dense=0.85),)
    return grade(Retrieval(evidence=evidence, topics=topics, **more), Query(text=text), MODEL)  # type: ignore[arg-type]


def test_the_features_say_what_was_found() -> None:
    evidence = (passage(n=1, dense=0.8), passage(n=2, dense=0.9), passage(n=3))
    found = graded(
        topic(True, True, False, weight=0.6, concept=True),
        topic(False, True, False, weight=0.2),
        topic(False, False, False, weight=0.2, known=False),
        evidence=evidence,
    )
    expected = {
        "dense": 0.9, "coverage": 0.8, "first": 0.6, "concept": 1.0, "missing": 0.2, "unknown": 0.2, "section": 0.0,
        "number": 0.0,
    }  # fmt: skip
    assert found.features == pytest.approx(expected)


def test_a_feature_that_was_not_measured_is_left_out() -> None:
    assert graded(evidence=(passage(),)).features == {}
    assert graded(evidence=(passage(dense=0.0),)).features == {"dense": 0.0}
    assert "dense" not in graded(topic(True), evidence=(passage(),)).features


def test_a_fusion_or_keyword_score_is_never_taken_for_a_similarity() -> None:
    assert graded(evidence=(passage(keyword=9.0, fused=0.99, rerank=9.0),)).features == {}


def test_the_model_is_logistic() -> None:
    assert probability({}, replace(MODEL, bias=0.0)) == 0.5
    assert probability({"coverage": 0.25}, replace(MODEL, bias=-1.0)) == 0.5


def test_a_section_of_the_asked_type_is_a_feature() -> None:
    evidence = (passage(dense=0.85, heading="Symptoms"),)
    assert graded(topic(True), evidence=evidence, text="what are the symptoms of gout").features["section"] == 1.0
    assert graded(topic(True), evidence=evidence, text="how is gout treated").features["section"] == 0.0


@pytest.mark.parametrize("text", ["how many mg of it?", "What does it cost", "How common is it?", "its prevalence"])
def test_asking_for_a_number_is_a_feature(text: str) -> None:
    assert graded(topic(True), text=text).features["number"] == 1.0
    assert graded(topic(True), text="what is it").features["number"] == 0.0


@pytest.mark.parametrize(
    ("topics", "expected"),
    [
        ((topic(True),), "correct"),
        ((topic(True, weight=0.3), topic(False, weight=0.7)), "incorrect"),
        ((topic(True, weight=0.5), topic(False, weight=0.5)), "ambiguous"),
    ],
)
def test_the_probability_decides(topics: tuple[Topic, ...], expected: str) -> None:
    assert graded(*topics).label == expected


def test_what_is_far_in_meaning_is_incorrect_whatever_words_it_shares() -> None:
    assert graded(topic(True), evidence=(passage(dense=0.79),)).label is GradeLabel.INCORRECT


def test_without_a_topic_word_the_meaning_must_be_very_near() -> None:
    assert graded(evidence=(passage(dense=0.9),)).label is GradeLabel.CORRECT
    assert graded(evidence=(passage(dense=0.89),)).label is GradeLabel.INCORRECT
    assert graded(evidence=(passage(),)).label is GradeLabel.INCORRECT


def test_no_evidence_is_incorrect() -> None:
    assert grade(Retrieval(evidence=(), carried=True), Query(text="x"), MODEL).label is GradeLabel.INCORRECT


def test_an_exact_reference_decides_alone() -> None:
    assert graded(topic(False), carried=True).label is GradeLabel.CORRECT
    assert graded(topic(True), carried=False).label is GradeLabel.INCORRECT


@pytest.mark.parametrize(("margin", "expected"), [(0.02, "ambiguous"), (0.015, "ambiguous"), (0.01, "incorrect")])
def test_where_no_words_meet_the_lead_of_the_best_document_decides(margin: float, expected: str) -> None:
    assert graded(margin=margin).label == expected


@given(dense=st.floats(-1, 1), more=st.floats(0, 1), weight=st.floats(0.01, 1), also=st.booleans())
def test_more_of_what_was_asked_never_lowers_the_grade(dense: float, more: float, weight: float, also: bool) -> None:
    less = graded(topic(True), topic(False, weight=weight), evidence=(passage(dense=dense),))
    better = graded(topic(True), topic(also, weight=weight), evidence=(passage(dense=dense + more),))
    assert ORDER.index(better.label) >= ORDER.index(less.label)
