"""Judges the evidence as a set: correct, ambiguous or incorrect, with the features that say so."""

from __future__ import annotations

from collections.abc import Sequence

from rag.thresholds import GateFloors
from rag.types import Evidence, Grade, GradeLabel

__all__ = ["grade"]


def grade(evidence: Sequence[Evidence], coverage: Sequence[float], floors: GateFloors) -> Grade:
    """The grade of the best passages. A feature that does not exist (no vectors, no terms) is left out, not zero.

    CORRECT: one passage is close in meaning or holds nearly all rare words of the question, and the other feature
    does not object. INCORRECT: no passage is near. AMBIGUOUS: in between.
    """
    features: dict[str, float] = {}
    cosines = [e.scores.dense for e in evidence if e.scores.dense is not None]
    if cosines:
        features["dense"] = max(cosines)
    if coverage:
        features["coverage"] = max(coverage)
    if not evidence or not features:
        return Grade(label=GradeLabel.INCORRECT, features=features)
    dense, covered = features.get("dense"), features.get("coverage")
    if dense is None:
        return Grade(label=_by_coverage(covered or 0.0, floors), features=features)
    if dense < floors.dense_floor:
        return Grade(label=GradeLabel.INCORRECT, features=features)
    if covered is None:
        label = GradeLabel.CORRECT if dense >= floors.dense_good else GradeLabel.AMBIGUOUS
    elif (dense >= floors.dense_good and covered >= floors.coverage_floor) or covered >= floors.coverage_good:
        label = GradeLabel.CORRECT
    elif dense >= floors.dense_good or covered >= floors.coverage_floor:
        label = GradeLabel.AMBIGUOUS
    else:
        label = GradeLabel.INCORRECT
    return Grade(label=label, features=features)


def _by_coverage(covered: float, floors: GateFloors) -> GradeLabel:
    if covered >= floors.coverage_good:
        return GradeLabel.CORRECT
    return GradeLabel.AMBIGUOUS if covered >= floors.coverage_floor else GradeLabel.INCORRECT
