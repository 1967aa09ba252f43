"""Builds what a generator gets: the question and the numbered evidence."""

from __future__ import annotations

from collections.abc import Sequence

from rag.types import Evidence, Prompt, Query

__all__ = ["build_prompt"]


def build_prompt(query: Query, evidence: Sequence[Evidence]) -> Prompt:
    """Marker n of the answer will mean `evidence[n - 1]`."""
    return Prompt(question=query.text, focus=query.focus, language=query.language, evidence=tuple(evidence))
