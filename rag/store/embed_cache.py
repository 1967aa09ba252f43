"""Query vectors by keyed hash of the query: a guesser without the database's key learns nothing from a hash."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable

import numpy as np

from rag.protocols import FloatMatrix
from rag.store.connection import Database

__all__ = ["EmbedCache"]

CAPACITY = 10_000
"""Rows kept, the oldest go first: 10,000 vectors of 384 dimensions are about 16 MB."""

LIFETIME_S = 24 * 3600


class EmbedCache:
    def __init__(self, db: Database, model_id: str, *, now: Callable[[], float] = time.time) -> None:
        self._db, self._model_id, self._now = db, model_id, now
        self._key = _secret(db, "embed_cache")
        self._puts = 0

    def _hash(self, text: str) -> bytes:
        return hmac.digest(self._key, f"{self._model_id}\n{text}".encode(), hashlib.sha256)

    def get(self, text: str) -> FloatMatrix | None:
        """The query's vector, or None."""
        row = self._db.read().execute(
            "SELECT embedding FROM embed_cache WHERE key = ? AND created_at > ?",
            (self._hash(text), int(self._now()) - LIFETIME_S),
        ).fetchone()  # fmt: skip
        return None if row is None else np.frombuffer(row[0], "<f4")

    def put(self, text: str, vector: FloatMatrix) -> None:
        """Keeps a query's vector; every hundredth call drops what is old or too much."""
        now = int(self._now())
        with self._db.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO embed_cache (key, created_at, embedding) VALUES (?, ?, ?)",
                (self._hash(text), now, np.asarray(vector, "<f4").tobytes()),
            )
            if self._puts % 100 == 0:
                connection.execute("DELETE FROM embed_cache WHERE created_at <= ?", (now - LIFETIME_S,))
                connection.execute(
                    """
                    DELETE FROM embed_cache WHERE key IN
                        (SELECT key FROM embed_cache ORDER BY created_at DESC, key LIMIT -1 OFFSET ?)
                    """,
                    (CAPACITY,),
                )
            self._puts += 1

    def __len__(self) -> int:
        return int(self._db.read().execute("SELECT count(*) FROM embed_cache").fetchone()[0])


def _secret(db: Database, name: str) -> bytes:
    with db.write() as connection:
        connection.execute("INSERT OR IGNORE INTO secrets VALUES (?, ?)", (name, secrets.token_bytes(32)))
        return bytes(connection.execute("SELECT value FROM secrets WHERE name = ?", (name,)).fetchone()[0])
