"""Orders and thins evidence: by a reranker where one is configured; text that stands twice counts once.

Passages of one document are not capped: an answer usually needs several sections of the same document, and a cap of
three lost the section that answers in 3 of 30 questions of the bundled corpus (2026-11-30).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag.protocols import Reranker
from rag.text import fold, fold_space
from rag.types import Evidence

__all__ = ["rerank"]


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
    for item in evidence:
        text = fold_space(fold(item.chunk.text))
        if text not in texts:
            texts.add(text)
            kept.append(item)
    return tuple(kept[:limit])
