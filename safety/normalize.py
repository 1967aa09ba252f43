"""Turns a text into the words that patterns are matched against.

One spelling per word: NFKC, case folded, accents of Latin letters dropped, contractions written out ("can’t",
"cant", "cannot" -> "can not"), hyphens split, repeated letters and known misspellings repaired. Scripts written
without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) give one word per character, so that a phrase is a
sequence of words in every language. Knows nothing of rules; the language's spellings arrive as data.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

__all__ = ["Spelling", "Words", "fold", "misspellings", "normalize"]

_SOLID = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
# Vowel signs of the Indic scripts and Arabic marks are not word characters to `re`, but part of the word.
_MARKS = r"\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f\u0981-\u0983\u09bc-\u09cd\u0a00-\u0dff"
_LETTER = rf"(?:(?![{_SOLID}])[^\W\d_]|[{_MARKS}])"
_PIECE = re.compile(
    rf"(?P<number>\d+(?:[.,]\d+)*)|(?P<solid>[{_SOLID}])|(?P<word>{_LETTER}+(?:'{_LETTER}+)*)"
    r"|(?P<degree>°)|(?P<stop>[.!?;…\n。！？؟।]+)|(?P<comma>[,:()\[\]–—、，؛،])"
)
_QUOTES = dict.fromkeys(map(ord, "’‘‛`´ʼ＇′ʹ"), "'") | dict.fromkeys(map(ord, "‐‑‒−_/"), " ")
_LATIN_MARKS = re.compile(r"[\u0300-\u036f]")
# A full message of 20,000 characters of ordinary English has about 4,500 words and marks. Only padding has more, and
# of that the beginning and the end are read.
_MAX_PIECES = 5_000
_TAIL_PIECES = 2_000
_RUN = re.compile(r"(.)\1{2,}")


@dataclass(frozen=True, kw_only=True)
class Spelling:
    """A language's spellings: `expand` writes words out, `typos` repairs them, `known` are the words of its rules."""

    expand: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    typos: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    known: frozenset[str] = frozenset()
    numbers: Mapping[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class Words:
    """Words side by side with what is known of each: parallel lists of one length.

    `texts` the normalised word, `values` its number or None, `sentences` and `turns` where it stands,
    `commas` whether a comma, colon or bracket stands before it. `asks` are the sentences with a question mark.
    """

    texts: list[str] = field(default_factory=list)
    values: list[float | None] = field(default_factory=list)
    sentences: list[int] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    commas: list[bool] = field(default_factory=list)
    asks: set[int] = field(default_factory=set)

    def __len__(self) -> int:
        return len(self.texts)

    def begins(self, i: int) -> bool:
        return i == 0 or self.sentences[i - 1] != self.sentences[i]

    def ends(self, i: int) -> bool:
        """Whether position `i` lies just after the last word of a sentence."""
        return i == len(self.texts) or (i > 0 and self.sentences[i - 1] != self.sentences[i])


def fold(text: str) -> str:
    """NFKC, casefold, plain quotes and hyphens, Latin letters without accents."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    if plain.isascii():
        return plain.translate(_QUOTES).replace("-", " ")
    # The degree sign survives NFKC; `º` (ordinal) does not and is what some keyboards give for it.
    bare = _LATIN_MARKS.sub("", unicodedata.normalize("NFD", plain.translate(_QUOTES).replace("-", " ")))
    return unicodedata.normalize("NFC", bare)


def normalize(turns: Iterable[str], spelling: Spelling) -> Words:
    """The words of all turns, in order; a turn always begins a sentence."""
    words = Words()
    sentence = 0
    for turn, text in enumerate(turns):
        comma = False
        for piece in _pieces(text):
            kind = piece.lastgroup
            found = piece.group()
            if kind == "stop":
                if "?" in found or "？" in found or "؟" in found:
                    words.asks.add(sentence)
                sentence += 1
                comma = False
            elif kind == "comma":
                comma = True
            elif kind == "number":
                _append(words, found, _value(found), sentence, turn, comma)
                comma = False
            else:
                for text_ in _spell(found, spelling):
                    _append(words, text_, spelling.numbers.get(text_), sentence, turn, comma)
                    comma = False
        sentence += 1
    return words


def misspellings(word: str, real: frozenset[str]) -> set[str]:
    """Likely slips of one key: two neighbours swapped (from 5 letters), one letter left out (from 7 letters).

    `real` are words of the language that a slip happens to spell ("stoke"); they are never taken for a slip. The
    lengths keep short words apart: a swap in four letters or a gap in six hits other words ("from"/"form",
    "stroke"/"stoke").
    """
    slips: set[str] = set()
    if len(word) >= 5:
        slips |= {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1)}
    if len(word) >= 7:
        slips |= {word[:i] + word[i + 1 :] for i in range(1, len(word))}
    return slips - real - {word}


def _pieces(text: str) -> list[re.Match[str]]:
    pieces = list(_PIECE.finditer(fold(text.replace("º", "°"))))
    if len(pieces) > _MAX_PIECES:
        pieces = pieces[: _MAX_PIECES - _TAIL_PIECES] + pieces[-_TAIL_PIECES:]
    return pieces


def _append(words: Words, text: str, value: float | None, sentence: int, turn: int, comma: bool) -> None:
    words.texts.append(text)
    words.values.append(value)
    words.sentences.append(sentence)
    words.turns.append(turn)
    words.commas.append(comma)


def _spell(word: str, spelling: Spelling) -> tuple[str, ...]:
    """One written word as the words it stands for."""
    if (whole := spelling.expand.get(word)) is not None:
        return whole
    if "'" in word:
        stem, _, ending = word.rpartition("'")
        if (apart := spelling.expand.get(f"{stem}{ending}")) is not None:
            return apart
        # "mom's face" and "mom's not breathing" both read well without the ending.
        word = stem.replace("'", "") if ending == "s" else word.replace("'", "")
    if word in spelling.known:
        return (word,)
    if (repaired := spelling.typos.get(word)) is not None:
        return repaired
    if _RUN.search(word):
        for keep in (r"\1", r"\1\1"):
            shorter = _RUN.sub(keep, word)
            if shorter in spelling.known or shorter in spelling.expand or shorter in spelling.typos:
                return spelling.expand.get(shorter) or spelling.typos.get(shorter) or (shorter,)
    return (word,)


def _value(digits: str) -> float:
    """A written number: "38,4" and "38.4" are decimals, "1,000" is a thousand."""
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+", digits):
        return float(digits.replace(",", "")[:15])
    whole, _, rest = digits.replace(",", ".").partition(".")
    return float(f"{whole[:15]}.{rest.partition('.')[0][:6] or 0}")
