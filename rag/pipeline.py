"""A turn, from question to receipt. Read it top to bottom: every stage is named here, and nothing else decides order.

1. Is it safe to answer?                   sanitize, assess; the banner comes first
2. What do the sources say, is it enough?  rewrite, retrieve, rerank, grade, correct, gate
3. Answer only from them.                  prompt, generate
4. Nothing leaves unchecked.               every sentence against the passages it cites
5. The receipt.                            exactly one per turn, however it ends, aborts included
"""

from __future__ import annotations

import asyncio
import datetime
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import TypeVar

import anyio
import structlog

from rag.cards import match_card
from rag.correct import WIDEN, route
from rag.errors import CorpusMissing, ProviderError, RagError
from rag.events import (
    CardShown,
    Delta,
    Done,
    Event,
    Failed,
    ReceiptReady,
    RiskFound,
    SourcesFound,
    Stage,
    Started,
)
from rag.faithfulness import check_sentence
from rag.gate import gate
from rag.generate import generate
from rag.grade import grade
from rag.prompt import build_prompt
from rag.protocols import Embedder, FloatMatrix, Generator, Judge, Reranker, WebSearch
from rag.query import rewrite
from rag.receipt import Receipt, retrieved_sources
from rag.rerank import rerank
from rag.retrieve import Retrieval, Retriever
from rag.store import Store, View
from rag.thresholds import Thresholds, thresholds_of_search
from rag.types import (
    Citation,
    Evidence,
    GateDecision,
    GradeLabel,
    Prompt,
    Query,
    Route,
    Sentence,
    Status,
    Turn,
)
from safety.assess import Assessor
from safety.sanitize import sanitize
from safety.types import RiskAssessment, RiskClass

__all__ = ["Parts", "run_turn"]

log = structlog.get_logger("galen.turn")
T = TypeVar("T")

TURN_SECONDS = 45.0
"""Everything that a turn waits for draws on this; proxies in front give up at 50 s."""


@dataclass(frozen=True, kw_only=True)
class Parts:
    """What a turn is made with. Optional parts are None when not configured."""

    store: Store
    assessor: Assessor
    retriever: Retriever
    generator: Generator
    thresholds: Thresholds
    embedder: Embedder | None = None
    reranker: Reranker | None = None
    judge: Judge | None = None
    web: WebSearch | None = None
    check_sentences: bool = True
    hold_from: RiskClass = RiskClass.R2
    degraded: tuple[str, ...] = ()
    app_version: str = ""
    threads: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(2))
    now: Callable[[], datetime.datetime] = lambda: datetime.datetime.now(datetime.UTC)


@dataclass
class Trace:
    """What becomes the receipt, written down as the turn goes. Only the pipeline writes it."""

    status: Status = Status.STOPPED  # what it is if nobody says otherwise: the client went away
    assessment: RiskAssessment = field(default_factory=lambda: RiskAssessment(risk_class=RiskClass.R0))
    view: View | None = None
    query: Query | None = None
    decision: GateDecision = field(default_factory=lambda: GateDecision(open=False, route=Route.NONE))
    thresholds: str | None = None
    features: dict[str, float] = field(default_factory=dict)
    evidence: tuple[Evidence, ...] = ()
    used: set[int] = field(default_factory=set)
    supported: int = 0
    clinical: int = 0
    removed: Counter[str] = field(default_factory=Counter)
    generated: bool = False
    degraded: list[str] = field(default_factory=list)
    error: str | None = None
    stages: dict[str, float] = field(default_factory=dict)
    stored: bool = False


