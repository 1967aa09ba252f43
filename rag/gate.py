"""The last word on evidence: may an answer be made from it? Knows nothing of the web or the prompt."""

from __future__ import annotations

from collections.abc import Sequence

from rag.thresholds import GateFloors
from rag.types import Evidence, GateDecision, Grade, Route

__all__ = ["gate"]


def gate(route: Route, grade: Grade, evidence: Sequence[Evidence], floors: GateFloors) -> GateDecision:
    """Open for a correct set, and for an ambiguous one unless a feature that exists lies below its floor."""
    reasons: list[str] = []
    if not evidence:
        reasons.append("no_evidence")
    dense, covered = grade.features.get("dense"), grade.features.get("coverage")
    if dense is None:
        reasons.append("keyword_only")
    elif dense < floors.dense_floor:
        reasons.append("dense_below_floor")
    if covered is not None and covered < floors.coverage_floor:
        reasons.append("coverage_below_floor")
    blocked = {"no_evidence", "dense_below_floor", "coverage_below_floor"} & set(reasons)
    is_open = bool(evidence) and route is not Route.INCORRECT and not blocked
    if route is Route.INCORRECT and not blocked:
        reasons.append("graded_incorrect")
    return GateDecision(open=is_open, route=route, reasons=tuple(reasons))
