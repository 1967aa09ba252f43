"""Reads a passage into the units that an answer may quote: whole sentences, and lists with their lead-in.

A unit's text stands verbatim in the passage. What cannot be quoted alone (headings, questions, fragments,
navigation) is left out; a sentence that leans on the one before it is marked as dangling.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rag.kind import Kind
from rag.providers.extractive_heading import Unclear, split_heading
from rag.providers.extractive_list import (
    announces,
    dashed,
    item_text,
    items_of,
    labelled,
    leads_in,
    points_ahead,
    read_glued,
    split_lists,
)
from rag.providers.extractive_sentence import dangles, is_navigation, is_question, means_title, quotable
from rag.question import heading_kinds, sentence_has_cue, sentence_speaks_of
from rag.text import is_list_item, is_table_row, split_sentences, without_references
from rag.types import Evidence
from rag.words import content_stems, stem, words

__all__ = ["Unit", "read_units"]


@dataclass(frozen=True, eq=False)
class Unit:
    """A quotable piece of passage `passage` (0-based): a sentence, or a lead-in line with its `items`.

    `section` holds the types that its section answers. A `dangling` unit may follow only the unit `after`,
    directly before it in the passage; one that is `by_title` opens the passage with "This condition …" and
    means its title.
    """

    text: str
    passage: int
    position: int
    section: frozenset[Kind]
    items: tuple[str, ...] = ()
    dangling: bool = False
    after: Unit | None = None
    by_title: bool = False

    @cached_property
    def words(self) -> list[str]:
        """The folded words of the text, without the items."""
        return words(self.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of text and items."""
        return self.text_stems.union(*(map(stem, words(item)) for item in self.items))

    @cached_property
    def text_stems(self) -> frozenset[str]:
        """The stems of the text without the items."""
        return frozenset(map(stem, self.words))

    @cached_property
    def content(self) -> frozenset[str]:
        """The stems of the words that carry a topic, for comparing units."""
        return content_stems(self.words)

    def has_cue(self, kind: Kind) -> bool:
        """Whether the text has words that answer this type."""
        if kind not in self._cues:
            self._cues[kind] = sentence_has_cue(self.text, kind)
        return self._cues[kind]

    def goes_on_with(self, other: Unit) -> bool:
        """Whether this is more of the list `other`, which was cut between two passages."""
        return bool(self.items) and bool(other.items) and self.passage != other.passage and self.text == other.text

    def speaks_of(self, kind: Kind) -> bool:
        """Whether the text opens with the type as its subject ("Other symptoms include"), whatever it is of."""
        return sentence_speaks_of(self.text, kind)

    @property
    def is_announced(self) -> bool:
        """Whether this is a list that its page only hands on, as a database of findings has it."""
        return bool(self.items) and announces(self.text)

    @cached_property
    def _cues(self) -> dict[Kind, bool]:
        return {}

    @cached_property
    def length(self) -> int:
        """Words of text and items."""
        return len(self.text.split()) + sum(len(item.split()) for item in self.items)


def read_units(evidence: Evidence, passage: int) -> list[Unit]:
    """The quotable units of a passage, in order."""
    chunk = evidence.chunk
    base = heading_kinds(chunk.heading, chunk.lang) or heading_kinds(chunk.title, chunk.lang)
    names = frozenset(words(f"{chunk.title} {chunk.topic}"))
    return _Reader(passage=passage, lang=chunk.lang, section=base, names=names).read(chunk.text)