async def run_turn(turn: Turn, parts: Parts, ignored: tuple[str, ...] = ()) -> AsyncGenerator[Event, None]:
    """The events of one turn. `ignored` are request keys to report in `start`. Close it (aclose) to stop the turn."""
    trace = Trace(degraded=list(parts.degraded))
    try:
        await _in_thread(parts, parts.store.receipts.open, turn.id, turn.collection)
        yield Started(
            id=turn.id,
            collection=turn.collection,
            corpus_version=_active_version(turn, parts),
            ignored=ignored,
        )
        async with aclosing(_answer(turn, parts, trace)) as events:
            async for event in events:
                yield event
        receipt = await _store_receipt(turn, parts, trace)
        yield ReceiptReady(receipt=receipt)
        yield _terminal(trace)
    except (GeneratorExit, asyncio.CancelledError):  # closed on the way: however far it came, it did not end
        trace.status = Status.STOPPED
        raise
    except Exception as exc:  # the database did not take the turn; without a receipt no turn ends well
        trace.status, trace.error = Status.FAILED, "internal"
        log.error("turn_failed", turn=turn.id, error=type(exc).__name__, where=_where(exc))
        yield _terminal(trace)
    finally:
        if not trace.stored:
            with anyio.CancelScope(shield=True):
                await _store_last(turn, parts, trace)


async def _answer(turn: Turn, parts: Parts, trace: Trace) -> AsyncGenerator[Event, None]:
    """Stages 1 to 4, with what can go wrong in them turned into a recorded failure."""
    try:
        async with aclosing(_stages(turn, parts, trace)) as events:
            async for event in events:
                yield event
    except CorpusMissing:
        trace.status, trace.error = Status.FAILED, "corpus_missing"
    except ProviderError as exc:
        trace.status, trace.error = Status.FAILED, "provider_failed"
        log.warning("turn_failed", turn=turn.id, error=type(exc).__name__)
    except RagError as exc:
        trace.status, trace.error = Status.FAILED, "internal"
        log.error("turn_failed", turn=turn.id, error=type(exc).__name__)
    except Exception as exc:  # the person gets an honest end, the operator a type; texts may hold a person's words
        trace.status, trace.error = Status.FAILED, "internal"
        log.error("turn_failed", turn=turn.id, error=type(exc).__name__, where=_where(exc))


async def _stages(turn: Turn, parts: Parts, trace: Trace) -> AsyncGenerator[Event, None]:
    deadline = asyncio.get_running_loop().time() + TURN_SECONDS

    # 1. Is it safe to answer?
    clock = _Clock(trace)
    said = tuple(sanitize(text) for text in turn.user_turns)
    trace.assessment = assessment = parts.assessor.assess(said, language=turn.language)
    clock.lap("assess")
    if assessment.risk_class >= RiskClass.R2:
        yield _risk_event(assessment, turn, parts)
    if assessment.refused and not assessment.banner:
        trace.status = Status.REFUSED
        yield Delta(text=parts.assessor.text("refusal"))
        return
    if assessment.risk_class is RiskClass.R5:
        trace.status = Status.REFUSED if assessment.refused else Status.EMERGENCY
        return
    if assessment.risk_class is RiskClass.R0 and (card := match_card(said[-1])):
        trace.status = Status.CARD
        yield CardShown(kind=card.kind, text=card.text)
        return

    # 2. What do the sources say, is it enough?
    yield Stage(stage="retrieving")
    trace.view = view = await _in_thread(parts, parts.store.views.get, turn.collection)
    trace.query = query = rewrite(turn, said)
    vector = await _query_vector(query, parts, trace)
    clock.lap("embed")
    retrieval = await _in_thread(parts, parts.retriever.search, view, query, vector)
    evidence = rerank(query.text, retrieval.evidence, parts.reranker, parts.retriever.top_k)
    thresholds = thresholds_of_search(parts.thresholds, retrieval.degraded)
    verdict = grade(retrieval.evidence, retrieval.coverage, thresholds.gate)
    if verdict.label is GradeLabel.AMBIGUOUS:
        retrieval = await _in_thread(parts, parts.retriever.search, view, query, vector, parts.retriever.top_k * WIDEN)
        evidence = rerank(query.text, retrieval.evidence, parts.reranker, parts.retriever.top_k)
        verdict = grade(retrieval.evidence, retrieval.coverage, thresholds.gate)
    _note(trace, retrieval)
    trace.evidence, trace.features, trace.thresholds = evidence, verdict.features, thresholds.key
    trace.decision = decision = gate(route(verdict), verdict, thresholds.gate)
    clock.lap("retrieve")
    if not decision.open:
        yield _deferral(turn, trace)
        return

    # 3. Answer only from them.  4. Nothing leaves unchecked.
    yield SourcesFound(evidence=evidence)
    yield Stage(stage="answering")
    prompt = build_prompt(query.text, query.language, evidence)
    shown = False
    async with aclosing(_checked(parts, prompt, deadline, trace)) as sentences:
        async for sentence in sentences:
            if not shown:
                clock.lap("first_text")
            shown = True
            trace.used.update(sentence.markers)
            yield Delta(text=sentence.render())
    clock.lap("answer")
    if not shown:
        yield _deferral(turn, trace)
        return
    trace.status = Status.ANSWERED


