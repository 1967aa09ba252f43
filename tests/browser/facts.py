"""What the fake service knows: passages, good and hostile, and the receipts and endings of its answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rag.events import Done, Event, Failed, ReceiptReady
from rag.receipt import Receipt, retrieved_sources
from rag.types import Chunk, Citation, Evidence, Route, Scores, Status

__all__ = ["CHUNKS", "DIABETES", "HOSTILE", "RECEIPT_ID", "TRAP", "VERSION", "ending", "receipt_of"]

VERSION = "2026-11-30.1"
RECEIPT_ID = "0123456789abcdef0123456789abcdef"
HOSTILE = "<img src=x onerror=window.__pwned=1>"


def _chunk(n: int, title: str, **more: Any) -> Chunk:
    fields: dict[str, Any] = {
        "id": n,
        "chunk_id": f"health/doc-{n}#{n}",  # '/' and '#' must survive the way into a URL
        "doc_id": f"doc-{n}",
        "source": "bundled",
        "title": title,
        "heading": "Symptoms › Early signs",
        "text": f"Passage {n}, first line.\n- a point of passage {n}\n- another point",
        "organization": "World Health Organization",
        "url": f"https://www.who.int/page-{n}",
        "version_date": "2026-03-14",
        "lang": "en",
        "topic": "diabetes",
        "licence": "CC BY-NC-SA 3.0 IGO",
        "jurisdiction": None,
        "doc_type": "patient_information",
        "hierarchy_rank": 2,
        "effective_from": None,
        "content_hash": "0" * 64,
        "ordinal": n,
    }
    return Chunk(**{**fields, **more})


def _evidence(*chunks: Chunk) -> tuple[Evidence, ...]:
    scores = Scores(dense=0.8712, keyword=6.25, fused=0.03, rerank=None)
    return tuple(Evidence(chunk=chunk, scores=scores) for chunk in chunks)


DIABETES = _evidence(
    _chunk(1, "Type 2 diabetes", date_seen="2026-11-28"),
    _chunk(2, "Type 2 diabetes", heading="Tests", version_date=None, organization="healthdirect Australia"),
    _chunk(3, "Diabetes: questions and answers", heading=""),
)
TRAP = _evidence(
    _chunk(
        4,
        HOSTILE,
        heading="<svg onload=window.__pwned=1>",
        text='<script>window.__pwned=1</script>\n[x](javascript:alert(1))\n"><img src=x onerror=window.__pwned=1>',
        organization="<b>org</b>",
        url="javascript:window.__pwned=1",
        licence="<i>any</i>",
    ),
    _chunk(5, "\u202egnol si siht‮", url="https://evil.example/%22onclick=%22x"),
)
CHUNKS = {evidence.chunk.chunk_id: evidence.chunk for evidence in (*DIABETES, *TRAP)}


def receipt_of(status: Status, evidence: tuple[Evidence, ...] = (), used: Sequence[int] = (), **more: Any) -> Receipt:
    fields: dict[str, Any] = {
        "id": RECEIPT_ID,
        "status": status,
        "created_at": "2026-11-30T14:00:00.000+00:00",
        "collection": "health",
        "language": "en",
        "risk_class": "R0",
        "ruleset": "en-1",
        "provider": "extractive" if used else None,
        "model": "extractive-1" if used else None,
        "corpus_version": VERSION,
        "embed_model": "intfloat/multilingual-e5-small",
        "route": Route.CORRECT if used else Route.NONE,
        "sources": retrieved_sources(evidence, frozenset(used)),
        "groundedness": 1.0 if used else None,
        "judge": "heuristic",
        "stages": {"assess": 1.24, "embed": 14.0, "retrieve": 9.51, "first_text": 32.9, "answer": 60.2},
        "app_version": "0.1.0",
    }
    return Receipt(**{**fields, **more})


def ending(status: Status, evidence: tuple[Evidence, ...] = (), used: Sequence[int] = (), **more: Any) -> list[Event]:
    receipt = receipt_of(status, evidence, used, **more)
    if status is Status.FAILED:
        message = "The answer could not be written just now. Please ask again in a moment."
        return [ReceiptReady(receipt=receipt), Failed(code="provider_failed", message=message)]
    citations = tuple(Citation.of(n, evidence[n - 1].chunk) for n in used)
    return [ReceiptReady(receipt=receipt), Done(status=status, citations=citations)]
