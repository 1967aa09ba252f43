"""Whether every passage has the vector that was made for it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from rag.protocols import Embedder
from rag.store.connection import Connection
from rag.store.corpus import visible
from rag.store.fault import MOST
from rag.store.rows import passage_text, vector_digest
from rag.store.vec0 import faults, usable

__all__ = ["sample_faults", "vector_faults"]

SAMPLE = 32
"""Passages embedded again, evenly spread: what the digests cannot tell is whether the model made these vectors at all.
About 2 s."""

SAME = 0.999
"""The least cosine of a vector and the same passage embedded again: engines and float16 stay above .9999
(docs/models.md); the nearest other passage reaches .961 at most in `health` and .992 for 99 of 100 in `governance`
(bundled vectors, 2026-12-01, n = 145 and 1,378)."""


def vector_faults(connection: Connection) -> Iterator[str]:
    for chunk, model in connection.execute(
        f"""
        SELECT v.chunk, v.model_id FROM chunk_vectors v
        WHERE NOT EXISTS (SELECT 1 FROM embedding_models m WHERE m.model_id = v.model_id)
           OR NOT EXISTS (SELECT 1 FROM chunks c WHERE c.id = v.chunk) LIMIT {MOST}
        """
    ).fetchall():
        yield f"a vector of {model} belongs to no passage or model (passage {chunk})"
    dimensions: dict[str, int] = dict(
        connection.execute("SELECT model_id, dimensions FROM embedding_models").fetchall()
    )
    stored = connection.execute(
        """
        SELECT v.chunk, v.model_id, v.embedding, v.digest, c.content_hash
        FROM chunk_vectors v JOIN chunks c ON c.id = v.chunk
        """
    )
    wrong = (
        (chunk, fault)
        for chunk, model, blob, digest, content in stored
        if (fault := _vector_fault(blob, dimensions.get(model, 0)) or _stranger(blob, digest, content, model))
    )
    for chunk, fault in islice(wrong, MOST):
        yield f"the vector of passage {chunk} {fault}"
    for model in dimensions if usable(connection) else ():
        for chunk in faults(connection, model):
            yield f"passage {chunk} has another vector in the vec0 table of {model}"
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
            yield f"{missing} passages of {collection} generation {generation} have none"


def _vector_fault(blob: bytes, dimensions: int) -> str | None:
    if len(blob) != 4 * dimensions:
        return f"has {len(blob)} bytes, not {4 * dimensions}"
    vector = np.frombuffer(blob, "<f4")
    if not np.isfinite(vector).all():
        return "holds a value that is no number"
    if abs(float(vector @ vector) - 1.0) > 1e-3:
        return "is not of unit length"
    return None


def _stranger(blob: bytes, digest: bytes | None, content: str, model: str) -> str | None:
    if digest is not None and digest != vector_digest(content, model, blob):
        return "is not the one that was made for it"
    return None


def sample_faults(connection: Connection, embedder: Embedder | None) -> Iterator[str]:
    """Embeds some passages again: their stored vectors must be what this model makes of them."""
    if embedder is None:
        return
    model = embedder.info.model_id
    keys = [
        key
        for (key,) in connection.execute("SELECT chunk FROM chunk_vectors WHERE model_id = ? ORDER BY chunk", (model,))
    ]
    for at in sorted(set(np.linspace(0, len(keys) - 1, min(SAMPLE, len(keys))).astype(int).tolist())):
        row = connection.execute(
            """
            SELECT d.title, c.heading, c.text, v.embedding
            FROM chunk_vectors v JOIN chunks c ON c.id = v.chunk JOIN documents d ON d.id = c.document
            WHERE v.chunk = ? AND v.model_id = ?
            """,
            (keys[at], model),
        ).fetchone()
        if row is None or len(row[3]) != 4 * embedder.info.dimensions:
            continue  # told already
        (again,) = embedder.embed([passage_text(*row[:3])], "passage")
        if not float(again @ np.frombuffer(row[3], "<f4")) >= SAME:  # NaN is no agreement either
            yield f"the vector of passage {keys[at]} is not what {model} makes of its text"
