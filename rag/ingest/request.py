"""What an ingest is asked, and whether its names and defaults can be carried."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rag.errors import PermanentError
from rag.ingest.records import Defaults, FieldError, Limits, check_defaults

__all__ = ["IngestRequest", "check_request"]

_COLLECTION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_NAME_LIMIT = 100


@dataclass(frozen=True, kw_only=True)
class IngestRequest:
    """What to ingest. `corpus_version` None means date and running number; `keyword_only` leaves vectors for later."""

    path: Path
    collection: str
    source: str
    defaults: Defaults = field(default_factory=Defaults)
    limits: Limits = field(default_factory=Limits)
    corpus_version: str | None = None
    keyword_only: bool = False

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "path": str(self.path.resolve())}

    @staticmethod
    def from_json(values: Mapping[str, Any]) -> IngestRequest:
        return IngestRequest(
            **{
                **values,
                "path": Path(values["path"]),
                "defaults": Defaults(**values["defaults"]),
                "limits": Limits(**values["limits"]),
            }
        )


def check_request(request: IngestRequest) -> None:
    """Raises PermanentError for names that no listing or path could carry, and for defaults that break a rule."""
    if not _COLLECTION.fullmatch(request.collection):
        raise PermanentError(
            f"The collection {request.collection[:_NAME_LIMIT]!r} is no name: use 1 to 64 of A-Z a-z 0-9 _ . -, "
            f"the first a letter or a digit."
        )
    for what, name in (("source", request.source), ("corpus version", request.corpus_version)):
        if name is not None and not _is_name(name):
            raise PermanentError(
                f"The {what} {name[:_NAME_LIMIT]!r} is no name: use 1 to {_NAME_LIMIT} characters without a slash, "
                f"line breaks and other control characters."
            )
    try:
        check_defaults(request.defaults)
    except FieldError as exc:
        raise PermanentError(f"The default for {exc.field}: {exc.reason}.") from exc


def _is_name(name: str) -> bool:
    return (
        0 < len(name.strip()) <= len(name) <= _NAME_LIMIT
        and "/" not in name
        and not any(unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} for char in name)
    )
