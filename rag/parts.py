"""What a turn is made with."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass, field

import anyio

from rag.grade import grade
from rag.lexicon import Lexicon
from rag.protocols import Embedder, Generator, Judge, Reranker, WebSearch
from rag.retrieve import Retriever
from rag.spelling import Spellings
from rag.store import Store, View
from rag.thresholds import GateModel, Thresholds, load_thresholds
from rag.types import Grade, Query, Retrieval
from safety.assess import Assessor
from safety.types import RiskClass

__all__ = ["Parts"]


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The parts of the program that a turn uses. Optional ones are None when not configured.

    `others` are embedders whose vectors may answer while those of `embedder` are not complete.
    `hold_from` is the risk class from which nothing is shown before all of it is checked; `degraded` names what is
    not at its best since the start; `grade` judges the evidence (evaluations put a baseline in its place); `threads`
    bounds the blocking work of all turns together.
    """

    store: Store
    assessor: Assessor
    retriever: Retriever
    generator: Generator
    thresholds: Thresholds
    lexicon: Lexicon
    spellings: Spellings
    embedder: Embedder | None = None
    others: tuple[Embedder, ...] = ()
    reranker: Reranker | None = None
    judge: Judge | None = None
    web: WebSearch | None = None
    grade: Callable[[Retrieval, Query, GateModel], Grade] = grade
    check_sentences: bool = True
    hold_from: RiskClass = RiskClass.R2
    degraded: tuple[str, ...] = ()
    app_version: str = ""
    threads: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(2))
    now: Callable[[], datetime.datetime] = lambda: datetime.datetime.now(datetime.UTC)

    def embedder_of(self, view: View) -> Embedder | None:
        """The embedder that made the vectors of the view; None where it has none."""
        every = (self.embedder, *self.others)
        return next((e for e in every if e is not None and e.info.model_id == view.model_id), None)

    def thresholds_of(self, view: View) -> Thresholds:
        """The numbers of the model that answers: those of another one mean nothing for it."""
        own = self.embedder.info.model_id if self.embedder is not None else None
        return self.thresholds if view.model_id in (None, own) else load_thresholds(view.model_id)
