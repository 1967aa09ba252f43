"""Which other web pages may call the API. Without configured origins no answer carries a CORS header."""

from __future__ import annotations

from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response

from app.errors import problem

__all__ = ["cors"]


def cors(origins: Collection[str]) -> list[Middleware]:
    """The middleware for these origins, as a list to unpack; empty when there are none."""
    if not origins:
        return []
    return [
        Middleware(
            _Cors,
            allow_origins=origins,
            allow_methods=["GET", "POST", "OPTIONS"],
            allow_headers=["*"],
            expose_headers=["retry-after"],
            max_age=600,
        )
    ]


class _Cors(CORSMiddleware):
    def preflight_response(self, request_headers: Headers) -> Response:
        response = super().preflight_response(request_headers)
        if response.status_code < 400:
            return response
        refused = problem(400, "cors_refused", "ALLOWED_ORIGINS does not list this page, or the method is not offered.")
        refused.headers["vary"] = response.headers["vary"]
        return refused
