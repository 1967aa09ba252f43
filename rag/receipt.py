"""The receipt of a turn: what was decided and from what, in numbers, ids and hashes; no word of the person or answer.

`Receipt.as_json` is its one serializer. It keeps the inherited names (`riskClass`, `ruleFires`) that clients read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from rag.types import Evidence, ModelCall, Route, Status

__all__ = ["Receipt", "RetrievedSource", "retrieved_sources"]


@dataclass(frozen=True, kw_only=True)
class RetrievedSource:
    """A passage that was retrieved; `used` is True only if the shown answer cites it (as marker `n`).

    One of the `web` was read on `date_seen` and stands in no corpus version; `content_hash` tells whether the page says
    the same today.
    """

    n: int
    chunk_id: str
    doc_id: str
    title: str
    organization: str
    url: str | None
    version_date: str | None
    web: bool
    hierarchy_rank: int
    date_seen: str | None
    content_hash: str
    retrieval_score: float | None
    scores: dict[str, float | None]
    used: bool


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """One per turn, however it ended.

    `query_kind` says how the searched question came to be, `rewritten_by` how the English one searched beside it did.
    `correction` names what was done with the evidence ("widened", "comments_left_out", "web_asked", "web_used",
    "local_dropped", "refined"); `sentences_kept` of `sentences_found` went to the generator; `gate_skipped` names
    conditions of the gate whose score does not exist.
    `groundedness` is the share of clinical sentences that their passages support (0..1, None without any);
    `filtered` counts sentences held back by the checks; `stages` are milliseconds; `degraded` names parts that did
    not take part or stood in for another ("vectors", "embedder", "query_embedding", "other_embedder"); `embed_model` is
    the one whose vectors were searched, None where there were none. `call` tells how the model that answered was asked,
    `passed_over` which providers failed before it.
    """

    id: str
    status: Status
    created_at: str
    collection: str
    language: str
    risk_class: str
    rule_ids: tuple[str, ...] = ()
    ruleset: str = ""
    banner: bool = False
    provider: str | None = None
    model: str | None = None
    call: ModelCall | None = None
    passed_over: tuple[ModelCall, ...] = ()
    corpus_version: str | None = None
    embed_model: str | None = None
    vector_index: str | None = None
    thresholds: str | None = None
    query_kind: str | None = None
    rewritten_by: tuple[str, ...] = ()
    route: Route = Route.NONE
    gate_reasons: tuple[str, ...] = ()
    gate_skipped: tuple[str, ...] = ()
    correction: tuple[str, ...] = ()
    sentences_kept: int | None = None
    sentences_found: int | None = None
    features: dict[str, float] = field(default_factory=dict)
    sources: tuple[RetrievedSource, ...] = ()
    groundedness: float | None = None
    judge: str | None = None
    filtered: int = 0
    filter_reasons: dict[str, int] = field(default_factory=dict)
    degraded: tuple[str, ...] = ()
    error: str | None = None
    stages: dict[str, float] = field(default_factory=dict)
    app_version: str = ""

    def as_json(self) -> dict[str, Any]:
        """The receipt as API, stream, store and command line show it."""
        return {
            "id": self.id,
            "status": str(self.status),
            "created_at": self.created_at,
            "provider": self.provider,
            "model": self.model,
            "generation": _generation(self.call),
            "passed_over": [
                {"provider": call.provider, "model": call.model, "error": call.error} for call in self.passed_over
            ],
            "collection": self.collection,
            "language": self.language,
            "riskClass": self.risk_class,
            "ruleFires": list(self.rule_ids),
            "ruleset": self.ruleset,
            "banner": self.banner,
            "filtered": self.filtered > 0,
            "filter": {"removed": self.filtered, "reasons": self.filter_reasons},
            "corpus_version": self.corpus_version,
            "embed_model": self.embed_model,
            "vector_index": self.vector_index,
            "thresholds": self.thresholds,
            "query_kind": self.query_kind,
            "rewritten_by": list(self.rewritten_by),
            "route": str(self.route),
            "correction": {
                "steps": list(self.correction),
                "sentences": {"kept": self.sentences_kept, "found": self.sentences_found},
            },
            "gate": {
                "reasons": list(self.gate_reasons),
                "skipped": list(self.gate_skipped),
                "features": self.features,
            },
            "groundedness": self.groundedness,
            "judge": self.judge,
            "retrieved_sources": [asdict(source) for source in self.sources],
            "degraded": list(self.degraded),
            "error": self.error,
            "stages_ms": self.stages,
            "app_version": self.app_version,
        }


def _generation(call: ModelCall | None) -> dict[str, Any] | None:
    """How a model was asked and what it told of itself; None where none was asked."""
    if call is None or call.prompt is None:
        return None
    return {
        "temperature": call.temperature,
        "top_p": call.top_p,
        "seed": call.seed,
        "max_tokens": call.max_tokens,
        "prompt": call.prompt,
        "passages": call.passages,
        "neutralised": call.neutralised,
        "requests": call.requests,
        "declined": call.declined,
        "served_model": call.served_model,
        "system_fingerprint": call.fingerprint,
        "request_id": call.request_id,
        "finish": call.finish,
        "usage": asdict(call.usage) if call.usage else None,
    }


def retrieved_sources(evidence: Sequence[Evidence], used: frozenset[int]) -> tuple[RetrievedSource, ...]:
    """The evidence as receipt rows; `used` holds the markers of the shown answer."""
    return tuple(
        RetrievedSource(
            n=n,
            chunk_id=e.chunk.chunk_id,
            doc_id=e.chunk.doc_id,
            title=e.chunk.title,
            organization=e.chunk.organization,
            url=e.chunk.url,
            version_date=e.chunk.version_date,
            web=e.chunk.web,
            hierarchy_rank=e.chunk.hierarchy_rank,
            date_seen=e.chunk.date_seen,
            content_hash=e.chunk.content_hash,
            retrieval_score=_rounded(e.scores.dense),
            scores={name: _rounded(value) for name, value in asdict(e.scores).items()},
            used=n in used,
        )
        for n, e in enumerate(evidence, start=1)
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
