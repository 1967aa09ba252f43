"""A stand-in for the service on loopback: every stream that a page can meet, cut byte by byte where a test wants it.

The question chooses the script of `scripts`. Events are the real ones, encoded by the real wire, and the page comes
with the real headers, so that the fake cannot drift from the service.
"""

from __future__ import annotations

import json
import mimetypes
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from app.main import PAGE_HEADERS, WEB
from rag.types import Status
from tests.browser.facts import CHUNKS, RECEIPT_ID, VERSION, receipt_of
from tests.browser.scripts import SCRIPTS, Cut, End, Hold, Refused, Step, frame

__all__ = ["FakeServer", "fake_server"]

HOLD_SECONDS = 20


@dataclass
class FakeServer:
    """A running fake: where it is, what it was asked, and how to let a held stream go on."""

    url: str = ""
    health: dict[str, Any] = field(default_factory=dict)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    left: threading.Event = field(default_factory=threading.Event)
    _go_on: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def reset(self) -> None:
        """As new, for the next test."""
        self.bodies.clear()
        self.paths.clear()
        self.left.clear()
        self._go_on = threading.Semaphore(0)
        self.health = {
            "ready": True,
            "corpus": {"health": {"corpus_version": VERSION, "passages": 1234, "vectors": True}},
            "degraded": [],
        }

    def release(self) -> None:
        self._go_on.release()

    def hold(self) -> None:
        self._go_on.acquire(timeout=HOLD_SECONDS)


@contextmanager
def fake_server() -> Iterator[FakeServer]:
    """A fake on a free port of the loopback interface."""
    fake = FakeServer()
    fake.reset()
    handler = type("Handler", (_Handler,), {"fake": fake})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        fake.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield fake
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    fake: FakeServer

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        self.fake.paths.append(self.path)
        if url.path == "/":
            self._send(200, (WEB / "index.html").read_bytes(), "text/html; charset=utf-8", PAGE_HEADERS)
        elif url.path.startswith("/static/") and (WEB / url.path[8:]).is_file():
            kind = mimetypes.guess_type(url.path)[0] or "application/octet-stream"
            self._send(200, (WEB / url.path[8:]).read_bytes(), kind)
        elif url.path == "/api/health":
            self._json(200, self.fake.health)
        elif url.path == f"/api/receipts/{RECEIPT_ID}":
            self._json(200, receipt_of(Status.STOPPED).as_json())
        elif url.path.startswith("/api/chunks/"):
            self._chunk(unquote(url.path[12:]), parse_qs(url.query))
        else:
            self._json(404, {"detail": "There is nothing at this address."})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.fake.bodies.append(body)
        script = SCRIPTS.get(body["messages"][-1]["content"], SCRIPTS["answer"])()
        if isinstance(script, Refused):
            self._json(script.status, script.body, "application/problem+json")
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        try:
            self._play(script)
        except OSError:
            self.close_connection = True
            self.fake.left.set()

    def _play(self, script: Sequence[Step]) -> None:
        for step in script:
            match step:
                case Hold():
                    self.fake.hold()
                case Cut():
                    self.close_connection = True
                    return
                case End():
                    break
                case bytes():
                    self._piece(step)
                case _:
                    self._piece(frame(step))
        self.wfile.write(b"0\r\n\r\n")

    def _piece(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _chunk(self, chunk_id: str, query: dict[str, list[str]]) -> None:
        chunk = CHUNKS.get(chunk_id)
        if chunk is None or query.get("corpus_version") != [VERSION]:
            self._json(404, {"detail": "There is no passage with this id in that version."})
            return
        fields = {key: value for key, value in asdict(chunk).items() if key != "id"}
        self._json(200, {**fields, "corpus_version": VERSION})

    def _json(self, status: int, body: dict[str, Any], kind: str = "application/json") -> None:
        self._send(status, json.dumps(body).encode(), kind)

    def _send(self, status: int, body: bytes, kind: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"content-type": kind, "content-length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing: what was asked belongs in no log, in tests as in service."""
