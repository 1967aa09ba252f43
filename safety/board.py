"""Finds compiled phrases in a text, in bounded time.

All places of a text are tried at once: a set of places is one integer with a bit for each, a word is the set of places
where it stands, and a phrase moves the set along its parts. The work is (parts of the phrases whose words stand near
one another) times (one operation on a few hundred bits), whatever the text says: no input is slow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from safety.normalize import Words
from safety.numbers import Quantity
from safety.patterns import ANY, Capture, Choice, Edge, Gap, Part, Pattern, Word, lengths_of
from safety.prefilter import BLOCK, BLOCKS, QUANTITY, Flags, Numbers, Prefilter, numbers, pack

__all__ = ["Board", "Finds", "Lexicon", "Match", "PatternIndex", "Text"]

# Matches kept per pattern and text; the scope check needs a few, a pasted book must not give thousands. As many places
# of its first word are tried.
_MAX_MATCHES = 24
# Written words of which a lexicon remembers what they are; a person's vocabulary has some ten thousand.
_REMEMBERED = 10_000
_LONGEST = 24
_NOTHING = np.zeros(0, np.int32)


@dataclass(frozen=True, slots=True)
class Text:
    """What patterns are matched against: words and the quantities that start at them."""

    words: Words
    quantities: Mapping[int, list[Quantity]]
    gap_stops: frozenset[str] = frozenset()


class Match(NamedTuple):
    """Words `start` up to, not including, `end` of a text."""

    start: int
    end: int


class Lexicon:
    """Which words of some patterns a written word is. Words and kinds of quantity go by number here."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        patterns = list(dict.fromkeys(patterns))
        words = dict.fromkeys(word for pattern in patterns for word in pattern.words())
        kinds = dict.fromkeys(kind for pattern in patterns for kind in pattern.kinds())
        self.first_kind = max((word.number for word in words), default=-1) + 1
        self.kinds = {kind: number for number, kind in enumerate(kinds, self.first_kind)}
        texts: dict[str, dict[str, list[int]]] = {}
        stems: dict[str, dict[str, list[int]]] = {}
        infixes: dict[str, list[int]] = {}
        for word in words:
            for text, marks in word.texts:
                texts.setdefault(text, {}).setdefault(marks, []).append(word.number)
            for stem, marks in word.stems:
                stems.setdefault(stem, {}).setdefault(marks, []).append(word.number)
            for infix in word.infixes:
                infixes.setdefault(infix, []).append(word.number)
        self._texts = {text: _packed(by_marks) for text, by_marks in texts.items()}
        self._stems = {stem: _packed(by_marks) for stem, by_marks in stems.items()}
        self._infixes = {infix: pack(found) for infix, found in infixes.items()}
        self._lengths = sorted({len(stem) for stem in stems})
        self._infix_lengths = sorted({len(infix) for infix in infixes})
        self._found: dict[tuple[str, str], Numbers] = {}

    def __len__(self) -> int:
        return self.first_kind + len(self.kinds)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_found": {}}

    def find(self, text: str, marks: str) -> Numbers:
        """The words that a written word is, by number. What common words are is remembered, up to a bound."""
        key = (text, marks)
        found = self._found.get(key)
        if found is None:
            packed = list(self._find(text, marks))
            found = np.unique(numbers(b"".join(packed))) if packed else _NOTHING
            if len(self._found) < _REMEMBERED and len(text) <= _LONGEST:
                self._found[key] = found
        return found

    def _find(self, text: str, marks: str) -> Iterator[bytes]:
        for wanted, words in self._texts.get(text, ()):
            if not (wanted and marks) or wanted == marks:
                yield words
        for length in self._lengths:
            if length > len(text):
                break
            for wanted, words in self._stems.get(text[:length], ()):
                if not (wanted and marks) or marks.startswith(wanted):
                    yield words
        if self._infix_lengths:
            short = text[:_LONGEST]
            for length in self._infix_lengths:
                for at in range(len(short) - length + 1):
                    if (held := self._infixes.get(short[at : at + length])) is not None:
                        yield held


def _packed(by_marks: Mapping[str, list[int]]) -> tuple[tuple[str, bytes], ...]:
    return tuple((marks, pack(found)) for marks, found in by_marks.items())


class PatternIndex:
    """All patterns of a list, whose words a lexicon knows: only those that can match are tried."""

    def __init__(self, patterns: Iterable[Pattern], lexicon: Lexicon) -> None:
        self.patterns = tuple(dict.fromkeys(patterns))
        self.numbers = {pattern: number for number, pattern in enumerate(self.patterns)}
        self.prefilter = Prefilter(self.patterns, lexicon.kinds)
        self._lengths = {pattern: lengths_of(pattern.parts, QUANTITY) for pattern in self.patterns}

    def on(self, board: Board, within: int = -1) -> Finds:
        """The matches on a board. `within` are the places where one may begin, a bit for each."""
        flags = self.prefilter.possible(board.blocks, anywhere=board.longest > QUANTITY)
        possible = [self.patterns[number] for number in np.flatnonzero(flags).tolist()]
        return Finds(board, {pattern: self._lengths[pattern] for pattern in possible}, flags, within)


