"""Builds another model's vectors beside those that serve, then shows them all at once.

The model that served goes on serving until every passage of the active version has a vector of the new one. Each batch
is a transaction of its own, so a kill loses at most one and the next run goes on from there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rag.ingest.report import Progress
from rag.ingest.vectors import Vectors
from rag.protocols import Embedder, FloatMatrix
from rag.store import Store
from rag.store.connection import ingest_lock
from rag.store.staging import Staging

__all__ = ["ReembedReport", "reembed"]


@dataclass(frozen=True, kw_only=True)
class ReembedReport:
    """`switched` is False where the model's vectors had been complete before."""

    collection: str
    corpus_version: str
    model_id: str
    embedded: int
    reused_vectors: int
    switched: bool
    seconds: float


def reembed(
    store: Store,
    embedder: Embedder,
    collection: str,
    *,
    known_vectors: Mapping[str, FloatMatrix] | None = None,
    on_progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> ReembedReport:
    """Gives every passage of the active version a vector of `embedder`, and shows them in one transaction.

    `known_vectors` maps content hashes to vectors computed before. Raises CorpusMissing when nothing is published,
    StoreBusy when an ingest runs, EmbedderMismatch when the model's id stands for other weights, ProviderError when the
    model fails, IngestCancelled after `cancelled()`: whichever it is, what is embedded is kept.
    """
    started, model_id = time.monotonic(), embedder.info.model_id
    with ingest_lock(store.db.path):
        version = store.corpus.version(collection)
        staging = Staging(store.db, collection, source="")  # no source: published passages only
        staging.register_model(embedder.info)
        vectors = Vectors(embedder, staging, known_vectors or {})
        vectors.fill(on_progress, cancelled)
        switched = staging.complete_vectors(model_id)
    return ReembedReport(
        collection=collection,
        corpus_version=version.corpus_version,
        model_id=model_id,
        embedded=vectors.embedded,
        reused_vectors=vectors.reused,
        switched=switched,
        seconds=round(time.monotonic() - started, 3),
    )
