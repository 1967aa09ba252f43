"""A running service for tests: real uvicorn, a real socket, a real database file; only model and corpus are small."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import httpx
import uvicorn

from app.components import LEXICON, Components
from app.main import create_app
from app.settings import Settings
from rag.lexicon import Lexicon
from rag.pipeline import Parts
from rag.protocols import Embedder, Generator
from rag.providers.extractive import Extractive
from rag.retrieve import Retriever
from rag.spelling import Spellings
from rag.store import Store
from rag.thresholds import load_thresholds
from safety.assess import Assessor
from tests.corpora import document, ingest_path, write_documents
from tests.fakes.embedder import HashEmbedder

__all__ = [
    "DOCUMENTS",
    "KNOWN",
    "UNKNOWN",
    "Event",
    "Service",
    "ask",
    "check_problem",
    "eventually",
    "free_port",
    "grammar",
    "publish",
    "read_events",
    "running",
    "two_passages",
]

T = TypeVar("T")
ASSESSOR = Assessor.load()

KNOWN = "What are the symptoms of quorvane fever?"
"""A question that the small corpus answers, of risk class R0."""

UNKNOWN = "Which tyres suit a touring bicycle in winter?"
"""One that it does not."""

DOCUMENTS = {
    "quorvane": document(
        "Quorvane fever",
        ("What it is", "Quorvane fever is an illness of the plimsole gland. It affects travellers in spring."),
        (
            "Symptoms",
            "Symptoms of quorvane fever are a blue rash and tired knees. The rash of quorvane fever fades in 9 days.",
        ),
        ("Treatment", "Quorvane fever is treated with rest and warm tea. No medicine is needed for quorvane fever."),
    ),
    **{
        name: document(
            f"{name.capitalize()} ache",
            ("Symptoms", f"The symptoms of {name} ache are a dull pain in the {place} and a stiff neck at dawn."),
            ("Treatment", f"The {name} ache is treated with slow stretching of the {place} twice a day."),
        )
        for name, place in (
            ("zelmir", "elbow"),
            ("ombrik", "shin"),
            ("tarvel", "thumb"),
            ("fennok", "jaw"),
            ("wistal", "hip"),
            ("grudon", "ankle"),
        )
    },
}
"""A fever that is asked about, and aches that are not."""


def publish(
    store: Store, folder: Path, documents: Mapping[str, str] = DOCUMENTS, *, version: str = "v1", **more: Any
) -> None:
    """Publishes the documents as `version`; what the source had before and is not among them is removed."""
    for old in folder.glob("*.md"):
        old.unlink()
    write_documents(folder, documents)
    ingest_path(store, HashEmbedder(), folder, corpus_version=version, **more)


@dataclass(frozen=True)
class Service:
    """A server in a thread of this process, and what it was built from."""

    url: str
    components: Components
    folder: Path

    @property
    def store(self) -> Store:
        return self.components.store

    def client(self, **more: Any) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=20, trust_env=False, **more)

    def receipt(self, turn_id: str) -> dict[str, Any]:
        """The receipt once the turn has ended."""
        with self.client() as client:
            return eventually(lambda: _final(client.get(f"/api/receipts/{turn_id}").json()))

    def receipts(self) -> list[dict[str, Any]]:
        """Every stored receipt, oldest first."""
        rows = self.store.db.read().execute("SELECT body FROM answer_receipts ORDER BY seq").fetchall()
        return [json.loads(body) for (body,) in rows]

    def open_turns(self) -> int:
        return int(self.store.db.read().execute("SELECT count(*) FROM open_turns").fetchone()[0])


def _final(body: dict[str, Any]) -> dict[str, Any] | None:
    return None if body["status"] == "running" else body


WORDS = Lexicon(LEXICON)


@contextmanager
def running(
    folder: Path,
    *,
    generator: Generator | None = None,
    embedder: Embedder | None = None,
    documents: Mapping[str, str] = DOCUMENTS,
    origins: Sequence[str] = (),
    heartbeat_seconds: float = 10,
    change: Callable[[Parts], Parts] = lambda parts: parts,
) -> Iterator[Service]:
    """A service over a fresh database in `folder`; `change` may swap further parts."""
    embedder = embedder or HashEmbedder()
    store = Store(folder / "galen.db", embedder.info)
    if documents:
        publish(store, folder / "documents", documents)
    thresholds = load_thresholds(embedder.info.model_id)
    parts = Parts(
        store=store,
        assessor=ASSESSOR,
        retriever=Retriever(store=store, fusion=thresholds.fusion),
        generator=generator or Extractive(lambda key, language: ASSESSOR.text(key, language=language)),
        thresholds=thresholds,
        lexicon=WORDS,
        spellings=Spellings(WORDS.words("en"), store.keywords.holds),
        embedder=embedder,
        app_version="0.0.0",
    )
    settings = replace(
        Settings.from_env({}),
        db_path=folder / "galen.db",
        corpus_dir=folder / "bundled",
        allowed_origins=tuple(origins),
        shutdown_seconds=1,
    )
    components = Components(settings=settings, store=store, embedder=embedder, parts=change(parts), degraded=())
    try:
        with _listening(create_app(components, heartbeat_seconds=heartbeat_seconds)) as url:
            yield Service(url=url, components=components, folder=folder)
    finally:
        store.close()


def two_passages(parts: Parts) -> Parts:
    """Answers from two passages only, so that streams stay short to read."""
    return replace(parts, retriever=replace(parts.retriever, top_k=2))


@contextmanager
def _listening(app: Any) -> Iterator[str]:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    server = uvicorn.Server(
        uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=3, server_header=False)
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="test-server")
    thread.start()
    try:
        eventually(lambda: server.started or not thread.is_alive())
        assert server.started, "the server did not start"
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def eventually(look: Callable[[], T | None], *, seconds: float = 30) -> T:
    """What `look` returns once it is true; the test fails when it never is."""
    for _ in range(round(seconds * 100)):
        if seen := look():
            return seen
        time.sleep(0.01)
    raise AssertionError("this never came true")


# -- asking -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Event:
    name: str
    data: dict[str, Any]


def ask(client: httpx.Client, question: str = KNOWN, **more: Any) -> list[Event]:
    """The events of one streamed turn, read to the end."""
    answer = client.post("/api/chat", json={"messages": [{"role": "user", "content": question}], **more})
    assert answer.status_code == 200, answer.text
    return list(read_events(answer.text))


_FRAME = re.compile(r"event: ([a-z]+)\ndata: (\{[^\n\r]*\})\n\n")
_HEARTBEAT = ": hb\n\n"


def read_events(text: str) -> Iterator[Event]:
    """The events of a stream; anything but events of our form and heartbeats fails."""
    while text:
        if text.startswith(_HEARTBEAT):
            text = text[len(_HEARTBEAT) :]
            continue
        frame = _FRAME.match(text)
        assert frame, f"not a frame of ours: {text[:200]!r}"
        yield Event(frame[1], json.loads(frame[2], parse_constant=_refuse))
        text = text[frame.end() :]


def _refuse(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


_SAID = r"(card |(sources )?(status )*(delta )*)"
_ORDER = re.compile(rf"start (status )*(risk )?(status )*{_SAID}receipt (done|error) ")


def grammar(events: Iterable[Event]) -> bool:
    """Whether the events come in the promised order, with exactly one end."""
    return _ORDER.fullmatch("".join(f"{event.name} " for event in events)) is not None


async def live_events(lines: AsyncIterator[str]) -> AsyncIterator[Event]:
    """Events one by one as they arrive."""
    name = ""
    async for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield Event(name, json.loads(line.removeprefix("data: ")))


def check_problem(answer: httpx.Response, status: int, code: str | None = None) -> dict[str, Any]:
    """The one shape of every error."""
    assert answer.status_code == status, (answer.status_code, answer.text)
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["cache-control"] == "no-store"
    body: dict[str, Any] = answer.json()
    assert set(body) - {"errors"} == {"type", "title", "status", "code", "detail"}
    assert body["status"] == status
    assert body["type"] == f"urn:galen:problem:{body['code']}"
    assert re.fullmatch(r"[a-z0-9_]+", body["code"])
    assert code is None or body["code"] == code
    for key in ("title", "detail"):
        assert isinstance(body[key], str)
        assert body[key].strip()
    for error in body.get("errors", ()):
        assert set(error) == {"field", "reason"}
        assert error["field"]
        assert error["reason"]
    return body
