"""Keeps receipts: one per turn, written before the turn's terminal event. No one's words are in them."""

from __future__ import annotations

import datetime
import json
from typing import Any

from rag.errors import StoreError
from rag.store.connection import Connection, Database

__all__ = ["Receipts"]


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")


class Receipts:
    def __init__(self, db: Database) -> None:
        self._db = db

    def open(self, turn_id: str, collection: str) -> None:
        """Notes that a turn has begun, so that its id can be asked for from the first event on."""
        with self._db.write() as connection:
            connection.execute("INSERT INTO open_turns VALUES (?, ?, ?)", (turn_id, _now(), collection))

    def close(self, body: dict[str, Any]) -> None:
        """Stores a turn's receipt and ends its open turn, in one durable transaction.

        An interrupted receipt gives way: a server that started while `galen ask` ran this turn wrote it.
        StoreError if the turn has any other receipt.
        """
        with self._db.write(durable=True) as connection:
            self._insert(connection, body)

    def _insert(self, connection: Connection, body: dict[str, Any]) -> None:
        connection.execute(
            """
            INSERT INTO answer_receipts (id, created_at, status, body) VALUES (?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET created_at = excluded.created_at, status = excluded.status,
                                           body = excluded.body
            WHERE answer_receipts.status = 'interrupted'
            """,
            (body["id"], _now(), body["status"], json.dumps(body, ensure_ascii=False)),
        )
        if not connection.changes():
            raise StoreError(f"The turn {body['id']!r} has a receipt already: it stays as it is.")
        connection.execute("DELETE FROM open_turns WHERE id = ?", (body["id"],))

    def get(self, turn_id: str) -> dict[str, Any] | None:
        """The receipt; `{"id", "status": "running"}` while the turn runs; None if there is no such turn."""
        connection = self._db.read()
        row = connection.execute("SELECT body FROM answer_receipts WHERE id = ?", (turn_id,)).fetchone()
        if row is not None:
            body: dict[str, Any] = json.loads(row[0])
            return body
        if connection.execute("SELECT 1 FROM open_turns WHERE id = ?", (turn_id,)).fetchone():
            return {"id": turn_id, "status": "running"}
        return None

    def interrupt_open(self, make: Any) -> int:
        """Turns left open by a crash become interrupted receipts; `make(id, collection)` gives their bodies."""
        with self._db.write() as connection:
            rows = connection.execute("SELECT id, collection FROM open_turns ORDER BY started_at").fetchall()
            for turn_id, collection in rows:
                self._insert(connection, make(turn_id, collection))
        return len(rows)
