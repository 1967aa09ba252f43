"""Builds what a generator gets: the question, in the evidence's words where it can be, and the numbered evidence."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from rag.kind import Kind
from rag.question import question_kinds
from rag.text import fold
from rag.types import Evidence, Prompt, Query
from rag.words import content_stems, words

__all__ = ["build_prompt"]

_NAME_WORDS = 6
"""Words of the longest name that is looked for in a title."""


def build_prompt(query: Query, evidence: Sequence[Evidence], collection: str = "health") -> Prompt:
    """Marker n of the answer will mean `evidence[n - 1]`.

    A question in a language that the evidence does not have is put by its translation, where there is one; a topic
    that the titles call by another name is put by that.
    """
    shared = any(item.chunk.lang == query.language for item in evidence)
    translated = bool(query.rewritten) and not shared
    question, focus = (query.rewritten, "") if translated else (query.corrected or query.text, query.focus)
    if translated and question_kinds(question) == (Kind.ANY,):
        kinds = [kind.value for kind in question_kinds(query.text, query.language) if kind is not Kind.ANY]
        question = ": ".join([*kinds[:1], question])  # what the translation of its terms has lost
    texts = [question, focus, *(() if translated else query.sides)]
    titles = list(dict.fromkeys(item.chunk.title for item in evidence))
    for own, *names in query.concepts:
        asked = " ".join(names[:2]) if translated else own
        if name := _title_name(titles, asked, names) or _text_name(evidence, asked, names):
            put = re.compile(rf"(?<!\w){re.escape(asked)}(?!\w)", re.IGNORECASE)
            texts = [put.sub(lambda _, name=name: name, text) for text in texts]  # type: ignore[misc]
    question, focus, *sides = texts
    return Prompt(
        question=question,
        focus=focus,
        asked=query.text,
        language=query.language,
        translated=translated,
        evidence=tuple(evidence),
        collection=collection,
        references=query.references,
        sides=tuple(sides),
    )


def _title_name(titles: Sequence[str], asked: str, names: Sequence[str]) -> str | None:
    """What the best title that has any name of a topic calls it; None where that, or any title alone, is what was asked
    by."""
    wanted = {_bare(name) for name in names}
    own = content_stems(words(asked))
    if any(content_stems(words(title)) == own for title in titles):
        return None
    for title in titles:
        if _bare(asked) in _bare(title):
            return None
        parts = title.split()
        for length in range(min(_NAME_WORDS, len(parts)), 0, -1):
            for start in range(len(parts) - length + 1):
                name = " ".join(parts[start : start + length]).strip("()?., ")
                if _bare(name) in wanted:
                    return name
    return None


def _text_name(evidence: Sequence[Evidence], asked: str, names: Sequence[str]) -> str | None:
    """What the first text that has any name of a topic calls it; None where a title or text has it as it was asked."""
    if any(_spelled(asked).search(part) for item in evidence for part in (item.chunk.title, item.chunk.text)):
        return None
    found = (_spelled(name).search(item.chunk.text) for item in evidence for name in names)
    return next((match.group() for match in found if match), None)


@functools.lru_cache(maxsize=4096)
def _spelled(name: str) -> re.Pattern[str]:
    """A name as a word of a text, in British or American spelling, with hyphens or blanks."""
    parts = [re.escape(part).replace("e", "[ao]?e") for part in re.split(r"[\W_]+", name) if part]
    return re.compile(r"(?<!\w)" + r"[\W_]+".join(parts) + r"s?(?!\w)", re.IGNORECASE)


def _bare(name: str) -> str:
    """A name without what British and American, and hyphens and blanks, tell apart ("gastro-oesophageal")."""
    return re.sub(r"[\W_]", "", fold(name)).replace("ooe", "oe").replace("oe", "e").replace("ae", "e")
