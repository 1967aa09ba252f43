"""The last word on evidence: may an answer be made from it? Knows nothing of the web or the prompt."""

from __future__ import annotations

from rag.thresholds import GateModel
from rag.types import GateDecision, Grade, Route

__all__ = ["gate"]


def gate(route: Route, grade: Grade, model: GateModel) -> GateDecision:
    """Open for a correct or, after widening, ambiguous set; closed, with the reasons, for an incorrect one.

    A condition whose feature does not exist is skipped, and named where that matters ("keyword_only").
    """
    features = grade.features
    reasons: list[str] = []
    if not features:
        reasons.append("no_evidence")
    elif "dense" not in features:
        reasons.append("keyword_only")
    elif features["dense"] < model.dense_floor:
        reasons.append("dense_below_floor")
    if features.get("margin", model.margin_floor) < model.margin_floor:
        reasons.append("margin_below_floor")
    if features.get("reference") == 0.0:
        reasons.append("reference_not_found")
    if features and "coverage" not in features and "margin" not in features and "reference" not in features:
        reasons.append("no_topic_words")
    closed = route is Route.INCORRECT
    if closed and "coverage" in features and "reference" not in features:
        reasons.append("answer_unlikely")
        if features["coverage"] < model.coverage_low:
            reasons.append("coverage_low")
        if features["missing"] > 0.0:
            reasons.append("topic_not_found")
    return GateDecision(open=not closed and route is not Route.NONE, route=route, reasons=tuple(reasons))
