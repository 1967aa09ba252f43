"""Opens the SQLite file: one way to prepare a connection, one writer, a reader per thread, numbered migrations."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import resources
from pathlib import Path
from typing import Any, Protocol

import apsw

from rag.errors import SchemaTooNew, StoreBusy, StoreError

__all__ = ["Connection", "Cursor", "Database", "DatabaseError", "as_store_error", "ingest_lock", "serving_lock"]

DatabaseError = apsw.Error
"""What a read raises when the file fails under it. Opening and writing raise StoreError instead; `as_store_error` makes
one of it."""

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
    def get_autocommit(self) -> bool: ...
    def pragma(self, name: str) -> Any: ...
    def close(self) -> None: ...


def _migrations() -> list[tuple[int, str]]:
    folder = resources.files("rag.store") / "migrations"
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    return [(int(f.name.split("_", 1)[0]), f.read_text(encoding="utf-8")) for f in files]


@contextmanager
def ingest_lock(database: Path) -> Iterator[None]:
    """Whoever changes what a collection answers from holds this: an ingest, or an activation. One at a time on a
    database file, whatever the process; a killed one frees the lock by dying.
    """
    with _lock_beside(database, "ingest", "Another ingest is running on this database: wait until it has finished."):
        yield


@contextmanager
def serving_lock(database: Path) -> Iterator[None]:
    """A serving process holds this as long as it runs: at its start it ends the turns that a crash left open, and
    those of another server are not its own to end. Raises StoreBusy when another one serves this file.
    """
    _make_folder(database.parent)
    busy = (
        f"Another server uses the database {database}: stop it, or set DB_PATH to another file. There is one server "
        f"per database, with one worker process."
    )
    with _lock_beside(database, "server", busy):
        yield


@contextmanager
def _lock_beside(database: Path, name: str, busy: str) -> Iterator[None]:
    """An exclusive lock of the operating system on `DATABASE.name.lock`. A link to a database is the same database."""
    real = database.resolve()
    path = real.with_name(f"{real.name}.{name}.lock")
    try:
        handle = path.open("w", encoding="ascii")
    except OSError as exc:
        raise StoreError(
            f"The lock file {path} cannot be opened by uid {os.getuid()} ({exc.strerror}): change its owner."
        ) from exc
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as exc:
            raise StoreBusy(busy) from exc
        except OSError as exc:
            raise StoreError(f"The file {path} cannot be locked ({exc.strerror}): put it on a local disk.") from exc
        yield


_FAULTS: tuple[tuple[type[apsw.Error] | tuple[type[apsw.Error], ...], str], ...] = (
    (apsw.NotADBError, "{path} is not a Galen database: choose another DB_PATH."),
    (apsw.CorruptError, "{path} is damaged ({exc}): restore a copy, or set DB_PATH to a new file and ingest again."),
    ((apsw.ReadOnlyError, apsw.PermissionsError), "{path} cannot be written by uid {uid}: change its owner."),
    (apsw.CantOpenError, "{path} cannot be opened by uid {uid} ({exc}): change its owner, or DB_PATH."),
    (apsw.FullError, "The disk of {path} is full: free space; nothing was changed."),
    (apsw.IOError, "The disk of {path} cannot be written ({exc}): free space; nothing was changed."),
    (apsw.ConstraintError, "{path} does not accept the rows ({exc}): nothing was changed."),
    (apsw.ConnectionClosedError, "The database is closed."),
    (apsw.Error, "The database {path} failed ({exc}): nothing was changed."),
)


def _make_folder(folder: Path) -> None:
    """Makes sure of a folder that SQLite can work in. StoreError names it and says what to do."""
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


def as_store_error(path: Path, exc: apsw.Error | UnicodeDecodeError) -> StoreError:
    """What SQLite said, as a sentence that names the file and tells what to do. It only stores text that is UTF-8."""
    if isinstance(exc, UnicodeDecodeError):
        exc = apsw.CorruptError(str(exc))
    if isinstance(exc, apsw.BusyError | apsw.LockedError):
        return StoreBusy(f"Another process has been writing to {path} for too long.")
    sentence = next(sentence for kinds, sentence in _FAULTS if isinstance(exc, kinds))
    return StoreError(sentence.format(path=path, exc=exc, uid=os.getuid()))


class Database:
    """The whole file. Readers never block and are never blocked; writers queue on a lock, then on SQLite's own.

    Readers are per thread and their cursors are always drained before they return, so no read transaction is left
    open to hold the WAL back.

    Opening and writing raise StoreError, reading raises DatabaseError when the file itself fails.
    """

    def __init__(self, path: Path | str, *, vec0: bool = False) -> None:
        """`vec0` loads sqlite-vec into every connection; StoreError where that cannot be done."""
        self.path, self._vec0 = Path(path), vec0
        _make_folder(self.path.parent)
        self._probe_file()
        self._local = threading.local()
        self._readers: list[Connection] = []
        self._lock = threading.Lock()
        self._write_lock = threading.RLock()
        self._closed = False
        self._writer = self._connect()
        try:
            self._migrate()
        except BaseException:
            _close(self._writer)
            raise

    def _probe_file(self) -> None:
        """SQLite would take a device for an empty database, and not say what is wrong with a folder."""
        if self.path.exists() and not self.path.is_file():
            kind = "a folder" if self.path.is_dir() else "no regular file"
            raise StoreError(f"{self.path} is {kind}: set DB_PATH to a file.")

    def _connect(self) -> Any:
        connection = None
        try:
            connection = apsw.Connection(str(self.path))
            connection.set_busy_timeout(BUSY_TIMEOUT_MS)
            self._refuse_foreign(connection)
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
            if self._vec0:
                _load_vec0(connection)
        except BaseException as exc:
            if connection is not None:
                _close(connection)
            if isinstance(exc, apsw.Error):
                raise as_store_error(self.path, exc) from exc
            raise
        return connection

    def _refuse_foreign(self, connection: Connection) -> None:
        """Before anything is written, the journal mode included: another program's database stays as it is."""
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        if tables and "collections" not in tables:
            raise StoreError(f"{self.path} is not a Galen database: choose another DB_PATH.")

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
        """This thread's own reading connection. StoreError if it cannot be opened."""
        connection = getattr(self._local, "connection", None)
        if connection is None:
            if self._closed:
                raise StoreError("The database is closed.")
            connection = self._connect()
            connection.execute("PRAGMA query_only = ON").fetchall()  # a flag of the connection: no file is touched
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
            _roll_back(connection)

    @contextmanager
    def write(self, *, durable: bool = False) -> Iterator[Connection]:
        """One write transaction, committed at the end or rolled back. `durable` waits for the disk (FULL).

        Raises StoreBusy when another process kept the write lock for longer than the busy timeout, and StoreError
        when the disk is full, or the file or the rows are at fault; nothing is changed then.
        """
        with self._write_lock:
            connection = self._writer
            try:
                if durable:
                    connection.execute("PRAGMA synchronous = FULL")
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:
                    _roll_back(connection)
                    raise
            except apsw.Error as exc:
                raise as_store_error(self.path, exc) from exc
            finally:
                if durable:
                    with suppress(apsw.Error):
                        connection.execute("PRAGMA synchronous = NORMAL")

    def checkpoint(self) -> None:
        """Moves the WAL into the file and cuts it, as far as no reader stands in the way and the disk has room.

        Never fails: what cannot be moved stays in the WAL, where it is read and kept all the same.
        """
        with self._write_lock, suppress(apsw.Error):
            self._writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def refuse_damage(self) -> None:
        """Reads the whole file; raises StoreError, with its name and the remedy, when it is damaged."""
        try:
            ((first,), *_) = self.read().execute("PRAGMA integrity_check(1)").fetchall()
        except (apsw.Error, UnicodeDecodeError) as exc:
            raise as_store_error(self.path, exc) from exc
        if first != "ok":
            raise as_store_error(self.path, apsw.CorruptError(first.splitlines()[-1]))  # above it: which database

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
                _close(connection)
            self._readers.clear()
        _close(self._writer)


def _load_vec0(connection: apsw.Connection) -> None:
    try:
        import sqlite_vec

        connection.enable_load_extension(True)
        try:
            connection.load_extension(sqlite_vec.loadable_path())
        finally:
            connection.enable_load_extension(False)
    except (ImportError, OSError, AttributeError, apsw.Error) as exc:
        raise StoreError(
            f"VECTOR_INDEX is sqlite-vec, but its extension does not load ({exc}): "
            f"pip install 'sqlite-vec>=0.1.9', or set VECTOR_INDEX=resident."
        ) from exc


def _roll_back(connection: Connection) -> None:
    """Ends the transaction, if there still is one: on a full disk SQLite has rolled back by itself."""
    with suppress(apsw.Error):
        if not connection.get_autocommit():
            connection.execute("ROLLBACK")


def _close(connection: Connection) -> None:
    with suppress(apsw.Error):
        connection.close()
