"""What one turn sees of a collection: one version, held in memory, the same for both legs.

A turn takes a view once and keeps it; a publish makes the next turn build a new one while running turns finish on
theirs. So no turn mixes two versions.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rag.store.connection import Database
from rag.store.corpus import Corpus, Version, visible
from rag.store.vec0 import SqliteVecIndex, bring_up_to_date
from rag.store.vectors import ResidentIndex, VectorIndex
from rag.types import Filters
from rag.words import words

__all__ = ["IndexKind", "View", "Views"]

IndexKind = Literal["resident", "sqlite-vec"]
"""Where vectors are searched: in memory, or in the file."""


@dataclass(frozen=True, kw_only=True)
class View:
    """One version of a collection. `index` is None while no model's vectors are complete: keyword-only. `model_id` is
    the model whose vectors it searches: a question must be embedded by the same one.

    `keys` are its chunk keys, sorted; `labels` holds a column of codes per filterable field and `codes` their
    meaning; `indexed` counts the passages of all versions in the full-text index; `titles` finds the
    keys of a title's passages by the title's words in order, and `title_words` are all of them.
    """

    version: Version
    model_id: str | None
    keys: NDArray[np.int64]
    index: VectorIndex | None
    indexed: int
    labels: dict[str, NDArray[np.int32]] = field(default_factory=dict)
    codes: dict[str, dict[str | None, int]] = field(default_factory=dict)
    titles: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    title_words: frozenset[str] = frozenset()

    def rows(self, filters: Filters) -> NDArray[np.int64] | None:
        """Positions in `keys` that pass the filters; None when there is nothing to filter."""
        if not filters:
            return None
        keep = np.ones(len(self.keys), dtype=bool)
        for name, wanted in (
            ("lang", filters.languages),
            ("topic", filters.topics),
            ("organization", filters.organizations),
            ("jurisdiction", filters.jurisdictions),
        ):
            if wanted:
                keep &= self._labelled(name, wanted.__contains__)
        if filters.without_types:
            keep &= ~self._labelled("doc_type", filters.without_types.__contains__)
        if (day := filters.as_of) is not None:
            keep &= self._labelled("effective_from", lambda value: value is None or value <= day)
        return np.flatnonzero(keep).astype(np.int64)

    def _labelled(self, name: str, fits: Callable[[str | None], bool]) -> NDArray[np.bool_]:
        return np.isin(self.labels[name], [code for value, code in self.codes[name].items() if fits(value)])


_LABELS = ("lang", "topic", "organization", "jurisdiction", "doc_type", "effective_from")
"""Columns of a document that a search can be restricted by."""


class Views:
    """The current view of every collection. The first of `models` whose vectors are complete for it serves."""

    def __init__(self, db: Database, corpus: Corpus, kind: IndexKind = "resident") -> None:
        self._db, self._corpus, self.kind = db, corpus, kind
        self.models: tuple[str, ...] = ()
        self._views: dict[str, View] = {}
        self._lock = threading.Lock()

    def serving(self, version: Version) -> str | None:
        """The model that answers for a version; None: keyword-only."""
        return next((model for model in self.models if model in version.models), None)

    def get(self, collection: str) -> View:
        """The view of what is published now; built when it changed. Blocking: 24,000 passages take about 0.2 s.

        CorpusMissing when nothing is published.
        """
        view = self._views.get(collection)
        if view is not None and self._fresh(view):
            return view
        with self._lock:
            view = self._views.get(collection)
            if view is None or not self._fresh(view):
                view = self._views[collection] = self._build(collection)
            return view

    def _fresh(self, view: View) -> bool:
        rows = self._db.read().execute(
            """
            SELECT k.active, v.model_id FROM collections k
            LEFT JOIN vector_sets v ON v.collection = k.name AND v.generation = k.active
            WHERE k.name = ?
            """,
            (view.version.collection,),
        ).fetchall()  # fmt: skip
        complete = {model for _, model in rows}
        serving = next((model for model in self.models if model in complete), None)
        return {active for active, _ in rows} == {view.version.generation} and serving == view.model_id

    def _build(self, collection: str) -> View:
        with self._db.snapshot() as connection:
            version = self._corpus.version(collection)
            model = self.serving(version)
            names = {"collection": collection, "generation": version.generation, "model": model}
            rows = connection.execute(
                f"""
                SELECT c.id, {", ".join(f"d.{label}" for label in _LABELS)}, d.title
                FROM chunks c JOIN documents d ON d.id = c.document
                WHERE c.collection = :collection AND {visible("c")} ORDER BY c.id
                """,
                names,
            ).fetchall()
            (indexed,) = connection.execute("SELECT count(*) FROM chunks").fetchone()
            keys = np.fromiter((row[0] for row in rows), np.int64, len(rows))
            index: VectorIndex | None = None
            if model is not None and rows and self.kind == "resident":
                blobs = connection.execute(
                    f"""
                    SELECT v.embedding FROM chunks c JOIN chunk_vectors v ON v.chunk = c.id AND v.model_id = :model
                    WHERE c.collection = :collection AND {visible("c")} ORDER BY c.id
                    """,
                    names,
                ).fetchall()
                index = ResidentIndex(keys, _matrix(blobs))
        if model is not None and rows and self.kind == "sqlite-vec":
            bring_up_to_date(self._db, collection, model)  # writes, so not under the snapshot; it only ever adds
            index = SqliteVecIndex(self._db, collection, model, keys)
        labels: dict[str, NDArray[np.int32]] = {}
        codes: dict[str, dict[str | None, int]] = {}
        for column, name in enumerate(_LABELS, start=1):
            codes[name] = {}
            labels[name] = np.fromiter(
                (codes[name].setdefault(row[column], len(codes[name])) for row in rows), np.int32, len(rows)
            )
        named = {title: " ".join(words(title)) for title in {row[-1] for row in rows}}
        titles: dict[str, list[int]] = {}
        for row in rows:
            titles.setdefault(named[row[-1]], []).append(row[0])
        return View(
            version=version, model_id=model, keys=keys, index=index, indexed=indexed, labels=labels,
            codes=codes, titles={title: tuple(found) for title, found in titles.items()},
            title_words=frozenset(word for title in titles for word in title.split()),
        )  # fmt: skip


def _matrix(blobs: list[tuple[bytes]]) -> NDArray[np.float32]:
    flat = np.frombuffer(b"".join(blob for (blob,) in blobs), dtype="<f4")
    return np.ascontiguousarray(flat.reshape(len(blobs), -1), dtype=np.float32)
