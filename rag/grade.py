"""Judges the evidence as a set: correct, ambiguous or incorrect, with the features that say so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rag.thresholds import GateFloors
from rag.types import Evidence, Grade, GradeLabel

__all__ = ["grade", "label_of"]


def grade(
    evidence: Sequence[Evidence], coverage: Sequence[float], floors: GateFloors, margin: float | None = None
) -> Grade:
    """The grade of the best passages. A feature that does not exist (no vectors, no terms) is left out, not zero.

    INCORRECT: no passage is near in meaning, or one is only fairly near and holds few of the question's rare words.
    CORRECT: one is very near, or fairly near and holds nearly all of the rare words. AMBIGUOUS: in between. `margin`
    is given where question and corpus share no language: the lead of the best document over the next one then
    decides, because nearness alone cannot tell an illness from its neighbour.
    """
    features: dict[str, float] = {}
    cosines = [e.scores.dense for e in evidence if e.scores.dense is not None]
    if cosines:
        features["dense"] = max(cosines)
    if coverage:
        features["coverage"] = max(coverage)
    if margin is not None:
        features["margin"] = margin
    label = label_of(features, floors) if evidence else GradeLabel.INCORRECT
    return Grade(label=label, features=features)


def label_of(features: Mapping[str, float], floors: GateFloors) -> GradeLabel:
    """The label of a set with these features."""
    dense, covered = features.get("dense"), features.get("coverage")
    if dense is None:
        return _by_coverage(covered or 0.0, floors)
    if dense < floors.dense_floor:
        return GradeLabel.INCORRECT
    if "margin" in features:
        return GradeLabel.AMBIGUOUS if features["margin"] >= floors.margin_floor else GradeLabel.INCORRECT
    if dense >= floors.dense_good or (covered is not None and covered >= floors.coverage_good):
        return GradeLabel.CORRECT
    if covered is not None and covered >= floors.coverage_floor:
        return GradeLabel.AMBIGUOUS
    return GradeLabel.INCORRECT


def _by_coverage(covered: float, floors: GateFloors) -> GradeLabel:
    if covered >= floors.coverage_good:
        return GradeLabel.CORRECT
    return GradeLabel.AMBIGUOUS if covered >= floors.coverage_floor else GradeLabel.INCORRECT
