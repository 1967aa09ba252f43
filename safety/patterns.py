"""Compiled phrases, and how they are found in a text in bounded time. `notation.py` compiles them.

A pattern is matched as a set of positions that moves through its parts, never by trying one way after another, so
the work is at most (parts of the pattern) x (positions reachable through gaps) per starting word: no input is slow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from safety.normalize import Words
from safety.numbers import Quantity

__all__ = [
    "Capture", "Choice", "Edge", "Firsts", "Gap", "Match", "Part", "Pattern", "PatternIndex", "Text", "Word",
    "choice", "firsts_of", "needs_of",
]  # fmt: skip

# Matches kept per pattern and text; the scope check needs a few, a pasted book must not give thousands.
_MAX_MATCHES = 24


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


@dataclass(frozen=True, slots=True)
class Word:
    """One of several words, or a word that begins with one of several stems."""

    texts: frozenset[str]
    stems: tuple[str, ...]

    def ends(self, text: Text, i: int, stop: int) -> Iterable[int]:
        if i < stop:
            word = text.words.texts[i]
            if word in self.texts or (self.stems and word.startswith(self.stems)):
                return (i + 1,)
        return ()


@dataclass(frozen=True, slots=True)
class Gap:
    """Up to `limit` words, none of them a negation: "my face is not drooping" is no "face ~4 drooping"."""

    limit: int

    def ends(self, text: Text, i: int, stop: int) -> Iterable[int]:
        end = i
        last = min(i + self.limit, stop)
        while end < last and text.words.texts[end] not in text.gap_stops:
            end += 1
        return range(i, end + 1)


@dataclass(frozen=True, slots=True)
class Edge:
    """`^` and `$`: the beginning and the end of a sentence."""

    first: bool

    def ends(self, text: Text, i: int, stop: int) -> Iterable[int]:  # noqa: ARG002
        at_edge = (i < len(text.words) and text.words.begins(i)) if self.first else text.words.ends(i)
        return (i,) if at_edge else ()


@dataclass(frozen=True, slots=True)
class Capture:
    """A quantity of a kind that holds to every bound."""

    kind: str
    bounds: tuple[tuple[Callable[[float, float], bool], float], ...] = ()

    def ends(self, text: Text, i: int, stop: int) -> Iterable[int]:
        return [
            q.end for q in text.quantities.get(i, ()) if q.kind == self.kind and q.end <= stop and self._holds(q.value)
        ]

    def _holds(self, value: float) -> bool:
        # Rounding noise of unit conversion must not decide: 100.4 F is 38 C.
        return all(compare(round(value, 5), bound) for compare, bound in self.bounds)


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternatives, found by what they may begin with: a list of a hundred costs no more than those that can match.

    `firsts` is what any of them may begin with; `by_word` are those that begin with a word, `by_other` those that
    begin with a stem or a quantity, `always` those that may begin with anything. Made by `choice`.
    """

    options: tuple[tuple[Part, ...], ...]
    optional: bool
    firsts: Firsts | None
    by_word: Mapping[str, tuple[tuple[Part, ...], ...]]
    by_other: tuple[tuple[Firsts, tuple[Part, ...]], ...]
    always: tuple[tuple[Part, ...], ...]

    def ends(self, text: Text, i: int, stop: int) -> Iterable[int]:
        reached = {i} if self.optional else set()
        if i < stop:
            for option in self.by_word.get(text.words.texts[i], ()):
                reached |= _run(option, text, i, stop)
            for firsts, option in self.by_other:
                if firsts.allow(text, i):
                    reached |= _run(option, text, i, stop)
        for option in self.always:
            reached |= _run(option, text, i, stop)
        return reached


@dataclass(frozen=True, slots=True)
class Firsts:
    """What a match may begin with: one of these words, one of these stems, or a quantity of one of these kinds."""

    words: frozenset[str]
    stems: tuple[str, ...]
    kinds: frozenset[str]

    def allow(self, text: Text, i: int) -> bool:
        word = text.words.texts[i]
        return (
            word in self.words
            or bool(self.stems and word.startswith(self.stems))
            or (bool(self.kinds) and any(q.kind in self.kinds for q in text.quantities.get(i, ())))
        )


Part = Word | Gap | Edge | Capture | Choice


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """A compiled phrase. `source` is what the table says; `needs` are sets of which a text must hold a word each.

    Compared by identity: patterns are keys of every look-up, and comparing their trees took half of the time.
    """

    source: str
    parts: tuple[Part, ...]
    needs: tuple[frozenset[str], ...] = ()

    def match_at(self, text: Text, i: int, stop: int) -> int | None:
        """The end of the shortest match that begins at word `i` and ends by `stop`, or None."""
        reached = _run(self.parts, text, i, stop)
        reached.discard(i)
        return min(reached, default=None)

    def vocabulary(self) -> Iterator[str]:
        """Every whole word it names."""
        yield from _vocabulary(self.parts)


