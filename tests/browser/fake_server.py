"""A stand-in for the service on loopback: every stream that a page can meet, cut byte by byte where a test wants it.

The question chooses the script. Events are the real ones, encoded by the real wire, and the page comes with the real
headers, so that the fake cannot drift from the service.
"""

from __future__ import annotations

import asyncio
import json
import mimetypes
import threading
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from app.main import PAGE_HEADERS, WEB
from app.wire import native
from rag.events import CardShown, Delta, Done, Event, Failed, ReceiptReady, RiskFound, SourcesFound, Stage, Started
from rag.receipt import Receipt, retrieved_sources
from rag.types import Chunk, Citation, Evidence, Route, Scores, Status

__all__ = ["HOSTILE", "RECEIPT_ID", "VERSION", "FakeServer", "fake_server", "frame"]

VERSION = "2026-11-30.1"
RECEIPT_ID = "0123456789abcdef0123456789abcdef"
HOSTILE = "<img src=x onerror=window.__pwned=1>"
HOLD_SECONDS = 20


@dataclass(frozen=True)
class Hold:
    """The stream waits here until the test calls `release`."""


@dataclass(frozen=True)
class Cut:
    """The connection breaks here, in the middle of the response."""


@dataclass(frozen=True)
class End:
    """The response ends here in good order, as a proxy would end it, though the turn has not."""


@dataclass(frozen=True, kw_only=True)
class Refused:
    """An HTTP error in place of a stream."""

    status: int
    body: dict[str, Any]


Step = Event | bytes | Hold | Cut | End
Script = Sequence[Step] | Refused


# -- what the fake knows ----------------------------------------------------------------------------------------------


def _chunk(n: int, title: str, **more: Any) -> Chunk:
    fields: dict[str, Any] = {
        "id": n,
        "chunk_id": f"health/doc-{n}#{n}",  # '/' and '#' must survive the way into a URL
        "doc_id": f"doc-{n}",
        "source": "bundled",
        "title": title,
        "heading": "Symptoms › Early signs",
        "text": f"Passage {n}, first line.\n- a point of passage {n}\n- another point",
        "organization": "World Health Organization",
        "url": f"https://www.who.int/page-{n}",
        "version_date": "2026-03-14",
        "lang": "en",
        "topic": "diabetes",
        "licence": "CC BY-NC-SA 3.0 IGO",
        "jurisdiction": None,
        "doc_type": "patient_information",
        "hierarchy_rank": 2,
        "effective_from": None,
        "content_hash": "0" * 64,
        "ordinal": n,
    }
    return Chunk(**{**fields, **more})


def _evidence(*chunks: Chunk) -> tuple[Evidence, ...]:
    scores = Scores(dense=0.8712, keyword=6.25, fused=0.03, rerank=None)
    return tuple(Evidence(chunk=chunk, scores=scores) for chunk in chunks)


DIABETES = _evidence(
    _chunk(1, "Type 2 diabetes"),
    _chunk(2, "Type 2 diabetes", heading="Tests", version_date=None, organization="healthdirect Australia"),
    _chunk(3, "Diabetes: questions and answers", heading=""),
)
TRAP = _evidence(
    _chunk(
        4,
        HOSTILE,
        heading="<svg onload=window.__pwned=1>",
        text='<script>window.__pwned=1</script>\n[x](javascript:alert(1))\n"><img src=x onerror=window.__pwned=1>',
        organization="<b>org</b>",
        url="javascript:window.__pwned=1",
        licence="<i>any</i>",
    ),
    _chunk(5, "\u202egnol si siht‮", url="https://evil.example/%22onclick=%22x"),
)
CHUNKS = {evidence.chunk.chunk_id: evidence.chunk for evidence in (*DIABETES, *TRAP)}


