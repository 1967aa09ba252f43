from __future__ import annotations

import os
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from rag.errors import SchemaTooNew, StoreBusy, StoreError
from rag.store import DatabaseError, Store
from rag.store.connection import WAL_LIMIT_BYTES, Database, _migrations, ingest_lock


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


def test_passages_of_every_older_schema_open_without_what_was_not_stored_then(tmp_path: Path) -> None:
    migrations = _migrations()
    for upto in range(2, len(migrations) + 1):
        path = tmp_path / f"old{upto}.db"
        connection = apsw.Connection(str(path))
        for number, script in migrations[:upto]:
            connection.execute(script)
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute(OLD_ROWS)
        connection.close()
        store = Store(path, None)
        chunk, version = store.corpus.chunk("gout:1")
        assert (chunk.title, chunk.text, chunk.date_seen, version) == ("Gout", "Gout hurts.", None, "v1")
        store.close()


OLD_ROWS = """
    INSERT INTO collections VALUES ('health', 1);
    INSERT INTO corpus_manifest VALUES ('health', 1, 'v1', '2026-11-30T00:00:00+00:00', 1, 1);
    INSERT INTO documents (id, collection, source, doc_id, added_in, content_hash, identity_hash, hierarchy_rank, lang,
                           topic, title, organization, licence)
    VALUES (1, 'health', 'test', 'gout', 1, 'c', 'i', 5, 'en', '', 'Gout', 'Test Institute', 'CC0 1.0');
    INSERT INTO chunks VALUES (1, 1, 'health', 1, NULL, 0, 3, 'gout:1', 'h', '', 'Gout hurts.');
"""


def test_a_file_of_a_newer_galen_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "galen.db"
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE collections (x); PRAGMA user_version = 999")
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


@pytest.mark.parametrize("version", [0, 1, 999])
def test_a_database_of_another_program_is_refused_and_not_touched(tmp_path: Path, version: int) -> None:
    path = tmp_path / "other.db"
    connection = apsw.Connection(str(path))
    connection.execute(f"CREATE TABLE bookmarks (x); PRAGMA user_version = {version}")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="is not a Galen database: choose another DB_PATH"):
        Database(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["other.db"]


def test_a_folder_or_a_device_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"is a folder: set DB_PATH to a file\."):
        Database(tmp_path)
    with pytest.raises(StoreError, match=r"/dev/null is no regular file: set DB_PATH to a file\."):
        Database("/dev/null")


@pytest.mark.parametrize("length", [50, 100, 5_000, 40_000])
def test_a_truncated_file_is_refused_with_a_sentence(tmp_path: Path, length: int) -> None:
    path = tmp_path / "galen.db"
    Database(path).close()
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(StoreError, match=r"is damaged .*: restore a copy"):
        Database(path)


INSERT = "INSERT INTO answer_receipts (id, created_at, status, body) VALUES (?, '', 'card', json_quote(?))"


def test_a_full_database_is_told_and_what_was_there_stays(tmp_path: Path) -> None:
    db = Database(tmp_path / "galen.db")
    (pages,) = db._writer.execute("PRAGMA page_count").fetchone()
    db._writer.execute(f"PRAGMA max_page_count = {pages + 5}").fetchall()

    def write(name: str, size: int) -> None:
        with db.write(durable=True) as connection:
            connection.execute(INSERT, (name, "y" * size))

    with pytest.raises(StoreError, match=r"The disk of .*galen\.db is full: free space; nothing was changed\."):
        write("big", 500_000)
    write("small", 10)
    assert db.read().execute("SELECT id FROM answer_receipts").fetchall() == [("small",)]
    db.close()


@contextmanager
def files_stay_below(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_disk_that_cannot_be_written_is_told_and_no_checkpoint_or_close_fails_on_it(tmp_path: Path) -> None:
    path = tmp_path / "galen.db"
    db = Database(path)
    db.checkpoint()
    with db.write() as connection:
        connection.execute(INSERT, ("before", "y" * 300_000))

    def write() -> None:
        with db.write() as connection:
            connection.execute(INSERT, ("after", "y" * 300_000))

    with files_stay_below(path.stat().st_size):
        with pytest.raises(StoreError, match=r"The disk of .* cannot be written .*free space; nothing was changed\."):
            write()
        with pytest.raises(apsw.IOError):
            db._writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        db.checkpoint()
        db.close()
    again = Database(path)
    assert again.read().execute("SELECT id FROM answer_receipts").fetchall() == [("before",)]
    again.close()


def test_rows_that_break_a_rule_are_a_store_error(tmp_path: Path) -> None:
    db = Database(tmp_path / "galen.db")

    def write() -> None:
        with db.write() as connection:
            connection.execute("INSERT INTO collections (name) VALUES ('x'), ('x')")

    with pytest.raises(StoreError, match=r"does not accept the rows \(UNIQUE constraint failed: collections\.name\)"):
        write()
    db.close()
    with pytest.raises(StoreError, match="closed"):
        write()


def test_what_a_read_raises_can_be_caught_by_name(tmp_path: Path) -> None:
    db = Database(tmp_path / "galen.db")
    with pytest.raises(DatabaseError):
        db.read().execute("SELECT * FROM nowhere")
    with pytest.raises(DatabaseError, match="nowhere"), db.snapshot() as connection:
        connection.execute("SELECT * FROM nowhere")
    db.close()


def test_damage_that_was_not_met_yet_is_found_and_the_file_named(tmp_path: Path) -> None:
    path = tmp_path / "galen.db"
    db = Database(path)
    db.refuse_damage()
    (page,) = db.read().execute("SELECT rootpage FROM sqlite_schema WHERE name = 'jobs'").fetchone()
    db.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xff" * 4096)
    db = Database(path)
    with pytest.raises(StoreError, match=r"^\S+/galen\.db is damaged \(.*\): restore a copy, or set DB_PATH to a new"):
        db.refuse_damage()
    db.close()


def test_a_lock_file_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / "galen.db.ingest.lock").mkdir()
    with pytest.raises(StoreError, match=r"lock file .*galen\.db\.ingest\.lock"), ingest_lock(tmp_path / "galen.db"):
        pass
    with ingest_lock(tmp_path / "b.db"), pytest.raises(StoreBusy), ingest_lock(tmp_path / "b.db"):
        pass
