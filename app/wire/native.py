"""Galen's own wire: named server-sent events with one JSON object each. docs/api.md describes them."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import asdict
from typing import Any, assert_never

from sse_starlette import ServerSentEvent

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
from rag.types import Evidence

__all__ = ["encode", "heartbeat"]


async def encode(events: AsyncGenerator[Event, None]) -> AsyncGenerator[ServerSentEvent, None]:
    """Each event of a turn as a server-sent event, in order."""
    async with aclosing(events) as stream:
        async for event in stream:
            name, data = _named(event)
            yield ServerSentEvent(data=json.dumps(data, ensure_ascii=False), event=name, sep="\n")


def heartbeat() -> ServerSentEvent:
    """A comment: no client takes it for an event."""
    return ServerSentEvent(comment="hb", sep="\n")


def _named(event: Event) -> tuple[str, dict[str, Any]]:
    match event:
        case Started():
            return "start", asdict(event)
        case Stage():
            return "status", asdict(event)
        case RiskFound():
            return "risk", asdict(event)
        case SourcesFound():
            return "sources", {"sources": [_source(n, e) for n, e in enumerate(event.evidence, start=1)]}
        case Delta():
            return "delta", asdict(event)
        case CardShown():
            return "card", asdict(event)
        case ReceiptReady():
            return "receipt", event.receipt.as_json()
        case Done():
            return "done", {"status": str(event.status), "citations": [asdict(c) for c in event.citations]}
        case Failed():
            return "error", asdict(event)
        case _:
            assert_never(event)


def _source(n: int, evidence: Evidence) -> dict[str, Any]:
    chunk = evidence.chunk
    return {
        "n": n,
        "chunk_id": chunk.chunk_id,
        "title": chunk.title,
        "heading": chunk.heading,
        "organization": chunk.organization,
        "url": chunk.url,
        "version_date": chunk.version_date,
        "licence": chunk.licence,
        "web": chunk.web,
        "hierarchy_rank": chunk.hierarchy_rank,
        "date_seen": chunk.date_seen,
        "content_hash": chunk.content_hash,
        "scores": asdict(evidence.scores),
    }