class Board:
    """A text laid out in places: its words in order, with an empty place behind every sentence.

    `places` says where each word and each kind of quantity stands that does, `blocks` in which blocks of places,
    `longest` how long a quantity is.
    """

    def __init__(self, text: Text, lexicon: Lexicon) -> None:
        self.text = text
        self._word_at: list[int] = []
        self._place_of: list[int] = []
        self._firsts = self._ends = self._stops = 0
        self._free: dict[int, int] = {}
        self._moves: dict[int, list[tuple[int, int]]] = {}
        self._held: dict[str, dict[int, list[tuple[int, Quantity]]]] = {}
        self._open: dict[Choice, list[tuple[int, tuple[Part, ...], int]]] = {}
        self._known: dict[tuple[Choice, int], int] = {}
        written = self._lay()
        self.size = len(self._word_at)
        self.places: dict[int, int]
        self.kinds: dict[str, list[Quantity]] = {}
        for quantities in text.quantities.values():
            for quantity in quantities:
                self.kinds.setdefault(quantity.kind, []).append(quantity)
        self.longest = max((q.end - q.start for each in self.kinds.values() for q in each), default=0)
        self._numbers = lexicon.kinds
        self._fill(written, lexicon)

    def _lay(self) -> dict[tuple[str, str], list[int]]:
        """Gives every word its place; where each written word stands."""
        words, stops = self.text.words, self.text.gap_stops
        written: dict[tuple[str, str], list[int]] = {}
        sentence = None
        place = 0
        for i, token in enumerate(zip(words.texts, words.marks, strict=True)):
            if words.sentences[i] != sentence:
                if i:
                    self._end_sentence(place)
                    place += 1
                sentence = words.sentences[i]
                self._firsts |= 1 << place
            self._word_at.append(i)
            self._place_of.append(place)
            written.setdefault(token, []).append(place)
            if token[0] in stops:
                self._stops |= 1 << place
            place += 1
        self._end_sentence(place)
        return written

    def _end_sentence(self, place: int) -> None:
        self._ends |= 1 << place
        self._stops |= 1 << place
        self._word_at.append(-1)

    def _fill(self, written: Mapping[tuple[str, str], list[int]], lexicon: Lexicon) -> None:
        found = [(places, lexicon.find(text, marks)) for (text, marks), places in written.items()]
        for kind, number in lexicon.kinds.items():
            if kind in self.kinds:
                places = [self._place_of[quantity.start] for quantity in self.kinds[kind]]
                found.append((places, np.array([number], np.int32)))
        self.blocks = np.zeros(len(lexicon), np.uint64)
        self.places = {ANY: -1}
        words = np.concatenate([_NOTHING, *(numbers for _, numbers in found)])
        if not len(words):
            return
        # Sorted by word: for each a run of the written words that are it.
        order = np.argsort(words)
        words = words[order]
        runs = np.flatnonzero(np.diff(words, prepend=-1))
        spoken = np.repeat(np.arange(len(found)), [len(numbers) for _, numbers in found])[order]
        blocks = np.array([_blocks(places) for places, _ in found], np.uint64)
        self.blocks[words[runs]] = np.bitwise_or.reduceat(blocks[spoken], runs)
        bits = [_bits(places) for places, _ in found]
        # Most words are said in one way.
        lengths = np.diff(runs, append=len(words))
        alone = np.repeat(lengths == 1, lengths)
        self.places.update(zip(words[alone].tolist(), map(bits.__getitem__, spoken[alone].tolist()), strict=True))
        for word, each in zip(words[~alone].tolist(), spoken[~alone].tolist(), strict=True):
            self.places[word] = self.places.get(word, 0) | bits[each]

    def sentences(self, numbers: Set[int]) -> int:
        """The places of the words of some sentences."""
        sentences = self.text.words.sentences
        return _bits([place for place, i in enumerate(self._word_at) if i >= 0 and sentences[i] in numbers])

    def match(self, start: int, end: int) -> Match:
        """The match between two places, in words."""
        return Match(self._word_at[start], self._word_at[end - 1] + 1)

    def run(self, parts: tuple[Part, ...], at: int) -> int:
        """All places that `parts` lead to from any of the places `at`."""
        for part in parts:
            if type(part) is Word:
                at = (at & self.places.get(part.number, 0)) << 1
            elif type(part) is Gap:
                at = self._skip(part.limit, at)
            elif type(part) is Choice:
                at = self._choose(part, at)
            elif type(part) is Capture:
                at = self._capture(part, at)
            elif type(part) is Edge:
                at &= self.edge(part)
            if not at:
                return 0
        return at

    def number(self, kind: str) -> int:
        """The number that a kind of quantity goes by."""
        return self._numbers.get(kind, len(self.blocks))

    def edge(self, part: Edge) -> int:
        return self._firsts if part.first else self._ends

    def options(self, part: Choice) -> list[tuple[int, tuple[Part, ...], int]]:
        """The alternatives that the text holds the first words of: the places of the first, the alternative, and the
        places it takes, 0 where that differs. Found once per text."""
        options = self._open.get(part)
        if options is None:
            stands = self.places.get
            options = self._open[part] = [
                (places, option, length)
                for first, second, option, length in zip(
                    part.firsts, part.seconds, part.options, part.lengths, strict=True
                )
                if (places := stands(first, 0)) and (places << 1) & stands(second, 0)
            ]
        return options

    def _skip(self, limit: int, at: int) -> int:
        """Up to `limit` steps, none of them over a stop: with every turn as many and one more as before."""
        moves = self._moves.get(limit)
        if moves is None:
            moves, done = [], 0
            while done < limit:
                more = min(done + 1, limit - done)
                moves.append((self._steps(more), more))
                done += more
            self._moves[limit] = moves
        for free, more in moves:
            at |= (at & free) << more
        return at

    def _steps(self, number: int) -> int:
        """The places from which so many steps meet no stop."""
        free = self._free.get(number)
        if free is None:
            if number == 1:
                free = (1 << self.size) - 1 & ~self._stops
            else:
                half = number // 2
                free = self._steps(half) & self._steps(number - half) >> half
            self._free[number] = free
        return free

    def _choose(self, part: Choice, at: int) -> int:
        key = (part, at)
        known = self._known.get(key)
        if known is None:
            known = at if part.optional else 0
            for places, option, _ in self.options(part):
                if here := at & places:
                    known |= self.run(option, here)
            self._known[key] = known
        return known

    def _capture(self, part: Capture, at: int) -> int:
        held = self._held.get(part.kind)
        if held is None:
            held = self._held[part.kind] = self._hold(part.kind)
        reached = 0
        for start in _each(at & self.places.get(self.number(part.kind), 0)):
            for end, quantity in held[start]:
                if part.holds(quantity):
                    reached |= end
        return reached

    def _hold(self, kind: str) -> dict[int, list[tuple[int, Quantity]]]:
        """The quantities of a kind by the place where they begin, with the place where they end."""
        found: dict[int, list[tuple[int, Quantity]]] = {}
        for quantity in self.kinds.get(kind, ()):
            start, last = self._place_of[quantity.start], self._place_of[quantity.end - 1]
            own = found.setdefault(1 << start, [])
            # A quantity that runs over the end of its sentence ("30. tablets") is none of a phrase.
            if last - start == quantity.end - 1 - quantity.start:
                own.append((2 << last, quantity))
        return found


