"""Rules out, for all patterns of a table at once, those that cannot match: a few array operations per text.

A pattern needs some words (and quantities) near one another. For every word a text says in which of its blocks of
`BLOCK` places it stands, one bit of 64 for each block (long texts go round). A pattern is possible where a block, with
as many behind it as the pattern may reach, holds one of each of its needs. What is possible may still not match; what
is not possible never does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from safety.patterns import Pattern, Word, lengths_of

__all__ = ["BLOCK", "BLOCKS", "QUANTITY", "Able", "Flags", "Numbers", "Prefilter", "numbers", "pack"]

BLOCK = 8
BLOCKS = 64
# Words of a quantity ("38 point 5 degrees Celsius"). A text with a longer one is filtered without its places.
QUANTITY = 24
# How many blocks further a match may reach: patterns are sorted into these classes, the last reaches everywhere.
_REACHES = (0, 1, 2, 4, 8, 16)
_ALL = np.uint64(2**BLOCKS - 1)

Numbers = npt.NDArray[np.int32]
Bits = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]
Value = TypeVar("Value", np.uint64, np.bool_)


def pack(values: Iterable[int]) -> bytes:
    """Whole numbers as bytes: compiled tables hold nothing but plain data."""
    return np.fromiter(values, np.int32).tobytes()


def numbers(packed: bytes) -> Numbers:
    return np.frombuffer(packed, np.int32)


class _Lists:
    """Lists of whole numbers end to end, none of them empty."""

    __slots__ = ("_flat", "_starts")

    def __init__(self, lists: Iterable[Iterable[int]]) -> None:
        kept = [list(each) for each in lists]
        self._flat = pack(chain.from_iterable(kept))
        self._starts = pack(np.cumsum([0, *map(len, kept)])[:-1].tolist())

    def any(self, values: npt.NDArray[Value]) -> npt.NDArray[Value]:
        """The `or` of the values that each list names."""
        found: npt.NDArray[Value] = np.bitwise_or.reduceat(values[numbers(self._flat)], numbers(self._starts))
        return found

    def all(self, values: npt.NDArray[Value]) -> npt.NDArray[Value]:
        """The `and` of the values that each list names."""
        found: npt.NDArray[Value] = np.bitwise_and.reduceat(values[numbers(self._flat)], numbers(self._starts))
        return found

    def __bool__(self) -> bool:
        return bool(self._starts)


class Prefilter:
    """The needs of some patterns. `kinds` numbers the kinds of quantity."""

    def __init__(self, patterns: Sequence[Pattern], kinds: Mapping[str, int]) -> None:
        needs: dict[frozenset[Word | str], int] = {}
        classes: dict[int, list[tuple[int, list[int]]]] = defaultdict(list)
        for number, pattern in enumerate(patterns):
            own = [needs.setdefault(need, len(needs)) for need in dict.fromkeys(pattern.needs())]
            if own:
                _, most = lengths_of(pattern.parts, QUANTITY)
                further = -(-(most - 1) // BLOCK)
                classes[next((reach for reach in _REACHES if reach >= further), BLOCKS)].append((number, own))
        self._size = len(patterns)
        self._needs = _Lists(
            [each.number if isinstance(each, Word) else kinds[each] for each in need] for need in needs
        )
        self._classes = [
            (reach, pack(number for number, _ in members), _Lists(own for _, own in members))
            for reach, members in sorted(classes.items())
        ]

    def possible(self, blocks: Bits, *, anywhere: bool = False) -> Flags:
        """Which patterns may match where words stand in these blocks; `anywhere`: however far apart."""
        flags = np.ones(self._size, np.bool_)
        if not self._needs:
            return flags
        near = self._needs.any(blocks)
        if anywhere:
            near = np.where(near != 0, _ALL, near)
        at = 0
        for reach, members, needs in self._classes:
            if reach == BLOCKS:
                near = np.where(near != 0, _ALL, near)
            for further in _REACHES[1:]:
                if at < further <= reach < BLOCKS:
                    near = near | _turned(near, further - at)
                    at = further
            flags[numbers(members)] = needs.all(near) != 0
        return flags


def _turned(bits: Bits, by: int) -> Bits:
    """Every block's bit moved `by` blocks down, round the end."""
    return (bits >> np.uint64(by)) | (bits << np.uint64(BLOCKS - by))


class Able:
    """Which rules have all their parts in a set of patterns. `groups` are those of each rule, in patterns' numbers."""

    def __init__(self, rules: Iterable[Sequence[Iterable[int]]]) -> None:
        rules = list(rules)
        sizes = iter(range(sum(map(len, rules))))
        self._groups = _Lists(group for groups in rules for group in groups)
        self._rules = _Lists([next(sizes) for _ in groups] for groups in rules)

    def of(self, possible: Flags) -> list[int]:
        """The numbers of the rules, in order."""
        able: list[int] = np.flatnonzero(self._rules.all(self._groups.any(possible))).tolist()
        return able
