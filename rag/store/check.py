"""Proves that rows, full-text index and vectors agree, or names what does not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from rag.errors import StoreBusy, StoreError
from rag.protocols import Embedder
from rag.store.check_keywords import keyword_faults
from rag.store.check_vectors import sample_faults, vector_faults
from rag.store.connection import Connection, Database, DatabaseError
from rag.store.corpus import STAGED, visible
from rag.store.fault import MOST, Fault
from rag.store.rows import content_hash

__all__ = ["Fault", "check_corpus"]


def check_corpus(db: Database, embedder: Embedder | None = None) -> tuple[Fault, ...]:
    """All faults found; empty when the corpus is sound. Reads everything (docs/performance.md says how long).

    With an embedder a sample of the passages that have its vectors is embedded again. ProviderError if it fails.
    """
    return tuple(_all_faults(db, embedder))


def _all_faults(db: Database, embedder: Embedder | None) -> Iterator[Fault]:
    """A damaged file makes any of the checks stop; what was found before it is told all the same."""
    try:
        with db.snapshot() as connection:
            connection.execute("PRAGMA query_only = OFF")  # the comparison index lives in the temporary database only
            try:
                for part in (_file, _rows, _contents, _manifest):
                    yield from part(connection)
                for name, told in (
                    ("fts", keyword_faults(connection)),
                    ("vectors", vector_faults(connection)),
                    ("vectors", sample_faults(connection, embedder)),
                ):
                    yield from (Fault(part=name, what=what) for what in told)
            finally:
                connection.execute("PRAGMA query_only = ON")
    except (DatabaseError, UnicodeDecodeError) as exc:
        yield Fault(part="file", what=f"the file is damaged ({exc}): restore a copy, or ingest into a new one")
    except StoreError as exc:  # it could not even be opened for reading
        if isinstance(exc, StoreBusy) or not isinstance(exc.__cause__, DatabaseError):
            raise
        yield Fault(part="file", what=str(exc))


def _file(connection: Connection) -> Iterator[Fault]:
    for (line,) in connection.execute(f"PRAGMA integrity_check({MOST})").fetchall():
        if line != "ok":
            yield Fault(part="file", what=str(line))
    (_, _, path), *_ = connection.execute("PRAGMA database_list").fetchall()
    if Path(path).stat().st_size % int(connection.pragma("page_size")):  # SQLite reads the missing bytes as zeros
        yield Fault(part="file", what="the file is cut off within its last page")


def _rows(connection: Connection) -> Iterator[Fault]:
    for table, key, parent, _ in connection.execute("PRAGMA foreign_key_check").fetchall():
        yield Fault(part="rows", what=f"{table} row {key} points at a missing row of {parent}")
    questions = {
        "chunk {} lives in other generations than its document": """
            SELECT c.chunk_id FROM chunks c JOIN documents d ON d.id = c.document
            WHERE c.added_in <> d.added_in OR c.removed_in IS NOT d.removed_in OR c.collection <> d.collection""",
        "document {} has no chunks": """
            SELECT d.doc_id FROM documents d WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE c.document = d.id)""",
        "document {} stands twice in one version": """
            SELECT a.doc_id FROM documents a JOIN documents b
              ON a.collection = b.collection AND a.source = b.source AND a.doc_id = b.doc_id AND a.id < b.id
             AND b.added_in < coalesce(a.removed_in, 1 << 50) AND a.added_in < coalesce(b.removed_in, 1 << 50)
            WHERE a.added_in < 1 << 40 AND b.added_in < 1 << 40""",
        "document {} was removed before it was added": """
            SELECT doc_id FROM documents WHERE removed_in <= added_in""",
    }
    for sentence, question in questions.items():
        for (name,) in connection.execute(f"{question} LIMIT {MOST}").fetchall():
            yield Fault(part="rows", what=sentence.format(repr(name)))


def _contents(connection: Connection) -> Iterator[Fault]:
    """Text, heading or title that was changed after the passage was published."""
    changed = (
        chunk_id
        for chunk_id, title, heading, text, said in connection.execute(
            """
            SELECT c.chunk_id, d.title, c.heading, c.text, c.content_hash
            FROM chunks c JOIN documents d ON d.id = c.document ORDER BY c.id
            """
        )
        if content_hash(title, heading, text) != said
    )
    for chunk_id in islice(changed, MOST):
        yield Fault(part="rows", what=f"the text of chunk {chunk_id!r} is not the one that was published")


def _manifest(connection: Connection) -> Iterator[Fault]:
    for collection, generation, name, documents, chunks in connection.execute(
        "SELECT collection, generation, corpus_version, documents, chunks FROM corpus_manifest"
    ).fetchall():
        names = {"collection": collection, "generation": generation}
        for what, alias, table, said in (
            ("documents", "d", "documents", documents),
            ("passages", "c", "chunks", chunks),
        ):
            (counted,) = connection.execute(
                f"SELECT count(*) FROM {table} {alias} WHERE {alias}.collection = :collection AND {visible(alias)}",
                names,
            ).fetchone()
            if counted != said:
                yield Fault(part="manifest", what=f"{collection} {name} says {said} {what}, has {counted}")
    for name, active in connection.execute(
        """
        SELECT k.name, k.active FROM collections k WHERE k.active > 0 AND NOT EXISTS
            (SELECT 1 FROM corpus_manifest m WHERE m.collection = k.name AND m.generation = k.active)
        """
    ).fetchall():
        yield Fault(part="manifest", what=f"{name} answers from generation {active}, which no version names")


def staged_documents(db: Database) -> int:
    """Documents of unfinished ingests: invisible, and no fault."""
    row = db.read().execute("SELECT count(*) FROM documents WHERE added_in = ?", (STAGED,)).fetchone()
    return int(row[0])
