"""Compiled phrases: what a pattern is made of. `notation.py` reads them, `board.py` finds them in a text."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass

from safety.numbers import Quantity

__all__ = ["Capture", "Choice", "Edge", "Gap", "Part", "Pattern", "Row", "Word", "needs_of", "rows_of", "words_in"]


@dataclass(frozen=True, slots=True, eq=False)
class Word:
    """One of several words, a word that begins with one of several stems, or one that holds one of several infixes.

    Each is (letters without accents, accents); with accents "" any are accepted, otherwise the same ones or none at
    all: "bỏng" is found as "bỏng" and "bong", not as "bóng". Compared by identity: one object per table and content.
    """

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
    """Alternatives, each a row of parts. Compared by identity, so that a named set is looked at once per place."""

    options: tuple[tuple[Part, ...], ...]
    optional: bool


Part = Word | Gap | Edge | Capture | Choice


@dataclass(frozen=True, slots=True)
class Row:
    """One way to begin: a phrase without alternatives in its first place.

    `first` is a word or a quantity's kind; of each of `needs` a word must follow in the same sentence.
    """

    first: Word | str
    parts: tuple[Part, ...]
    needs: tuple[frozenset[Word], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """A compiled phrase. `source` is what the table says; a text must hold one word of each of `needs`.

    Compared by identity: patterns are keys of every look-up.
    """

    source: str
    rows: tuple[Row, ...]
    words: frozenset[Word]
    needs: tuple[frozenset[Word], ...] = ()

    def vocabulary(self) -> Iterator[str]:
        """Every whole word it names."""
        yield from (text for word in self.words for text, _ in word.texts)

    def possible(self, words: Set[Word]) -> bool:
        """Whether a text that holds these words can match."""
        for need in self.needs:
            for word in need:
                if word in words:
                    break
            else:
                return False
        return True


def rows_of(parts: tuple[Part, ...]) -> Iterator[Row]:
    """The ways in which parts in a row may begin. Raises `ValueError` where that may be anything, or nothing."""
    for i, part in enumerate(parts):
        if isinstance(part, Edge):
            continue
        if isinstance(part, Word):
            yield Row(part, parts, tuple(needs_of(parts[i + 1 :])))
        elif isinstance(part, Capture):
            yield Row(part.kind, parts, tuple(needs_of(parts[i + 1 :])))
        elif isinstance(part, Choice):
            for option in part.options:
                yield from rows_of((*parts[:i], *option, *parts[i + 1 :]))
            if part.optional:
                yield from rows_of((*parts[:i], *parts[i + 1 :]))
        else:
            raise ValueError("it begins with a gap")
        return
    raise ValueError("it may match nothing")


def needs_of(parts: tuple[Part, ...]) -> Iterator[frozenset[Word]]:
    """For every part that must match and is made of words: those words."""
    for part in parts:
        if isinstance(part, Word):
            yield frozenset({part})
        elif isinstance(part, Choice) and (need := _need_of(part)):
            yield need


@functools.lru_cache(maxsize=4096)  # a named set stands in many phrases
def _need_of(choice: Choice) -> frozenset[Word] | None:
    """One of these words stands in whatever the choice matches; None where that may be anything."""
    needs = [] if choice.optional else [next(needs_of(option), None) for option in choice.options]
    return None if None in needs else frozenset().union(*(need for need in needs if need))


def words_in(parts: tuple[Part, ...]) -> Iterator[Word]:
    for part in parts:
        if isinstance(part, Word):
            yield part
        elif isinstance(part, Choice):
            for option in part.options:
                yield from words_in(option)
