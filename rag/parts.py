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
from rag.store import Store
from rag.thresholds import GateModel, Thresholds
from rag.types import Grade, Query, Retrieval
from safety.assess import Assessor
from safety.types import RiskClass

__all__ = ["Parts"]


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The parts of the program that a turn uses. Optional ones are None when not configured.

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
