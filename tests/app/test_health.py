"""`GET /api/health`: what answers, and what is not at its best."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import httpx
import pytest

import app.background
from rag.errors import IngestError
from rag.protocols import EmbedKind, FloatMatrix
from tests.app.service import KNOWN, Service, ask, check_problem, eventually, publish, running
from tests.corpora import document, write_documents
from tests.fakes.embedder import HashEmbedder


def test_a_published_corpus_is_ready_with_its_version_and_models(service: Service, client: httpx.Client) -> None:
    answer = client.get("/api/health")
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    body = answer.json()
    assert (body["live"], body["ready"], body["degraded"]) == (True, True, [])
    version = service.store.corpus.version("health")
    assert body["corpus"] == {
        "health": {
            "corpus_version": "v1",
            "documents": version.documents,
            "passages": version.chunks,
            "vectors": True,
            "vectors_of": "hash@1",
            "vector_index": "resident",
        }
    }
    assert body["models"]["embedder"]["model_id"] == "hash@1"
    assert body["models"]["generator"] == {"name": "extractive", "model": "extractive-1"}
    assert body["models"]["reranker"] is None
    assert body["ruleset"] == service.components.parts.assessor.ruleset


def test_an_empty_database_is_live_and_not_ready_until_something_is_published(tmp_path: Path) -> None:
    with running(tmp_path, documents={}) as service, service.client() as client:
        answer = client.get("/api/health")
        assert answer.status_code == 503
        assert (answer.json()["live"], answer.json()["ready"], answer.json()["corpus"]) == (True, False, {})
        assert any("nothing can be answered" in sentence for sentence in answer.json()["degraded"])
        chat = client.post("/api/chat", json={"messages": [{"role": "user", "content": KNOWN}]})
        check_problem(chat, 404, "corpus_missing")
        publish(service.store, tmp_path / "documents")
        assert client.get("/api/health").status_code == 200
        assert ask(client)[-1].data["status"] == "answered"


def test_missing_vectors_are_told(tmp_path: Path) -> None:
    with running(tmp_path, documents={}) as service, service.client() as client:
        publish(service.store, tmp_path / "documents", keyword_only=True)
        body = client.get("/api/health").json()
        assert (body["ready"], body["corpus"]["health"]["vectors"]) == (True, False)
        assert any("keyword search only" in sentence for sentence in body["degraded"])
        receipt = next(event.data for event in ask(client) if event.name == "receipt")
        assert receipt["degraded"] == ["vectors"]


def test_health_and_chat_answer_while_the_start_still_takes_documents_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = threading.Event()
    monkeypatch.setattr(app.background, "bundled_collections", lambda _: ("other",))
    monkeypatch.setattr(app.background, "ingest_bundle", lambda *_, **__: release.wait(20) and _stop())
    with running(tmp_path) as service, service.client() as client:
        try:
            body = client.get("/api/health").json()
            assert body["ready"] is True
            assert body["ingest"] == {"share": None}
            assert ask(client)[-1].data["status"] == "answered"
        finally:
            release.set()
        failed = eventually(lambda: [s for s in client.get("/api/health").json()["degraded"] if "ingest failed" in s])
        assert failed == ["an ingest failed: other: out of paper"]
        eventually(lambda: client.get("/api/health").json()["ingest"] is None)


class HeldEmbedder(HashEmbedder):
    """Embeds the first passages only when it is told to, and counts all."""

    def __init__(self) -> None:
        super().__init__()
        self.reached, self.released, self.passages = threading.Event(), threading.Event(), 0

    def embed(self, texts: Sequence[str], kind: EmbedKind) -> FloatMatrix:
        if kind == "passage":
            self.reached.set()
            assert self.released.wait(20)
            self.passages += len(texts)
        return super().embed(texts, kind)


def test_a_stop_does_not_wait_for_an_ingest_to_the_end(tmp_path: Path) -> None:
    embedder = HeldEmbedder()
    documents = {f"d{n}": document(f"Title {n}", ("Text", f"Passage {n} stands here.")) for n in range(400)}
    write_documents(tmp_path / "bundled" / "other", documents)
    try:
        with running(tmp_path, documents={}, embedder=embedder) as service:
            background = service.components.background
            assert background is not None
            assert embedder.reached.wait(20)
            stopper = threading.Thread(target=background.stop)
            stopper.start()
            eventually(background._stop.is_set)
            embedder.released.set()
            stopper.join()
            assert service.store.corpus.collections() == ()
    finally:
        embedder.released.set()
    assert embedder.passages < 400


def _stop() -> None:
    raise IngestError("out of paper")
