"""A turn, from question to receipt. Read it top to bottom: every stage is named here, and nothing else decides order.

1. Is it safe to answer?                   sanitize, assess; the banner comes first
2. What do the sources say, is it enough?  rewrite, retrieve, rerank, grade, correct, gate
3. Answer only from them.                  prompt, generate
4. Nothing leaves unchecked.               every sentence against the passages it cites
5. The receipt.                            exactly one per turn, however it ends, aborts included
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import TypeVar

import anyio
import structlog

from rag.cards import match_card
from rag.correct import WEB_PAGES, WIDEN, refine, route, standing, web_query
from rag.errors import CorpusMissing, ProviderError, RagError
from rag.events import (
    CardShown,
    Delta,
    Done,
    Event,
    Failed,
    ReceiptReady,
    SourcesFound,
    Stage,
    Started,
)
from rag.faithfulness import check_sentence, conflicting
from rag.gate import gate
from rag.generate import generate
from rag.language import identify_language
from rag.parts import Parts
from rag.prompt import build_prompt
from rag.protocols import FloatMatrix
from rag.query import rewrite
from rag.receipt import Receipt
from rag.rerank import rerank
from rag.store import View
from rag.thresholds import thresholds_of_search
from rag.trace import Clock, Trace, citations, make_receipt
from rag.types import (
    Found,
    GradeLabel,
    ModelCall,
    Prompt,
    Query,
    Sentence,
    Status,
    Turn,
)
from rag.web import add_web, wants_web
from rag.wording import deferral, difference, failure, risk_event, source_notes
from safety.sanitize import sanitize
from safety.types import RiskClass

__all__ = ["Found", "Parts", "find_evidence", "run_turn"]

log = structlog.get_logger("galen.turn")
T = TypeVar("T")

TURN_SECONDS = 45.0
"""Everything that a turn waits for draws on this; proxies in front give up at 50 s."""


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
        yield _terminal(turn, parts, trace)
    except (GeneratorExit, asyncio.CancelledError):  # closed on the way: however far it came, it did not end
        trace.status = Status.STOPPED
        raise
    except Exception as exc:  # the database did not take the turn; without a receipt no turn ends well
        trace.status, trace.error = Status.FAILED, "internal"
        log.error("turn_failed", turn=turn.id, error=type(exc).__name__, where=_where(exc))
        yield _terminal(turn, parts, trace)
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
    clock = Clock(trace)
    said = tuple(sanitize(text) for text in turn.user_turns)
    trace.assessment = assessment = parts.assessor.assess(said, language=turn.language)
    clock.lap("assess")
    if assessment.risk_class >= RiskClass.R2:
        yield risk_event(assessment, turn.country, parts.assessor)
    if assessment.refused and not assessment.banner:
        trace.status = Status.REFUSED
        yield Delta(text=parts.assessor.refusal(assessment))
        return
    if assessment.risk_class is RiskClass.R5:
        trace.status = Status.REFUSED if assessment.refused else Status.EMERGENCY
        return
    if assessment.risk_class is RiskClass.R0 and (card := match_card(said[-1])):
        trace.status = Status.CARD
        trace.language = turn.language or card.language or identify_language(said[-1])
        yield CardShown(kind=card.kind, text=parts.assessor.text(f"card_{card.kind}", language=trace.language))
        return

    # 2. What do the sources say, is it enough?
    yield Stage(stage="retrieving")
    trace.view = view = await _in_thread(parts, parts.store.views.get, turn.collection)
    trace.query = query = rewrite(turn, said, parts.lexicon, parts.spellings.of(view))
    vectors = await _query_vectors(query, view, parts, trace)
    clock.lap("embed")
    found = await _in_thread(parts, find_evidence, parts, view, query, vectors, None, assessment.risk_class)
    trace.degraded.extend(found.degraded)
    clock.lap("retrieve")
    if wants_web(found, turn.collection, parts.web, assessment.risk_class):
        yield Stage(stage="searching_web")
        found = await _with_web(found, turn, parts, trace, vectors, deadline)
        clock.lap("web")
    trace.evidence, trace.features, trace.thresholds = found.evidence, found.grade.features, found.thresholds
    trace.legs, trace.steps = found.legs, list(found.steps)
    trace.decision = decision = found.decision
    if not decision.open:
        yield _defer(turn, parts, trace)
        return

    # 3. Answer only from them.  4. Nothing leaves unchecked.
    yield SourcesFound(evidence=found.evidence)
    yield Stage(stage="answering")
    refined = refine(found.evidence, query, turn.collection)
    trace.refined(refined.kept, refined.sentences)
    hold = parts.check_sentences and assessment.risk_class >= parts.hold_from
    prompt = build_prompt(query, refined.evidence, turn.collection)
    prompt = replace(prompt, risk=assessment.risk_class, held=hold)
    shown = False
    async with aclosing(_checked(parts, prompt, deadline, trace)) as sentences:
        async for sentence in sentences:
            if not shown:
                clock.lap("first_text")
            shown = True
            trace.used.update(sentence.markers)
            yield Delta(text=sentence.render())
            if others := conflicting(sentence, prompt):
                trace.disagree(others)
                yield Delta(text=difference(turn, trace, (*sentence.markers, *others), parts.assessor))
    clock.lap("answer")
    if not shown:
        reason = "model_declined" if trace.declined else "no_supporting_sentence"
        trace.decision = replace(decision, reasons=(*decision.reasons, reason))
        yield _defer(turn, parts, trace)
        return
    if note := source_notes(turn, trace, parts.assessor):
        yield Delta(text=note)
    trace.status = Status.ANSWERED


async def _checked(parts: Parts, prompt: Prompt, deadline: float, trace: Trace) -> AsyncGenerator[Sentence, None]:
    """The generator's sentences that their passages support; if the prompt is held none before all are checked.

    Sentences of our own (a disclaimer) are shown only around an answer.
    """
    held: list[Sentence] = []
    waiting: list[Sentence] = []
    said = False
    trace.generated = True
    async with aclosing(generate(parts.generator, prompt, deadline)) as items:
        async for item in items:
            if isinstance(item, ModelCall):
                trace.called(item)
                continue
            sentence = item
            if sentence.cited:
                trace.clinical += 1
                if parts.check_sentences:
                    verdict = check_sentence(sentence, prompt)
                    if not verdict.supported:
                        trace.removed[verdict.reason] += 1
                        continue
                    trace.supported += 1
                said = True
            waiting.append(sentence)
            if not said:
                continue
            for ready in waiting:
                if prompt.held:
                    held.append(ready)
                else:
                    yield ready
            waiting.clear()
    for sentence in held:
        yield sentence


def find_evidence(
    parts: Parts,
    view: View,
    query: Query,
    vectors: Sequence[FloatMatrix],
    limit: int | None = None,
    risk: RiskClass = RiskClass.R0,
) -> Found:
    """Retrieve, rerank, grade; a doubtful set is searched once more, wider; the gate looks at what is left. Blocking.

    `vectors` are those of `query.searched`; none of them leaves keyword search alone.
    """
    limit = limit or parts.retriever.top_k
    steps: tuple[str, ...] = ()
    numbers = parts.thresholds_of(view)
    retriever = replace(parts.retriever, fusion=numbers.fusion) if numbers is not parts.thresholds else parts.retriever
    for width in (limit, limit * WIDEN):
        searched = retriever.search(view, query, vectors, width)
        retrieval = standing(searched, risk)
        evidence = rerank(query.text, retrieval.evidence, parts.reranker, width)
        thresholds = thresholds_of_search(numbers, retrieval.degraded)
        model = thresholds.gate(view.version.collection)
        verdict = parts.grade(retrieval, query, model)
        if verdict.label is not GradeLabel.AMBIGUOUS:
            break
        steps = ("widened",)
    return Found(
        evidence=evidence,
        grade=verdict,
        decision=gate(route(verdict), verdict, model, evidence, risk),
        thresholds=thresholds.key,
        legs=retrieval.legs,
        degraded=retrieval.degraded,
        steps=steps if retrieval is searched else (*steps, "comments_left_out"),
    )


async def _with_web(
    found: Found, turn: Turn, parts: Parts, trace: Trace, vectors: Sequence[FloatMatrix], deadline: float
) -> Found:
    """The evidence after trusted web pages were read; as it was when they cannot be had, which is recorded."""
    assert parts.web is not None
    assert trace.view is not None
    assert trace.query is not None
    try:
        async with asyncio.timeout_at(deadline):
            passages = await parts.web.search(web_query(trace.query), turn.collection, WEB_PAGES)
        found = replace(found, steps=(*found.steps, "web_asked"))
        return await _in_thread(
            parts, add_web, parts, trace.view, trace.query, vectors, found, passages, trace.assessment.risk_class
        )
    except (ProviderError, TimeoutError) as exc:
        trace.degraded.append("web_search")
        log.warning("web_search_failed", error=type(exc).__name__)
        return found


async def _query_vectors(query: Query, view: View, parts: Parts, trace: Trace) -> tuple[FloatMatrix, ...]:
    """The vectors of what is searched, by the model that made the view's: cached or computed.

    None when it cannot, or the view has none (recorded; keywords go on).
    """
    embedder = parts.embedder_of(view)
    if embedder is None:
        return ()
    if embedder is not parts.embedder:
        trace.degraded.append("other_embedder")
    cache = parts.store.embed_caches.get(embedder.info.model_id)
    known = {text: cache.get(text) if cache is not None else None for text in query.searched}
    missing = [text for text, vector in known.items() if vector is None]
    if missing:
        try:
            made = await _in_thread(parts, embedder.embed, missing, "query")
        except ProviderError as exc:
            trace.degraded.append("query_embedding")
            log.warning("query_embedding_failed", error=type(exc).__name__)
            return ()
        for text, vector in zip(missing, made, strict=True):
            known[text] = vector
            if cache is not None and trace.assessment.risk_class < RiskClass.R2:
                await _in_thread(parts, cache.put, text, vector)
    return tuple(vector for vector in known.values() if vector is not None)


def _defer(turn: Turn, parts: Parts, trace: Trace) -> Delta:
    trace.status = Status.DEFERRED
    return Delta(text=deferral(turn, trace, parts.assessor))


def _terminal(turn: Turn, parts: Parts, trace: Trace) -> Done | Failed:
    if trace.status is Status.FAILED:
        return failure(trace.error, turn.language, parts.assessor)
    return Done(status=trace.status, citations=citations(trace))


async def _store_receipt(turn: Turn, parts: Parts, trace: Trace) -> Receipt:
    receipt = make_receipt(turn, parts, trace)
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


def _active_version(turn: Turn, parts: Parts) -> str | None:
    try:
        return parts.store.corpus.version(turn.collection).corpus_version
    except CorpusMissing:
        return None


async def _in_thread(parts: Parts, work: Callable[..., T], *args: object) -> T:
    """Blocking work off the event loop. Two threads: anyio's default of 40 let the tail grow sixfold (measured)."""
    return await anyio.to_thread.run_sync(partial(work, *args), limiter=parts.threads)


def _where(exc: BaseException) -> str:
    """File and line of the innermost frame: no values."""
    frame = exc.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    return f"{frame.tb_frame.f_code.co_filename.rsplit('/', 1)[-1]}:{frame.tb_lineno}" if frame else ""