def _receipt(status: Status, evidence: tuple[Evidence, ...] = (), used: Sequence[int] = (), **more: Any) -> Receipt:
    fields: dict[str, Any] = {
        "id": RECEIPT_ID,
        "status": status,
        "created_at": "2026-11-30T14:00:00.000+00:00",
        "collection": "health",
        "language": "en",
        "risk_class": "R0",
        "ruleset": "en-1",
        "provider": "extractive" if used else None,
        "model": "extractive-1" if used else None,
        "corpus_version": VERSION,
        "embed_model": "intfloat/multilingual-e5-small",
        "route": Route.CORRECT if used else Route.NONE,
        "sources": retrieved_sources(evidence, frozenset(used)),
        "groundedness": 1.0 if used else None,
        "judge": "heuristic",
        "stages": {"assess": 1.24, "embed": 14.0, "retrieve": 9.51, "first_text": 32.9, "answer": 60.2},
        "app_version": "0.1.0",
    }
    return Receipt(**{**fields, **more})


def _ending(status: Status, evidence: tuple[Evidence, ...] = (), used: Sequence[int] = (), **more: Any) -> list[Event]:
    receipt = _receipt(status, evidence, used, **more)
    if status is Status.FAILED:
        message = "The answer could not be written just now. Please ask again in a moment."
        return [ReceiptReady(receipt=receipt), Failed(code="provider_failed", message=message)]
    citations = tuple(
        Citation(
            n=n,
            chunk_id=evidence[n - 1].chunk.chunk_id,
            title=evidence[n - 1].chunk.title,
            organization=evidence[n - 1].chunk.organization,
            url=evidence[n - 1].chunk.url,
            version_date=evidence[n - 1].chunk.version_date,
        )
        for n in used
    )
    return [ReceiptReady(receipt=receipt), Done(status=status, citations=citations)]


STARTED = Started(id=RECEIPT_ID, collection="health", corpus_version=VERSION)


def _opening(evidence: tuple[Evidence, ...] = ()) -> list[Event]:
    start: list[Event] = [STARTED, Stage(stage="retrieving")]
    return [*start, SourcesFound(evidence=evidence), Stage(stage="answering")] if evidence else start


def _deltas(*texts: str) -> list[Event]:
    return [Delta(text=text) for text in texts]


BANNER = RiskFound(
    risk_class="R5",
    rule_ids=("cardiac.chest_pain_radiating",),
    banner=True,
    text="This may be a heart attack. Call 112 now. Do not drive yourself.",
    numbers={"emergency": "112", "crisis": "116 123 or 0800 111 0 111", "text": "send HELLO to 741741"},
    steps=("Sit down and rest.", "Loosen tight clothes.", "Do not eat or drink."),
)
NOTICE = RiskFound(
    risk_class="R2",
    rule_ids=("pregnancy.medicine",),
    banner=False,
    text="You mention a pregnancy: ask your midwife, doctor or pharmacist before you take any medicine.",
    numbers={},
)
WORLD = "症状 😀👩‍⚕️ é ß Ω أعراض 结束"


def _bytewise(events: Sequence[Event]) -> list[bytes]:
    """The events one byte at a time: every character beyond ASCII is split."""
    return [bytes([byte]) for event in events for byte in frame(event)]


