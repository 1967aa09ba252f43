"""Corrects words that are no English, stand in no passage, and are a letter or two from one of titles and lexicon."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial

from rapidfuzz.distance import OSA
from spellchecker import SpellChecker

from rag.store import View
from rag.text import fold

__all__ = ["Spelling", "Spellings"]

SHORTEST = 5
"""Letters of a word that may be corrected: among shorter ones nearly everything is near."""

TWO_ERRORS_FROM = 8
"""Letters from which a word may differ in two places."""


class Spelling:
    """`words` may be meant; `known` tells whether a word stands in some passage as it is, and needs no correction."""

    def __init__(self, words: Iterable[str], known: Callable[[str], bool]) -> None:
        self._known = known
        self._by_start: dict[str, list[str]] = defaultdict(list)
        for word in sorted({fold(word) for word in words}):
            if len(word) >= SHORTEST and word.isascii() and word.isalpha():
                self._by_start[word[0]].append(word)

    def knows(self, word: str) -> bool:
        """Whether a word is English or stands in some passage."""
        return self._known(fold(word))

    def correct(self, word: str) -> str | None:
        """The word that was meant, or None: for a known word, for one that nothing is near, and between two that are
        equally near. The first letter is taken to be right. Distance: optimal string alignment, so that two letters
        in the wrong order are one error (Damerau 1964)."""
        folded = fold(word)
        if len(folded) < SHORTEST or not (folded.isascii() and folded.isalpha()) or self._known(folded):
            return None
        most = 2 if len(folded) >= TWO_ERRORS_FROM else 1
        near: dict[int, set[str]] = defaultdict(set)
        for other in self._by_start.get(folded[0], ()):
            if abs(len(other) - len(folded)) <= most:
                distance = OSA.distance(folded, other, score_cutoff=most)
                if distance <= most:
                    near[distance].add(other)
        if not near:
            return None
        best = near[min(near)]
        return min(best) if len(best) == 1 or _one_stem(best) else None


def _one_stem(words: set[str]) -> bool:
    """ "migraine" and "migraines": whichever, it is the same word."""
    shortest = min(words, key=len)
    return all(word.startswith(shortest[: max(SHORTEST, len(shortest) - 2)]) for word in words)


class Spellings:
    """The spelling of each collection, made anew when its view changes. `words` may be meant in all of them; `holds`
    tells whether one of so many passages has a word."""

    def __init__(self, words: Iterable[str], holds: Callable[[str, int], bool]) -> None:
        self._words = frozenset(words)
        self._holds = holds
        self._english = SpellChecker(language="en").word_frequency  # 160,000 words with their frequency
        self._made: dict[str, tuple[View, Spelling]] = {}

    def of(self, view: View) -> Spelling:
        view_made, spelling = self._made.get(view.version.collection, (None, None))
        if view_made is not view or spelling is None:
            known = partial(self._known, view.indexed)
            spelling = Spelling(self._words | view.title_words, known)
            self._made[view.version.collection] = (view, spelling)
        return spelling

    def _known(self, rows: int, word: str) -> bool:
        return word in self._english or self._holds(word, rows)
