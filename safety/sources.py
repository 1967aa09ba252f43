"""The public pages that rules and fixed texts are founded on, and what is said of a table that cannot be used."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

__all__ = ["RuleTableError", "Source", "load_sources", "read_source", "read_toml"]

SOURCES: Traversable = resources.files("safety") / "sources.toml"


class RuleTableError(Exception):
    """A table that cannot be used. The message names the file, the rule and the field."""

    def __init__(self, file: str, where: str, field: str, problem: str) -> None:
        super().__init__(f"{file}: {where}: {field}: {problem}")
        self.file, self.where, self.field, self.problem = file, where, field, problem


@dataclass(frozen=True, kw_only=True)
class Source:
    """A public page and the day it was looked at, where that was written down."""

    organisation: str
    url: str
    seen: str = ""


@functools.cache
def load_sources() -> Mapping[str, Source]:
    """The guidance that rules and texts name by key: the same for all languages."""
    return {key: read_source(SOURCES, key, row) for key, row in read_toml(SOURCES).items()}


def read_toml(path: Traversable) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RuleTableError(path.name, "table", "toml", str(error)) from error


def read_source(path: Traversable, where: str, row: Any) -> Source:
    for key in ("organisation", "url", "seen"):
        if not isinstance(row, dict) or not str(row.get(key, "")).strip():
            raise RuleTableError(path.name, where, key, "is missing")
    return Source(organisation=row["organisation"], url=row["url"], seen=str(row["seen"]))
