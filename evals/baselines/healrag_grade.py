"""HealRAG's rule as a baseline of the grader: 0.7 similarity and 0.3 coverage, correct from 0.60, ambiguous from 0.45.

As its stored code has it: similarity is the best cosine, coverage the share of the question's words of more than three
letters that stand anywhere in the passages, as substrings. The cut-offs were made for MiniLM; e5's cosines lie between
.7 and .93, so that here nearly everything is correct, which is what the comparison shows.

    with bundled() as components:
        parts = replace(components.parts, grade=healrag_grade)
"""

from __future__ import annotations

import re

from rag.thresholds import GateModel
from rag.types import Grade, GradeLabel, Query, Retrieval

__all__ = ["AMBIGUOUS", "CORRECT", "healrag_grade"]

SIMILARITY, COVERAGE = 0.7, 0.3
CORRECT, AMBIGUOUS = 0.60, 0.45
_MIN_LETTERS = 4


def healrag_grade(retrieval: Retrieval, query: Query, model: GateModel) -> Grade:  # noqa: ARG001 — a grader's form
    """The grade by this rule, with Galen's own names for its two features and `confidence`, their weighted sum."""
    if not retrieval.evidence:
        return Grade(label=GradeLabel.INCORRECT, features={})
    dense = max((e.scores.dense or 0.0 for e in retrieval.evidence), default=0.0)
    asked = {word for word in re.findall(r"\w+", query.text.lower()) if len(word) >= _MIN_LETTERS}
    told = " ".join(e.chunk.text.lower() for e in retrieval.evidence)
    coverage = sum(word in told for word in asked) / len(asked) if asked else 0.0
    confidence = SIMILARITY * dense + COVERAGE * coverage
    label = (
        GradeLabel.CORRECT
        if confidence >= CORRECT
        else GradeLabel.AMBIGUOUS
        if confidence >= AMBIGUOUS
        else GradeLabel.INCORRECT
    )
    features = {"dense": dense, "coverage": coverage, "missing": 0.0, "confidence": confidence}
    return Grade(label=label, features=features)
