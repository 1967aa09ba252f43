"""Brings web passages into the evidence of a turn: through the same grade and the same gate as those of the corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rag.correct import WIDEN, merge, route, standing
from rag.gate import gate
from rag.parts import Parts
from rag.protocols import Embedder, FloatMatrix, WebSearch
from rag.rerank import rerank
from rag.store import View
from rag.store.rows import passage_text
from rag.thresholds import thresholds_of_search
from rag.types import Chunk, Evidence, Found, Query, Route, Scores
from safety.types import RiskClass

__all__ = ["add_web", "wants_web"]


def wants_web(found: Found, collection: str, web: WebSearch | None, risk: RiskClass) -> bool:
    """Whether web pages may help: a doubtful or wrong set, in a collection that may use them.

    Not from R4 up: what somebody in danger or despair has said leaves the server to nobody.
    """
    doubtful = found.decision.route is not Route.CORRECT
    return web is not None and doubtful and risk < RiskClass.R4 and web.allows(collection)


def add_web(
    parts: Parts,
    view: View,
    query: Query,
    vectors: Sequence[FloatMatrix],
    found: Found,
    passages: Sequence[Chunk],
    risk: RiskClass = RiskClass.R0,
) -> Found:
    """Web passages beside an ambiguous set or in place of a wrong one, through the same grade and gate. Blocking.

    Where they are not enough either, what was found here stays, for the deferral to tell of.
    """
    limit = parts.retriever.top_k
    nearest = parts.retriever.judge(view, query, tuple(Evidence(chunk=chunk, scores=Scores()) for chunk in passages))
    web = _best(nearest.evidence, nearest.coverage, limit * WIDEN)
    embedder = parts.embedder_of(view)
    if vectors and view.index is not None and embedder is not None:
        web = _scored(embedder, web, vectors)
    merged = merge(found.decision.route, found.evidence, web, limit * WIDEN)
    evidence = rerank(query.text, merged, parts.reranker, limit * WIDEN)
    retrieval = standing(parts.retriever.judge(view, query, evidence), risk)
    model = thresholds_of_search(parts.thresholds_of(view), found.degraded).gate(view.version.collection)
    verdict = parts.grade(retrieval, query, model)
    decision = gate(route(verdict), verdict, model, retrieval.evidence, risk)
    if not (decision.open and any(item.chunk.web for item in retrieval.evidence)):
        return found
    dropped = ("local_dropped",) if found.decision.route is Route.INCORRECT else ()
    return replace(
        found,
        evidence=retrieval.evidence,
        grade=verdict,
        decision=decision,
        steps=(*found.steps, "web_used", *dropped),
    )


def _best(evidence: Sequence[Evidence], coverage: Sequence[float], limit: int) -> list[Evidence]:
    """The passages that hold most of the question's topics; in the order that they came in where it names none."""
    order = sorted(range(len(evidence)), key=lambda n: -coverage[n] if coverage else 0.0)
    return [evidence[n] for n in order[:limit]]


def _scored(embedder: Embedder, evidence: Sequence[Evidence], vectors: Sequence[FloatMatrix]) -> list[Evidence]:
    """Passages that no index holds, with their cosines, the nearest first."""
    if not evidence:
        return []
    texts = [passage_text(e.chunk.title, e.chunk.heading, e.chunk.text) for e in evidence]
    cosines = (embedder.embed(texts, "passage") @ np.stack(vectors).T).max(axis=1)
    scored = [replace(e, scores=Scores(dense=float(c))) for e, c in zip(evidence, cosines, strict=True)]
    return sorted(scored, key=lambda e: -(e.scores.dense or 0.0))