Spans = dict[int, int]
"""By place where something begins, the places where it may end: a bit for each."""


class Finds:
    """What was found of patterns on a board. A pattern is looked for when it is asked for, and once.

    `possible` are the patterns that may match, by number `flags`.
    """

    def __init__(self, board: Board, possible: Mapping[Pattern, tuple[int, int]], flags: Flags, within: int) -> None:
        self.flags = flags
        self.possible = possible
        self._board = board
        self._within = within
        self._starts: dict[int, int] = {}
        self._choices: dict[Choice, tuple[int, list[tuple[tuple[Part, ...], int, int]]]] = {}
        self._choice_spans: dict[Choice, Spans] = {}
        self._ends: dict[Pattern, int] = {}
        self._matches: dict[Pattern, list[Match]] = {}

    def of(self, pattern: Pattern) -> list[Match]:
        """Every match of a pattern, in order; none leaves its sentence."""
        known = self._matches.get(pattern)
        if known is None:
            known = self._matches[pattern] = self._look(pattern) if self.holds(pattern) else []
        return known

    def holds(self, pattern: Pattern) -> bool:
        """Whether it matches anywhere."""
        ends = self._ends.get(pattern)
        if ends is None:
            ends = self._ends[pattern] = self._run(pattern.parts) if pattern in self.possible else 0
        return ends != 0

    def any(self, patterns: Iterable[Pattern]) -> bool:
        possible = self.possible
        return any(pattern in possible and self.holds(pattern) for pattern in patterns)

    def _look(self, pattern: Pattern) -> list[Match]:
        """Each place where it begins, with the nearest where it ends."""
        board, ends = self._board, self._ends[pattern]
        least, most = self.possible[pattern]
        if least == most:
            return [board.match(start, start + least) for start in _places(ends >> least, _MAX_MATCHES)]
        near, done = ends >> least, 0
        most = board.size if board.longest > QUANTITY else most
        while done < most - least:
            more = min(done + 1, most - least - done)
            near |= near >> more
            done += more
        spans = self._spans(pattern.parts, near)
        return [
            board.match(start.bit_length() - 1, (spans[start] & -spans[start]).bit_length() - 1)
            for start in sorted(spans)[:_MAX_MATCHES]
        ]

    def _run(self, parts: tuple[Part, ...]) -> int:
        """All places where parts end, wherever they begin."""
        board = self._board
        edge, reached = -1, 0
        for i, part in enumerate(parts, 1):
            if type(part) is Word:
                begun = (self._start(part.number) & edge) << 1
                return reached | (board.run(parts[i:], begun) if begun and len(parts) > i else begun)
            if type(part) is Choice:
                if edge == -1:
                    begun, _ = self._choice(part)
                else:
                    begun = 0
                    for start, ends in self._spans_of(part).items():
                        begun |= ends if start & edge else 0
                reached |= board.run(parts[i:], begun) if begun and len(parts) > i else begun
                if not part.empty:
                    return reached
            elif type(part) is Capture:
                return reached | board.run(parts[i - 1 :], self._start(board.number(part.kind)) & edge)
            elif type(part) is Edge:
                edge &= board.edge(part)
        return reached

    def _choice(self, part: Choice) -> tuple[int, list[tuple[tuple[Part, ...], int, int]]]:
        """All places where alternatives in the first place of a phrase end; those that match, the places each takes (0
        where that differs) and where it ends."""
        known = self._choices.get(part)
        if known is None:
            ends, matching = 0, []
            for places, option, length in self._board.options(part):
                if places & self._within and (reached := self._run(option)):
                    ends |= reached
                    matching.append((option, length, reached))
            known = self._choices[part] = ends, matching
        return known

    def _spans(self, parts: tuple[Part, ...], within: int) -> Spans:
        """The matches of parts that begin within some places."""
        board = self._board
        found: Spans = {}
        for i, part in enumerate(parts, 1):
            if type(part) is Word:
                starts = self._start(part.number) & within
                rest = parts[i:]
                for start in _each(starts):
                    if ends := board.run(rest, start << 1):
                        found[start] = found.get(start, 0) | ends
                break
            if type(part) is Choice:
                spans = self._spans_of(part)
                rest = parts[i:]
                for start, begun in spans.items():
                    if start & within and (ends := board.run(rest, begun)):
                        found[start] = found.get(start, 0) | ends
                if not part.empty:
                    break
            elif type(part) is Capture:
                starts = self._start(board.number(part.kind)) & within
                _join(found, ((start, board.run(parts[i - 1 :], start)) for start in _each(starts)))
                break
            elif type(part) is Edge:
                within &= board.edge(part)
        return found

    def _spans_of(self, part: Choice) -> Spans:
        """The matches of alternatives in the first place of a phrase."""
        spans = self._choice_spans.get(part)
        if spans is None:
            spans = self._choice_spans[part] = {}
            for option, length, reached in self._choice(part)[1]:
                if not length:
                    _join(spans, self._spans(option, -1).items())
                    continue
                while reached:
                    end = reached & -reached
                    reached ^= end
                    spans[end >> length] = spans.get(end >> length, 0) | end
        return spans

    def _start(self, first: int) -> int:
        """The places of a word, or of the quantities of a kind, that are tried as the first of a phrase."""
        starts = self._starts.get(first)
        if starts is None:
            starts = self._board.places.get(first, 0) & self._within
            if starts.bit_count() > _MAX_MATCHES:
                starts = _bits(_places(starts, _MAX_MATCHES))
            self._starts[first] = starts
        return starts


def _join(spans: Spans, more: Iterable[tuple[int, int]]) -> None:
    for start, ends in more:
        if ends:
            spans[start] = spans.get(start, 0) | ends


def _bits(places: Iterable[int]) -> int:
    bits = 0
    for place in places:
        bits |= 1 << place
    return bits


def _blocks(places: Iterable[int]) -> int:
    bits = 0
    for place in places:
        bits |= 1 << (place // BLOCK & BLOCKS - 1)
    return bits


def _each(bits: int) -> Iterator[int]:
    """The bits of a set of places, one by one."""
    while bits:
        lowest = bits & -bits
        yield lowest
        bits ^= lowest


def _places(bits: int, most: int) -> list[int]:
    """The first of some places."""
    places: list[int] = []
    while bits and len(places) < most:
        lowest = bits & -bits
        places.append(lowest.bit_length() - 1)
        bits ^= lowest
    return places
