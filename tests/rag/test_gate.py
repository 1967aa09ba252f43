from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.correct import route
from rag.gate import gate
from rag.grade import label_of
from rag.thresholds import load_thresholds
from rag.types import GateDecision, Grade, GradeLabel, Route
from safety.types import RiskClass
from tests.fakes.evidence import passage
from tests.rag.test_grade import MODEL

TOPICS = {"coverage": 1.0, "first": 1.0, "concept": 0.0, "missing": 0.0, "unknown": 0.0, "section": 0.0, "number": 0.0}


def decide(**features: float) -> GateDecision:
    verdict = Grade(label=label_of(features, MODEL), features=features)
    return gate(route(verdict), verdict, MODEL)


@pytest.mark.parametrize(("chosen", "expected"), [("correct", True), ("ambiguous", True), ("incorrect", False)])
def test_the_route_opens_the_gate(chosen: str, expected: bool) -> None:
    verdict = Grade(label=GradeLabel(chosen), features={"dense": 0.9, **TOPICS})
    decision = gate(Route(chosen), verdict, MODEL)
    assert (decision.open, decision.route) == (expected, Route(chosen))


def test_a_turn_without_evidence_route_is_closed() -> None:
    assert not gate(Route.NONE, Grade(label=GradeLabel.CORRECT, features={"dense": 1.0}), MODEL).open


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        ({"dense": 0.85, **TOPICS}, ()),
        ({"dense": 0.79, **TOPICS}, ("dense_below_floor", "answer_unlikely")),
        ({"dense": 0.83, **TOPICS, "coverage": 0.31, "first": 0.0}, ("answer_unlikely",)),
        (
            {"dense": 0.83, **TOPICS, "coverage": 0.29, "first": 0.0, "missing": 0.7},
            ("answer_unlikely", "coverage_low", "topic_not_found"),
        ),
        ({"dense": 0.85}, ("no_topic_words",)),
        ({"dense": 0.85, "margin": 0.01}, ("margin_below_floor",)),
        ({"dense": 0.85, "reference": 0.0, **TOPICS}, ("reference_not_found",)),
        ({"dense": 0.85, "reference": 1.0, **TOPICS}, ()),
    ],
)
def test_the_reasons_of_a_decision(features: dict[str, float], expected: tuple[str, ...]) -> None:
    decision = decide(**features)
    assert decision.reasons == expected
    assert decision.open == (not expected)


@pytest.mark.parametrize(
    ("risk", "ranks", "opens"),
    [
        (RiskClass.R0, (9,), True),
        (RiskClass.R1, (9,), False),
        (RiskClass.R4, (8, 9), False),
        (RiskClass.R1, (8, 7), True),
        (RiskClass.R1, (1,), True),
    ],
)
def test_comments_and_forum_posts_alone_answer_nothing_that_is_at_risk(
    risk: RiskClass, ranks: tuple[int, ...], opens: bool
) -> None:
    verdict = Grade(label=GradeLabel.CORRECT, features={"dense": 0.95, **TOPICS})
    decision = gate(Route.CORRECT, verdict, MODEL, [passage(hierarchy_rank=rank) for rank in ranks], risk)
    assert decision.open == opens
    assert ("lowest_rank_only" in decision.reasons) != opens


def test_conditions_whose_score_does_not_exist_are_skipped_and_named() -> None:
    everything = Grade(label=GradeLabel.CORRECT, features={"dense": 0.95, **TOPICS})
    assert gate(Route.CORRECT, everything, MODEL, [passage(rerank=1.0)]).skipped == ()
    bare = Grade(label=GradeLabel.CORRECT, features={})
    assert gate(Route.CORRECT, bare, MODEL, [passage()]).skipped == ("nearness", "words", "reranker")


def test_keyword_search_alone_is_named() -> None:
    assert decide(**TOPICS).reasons[0] == "keyword_only"
    assert gate(Route.INCORRECT, Grade(label=GradeLabel.INCORRECT, features={}), MODEL).reasons == ("no_evidence",)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "dense": st.floats(-1, 1), "margin": st.floats(0, 0.1), "reference": st.sampled_from([0.0, 1.0]),
            "topics": st.floats(0, 1),
        },
    )
)  # fmt: skip
def test_a_closed_gate_has_a_reason(drawn: dict[str, float]) -> None:
    features = dict(drawn)
    if (covered := features.pop("topics", None)) is not None:
        features |= {**TOPICS, "coverage": covered, "first": covered}
    decision = decide(**features)
    assert decision.open or decision.reasons


def test_a_keyword_hit_alone_is_no_evidence() -> None:
    """ "How do I fix my car's chest freezer" was once grounded by chest pain."""
    model = load_thresholds(None).gate("health")
    chest = {**TOPICS, "coverage": 0.3, "first": 0.3, "missing": 0.9, "unknown": 0.4}
    assert label_of(chest, model) is GradeLabel.INCORRECT
    assert label_of(TOPICS, model) is GradeLabel.CORRECT
