"""The last word on evidence: may an answer be made from it? Knows nothing of the web or the prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rag.thresholds import GateModel
from rag.types import COMMENTARY_RANK, Evidence, GateDecision, Grade, Route
from safety.types import RiskClass

__all__ = ["gate"]


def gate(
    route: Route,
    grade: Grade,
    model: GateModel,
    evidence: Sequence[Evidence] = (),
    risk: RiskClass = RiskClass.R0,
) -> GateDecision:
    """Open for a correct or, after widening, ambiguous set; closed, with the reasons, for an incorrect one.

    `evidence` is the final one, from the web too. From R1 up, comments and forum posts alone close it,
    however well they fit. A condition whose score does not exist is skipped and named.
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
    if evidence and risk >= RiskClass.R1 and all(e.chunk.hierarchy_rank >= COMMENTARY_RANK for e in evidence):
        reasons.append("lowest_rank_only")
        closed = True
    if route is Route.INCORRECT and "coverage" in features and "reference" not in features:
        reasons.append("answer_unlikely")
        if features["coverage"] < model.coverage_low:
            reasons.append("coverage_low")
        if features["missing"] > 0.0:
            reasons.append("topic_not_found")
    return GateDecision(
        open=not closed and route is not Route.NONE,
        route=route,
        reasons=tuple(reasons),
        skipped=_skipped(features, evidence),
    )


def _skipped(features: Mapping[str, float], evidence: Sequence[Evidence]) -> tuple[str, ...]:
    missing = {
        "nearness": "dense" not in features,
        "words": "coverage" not in features,
        "reranker": all(e.scores.rerank is None for e in evidence),
    }
    return tuple(name for name, skipped in missing.items() if skipped)