SCRIPTS: dict[str, Callable[[], Script]] = {
    "answer": lambda: [
        *_opening(DIABETES),
        *_deltas(
            "Early signs of type 2 diabetes come on slowly. [1]",
            "\n- feeling thirsty often [1]",
            "\n- passing more urine, mostly at night [1][3]",
            "\n- losing weight without trying [3]",
            "\n\nA blood test can show it before there are any signs. [1]",
            " Ask a doctor about a test if you have these signs.",
        ),
        *_ending(Status.ANSWERED, DIABETES, (1, 3)),
    ],
    "slow": lambda: [
        *_opening(DIABETES),
        *_deltas("First part. [1]"),
        Hold(),
        *_deltas("\n\nSecond part. [3]"),
        Hold(),
        *_deltas("\n\nThird part. [1]"),
        *_ending(Status.ANSWERED, DIABETES, (1, 3)),
    ],
    "pieces": lambda: [
        *_opening(DIABETES),
        *_deltas("One", " [", "1", "]", "[3", "] and [9", "9] and [x]"),
        *_deltas("\n", "-", " a ", "point", "\n- b", "\n", "\n", "End", "."),
        *_ending(Status.ANSWERED, DIABETES, (1, 3)),
    ],
    "bytes": lambda: [*_opening(), *_bytewise([*_deltas(WORLD), *_ending(Status.CARD)])],
    "heartbeats": lambda: [
        b": hb\n\n",
        *_opening(),
        b": hb\n\nevent: unheard_of\ndata: {}\n\n",
        b'event: delta\r\ndata: {"text":\r\ndata: "two data lines"}\r\n\r',
        b"\n: hb\n\n",
        *_ending(Status.CARD),
    ],
    "cut": lambda: [*_opening(DIABETES), *_deltas("Only this arrives. [1]"), Hold(), Cut()],
    "cut inside": lambda: [
        *_opening(DIABETES),
        *_deltas("Only this arrives. [1]"),
        b'event: delta\ndata: {"tex',
        Hold(),
        Cut(),
    ],
    "end early": lambda: [*_opening(DIABETES), *_deltas("Only this arrives. [1]"), End()],
    "no number": lambda: [
        STARTED,
        replace(BANNER, text="Call your local emergency number.", numbers={"emergency": "your local emergency number"}),
        *_ending(Status.EMERGENCY, risk_class="R5", rule_ids=BANNER.rule_ids, banner=True, corpus_version=None),
    ],
    "error": lambda: [*_opening(DIABETES), *_ending(Status.FAILED, DIABETES, error="provider_failed")],
    "problem": lambda: Refused(
        status=422,
        body={
            "status": 422,
            "code": "invalid_request",
            "detail": "Some fields have wrong values; 'errors' names them.",
            "errors": [{"field": "messages.0.content", "reason": "is longer than 20,000 characters: shorten it"}],
        },
    ),
    "busy": lambda: Refused(status=503, body={"status": 503, "detail": "Too much to do at the moment."}),
    "emergency": lambda: [
        STARTED,
        BANNER,
        *_ending(Status.EMERGENCY, risk_class="R5", rule_ids=BANNER.rule_ids, banner=True, corpus_version=None),
    ],
    "notice": lambda: [
        STARTED,
        NOTICE,
        *_opening(DIABETES)[1:],
        *_deltas("Some medicines are not safe in pregnancy. [1]"),
        *_ending(Status.ANSWERED, DIABETES, (1,), risk_class="R2", rule_ids=NOTICE.rule_ids),
    ],
    "deferral": lambda: [
        *_opening(),
        *_deltas("I did not find enough in my sources, so I will not guess.\n\nAsk a pharmacist, nurse or doctor."),
        *_ending(
            Status.DEFERRED,
            DIABETES,
            route=Route.INCORRECT,
            gate_reasons=("dense_below_floor",),
            degraded=("query_embedding",),
        ),
    ],
    "refusal": lambda: [*_opening(), *_deltas("I cannot help with this."), *_ending(Status.REFUSED)],
    "hello": lambda: [
        *_opening()[:1],
        CardShown(kind="greeting", text="Hello. What would you like to know?"),
        *_ending(Status.CARD),
    ],
    "hostile": lambda: [
        Started(id=RECEIPT_ID, collection=HOSTILE, corpus_version=VERSION),
        RiskFound(
            risk_class=HOSTILE,
            rule_ids=(HOSTILE,),
            banner=True,
            text=HOSTILE,
            numbers={HOSTILE: "javascript:alert(1)"},
            steps=(HOSTILE,),
        ),
        *_opening(TRAP)[1:],
        *_deltas(f"{HOSTILE} [x](javascript:alert(1)) <script>window.__pwned=1</script> [1]", f"\n- {HOSTILE} [2]"),
        *_ending(Status.ANSWERED, TRAP, (1, 2), rule_ids=(HOSTILE,), model=HOSTILE, degraded=(HOSTILE,)),
    ],
    "hostile error": lambda: [*_opening(), Failed(code="internal", message=HOSTILE)],
}


def frame(event: Event) -> bytes:
    """An event as the real wire sends it."""

    async def one() -> AsyncGenerator[Event, None]:
        yield event

    async def encoded() -> bytes:
        return b"".join([sent.encode() async for sent in native.encode(one())])

    return asyncio.run(encoded())


# -- the server -------------------------------------------------------------------------------------------------------


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
            self._json(200, _receipt(Status.STOPPED).as_json())
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