async def _checked(parts: Parts, prompt: Prompt, deadline: float, trace: Trace) -> AsyncGenerator[Sentence, None]:
    """The generator's sentences that their passages support. From `hold_from` up none is shown before all are checked.

    A closing sentence of our own (a disclaimer) is shown only behind an answer.
    """
    held: list[Sentence] = []
    hold = parts.check_sentences and trace.assessment.risk_class >= parts.hold_from
    said = False
    trace.generated = True
    async with aclosing(generate(parts.generator, prompt, deadline)) as sentences:
        async for sentence in sentences:
            if sentence.cited:
                trace.clinical += 1
                if parts.check_sentences:
                    verdict = check_sentence(sentence, prompt)
                    if not verdict.supported:
                        trace.removed[verdict.reason] += 1
                        continue
                    trace.supported += 1
                said = True
            elif not said:
                continue
            if hold:
                held.append(sentence)
            else:
                yield sentence
    for sentence in held:
        yield sentence


async def _query_vector(query: Query, parts: Parts, trace: Trace) -> FloatMatrix | None:
    """The query's vector: cached, computed, or None when the embedder cannot (recorded, and keywords go on)."""
    if parts.embedder is None:
        return None
    cache = parts.store.embed_cache
    if cache is not None and (known := cache.get(query.text)) is not None:
        return known
    try:
        vector: FloatMatrix = (await _in_thread(parts, parts.embedder.embed, [query.text], "query"))[0]
    except ProviderError as exc:
        trace.degraded.append("query_embedding")
        log.warning("query_embedding_failed", error=type(exc).__name__)
        return None
    if cache is not None and trace.assessment.risk_class < RiskClass.R2:
        await _in_thread(parts, cache.put, query.text, vector)
    return vector


# -- what is said -----------------------------------------------------------------------------------------------------


def _risk_event(assessment: RiskAssessment, turn: Turn, parts: Parts) -> RiskFound:
    if assessment.risk_class >= RiskClass.R4:
        emergency = parts.assessor.emergency_text(assessment, turn.country)
        text, numbers, steps = emergency.banner, emergency.numbers, emergency.steps
    else:
        text, numbers, steps = parts.assessor.notice(assessment), {}, ()
    return RiskFound(
        risk_class=assessment.risk_class.name,
        rule_ids=assessment.rule_ids,
        banner=assessment.banner,
        text=text,
        numbers=numbers,
        steps=steps,
    )


def _deferral(turn: Turn, trace: Trace) -> Delta:
    """Says what was searched and what to do instead, in none of the person's words."""
    trace.status = Status.DEFERRED
    assert trace.view is not None
    version = trace.view.version
    how = "by meaning and by keyword" if trace.features.get("dense") is not None else "by keyword only"
    nearest = list(dict.fromkeys(e.chunk.title for e in trace.evidence))[:3]
    lines = [
        f"I did not find enough in my sources to answer this safely, so I will not guess. I searched the "
        f"{turn.collection!r} collection (version {version.corpus_version}, {version.chunks:,} passages) {how}, "
        f"without filters."
    ]
    if nearest:
        lines.append("The nearest topics in it are: " + "; ".join(nearest) + ".")
    lines.append(
        "A pharmacist, nurse or doctor can answer for your own case. If you feel very unwell or are worried about "
        "someone's safety, call your local emergency number."
    )
    return Delta(text="\n\n".join(lines))


def _terminal(trace: Trace) -> Done | Failed:
    if trace.status is not Status.FAILED:
        return Done(status=trace.status, citations=_citations(trace))
    messages = {
        "corpus_missing": "This collection has nothing published yet: ingest documents into it, or choose another.",
        "provider_failed": "The answer could not be written just now. Please ask again in a moment.",
    }
    return Failed(
        code=trace.error or "internal",
        message=messages.get(trace.error or "", "Something went wrong on our side. Please ask again."),
        retryable=trace.error != "corpus_missing",
    )


