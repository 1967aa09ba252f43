"""Checks a sentence against the passages that it cites, before it is shown. Deterministic; no model.

A heuristic: it finds invented markers, numbers, units and negations, and sentences that share too little with their
source. It cannot see a subtle contradiction, and must never be called "verified".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from rag.text import before_repeat, fold, fold_space, is_list_item, split_sentences, unglued, without_references
from rag.types import Evidence, Prompt, Sentence
from rag.words import content_stems, stem, word_set, words

__all__ = ["Verdict", "check_sentence", "conflicting"]

MIN_OVERLAP = 0.6
"""Share of a sentence's words that must stand in its cited passages. A verbatim sentence has 1.0; on the K-QA
physician labels, lexical recall separates supported from neutral with an AUC of .74 (docs/models.md, n = 399)."""

ALIKE = 0.8
"""Share of a sentence's words that a line of the source must hold to be what the sentence was made from."""

_UNSPACED = r"\u3040-\u30ff\uff66-\uff9f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_CJK = re.compile(f"[{_UNSPACED}]")
_WORD = re.compile(rf"[{_UNSPACED}]+|[^\W{_UNSPACED}]+")
_NEGATION = frozenset([
    "not", "no", "never", "without", "cannot", "nor", "neither", "none",
    "nunca", "sin", "ne", "pas", "jamais", "sans", "nicht", "kein", "keine", "keinen", "nie", "ohne", "non", "mai",
    "senza", "nao", "sem", "niet", "geen", "nooit", "zonder",
])  # fmt: skip
"""English, then es, fr, de, it, pt and nl, folded."""
_NEGATION_CJK = re.compile("[不没沒无無未勿禁]|ない|ません|なく")
_DENIES = re.compile(r"\b(?:not|never|cannot|without|avoid)\b")
"""What may deny the words behind it, though a capital opens them."""
_SHORT_NOT = re.compile(r"n['’]t\b")

_LIST_MARK = re.compile(r"^\s*(?:[-*+•‣◦▪·–—]|\(?(?:\d{1,3}|[a-z])[.)])\s+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_COUNTED = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10", "eleven": "11", "twelve": "12",
}  # fmt: skip
_COUNT = re.compile(rf"\b(?:{'|'.join(_COUNTED)})\b")
_SPELLINGS = {
    "mg": "mg milligram milligrams milligramme milligrammes",
    "mcg": "mcg μg ug microgram micrograms microgramme microgrammes",
    "g": "g gram grams gramme grammes",
    "kg": "kg kilogram kilograms kilo kilos",
    "ml": "ml millilitre millilitres milliliter milliliters",
    "l": "l litre litres liter liters",
    "iu": "iu",
    "mmol": "mmol",
    "mmhg": "mmhg",
    "%": "% percent",
    "second": "second seconds sec secs",
    "minute": "minute minutes min mins",
    "hour": "hour hours hr hrs h",
    "day": "day days",
    "week": "week weeks",
    "month": "month months",
    "year": "year years",
}
_UNITS = {spelling: unit for unit, spellings in _SPELLINGS.items() for spelling in spellings.split()}
_QUANTITY = re.compile(
    rf"(?P<numbers>{_NUMBER.pattern}(?:\s?(?:-|–|to|or|and)\s?{_NUMBER.pattern})*)"
    rf"(?:[\s-]?(?P<unit>{'|'.join(sorted(map(re.escape, _UNITS), key=len, reverse=True))})(?!\w))?"
)


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """`supported` is False with a reason: no_marker, unknown_marker, number, negation or overlap."""

    supported: bool
    reason: str = ""


def check_sentence(sentence: Sentence, prompt: Prompt) -> Verdict:
    """Is every marker known, and does the cited text hold the sentence's numbers, negations and most of its words?

    A sentence that stands in the cited text as a whole sentence or list item is supported; a part of one is not
    thereby: "give aspirin" stands in "do not give aspirin".
    """
    if not sentence.cited:
        return Verdict(supported=True)
    if not sentence.markers:
        return Verdict(supported=False, reason="no_marker")
    if any(not 1 <= marker <= len(prompt.evidence) for marker in sentence.markers):
        return Verdict(supported=False, reason="unknown_marker")
    source = _read_passages(tuple(prompt.evidence[marker - 1] for marker in dict.fromkeys(sentence.markers)))
    said = _read(sentence.text)
    if set(said.lines) <= set(source.lines):
        return Verdict(supported=True)
    if not (said.numbers <= source.numbers and said.quantities <= source.quantities):
        return Verdict(supported=False, reason="number")
    if not _same_polarity(said, source):
        return Verdict(supported=False, reason="negation")
    if _share(said.words, frozenset(source.words)) < MIN_OVERLAP:
        return Verdict(supported=False, reason="overlap")
    return Verdict(supported=True)


def conflicting(sentence: Sentence, prompt: Prompt) -> tuple[int, ...]:
    """The markers of passages from other documents that say the same with other numbers, or with a "not" more or less.

    Only what is told in nearly the same words of the same topic and the same people counts: a false alarm would unsay
    a true sentence. So many a real disagreement is not seen.
    """
    cited = [prompt.evidence[marker - 1].chunk for marker in sentence.markers]
    topics = content_stems(word for chunk in cited for word in words(chunk.title))
    told = _read(sentence.text)
    found = []
    for marker, item in enumerate(prompt.evidence, start=1):
        chunk = item.chunk
        if any(chunk.doc_id == other.doc_id or chunk.lang != other.lang for other in cited):
            continue
        if not topics.isdisjoint(content_stems(words(chunk.title))) and _disagree(told, _read_passages((item,))):
            found.append(marker)
    return tuple(found)


_MIN_SHARED = 3
"""Words that two sentences must have in common, and no other ones, to be about the same thing."""

