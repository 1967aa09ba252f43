"""Web pages as evidence: an engine names them, a list of trusted publishers decides, and the page itself is read.

    query → engine → addresses on the list → pages, read now → passages with publisher, rank, day and hash

What is off the list, moves off it, cannot be read, or speaks to machines is dropped. Nothing is kept but the passages,
in memory, for a while, under a keyed hash of what was asked.
"""

from __future__ import annotations

import asyncio
import datetime
import hashlib
import secrets
import ssl
import time
from collections.abc import Callable, Sequence
from http import HTTPStatus

import anyio
import httpx
import structlog
from cachetools import TTLCache

from rag.errors import ProviderTimeout
from rag.ingest.chunk import Piece, chunk_document
from rag.ingest.outline import sections
from rag.ingest.passage import new_chunks
from rag.ingest.records import Document, Provenance
from rag.language import identify_language
from rag.providers.web_engines import MAX_QUERY, Hit, SearchEngine
from rag.providers.web_page import read_page
from rag.providers.web_sources import WebSource, WebSources
from rag.types import Chunk
from rag.untrusted import instructs_machines
from rag.words import content_stems, words

__all__ = ["TrustedWeb"]

log = structlog.get_logger("galen.web")

_USER_AGENT = "Galen/0.1 (health information; reads single pages on request)"
_MAX_BYTES = 2_000_000
_MAX_HOPS = 3
_MAX_PASSAGES = 12
_CACHED_SEARCHES = 256
_TYPES = ("text/html", "application/xhtml+xml")
_SOURCE = "web"


