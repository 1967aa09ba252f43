"""Remembers ingest jobs, so that a serving process can take up one that a kill interrupted."""

from __future__ import annotations

import datetime
import json
import secrets
from dataclasses import dataclass
from typing import Any

from rag.store.connection import Database

__all__ = ["Job", "Jobs"]


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, kw_only=True)
class Job:
    """`request` holds what is needed to run it again; `report` what came of it."""

    id: str
    kind: str
    collection: str
    source: str
    state: str
    request: dict[str, Any]
    report: dict[str, Any] | None
    started_at: str
    finished_at: str | None


class Jobs:
    def __init__(self, db: Database) -> None:
        self._db = db

    def start(self, kind: str, collection: str, source: str, request: dict[str, Any]) -> str:
        """Records a running job and returns its id; an interrupted one of the same source is superseded."""
        job_id = secrets.token_hex(8)
        with self._db.write() as connection:
            connection.execute(
                """
                UPDATE jobs SET state = 'cancelled', finished_at = ?
                WHERE state = 'running' AND kind = ? AND collection = ? AND source = ?
                """,
                (_now(), kind, collection, source),
            )
            connection.execute(
                """
                INSERT INTO jobs (id, kind, collection, source, state, request, started_at)
                VALUES (?, ?, ?, ?, 'running', ?, ?)
                """,
                (job_id, kind, collection, source, json.dumps(request), _now()),
            )
        return job_id

    def finish(self, job_id: str, state: str, report: dict[str, Any]) -> None:
        """Ends a job as "done", "failed" or "cancelled"."""
        with self._db.write() as connection:
            connection.execute(
                "UPDATE jobs SET state = ?, report = ?, finished_at = ? WHERE id = ?",
                (state, json.dumps(report), _now(), job_id),
            )

    def settle(self, collection: str, source: str) -> None:
        """Ends jobs of a source that a kill left open after their work was done."""
        with self._db.write() as connection:
            connection.execute(
                """
                UPDATE jobs SET state = 'done', finished_at = ?
                WHERE state = 'running' AND collection = ? AND source = ?
                """,
                (_now(), collection, source),
            )

    def list(self, state: str | None = None) -> tuple[Job, ...]:
        """Jobs, newest first."""
        rows = self._db.read().execute(
            """
            SELECT id, kind, collection, source, state, request, report, started_at, finished_at FROM jobs
            WHERE :state IS NULL OR state = :state ORDER BY started_at DESC, id
            """,
            {"state": state},
        )
        return tuple(
            Job(
                id=i,
                kind=k,
                collection=c,
                source=s,
                state=st,
                request=json.loads(rq),
                report=json.loads(rp) if rp else None,
                started_at=at,
                finished_at=end,
            )
            for i, k, c, s, st, rq, rp, at, end in rows.fetchall()
        )
