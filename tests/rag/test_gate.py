from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.correct import route
from rag.gate import gate
from rag.grade import grade
from rag.thresholds import GateFloors, load_thresholds
from rag.types import GateDecision, Grade, GradeLabel, Route
from tests.fakes.evidence import passage

FLOORS = GateFloors(dense_good=0.88, dense_floor=0.83, coverage_good=0.75, coverage_floor=0.40, margin_floor=0.015)


def decide(floors: GateFloors = FLOORS, **features: float) -> GateDecision:
    evidence = [passage(dense=features.get("dense"))]
    covered = (features["coverage"],) if "coverage" in features else ()
    verdict = grade(evidence, covered, floors)
    return gate(route(verdict), verdict, floors)


@pytest.mark.parametrize(("chosen", "expected"), [("correct", True), ("ambiguous", True), ("incorrect", False)])
def test_the_route_opens_the_gate(chosen: str, expected: bool) -> None:
    verdict = Grade(label=GradeLabel(chosen), features={"dense": 0.9, "coverage": 0.9})
    decision = gate(Route(chosen), verdict, FLOORS)
    assert (decision.open, decision.route, decision.reasons) == (expected, Route(chosen), ())


def test_a_turn_without_evidence_route_is_closed() -> None:
    assert not gate(Route.NONE, Grade(label=GradeLabel.CORRECT, features={"dense": 1.0}), FLOORS).open


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        ({}, ("no_evidence",)),
        ({"coverage": 0.9}, ("keyword_only",)),
        ({"coverage": 0.40}, ("keyword_only",)),
        ({"coverage": 0.3999}, ("keyword_only", "coverage_below_floor")),
        ({"dense": 0.83}, ("no_topic_words",)),
        ({"dense": 0.8299}, ("dense_below_floor",)),
        ({"dense": 0.83, "coverage": 0.40}, ()),
        ({"dense": 0.83, "coverage": 0.3999}, ("coverage_below_floor",)),
        ({"dense": 0.8299, "coverage": 0.3999}, ("dense_below_floor", "coverage_below_floor")),
    ],
)
def test_reasons_on_both_sides_of_each_floor(features: dict[str, float], expected: tuple[str, ...]) -> None:
    assert decide(**features).reasons == expected


def test_a_closed_gate_has_a_reason() -> None:
    for dense in (None, 0.0, 0.8299, 0.83, 0.87, 0.88, 1.0):
        for coverage in (None, 0.0, 0.3999, 0.40, 0.74, 0.75, 1.0):
            features = {k: v for k, v in {"dense": dense, "coverage": coverage}.items() if v is not None}
            decision = decide(**features)
            assert decision.open or decision.reasons, features


def test_a_keyword_hit_alone_is_no_evidence() -> None:
    """ "How do I fix my car's chest freezer" was once grounded by chest pain."""
    floors = load_thresholds(None).gate
    assert not decide(floors, coverage=0.2).open
    assert decide(floors, coverage=1.0).open


@given(
    dense=st.none() | st.floats(-1, 1),
    covered=st.none() | st.floats(0, 1),
    more_dense=st.floats(0, 1),
    more_covered=st.floats(0, 1),
)
def test_raising_a_score_never_closes_the_gate(
    dense: float | None, covered: float | None, more_dense: float, more_covered: float
) -> None:
    features = {k: v for k, v in {"dense": dense, "coverage": covered}.items() if v is not None}
    better = {k: v + {"dense": more_dense, "coverage": more_covered}[k] for k, v in features.items()}
    assert decide(**better).open or not decide(**features).open
