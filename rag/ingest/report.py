"""What an ingest is asked, what it tells on the way, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from rag.errors import IngestError
from rag.ingest.records import Defaults, Document, Limits

__all__ = ["Clock", "IngestCancelled", "IngestReport", "IngestRequest", "Outcome", "Progress"]

Outcome = Literal["created", "unchanged", "replaced", "removed", "duplicate", "failed", "kept"]


class IngestCancelled(IngestError):
    """The ingest was asked to stop; what was staged is kept for the next run."""


@dataclass(frozen=True, kw_only=True)
class IngestRequest:
    """What to ingest. `corpus_version` None means date and running number; `keyword_only` leaves vectors for later."""

    path: Path
    collection: str
    source: str
    defaults: Defaults = field(default_factory=Defaults)
    limits: Limits = field(default_factory=Limits)
    corpus_version: str | None = None
    keyword_only: bool = False

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "path": str(self.path.resolve())}

    @staticmethod
    def from_json(values: Mapping[str, Any]) -> IngestRequest:
        return IngestRequest(
            **{
                **values,
                "path": Path(values["path"]),
                "defaults": Defaults(**values["defaults"]),
                "limits": Limits(**values["limits"]),
            }
        )


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


class Clock:
    """Rate and time left, by the characters of the documents that are done."""

    def __init__(self, documents: Sequence[Document], report: Callable[[Progress], None]) -> None:
        self._sizes = {d.doc_id: sum(len(s.text) for s in d.sections) for d in documents}
        self._total = max(1, sum(self._sizes.values()))
        self._report, self._started, self._done, self._documents = report, time.monotonic(), 0, 0

    def tick(self, doc_ids: Sequence[str], embedded: int) -> None:
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
                rate=embedded / elapsed,
                share=share,
                seconds_left=elapsed * (1 - share) / share if share else None,
            )
        )
