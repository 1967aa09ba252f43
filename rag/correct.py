"""Decides what to do with graded evidence: keep it, widen the search, or drop it."""

from __future__ import annotations

from rag.types import Grade, GradeLabel, Route

__all__ = ["WIDEN", "route"]

WIDEN = 2
"""An ambiguous set is searched once more for this many times as many passages; an answer may draw on all of them."""


def route(grade: Grade) -> Route:
    """CORRECT is answered from as it is, AMBIGUOUS is widened first, INCORRECT is dropped."""
    return {
        GradeLabel.CORRECT: Route.CORRECT,
        GradeLabel.AMBIGUOUS: Route.AMBIGUOUS,
        GradeLabel.INCORRECT: Route.INCORRECT,
    }[grade.label]
