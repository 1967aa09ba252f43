"""Orders and thins evidence: a reranker where one is configured, repeated text folded, no document crowding others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from rag.protocols import Reranker
from rag.text import fold
from rag.types import Evidence

__all__ = ["rerank"]

PER_DOCUMENT = 3
"""Passages of one document at most, so that a second source can be heard within six."""


def rerank(query: str, evidence: Sequence[Evidence], reranker: Reranker | None, limit: int) -> tuple[Evidence, ...]:
    """At most `limit` passages, best first. Without a reranker the order of retrieval stays."""
    if reranker is not None and evidence:
        scores = reranker.score(query, [e.chunk.text for e in evidence])
        scored = [
            replace(e, scores=replace(e.scores, rerank=float(score))) for e, score in zip(evidence, scores, strict=True)
        ]
        evidence = sorted(scored, key=lambda e: (-(e.scores.rerank or 0.0), e.chunk.chunk_id))
    kept: list[Evidence] = []
    texts: set[str] = set()
    documents: Counter[tuple[str, str]] = Counter()
    for item in evidence:
        text, document = fold(item.chunk.text), (item.chunk.source, item.chunk.doc_id)
        if text in texts or documents[document] >= PER_DOCUMENT:
            continue
        texts.add(text)
        documents[document] += 1
        kept.append(item)
    return tuple(kept[:limit])
