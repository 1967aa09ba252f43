"""The vector leg for hosts short of memory: vectors stay in the file, in a `vec0` table of sqlite-vec, one per model.

The table is derived from `chunk_vectors` and may be dropped at any time: the next view fills it anew. It holds the
vectors of every published version, because rows of a published version never change; a view picks its own of them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rag.protocols import FloatMatrix
from rag.store.connection import Connection, Database
from rag.store.corpus import STAGED
from rag.store.vectors import require_same_length

__all__ = ["SqliteVecIndex", "bring_up_to_date", "faults", "table_of", "usable"]

MOST_NEIGHBOURS = 4096
"""sqlite-vec gives no more at once."""

SPARE = 32
"""Neighbours asked for beyond the limit: those of other versions are left out, and ties with the last place decided."""

BATCH = 2_000
"""Vectors per transaction while the table is filled, so that other writers never wait long."""


def table_of(model_id: str) -> str:
    """The name of a model's table. Vectors of two models never share one."""
    return f"vec0_{hashlib.sha256(model_id.encode()).hexdigest()[:16]}"


def bring_up_to_date(db: Database, collection: str, model_id: str) -> None:
    """Adds the published vectors that the model's table does not have yet: all of 24,000 in about a second.

    In batches, each a transaction: what a kill leaves undone the next call does.
    """
    table = table_of(model_id)
    with db.write() as connection:
        (dimensions,) = connection.execute(
            "SELECT dimensions FROM embedding_models WHERE model_id = ?", (model_id,)
        ).fetchone()
        connection.execute(
            f"""
            CREATE VIRTUAL TABLE IF NOT EXISTS {table} USING vec0 (
                chunk INTEGER PRIMARY KEY, collection TEXT PARTITION KEY,
                embedding FLOAT[{int(dimensions)}] distance_metric=cosine)
            """
        )
    while _add_some(db, table, collection, model_id):
        pass


def _add_some(db: Database, table: str, collection: str, model_id: str) -> bool:
    with db.write() as connection:
        there = {key for (key,) in connection.execute(f"SELECT chunk FROM {table} WHERE collection = ?", (collection,))}
        published = connection.execute(
            """
            SELECT c.id FROM chunks c JOIN chunk_vectors v ON v.chunk = c.id AND v.model_id = ?
            WHERE c.collection = ? AND c.added_in < ?
            """,
            (model_id, collection, STAGED),
        )
        missing = sorted({key for (key,) in published} - there)[:BATCH]
        if missing:
            connection.execute(
                f"""
                INSERT INTO {table} (chunk, collection, embedding)
                SELECT v.chunk, ?, v.embedding FROM chunk_vectors v
                WHERE v.model_id = ? AND v.chunk IN (SELECT value FROM json_each(?))
                """,
                (collection, model_id, json.dumps(missing)),
            )
    return bool(missing)


class SqliteVecIndex:
    """Cosine search in a model's `vec0` table, over the passages of one version. Exact, as the resident index is.

    Slower than that (docs/performance.md), and holds nothing but the keys in memory. At most 4,096 neighbours.
    EmbedderMismatch if a query has another length.
    """

    def __init__(self, db: Database, collection: str, model_id: str, keys: NDArray[np.int64]) -> None:
        self._db, self._collection, self._model_id, self._keys = db, collection, model_id, keys
        self._table = table_of(model_id)
        (self._dimensions,) = db.read().execute(
            "SELECT dimensions FROM embedding_models WHERE model_id = ?", (model_id,)
        ).fetchone()  # fmt: skip

    @property
    def keys(self) -> NDArray[np.int64]:
        return self._keys

    def search(self, query: FloatMatrix, limit: int, rows: NDArray[np.int64] | None = None) -> list[tuple[int, float]]:
        require_same_length(query, self._dimensions)
        if rows is not None:
            return self._nearest(query, limit, self._keys[rows])
        found = self._nearest(query, limit, None)
        if len(found) < min(limit, len(self._keys)):  # the nearest 4,096 are of other versions: look at ours only
            found = self._nearest(query, limit, self._keys)
        return found

    def _nearest(self, query: FloatMatrix, limit: int, among: NDArray[np.int64] | None) -> list[tuple[int, float]]:
        """Asks for more until the last place is decided: enough of this version, and what ties with it seen."""
        if among is not None and not len(among):
            return []
        listed = None if among is None else json.dumps(among.tolist())
        asked = min(limit + SPARE, MOST_NEIGHBOURS)
        while True:
            rows = self._neighbours(query, asked, listed)
            keys = np.array([key for key, _ in rows], np.int64)
            distances = np.array([distance for _, distance in rows])
            ours = np.isin(keys, self._keys) if among is None else np.ones(len(keys), bool)
            of_ours = distances[ours]
            settled = len(of_ours) > limit and of_ours[limit - 1] < distances[-1]
            if settled or len(rows) < asked or asked == MOST_NEIGHBOURS:
                order = np.lexsort((keys[ours], of_ours))[:limit]
                return [(int(keys[ours][at]), 1.0 - float(of_ours[at])) for at in order]
            asked = min(4 * asked, MOST_NEIGHBOURS)

    def _neighbours(self, query: FloatMatrix, count: int, among: str | None) -> list[tuple[int, float]]:
        """(key, cosine distance), nearest first; `among` is a JSON list of keys."""
        only = "" if among is None else "AND chunk IN (SELECT value FROM json_each(:among))"
        found: list[tuple[int, float]] = self._db.read().execute(
            f"""
            SELECT chunk, distance FROM {self._table}
            WHERE embedding MATCH :query AND k = :count AND collection = :collection {only}
            """,
            {
                "query": np.ascontiguousarray(query, "<f4").tobytes(),
                "count": count,
                "collection": self._collection,
            }
            | ({} if among is None else {"among": among}),
        ).fetchall()  # fmt: skip
        return found

    def cosines(self, query: FloatMatrix, keys: Sequence[int]) -> dict[int, float]:
        require_same_length(query, self._dimensions)
        wanted = np.asarray(keys, np.int64)
        stored = self._db.read().execute(
            """
            SELECT chunk, embedding FROM chunk_vectors
            WHERE model_id = ? AND chunk IN (SELECT value FROM json_each(?))
            """,
            (self._model_id, json.dumps(wanted[np.isin(wanted, self._keys)].tolist())),
        )
        return {key: float(query @ np.frombuffer(blob, "<f4")) for key, blob in stored}


def usable(connection: Connection) -> bool:
    """Whether this connection has sqlite-vec: without it a table is neither read nor of any consequence."""
    return bool(connection.execute("SELECT 1 FROM pragma_module_list WHERE name = 'vec0'").fetchall())


def faults(connection: Connection, model_id: str) -> list[int]:
    """Passages whose vector in the model's table is not the stored one; empty where there is no table."""
    table = table_of(model_id)
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)).fetchone():
        return []
    rows = connection.execute(
        f"""
        SELECT t.chunk FROM {table} t LEFT JOIN chunk_vectors v ON v.chunk = t.chunk AND v.model_id = ?
        WHERE v.embedding IS NOT t.embedding LIMIT 20
        """,
        (model_id,),
    )
    return [int(key) for (key,) in rows.fetchall()]
