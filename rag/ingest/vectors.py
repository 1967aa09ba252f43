"""The vectors of passages, by content hash: known before, in the database, or embedded now."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from rag.ingest.report import IngestCancelled, Progress
from rag.protocols import Embedder, FloatMatrix
from rag.store.rows import Pending, passage_text
from rag.store.staging import Staging

__all__ = ["BATCH", "Vectors"]

BATCH = 48
"""Passages per transaction. A batch's embedding (about 1.8 s on two cores) dwarfs its commit, a kill loses at most
this much work, and readers of the database never wait."""


class Vectors:
    """Finds or makes vectors and counts which; without an embedder there are none (keyword-only)."""

    def __init__(self, embedder: Embedder | None, staging: Staging, known: Mapping[str, FloatMatrix]) -> None:
        self._embedder, self._staging, self._known = embedder, staging, known
        self.model_id = embedder.info.model_id if embedder else None
        self.embedded = self.reused = 0

    def of(self, passages: Mapping[str, tuple[str, str, str]]) -> dict[str, FloatMatrix]:
        """{content hash: vector} of {content hash: (title, heading, text)}; empty without an embedder."""
        if self._embedder is None or self.model_id is None or not passages:
            return {}
        found = {h: self._known[h] for h in passages if h in self._known}
        missing = [h for h in passages if h not in found]
        if missing:
            found |= self._staging.vectors_by_content(missing, self.model_id)
        self.reused += len(found)
        missing = [h for h in passages if h not in found]
        if missing:
            matrix = self._embedder.embed([passage_text(*passages[h]) for h in missing], "passage")
            found |= dict(zip(missing, matrix, strict=True))
            self.embedded += len(missing)
        return found

    def fill(self, on_progress: Callable[[Progress], None], cancelled: Callable[[], bool]) -> None:
        """Embeds passages that were published or staged without a vector of this model."""
        if self.model_id is None:
            return
        started, total, done = time.monotonic(), self._staging.pending_count(self.model_id), 0
        while pending := self.pending(BATCH):
            if cancelled():
                raise IngestCancelled("The ingest was stopped; the next one takes up what is embedded.")
            vectors = self.of({p.content_hash: (p.title, p.heading, p.text) for p in pending})
            self._staging.add_vectors(self.model_id, [(p, vectors[p.content_hash]) for p in pending])
            done += len(pending)
            elapsed = max(1e-6, time.monotonic() - started)
            on_progress(
                Progress(
                    stage="vectors",
                    documents=0,
                    documents_total=0,
                    embedded=self.embedded,
                    rate=done / elapsed,
                    share=done / total,
                    seconds_left=elapsed * (total - done) / done,
                )
            )

    def pending(self, limit: int) -> tuple[Pending, ...]:
        """Up to `limit` passages of the version in the making that have no vector of this model."""
        return self._staging.pending(self.model_id, limit) if self.model_id is not None else ()
