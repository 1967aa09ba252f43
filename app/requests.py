"""Request bodies, validated once. What is wrong is named by field; what was sent is never repeated.

Both shapes of earlier clients are understood: `language` and `countryCode` at top level, and inside `context`; the
top level wins. Unknown keys are ignored and their names reported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from starlette.requests import Request

from app.errors import Problem
from rag.types import Message
from safety.sanitize import sanitize

__all__ = ["ChatRequest", "parse_chat", "read_json"]

MAX_BODY_BYTES = 1_000_000
MAX_MESSAGES = 200
MAX_MESSAGE_CHARS = 20_000
MAX_TOTAL_CHARS = 200_000
MAX_IGNORED = 20

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*")
_COUNTRY = re.compile(r"[A-Za-z]{2}")
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
    """The body as JSON. Problem 413 when too large, 400 when it is no JSON."""
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > MAX_BODY_BYTES:
            raise Problem(413, "body_too_large", f"The body is larger than {MAX_BODY_BYTES:,} bytes: send less.")
        chunks.append(chunk)
    try:
        return json.loads(b"".join(chunks).decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise Problem(400, "not_json", "The body must be JSON in UTF-8.") from None


def _refuse_constant(_: str) -> None:
    raise ValueError("NaN and Infinity are not JSON")


def parse_chat(body: Any) -> ChatRequest:
    """Checks a chat body. Problem 422 names the fields, 403 a patient context without a key."""
    if not isinstance(body, dict):
        raise Problem(422, "invalid_request", "The body must be a JSON object with 'messages'.")
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
        collection=_matched(chat.collection, _COLLECTION, "collection", "letters, digits, '-', '_' and '.'"),
        language=_language(_first(chat.language, chat.lang, context.language, context.lang)),
        country=_country(_first(chat.countryCode, chat.country, context.countryCode, context.country)),
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


def _matched(value: str, pattern: re.Pattern[str], field: str, form: str) -> str:
    if not pattern.fullmatch(value):
        raise Problem(
            422,
            "invalid_request",
            "Some fields have wrong values; 'errors' names them.",
            errors=[{"field": field, "reason": f"must consist of {form}"}],
        )
    return value


def _language(value: str | None) -> str | None:
    if value is None:
        return None
    _matched(value, _LANGUAGE, "language", "a language code such as en or pt-BR")
    return re.split("[-_]", value)[0].lower()


def _country(value: str | None) -> str | None:
    if value is None:
        return None
    return _matched(value, _COUNTRY, "countryCode", "a two-letter country code such as DE").upper()


def _names(keys: Sequence[str]) -> tuple[str, ...]:
    """Names of ignored keys, few and short: a key can hold anything."""
    return tuple(sorted(key[:64] for key in keys)[:MAX_IGNORED])
