"""The last word on evidence: may an answer be made from it? Knows nothing of the web or the prompt."""

from __future__ import annotations

from rag.thresholds import GateFloors
from rag.types import GateDecision, Grade, Route

__all__ = ["gate"]


def gate(route: Route, grade: Grade, floors: GateFloors) -> GateDecision:
    """Open for a correct or, after widening, ambiguous set; closed, with the reasons, for an incorrect one."""
    reasons: list[str] = []
    dense, covered = grade.features.get("dense"), grade.features.get("coverage")
    if not grade.features:
        reasons.append("no_evidence")
    elif dense is None:
        reasons.append("keyword_only")
    elif dense < floors.dense_floor:
        reasons.append("dense_below_floor")
    if grade.features.get("margin", floors.margin_floor) < floors.margin_floor:
        reasons.append("margin_below_floor")
    if grade.features.keys() == {"dense"} and floors.dense_floor <= grade.features["dense"] < floors.dense_good:
        reasons.append("no_topic_words")
    if covered is not None and covered < floors.coverage_floor:
        reasons.append("coverage_below_floor")
    return GateDecision(open=route in (Route.CORRECT, Route.AMBIGUOUS), route=route, reasons=tuple(reasons))
