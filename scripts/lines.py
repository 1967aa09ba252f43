"""JSON lines in and out, for the batch commands."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.codes import parse_country, parse_language
from rag.errors import PermanentError
from safety.sanitize import sanitize
from safety.types import Patient

__all__ = ["Question", "read_conversations", "read_questions", "write_line"]

Question = dict[str, Any]


class PatientFields(BaseModel):
    """What a record may say of the person; see `safety.types.Patient`."""

    model_config = ConfigDict(extra="forbid", strict=True)

    age: float | None = Field(default=None, ge=0, le=130, strict=False)
    sex: str = ""
    pregnant: bool = False
    conditions: list[str] = []
    medications: list[str] = []
    allergies: list[str] = []

    def patient(self) -> Patient:
        lists = {name: tuple(getattr(self, name)) for name in ("conditions", "medications", "allergies")}
        return Patient(age=self.age, sex=self.sex, pregnant=self.pregnant, **lists)


def read_questions(path: Path | None) -> Iterator[Question]:
    """Questions with `id` (or BEIR's `_id`) and `text`; a line that cannot be used comes as {"id", "error"}.

    PermanentError when the file cannot be opened.
    """
    yield from _read(path, _question)


def read_conversations(path: Path | None) -> Iterator[Question]:
    """As `read_questions`, with `text` or `messages` as `turns` (what the person said), and `patient` where given."""
    yield from _read(path, _conversation)


def _read(path: Path | None, parse: Callable[[dict[str, Any]], Question]) -> Iterator[Question]:
    try:
        handle = sys.stdin.buffer if path is None else path.open("rb")
    except OSError as exc:
        raise PermanentError(f"{path} cannot be read: {exc.strerror}.") from exc
    try:
        for number, line in enumerate(handle, start=1):
            if line.strip():
                yield _parsed(line, number, parse)
    finally:
        if path is not None:
            handle.close()


def _parsed(line: bytes, number: int, parse: Callable[[dict[str, Any]], Question]) -> Question:
    try:
        value = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return {"id": None, "error": f"line {number} is not UTF-8"}
    except (ValueError, RecursionError):
        return {"id": None, "error": f"line {number} is not JSON"}
    if not isinstance(value, dict):
        return {"id": None, "error": f"line {number} is not a JSON object"}
    name = value.get("id", value.get("_id"))
    try:
        return {"id": name, **parse(value), **_codes(value)}
    except ValueError as exc:
        return {"id": name, "error": f"line {number}: {exc}"}


def _question(value: dict[str, Any]) -> Question:
    if not isinstance(value.get("text"), str) or not sanitize(value["text"]):  # invisible characters ask nothing
        raise ValueError("field 'text' must be a non-empty string")
    return {"text": value["text"]}


def _conversation(value: dict[str, Any]) -> Question:
    if "messages" in value:
        said = map(_said, _list(value["messages"]))
        turns = [turn for turn in said if turn is not None]
        if not turns:
            raise ValueError("field 'messages' must hold a message of the user")
        if not sanitize(turns[-1]):
            raise ValueError("field 'messages': the last message of the user is empty")
    else:
        turns = [_question(value)["text"]]
    return {"turns": turns, "patient": _patient(value.get("patient"))}


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("field 'messages' must be a list of {role, content}")
    return value


def _said(message: object) -> str | None:
    """What the person said; None for a message of the assistant."""
    if not isinstance(message, dict) or not isinstance(message.get("content"), str):
        raise ValueError("field 'messages' must be a list of {role, content}")
    if message.get("role") not in ("user", "assistant"):
        raise ValueError("field 'messages': role must be user or assistant")
    return message["content"] if message["role"] == "user" else None


def _patient(value: object) -> Patient | None:
    if value is None:
        return None
    try:
        return PatientFields.model_validate(value).patient()
    except ValidationError as exc:
        error = exc.errors(include_input=False, include_url=False)[0]
        field = ".".join(["patient", *map(str, error["loc"])])
        raise ValueError(f"field {field!r}: {error['msg']}") from None


def _codes(value: dict[str, Any]) -> dict[str, str | None]:
    codes: dict[str, str | None] = {"lang": None, "country": None}
    for key, parse in (("lang", parse_language), ("country", parse_country)):
        given = value.get(key)
        try:
            codes[key] = None if given is None else parse(given)
        except TypeError:
            raise ValueError(f"field {key!r} must be a string") from None
        except ValueError as exc:
            raise ValueError(f"field {key!r} must be {exc}") from None
    return codes


def write_line(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()
