"""What a turn writes down as it goes, and the receipt that comes of it. Only the pipeline writes a trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

from rag.parts import Parts
from rag.receipt import Receipt, retrieved_sources
from rag.store import View
from rag.types import Citation, Evidence, GateDecision, ModelCall, Query, Route, Status, Turn
from safety.types import RiskAssessment, RiskClass

__all__ = ["Clock", "Trace", "citations", "make_receipt"]


@dataclass
class Trace:
    """The facts of a turn so far. `used` holds the markers that the shown text cites."""

    status: Status = Status.STOPPED  # what it is if nobody says otherwise: the client went away
    assessment: RiskAssessment = field(default_factory=lambda: RiskAssessment(risk_class=RiskClass.R0))
    view: View | None = None
    query: Query | None = None
    decision: GateDecision = field(default_factory=lambda: GateDecision(open=False, route=Route.NONE))
    thresholds: str | None = None
    features: dict[str, float] = field(default_factory=dict)
    evidence: tuple[Evidence, ...] = ()
    legs: tuple[str, ...] = ()
    steps: list[str] = field(default_factory=list)
    sentences: tuple[int, int] | None = None  # kept, found
    used: set[int] = field(default_factory=set)
    supported: int = 0
    clinical: int = 0
    language: str | None = None  # of the words of a card
    removed: Counter[str] = field(default_factory=Counter)
    generated: bool = False
    calls: dict[tuple[str, str], ModelCall] = field(default_factory=dict)  # by provider and model, as they were asked
    degraded: list[str] = field(default_factory=list)
    error: str | None = None
    stages: dict[str, float] = field(default_factory=dict)
    stored: bool = False

    def refined(self, kept: int, found: int) -> None:
        """How many sentences of the evidence went to the generator."""
        self.sentences = (kept, found)
        if kept < found:
            self.steps.append("refined")

    def called(self, call: ModelCall) -> None:
        """A generator tells of a model's part in the answer; a provider that is passed over is a degradation."""
        self.calls[call.provider, call.model] = call
        if call.error is not None:
            self.degraded.append("generator")

    @property
    def declined(self) -> bool:
        """Whether a model found no answer in the passages."""
        return any(call.declined for call in self.calls.values())

    @property
    def answering(self) -> ModelCall | None:
        """The call of the provider that answers, as far as it has got; None where none told of one."""
        return next((call for call in self.calls.values() if call.error is None), None)

    def disagree(self, markers: Sequence[int]) -> None:
        """The answer names these passages as saying otherwise."""
        self.used.update(markers)
        self.decision = replace(self.decision, reasons=tuple(dict.fromkeys([*self.decision.reasons, "sources_differ"])))


class Clock:
    """Milliseconds per stage, into the trace."""

    def __init__(self, trace: Trace) -> None:
        self._trace, self._last = trace, perf_counter()

    def lap(self, stage: str) -> None:
        now = perf_counter()
        self._trace.stages[stage] = round((now - self._last) * 1000, 3)
        self._last = now


def citations(trace: Trace) -> tuple[Citation, ...]:
    """The sources that the shown answer cites, by marker."""
    return tuple(
        Citation.of(n, evidence.chunk) for n, evidence in enumerate(trace.evidence, start=1) if n in trace.used
    )


def _generator(parts: Parts, trace: Trace) -> dict[str, Any]:
    """What generated the answer: by what it told, else the only one there is."""
    call = trace.answering
    passed_over = tuple(call for call in trace.calls.values() if call.error is not None)
    if call is not None:
        return {"provider": call.provider, "model": call.model, "call": call, "passed_over": passed_over}
    only = trace.generated and not trace.calls
    return {
        "provider": parts.generator.name if only else None,
        "model": parts.generator.model if only else None,
        "passed_over": passed_over,
    }


def make_receipt(turn: Turn, parts: Parts, trace: Trace) -> Receipt:
    """The receipt of a turn as it stands."""
    version = trace.view.version if trace.view else None
    embedder = parts.embedder_of(trace.view) if trace.view else None
    return Receipt(
        id=turn.id,
        status=trace.status,
        created_at=parts.now().isoformat(timespec="milliseconds"),
        collection=turn.collection,
        language=trace.language or (trace.query.language if trace.query else trace.assessment.language),
        risk_class=trace.assessment.risk_class.name,
        rule_ids=trace.assessment.rule_ids,
        ruleset=parts.assessor.ruleset,
        banner=trace.assessment.banner,
        **_generator(parts, trace),
        corpus_version=version.corpus_version if version else None,
        embed_model=embedder.info.model_id if embedder else None,
        vector_index=parts.store.views.kind if trace.view and trace.view.index is not None else None,
        thresholds=trace.thresholds,
        query_kind=trace.query.kind if trace.query else None,
        rewritten_by=trace.query.rewritten_by if trace.query else (),
        route=trace.decision.route,
        gate_reasons=trace.decision.reasons,
        gate_skipped=trace.decision.skipped,
        correction=tuple(trace.steps),
        sentences_kept=trace.sentences[0] if trace.sentences else None,
        sentences_found=trace.sentences[1] if trace.sentences else None,
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
