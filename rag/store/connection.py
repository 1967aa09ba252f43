"""Opens the SQLite file: one way to prepare a connection, one writer, a reader per thread, numbered migrations."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any, Protocol

import apsw

from rag.errors import SchemaTooNew, StoreBusy, StoreError

__all__ = ["Connection", "Cursor", "Database"]

BUSY_TIMEOUT_MS = 15_000
"""How long a connection waits for another process's write. The longest write transaction seen while publishing
24,000 chunks was below 2 s on two busy cores (2026-11-30)."""

WAL_LIMIT_BYTES = 64 * 1024 * 1024
"""The WAL is cut back to this size after a checkpoint; it never shrinks by itself."""


class Cursor(Protocol):
    """Rows as SQL gives them: only the statement knows their types, so they are Any here."""

    def __iter__(self) -> Iterator[Any]: ...
    def fetchall(self) -> list[Any]: ...
    def fetchone(self) -> Any: ...
    def get_description(self) -> Any: ...


class Connection(Protocol):
    """What the store uses of apsw's connection."""

    def execute(self, statements: str, bindings: Any = None, /) -> Cursor: ...
    def executemany(self, statements: str, sequence: Iterable[Any], /) -> Cursor: ...
    def last_insert_rowid(self) -> int: ...
    def changes(self) -> int: ...
    def fts5_tokenizer(self, name: str, args: list[str] | None = None) -> Any: ...
    def pragma(self, name: str) -> Any: ...
    def close(self) -> None: ...


def _migrations() -> list[tuple[int, str]]:
    folder = resources.files("rag.store") / "migrations"
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    return [(int(f.name.split("_", 1)[0]), f.read_text(encoding="utf-8")) for f in files]


class Database:
    """The whole file. Readers never block and are never blocked; writers queue on a lock, then on SQLite's own.

    Readers are per thread and their cursors are always drained before they return, so no read transaction is left
    open to hold the WAL back.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._probe_folder()
        self._local = threading.local()
        self._readers: list[Connection] = []
        self._lock = threading.Lock()
        self._write_lock = threading.RLock()
        self._closed = False
        try:
            self._writer = self._connect()
            self._migrate()
        except apsw.NotADBError as exc:
            raise StoreError(f"{self.path} is not a Galen database: choose another DB_PATH.") from exc
        except apsw.ReadOnlyError as exc:
            raise StoreError(f"{self.path} cannot be written by uid {os.getuid()}: change its owner.") from exc

    def _probe_folder(self) -> None:
        folder = self.path.parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as exc:
            raise StoreError(
                f"The database's folder {folder} cannot be created by uid {os.getuid()}: "
                f"create it, or set DB_PATH to a place that can be written."
            ) from exc
        if not os.access(folder, os.W_OK | os.X_OK):
            raise StoreError(
                f"The database's folder {folder} cannot be written by uid {os.getuid()}: SQLite keeps its journal "
                f"beside the file. Change the folder's owner, or set DB_PATH to another folder."
            )

    def _connect(self) -> Any:
        connection = apsw.Connection(str(self.path))
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        for pragma in (
            "journal_mode = WAL",
            "synchronous = NORMAL",
            "foreign_keys = ON",
            "recursive_triggers = ON",
            f"journal_size_limit = {WAL_LIMIT_BYTES}",
            "cache_size = -32768",
            "mmap_size = 268435456",
        ):
            connection.execute(f"PRAGMA {pragma}").fetchall()
        return connection

    def _migrate(self) -> None:
        migrations = _migrations()
        newest = migrations[-1][0]
        with self.write() as connection:
            version = int(connection.pragma("user_version"))
            if version > newest:
                raise SchemaTooNew(
                    f"{self.path} has schema {version}, this Galen knows up to {newest}: run a newer Galen on it, "
                    f"or set DB_PATH to another file."
                )
            for number, script in migrations:
                if number > version:
                    connection.execute(script)
                    connection.execute(f"PRAGMA user_version = {number}")

    def read(self) -> Connection:
        """This thread's own reading connection."""
        connection = getattr(self._local, "connection", None)
        if connection is None:
            if self._closed:
                raise StoreError("The database is closed.")
            connection = self._connect()
            connection.execute("PRAGMA query_only = ON").fetchall()
            self._local.connection = connection
            with self._lock:
                self._readers.append(connection)
        return connection  # type: ignore[no-any-return]

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """Several reads that see one moment. Never hold it across an await or a yield."""
        connection = self.read()
        connection.execute("BEGIN")
        try:
            yield connection
        finally:
            connection.execute("ROLLBACK")

    @contextmanager
    def write(self, *, durable: bool = False) -> Iterator[Connection]:
        """One write transaction, committed at the end or rolled back. `durable` waits for the disk (FULL).

        Raises StoreBusy when another process kept the write lock for longer than the busy timeout.
        """
        with self._write_lock:
            connection = self._writer
            if durable:
                connection.execute("PRAGMA synchronous = FULL")
            try:
                try:
                    connection.execute("BEGIN IMMEDIATE")
                except apsw.BusyError as exc:
                    raise StoreBusy(f"Another process has been writing to {self.path} for too long.") from exc
                try:
                    yield connection
                except BaseException:
                    connection.execute("ROLLBACK")
                    raise
                connection.execute("COMMIT")
            finally:
                if durable:
                    connection.execute("PRAGMA synchronous = NORMAL")

    def checkpoint(self) -> None:
        """Moves the WAL into the file and cuts it, as far as no reader stands in the way."""
        with self._write_lock:
            try:
                self._writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            except apsw.BusyError:
                return  # the next checkpoint gets it; the size limit holds meanwhile

    def wal_bytes(self) -> int:
        wal = self.path.with_name(self.path.name + "-wal")
        return wal.stat().st_size if wal.exists() else 0

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self.checkpoint()
        with self._lock:
            for connection in self._readers:
                connection.close()
            self._readers.clear()
        self._writer.close()
