"""The vector leg: what an index promises, and the one that holds all vectors in memory (`vec0.py` has the other)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rag.errors import EmbedderMismatch
from rag.protocols import FloatMatrix

__all__ = ["ResidentIndex", "VectorIndex", "require_same_length"]


class VectorIndex(Protocol):
    """Cosine search over the vectors of one version and one model."""

    @property
    def keys(self) -> NDArray[np.int64]:
        """The chunk keys, sorted."""
        ...

    def search(self, query: FloatMatrix, limit: int, rows: NDArray[np.int64] | None = None) -> list[tuple[int, float]]:
        """(chunk key, cosine), best first, ties by key. `rows` are positions in `keys` to look at, None all."""
        ...

    def cosines(self, query: FloatMatrix, keys: Sequence[int]) -> dict[int, float]:
        """The cosine of each of `keys` that is in the index."""
        ...


class ResidentIndex:
    """All vectors in memory. Exact; a filter scans only its own rows, which no graph index matches at recall 1.

    `matrix` is (n, d) with unit rows in the order of `keys`. It is kept transposed, one dimension after the other:
    the product then reads memory once, at 0.46 times the time of the row-wise product (24,000 x 384, numpy 2.4 with
    OpenBLAS on one thread, 2026-11-30). EmbedderMismatch if a query has another length.
    """

    def __init__(self, keys: NDArray[np.int64], matrix: FloatMatrix) -> None:
        self._keys, self._columns = keys, np.ascontiguousarray(matrix.T)

    @property
    def keys(self) -> NDArray[np.int64]:
        return self._keys

    def search(self, query: FloatMatrix, limit: int, rows: NDArray[np.int64] | None = None) -> list[tuple[int, float]]:
        require_same_length(query, len(self._columns))
        keys = self._keys if rows is None else self._keys[rows]
        cosine = query @ (self._columns if rows is None else self._columns[:, rows])
        if len(keys) > limit:
            floor = np.partition(cosine, -limit)[-limit]
            best = np.flatnonzero(cosine >= floor)  # all that tie with the last place, so that ties stay by key
            keys, cosine = keys[best], cosine[best]
        order = np.lexsort((keys, -cosine))[:limit]
        return [(int(keys[i]), float(cosine[i])) for i in order]

    def cosines(self, query: FloatMatrix, keys: Sequence[int]) -> dict[int, float]:
        require_same_length(query, len(self._columns))
        wanted = np.asarray(keys, np.int64)
        at = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        there = self._keys[at] == wanted
        return dict(zip(wanted[there].tolist(), (query @ self._columns[:, at[there]]).tolist(), strict=True))


def require_same_length(query: FloatMatrix, dimensions: int) -> None:
    """EmbedderMismatch unless the query has as many dimensions as the stored vectors."""
    if query.shape != (dimensions,):
        raise EmbedderMismatch(f"The query has {query.shape[-1]} dimensions, the stored vectors {dimensions}.")
