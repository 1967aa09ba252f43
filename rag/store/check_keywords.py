"""Whether the keyword index holds what the passages say, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from rag.store.connection import Connection
from rag.store.fault import MOST
from rag.store.keywords import index_chunk

__all__ = ["keyword_faults"]

_COPY = "temp.check_fts"


def keyword_faults(connection: Connection) -> Iterator[str]:
    """Indexes every row again in the temporary database and compares the two indexes."""
    row = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'chunks_fts'").fetchone()
    if row is None:
        yield "there is no full-text index"
        return
    (definition,) = row
    connection.execute(f"DROP TABLE IF EXISTS {_COPY}")
    connection.execute(definition.replace("chunks_fts", _COPY, 1))
    for row, title, heading, text in connection.execute(
        "SELECT c.id, d.title, c.heading, c.text FROM chunks c JOIN documents d ON d.id = c.document ORDER BY c.id"
    ):
        index_chunk(connection, row, title, heading, text, table=_COPY)
    connection.execute("SAVEPOINT filled; RELEASE filled")  # FTS5 writes its totals now
    yield from _lengths(connection)
    yield from _terms(connection)
    connection.execute(f"DROP TABLE {_COPY}")


def _lengths(connection: Connection) -> Iterator[str]:
    """How many terms each passage has, and all together: BM25 reads them, and no term tells that they are wrong."""
    for (row,) in connection.execute(
        f"""
        SELECT DISTINCT id FROM (
            SELECT * FROM (SELECT id, sz FROM main.chunks_fts_docsize EXCEPT SELECT id, sz FROM temp.check_fts_docsize)
            UNION ALL
            SELECT * FROM (SELECT id, sz FROM temp.check_fts_docsize EXCEPT SELECT id, sz FROM main.chunks_fts_docsize))
        LIMIT {MOST}
        """
    ).fetchall():
        yield f"passage {row} is indexed with another length than it has, or with none"
    ours, theirs = (
        connection.execute(f"SELECT block FROM {table} WHERE id = 1").fetchone()
        for table in ("main.chunks_fts_data", "temp.check_fts_data")
    )
    if ours != theirs:
        yield "the keyword index counts other passages or terms than there are"


def _terms(connection: Connection) -> Iterator[str]:
    """Every place of every term. Fingerprints of each term's places are compared first: to sort the six million places
    of 24,000 passages takes far longer."""
    places: list[dict[str, tuple[int, int]]] = []
    for vocabulary, schema, table in (
        ("check_old", "main", "chunks_fts"),
        ("check_new", "temp", "check_fts"),
    ):
        connection.execute(f"DROP TABLE IF EXISTS temp.{vocabulary}")
        connection.execute(f"CREATE VIRTUAL TABLE temp.{vocabulary} USING fts5vocab ({schema}, {table}, instance)")
        places.append(
            {
                term: (count, fingerprint)
                for term, count, fingerprint in connection.execute(
                    f"""
                    SELECT term, count(*), sum((place * place) % 1000000007) FROM (
                        SELECT term, (doc * 2654435761 + "offset" * 40503 + length(col)) & 0x7fffffff AS place
                        FROM temp.{vocabulary})
                    GROUP BY term
                    """
                )
            }
        )
    old, new = places
    differing = sorted(term for term in old.keys() | new.keys() if old.get(term) != new.get(term))
    for sentence, left, right in (
        ("passage {} is indexed under terms that it does not hold", "check_old", "check_new"),
        ("passage {} holds terms that are not indexed", "check_new", "check_old"),
    ):
        passages = {
            passage
            for term in differing[:MOST]
            for (passage,) in connection.execute(
                f"""
                SELECT doc FROM (SELECT doc, col, "offset" FROM temp.{left} WHERE term = :term
                                 EXCEPT SELECT doc, col, "offset" FROM temp.{right} WHERE term = :term)
                """,
                {"term": term},
            )
        }
        for passage in sorted(passages)[:MOST]:
            yield sentence.format(passage)
    for vocabulary in ("check_old", "check_new"):
        connection.execute(f"DROP TABLE temp.{vocabulary}")
