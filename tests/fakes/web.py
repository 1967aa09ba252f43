"""A small web on the loopback: a real HTTP server that plays any hosts, and the transport that leads requests to it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote

import httpx

__all__ = ["Asked", "LocalWeb", "Reply", "duckduckgo_page", "local_web", "page", "tavily_json"]


@dataclass
class Reply:
    """What a host says at a path. `stall` keeps the connection open without a word until the server closes."""

    body: bytes | str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"content-type": "text/html; charset=utf-8"})
    stall: bool = False


@dataclass(frozen=True)
class Asked:
    method: str
    url: str
    headers: dict[str, str]
    body: bytes


class LocalWeb:
    """`pages` maps "host/path" (without a query) to replies; everything that was asked stands in `asked`."""

    def __init__(self) -> None:
        self.pages: dict[str, Reply] = {}
        self.asked: list[Asked] = []
        self.closing = threading.Event()
        web = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _serve(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                host = self.headers["host"]
                web.asked.append(Asked(self.command, f"{host}{self.path}", dict(self.headers.items()), body))
                reply = web.pages.get(f"{host}{self.path.partition('?')[0]}", Reply("not here", 404))
                if reply.stall:
                    web.closing.wait()
                    return
                content = reply.body.encode() if isinstance(reply.body, str) else reply.body
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                try:
                    self.wfile.write(content)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            do_GET = do_POST = _serve

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True

    def transport(self) -> httpx.AsyncBaseTransport:
        return _Rerouted(self.server.server_address[1])

    def asked_of(self, host: str) -> list[Asked]:
        return [asked for asked in self.asked if asked.url.startswith(host + "/")]


class _Rerouted(httpx.AsyncBaseTransport):
    """Every request goes to the local server, over HTTP, with the host that it was meant for in its header."""

    def __init__(self, port: int) -> None:
        self._port, self._inner = port, httpx.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url.copy_with(scheme="http", host="127.0.0.1", port=self._port)
        led = httpx.Request(
            request.method, url, headers=request.headers, stream=request.stream, extensions=request.extensions
        )
        return await self._inner.handle_async_request(led)

    async def aclose(self) -> None:
        await self._inner.aclose()


@contextmanager
def local_web() -> Iterator[LocalWeb]:
    web = LocalWeb()
    thread = threading.Thread(target=web.server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield web
    finally:
        web.closing.set()
        web.server.shutdown()
        web.server.server_close()
        thread.join()


def tavily_json(*urls: str) -> Reply:
    """An answer of Tavily's: addresses, and texts of its own that nobody may believe."""
    results = [
        {"url": url, "title": "As Tavily has it", "content": "Tavily's own words.", "score": 0.9} for url in urls
    ]
    body = json.dumps({"query": "q", "results": results, "response_time": 0.1})
    return Reply(body, headers={"content-type": "application/json"})


def duckduckgo_page(*urls: str) -> Reply:
    """An answer of DuckDuckGo's page without scripts: redirects and direct links, and an advertisement on top."""
    rows = [
        '<div class="result result--ad"><h2><a class="result__a" '
        'href="https://duckduckgo.com/y.js?ad_provider=x">Buy pills</a></h2></div>'
    ]
    rows += [
        f'<div class="result results_links"><div class="result__body links_main"><h2 class="result__title">'
        f'<a rel="nofollow" class="result__a" href="{_link(url, n)}">'
        f'A <b>page</b></a></h2><a class="result__snippet" href="#">Its own words.</a></div></div>'
        for n, url in enumerate(urls)
    ]
    return Reply(f'<html><body><div id="links" class="results">{"".join(rows)}</div></body></html>')


def _link(url: str, n: int) -> str:
    return escape(url) if n % 2 else f"//duckduckgo.com/l/?uddg={quote(url, safe='')}&amp;rut=ab"


def page(title: str, *paragraphs: str, lang: str = "en") -> Reply:
    """A page with navigation around its text."""
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return Reply(
        f'<!doctype html><html lang="{lang}-GB"><head><title>{title} - Site</title></head><body>'
        f"<nav><ul><li>Home</li><li>Cookies</li></ul></nav><main><h1>{title}</h1>{text}</main>"
        f"<footer>Buy now</footer></body></html>"
    )
