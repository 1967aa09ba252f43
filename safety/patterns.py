"""Compiled phrases: what a pattern is made of. `notation.py` reads them, `board.py` finds them in a text."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from safety.numbers import Quantity

__all__ = ["ANY", "Capture", "Choice", "Edge", "Gap", "Part", "Pattern", "Word", "lengths_of", "may_be_empty",
           "may_begin_with_gap"]  # fmt: skip

# The number of no word.
ANY = -1


@dataclass(frozen=True, slots=True, eq=False)
class Word:
    """One of several words, a word that begins with one of several stems, or one that holds one of several infixes.

    Each is (letters without accents, accents); with accents "" any are accepted, otherwise the same ones or none at
    all: "bỏng" is found as "bỏng" and "bong", not as "bóng". Compared by identity: one object per table and content,
    which goes by its `number` where it is looked for.
    """

    number: int

    texts: frozenset[tuple[str, str]]
    stems: frozenset[tuple[str, str]]
    infixes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Gap:
    """Up to `limit` words, none of them a negation: "my face is not drooping" is no "face ~4 drooping"."""

    limit: int


@dataclass(frozen=True, slots=True)
class Edge:
    """`^` and `$`: the beginning and the end of a sentence."""

    first: bool


@dataclass(frozen=True, slots=True)
class Capture:
    """A quantity of a kind that holds to every bound."""

    kind: str
    bounds: tuple[tuple[Callable[[float, float], bool], float], ...] = ()

    def holds(self, quantity: Quantity) -> bool:
        # Rounding noise of unit conversion must not decide: 100.4 F is 38 C.
        return quantity.kind == self.kind and all(
            compare(round(quantity.value, 5), bound) for compare, bound in self.bounds
        )


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Alternatives, each a row of parts. Compared by identity, so that a named set is looked at once per place.

    `firsts` are the numbers of the words that the alternatives begin with, `seconds` of those right behind, `ANY` where
    that is no word; `lengths` how many places each takes, 0 where that differs; `empty` says whether nothing at all is
    an alternative.
    """

    options: tuple[tuple[Part, ...], ...]
    optional: bool
    firsts: tuple[int, ...]
    seconds: tuple[int, ...]
    lengths: tuple[int, ...]
    empty: bool

    @classmethod
    def of(cls, options: Iterable[tuple[Part, ...]], *, optional: bool = False) -> Choice:
        """Alternatives; those that begin with the same word become one, which is looked at once."""
        by_first: dict[Part, list[tuple[Part, ...]]] = {}
        for option in options:
            by_first.setdefault(option[0], []).append(option)
        joined: list[tuple[Part, ...]] = []
        for first, same in by_first.items():
            if len(same) == 1 or not isinstance(first, Word):
                joined += same
            else:
                rests = dict.fromkeys(option[1:] for option in same)
                further = tuple(filter(None, rests))
                joined.append((first, cls.of(further, optional=() in rests)) if further else (first,))
        firsts = tuple(_number(option, 0) for option in joined)
        seconds = tuple(
            ANY if first == ANY else _number(option, 1) for first, option in zip(firsts, joined, strict=True)
        )
        lengths = tuple(low if low == high else 0 for low, high in (lengths_of(option, 2) for option in joined))
        return cls(tuple(joined), optional, firsts, seconds, lengths, optional or any(map(may_be_empty, joined)))


Part = Word | Gap | Edge | Capture | Choice


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """A compiled phrase: its parts in a row. `source` is what the table says.

    Compared by identity: patterns are keys of every look-up.
    """

    source: str
    parts: tuple[Part, ...]

    def words(self) -> Iterator[Word]:
        return words_in(self.parts)

    def kinds(self) -> Iterator[str]:
        return kinds_in(self.parts)

    def vocabulary(self) -> Iterator[str]:
        """Every whole word it names."""
        yield from (text for word in self.words() for text, _ in word.texts)

    def needs(self) -> tuple[frozenset[Word | str], ...]:
        """Of each of these a text must hold one: a word, or a quantity's kind."""
        return (*needs_of(self.parts), *(frozenset({part.kind}) for part in self.parts if isinstance(part, Capture)))


def _number(parts: tuple[Part, ...], place: int) -> int:
    part = parts[place] if place < len(parts) else None
    return part.number if isinstance(part, Word) else ANY


def may_be_empty(parts: tuple[Part, ...]) -> bool:
    """Whether parts may match nothing."""
    return all(part.empty if isinstance(part, Choice) else isinstance(part, Gap | Edge) for part in parts)


def may_begin_with_gap(parts: tuple[Part, ...]) -> bool:
    for part in parts:
        if isinstance(part, Gap) or (isinstance(part, Choice) and _may_begin_with_gap(part)):
            return True
        if isinstance(part, Word | Capture) or (isinstance(part, Choice) and not part.empty):
            return False
    return False


@functools.lru_cache(maxsize=4096)  # a named set stands in many phrases
def _may_begin_with_gap(choice: Choice) -> bool:
    return any(map(may_begin_with_gap, choice.options))


def needs_of(parts: tuple[Part, ...]) -> Iterator[frozenset[Word]]:
    """For every part that must match and is made of words: those words."""
    for part in parts:
        if isinstance(part, Word):
            yield frozenset({part})
        elif isinstance(part, Choice) and (need := _need_of(part)):
            yield need


@functools.lru_cache(maxsize=4096)
def _need_of(choice: Choice) -> frozenset[Word] | None:
    """One of these words stands in whatever the choice matches; None where that may be anything."""
    needs = [] if choice.optional else [next(needs_of(option), None) for option in choice.options]
    return None if None in needs else frozenset().union(*(need for need in needs if need))


def words_in(parts: tuple[Part, ...]) -> Iterator[Word]:
    """The words of parts; a set that stands in many phrases is gone through once."""
    for part in parts:
        if isinstance(part, Word):
            yield part
        elif isinstance(part, Choice):
            yield from _words_of(part)


@functools.lru_cache(maxsize=4096)
def _words_of(choice: Choice) -> tuple[Word, ...]:
    return tuple(dict.fromkeys(word for option in choice.options for word in words_in(option)))


def kinds_in(parts: tuple[Part, ...]) -> Iterator[str]:
    """The kinds of quantity that parts ask for."""
    for part in parts:
        if isinstance(part, Capture):
            yield part.kind
        elif isinstance(part, Choice):
            yield from _kinds_of(part)


@functools.lru_cache(maxsize=4096)
def _kinds_of(choice: Choice) -> tuple[str, ...]:
    return tuple(dict.fromkeys(kind for option in choice.options for kind in kinds_in(option)))


def lengths_of(parts: tuple[Part, ...], quantity: int) -> tuple[int, int]:
    """The fewest and the most places that a match takes, where a quantity takes from one to `quantity`."""
    least = most = 0
    for part in parts:
        low, high = _lengths_of(part, quantity)
        least, most = least + low, most + high
    return least, most


@functools.lru_cache(maxsize=8192)
def _lengths_of(part: Part, quantity: int) -> tuple[int, int]:
    if isinstance(part, Word):
        return 1, 1
    if isinstance(part, Gap):
        return 0, part.limit
    if isinstance(part, Capture):
        return 1, quantity
    if isinstance(part, Choice):
        lengths = [lengths_of(option, quantity) for option in part.options]
        low = 0 if part.optional else min(low for low, _ in lengths)
        return low, max(high for _, high in lengths)
    return 0, 0
