"""Builds what a generator gets: the question, in the evidence's words where it can be, and the numbered evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.text import fold
from rag.types import Evidence, Prompt, Query

__all__ = ["build_prompt"]


def build_prompt(query: Query, evidence: Sequence[Evidence], collection: str = "health") -> Prompt:
    """Marker n of the answer will mean `evidence[n - 1]`.

    A question in a language that the evidence does not have is put by its translation, where there is one; a topic
    that the titles call by another name is put by that.
    """
    shared = any(item.chunk.lang == query.language for item in evidence)
    translated = bool(query.rewritten) and not shared
    question, focus = (query.rewritten, "") if translated else (query.corrected or query.text, query.focus)
    titles = fold("\n".join(item.chunk.title for item in evidence))
    for own, *names in () if translated else query.concepts:
        if fold(own) not in titles and (name := next((name for name in names if fold(name) in titles), None)):
            put = re.compile(rf"(?<!\w){re.escape(own)}(?!\w)", re.IGNORECASE)
            question, focus = (put.sub(name, text) for text in (question, focus))
    return Prompt(
        question=question,
        focus=focus,
        language=query.language,
        translated=translated,
        evidence=tuple(evidence),
        collection=collection,
        references=query.references,
    )