class PatternIndex:
    """All patterns of a table, found by their first word: only those that can match are tried."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._words: dict[str, list[Pattern]] = {}
        self._stems: dict[str, list[Pattern]] = {}
        self._kinds: dict[str, list[Pattern]] = {}
        for pattern in dict.fromkeys(patterns):
            firsts = firsts_of(pattern.parts)
            assert firsts is not None, "parse() refuses these"
            for word in firsts.words:
                self._words.setdefault(word, []).append(pattern)
            for stem in firsts.stems:
                self._stems.setdefault(stem, []).append(pattern)
            for kind in firsts.kinds:
                self._kinds.setdefault(kind, []).append(pattern)
        self._stem_lengths = sorted({len(stem) for stem in self._stems})

    def find(self, text: Text) -> dict[Pattern, list[Match]]:
        """Every match of every pattern, in order; a match never leaves its sentence."""
        found: dict[Pattern, list[Match]] = {}
        vocabulary = set(text.words.texts)
        possible: dict[Pattern, bool] = {}
        for i, stop in _starts(text.words):
            for pattern in self._candidates(text, i):
                able = possible.get(pattern)
                if able is None:
                    able = all(not need.isdisjoint(vocabulary) for need in pattern.needs)
                    possible[pattern] = able
                if not able:
                    continue
                matches = found.get(pattern)
                if matches is not None and (len(matches) >= _MAX_MATCHES or matches[-1].start == i):
                    continue
                end = pattern.match_at(text, i, stop)
                if end is not None:
                    found.setdefault(pattern, []).append(Match(i, end))
        return found

    def _candidates(self, text: Text, i: int) -> Iterator[Pattern]:
        word = text.words.texts[i]
        yield from self._words.get(word, ())
        for length in self._stem_lengths:
            if length > len(word):
                break
            yield from self._stems.get(word[:length], ())
        for quantity in text.quantities.get(i, ()):
            yield from self._kinds.get(quantity.kind, ())


def _starts(words: Words) -> Iterator[tuple[int, int]]:
    """Every position with the end of its sentence."""
    i = 0
    while i < len(words):
        stop = i + 1
        while stop < len(words) and words.sentences[stop] == words.sentences[i]:
            stop += 1
        for position in range(i, stop):
            yield position, stop
        i = stop


def _run(parts: tuple[Part, ...], text: Text, i: int, stop: int) -> set[int]:
    """All ends of `parts` from word `i`. Leading words, by far the most common case, are compared without a set."""
    texts = text.words.texts
    done = 0
    for part in parts:
        if type(part) is not Word:
            break
        if i >= stop:
            return set()
        word = texts[i]
        if word not in part.texts and not (part.stems and word.startswith(part.stems)):
            return set()
        i += 1
        done += 1
    reached: set[int] = {i}
    for part in parts[done:]:
        if len(reached) == 1:
            (only,) = reached
            reached = set(part.ends(text, only, stop))
        else:
            reached = {end for start in reached for end in part.ends(text, start, stop)}
        if not reached:
            break
    return reached


def firsts_of(parts: tuple[Part, ...]) -> Firsts | None:
    """What a match of these parts in a row may begin with; None if that may be anything."""
    begun = Firsts(frozenset(), (), frozenset())
    for part in parts:
        match part:
            case Word():
                return _either(begun, Firsts(part.texts, part.stems, frozenset()))
            case Capture():
                return _either(begun, Firsts(frozenset(), (), frozenset({part.kind})))
            case Edge():
                continue
            case Gap():
                return None
            case Choice():
                if part.firsts is None:
                    return None
                begun = _either(begun, part.firsts)
                if not part.optional:
                    return begun
    return None


def choice(options: list[tuple[Part, ...]], *, optional: bool) -> Choice:
    """The alternatives with their look-up tables."""
    by_word: dict[str, list[tuple[Part, ...]]] = {}
    by_other: list[tuple[Firsts, tuple[Part, ...]]] = []
    always: list[tuple[Part, ...]] = []
    for option in options:
        firsts = firsts_of(option)
        if firsts is None:
            always.append(option)
            continue
        for word in firsts.words:
            by_word.setdefault(word, []).append(option)
        if firsts.stems or firsts.kinds:
            by_other.append((Firsts(frozenset(), firsts.stems, firsts.kinds), option))
    return Choice(
        options=tuple(options),
        optional=optional,
        firsts=firsts_of_any(options),
        by_word={word: tuple(found) for word, found in by_word.items()},
        by_other=tuple(by_other),
        always=tuple(always),
    )


def firsts_of_any(options: Iterable[tuple[Part, ...]]) -> Firsts | None:
    begun = Firsts(frozenset(), (), frozenset())
    for option in options:
        firsts = firsts_of(option)
        if firsts is None:
            return None
        begun = _either(begun, firsts)
    return begun


def _either(a: Firsts, b: Firsts) -> Firsts:
    return Firsts(a.words | b.words, tuple(dict.fromkeys(a.stems + b.stems)), a.kinds | b.kinds)


def needs_of(parts: tuple[Part, ...]) -> Iterator[frozenset[str]]:
    """For every part that must match and names whole words only: those words."""
    for part in parts:
        match part:
            case Word() if not part.stems:
                yield part.texts
            case Choice() if not part.optional:
                options = [next(needs_of(option), None) for option in part.options]
                if all(option is not None for option in options):
                    yield frozenset().union(*(option for option in options if option is not None))
            case _:
                continue


def _vocabulary(parts: tuple[Part, ...]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, Word):
            yield from part.texts
        elif isinstance(part, Choice):
            for option in part.options:
                yield from _vocabulary(option)
