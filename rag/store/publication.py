"""Publishes staged rows as a new generation. All of it runs inside the caller's transaction."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence

from rag.errors import PermanentError
from rag.store.connection import Connection
from rag.store.corpus import visible
from rag.store.keywords import index_chunk

__all__ = ["complete_vectors", "publish"]


def publish(
    connection: Connection,
    names: Mapping[str, object],
    removed: Sequence[int],
    corpus_version: str | None,
    model_id: str | None,
) -> tuple[int, str]:
    """(generation, name) of the version that staged rows now make, without the `removed` document rows.

    `names` are the values of Staging's placeholders. PermanentError if the given name is taken.
    """
    collection = str(names["collection"])
    newest = connection.execute(
        "SELECT coalesce(max(generation), 0) FROM corpus_manifest WHERE collection = ?", (collection,)
    ).fetchone()[0]
    generation = newest + 1
    names = {**names, "next": generation, "newest": newest}
    _revive_rolled_back(connection, names)
    _show_staged(connection, names)
    for document in removed:
        for statement in (
            "UPDATE documents SET removed_in = ? WHERE id = ? AND removed_in IS NULL",
            "UPDATE chunks SET removed_in = ? WHERE document = ? AND removed_in IS NULL",
        ):
            connection.execute(statement, (generation, document))
    name = _version_name(connection, collection, corpus_version)
    connection.execute(
        f"""
        INSERT INTO corpus_manifest (collection, generation, corpus_version, published_at, documents, chunks)
        SELECT :collection, :generation, :name, :now,
               (SELECT count(*) FROM documents d WHERE d.collection = :collection AND {visible("d")}),
               (SELECT count(*) FROM chunks c WHERE c.collection = :collection AND {visible("c")})
        """,
        {"collection": collection, "generation": generation, "name": name, "now": _now()},
    )
    if model_id:
        complete_vectors(connection, collection, generation, model_id)
    connection.execute("UPDATE collections SET active = ? WHERE name = ?", (generation, collection))
    return generation, name


def _show_staged(connection: Connection, names: Mapping[str, object]) -> None:
    """Makes the source's staged rows part of the generation, and ends those of versions that were rolled back."""
    for table, of_source in (
        ("documents", "source = :source"),
        ("chunks", "document IN (SELECT id FROM documents WHERE collection = :collection AND source = :source)"),
    ):
        connection.execute(
            f"UPDATE {table} SET removed_in = :next "
            f"WHERE collection = :collection AND added_in > :generation AND added_in <= :newest "
            f"AND removed_in IS NULL",
            names,
        )
        connection.execute(
            f"UPDATE {table} SET added_in = :next "
            f"WHERE collection = :collection AND added_in = :staged AND {of_source}",
            names,
        )


def _revive_rolled_back(connection: Connection, names: Mapping[str, object]) -> None:
    """Copies rows of other sources that the active version has but a later, rolled-back one had removed."""
    rows = connection.execute(
        f"""
        SELECT d.id FROM documents d
        WHERE d.collection = :collection AND d.source <> :source AND d.removed_in <= :newest AND {visible("d")}
        """,
        names,
    ).fetchall()
    for (old,) in rows:
        _copy_document(connection, old, int(str(names["next"])))


def _copy_document(connection: Connection, old: int, generation: int) -> None:
    columns = [name for name, _ in connection.execute("SELECT * FROM documents LIMIT 1").get_description()]
    kept = ", ".join(c for c in columns if c not in ("id", "added_in", "removed_in"))
    connection.execute(
        f"INSERT INTO documents ({kept}, added_in) SELECT {kept}, ? FROM documents WHERE id = ?",
        (generation, old),
    )
    document = connection.last_insert_rowid()
    title = connection.execute("SELECT title FROM documents WHERE id = ?", (document,)).fetchone()[0]
    for key, heading, text in connection.execute(
        "SELECT id, heading, text FROM chunks WHERE document = ?", (old,)
    ).fetchall():
        connection.execute(
            """
            INSERT INTO chunks (document, collection, added_in, ordinal, tokens, chunk_id, content_hash, heading, text)
            SELECT ?, collection, ?, ordinal, tokens, chunk_id, content_hash, heading, text FROM chunks WHERE id = ?
            """,
            (document, generation, key),
        )
        new = connection.last_insert_rowid()
        index_chunk(connection, new, title, heading, text)
        connection.execute(
            "INSERT INTO chunk_vectors SELECT ?, model_id, embedding, digest FROM chunk_vectors WHERE chunk = ?",
            (new, key),
        )


def _version_name(connection: Connection, collection: str, wanted: str | None) -> str:
    taken = {
        name
        for (name,) in connection.execute(
            "SELECT corpus_version FROM corpus_manifest WHERE collection = ?", (collection,)
        )
    }
    if wanted:
        if wanted in taken:
            raise PermanentError(
                f"Version {wanted!r} of collection {collection!r} exists: give another --corpus-version."
            )
        return wanted
    day, number = datetime.datetime.now(datetime.UTC).date().isoformat(), 1
    while f"{day}.{number}" in taken:
        number += 1
    return f"{day}.{number}"


def complete_vectors(connection: Connection, collection: str, generation: int, model_id: str) -> bool:
    """Shows a generation's vectors if every chunk has one; False if they were shown already or are not."""
    connection.execute(
        f"""
        INSERT OR IGNORE INTO vector_sets (collection, generation, model_id, completed_at)
        SELECT :collection, :generation, :model, :now
        WHERE NOT EXISTS (
            SELECT 1 FROM chunks c
            WHERE c.collection = :collection AND {visible("c")}
              AND NOT EXISTS (SELECT 1 FROM chunk_vectors v WHERE v.chunk = c.id AND v.model_id = :model))
        """,
        {"collection": collection, "generation": generation, "model": model_id, "now": _now()},
    )
    return connection.changes() > 0


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
