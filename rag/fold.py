"""The events of a turn as one JSON object: what a client that does not stream gets, and what `galen ask` prints."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import asdict
from typing import Any, assert_never

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

__all__ = ["fold_events", "risk_text"]


def risk_text(event: RiskFound) -> str:
    """A risk event as lines of text: the banner or notice, then the steps."""
    return "\n".join([event.text, *(f"- {step}" for step in event.steps)])


async def fold_events(events: AsyncGenerator[Event, None]) -> dict[str, Any]:
    """{id, status, answer, citations, receipt, risk, error}: all events of a turn, told at once.

    `answer` begins with the emergency banner or notice where there is one, so that nobody can show an answer
    without it.
    """
    folded: dict[str, Any] = {
        "id": None,
        "status": "failed",
        "answer": "",
        "citations": [],
        "receipt": None,
        "risk": None,
        "error": None,
        "ignored": [],
    }
    parts: list[str] = []
    async with aclosing(events) as stream:
        async for event in stream:
            match event:
                case Started():
                    folded |= {"id": event.id, "ignored": list(event.ignored)}
                case RiskFound():
                    folded["risk"] = asdict(event)
                    parts.append(risk_text(event) + "\n\n")
                case CardShown() | Delta():
                    parts.append(event.text)
                case ReceiptReady():
                    folded["receipt"] = event.receipt.as_json()
                case Done():
                    folded["status"] = str(event.status)
                    folded["citations"] = [asdict(c) for c in event.citations]
                case Failed():
                    folded["error"] = asdict(event)
                case Stage() | SourcesFound():
                    pass
                case _:
                    assert_never(event)
    folded["answer"] = "".join(parts).strip()
    return folded
