"""HealRAG's recipe: keyword and vector candidates fused with equal weights, weighed by 0.7 similarity + 0.3 coverage.

Coverage is the share of the question's words of more than three letters that the passage holds as substrings. From
0.60 a passage counts as correct, from 0.45 as ambiguous. Its document names E5, which is what it runs over here; the
cut-offs are its own, set by hand for another model, and are not adapted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

__all__ = ["AMBIGUOUS", "CORRECT", "coverage", "weigh"]

SIMILARITY, COVERAGE = 0.7, 0.3
CORRECT, AMBIGUOUS = 0.60, 0.45
_LONG = 3


def coverage(question: str, passage: str) -> float:
    """The share of the question's long words that stand somewhere in the passage; 0 without long words."""
    asked = {word for word in re.findall(r"\w+", question.casefold()) if len(word) > _LONG}
    held = passage.casefold()
    return sum(word in held for word in asked) / len(asked) if asked else 0.0


def weigh(
    question: str, texts: Mapping[int, str], cosine: Mapping[int, float], fused: Sequence[int]
) -> dict[int, float]:
    """{chunk key: score} of fused candidates, best first."""
    scores = {key: SIMILARITY * cosine.get(key, 0.0) + COVERAGE * coverage(question, texts[key]) for key in fused}
    return dict(sorted(scores.items(), key=lambda item: -item[1]))
