"""Builds what a generator gets: the question and the numbered evidence."""

from __future__ import annotations

from collections.abc import Sequence

from rag.types import Evidence, Prompt

__all__ = ["build_prompt"]


def build_prompt(question: str, language: str, evidence: Sequence[Evidence]) -> Prompt:
    """Marker n of the answer will mean `evidence[n - 1]`."""
    return Prompt(question=question, language=language, evidence=tuple(evidence))
