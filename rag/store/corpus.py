"""Reads the corpus: collections, versions, sources, chunks. Writing it is `staging.py`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rag.errors import CorpusMissing
from rag.protocols import FloatMatrix
from rag.store.connection import Database, ingest_lock
from rag.types import Chunk

__all__ = ["STAGED", "Corpus", "Source", "Version", "visible"]

STAGED = 1 << 40
"""`added_in` of rows that no generation has published yet: above every generation, hence invisible."""

_CHUNK_COLUMNS = """
    c.id, c.chunk_id, d.doc_id, d.source, d.title, c.heading, c.text, d.organization, d.url, d.version_date, d.lang,
    d.topic, d.licence, d.jurisdiction, d.doc_type, d.hierarchy_rank, d.effective_from, c.content_hash, c.ordinal,
    d.date_seen
"""


def visible(alias: str) -> str:
    """SQL that keeps the rows of generation `:generation`."""
    return f"{alias}.added_in <= :generation AND ({alias}.removed_in IS NULL OR {alias}.removed_in > :generation)"


@dataclass(frozen=True, kw_only=True)
class Version:
    """A published version. `models` are the embedding models whose vectors are complete for it."""

    collection: str
    generation: int
    corpus_version: str
    published_at: str
    documents: int
    chunks: int
    active: bool
    models: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Source:
    """A named source within the active version; `staged` counts documents of an unfinished ingest."""

    collection: str
    name: str
    documents: int
    staged: int


def _chunk(row: Sequence[object]) -> Chunk:
    names = (
        "id",
        "chunk_id",
        "doc_id",
        "source",
        "title",
        "heading",
        "text",
        "organization",
        "url",
        "version_date",
        "lang",
        "topic",
        "licence",
        "jurisdiction",
        "doc_type",
        "hierarchy_rank",
        "effective_from",
        "content_hash",
        "ordinal",
        "date_seen",
    )
    return Chunk(**dict(zip(names, row, strict=True)))  # type: ignore[arg-type]


class Corpus:
    def __init__(self, db: Database) -> None:
        self._db = db

    def collections(self) -> tuple[str, ...]:
        """The collections that have a published version, by name."""
        rows = self._db.read().execute("SELECT name FROM collections WHERE active > 0 ORDER BY name").fetchall()
        return tuple(str(name) for (name,) in rows)

    def active_generation(self, collection: str) -> int:
        """The generation that answers now. CorpusMissing if nothing is published."""
        row = self._db.read().execute("SELECT active FROM collections WHERE name = ?", (collection,)).fetchone()
        if row is None or not row[0]:
            raise CorpusMissing(self._unpublished(collection))
        return int(row[0])

    def _unpublished(self, collection: str) -> str:
        known = ", ".join(self.collections()) or "none"
        return f"No collection {collection!r} is published (published: {known})."

    def versions(self, collection: str | None = None) -> tuple[Version, ...]:
        """All published versions, newest first within a collection."""
        rows = self._db.read().execute(
            """
            SELECT m.collection, m.generation, m.corpus_version, m.published_at, m.documents, m.chunks,
                   m.generation = k.active,
                   (SELECT group_concat(v.model_id, char(10)) FROM vector_sets v
                    WHERE v.collection = m.collection AND v.generation = m.generation)
            FROM corpus_manifest m JOIN collections k ON k.name = m.collection
            WHERE :collection IS NULL OR m.collection = :collection
            ORDER BY m.collection, m.generation DESC
            """,
            {"collection": collection},
        )
        return tuple(
            Version(
                collection=c,
                generation=g,
                corpus_version=v,
                published_at=at,
                documents=docs,
                chunks=chunks,
                active=bool(active),
                models=tuple(models.split("\n")) if models else (),
            )
            for c, g, v, at, docs, chunks, active, models in rows.fetchall()
        )

    def version(self, collection: str, corpus_version: str | None = None) -> Version:
        """The named version, or the active one. CorpusMissing names what there is."""
        versions = self.versions(collection)
        for version in versions:
            if version.corpus_version == corpus_version or (corpus_version is None and version.active):
                return version
        if not versions:
            raise CorpusMissing(self._unpublished(collection))
        known = ", ".join(v.corpus_version for v in versions)
        raise CorpusMissing(f"Collection {collection!r} has no version {corpus_version!r} (kept: {known}).")

    def activate(self, collection: str, corpus_version: str) -> Version:
        """Makes a kept version the one that answers; the others stay.

        StoreBusy while an ingest runs: what it publishes builds on the version that was active when it began, and
        would undo this.
        """
        with ingest_lock(self._db.path):
            version = self.version(collection, corpus_version)
            with self._db.write() as connection:
                connection.execute("UPDATE collections SET active = ? WHERE name = ?", (version.generation, collection))
            return self.version(collection, corpus_version)

    def sources(self, collection: str | None = None) -> tuple[Source, ...]:
        rows = self._db.read().execute(
            """
            SELECT d.collection, d.source,
                   sum(d.added_in <= k.active AND (d.removed_in IS NULL OR d.removed_in > k.active)) AS live,
                   sum(d.added_in = :staged) AS staged
            FROM documents d JOIN collections k ON k.name = d.collection
            WHERE :collection IS NULL OR d.collection = :collection
            GROUP BY d.collection, d.source HAVING live > 0 OR staged > 0
            ORDER BY d.collection, d.source
            """,
            {"collection": collection, "staged": STAGED},
        )
        return tuple(Source(collection=c, name=s, documents=n, staged=w) for c, s, n, w in rows.fetchall())

    def chunks(self, ids: Iterable[int]) -> dict[int, Chunk]:
        """Chunks by integer key; keys that do not exist are left out."""
        rows = self._db.read().execute(
            f"""
            SELECT {_CHUNK_COLUMNS} FROM chunks c JOIN documents d ON d.id = c.document
            WHERE c.id IN (SELECT value FROM json_each(?))
            """,
            (json.dumps([int(key) for key in ids]),),
        )
        return {chunk.id: chunk for chunk in map(_chunk, rows.fetchall())}

    def chunk(self, chunk_id: str, corpus_version: str | None = None) -> tuple[Chunk, str]:
        """The passage that a marker opens, and the corpus version it was read in.

        Without a version: the newest row of that id in any collection, removed ones included, because a receipt
        must open its archived text after the document is gone. CorpusMissing when there is none.
        """
        rows = self._db.read().execute(
            f"""
            SELECT m.corpus_version, {_CHUNK_COLUMNS}
            FROM chunks c
            JOIN documents d ON d.id = c.document
            JOIN corpus_manifest m ON m.collection = c.collection
             AND c.added_in <= m.generation AND (c.removed_in IS NULL OR c.removed_in > m.generation)
            WHERE c.chunk_id = :chunk_id AND (:version IS NULL OR m.corpus_version = :version)
            ORDER BY m.generation DESC, c.collection LIMIT 1
            """,
            {"chunk_id": chunk_id, "version": corpus_version},
        )
        row = rows.fetchone()
        if row is None:
            where = f" in version {corpus_version!r}" if corpus_version else ""
            raise CorpusMissing(f"No passage {chunk_id!r}{where}.")
        return _chunk(row[1:]), str(row[0])

    def vector(self, key: int, model_id: str) -> FloatMatrix:
        """A chunk's stored vector. CorpusMissing if it has none of that model."""
        row = (
            self._db.read()
            .execute("SELECT embedding FROM chunk_vectors WHERE chunk = ? AND model_id = ?", (key, model_id))
            .fetchone()
        )
        if row is None:
            raise CorpusMissing(f"Passage {key} has no vector of {model_id!r}.")
        return np.frombuffer(row[0], "<f4")

    def topics(self, collection: str, generation: int) -> tuple[str, ...]:
        """The topics of a generation, by name; empty ones are left out."""
        rows = self._db.read().execute(
            f"""
            SELECT DISTINCT d.topic FROM documents d
            WHERE d.collection = :collection AND {visible("d")} AND d.topic <> '' ORDER BY d.topic
            """,
            {"collection": collection, "generation": generation},
        )
        return tuple(str(topic) for (topic,) in rows.fetchall())
