"""Request bodies, validated once. What is wrong is named by field; what was sent is never repeated.

Both shapes of earlier clients are understood: `language` and `countryCode` at top level, and inside `context`; the
top level wins. Unknown keys are ignored and their names reported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import anyio
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from starlette.requests import Request

from app.codes import parse_country, parse_language
from app.errors import Problem
from rag.types import Message
from safety.sanitize import sanitize

__all__ = ["ChatRequest", "parse_chat", "read_json"]

MAX_BODY_BYTES = 1_000_000
BODY_SECONDS = 30
"""A body that takes longer is not coming; a server that waits for ever also cannot stop."""

MAX_MESSAGES = 200
MAX_MESSAGE_CHARS = 20_000
MAX_TOTAL_CHARS = 200_000
MAX_IGNORED = 20

_JSON = re.compile(r"application/(?:[\w.-]+\+)?json\s*(?:;.*)?", re.IGNORECASE)
_COLLECTION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


class _Message(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    role: Literal["user", "assistant"]
    content: str

    @field_validator("content", mode="before")
    @classmethod
    def _join_parts(cls, value: Any) -> Any:
        """A list of parts is its text parts; parts of other types are left out."""
        if isinstance(value, list) and all(isinstance(part, dict) for part in value):
            texts = [part.get("text") for part in value if part.get("type") == "text"]
            return "\n".join(text for text in texts if isinstance(text, str))
        return value

    @field_validator("content")
    @classmethod
    def _bounded(cls, value: str) -> str:
        if len(value) > MAX_MESSAGE_CHARS:
            raise ValueError(f"is longer than {MAX_MESSAGE_CHARS:,} characters: shorten it")
        return value


class _Context(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    language: str | None = None
    lang: str | None = None
    country: str | None = None
    countryCode: str | None = None


class _Chat(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    messages: Annotated[list[_Message], Field(min_length=1, max_length=MAX_MESSAGES)]
    stream: bool | None = None
    collection: str = "health"
    language: str | None = None
    lang: str | None = None
    country: str | None = None
    countryCode: str | None = None
    context: _Context | None = None

    @model_validator(mode="after")
    def _conversation(self) -> _Chat:
        if self.messages[-1].role != "user":
            raise ValueError("the last message must have the role 'user'")
        if not sanitize(self.messages[-1].content):  # invisible characters alone ask nothing
            raise ValueError("the last message is empty: write a question")
        if sum(len(message.content) for message in self.messages) > MAX_TOTAL_CHARS:
            raise ValueError(f"the messages together are longer than {MAX_TOTAL_CHARS:,} characters: send fewer")
        return self


@dataclass(frozen=True, kw_only=True)
class ChatRequest:
    """A valid chat request. `stream` None leaves the choice to the Accept header."""

    messages: tuple[Message, ...]
    stream: bool | None
    collection: str
    language: str | None
    country: str | None
    ignored: tuple[str, ...]


async def read_json(request: Request) -> Any:
    """The body as JSON. Problem 415 when it is said to be another type, 413 when too large, 400 when it is no JSON.

    Every web page may send a form or plain text here without asking; JSON it may only from ALLOWED_ORIGINS.
    """
    if not _JSON.fullmatch(request.headers.get("content-type", "").strip()):
        raise Problem(
            415, "not_json_type", "The body must be JSON: send it with the header 'content-type: application/json'."
        )
    try:
        with anyio.fail_after(BODY_SECONDS):
            body = await _body(request)
    except TimeoutError:
        raise Problem(408, "body_too_slow", f"The body did not arrive within {BODY_SECONDS} seconds.") from None
    try:
        return json.loads(body.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise Problem(400, "not_json", "The body must be JSON in UTF-8.") from None


async def _body(request: Request) -> bytes:
    too_large = Problem(413, "body_too_large", f"The body is larger than {MAX_BODY_BYTES:,} bytes: send less.")
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and (len(announced) > 12 or int(announced) > MAX_BODY_BYTES):
        raise too_large
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > MAX_BODY_BYTES:
            raise too_large
        chunks.append(chunk)
    return b"".join(chunks)


def _refuse_constant(_: str) -> None:
    raise ValueError("NaN and Infinity are not JSON")


def parse_chat(body: Any) -> ChatRequest:
    """Checks a chat body. Problem 422 names the fields, 403 a patient context without a key."""
    if not isinstance(body, dict):
        raise Problem(422, "invalid_request", "The body must be a JSON object with 'messages'.")
    body = {key.encode("utf-8", "replace").decode("utf-8"): value for key, value in body.items()}  # lone surrogates
    try:
        chat = _Chat.model_validate(body)
    except ValidationError as exc:
        raise Problem(
            422, "invalid_request", "Some fields have wrong values; 'errors' names them.", errors=_told(exc)
        ) from None
    context = chat.context or _Context()
    extra = context.model_extra or {}
    if "patient" in extra:
        raise Problem(
            403,
            "patient_context_needs_key",
            "context.patient needs an API key that allows it, and this server has issued none: leave it out.",
        )
    return ChatRequest(
        messages=tuple(Message(role=m.role, content=m.content) for m in chat.messages),
        stream=chat.stream,
        collection=_collection(chat.collection),
        language=_code(_first(chat.language, chat.lang, context.language, context.lang), parse_language, "language"),
        country=_code(
            _first(chat.countryCode, chat.country, context.countryCode, context.country), parse_country, "countryCode"
        ),
        ignored=_names([*(chat.model_extra or {}), *(f"context.{key}" for key in extra)]),
    )


def _told(exc: ValidationError) -> list[dict[str, str]]:
    """Field paths and reasons; never the value. Paths are of our own fields, so they hold no one's words."""
    told = []
    for error in exc.errors(include_input=False, include_url=False, include_context=False)[:20]:
        reason = error["msg"].removeprefix("Value error, ")
        if error["type"] == "literal_error":
            reason = "must be 'user' or 'assistant' (a system message is not accepted)"
        told.append({"field": ".".join(str(part) for part in error["loc"]) or "messages", "reason": reason})
    return told


def _first(*values: str | None) -> str | None:
    return next((value for value in values if value), None)


def _code(value: str | None, parse: Callable[[str], str | None], field: str) -> str | None:
    try:
        return None if value is None else parse(value)
    except ValueError as exc:
        raise _invalid(field, f"must be {exc}") from None


def _collection(value: str) -> str:
    if not _COLLECTION.fullmatch(value):
        raise _invalid("collection", "must consist of letters, digits, '-', '_' and '.'")
    return value


def _invalid(field: str, reason: str) -> Problem:
    return Problem(
        422,
        "invalid_request",
        "Some fields have wrong values; 'errors' names them.",
        errors=[{"field": field, "reason": reason}],
    )


def _names(keys: Sequence[str]) -> tuple[str, ...]:
    """Names of ignored keys, few and short: a key can hold anything."""
    return tuple(sorted(key[:64] for key in keys)[:MAX_IGNORED])
