"""The web service: routes and middleware on one screen."""

from __future__ import annotations

import asyncio
import gc
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import structlog
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from app.background import Background
from app.chat import HEARTBEAT_SECONDS, chat
from app.components import Components, interrupted_receipt, open_components
from app.cors import cors
from app.errors import LastResort, handlers
from app.generators import check_generators
from app.health import health
from app.logs import configure_logs
from app.receipts import passage, receipt
from app.settings import Settings
from rag.store.connection import serving_lock

__all__ = ["create_app", "serve"]

WEB = Path(__file__).resolve().parents[1] / "web"

LAST_RECEIPTS_SECONDS = 5
"""How long a stop waits for the receipts of JSON answers that it cut."""

PAGE_HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
}


def create_app(components: Components, *, heartbeat_seconds: float = HEARTBEAT_SECONDS) -> Starlette:
    """The application over opened components; the caller closes them."""
    app = Starlette(
        routes=[
            Route("/api/chat", chat, methods=["POST"]),
            Route("/api/receipts/{receipt_id}", receipt),
            Route("/api/chunks/{chunk_id:path}", passage),
            Route("/api/health", health),
            Route("/", _page),
            Mount("/static", _PageFiles(directory=WEB)),
        ],
        middleware=[
            *cors(components.settings.allowed_origins),  # outermost: errors need its headers too
            Middleware(LastResort),
        ],
        exception_handlers=handlers,
        lifespan=_lifespan,
    )
    app.state.components = components
    app.state.heartbeat_seconds = heartbeat_seconds
    app.state.folding = 0
    return app


class _PageFiles(StaticFiles):
    """The page's own files, asked for anew each time (ETags answer 304), so that no deployment mixes two versions."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers.update(PAGE_HEADERS)
        return response


async def _page(_: Request) -> Response:
    return FileResponse(WEB / "index.html", headers=PAGE_HEADERS)


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    components: Components = app.state.components
    components.interrupted = components.store.receipts.interrupt_open(
        lambda turn_id, collection: interrupted_receipt(components, turn_id, collection)
    )
    components.background = Background(components)
    components.background.start()
    check = asyncio.create_task(check_generators(components.parts.generator))
    # The rules' tables are some hundred thousand objects that live as long as the process. A full collection that walks
    # them stops a turn for 40 ms (2026-11-30); frozen, they are not walked.
    gc.collect()
    gc.freeze()
    yield
    check.cancel()
    with anyio.move_on_after(LAST_RECEIPTS_SECONDS):  # uvicorn has cut them, and waits for none
        while app.state.folding:  # noqa: ASYNC110 — over in milliseconds, and only at a stop
            await anyio.sleep(0.01)
    await anyio.to_thread.run_sync(components.background.stop)


def serve(settings: Settings, *, host: str | None = None, port: int | None = None) -> int:
    """Serves until stopped. Errors of the start are raised before anything listens."""
    configure_logs(settings.log_level)
    signal.signal(signal.SIGTERM, _end)
    log = structlog.get_logger("galen.start")
    for note in settings.notes():
        log.warning("setting", note=note)
    with serving_lock(settings.db_path), open_components(settings, answer_at_once=True) as components:
        host, port = host or settings.host, port or settings.port
        log.info("serving", address=f"http://{'localhost' if host == '0.0.0.0' else host}:{port}")
        uvicorn.run(
            create_app(components),
            host=host,
            port=port,
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=settings.shutdown_seconds + 2,  # streams end themselves before
            server_header=False,
        )
    return 0


def _end(*_: object) -> None:
    """uvicorn drains at SIGTERM, then raises the signal again: its default would end us before anything is closed."""
    raise SystemExit(0)
