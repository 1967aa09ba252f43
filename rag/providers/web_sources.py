"""The publishers whose pages an answer may draw on beside the corpus, by collection: `data/web_sources.toml`.

A page counts by its address alone: https, the usual port, and a domain and path that a row of the list names.
"""

from __future__ import annotations

import datetime
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from rag.errors import WebSourceError

__all__ = ["WebSource", "WebSources"]

_WORST_RANK = 9
_REQUIRED = ("collection", "organization", "domain", "rank", "why", "seen")
_OPTIONAL = ("path", "topics", "jurisdiction", "licence")


@dataclass(frozen=True, kw_only=True)
class WebSource:
    """A publisher: `domain` with its subdomains, under `path`. `rank` as in `Chunk.hierarchy_rank` (1 is best).

    `why` says what makes it trustworthy, `seen` (ISO 8601) when somebody looked at it last.
    """

    collection: str
    organization: str
    domain: str
    rank: int
    why: str
    seen: str
    path: str = "/"
    topics: tuple[str, ...] = ()
    jurisdiction: str | None = None
    licence: str = ""

    def holds(self, url: httpx.URL) -> bool:
        at_home = url.host == self.domain or url.host.endswith("." + self.domain)
        return at_home and f"{url.path.rstrip('/')}/".startswith(self.path)


class WebSources:
    """The list, read and checked once."""

    def __init__(self, sources: Iterable[WebSource]) -> None:
        self._sources = tuple(sorted(sources, key=lambda s: (-len(s.domain), -len(s.path))))  # the narrowest first

    @classmethod
    def load(cls, path: Path) -> WebSources:
        """WebSourceError names the file, the row and the field that cannot be used."""
        try:
            rows = tomllib.loads(path.read_text(encoding="utf-8")).get("source", [])
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as exc:
            raise WebSourceError(f"{path.name} cannot be read: {exc}.") from exc
        return cls(_source(row, f"{path.name}, source {number}") for number, row in enumerate(rows, start=1))

    def collections(self) -> frozenset[str]:
        return frozenset(source.collection for source in self._sources)

    def domains(self, collection: str) -> tuple[str, ...]:
        """The domains of a collection, the most binding first."""
        mine = [source for source in self._sources if source.collection == collection]
        return tuple(dict.fromkeys(s.domain for s in sorted(mine, key=lambda s: (s.rank, s.domain))))

    def of(self, url: httpx.URL, collection: str) -> WebSource | None:
        """The publisher of a page, or None for one that no answer of this collection may use."""
        if url.scheme != "https" or url.port is not None or url.userinfo:
            return None
        mine = (source for source in self._sources if source.collection == collection)
        return next((source for source in mine if source.holds(url)), None)


def _source(row: dict[str, Any], place: str) -> WebSource:
    for key in row:
        if key not in (*_REQUIRED, *_OPTIONAL):
            raise WebSourceError(f"{place}: there is no field {key!r}.")
    for key in _REQUIRED:
        if key not in row:
            raise WebSourceError(f"{place}: {key} is missing.")
    domain, rank, seen = row["domain"], row["rank"], row["seen"]
    if not isinstance(domain, str) or domain != domain.lower() or "." not in domain or "/" in domain or ":" in domain:
        raise WebSourceError(f"{place}: domain must be a host name in small letters such as 'nhs.uk', not {domain!r}.")
    if not isinstance(rank, int) or not 1 <= rank <= _WORST_RANK:
        raise WebSourceError(f"{place}: rank must be a whole number from 1 to {_WORST_RANK}, not {rank!r}.")
    if not isinstance(seen, datetime.date):
        raise WebSourceError(f"{place}: seen must be a date such as 2026-12-01, not {seen!r}.")
    path = row.get("path", "/")
    if not isinstance(path, str) or not (path.startswith("/") and path.endswith("/")):
        raise WebSourceError(f"{place}: path must begin and end with '/', not {path!r}.")
    return WebSource(**{**row, "path": path, "seen": seen.isoformat(), "topics": tuple(row.get("topics", ()))})