@dataclass
class _Reader:
    """One pass over a passage: the section and the unit that it stands in."""

    passage: int
    lang: str
    section: frozenset[Kind]
    names: frozenset[str]

    def read(self, text: str) -> list[Unit]:
        self.units: list[Unit] = []
        self.previous: Unit | None = None
        self.announced = ""  # a sentence that promises a list further on
        self.lost = False  # whether text was left out
        lines = [line.strip() for line in text.split("\n") if line.strip()]
        at = 0
        while at < len(lines):
            at = self._read_line(lines, at)
        return self.units

    def _read_line(self, lines: list[str], at: int) -> int:
        """Reads the line at `at`; returns where to go on (behind the list that it may introduce)."""
        line = lines[at]
        if is_list_item(line) or is_table_row(line):
            self._read_stray_item(line)
            return at + 1
        end = at + 1
        while end < len(lines) and is_list_item(lines[end]):
            end += 1
        if line.startswith("#") or (end == at + 1 and _is_heading(line)):
            self._enter(line.lstrip("# ").rstrip(":"))
            return at + 1
        sentences = _split(line)
        lead_in = sentences.pop() if end > at + 1 else None
        number = 0
        while number < len(sentences):
            number += 1 + self._read_sentence(sentences[number], behind=sentences[number + 1 :])
        if lead_in is not None:
            for lead, item_lines in split_lists(lines[at + 1 : end], self.names):
                items, rest = items_of(item_lines, self.names)
                self._add_list(lead or lead_in, items)
                for sentence in rest:
                    self._read_sentence(sentence)
        return end

    def _read_stray_item(self, line: str) -> None:
        """Reads an item without its lead-in, of which only whole sentences tell anything."""
        self.previous = None
        if is_list_item(line):
            for sentence in _split(item_text(line)):
                self._read_sentence(sentence)
        self.previous = None

    def _enter(self, heading: str) -> None:
        self.section = heading_kinds(heading, self.lang) or self.section
        self.previous = None

    def _read_sentence(self, written: str, behind: Sequence[str] = ()) -> int:
        """Reads a sentence; returns how many of those `behind` it on its line were read with it."""
        sentence = self._without_heading(written)
        if not sentence:
            return 0
        if is_question(sentence):
            self._enter(sentence)
            return 0
        if announces(sentence):
            self.announced = sentence
        glued = labelled(sentence, behind) or dashed(sentence, behind, self.names) or read_glued(sentence, self.names)
        if glued is not None:
            self._add_list(glued.lead, glued.items)
            for rest in glued.rest:
                self._read_sentence(rest)
            return glued.used
        if quotable(sentence):
            self._append(sentence, ())
        else:
            self._lose()
        return 0

    def _without_heading(self, written: str) -> str:
        """A sentence as it can be quoted, or ""; a heading before it opens its section."""
        sentence = without_references(written).lstrip("-•*– ")
        try:
            heading, sentence = split_heading(sentence, self.names)
        except Unclear:
            sentence = heading = ""
        if heading:
            self._enter(heading)
        if not sentence:
            self._lose()
        return sentence

    def _lose(self) -> None:
        self.previous = None
        self.lost = True

    def _add_list(self, written: str, items: tuple[str, ...]) -> None:
        lead_in = self._without_heading(written) if written else ""
        if not (lead_in and leads_in(lead_in)) and self.announced:
            lead_in = self.announced
        self.announced = ""
        items = tuple(item for item in items if not is_question(item) and not is_navigation(item))
        if len(items) >= 2 and lead_in and (announces(lead_in) or (leads_in(lead_in) and not is_navigation(lead_in))):
            self._append(lead_in, items)
        self.previous = None

    def _append(self, text: str, items: tuple[str, ...]) -> None:
        dangling = dangles(text, self.lang) and not (items and points_ahead(text))
        unit = Unit(
            text=text,
            passage=self.passage,
            position=len(self.units),
            section=self.section,
            items=items,
            dangling=dangling,
            after=self.previous,
            by_title=dangling and not self.units and not self.lost and means_title(text),
        )
        self.units.append(unit)
        self.previous = unit


_SEAM = re.compile(  # "… has CF. People …", "… or discomfort.Most …"
    r"(?<=[A-Z]{2}\.)\s+(?=[A-Z][a-z]+\s)|(?<=[a-z)]\.)(?=[A-Z][a-z]+\s)"
)


_FOOTNOTE = re.compile(r"(?<=[a-z)]\.)\d{1,2}(?:,\d{1,2})*\s+(?=[A-Z])")  # "… gout.2 A doctor …"
_DENIES = re.compile(r"\b(?:not?|never|cannot|without)\b|n['’]t\b", re.IGNORECASE)


def _split(line: str) -> list[str]:
    parts = [part for sentence in split_sentences(line) for part in _SEAM.split(sentence)]
    # What stands beside a denial stays with it: the citation check takes both for one sentence.
    return [piece for part in parts for piece in ([part] if _DENIES.search(part) else _FOOTNOTE.split(part))]


def _is_heading(line: str) -> bool:
    """Whether a line that introduces no list is a heading: short and no sentence."""
    return len(line.split()) <= 12 and (line.endswith(":") or not re.search(r"[.!?…。！？।۔]['\"”’»)\]]*$", line))
