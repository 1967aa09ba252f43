"""Finds compiled phrases in a text, in bounded time.

All places of a text are tried at once: a set of places is one integer with a bit for each, a word is the set of places
where it stands, and a phrase moves the set along its parts. The work is (parts of the phrases whose words occur) times
(one operation on a few hundred bits), whatever the text says: no input is slow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field

from safety.normalize import Words
from safety.numbers import Quantity
from safety.patterns import Capture, Choice, Edge, Gap, Part, Pattern, Row, Word

__all__ = ["Board", "Finds", "Lexicon", "Match", "PatternIndex", "Text"]

# Matches kept per pattern and text; the scope check needs a few, a pasted book must not give thousands.
_MAX_MATCHES = 24
# Written words of which a lexicon remembers what they are; a person's vocabulary has some ten thousand.
_REMEMBERED = 20_000
_LONGEST = 24


@dataclass(frozen=True, slots=True)
class Text:
    """What patterns are matched against: words and the quantities that start at them."""

    words: Words
    quantities: Mapping[int, list[Quantity]]
    gap_stops: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Match:
    """Words `start` up to, not including, `end` of a text."""

    start: int
    end: int


class Lexicon:
    """Which words of the patterns a written word is."""

    def __init__(self, words: Iterable[Word]) -> None:
        self._texts: dict[str, list[tuple[str, Word]]] = defaultdict(list)
        self._stems: dict[str, list[tuple[str, Word]]] = defaultdict(list)
        self._infixes: dict[str, list[Word]] = defaultdict(list)
        for word in words:
            for text, marks in word.texts:
                self._texts[text].append((marks, word))
            for stem, marks in word.stems:
                self._stems[stem].append((marks, word))
            for infix in word.infixes:
                self._infixes[infix].append(word)
        self._lengths = sorted({len(stem) for stem in self._stems})
        self._infix_lengths = sorted({len(infix) for infix in self._infixes})
        self._found: dict[tuple[str, str], tuple[Word, ...]] = {}

    def find(self, text: str, marks: str) -> tuple[Word, ...]:
        """The words that a written word is. What common words are is remembered, up to a bound."""
        key = (text, marks)
        found = self._found.get(key)
        if found is None:
            found = tuple(dict.fromkeys(self._find(text, marks)))
            if len(self._found) < _REMEMBERED and len(text) <= _LONGEST:
                self._found[key] = found
        return found

    def _find(self, text: str, marks: str) -> Iterator[Word]:
        for wanted, word in self._texts.get(text, ()):
            if not (wanted and marks) or wanted == marks:
                yield word
        for length in self._lengths:
            if length > len(text):
                break
            for wanted, word in self._stems.get(text[:length], ()):
                if not (wanted and marks) or marks.startswith(wanted):
                    yield word
        short = text[:_LONGEST]
        for length in self._infix_lengths:
            for at in range(len(short) - length + 1):
                yield from self._infixes.get(short[at : at + length], ())


class PatternIndex:
    """All patterns of a list by the words that they may begin with: only those that can match are tried."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._patterns = unique = dict.fromkeys(patterns)
        self._rows: dict[Word | str, list[tuple[Pattern, Row]]] = defaultdict(list)
        for pattern in unique:
            for row in pattern.rows:
                self._rows[row.first].append((pattern, row))

    def words(self) -> Iterator[Word]:
        """Every word of every pattern, for the lexicon of the boards that they are looked for on."""
        yield from (word for pattern in self._patterns for word in pattern.words)

    def on(self, board: Board, within: int = -1) -> Finds:
        """The matches on a board. `within` are the places where one may begin, a bit for each."""
        rows: dict[Pattern, list[tuple[Row, int]]] = defaultdict(list)
        firsts: list[Word | str] = [*board.places, *board.kinds]
        for first in firsts:
            own = self._rows.get(first)
            if own is not None and (starts := board.starts(first) & within):
                for pattern, row in own:
                    rows[pattern].append((row, starts))
        return Finds(board, rows)


class Finds:
    """What was found of patterns on a board. A pattern is looked for when it is asked for, and once."""

    def __init__(self, board: Board, rows: Mapping[Pattern, list[tuple[Row, int]]]) -> None:
        self._board = board
        self._rows = rows
        self._matches: dict[Pattern, list[Match]] = {}

    def of(self, pattern: Pattern) -> list[Match]:
        """Every match of a pattern, in order; none leaves its sentence."""
        known = self._matches.get(pattern)
        if known is None:
            rows = self._rows.get(pattern)
            known = self._matches[pattern] = self._look(rows) if rows else []
        return known

    def any(self, patterns: Iterable[Pattern]) -> bool:
        rows, matches = self._rows, self._matches
        for pattern in patterns:
            if pattern in rows:
                found = matches.get(pattern)
                if found or (found is None and self.of(pattern)):
                    return True
        return False

    def _look(self, rows: list[tuple[Row, int]]) -> list[Match]:
        board = self._board
        ends: dict[int, int] = {}
        for row, starts in rows:
            for start, end in board.spans(row, starts):
                ends[start] = min(end, ends.get(start, end))
        return [board.match(start, ends[start]) for start in sorted(ends)[:_MAX_MATCHES]]


