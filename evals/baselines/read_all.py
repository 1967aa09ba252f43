"""The design that many start with: read every vector BLOB per query, rank every word by OR, fuse with equal weights."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from rag.fusion import reciprocal_rank_fusion
from rag.protocols import FloatMatrix

__all__ = ["ReadAll"]

POOL = 50


class ReadAll:
    def __init__(self, path: Path, collection: str, model_id: str) -> None:
        self._connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        self._connection.execute("PRAGMA mmap_size = 268435456").fetchall()
        self._names = {"collection": collection, "model": model_id}

    def close(self) -> None:
        self._connection.close()

    def search(self, text: str, vector: FloatMatrix, limit: int) -> list[int]:
        """The best `limit` chunk keys."""
        rows: list[Any] = self._connection.execute(
            """
            SELECT v.chunk, v.embedding FROM chunk_vectors v JOIN chunks c ON c.id = v.chunk
            WHERE c.collection = :collection AND v.model_id = :model AND c.removed_in IS NULL
            """,
            self._names,
        ).fetchall()
        keys = np.array([key for key, _ in rows])
        matrix = np.frombuffer(b"".join(blob for _, blob in rows), "<f4").reshape(len(rows), -1)
        cosine = matrix @ vector
        best = np.argpartition(-cosine, min(POOL, len(cosine) - 1))[:POOL]
        dense = keys[best[np.argsort(-cosine[best])]].tolist()
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", text))
        keyword = [
            row
            for (row,) in self._connection.execute(
                "SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ? ORDER BY rank LIMIT ?", (words, POOL)
            )
        ]
        fused = reciprocal_rank_fusion({"d": dense, "k": keyword}, {"d": 1.0, "k": 1.0}, 60)
        chosen = sorted(fused, key=lambda key: -fused[key])[:limit]
        marks = ",".join("?" * len(chosen))
        self._connection.execute(f"SELECT text FROM chunks WHERE id IN ({marks})", chosen).fetchall()
        return chosen
