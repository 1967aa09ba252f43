"""Search engines that name pages: Tavily's REST API and DuckDuckGo's page without scripts.

They are asked for addresses only. What a page says is read from the page itself (`web_search`).

For DuckDuckGo no library is used: `ddgs` drives the same address with a client that poses as a browser to get around
its limits; this one says who it is, can be tried over plain HTTP, and takes a refusal for what it is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Protocol

import httpx
from selectolax.lexbor import LexborHTMLParser

from rag.errors import ProviderBusy, ProviderError, ProviderRejected, ProviderTimeout
from rag.text import fold_space

__all__ = ["MAX_QUERY", "DuckDuckGo", "Hit", "SearchEngine", "Tavily"]

MAX_QUERY = 300
"""Characters of a query; Tavily refuses more than 400."""


@dataclass(frozen=True, kw_only=True)
class Hit:
    """What an engine says of a page: nothing that an answer may rest on before the page was read."""

    url: str
    title: str


class SearchEngine(Protocol):
    @property
    def name(self) -> str: ...

    async def find(self, client: httpx.AsyncClient, query: str, domains: Sequence[str], limit: int) -> list[Hit]:
        """At most `limit` pages, best first, of these domains if the engine keeps to them. ProviderError else."""
        ...


class Tavily:
    """https://docs.tavily.com/documentation/api-reference/endpoint/search"""

    name = "tavily"
    url = "https://api.tavily.com/search"

    def __init__(self, key: str) -> None:
        self._key = key

    async def find(self, client: httpx.AsyncClient, query: str, domains: Sequence[str], limit: int) -> list[Hit]:
        asked = {
            "query": query,
            "search_depth": "basic",
            "max_results": limit,
            "include_domains": list(domains),
            "include_answer": False,
            "include_raw_content": False,
        }
        headers = {"authorization": f"Bearer {self._key}"}
        response = await _post(client, "Tavily", self.url, json=asked, headers=headers)
        try:
            results: Any = response.json()["results"]
            return [Hit(url=str(row["url"]), title=str(row.get("title") or "")) for row in results][:limit]
        except (json.JSONDecodeError, UnicodeDecodeError, LookupError, TypeError, AttributeError) as exc:
            raise ProviderError("Tavily answered in a form that cannot be read.") from exc


class DuckDuckGo:
    """The page for browsers without scripts; it needs no key. Status 202 is its way to say "too many requests"."""

    name = "duckduckgo"
    url = "https://html.duckduckgo.com/html/"
    _DOMAINS = 8
    """Domains that one query can name before it finds nothing any more."""

    async def find(self, client: httpx.AsyncClient, query: str, domains: Sequence[str], limit: int) -> list[Hit]:
        sites = " OR ".join(f"site:{domain}" for domain in domains[: self._DOMAINS])
        # POST, so that the question stands in no address that a proxy writes down.
        response = await _post(client, "DuckDuckGo", self.url, data={"q": f"{query} ({sites})", "kl": "wt-wt"})
        page = LexborHTMLParser(response.content)
        if page.css_first("[class^=anomaly], #challenge-form") is not None:
            raise ProviderBusy("DuckDuckGo asks whether a person is searching.")
        if page.css_first("#links, .results, .no-results") is None:
            raise ProviderError("DuckDuckGo answered in a form that cannot be read.")
        links = page.css(".result:not(.result--ad) a.result__a[href]")
        hits = (Hit(url=_target(link.attributes["href"] or ""), title=fold_space(link.text())) for link in links)
        return [hit for hit in hits if hit.url][:limit]


def _target(href: str) -> str:
    """The page that a result's link leads to, past DuckDuckGo's own redirect ("//duckduckgo.com/l/?uddg=…")."""
    try:
        url = httpx.URL(f"https:{href}" if href.startswith("//") else href)
    except httpx.InvalidURL:
        return ""
    is_redirect = url.host in ("duckduckgo.com", "html.duckduckgo.com") and url.path == "/l/"
    return url.params.get("uddg", "") if is_redirect else str(url)


async def _post(client: httpx.AsyncClient, name: str, url: str, **request: Any) -> httpx.Response:
    """The engine's answer with status 200; everything else is one of our own errors, without a word of the query."""
    try:
        response = await client.post(url, **request)
    except httpx.TimeoutException as exc:
        raise ProviderTimeout(f"{name} did not answer in time.") from exc
    except (httpx.HTTPError, httpx.InvalidURL) as exc:
        raise ProviderBusy(f"{name} cannot be reached ({type(exc).__name__}).") from exc
    status = response.status_code
    if status == HTTPStatus.OK:
        return response
    if status in (HTTPStatus.ACCEPTED, HTTPStatus.TOO_MANY_REQUESTS) or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise ProviderBusy(f"{name} serves no request at present (status {status}).")
    if status == HTTPStatus.UNAUTHORIZED:
        raise ProviderRejected(f"{name} refused the key.")
    raise ProviderRejected(f"{name} refused the request (status {status}).")