@dataclass(slots=True)
class Board:
    """A text laid out in places: its words in order, with an empty place behind every sentence."""

    text: Text
    lexicon: Lexicon
    places: dict[Word, int] = field(default_factory=dict)
    kinds: dict[str, list[Quantity]] = field(default_factory=dict)
    _word_at: list[int] = field(default_factory=list)
    _place_of: list[int] = field(default_factory=list)
    _firsts: int = 0
    _ends: int = 0
    _stops: int = 0
    _bounds: list[int] = field(default_factory=list)
    _around: dict[int, int] = field(default_factory=dict)
    _needed: dict[frozenset[Word], int] = field(default_factory=dict)
    _open: dict[Choice, list[tuple[int, tuple[Part, ...]]]] = field(default_factory=dict)
    _known: dict[tuple[Choice, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        words = self.text.words
        written: dict[tuple[str, str], int] = {}
        place = 0
        for i, token in enumerate(zip(words.texts, words.marks, strict=True)):
            if words.begins(i):
                if i:
                    self._end_sentence(place)
                    place += 1
                self._firsts |= 1 << place
            self._word_at.append(i)
            self._place_of.append(place)
            written[token] = written.get(token, 0) | 1 << place
            if token[0] in self.text.gap_stops:
                self._stops |= 1 << place
            place += 1
        self._end_sentence(place)
        for (text, marks), at in written.items():
            for word in self.lexicon.find(text, marks):
                self.places[word] = self.places.get(word, 0) | at
        for quantities in self.text.quantities.values():
            for quantity in quantities:
                self.kinds.setdefault(quantity.kind, []).append(quantity)

    def starts(self, first: Word | str) -> int:
        """The places of a word, or of the quantities of a kind."""
        if isinstance(first, Word):
            return self.places[first]
        places = 0
        for quantity in self.kinds[first]:
            places |= 1 << self._place_of[quantity.start]
        return places

    def sentences(self, numbers: Set[int]) -> int:
        """The places of the words of some sentences."""
        places = 0
        for place, i in enumerate(self._word_at):
            if i >= 0 and self.text.words.sentences[i] in numbers:
                places |= 1 << place
        return places

    def spans(self, row: Row, starts: int) -> list[tuple[int, int]]:
        """The places where a row begins, each with the nearest place where it ends."""
        if row.needs:
            # Hardly a sentence holds more than the first word of a phrase: one look at the others saves the walk.
            around = self._around.get(starts)
            if around is None:
                around = self._around[starts] = self._sentences_of(starts)
            needed = self._needed
            for need in row.needs:
                where = needed.get(need)
                if where is None:
                    where = self._where(need)
                if not where & around:
                    return []
        if not self._run(row.parts, starts):
            return []
        found = []
        for _ in range(_MAX_MATCHES):
            start = starts & -starts
            ends = self._run(row.parts, start) & ~start
            if ends:
                found.append((start.bit_length() - 1, (ends & -ends).bit_length() - 1))
            starts ^= start
            if not starts:
                break
        return found

    def _where(self, need: frozenset[Word]) -> int:
        """The places of any of some words, found once."""
        where = 0
        for word in need:
            where |= self.places.get(word, 0)
        self._needed[need] = where
        return where

    def _sentences_of(self, starts: int) -> int:
        """The places of the sentences that some places lie in."""
        around = 0
        for sentence in self._bounds:
            if starts & sentence:
                around |= sentence
        return around

    def match(self, start: int, end: int) -> Match:
        """The match between two places, in words."""
        return Match(self._word_at[start], self._word_at[end - 1] + 1)

    def _end_sentence(self, place: int) -> None:
        begun = self._ends.bit_length()
        self._bounds.append((1 << place) - (1 << begun))
        self._ends |= 1 << place
        self._stops |= 1 << place
        self._word_at.append(-1)

    def _run(self, parts: tuple[Part, ...], at: int) -> int:
        """All places that `parts` lead to from any of the places `at`."""
        for part in parts:
            if type(part) is Word:
                at = (at & self.places.get(part, 0)) << 1
            elif type(part) is Choice:
                at = self._choose(part, at)
            elif type(part) is Gap:
                step = at
                for _ in range(part.limit):
                    step = (step & ~self._stops) << 1
                    if not step:
                        break
                    at |= step
            elif type(part) is Edge:
                at &= self._firsts if part.first else self._ends
            elif type(part) is Capture:
                at = self._capture(part, at)
            if not at:
                return 0
        return at

    def _choose(self, part: Choice, at: int) -> int:
        key = (part, at)
        if (known := self._known.get(key)) is not None:
            return known
        options = self._open.get(part)
        if options is None:
            # Most alternatives begin with a word that the text does not hold: found once per text.
            firsts = ((option[0], option) for option in part.options)
            options = [
                (self.places.get(first, 0) if type(first) is Word else -1, option)
                for first, option in firsts
                if type(first) is not Word or first in self.places
            ]
            self._open[part] = options
        reached = at if part.optional else 0
        for places, option in options:
            if at & places:
                reached |= self._run(option, at)
        self._known[key] = reached
        return reached

    def _capture(self, part: Capture, at: int) -> int:
        reached = 0
        for quantity in self.kinds.get(part.kind, ()):
            if at >> self._place_of[quantity.start] & 1 and part.holds(quantity):
                end = self._place_of[quantity.end - 1]
                # A quantity that runs over the end of its sentence ("30. tablets") is none of a phrase.
                if end - self._place_of[quantity.start] == quantity.end - 1 - quantity.start:
                    reached |= 1 << end + 1
        return reached