_FILLERS = word_set(
    "a an the of to in on for and or is are be can may might could will has have it this that usually often normally "
    "generally about around approximately up most at least you your their do does"
)


def _disagree(told: _Reading, source: _Reading) -> bool:
    """Whether any line of the one contradicts any line of the other."""
    return any(
        said == other and len(said) >= _MIN_SHARED and _contradict(line, source.lines[n])
        for line, said in zip(told.lines, told.said, strict=True)
        for n, other in enumerate(source.said)
    )


def _contradict(line: str, other: str) -> bool:
    """Whether two lines that say the same have other numbers of a unit, or a "not" more or less."""
    mine, theirs = set(_quantities(line)), set(_quantities(other))
    units = {unit for _, unit in mine} & {unit for _, unit in theirs}
    if any({n for n, u in mine if u == unit}.isdisjoint({n for n, u in theirs if u == unit}) for unit in units):
        return True
    return mine == theirs and _is_negated(line) != _is_negated(other)


def _said_of(line: str) -> frozenset[str]:
    """The words of a line that say what it is about: without numbers, units, negations and fillers."""
    told = (word for word in _WORD.findall(line) if not word[0].isdigit() and word not in _UNITS)
    return frozenset(stem(word) for word in told if word not in _NEGATION and word not in _FILLERS)


@dataclass(frozen=True, kw_only=True)
class _Reading:
    """What is compared of a text: its sentences and list items, its words, its numbers, and those with a unit."""

    lines: tuple[str, ...]
    words: tuple[str, ...]
    numbers: frozenset[str]
    quantities: frozenset[tuple[str, str]]

    @cached_property
    def said(self) -> tuple[frozenset[str], ...]:
        """What each line is about (`_said_of`)."""
        return tuple(map(_said_of, self.lines))


@lru_cache(maxsize=64)
def _read_passages(evidence: tuple[Evidence, ...]) -> _Reading:
    """Read once for all sentences of an answer that cite the same passages."""
    return _read(
        "\n\n".join(part for e in evidence for part in (e.chunk.title, e.chunk.heading, e.chunk.text)), _without_glue
    )


def _without_glue(line: str) -> list[str]:
    """A line of a source, and the items in it that lost their line breaks: the first one of an item's line, and those
    of a list behind a colon. What follows a lost break elsewhere, or a "not", is no line of its own: it may be what is
    denied ("Warning: Do not take" | "Aspirin"). "No sleep" is whole.
    """
    if is_list_item(line):
        return [line, before_repeat(unglued(line)[0])]
    head, colon, rest = line.partition(": ")
    if not colon or not rest[:1].isupper():
        return [line]
    items = unglued(rest)
    alone = [item for before, item in zip(["", *items], items, strict=False) if not _DENIES.search(_plain(before))]
    return [line, f"{head}:", *alone]


def _read(text: str, lines_of: Callable[[str], list[str]] = lambda line: [line]) -> _Reading:
    lines = tuple(_plain(part) for line in split_sentences(text) for part in lines_of(line))
    quantities = [found for line in lines for found in _quantities(line)]
    return _Reading(
        lines=lines,
        words=tuple(word for line in lines for word in _words(line)),
        numbers=frozenset(number for number, _ in quantities),
        quantities=frozenset((number, unit) for number, unit in quantities if unit),
    )


def _plain(line: str) -> str:
    """A line without list mark and closing stop, folded, with numbers in one form: "Two tablets." → "2 tablets"."""
    text = _SHORT_NOT.sub(" not", fold_space(fold(_LIST_MARK.sub("", without_references(line)))))
    text = _COUNT.sub(lambda match: _COUNTED[match.group()], text)
    text = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)
    return _NUMBER.sub(lambda match: _number(match.group()), text).rstrip(".;,:。；，： ")


def _number(written: str) -> str:
    """ "1,000" → "1000", "0,5" → "0.5", "5.0" → "5"; "1.000" may be either and stays."""
    if _THOUSANDS.fullmatch(written):
        written = written.replace(",", "")
    elif written.count(",") == 1 and "." not in written:
        written = written.replace(",", ".")
    whole, point, rest = written.partition(".")
    if not point or "." in rest or len(rest) == 3:
        return written
    return f"{whole}.{rest}".rstrip("0").rstrip(".")


def _words(line: str) -> Iterator[str]:
    """Words; of scripts without spaces, pairs of characters."""
    for word in _WORD.findall(line):
        if len(word) > 2 and _CJK.match(word):
            yield from (word[i : i + 2] for i in range(len(word) - 1))
        else:
            yield word


def _quantities(line: str) -> Iterator[tuple[str, str]]:
    """Every number with its unit, "" for none; in "200 to 400 mg" both are milligrams."""
    for found in _QUANTITY.finditer(line):
        for number in _NUMBER.findall(found["numbers"]):
            yield number, _UNITS[found["unit"]] if found["unit"] else ""


def _same_polarity(said: _Reading, source: _Reading) -> bool:
    """Whether a line that says about the same also says no where the sentence says no, and only there."""
    negated = any(map(_is_negated, said.lines))
    alike = [line for line in source.lines if _share(said.words, frozenset(_words(line))) >= ALIKE]
    if alike:
        return any(_is_negated(line) == negated for line in alike)
    return not negated or any(map(_is_negated, source.lines))


def _is_negated(line: str) -> bool:
    return not _NEGATION.isdisjoint(_WORD.findall(line)) or _NEGATION_CJK.search(line) is not None


def _share(words: Sequence[str], known: frozenset[str]) -> float:
    """The share of the words, negations aside, that are known."""
    counted = [word for word in words if word not in _NEGATION]
    return sum(word in known for word in counted) / len(counted) if counted else 1.0
