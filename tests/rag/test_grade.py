from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.grade import grade
from rag.thresholds import GateFloors
from rag.types import GradeLabel
from tests.fakes.evidence import passage

FLOORS = GateFloors(dense_good=0.88, dense_floor=0.83, coverage_good=0.75, coverage_floor=0.40, margin_floor=0.015)
ORDER = [GradeLabel.INCORRECT, GradeLabel.AMBIGUOUS, GradeLabel.CORRECT]


def label(dense: float | None, covered: float | None) -> GradeLabel:
    return grade([passage(dense=dense)], () if covered is None else (covered,), FLOORS).label


@pytest.mark.parametrize(
    ("dense", "covered", "expected"),
    [
        # the cosine alone
        (0.88, None, "correct"),
        (0.8799, None, "incorrect"),
        (0.83, None, "incorrect"),
        (0.8299, None, "incorrect"),
        # a passage far in meaning does not count, whatever words it shares
        (0.8299, 1.0, "incorrect"),
        # very near in meaning is enough
        (0.88, 0.0, "correct"),
        # fairly near: the question's rare words decide
        (0.8799, 0.75, "correct"),
        (0.8799, 0.7499, "ambiguous"),
        (0.83, 0.40, "ambiguous"),
        (0.83, 0.3999, "incorrect"),
        # by keyword only
        (None, 0.75, "correct"),
        (None, 0.7499, "ambiguous"),
        (None, 0.40, "ambiguous"),
        (None, 0.3999, "incorrect"),
        (None, 0.0, "incorrect"),
        (None, None, "incorrect"),
    ],
)
def test_both_sides_of_each_floor(dense: float | None, covered: float | None, expected: str) -> None:
    assert label(dense, covered) == expected


def test_no_evidence_is_incorrect() -> None:
    assert grade([], (), FLOORS).label is GradeLabel.INCORRECT
    assert grade([], (1.0,), FLOORS).label is GradeLabel.INCORRECT


def test_a_feature_that_was_not_measured_is_left_out() -> None:
    assert grade([passage()], (), FLOORS).features == {}
    assert grade([passage()], (0.5,), FLOORS).features == {"coverage": 0.5}
    assert grade([passage(dense=0.0)], (), FLOORS).features == {"dense": 0.0}


def test_the_best_passage_speaks_for_the_set() -> None:
    evidence = [passage(n=1, dense=0.1), passage(n=2, dense=0.9), passage(n=3)]
    assert grade(evidence, (0.2, 0.0, 0.6), FLOORS).features == {"dense": 0.9, "coverage": 0.6}


def test_a_fusion_or_keyword_score_is_never_taken_for_a_similarity() -> None:
    assert grade([passage(keyword=9.0, fused=0.99, rerank=9.0)], (), FLOORS).features == {}


@given(
    dense=st.none() | st.floats(-1, 1),
    covered=st.none() | st.floats(0, 1),
    more_dense=st.floats(0, 1),
    more_covered=st.floats(0, 1),
)
def test_a_better_score_never_lowers_the_grade(
    dense: float | None, covered: float | None, more_dense: float, more_covered: float
) -> None:
    before = label(dense, covered)
    better = label(
        None if dense is None else dense + more_dense,
        None if covered is None else covered + more_covered,
    )
    assert ORDER.index(better) >= ORDER.index(before)


def test_across_languages_the_lead_of_the_best_document_decides() -> None:
    near = [passage("Text.", n=1, dense=0.95)]
    assert grade(near, (), FLOORS, 0.02).label is GradeLabel.AMBIGUOUS
    assert grade(near, (), FLOORS, 0.01).label is GradeLabel.INCORRECT
    assert grade([passage("Text.", n=1, dense=0.5)], (), FLOORS, 0.02).label is GradeLabel.INCORRECT