class TrustedWeb:
    """A `WebSearch` over one engine and the list of publishers.

    Everything together takes `seconds` at most; pages that are late are left out. Searches are kept for `keep_seconds`
    (0 keeps none). `transport` and `now` are for tests: what carries the requests, and a clock in seconds.
    """

    def __init__(
        self,
        engine: SearchEngine,
        sources: WebSources,
        collections: Sequence[str],
        *,
        count_tokens: Callable[[str], int],
        seconds: float = 8.0,
        keep_seconds: float = 3600.0,
        transport: httpx.AsyncBaseTransport | None = None,
        now: Callable[[], float] = time.monotonic,
        today: Callable[[], datetime.date] = datetime.date.today,
    ) -> None:
        self._engine, self._sources, self._collections = engine, sources, frozenset(collections)
        self._count_tokens, self._seconds, self._today = count_tokens, seconds, today
        self._transport = transport
        self._tls = ssl.create_default_context()
        self._secret = secrets.token_bytes(32)
        self._kept: TTLCache[bytes, tuple[Chunk, ...]] = TTLCache(_CACHED_SEARCHES, keep_seconds, timer=now)

    @property
    def name(self) -> str:
        return self._engine.name

    def allows(self, collection: str) -> bool:
        """Whether answers of this collection may use web pages."""
        return collection in self._collections

    async def search(self, query: str, collection: str, limit: int) -> tuple[Chunk, ...]:
        """The passages of at most `limit` pages, best first. ProviderError when the engine does not serve."""
        query = query[:MAX_QUERY]
        key = hashlib.blake2b(f"{collection}\x1f{limit}\x1f{query}".encode(), key=self._secret).digest()
        if (kept := self._kept.get(key)) is not None:
            return kept
        deadline = asyncio.get_running_loop().time() + self._seconds
        async with self._client() as client:
            try:
                async with asyncio.timeout_at(deadline):
                    hits = await self._engine.find(client, query, self._sources.domains(collection), limit * 2)
            except TimeoutError as exc:
                raise ProviderTimeout(f"{self.name} did not answer in time.") from exc
            wanted = self._allowed(hits, collection)[:limit]
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._read(client, url, query, collection, deadline)) for url in wanted]
        pages = [page for task in tasks if (page := task.result())]
        log.info("web_search", engine=self.name, named=len(hits), on_the_list=len(wanted), read=len(pages))
        passages = tuple(chunk for page in pages for chunk in page)
        if len(pages) == len(wanted):  # a page that failed is tried again the next time
            self._kept[key] = passages
        return passages

    def _client(self) -> httpx.AsyncClient:
        """A client for one search: a kept one would outlive the event loop that it was made in."""
        return httpx.AsyncClient(
            transport=self._transport,
            verify=self._tls,
            timeout=self._seconds,
            headers={"user-agent": _USER_AGENT},
            follow_redirects=False,
            trust_env=self._transport is None,
        )

    def _allowed(self, hits: Sequence[Hit], collection: str) -> list[httpx.URL]:
        """The addresses that are on the list, each once."""
        urls: dict[str, httpx.URL] = {}
        for hit in hits:
            try:
                url = httpx.URL(hit.url).copy_with(fragment=None)
            except (httpx.InvalidURL, TypeError, ValueError):
                continue
            if self._sources.of(url, collection) is not None:
                urls.setdefault(str(url), url)
        return list(urls.values())

    async def _read(
        self, client: httpx.AsyncClient, url: httpx.URL, query: str, collection: str, deadline: float
    ) -> list[Chunk] | None:
        """The passages of a page; None for one that cannot be used, whatever the reason."""
        try:
            async with asyncio.timeout_at(deadline):
                fetched = await self._fetch(client, url, collection)
                if fetched is None:
                    return None
                source, last, body = fetched
                return await anyio.to_thread.run_sync(
                    self._passages, source, last, body, query, collection, abandon_on_cancel=True
                )
        except Exception as exc:  # the web sends anything; one page that cannot be used must not end a turn
            log.info("web_page_dropped", reason=type(exc).__name__)
            return None

    async def _fetch(
        self, client: httpx.AsyncClient, url: httpx.URL, collection: str
    ) -> tuple[WebSource, httpx.URL, bytes] | None:
        """The page with its publisher and last address; every step of a redirect must be on the list too."""
        for _ in range(_MAX_HOPS + 1):
            if (source := self._sources.of(url, collection)) is None:
                return None
            async with client.stream("GET", url) as response:
                if response.next_request is not None:
                    url = response.next_request.url
                    continue
                kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
                if response.status_code != HTTPStatus.OK or kind not in _TYPES:
                    return None
                body = bytearray()
                async for part in response.aiter_bytes():
                    body += part
                    if len(body) > _MAX_BYTES:
                        return None
                return source, url, bytes(body)
        return None

    def _passages(
        self, source: WebSource, url: httpx.URL, body: bytes, query: str, collection: str
    ) -> list[Chunk] | None:
        """A page, cut as documents are; of a long one the passages that share most words with the query. Blocking."""
        page = read_page(body)
        if page is None or instructs_machines(f"{page.title}\n{page.body}"):
            return None
        _, parts = sections(page.body, page.title)
        document = Document.of(
            Provenance(
                organization=source.organization,
                url=str(url),
                version_date=page.version_date,
                lang=page.lang or identify_language(page.body[:1000]),
                topic=source.topics[0] if len(source.topics) == 1 else "",
                licence=source.licence,
                jurisdiction=source.jurisdiction,
                doc_type="web",
                hierarchy_rank=source.rank,
                date_seen=self._today().isoformat(),
            ),
            doc_id=f"web:{hashlib.sha256(str(url).encode()).hexdigest()[:16]}",
            title=page.title,
            sections=parts,
            origin=str(url),
        )
        pieces = _best(chunk_document(document, self._count_tokens), query)
        return [
            Chunk(
                id=0, chunk_id=row.chunk_id, doc_id=document.doc_id, source=_SOURCE, title=document.title,
                heading=row.heading, text=row.text, organization=document.organization, url=document.url,
                version_date=document.version_date, lang=document.lang, topic=document.topic, licence=document.licence,
                jurisdiction=document.jurisdiction, doc_type=document.doc_type, hierarchy_rank=document.hierarchy_rank,
                effective_from=None, content_hash=row.content_hash, ordinal=row.ordinal, date_seen=document.date_seen,
                web=True,
            )
            for row in new_chunks(document, pieces, collection, _SOURCE)
        ]  # fmt: skip


def _best(pieces: Sequence[Piece], query: str) -> list[Piece]:
    """At most `_MAX_PASSAGES`, in the page's order."""
    asked = content_stems(words(query))
    ranked = sorted(pieces, key=lambda piece: -len(asked & content_stems(words(f"{piece.heading}\n{piece.text}"))))
    return sorted(ranked[:_MAX_PASSAGES], key=lambda piece: piece.ordinal)
