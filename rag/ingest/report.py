"""What an ingest tells on the way, and what came of it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from rag.errors import IngestError
from rag.ingest.records import BadRecord, Document

__all__ = ["Clock", "IngestCancelled", "IngestReport", "Outcome", "Progress", "Tally"]

Outcome = Literal["created", "unchanged", "replaced", "removed", "duplicate", "failed", "kept"]


class IngestCancelled(IngestError):
    """The ingest was asked to stop; what was staged is kept for the next run."""


@dataclass(frozen=True, kw_only=True)
class Progress:
    """Where an ingest stands. `share` is 0..1 of the work by characters; `seconds_left` None before it is known."""

    stage: str
    documents: int
    documents_total: int
    embedded: int
    rate: float
    share: float
    seconds_left: float | None


@dataclass(frozen=True, kw_only=True)
class IngestReport:
    """What an ingest did. `outcomes` counts documents; `bad` are the faults of the input, one line each."""

    collection: str
    source: str
    corpus_version: str
    published: bool
    outcomes: dict[str, int]
    passages: int
    embedded: int
    reused_vectors: int
    split_sentences: int
    vectors_complete: bool
    seconds: float
    bad: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.bad


class Tally:
    """Counts the documents' outcomes and keeps the faults of the input; each is told as it comes."""

    def __init__(self, on_document: Callable[[str, Outcome, str], None]) -> None:
        self.outcomes: Counter[str] = Counter()
        self.bad: list[str] = []
        self._on_document = on_document

    def add(self, doc_id: str, outcome: Outcome, detail: str = "") -> None:
        self.outcomes[outcome] += 1
        self._on_document(doc_id, outcome, detail)

    def fail(self, record: BadRecord) -> None:
        self.bad.append(str(record))
        self.add(f"{record.file}:{record.line or 0}", "failed", str(record))


class Clock:
    """Rate and time left, by the characters of the documents that are done."""

    def __init__(self, documents: Sequence[Document], report: Callable[[Progress], None]) -> None:
        self._sizes = {d.doc_id: sum(len(s.text) for s in d.sections) for d in documents}
        self._total = max(1, sum(self._sizes.values()))
        self._report, self._started, self._done, self._documents = report, time.monotonic(), 0, 0

    def tick(self, doc_ids: Sequence[str], embedded: int, reused: int) -> None:
        """Documents are done. The rate is of all passages that are ready, also those whose vectors were known."""
        self._done += sum(self._sizes[doc_id] for doc_id in doc_ids)
        self._documents += len(doc_ids)
        elapsed = max(1e-6, time.monotonic() - self._started)
        share = self._done / self._total
        self._report(
            Progress(
                stage="embedding",
                documents=self._documents,
                documents_total=len(self._sizes),
                embedded=embedded,
                rate=(embedded + reused) / elapsed,
                share=share,
                seconds_left=elapsed * (1 - share) / share if share else None,
            )
        )
