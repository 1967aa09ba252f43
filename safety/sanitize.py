"""Makes text from outside safe to read: no invisible characters, no forged patient block, a bounded length.

Knows nothing of rules. Runs before everything else, so that what is assessed, searched and shown is one text.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["MAX_CHARS", "clip", "sanitize"]

# 20,000 characters are about eight printed pages: more than any question, little enough to scan in full.
MAX_CHARS = 20_000
# Where a text is too long the middle goes: people put the question first and the alarm last.
_TAIL_CHARS = 8_000
_CUT = "\n…\n"

# Unicode categories that carry no words: control, format (zero-width, bidi), surrogate, private use, unassigned.
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_KEPT = frozenset("\n\t")
# Joiners shape letters in Persian, Hindi and Bengali, but a word means the same without them, and they are also
# the usual way to hide a word from a filter; a blank in their place would split a word.
_LINE_ENDS = re.compile(r"\r\n?|[\u2028\u2029\x0b\x0c\x85]")

# The server writes these blocks itself from a stored profile; one that arrives from a client is a forgery.
# Blanks are counted, never `*`: two unbounded runs side by side are what makes a pattern slow on padding.
_NAME = r"patient[\s_-]{0,8}context\b"
_TAG = rf"<\s{{0,8}}/?\s{{0,8}}{_NAME}[^>\n]{{0,200}}>?"
_END = rf"<\s{{0,8}}/\s{{0,8}}{_NAME}[^>\n]{{0,200}}>?"
_PARAGRAPH = r"(?:(?!\n[ \t]*\n).)*"
# Tagged: <patient_context …> … </patient_context>; a missing end tag takes the rest of its paragraph.
_TAGGED = re.compile(
    rf"<\s{{0,8}}{_NAME}[^>\n]{{0,200}}>?(?:(?:(?!{_TAG}).)*{_END}|{_PARAGRAPH})", re.IGNORECASE | re.DOTALL
)
_STRAY_TAG = re.compile(_TAG, re.IGNORECASE)
# Bracketed: [Patient context: …], any case, over several lines; a missing bracket takes the rest of its paragraph.
_BRACKETED = re.compile(
    r"\[\s{0,8}patient[\s_-]{0,8}(?:context|profile)\b(?:[^\[\]]*\]|(?:(?!\n[ \t]*\n)[^\[\]])*)", re.IGNORECASE
)
# A bracket or tag hidden inside another one becomes whole when the inner one goes, so stripping repeats.
_MAX_PASSES = 4


def sanitize(text: str) -> str:
    """The text in NFC without invisible characters and client-written patient blocks, at most `MAX_CHARS` long.

    Never raises on any `str`. Tabs and line feeds stay; other line ends become line feeds.
    """
    visible = _visible(clip(text, MAX_CHARS * 2))
    return clip(_without_patient_blocks(unicodedata.normalize("NFC", visible)).strip(), MAX_CHARS)


def clip(text: str, limit: int) -> str:
    """The text itself, or its beginning and its end when it is longer than `limit`."""
    if len(text) <= limit:
        return text
    tail = min(_TAIL_CHARS, limit // 2)
    return text[: limit - tail - len(_CUT)] + _CUT + text[-tail:]


def _visible(text: str) -> str:
    lines = _LINE_ENDS.sub("\n", text)
    if lines.isascii() and lines.isprintable():
        return lines
    return "".join(c for c in lines if c in _KEPT or unicodedata.category(c) not in _INVISIBLE)


def _without_patient_blocks(text: str) -> str:
    for _ in range(_MAX_PASSES):
        stripped = _STRAY_TAG.sub(" ", _BRACKETED.sub(" ", _TAGGED.sub(" ", text)))
        if stripped == text:
            break
        text = stripped
    return text
