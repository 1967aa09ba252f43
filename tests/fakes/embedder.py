"""An embedder without a model: fast, deterministic, and near enough to meaning for tests of what uses one."""

from __future__ import annotations

import hashlib
import string
import unicodedata
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from rag.errors import ProviderRejected
from rag.protocols import EmbedderInfo, EmbedKind, FloatMatrix
from rag.providers.e5_tokenizer import clean

__all__ = ["HashEmbedder"]

_PUNCTUATION = string.punctuation + "¿¡«»“”‘’。，、！？；：（）·…।॥؟،؛"
_TRIGRAM_WEIGHT = 0.3
_PREFIX_WEIGHT = 0.3


class HashEmbedder:
    """Hashed bags of words and of three-character pieces (Weinberger et al. 2009, arXiv:0902.2206).

    Texts that share words are more similar than texts that share none; languages are not bridged. Case,
    punctuation, compatibility forms and the order of words do not matter. The same text has the same vector
    in every process.
    """

    def __init__(self, dimensions: int = 256, *, model_id: str = "hash@1") -> None:
        """Below about 64 `dimensions` unrelated words collide. Another `model_id` plays another model."""
        self._info = EmbedderInfo(
            model_id=model_id,
            dimensions=dimensions,
            weights_sha256=hashlib.sha256(model_id.encode()).hexdigest(),
            query_prefix="query: ",
            passage_prefix="passage: ",
            engine="hash",
            max_tokens=512,
        )
        self._closed = False

    @property
    def info(self) -> EmbedderInfo:
        return self._info

    def embed(self, texts: Sequence[str], kind: EmbedKind) -> FloatMatrix:
        if self._closed:
            raise ProviderRejected("The embedder is closed.")
        matrix = np.zeros((len(texts), self._info.dimensions), np.float32)
        for row, text in zip(matrix, texts, strict=True):
            self._add(row, f"<{kind}>", _PREFIX_WEIGHT)
            for word in _words(clean(text)):
                self._add(row, word, 1.0)
                for trigram in _trigrams(word):
                    self._add(row, trigram, _TRIGRAM_WEIGHT)
            row /= np.linalg.norm(row)
        return matrix

    def count_tokens(self, text: str) -> int:
        """One token a word."""
        return sum(1 for _ in _words(clean(text, limit=None)))

    def close(self) -> None:
        self._closed = True

    def _add(self, row: NDArray[np.float32], feature: str, weight: float) -> None:
        digest = hashlib.blake2b(feature.encode(), digest_size=8).digest()
        sign = 1 if digest[0] & 1 else -1  # so that collisions cancel rather than add up
        row[int.from_bytes(digest[1:]) % len(row)] += sign * weight


def _words(text: str) -> Iterator[str]:
    for word in unicodedata.normalize("NFKC", text).casefold().split():
        if stripped := word.strip(_PUNCTUATION):
            yield stripped


def _trigrams(word: str) -> Iterator[str]:
    """Pieces of the word with its edges marked, which also makes texts without spaces comparable."""
    marked = f"<{word}>"
    return (marked[start : start + 3] for start in range(len(marked) - 2))
