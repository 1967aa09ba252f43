"""Answers from legal provisions: the asked provision whole, or the sentences that speak of what is asked, in order.

A provision's sentences depend on each other (a rule, its conditions, its exceptions), so they are quoted from their
beginning and never picked out of the middle of a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.references import Reference, asks_whole, headed_references
from rag.text import is_list_item, split_sentences
from rag.types import Evidence, Prompt, Sentence
from rag.words import content_stems, words

__all__ = ["compose_law"]

# Set by reading answers to the questions of evals/goldens/governance, 2026-12-01.
_PASSAGES = 3  # quoted at most
_SHARE = 0.34  # of the question's topic words that a passage must hold
_BESIDE = 0.6  # of the best passage's share, for a second one
_FIRST_PART = 0.6  # of the words that the first passage may take
_PARTS = 2  # sentences quoted of each part, where a whole article is asked for
_ALL = 1_000

_PLACE = re.compile(r"Regulation: ")  # "Regulation: GDPR, Chapter II": where a text belongs, and nothing of it
_BULLET = re.compile(r"^\s*[-*•]\s+")


def compose_law(prompt: Prompt, *, max_words: int = 180) -> tuple[Sentence, ...]:
    """The answer in sentences of the evidence, at most `max_words` words, or () where no passage is on the subject."""
    chosen = [n for n in _carrying(prompt) or _speaking(prompt) if _units(prompt.evidence[n].chunk.text)]
    if (
        asks_whole(prompt.references, prompt.question) and len(chosen) > 1
    ):  # an article by its number: what each part of it says first
        most, share = _PARTS, max_words
    else:
        chosen, most, share = chosen[:_PASSAGES], _ALL, int(max_words * _FIRST_PART) if len(chosen) > 1 else max_words
    sentences: list[Sentence] = []
    left = max_words
    for place, number in enumerate(chosen):
        room = left if place else share
        for sentence in _quoted(prompt.evidence[number], number, room, most, first=not sentences):
            sentences.append(sentence)
            left -= len(sentence.text.split())
    return tuple(sentences)


def _carrying(prompt: Prompt) -> list[int]:
    """The passages whose heading carries an asked reference: the best one for each, then the others."""
    found = [
        [n for n, item in enumerate(prompt.evidence) if any(carries(item, reading) for reading in asked)]
        for asked in prompt.references
    ]
    longest = max(map(len, found), default=0)
    return list(dict.fromkeys(numbers[place] for place in range(longest) for numbers in found if len(numbers) > place))


def carries(evidence: Evidence, asked: Reference) -> bool:
    """Whether the heading or the title of a passage carries a reference, of whatever regulation where none is asked."""
    of_title, of_heading = headed_references(evidence.chunk.title, evidence.chunk.heading)
    for reference in (*of_title, *of_heading):
        same = reference.kind == asked.kind and reference.path[: len(asked.path)] == asked.path
        if same and asked.regulation in (None, reference.regulation):
            return True
    return False


def _speaking(prompt: Prompt) -> list[int]:
    """The passages that hold most of the question's topic words, the best one first, in the order of the evidence;
    of a comparison the first ones, which are on its sides in turn."""
    if prompt.sides:
        return list(range(len(prompt.evidence)))[:_PASSAGES]
    asked = content_stems(words(prompt.question))
    if not asked:
        return [0] if prompt.evidence else []
    shares = []
    for item in prompt.evidence:
        held = content_stems(words(f"{item.chunk.title} {item.chunk.heading} {item.chunk.text}"))
        shares.append(len(asked & held) / len(asked))
    best = max(shares, default=0.0)
    if best < _SHARE:
        return []
    chosen = [n for n, share in enumerate(shares) if share >= max(_SHARE, _BESIDE * best)][:_PASSAGES]
    return _in_reading_order(chosen, prompt.evidence)


def _in_reading_order(chosen: Sequence[int], evidence: Sequence[Evidence]) -> list[int]:
    """Passages of one document in its order, a rule before its exceptions; documents as they were found."""
    found = list(dict.fromkeys(evidence[n].chunk.doc_id for n in chosen))
    return sorted(chosen, key=lambda n: (found.index(evidence[n].chunk.doc_id), evidence[n].chunk.ordinal))


@dataclass(frozen=True)
class _Unit:
    """A sentence, or the line above a list with its items."""

    text: str
    items: tuple[str, ...] = ()

    @property
    def length(self) -> int:
        return sum(len(text.split()) for text in (self.text, *self.items))


def _quoted(evidence: Evidence, number: int, room: int, most: int, *, first: bool) -> Iterator[Sentence]:
    """The sentences of a passage from its beginning, at most so many, as far as they fit whole."""
    for place, unit in enumerate(_fitting(_units(evidence.chunk.text)[:most], room)):
        lead = "" if first else "\n\n" if unit.items or not place else " "
        yield Sentence(text=unit.text, markers=(number + 1,), lead=lead)
        yield from (Sentence(text=item, markers=(number + 1,), lead="\n- ") for item in unit.items)
        first = False


def _units(text: str) -> list[_Unit]:
    units: list[_Unit] = []
    for sentence in split_sentences(text):
        if is_list_item(sentence) and units:
            above = units.pop()
            units.append(_Unit(above.text, (*above.items, _BULLET.sub("", sentence))))
        elif not _PLACE.match(sentence):
            units.append(_Unit(sentence))
    return [unit for unit in units if unit.items or not unit.text.endswith(":")]


def _fitting(units: Sequence[_Unit], room: int) -> Iterator[_Unit]:
    for unit in units:
        room -= unit.length
        if room < 0:
            return
        yield unit
