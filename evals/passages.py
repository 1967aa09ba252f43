"""The passages of a collection as an evaluation needs them: in memory, with their documents, and parts of a view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rag.protocols import FloatMatrix
from rag.store import Store, View
from rag.store.vectors import VectorIndex
from rag.types import Chunk

__all__ = ["Passages", "kept_vectors", "read_passages", "within"]

Keys = NDArray[np.int64]


@dataclass(frozen=True)
class Passages:
    """Chunks in the order of the view's keys."""

    chunks: Sequence[Chunk]

    @cached_property
    def doc_of(self) -> dict[int, str]:
        """{chunk key: doc_id}"""
        return {chunk.id: chunk.doc_id for chunk in self.chunks}

    @cached_property
    def rows_of(self) -> dict[str, list[int]]:
        """{doc_id: positions in the view}"""
        rows: dict[str, list[int]] = {}
        for row, chunk in enumerate(self.chunks):
            rows.setdefault(chunk.doc_id, []).append(row)
        return rows


def read_passages(store: Store, view: View) -> Passages:
    found = store.corpus.chunks(view.keys.tolist())
    return Passages([found[key] for key in view.keys.tolist()])


@dataclass(frozen=True)
class _Part:
    """Some rows of a vector index, as an index of its own."""

    whole: VectorIndex
    part: Keys

    @property
    def keys(self) -> Keys:
        return self.whole.keys[self.part]

    def search(self, query: FloatMatrix, limit: int, rows: Keys | None = None) -> list[tuple[int, float]]:
        return self.whole.search(query, limit, self.part if rows is None else self.part[rows])

    def cosines(self, query: FloatMatrix, keys: Sequence[int]) -> dict[int, float]:
        return self.whole.cosines(query, keys)


def within(view: View, rows: Sequence[int]) -> View:
    """The view as if it held the passages at `rows` only; word frequencies stay those of the whole index."""
    part = np.unique(np.asarray(rows, np.int64))
    return replace(
        view,
        keys=view.keys[part],
        labels={name: column[part] for name, column in view.labels.items()},
        index=None if view.index is None else _Part(view.index, part),
    )


def kept_vectors(
    folder: Path, model: str, texts: Sequence[str], embed: Callable[[Sequence[str]], FloatMatrix], batch: int = 256
) -> FloatMatrix:
    """The vectors of many texts, computed once and kept in `folder` by model and texts."""
    key = sha256("\0".join([model, *texts]).encode()).hexdigest()[:20]
    path = folder / f"vectors-{key}.npy"
    if path.exists():
        kept: FloatMatrix = np.load(path, allow_pickle=False)
        return kept
    made = np.vstack([embed(texts[at : at + batch]) for at in range(0, len(texts), batch)])
    folder.mkdir(parents=True, exist_ok=True)
    np.save(path, made)
    return made
