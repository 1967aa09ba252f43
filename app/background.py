"""Work that a serving process does beside its chats: a newer bundle, missing vectors, ingests that were cut off."""

from __future__ import annotations

import threading
from collections.abc import Callable

import structlog

from app.components import Components, bundled_collections, ingest_bundle
from rag.errors import RagError, StoreBusy
from rag.ingest.bundle import BUNDLE_SOURCE
from rag.ingest.report import IngestCancelled, IngestReport, Progress
from rag.ingest.request import IngestRequest
from rag.ingest.run import ingest

__all__ = ["Background"]

log = structlog.get_logger("galen.ingest")

BUSY_WAIT_SECONDS = 5.0
"""How long to wait before asking again for a database that another process ingests into."""


class Background:
    """One thread, started and stopped with the service. What goes wrong stands in `failures`, for health."""

    def __init__(self, components: Components) -> None:
        self._components = components
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="galen-ingest", daemon=True)
        self.progress: Progress | None = None
        self.failures: list[str] = []

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ends the work after its current batch; what is staged is taken up at the next start."""
        self._stop.set()
        self._thread.join()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def _run(self) -> None:
        for collection in bundled_collections(self._components.settings.corpus_dir):
            self._do(collection, lambda name=collection: self._bundle(name))  # type: ignore[misc]
        for job in reversed(self._components.store.jobs.list("running")):
            request = IngestRequest.from_json(job.request)
            if job.source != BUNDLE_SOURCE and request.path.exists():
                self._do(job.collection, lambda asked=request: self._resume(asked))  # type: ignore[misc]

    def _bundle(self, collection: str) -> IngestReport:
        return ingest_bundle(self._components, collection, on_progress=self._note, cancelled=self._stop.is_set)

    def _resume(self, request: IngestRequest) -> IngestReport:
        log.info("ingest_resumed", collection=request.collection, source=request.source)
        return ingest(
            self._components.store,
            self._components.embedder,
            request,
            on_progress=self._note,
            cancelled=self._stop.is_set,
            resumable=True,
        )

    def _note(self, progress: Progress) -> None:
        self.progress = progress

    def _do(self, collection: str, work: Callable[[], IngestReport]) -> None:
        while not self._stop.is_set():
            try:
                report = work()
            except StoreBusy:
                self._stop.wait(BUSY_WAIT_SECONDS)
                continue
            except IngestCancelled:
                return
            except RagError as exc:
                self._failed(collection, str(exc))
            except Exception as exc:  # a fault of one ingest must not end the others, nor the service
                self._failed(collection, type(exc).__name__)
            else:
                if report.published:
                    log.info("corpus_published", collection=collection, version=report.corpus_version)
            return

    def _failed(self, collection: str, why: str) -> None:
        self.failures.append(f"{collection}: {why}")
        log.error("ingest_failed", collection=collection, why=why)
