"""An answer in the making: takes units as long as they fit and say something new, and puts them in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from rag.kind import Kind
from rag.providers.extractive_passage import Unit
from rag.providers.extractive_topic import Topic
from rag.types import Evidence, Sentence
from rag.words import content_stems, words

__all__ = ["Draft", "as_sentences", "first_step", "in_order"]

# Set by reading the answers to the thirty questions of evals/goldens/extractive, to 140 more on the bundled
# corpus and to 70 on MedQuAD records, 2026-11-30.
_MAX_ITEMS = 12
_ITEMS_SPARED = 2  # a list of up to fourteen is not cut for two items
_MIN_ITEMS = 2
_FEWEST_ITEMS = 3  # items of a longer list that must fit
_SAME = 0.75  # share of the shorter unit's words that makes two units say the same
_ITEM_SAME = 0.8
_GRAM = 5


@dataclass
class Draft:
    """The units chosen so far, and what they have said."""

    max_words: int
    topic: frozenset[str]
    units: list[Unit] = field(default_factory=list)
    sources: list[Unit] = field(default_factory=list)  # the same before lists were shortened
    length: int = 0
    grams: set[tuple[str, ...]] = field(default_factory=set)

    def add(self, unit: Unit, reserve: int = 0) -> bool:
        """Takes a unit if it fits and repeats nothing; a list is shortened to what fits."""
        if any(unit is source for source in self.sources):
            return False
        room = self.max_words - self.length - reserve
        goes_on = any(unit.goes_on_with(other) for other in self.units)
        chosen = self._shortened(unit, room) if unit.items else unit
        if chosen is None or chosen.length > room or (self._is_said(chosen) and not goes_on):
            return False
        if not self._take_grams(chosen.items if goes_on else (chosen.text, *chosen.items)):
            return False
        self.units.append(chosen)
        self.sources.append(unit)
        self.length += chosen.length
        return True

    def _shortened(self, unit: Unit, room: int) -> Unit | None:
        # An item that another list has too stays: left out, it would seem not to hold under this lead-in.
        said = sum(map(self._item_is_said, unit.items))
        items = [item for item in dict.fromkeys(unit.items) if self.grams.isdisjoint(_grams(words(item)))]
        if len(items) < _MIN_ITEMS or said * 2 > len(unit.items):
            return None
        if len(items) > _MAX_ITEMS + _ITEMS_SPARED:
            items = items[:_MAX_ITEMS]
        used = len(unit.text.split())
        kept: list[str] = []
        for item in items:
            used += len(item.split())
            if used > room:
                break
            kept.append(item)
        if len(kept) < min(len(items), _FEWEST_ITEMS):
            return None
        return replace(unit, items=tuple(kept))

    def _item_is_said(self, item: str) -> bool:
        mine = content_stems(words(item)) - self.topic
        return len(mine) > 1 and any(len(mine & unit.stems) >= _ITEM_SAME * len(mine) for unit in self.units)

    def _is_said(self, unit: Unit) -> bool:
        mine = unit.content - self.topic
        for other in self.units:
            if unit.words == other.words and not unit.items:
                return True
            theirs = other.content - self.topic
            shorter = min(len(mine), len(theirs))
            if shorter > 1 and len(mine & theirs) >= _SAME * shorter and not (unit.items and other.items):
                return True
        return False

    def _take_grams(self, texts: Iterable[str]) -> bool:
        mine = [gram for text in texts for gram in _grams(words(text))]
        if len(set(mine)) < len(mine) or self.grams.intersection(mine):
            return False
        self.grams.update(mine)
        return True


def _grams(tokens: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(tokens[n:] for n in range(_GRAM)), strict=False)


def in_order(
    units: Sequence[Unit],
    opening: Sequence[Unit],
    help_unit: Unit | None,
    topic: Topic,
    evidence: Sequence[Evidence],
) -> list[Unit]:
    """The opening, then the rest as the documents have it, help last; a dangling unit behind its own."""
    ranks: dict[str, int] = {}
    for number in topic.passages:
        ranks.setdefault(evidence[number].chunk.doc_id, len(ranks))

    def place(unit: Unit) -> tuple[int, int, int, int]:
        chunk = evidence[unit.passage].chunk
        anchor = unit
        while anchor.dangling and anchor.after is not None:
            anchor = anchor.after
        for part, each in enumerate(opening):
            if same_unit(anchor, each):
                return part, 0, 0, unit.position
        part = len(opening) + (help_unit is not None and same_unit(anchor, help_unit))
        return part, ranks[chunk.doc_id], chunk.ordinal, unit.position

    return sorted(units, key=place)


def first_step(units: Sequence[Unit], opening: Unit, topic: Topic, evidence: Sequence[Evidence]) -> Unit:
    """The chosen step that its document tells first: first aid keeps its own order."""
    document = evidence[opening.passage].chunk.doc_id
    steps = [
        unit
        for unit in units
        if evidence[unit.passage].chunk.doc_id == document
        and Kind.FIRST_AID in unit.section
        and not unit.dangling
        and topic.is_named_in(unit.stems)
    ]
    return min(steps, key=lambda unit: (evidence[unit.passage].chunk.ordinal, unit.position))


def same_unit(unit: Unit, other: Unit) -> bool:
    return (unit.passage, unit.position) == (other.passage, other.position)


def as_sentences(
    units: Iterable[Unit], evidence: Sequence[Evidence], topic: Topic, max_words: int
) -> tuple[Sentence, ...]:
    """The units as sentences with leads and markers, without a phrase repeated across a seam."""
    said: list[str] = []
    sentences: list[Sentence] = []
    listed = False
    last: Unit | None = None
    for unit in units:
        if unit.dangling and not (last is not None and _may_follow(unit, last, topic)):
            continue
        goes_on = last is not None and unit.goes_on_with(last)
        lines = [*unit.items] if goes_on else [unit.text, *unit.items]
        together = [token for line in lines for token in words(line)]
        if _repeats([*said, *together]):
            continue
        said += together
        markers = _markers(unit, evidence, topic)
        lead = "" if not sentences else "\n\n" if listed or unit.items else " "
        if not goes_on:
            sentences.append(Sentence(text=unit.text, markers=markers, lead=lead))
        sentences += [Sentence(text=item, markers=markers, lead="\n- ") for item in unit.items]
        listed, last = bool(unit.items), unit
    assert sum(len(sentence.text.split()) for sentence in sentences) <= max_words
    return tuple(sentences)


def _may_follow(unit: Unit, last: Unit, topic: Topic) -> bool:
    """Whether a dangling unit has what it leans on right before it."""
    if unit.by_title:
        return topic.is_named_in(last.text_stems)
    return unit.after is not None and same_unit(last, unit.after)


def _repeats(tokens: Sequence[str]) -> bool:
    grams = list(_grams(tokens))
    return len(set(grams)) < len(grams)


def _markers(unit: Unit, evidence: Sequence[Evidence], topic: Topic) -> tuple[int, ...]:
    """The passages, from 1, in which a unit stands word for word."""
    lines = (unit.text, *unit.items)
    return tuple(
        sorted(
            number + 1
            for number in topic.passages
            if number == unit.passage or all(line in evidence[number].chunk.text for line in lines)
        )
    )
