"""JSON lines in and out, for the batch commands."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.codes import parse_country, parse_language
from rag.errors import PermanentError

__all__ = ["Question", "read_questions", "write_line"]

Question = dict[str, Any]


def read_questions(path: Path | None) -> Iterator[Question]:
    """Questions with `id` (or BEIR's `_id`) and `text`; a line that cannot be used comes as {"id", "error"}.

    PermanentError when the file cannot be opened.
    """
    try:
        handle = sys.stdin.buffer if path is None else path.open("rb")
    except OSError as exc:
        raise PermanentError(f"{path} cannot be read: {exc.strerror}.") from exc
    try:
        for number, line in enumerate(handle, start=1):
            if line.strip():
                yield _question(line, number)
    finally:
        if path is not None:
            handle.close()


def _question(line: bytes, number: int) -> Question:
    try:
        value = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return {"id": None, "error": f"line {number} is not UTF-8"}
    except (ValueError, RecursionError):
        return {"id": None, "error": f"line {number} is not JSON"}
    if not isinstance(value, dict):
        return {"id": None, "error": f"line {number} is not a JSON object"}
    name = value.get("id", value.get("_id"))
    if not isinstance(value.get("text"), str) or not value["text"].strip():
        return {"id": name, "error": f"line {number}: field 'text' must be a non-empty string"}
    question: Question = {"id": name, "text": value["text"], "lang": None, "country": None}
    for key, parse in (("lang", parse_language), ("country", parse_country)):
        given = value.get(key)
        try:
            question[key] = None if given is None else parse(given)
        except TypeError:
            return {"id": name, "error": f"line {number}: field {key!r} must be a string"}
        except ValueError as exc:
            return {"id": name, "error": f"line {number}: field {key!r} must be {exc}"}
    return question


def write_line(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()
