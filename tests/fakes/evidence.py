"""Passages made up in one line, for tests that need evidence but no database."""

from __future__ import annotations

from typing import Any

from rag.types import Chunk, Evidence, Scores

__all__ = ["passage"]

_SCORES = ("dense", "keyword", "fused", "rerank")


def passage(text: str = "Rest helps.", *, n: int = 1, **fields: Any) -> Evidence:
    """A passage; `fields` are fields of its chunk or scores by name ("dense")."""
    scores = Scores(**{name: fields.pop(name) for name in _SCORES if name in fields})
    chunk: dict[str, Any] = {
        "id": n,
        "chunk_id": f"chunk-{n}",
        "doc_id": f"doc-{n}",
        "source": "test",
        "title": f"Title {n}",
        "heading": "",
        "text": text,
        "organization": "Test Institute",
        "url": f"https://example.org/{n}",
        "version_date": "2026-01-01",
        "lang": "en",
        "topic": "",
        "licence": "CC0 1.0",
        "jurisdiction": None,
        "doc_type": None,
        "hierarchy_rank": 5,
        "effective_from": None,
        "content_hash": "",
        "ordinal": 0,
    }
    return Evidence(chunk=Chunk(**{**chunk, **fields}), scores=scores)