def _citations(trace: Trace) -> tuple[Citation, ...]:
    return tuple(
        Citation(
            n=n,
            chunk_id=e.chunk.chunk_id,
            title=e.chunk.title,
            organization=e.chunk.organization,
            url=e.chunk.url,
            version_date=e.chunk.version_date,
        )
        for n, e in enumerate(trace.evidence, start=1)
        if n in trace.used
    )


# -- the receipt ------------------------------------------------------------------------------------------------------


async def _store_receipt(turn: Turn, parts: Parts, trace: Trace) -> Receipt:
    receipt = _receipt(turn, parts, trace)
    await _in_thread(parts, parts.store.receipts.close, receipt.as_json())
    trace.stored = True
    log.info(
        "turn",
        turn=turn.id,
        status=str(receipt.status),
        risk_class=receipt.risk_class,
        route=str(receipt.route),
        stages_ms=receipt.stages,
        degraded=receipt.degraded,
    )
    return receipt


async def _store_last(turn: Turn, parts: Parts, trace: Trace) -> None:
    """The receipt of a turn that nobody listens to any more: what goes wrong is for the operator alone."""
    try:
        await _store_receipt(turn, parts, trace)
    except Exception as exc:
        log.error("receipt_not_stored", turn=turn.id, error=type(exc).__name__)


def _receipt(turn: Turn, parts: Parts, trace: Trace) -> Receipt:
    version = trace.view.version if trace.view else None
    return Receipt(
        id=turn.id,
        status=trace.status,
        created_at=parts.now().isoformat(timespec="milliseconds"),
        collection=turn.collection,
        language=trace.query.language if trace.query else trace.assessment.language,
        risk_class=trace.assessment.risk_class.name,
        rule_ids=trace.assessment.rule_ids,
        ruleset=parts.assessor.ruleset,
        banner=trace.assessment.banner,
        provider=parts.generator.name if trace.generated else None,
        model=parts.generator.model if trace.generated else None,
        corpus_version=version.corpus_version if version else None,
        embed_model=parts.embedder.info.model_id if parts.embedder else None,
        thresholds=trace.thresholds,
        query_kind=trace.query.kind if trace.query else None,
        route=trace.decision.route,
        gate_reasons=trace.decision.reasons,
        features={name: round(value, 4) for name, value in trace.features.items()},
        sources=retrieved_sources(trace.evidence, frozenset(trace.used)),
        groundedness=round(trace.supported / trace.clinical, 4) if trace.clinical and parts.check_sentences else None,
        judge="heuristic" if trace.clinical and parts.check_sentences else None,
        filtered=sum(trace.removed.values()),
        filter_reasons=dict(trace.removed),
        degraded=tuple(dict.fromkeys(trace.degraded)),
        error=trace.error,
        stages=trace.stages,
        app_version=parts.app_version,
    )


def _note(trace: Trace, retrieval: Retrieval) -> None:
    trace.degraded.extend(retrieval.degraded)


def _active_version(turn: Turn, parts: Parts) -> str | None:
    try:
        return parts.store.corpus.version(turn.collection).corpus_version
    except CorpusMissing:
        return None


def _where(exc: BaseException) -> str:
    """File and line of the innermost frame: no values."""
    frame = exc.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    return f"{frame.tb_frame.f_code.co_filename.rsplit('/', 1)[-1]}:{frame.tb_lineno}" if frame else ""


async def _in_thread(parts: Parts, work: Callable[..., T], *args: object) -> T:
    """Blocking work off the event loop. Two threads: anyio's default of 40 let the tail grow sixfold (measured)."""
    return await anyio.to_thread.run_sync(partial(work, *args), limiter=parts.threads)


class _Clock:
    """Milliseconds per stage, into the trace."""

    def __init__(self, trace: Trace) -> None:
        self._trace, self._last = trace, perf_counter()

    def lap(self, stage: str) -> None:
        now = perf_counter()
        self._trace.stages[stage] = round((now - self._last) * 1000, 3)
        self._last = now
