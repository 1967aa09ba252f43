"""Writes the corpus: rows are staged out of sight, then one transaction publishes them as a new generation.

A kill at any point leaves the active generation untouched; staged rows wait for the next ingest of their source,
which takes up those that are still right and drops the others.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

import numpy as np

from rag.errors import EmbedderMismatch
from rag.protocols import EmbedderInfo, FloatMatrix
from rag.store.connection import Connection, Database
from rag.store.corpus import STAGED, visible
from rag.store.keywords import index_chunk
from rag.store.publication import complete_vectors, publish
from rag.store.rows import KnownDocument, NewChunk, NewDocument, Pending, vector_digest

__all__ = ["Staging"]


class Staging:
    """The next version of one source of one collection, being made. Use it under `ingest_lock`."""

    def __init__(self, db: Database, collection: str, source: str) -> None:
        self._db, self.collection, self.source = db, collection, source
        with db.write() as connection:
            connection.execute("INSERT OR IGNORE INTO collections (name) VALUES (?)", (collection,))
            (self.base,) = connection.execute("SELECT active FROM collections WHERE name = ?", (collection,)).fetchone()

    @property
    def _names(self) -> dict[str, object]:
        return {
            "collection": self.collection,
            "source": self.source,
            "generation": self.base,
            "staged": STAGED,
        }

    # -- what is there --------------------------------------------------------------------------------------------

    def known(self, *, staged: bool = True) -> dict[str, KnownDocument]:
        """The source's documents by doc_id: those of the active version, overlaid by staged ones unless told not to."""
        rows = self._db.read().execute(
            f"""
            SELECT d.doc_id, d.id, d.content_hash, d.added_in = :staged, d.removed_in IS NOT NULL FROM documents d
            WHERE d.collection = :collection AND d.source = :source
              AND ((d.added_in = :staged AND :overlay) OR ({visible("d")}))
            ORDER BY d.added_in
            """,
            {**self._names, "overlay": staged},
        )
        return {
            doc_id: KnownDocument(row=row, content_hash=content_hash, staged=bool(is_staged), lapsed=bool(lapsed))
            for doc_id, row, content_hash, is_staged, lapsed in rows.fetchall()
        }

    def chunk_ids_of_others(self, chunk_ids: Sequence[str]) -> dict[str, str]:
        """Those of `chunk_ids` that another source of the collection uses, with that source's name."""
        rows = self._db.read().execute(
            """
            SELECT c.chunk_id, d.source FROM chunks c JOIN documents d ON d.id = c.document
            WHERE c.collection = ? AND d.source <> ? AND c.removed_in IS NULL
              AND c.chunk_id IN (SELECT value FROM json_each(?))
            """,
            (self.collection, self.source, json.dumps(list(chunk_ids))),
        )
        return dict(rows.fetchall())

    # -- staging --------------------------------------------------------------------------------------------------

    def add(
        self,
        documents: Sequence[tuple[NewDocument, Sequence[NewChunk]]],
        model_id: str | None = None,
        vectors: dict[str, FloatMatrix] | None = None,
    ) -> None:
        """Stages documents with their chunks and, by content hash, the vectors there are. One transaction."""
        with self._db.write() as connection:
            for document, chunks in documents:
                self._drop_staged(connection, document.doc_id)
                row = self._insert_document(connection, document)
                for chunk in chunks:
                    key = self._insert_chunk(connection, row, document.title, chunk)
                    if model_id and vectors and chunk.content_hash in vectors:
                        _insert_vector(connection, key, chunk.content_hash, model_id, vectors[chunk.content_hash])

    def _insert_document(self, connection: Connection, document: NewDocument) -> int:
        values = {
            **asdict(document),
            "collection": self.collection,
            "source": self.source,
            "added_in": STAGED,
        }
        return _insert(connection, "documents", values)

    def _insert_chunk(self, connection: Connection, document: int, title: str, chunk: NewChunk) -> int:
        values = {
            **asdict(chunk),
            "document": document,
            "collection": self.collection,
            "added_in": STAGED,
        }
        key = _insert(connection, "chunks", values)
        index_chunk(connection, key, title, chunk.heading, chunk.text)
        return key

    def _drop_staged(self, connection: Connection, doc_id: str) -> None:
        rows = connection.execute(
            """
            SELECT id FROM documents WHERE collection = :collection AND source = :source AND added_in = :staged
              AND doc_id = :doc_id
            """,
            {**self._names, "doc_id": doc_id},
        ).fetchall()
        for (document,) in rows:
            _delete_document(connection, document)

    def drop_staged(self, doc_ids: Sequence[str]) -> None:
        """Forgets staged documents that the input no longer has."""
        with self._db.write() as connection:
            for doc_id in doc_ids:
                self._drop_staged(connection, doc_id)

    # -- vectors --------------------------------------------------------------------------------------------------

    def register_model(self, info: EmbedderInfo) -> None:
        """Records what the vectors of `info.model_id` are. EmbedderMismatch if the id stands for something else."""
        values = (
            info.model_id, info.dimensions, info.weights_sha256, info.query_prefix, info.passage_prefix,
        )  # fmt: skip
        with self._db.write() as connection:
            known = connection.execute("SELECT * FROM embedding_models WHERE model_id = ?", (info.model_id,)).fetchone()
            if known is None:
                connection.execute("INSERT INTO embedding_models VALUES (?, ?, ?, ?, ?)", values)
            elif tuple(known) != values:
                raise EmbedderMismatch(
                    f"Vectors of {info.model_id!r} in this database were made with other dimensions, weights or "
                    f"prefixes: ingest with the embedder that made them, or into a new database."
                )

    def vectors_by_content(self, content_hashes: Sequence[str], model_id: str) -> dict[str, FloatMatrix]:
        """Vectors that any chunk with the same content already has."""
        rows = self._db.read().execute(
            """
            SELECT c.content_hash, v.embedding FROM chunks c JOIN chunk_vectors v ON v.chunk = c.id
            WHERE v.model_id = ? AND c.content_hash IN (SELECT value FROM json_each(?))
            """,
            (model_id, json.dumps(list(content_hashes))),
        )
        return {content_hash: np.frombuffer(blob, "<f4") for content_hash, blob in rows.fetchall()}

    _PENDING = f"""
        WHERE c.collection = :collection
          AND (({visible("c")}) OR (c.added_in = :staged AND d.source = :source))
          AND NOT EXISTS (SELECT 1 FROM chunk_vectors v WHERE v.chunk = c.id AND v.model_id = :model)
    """

    def pending(self, model_id: str, limit: int) -> tuple[Pending, ...]:
        """Up to `limit` chunks of the version in the making that have no vector of the model."""
        rows = self._db.read().execute(
            f"""
            SELECT c.id, c.content_hash, d.title, c.heading, c.text
            FROM chunks c JOIN documents d ON d.id = c.document
            {self._PENDING}
            ORDER BY c.id LIMIT :limit
            """,
            {**self._names, "model": model_id, "limit": limit},
        )
        return tuple(
            Pending(row=row, content_hash=content_hash, title=title, heading=heading, text=text)
            for row, content_hash, title, heading, text in rows.fetchall()
        )

    def pending_count(self, model_id: str) -> int:
        """How many chunks of the version in the making have no vector of the model."""
        row = self._db.read().execute(
            f"SELECT count(*) FROM chunks c JOIN documents d ON d.id = c.document {self._PENDING}",
            {**self._names, "model": model_id},
        )
        return int(row.fetchone()[0])

    def add_vectors(self, model_id: str, vectors: Sequence[tuple[Pending, FloatMatrix]]) -> None:
        """Stores the vectors of chunks. They stay unseen until the whole version has one each."""
        with self._db.write() as connection:
            for chunk, vector in vectors:
                _insert_vector(connection, chunk.row, chunk.content_hash, model_id, vector)

    def complete_vectors(self, model_id: str) -> bool:
        """Shows the active version's vectors if every chunk has one; False if they were shown already or are not."""
        with self._db.write() as connection:
            return complete_vectors(connection, self.collection, self.base, model_id)

    # -- publishing -----------------------------------------------------------------------------------------------

    def publish(self, removed: Sequence[int], corpus_version: str | None, model_id: str | None) -> str:
        """Makes staged rows visible and `removed` document rows invisible, in one transaction.

        Returns the version's name: `corpus_version`, or today's date with a running number. PermanentError if the
        given name is taken.
        """
        with self._db.write(durable=True) as connection:
            generation, name = publish(connection, self._names, removed, corpus_version, model_id)
        self.base = generation
        self._db.checkpoint()
        return name


def _insert(connection: Connection, table: str, values: Mapping[str, object]) -> int:
    """The key of the new row."""
    connection.execute(
        f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join(':' + name for name in values)})", values
    )
    return connection.last_insert_rowid()


def _insert_vector(connection: Connection, row: int, content: str, model_id: str, vector: FloatMatrix) -> None:
    embedding = np.ascontiguousarray(vector, dtype="<f4").tobytes()
    connection.execute(
        "INSERT OR REPLACE INTO chunk_vectors (chunk, model_id, embedding, digest) VALUES (?, ?, ?, ?)",
        (row, model_id, embedding, vector_digest(content, model_id, embedding)),
    )


def _delete_document(connection: Connection, document: int) -> None:
    chunks = connection.execute("SELECT id FROM chunks WHERE document = ?", (document,)).fetchall()
    for statement in (
        "DELETE FROM chunks_fts WHERE rowid = ?",
        "DELETE FROM chunk_vectors WHERE chunk = ?",
        "DELETE FROM chunks WHERE id = ?",
    ):
        connection.executemany(statement, chunks)
    connection.execute("DELETE FROM documents WHERE id = ?", (document,))
