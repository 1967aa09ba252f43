"""Errors over HTTP: RFC 9457 problem documents in one shape, made here and nowhere else."""

from __future__ import annotations

import asyncio
from typing import Any

import structlog
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rag.errors import CorpusMissing

__all__ = ["LastResort", "Problem", "handlers", "problem"]

log = structlog.get_logger("galen.http")

TITLES = {
    400: "The request cannot be read",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    408: "The request took too long",
    413: "The request is too large",
    415: "The type of the request is not understood",
    422: "The request has wrong values",
    500: "Something went wrong on our side",
    503: "Not ready",
}


class Problem(Exception):
    """An answer other than success. `detail` says what to do; it never repeats what was sent."""

    def __init__(self, status: int, code: str, detail: str, **more: Any) -> None:
        super().__init__(code)
        self.status, self.code, self.detail, self.more = status, code, detail, more


def problem(status: int, code: str, detail: str, **more: Any) -> Response:
    """A problem document: type, title, status, detail, code, and further members."""
    body = {
        "type": f"urn:galen:problem:{code}",
        "title": TITLES.get(status, "Error"),
        "status": status,
        "code": code,
        "detail": detail,
        **more,
    }
    return JSONResponse(
        body, status_code=status, media_type="application/problem+json", headers={"cache-control": "no-store"}
    )


async def _problem(_: Request, exc: Exception) -> Response:
    assert isinstance(exc, Problem)
    return problem(exc.status, exc.code, exc.detail, **exc.more)


async def _http(_: Request, exc: Exception) -> Response:
    assert isinstance(exc, HTTPException)
    details = {
        404: "There is nothing at this address.",
        405: "This address answers other methods; the Allow header names them.",
    }
    response = problem(exc.status_code, f"http_{exc.status_code}", details.get(exc.status_code, "The request failed."))
    response.headers.update(exc.headers or {})
    return response


async def _missing(_: Request, exc: Exception) -> Response:
    assert isinstance(exc, CorpusMissing)
    return problem(
        404,
        "corpus_missing",
        "No collection of this name is published. GET /api/health lists those that are; the default is 'health'.",
    )


class LastResort:
    """Turns what nobody expected into a problem document, and tells the operator its type.

    Not a handler for `Exception`: Starlette runs that one outside of all middleware, where the answer gets no CORS
    headers, and raises the exception again, so that the server logs its text, which may hold a person's words.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def noted(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, noted)
        except ClientDisconnect:
            return
        except asyncio.CancelledError:  # uvicorn ends requests that outlast its grace, then waits for none of them
            log.warning("request_cut", started=started)
            if not started:
                answer = problem(503, "stopping", "The server is stopping. Please ask again in a moment.")
                await answer(scope, receive, send)
        except Exception as exc:
            log.error("request_failed", error=type(exc).__name__, started=started)
            if not started:
                answer = problem(500, "internal", "The request failed on our side. Please try again.")
                await answer(scope, receive, send)


handlers: Any = {
    Problem: _problem,
    HTTPException: _http,
    CorpusMissing: _missing,
}
