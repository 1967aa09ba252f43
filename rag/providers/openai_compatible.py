"""Any server that speaks the chat-completions wire at a base URL: OllaBridge, vLLM, Ollama, llama.cpp."""

from __future__ import annotations

import json
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from http import HTTPStatus
from typing import Any

import httpx

from rag.errors import ErrorKind, ProviderBusy, ProviderError, ProviderTimeout, ProviderUnusable
from rag.providers.chat_wire import ChatRequest, Piece, error_of_status, piece_of

__all__ = ["CONNECT_SECONDS", "OpenAICompatible", "error_of_http"]

CONNECT_SECONDS = 3.0
"""How long a server may take to accept a connection."""

_MAX_LINE = 1_000_000  # bytes; one chunk has a few hundred
_MAX_ERROR = 20_000


class OpenAICompatible:
    """A `ChatWire` over httpx. `url` is the base URL; one without a path gets "/v1".

    The client is made for each request: nothing outlives its turn, and a kept one would outlive its event loop.
    """

    def __init__(self, *, name: str, url: str, model: str, key: str = "") -> None:
        base = url.rstrip("/")
        self._url = f"{base if httpx.URL(base).path not in ('', '/') else base + '/v1'}/chat/completions"
        self._headers = {"accept": "text/event-stream", **({"authorization": f"Bearer {key}"} if key else {})}
        self._name, self._model = name, model
        self._tls = ssl.create_default_context()

    @property
    def name(self) -> str:
        return self._name

    @property
    def model(self) -> str:
        return self._model

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Piece, None]:
        try:
            async with (
                httpx.AsyncClient(verify=self._tls, timeout=httpx.Timeout(None, connect=CONNECT_SECONDS)) as client,
                client.stream("POST", self._url, json=self._body(request), headers=self._headers) as response,
            ):
                if response.status_code != HTTPStatus.OK:
                    body = await _start(response)
                    raise error_of_status(self._name, response.status_code, body, response.headers)
                request_id = response.headers.get("x-request-id")
                async with aclosing(_data(response.aiter_bytes())) as events:
                    async for event in events:
                        if event.startswith(b"[DONE]"):
                            return
                        yield piece_of(self._name, json.loads(event), request_id)
        except ProviderError:
            raise
        except Exception as exc:
            raise error_of_http(self._name, exc) from exc

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        sampling = request.sampling
        return {
            "model": self._model,
            "messages": list(request.messages),
            "stream": True,
            "stream_options": {"include_usage": True},
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "seed": sampling.seed,
            "max_tokens": sampling.max_tokens,
        }


def error_of_http(name: str, exc: BaseException) -> ProviderError:
    """Our error for what httpx, or reading what it brought, raises."""
    if isinstance(exc, httpx.TimeoutException):
        return ProviderTimeout(f"{name} does not connect.", kind=ErrorKind.UNREACHABLE)
    if isinstance(exc, httpx.ReadError | httpx.RemoteProtocolError):
        return ProviderUnusable(f"{name} hung up.", kind=ErrorKind.CUT)
    if isinstance(exc, httpx.DecodingError | ValueError):
        return ProviderUnusable(f"{name} sent what is no JSON.", kind=ErrorKind.MALFORMED)
    if isinstance(exc, httpx.TransportError | OSError):
        return ProviderBusy(f"{name} cannot be reached.", kind=ErrorKind.UNREACHABLE)
    return ProviderError(f"{name} failed ({type(exc).__name__}).")


async def _start(response: httpx.Response) -> str:
    """The beginning of an error's body."""
    body = b""
    async for part in response.aiter_bytes():
        body += part
        if len(body) > _MAX_ERROR:
            break
    return body[:_MAX_ERROR].decode("utf-8", "replace")


async def _data(parts: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    """The data of each server-sent event. Lines are parted as bytes, so no character is ever split."""
    held = b""
    async for part in parts:
        *lines, held = (held + part).split(b"\n")
        for line in lines:
            if data := _payload(line):
                yield data
        if len(held) > _MAX_LINE:
            raise ValueError("a line without an end")
    if data := _payload(held):
        yield data


def _payload(line: bytes) -> bytes:
    line = line.rstrip(b"\r")
    return line.removeprefix(b"data:").strip() if line.startswith(b"data:") else b""
