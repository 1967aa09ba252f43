"""`POST /api/chat`: request → turn → events → wire."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator
from typing import Any

import anyio
from sse_starlette import EventSourceResponse
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.components import Components
from app.requests import ChatRequest, parse_chat, read_json
from app.wire import native
from rag.errors import CorpusMissing
from rag.events import Event
from rag.fold import fold_events
from rag.pipeline import run_turn
from rag.types import Turn
from safety.sanitize import sanitize
from safety.types import RiskClass

__all__ = ["HEARTBEAT_SECONDS", "chat", "new_turn_id"]

HEARTBEAT_SECONDS = 10
"""Well under the shortest idle limit on the way (nginx and Spaces: 60 s)."""

SEND_TIMEOUT_SECONDS = 60
"""A reader that takes nothing for this long is gone; without a limit it would hold its turn for ever."""

STREAM_HEADERS = {"cache-control": "no-cache, no-transform", "x-accel-buffering": "no"}


def new_turn_id() -> str:
    """A receipt id: 128 random bits, so that knowing it is permission to read it."""
    return secrets.token_hex(16)


async def chat(request: Request) -> Response:
    components: Components = request.app.state.components
    body = parse_chat(await read_json(request))
    turn = Turn(
        id=new_turn_id(),
        messages=body.messages,
        collection=body.collection,
        language=body.language,
        country=body.country,
    )
    if not await anyio.to_thread.run_sync(_can_be_answered, components, turn):
        raise CorpusMissing("No such collection.")
    events = run_turn(turn, components.parts, body.ignored)
    if not _wants_stream(request, body):
        return JSONResponse(await _fold_for(request, events), headers={"cache-control": "no-store"})
    return EventSourceResponse(
        native.encode(events),
        headers=STREAM_HEADERS,
        ping=request.app.state.heartbeat_seconds,
        ping_message_factory=native.heartbeat,
        send_timeout=SEND_TIMEOUT_SECONDS,
        shutdown_event=anyio.Event(),
        shutdown_grace_period=components.settings.shutdown_seconds,
        sep="\n",
    )


def _can_be_answered(components: Components, turn: Turn) -> bool:
    """Whether the turn's collection is published. An emergency is answered whatever collection it names."""
    if turn.collection in components.store.corpus.collections():
        return True
    said = [sanitize(text) for text in turn.user_turns]
    return components.parts.assessor.assess(said, language=turn.language).risk_class >= RiskClass.R4


async def _fold_for(request: Request, events: AsyncGenerator[Event, None]) -> dict[str, Any] | None:
    """The events as one object. When the client leaves, the turn stops as a stream does; then None, for nobody."""
    folded: dict[str, Any] | None = None
    request.app.state.folding += 1
    try:
        async with anyio.create_task_group() as group:

            async def stop_when_gone() -> None:
                while (await request.receive())["type"] != "http.disconnect":
                    pass
                group.cancel_scope.cancel()

            group.start_soon(stop_when_gone)
            folded = await fold_events(events)
            group.cancel_scope.cancel()
    finally:
        request.app.state.folding -= 1
    return folded


def _wants_stream(request: Request, body: ChatRequest) -> bool:
    if body.stream is not None:
        return body.stream
    accept = request.headers.get("accept", "")
    return "application/json" not in accept or "text/event-stream" in accept
