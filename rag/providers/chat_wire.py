"""What the chat-completions wires have in common: the request, the pieces of a streamed answer, and the errors.

Groq, the Hugging Face router, OllaBridge, vLLM, Ollama and llama.cpp speak it, each through its own client
(`groq`, `hf_inference`, `openai_compatible`). https://platform.openai.com/docs/api-reference/chat-streaming
"""

from __future__ import annotations

import email.utils
import json
import re
import time
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Protocol

from rag.errors import (
    ErrorKind,
    ProviderBusy,
    ProviderError,
    ProviderRejected,
    ProviderTooLarge,
    ProviderUnusable,
)
from rag.types import Usage

__all__ = ["ChatRequest", "ChatWire", "Piece", "Sampling", "error_in_stream", "error_of_status", "piece_of"]


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How a model chooses its words. A seed and temperature 0 make equal answers likely, not certain."""

    temperature: float = 0.0
    top_p: float = 1.0
    seed: int = 7
    max_tokens: int = 2048


@dataclass(frozen=True, kw_only=True)
class ChatRequest:
    """One request. There is no field for who asks, and none is sent."""

    messages: tuple[dict[str, str], ...]
    sampling: Sampling


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A part of a streamed answer: words, or figures about it. Of reasoning only that there was some is kept."""

    text: str = ""
    reasoning: bool = False
    finish: str | None = None
    model: str | None = None
    fingerprint: str | None = None
    request_id: str | None = None
    usage: Usage | None = None


class ChatWire(Protocol):
    """A connection to a model, through whatever client. Closing the stream closes the connection."""

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> str: ...

    def stream(self, request: ChatRequest) -> AsyncGenerator[Piece, None]:
        """The pieces as they arrive. ProviderError for whatever goes wrong, with no word of what was sent in it."""
        ...


# -- pieces -----------------------------------------------------------------------------------------------------------

_NAME = re.compile(r"[\w.:/@+-]{1,128}")


def piece_of(name: str, chunk: Mapping[str, Any], request_id: str | None = None) -> Piece:
    """One chunk of the wire. ProviderError for an error that it carries, or where it has another form."""
    try:
        extra = chunk.get("x_groq") or {}
        if error := chunk.get("error") or extra.get("error"):
            raise error_in_stream(name, error)
        choice = (chunk.get("choices") or [{}])[0]
        delta = choice.get("delta") or {}
        usage = chunk.get("usage") or extra.get("usage")
        return Piece(
            text=delta.get("content") or "",
            reasoning=bool(delta.get("reasoning") or delta.get("reasoning_content")),
            finish=_named(choice.get("finish_reason")),
            model=_named(chunk.get("model")),
            fingerprint=_named(chunk.get("system_fingerprint")),
            request_id=_named(extra.get("id")) or _named(request_id) or _named(chunk.get("id")),
            usage=Usage(
                prompt_tokens=int(usage.get("prompt_tokens") or 0),
                completion_tokens=int(usage.get("completion_tokens") or 0),
            )
            if usage
            else None,
        )
    except (AttributeError, LookupError, TypeError, ValueError) as exc:
        raise ProviderUnusable(f"{name} answered in a form that cannot be read.", kind=ErrorKind.MALFORMED) from exc


def _named(value: object) -> str | None:
    """An id as receipts may hold it: no free text."""
    return value if isinstance(value, str) and _NAME.fullmatch(value) else None


# -- errors -----------------------------------------------------------------------------------------------------------

_LIMITS = re.compile(r"Limit (\d+).{0,60}?Requested (\d+)", re.DOTALL)
_TOO_LARGE = re.compile(
    r"context_length_exceeded|maximum context length|context (?:length|window|size)|request too large|too many tokens|"
    r"reduce (?:the length|your message)|exceeds? the (?:available|maximum) (?:context|tokens?)",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"model_decommissioned|decommissioned|model_not_found|model_not_supported|not supported by any provider|"
    r"model .{0,80}(?:does not exist|not found)",
    re.IGNORECASE,
)
_WRONG_KEY = re.compile(r"invalid_api_key|expired_api_key", re.IGNORECASE)


def error_of_status(name: str, status: int, body: str = "", headers: Mapping[str, str] | None = None) -> ProviderError:
    """Our error for an answer with another status than 200."""
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE or _is_too_large(status, body):
        return ProviderTooLarge(f"{name} takes less context.", kind=ErrorKind.TOO_LARGE)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        wait = _seconds((headers or {}).get("retry-after"))
        return ProviderBusy(f"{name} has had too many requests.", kind=ErrorKind.RATE_LIMITED, retry_after=wait)
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN) or (status < 500 and _WRONG_KEY.search(body)):
        return ProviderRejected(f"{name} refused the key.", kind=ErrorKind.UNAUTHORIZED)
    if status == HTTPStatus.PAYMENT_REQUIRED:
        return ProviderRejected(f"{name} wants to be paid.", kind=ErrorKind.PAYMENT_REQUIRED)
    if status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE) or (status < 500 and _NO_MODEL.search(body)):
        return ProviderRejected(f"{name} does not have the model.", kind=ErrorKind.MODEL_UNAVAILABLE)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, 498):
        wait = _seconds((headers or {}).get("retry-after"))
        return ProviderBusy(f"{name} is out of order (status {status}).", kind=ErrorKind.UNAVAILABLE, retry_after=wait)
    return ProviderRejected(f"{name} refused the request (status {status}).", kind=ErrorKind.REJECTED)


def error_in_stream(name: str, error: object) -> ProviderError:
    """Our error for one that comes in the middle of a stream."""
    told = error if isinstance(error, Mapping) else {"message": error}
    code = told.get("code") or told.get("status_code") or told.get("http_status_code")
    text = json.dumps(told, default=str)
    if isinstance(code, int) and code >= HTTPStatus.BAD_REQUEST:
        return error_of_status(name, code, text)
    if "rate_limit" in text:
        return error_of_status(name, HTTPStatus.TOO_MANY_REQUESTS, text)
    if _NO_MODEL.search(text) or _TOO_LARGE.search(text) or _WRONG_KEY.search(text):
        return error_of_status(name, HTTPStatus.BAD_REQUEST, text)
    return ProviderBusy(f"{name} failed in the middle of its answer.", kind=ErrorKind.UNAVAILABLE)


def _is_too_large(status: int, body: str) -> bool:
    """Whether this request is larger than the limit by itself, so that waiting cannot help."""
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        limits = _LIMITS.search(body)
        return bool(limits and int(limits[2]) > int(limits[1])) or "request too large" in body.lower()
    return status < HTTPStatus.INTERNAL_SERVER_ERROR and _TOO_LARGE.search(body) is not None


def _seconds(header: str | None) -> float | None:
    """Seconds of a `retry-after`: a number, or a date."""
    if not header:
        return None
    try:
        return max(float(header), 0.0)
    except ValueError:
        pass
    try:
        return max(email.utils.parsedate_to_datetime(header).timestamp() - time.time(), 0.0)
    except (TypeError, ValueError):
        return None
