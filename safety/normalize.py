"""Turns a text into the words that patterns are matched against.

One spelling per word: NFKC, case folded, accents of Latin letters dropped, contractions written out ("can’t",
"cant", "cannot" -> "can not"), hyphens split, repeated letters and known misspellings repaired. Scripts written
without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese; Korean too) give one word per character, so that a phrase
is a sequence of words in every language. Knows nothing of rules; the language's spellings arrive as data.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["Piece", "Spelling", "Words", "fold", "misspellings", "normalize", "pieces", "shortened", "spelled"]

Piece = tuple[str, str, str]
"""Kind (word, solid, number, degree, stop, comma), text without accents, accents."""

# Hangul is written with spaces, but hardly two people set them alike ("숨을못쉬겠어요"), so it is read like the others.
_SOLID = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
# Vowel signs of the Indic scripts and accents without a letter of their own are not word characters to `re`, but part
# of the word.
_MARKS = r"\u0300-\u036f\u0900-\u0903\u093a-\u094f\u0981-\u0983\u09bc-\u09cd\u0a00-\u0dff"
_LETTER = rf"(?:(?![{_SOLID}])[^\W\d_]|[{_MARKS}])"
_PIECE = re.compile(
    rf"(?P<number>\d+(?:[.,]\d+)*)|(?P<solid>[{_SOLID}])|(?P<word>{_LETTER}+(?:'{_LETTER}+)*)"
    r"|(?P<degree>°)|(?P<stop>[.!?;…\n。！？؟।॥۔]+)|(?P<comma>[,:()\[\]–—、，؛،])"
)
# Letters and signs that stand for one another, so that it does not matter which keyboard wrote them: quotes, hyphens,
# the Persian and Urdu forms of Arabic letters and the hamza seats, harakat and tatweel, nukta and chandrabindu, and
# Latin letters whose stroke or missing dot no decomposition takes away (they keep a mark in its place).
_VARIANTS = (
    dict.fromkeys(map(ord, "’‘‛`´ʼ＇′ʹ"), "'")
    | dict.fromkeys(map(ord, "‐‑‒−_/-"), " ")
    | dict.fromkeys(map(ord, "أإآٱ"), "ا")
    | dict.fromkeys(map(ord, "یىئ"), "ي")
    | dict.fromkeys(map(ord, "ةہھۃۂ"), "ه")
    | dict.fromkeys([*range(0x064B, 0x0660), 0x0670, 0x0640, ord("ء"), 0x093C, 0x09BC], None)
    | {ord("ک"): "ك", ord("ؤ"): "و", ord("ۓ"): "ے", ord("ँ"): "ं", ord("ঁ"): "ং", ord("٫"): "."}
    | {ord("ı"): "i\u0335", ord("đ"): "d\u0335", ord("ł"): "l\u0335", ord("ø"): "o\u0335"}
)
_DIGITS = {zero + value: str(value) for zero in (0x0660, 0x06F0, 0x0966, 0x09E6, 0x0E50) for value in range(10)}
_ACCENTS = re.compile(r"[\u0300-\u036f]")
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
    elision: bool = False  # French and Italian: an apostrophe stands between two words


@dataclass(slots=True)
class Words:
    """Words side by side with what is known of each: parallel lists of one length.

    `texts` the normalised word, `marks` the accents it was written with, `values` its number or None, `sentences` and
    `turns` where it stands, `commas` whether a comma, colon or bracket stands before it. `asks` are the sentences with
    a question mark.
    """

    texts: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
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
    """NFKC, casefold, one form of each letter, plain quotes, no hyphens and no accents."""
    return _bare(_plain(text))[0]


def pieces(text: str) -> list[Piece]:
    """The words, numbers and marks of a text, in order. What is padding is left out in the middle."""
    found = list(_PIECE.finditer(_plain(text)))
    if len(found) > _MAX_PIECES:
        found = found[: _MAX_PIECES - _TAIL_PIECES] + found[-_TAIL_PIECES:]
    return [(piece.lastgroup or "", *_bare(piece.group())) for piece in found]


def normalize(turns: Iterable[str], spelling: Spelling) -> Words:
    """The words of all turns, in order; a turn always begins a sentence."""
    return spelled([pieces(text) for text in turns], spelling)


def spelled(turns: Iterable[Sequence[Piece]], spelling: Spelling) -> Words:
    """The words of pieces, in the spelling of one language."""
    words = Words()
    sentence = 0
    for turn, found in enumerate(turns):
        comma = False
        for kind, text, marks in found:
            if kind == "stop":
                if "?" in text or "؟" in text:
                    words.asks.add(sentence)
                sentence += 1
                comma = False
            elif kind == "comma":
                comma = True
            elif kind == "number":
                _append(words, text, "", _value(text), sentence, turn, comma)
                comma = False
            elif kind == "solid":
                _append(words, text, "", spelling.numbers.get(text), sentence, turn, comma)
                comma = False
            else:
                for word, accents in _spell(text, marks, spelling):
                    _append(words, word, accents, spelling.numbers.get(word), sentence, turn, comma)
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


def shortened(word: str) -> tuple[str, ...]:
    """A word with its runs of three and more equal letters cut to one, and to two: "helllp" -> "help", "hellp"."""
    return tuple(_RUN.sub(keep, word) for keep in (r"\1", r"\1\1")) if _RUN.search(word) else ()


def _plain(text: str) -> str:
    # `º`, what some keyboards give for the degree sign, would be an o after NFKC; Turkish İ has a dot too many once it
    # is in small letters.
    small = unicodedata.normalize("NFKC", text.replace("º", "°")).casefold().replace("i\u0307", "i")
    if small.isascii():
        return small.translate(_VARIANTS)
    return unicodedata.normalize("NFC", small.translate(_VARIANTS | _DIGITS))


def _bare(text: str) -> tuple[str, str]:
    """Letters without their accents, and the accents in order: ("bong", hook above) for "bỏng"."""
    if text.isascii():
        return text, ""
    apart = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", _ACCENTS.sub("", apart)), "".join(_ACCENTS.findall(apart))


def _append(words: Words, text: str, marks: str, value: float | None, sentence: int, turn: int, comma: bool) -> None:
    words.texts.append(text)
    words.marks.append(marks)
    words.values.append(value)
    words.sentences.append(sentence)
    words.turns.append(turn)
    words.commas.append(comma)


def _spell(word: str, marks: str, spelling: Spelling) -> Iterable[tuple[str, str]]:
    """One written word as the words it stands for, each with its accents."""
    if (whole := spelling.expand.get(word)) is not None:
        return ((part, "") for part in whole)
    if "'" in word:
        if spelling.elision:
            return ((part, "") for part in word.split("'"))
        stem, _, ending = word.rpartition("'")
        if (apart := spelling.expand.get(f"{stem}{ending}")) is not None:
            return ((part, "") for part in apart)
        # "mom's face" and "mom's not breathing" both read well without the ending.
        word = stem.replace("'", "") if ending == "s" else word.replace("'", "")
    if word in spelling.known:
        return ((word, marks),)
    if (repaired := spelling.typos.get(word)) is not None:
        return ((part, "") for part in repaired)
    for shorter in shortened(word):
        if shorter in spelling.known or shorter in spelling.expand or shorter in spelling.typos:
            right = spelling.expand.get(shorter) or spelling.typos.get(shorter) or (shorter,)
            return ((part, "") for part in right)
    return ((word, marks),)


def _value(digits: str) -> float:
    """A written number: "38,4" and "38.4" are decimals, "1,000" is a thousand."""
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+", digits):
        return float(digits.replace(",", "")[:15])
    whole, _, rest = digits.replace(",", ".").partition(".")
    return float(f"{whole[:15]}.{rest.partition('.')[0][:6] or 0}")
