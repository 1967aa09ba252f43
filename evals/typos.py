"""Misspelt questions, made from right ones and always the same: letters swapped, dropped, doubled or hit beside."""

from __future__ import annotations

import random
import re

__all__ = ["misspelt"]

_BESIDE = dict(zip("qwertyuiopasdfghjklzxcvbnm", "wertyuiopsasdfghjkzxcvbnbn", strict=True))
_LONG = 5


def misspelt(text: str, seed: str, words: int = 2) -> str:
    """`text` with one fault in each of up to `words` of its words of five letters or more."""
    chance = random.Random(seed)
    places = [m.span() for m in re.finditer(r"[A-Za-z]+", text) if m.end() - m.start() >= _LONG]
    for start, end in sorted(chance.sample(places, min(words, len(places))), reverse=True):
        text = text[:start] + _fault(text[start:end], chance) + text[end:]
    return text


def _fault(word: str, chance: random.Random) -> str:
    at = chance.randrange(1, len(word) - 1)
    kind = chance.choice(("swap", "drop", "double", "beside"))
    if kind == "swap":
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if kind == "drop":
        return word[:at] + word[at + 1 :]
    middle = word[at] * 2 if kind == "double" else _BESIDE.get(word[at].lower(), word[at])
    return word[:at] + middle + word[at + 1 :]
