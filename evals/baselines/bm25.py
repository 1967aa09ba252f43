"""Keyword search as one gets it: SQLite's own BM25 over title, heading and text as one field, every word by OR."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import apsw

from evals.passages import Passages

__all__ = ["Bm25"]


class Bm25:
    """An index of its own in memory, with the Porter stemmer and no bound on what is ranked."""

    def __init__(self, passages: Passages) -> None:
        self._connection = apsw.Connection(":memory:")
        self._connection.execute("CREATE VIRTUAL TABLE passages USING fts5(text, tokenize = 'porter unicode61')")
        with self._connection:
            self._connection.executemany(
                "INSERT INTO passages (rowid, text) VALUES (?, ?)",
                ((c.id, f"{c.title}\n{c.heading}\n{c.text}") for c in passages.chunks),
            )

    def rank(self, text: str, limit: int, allowed: Sequence[int] | None = None) -> list[int]:
        """The best `limit` chunk keys; `allowed` restricts them."""
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", text.casefold())))
        if not words:
            return []
        rows: Any = self._connection.execute(
            "SELECT rowid FROM passages WHERE passages MATCH ? ORDER BY rank, rowid LIMIT ?",
            (words, limit if allowed is None else -1),
        )
        keys: list[int] = [key for (key,) in rows.fetchall()]
        if allowed is None:
            return keys
        permitted = set(allowed)
        return [key for key in keys if key in permitted][:limit]
