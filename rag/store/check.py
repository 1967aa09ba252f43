"""Proves that rows, full-text index and vectors agree, or names what does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rag.errors import StoreBusy, StoreError
from rag.store.connection import Connection, Database, DatabaseError
from rag.store.corpus import STAGED, visible
from rag.store.keywords import index_chunk
from rag.store.vec0 import faults, usable

__all__ = ["Fault", "check_corpus"]

_COPY = "temp.check_fts"


@dataclass(frozen=True, kw_only=True)
class Fault:
    """`part` is what is wrong: file, rows, manifest, fts or vectors."""

    part: str
    what: str


def check_corpus(db: Database) -> tuple[Fault, ...]:
    """All faults found; empty when the corpus is sound. Reads everything: about 10 s for 24,000 passages."""
    return tuple(_all_faults(db))


def _all_faults(db: Database) -> Iterator[Fault]:
    """A damaged file makes any of the checks stop; what was found before it is told all the same."""
    try:
        with db.snapshot() as connection:
            connection.execute("PRAGMA query_only = OFF")  # the comparison index lives in the temporary database only
            try:
                for part in (_file, _rows, _manifest, _fts, _vectors):
                    yield from part(connection)
            finally:
                connection.execute("PRAGMA query_only = ON")
    except (DatabaseError, UnicodeDecodeError) as exc:
        yield Fault(part="file", what=f"the file is damaged ({exc}): restore a copy, or ingest into a new one")
    except StoreError as exc:  # it could not even be opened for reading
        if isinstance(exc, StoreBusy) or not isinstance(exc.__cause__, DatabaseError):
            raise
        yield Fault(part="file", what=str(exc))


def _file(connection: Connection) -> Iterator[Fault]:
    for (line,) in connection.execute("PRAGMA integrity_check(20)").fetchall():
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
        for (name,) in connection.execute(question + " LIMIT 20").fetchall():
            yield Fault(part="rows", what=sentence.format(repr(name)))


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


def _fts(connection: Connection) -> Iterator[Fault]:
    """Indexes every row again in the temporary database and compares the two indexes term by term."""
    row = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'chunks_fts'").fetchone()
    if row is None:
        yield Fault(part="fts", what="there is no full-text index")
        return
    (definition,) = row
    connection.execute(f"DROP TABLE IF EXISTS {_COPY}")
    connection.execute(definition.replace("chunks_fts", _COPY, 1))
    for row, title, heading, text in connection.execute(
        "SELECT c.id, d.title, c.heading, c.text FROM chunks c JOIN documents d ON d.id = c.document ORDER BY c.id"
    ):
        index_chunk(connection, row, title, heading, text, table=_COPY)
    for vocabulary, schema, table in (
        ("check_old", "main", "chunks_fts"),
        ("check_new", "temp", "check_fts"),
    ):
        connection.execute(f"DROP TABLE IF EXISTS temp.{vocabulary}")
        connection.execute(f"CREATE VIRTUAL TABLE temp.{vocabulary} USING fts5vocab ({schema}, {table}, instance)")
    for sentence, left, right in (
        ("passage {} is indexed under terms that it does not hold", "check_old", "check_new"),
        ("passage {} holds terms that are not indexed", "check_new", "check_old"),
    ):
        rows = connection.execute(
            f"""
            SELECT DISTINCT doc FROM (SELECT term, doc, col, "offset" FROM temp.{left}
                                      EXCEPT SELECT term, doc, col, "offset" FROM temp.{right}) LIMIT 20
            """
        ).fetchall()
        for (row,) in rows:
            yield Fault(part="fts", what=sentence.format(row))
    for vocabulary in ("check_old", "check_new", "check_fts"):
        connection.execute(f"DROP TABLE temp.{vocabulary}")


def _vectors(connection: Connection) -> Iterator[Fault]:
    for chunk, model in connection.execute(
        """
        SELECT v.chunk, v.model_id FROM chunk_vectors v
        WHERE NOT EXISTS (SELECT 1 FROM embedding_models m WHERE m.model_id = v.model_id)
           OR NOT EXISTS (SELECT 1 FROM chunks c WHERE c.id = v.chunk) LIMIT 20
        """
    ).fetchall():
        yield Fault(part="vectors", what=f"a vector of {model} belongs to no passage or model (passage {chunk})")
    dimensions: dict[str, int] = dict(
        connection.execute("SELECT model_id, dimensions FROM embedding_models").fetchall()
    )
    bad = 0
    for chunk, model, blob in connection.execute("SELECT chunk, model_id, embedding FROM chunk_vectors"):
        fault = _vector_fault(blob, dimensions.get(model, 0))
        if fault and bad < 20:
            bad += 1
            yield Fault(part="vectors", what=f"the vector of passage {chunk} {fault}")
    for model in dimensions if usable(connection) else ():
        for chunk in faults(connection, model):
            yield Fault(part="vectors", what=f"passage {chunk} has another vector in the vec0 table of {model}")
    for collection, generation, model in connection.execute(
        "SELECT collection, generation, model_id FROM vector_sets"
    ).fetchall():
        (missing,) = connection.execute(
            f"""
            SELECT count(*) FROM chunks c WHERE c.collection = :collection AND {visible("c")}
              AND NOT EXISTS (SELECT 1 FROM chunk_vectors v WHERE v.chunk = c.id AND v.model_id = :model)
            """,
            {"collection": collection, "generation": generation, "model": model},
        ).fetchone()
        if missing:
            yield Fault(part="vectors", what=f"{missing} passages of {collection} generation {generation} have none")


def _vector_fault(blob: bytes, dimensions: int) -> str | None:
    if len(blob) != 4 * dimensions:
        return f"has {len(blob)} bytes, not {4 * dimensions}"
    vector = np.frombuffer(blob, "<f4")
    if not np.isfinite(vector).all():
        return "holds a value that is no number"
    if abs(float(vector @ vector) - 1.0) > 1e-3:
        return "is not of unit length"
    return None


def staged_documents(db: Database) -> int:
    """Documents of unfinished ingests: invisible, and no fault."""
    row = db.read().execute("SELECT count(*) FROM documents WHERE added_in = ?", (STAGED,)).fetchone()
    return int(row[0])
