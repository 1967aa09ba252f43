from __future__ import annotations

import os
import threading
from pathlib import Path

import apsw
import pytest

from rag.errors import SchemaTooNew, StoreError
from rag.store.connection import WAL_LIMIT_BYTES, Database, _migrations


def test_a_new_file_gets_the_newest_schema_and_opening_again_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a" / "galen.db"
    first = Database(path)
    version = first.read().pragma("user_version")
    schema = first.read().execute("SELECT sql FROM sqlite_schema ORDER BY name").fetchall()
    first.close()
    second = Database(path)
    assert version == second.read().pragma("user_version") == _migrations()[-1][0]
    assert second.read().execute("SELECT sql FROM sqlite_schema ORDER BY name").fetchall() == schema
    second.close()


def test_every_older_schema_migrates_to_the_newest(tmp_path: Path) -> None:
    migrations = _migrations()
    blank = Database(tmp_path / "blank.db")
    newest = blank.read().execute("SELECT sql FROM sqlite_schema ORDER BY name").fetchall()
    blank.close()
    for upto in range(1, len(migrations)):
        path = tmp_path / f"old{upto}.db"
        connection = apsw.Connection(str(path))
        for number, script in migrations[:upto]:
            connection.execute(script)
            connection.execute(f"PRAGMA user_version = {number}")
        connection.close()
        migrated = Database(path)
        assert migrated.read().execute("SELECT sql FROM sqlite_schema ORDER BY name").fetchall() == newest
        migrated.close()


def test_a_file_of_a_newer_galen_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "galen.db"
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE future (x); PRAGMA user_version = 999")
    connection.close()
    with pytest.raises(SchemaTooNew, match=r"schema 999.*newer Galen"):
        Database(path)
    connection = apsw.Connection(str(path))
    assert connection.pragma("user_version") == 999
    connection.close()


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "galen.db"
    path.write_bytes(b"not a database, but long enough to be read as one" * 40)
    with pytest.raises(StoreError, match="not a Galen database"):
        Database(path)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match=r"folder .*file.* uid"):
        Database(tmp_path / "file" / "galen.db")


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(0o555)
    for parent in (tmp_path, *tmp_path.parents):
        if parent.stat().st_uid == os.geteuid():
            parent.chmod(parent.stat().st_mode | 0o055)
    reader, writer = os.pipe()
    child = os.fork()  # root may write anywhere, so the question is asked by another user
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgid(1000)
                os.setuid(1000)
            Database(folder / "galen.db")
        except StoreError as exc:
            os.write(writer, str(exc).encode())
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader) as output:
        assert "cannot be written by uid" in output.read()


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    db = Database(tmp_path / "galen.db")

    def fail_half_way() -> None:
        with db.write() as connection:
            connection.execute("INSERT INTO collections (name) VALUES ('half')")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    assert db.read().execute("SELECT count(*) FROM collections").fetchone() == (0,)
    db.close()


def test_the_wal_stays_bounded_while_readers_come_and_go(tmp_path: Path) -> None:
    db = Database(tmp_path / "galen.db")
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            db.read().execute("SELECT count(*), sum(length(body)) FROM answer_receipts").fetchall()

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    body = '{"x": "' + "y" * 20_000 + '"}'
    for number in range(2_000):
        with db.write() as connection:
            connection.execute(
                "INSERT INTO answer_receipts (id, created_at, status, body) VALUES (?, '', 'card', ?)",
                (str(number), body),
            )
    stop.set()
    for reader in readers:
        reader.join()
    assert db.wal_bytes() <= 2 * WAL_LIMIT_BYTES
    db.checkpoint()
    assert db.wal_bytes() == 0
    db.close()


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    db = Database(tmp_path / "galen.db")
    with pytest.raises(apsw.ReadOnlyError):
        db.read().execute("INSERT INTO collections (name) VALUES ('x')")
    db.close()
