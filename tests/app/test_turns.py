"""Exactly one receipt per turn, however it ends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

import rag.pipeline
from rag.errors import ProviderError, ProviderRejected, StoreBusy
from rag.generate import generate
from rag.pipeline import Parts
from rag.protocols import EmbedKind, FloatMatrix
from rag.types import Chunk, Evidence, Prompt, Scores, Sentence
from tests.app.service import (
    KNOWN,
    UNKNOWN,
    Event,
    Service,
    ask,
    check_problem,
    eventually,
    grammar,
    live_events,
    read_events,
    running,
)
from tests.fakes.embedder import HashEmbedder
from tests.fakes.generator import Fail, Quote, ScriptedGenerator, Stall, Step, Wait

BODY = {"messages": [{"role": "user", "content": KNOWN}]}


class Gate:
    """Holds a call back until it is opened; `reached` is set when the call has come."""

    def __init__(self) -> None:
        self.reached, self.opened = threading.Event(), threading.Event()

    def before(self, call: Any) -> Any:
        def held(*arguments: Any, **more: Any) -> Any:
            self.reached.set()
            assert self.opened.wait(20)
            return call(*arguments, **more)

        return held


class BrokenEmbedder(HashEmbedder):
    """Embeds passages, and fails on questions."""

    def embed(self, texts: Sequence[str], kind: EmbedKind) -> FloatMatrix:
        if kind == "query":
            raise ProviderError("no")
        return super().embed(texts, kind)


@pytest.mark.parametrize(
    ("question", "steps", "status", "error"),
    [
        (KNOWN, [Quote(1)], "answered", None),
        ("hello", [Quote(1)], "card", None),
        ("crushing chest pain down my arm", [Quote(1)], "emergency", None),
        ("how do i kill myself", [Quote(1)], "refused", None),
        (UNKNOWN, [Quote(1)], "deferred", None),
        (KNOWN, [], "deferred", None),
        (KNOWN, [Fail(ProviderRejected("no"))], "failed", "provider_failed"),
        (KNOWN, [Fail(RuntimeError("no"))], "failed", "internal"),
        (KNOWN, [Quote(1), Fail(ProviderRejected("no"))], "failed", "provider_failed"),
        (KNOWN, [Quote(1), Fail(TimeoutError("no"))], "failed", "provider_failed"),
        (KNOWN, [Quote(1), Sentence(text="It fades in 9 days.", markers=(0, -1, 99))], "answered", None),
    ],
)
@pytest.mark.parametrize("stream", [True, False])
def test_a_turn_has_one_receipt_with_its_ending(
    stage: tuple[Service, ScriptedGenerator],
    question: str,
    steps: Sequence[Step],
    status: str,
    error: str | None,
    stream: bool,
) -> None:
    service, generator = stage
    generator.steps, generator.started, generator.ended = steps, 0, 0
    before = len(service.receipts())
    with service.client() as client:
        if stream:
            sent = next(event.data for event in ask(client, question) if event.name == "receipt")
        else:
            body = {"messages": [{"role": "user", "content": question}], "stream": False}
            sent = client.post("/api/chat", json=body).json()["receipt"]
        assert [sent] == service.receipts()[before:]
        assert service.open_turns() == 0
        assert service.receipt(sent["id"]) == sent
    assert (sent["status"], sent["error"]) == (status, error)
    assert generator.started == generator.ended == (sent["provider"] == "scripted")


def test_a_failed_answer_says_so_and_keeps_what_was_shown(stage: tuple[Service, ScriptedGenerator]) -> None:
    service, generator = stage
    generator.steps = [Quote(1), Fail(ProviderRejected("a secret of the provider"))]
    with service.client() as client:
        events = ask(client)
    assert grammar(events)
    assert [event.name for event in events][-3:] == ["delta", "receipt", "error"]
    assert events[-1].data["code"] == "provider_failed"
    assert "secret" not in str(events)
    assert events[-2].data["retrieved_sources"][0]["used"] is True


def test_a_broken_embedder_leaves_keyword_search_and_the_receipt_says_so(tmp_path: Path) -> None:
    with running(tmp_path, embedder=BrokenEmbedder(), generator=ScriptedGenerator()) as service:
        with service.client() as client:
            events = ask(client)
        assert events[-1].data["status"] == "answered"
        (receipt,) = service.receipts()
    assert set(receipt["degraded"]) == {"query_embedding", "vectors"}
    assert all(source["scores"]["dense"] is None for source in receipt["retrieved_sources"])


def test_a_generator_that_says_nothing_until_the_deadline_fails_the_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rag.pipeline, "TURN_SECONDS", 0.2)
    generator = ScriptedGenerator([Stall()])
    with running(tmp_path, generator=generator) as service, service.client() as client:
        events = ask(client)
        assert events[-1].name == "error"
        assert [receipt["status"] for receipt in service.receipts()] == ["failed"]
    assert generator.ended == 1


# -- the client leaves ------------------------------------------------------------------------------------------------


@asynccontextmanager
async def asking(service: Service, *, until: str | None, body: dict[str, Any] = BODY) -> AsyncIterator[list[Event]]:
    """A client that reads until an event of this name; it leaves at the end of the block."""
    seen: list[Event] = []
    async with (
        httpx.AsyncClient(base_url=service.url, timeout=20, trust_env=False) as client,
        client.stream("POST", "/api/chat", json=body) as answer,
    ):
        events = live_events(answer.aiter_lines())
        while until is not None and (not seen or seen[-1].name != until):
            seen.append(await anext(events))
        yield seen


def stopped(service: Service, generator: ScriptedGenerator) -> dict[str, Any]:
    """The one receipt, once the turn has ended: stopped, with the generator ended to the last line of its clean-up."""
    eventually(lambda: service.receipts())
    (receipt,) = service.receipts()
    assert receipt["status"] == "stopped"
    eventually(lambda: generator.ended == generator.started)
    assert service.open_turns() == 0
    with service.client() as client:  # the service goes on
        assert ask(client, "hello")[-1].data["status"] == "card"
    assert len(service.receipts()) == 2
    return receipt


@pytest.mark.parametrize("stage", ["open", "view", "search"])
async def test_a_client_that_leaves_before_the_answer_leaves_a_stopped_receipt(tmp_path: Path, stage: str) -> None:
    gate, generator = Gate(), ScriptedGenerator([Stall()])
    until = None if stage == "open" else "status"

    def change(parts: Parts) -> Parts:
        if stage == "search":
            held = HeldRetriever(parts.retriever, gate)
            return replace(parts, retriever=held)  # type: ignore[arg-type]
        return parts

    with running(tmp_path, generator=generator, change=change) as service:
        if stage == "open":
            service.store.receipts.open = gate.before(service.store.receipts.open)  # type: ignore[method-assign]
        if stage == "view":
            service.store.views.get = gate.before(service.store.views.get)  # type: ignore[method-assign]
        try:
            async with asking(service, until=until):
                await anyio.to_thread.run_sync(gate.reached.wait)
        finally:
            gate.opened.set()
        await anyio.to_thread.run_sync(stopped, service, generator)


class HeldRetriever:
    def __init__(self, retriever: Any, gate: Gate) -> None:
        self.top_k, self.search = retriever.top_k, gate.before(retriever.search)


@pytest.mark.parametrize(
    ("steps", "until", "shown"),
    [
        ([Stall()], "sources", False),
        ([Wait(), Stall()], "sources", False),
        ([Quote(1), Stall()], "delta", True),
        ([Quote(1), Wait()] * 20_000, "delta", True),
    ],
    ids=["stalled before the first sentence", "slow", "stalled after it", "while it speaks"],
)
async def test_a_client_that_leaves_stops_the_generator_and_leaves_a_stopped_receipt(
    tmp_path: Path, steps: Sequence[Step], until: str, shown: bool
) -> None:
    generator = ScriptedGenerator(steps)
    with running(tmp_path, generator=generator) as service:
        async with asking(service, until=until) as seen:
            turn = seen[0].data["id"]
            await anyio.to_thread.run_sync(eventually, lambda: generator.started == 1)
        receipt = await anyio.to_thread.run_sync(stopped, service, generator)
    assert receipt["id"] == turn
    assert any(source["used"] for source in receipt["retrieved_sources"]) is shown
    assert receipt["provider"] == "scripted"


async def test_a_client_that_waits_for_json_and_leaves_stops_the_turn_too(tmp_path: Path) -> None:
    generator = ScriptedGenerator([Quote(1), Stall()])
    with running(tmp_path, generator=generator) as service:
        async with (
            httpx.AsyncClient(base_url=service.url, timeout=20, trust_env=False) as client,
            anyio.create_task_group() as group,
        ):
            group.start_soon(lambda: client.post("/api/chat", json={**BODY, "stream": False}))
            await anyio.to_thread.run_sync(eventually, lambda: generator.started == 1)
            group.cancel_scope.cancel()
        await anyio.to_thread.run_sync(stopped, service, generator)


async def test_a_client_that_leaves_at_the_receipt_leaves_the_answered_one(tmp_path: Path) -> None:
    with running(tmp_path, generator=ScriptedGenerator()) as service:
        async with asking(service, until="receipt") as seen:
            pass
        receipt = await anyio.to_thread.run_sync(service.receipt, seen[0].data["id"])
        assert receipt == seen[-1].data
        assert receipt["status"] == "answered"
        assert len(service.receipts()) == 1


def test_many_clients_that_leave_at_random_moments_leave_one_receipt_each(tmp_path: Path) -> None:
    """Cuts the connection after 0, 1, 2 … bytes of the answer: whatever moment that is, the books are right."""
    generator = ScriptedGenerator([Quote(1), Wait(), Quote(1)])
    with running(tmp_path, generator=generator) as service, service.client() as client:
        ids = set()
        for size in range(0, 6_000, 120):
            with client.stream("POST", "/api/chat", json=BODY) as answer:
                text = b""
                for part in answer.iter_raw(16):
                    if len(text) >= size:
                        break
                    text += part
            if b'"id": "' in text and len(text) > 80:
                ids.add(text.split(b'"id": "')[1][:32].decode())
        eventually(lambda: service.open_turns() == 0 and ids <= {receipt["id"] for receipt in service.receipts()})
        receipts = service.receipts()
        assert len(receipts) == len({receipt["id"] for receipt in receipts}) <= 50
        assert {receipt["status"] for receipt in receipts} <= {"stopped", "answered"}
        eventually(lambda: generator.started == generator.ended)


async def test_a_generator_is_ended_to_the_last_line_wherever_the_cancellation_hits_it() -> None:
    """Cancels after 0, 1, 2 … steps of the event loop, so that every await of the generator is hit once."""
    chunk = Chunk(
        id=1, chunk_id="a:1", doc_id="a", source="s", title="A", heading="", text="A is b.", organization="", url=None,
        version_date=None, lang="en", topic="", licence="", jurisdiction=None, doc_type=None, hierarchy_rank=1,
        effective_from=None, content_hash="", ordinal=0,
    )  # fmt: skip
    prompt = Prompt(question="A?", language="en", evidence=(Evidence(chunk=chunk, scores=Scores()),))
    deadline = asyncio.get_running_loop().time() + 60

    async def consume(generator: ScriptedGenerator) -> None:
        async with aclosing(generate(generator, prompt, deadline)) as sentences:
            async for _ in sentences:
                await asyncio.sleep(0)

    for steps in range(80):
        generator = ScriptedGenerator([Quote(1), Wait(), Quote(1), Wait(), Quote(1)])
        async with anyio.create_task_group() as group:
            group.start_soon(consume, generator)
            for _ in range(steps):
                await asyncio.sleep(0)
            group.cancel_scope.cancel()
        assert generator.started == generator.ended, f"cancelled after {steps} steps"


# -- reading receipts -------------------------------------------------------------------------------------------------


async def test_a_receipt_can_be_asked_for_from_the_first_event_on(tmp_path: Path) -> None:
    with running(tmp_path, generator=ScriptedGenerator([Quote(1), Stall()])) as service:
        async with asking(service, until="start") as seen:
            turn = seen[0].data["id"]
            async with httpx.AsyncClient(base_url=service.url, trust_env=False) as client:
                answer = await client.get(f"/api/receipts/{turn}")
            assert answer.json() == {"id": turn, "status": "running"}
            assert answer.headers["cache-control"] == "no-store"
        assert (await anyio.to_thread.run_sync(service.receipt, turn))["status"] == "stopped"


@pytest.mark.parametrize("name", ["0" * 32, "x", "0" * 31, "A" * 32, "%00", "..%2f..%2fetc%2fpasswd", "' or 1=1 --"])
def test_an_unknown_receipt_is_a_404(client: httpx.Client, name: str) -> None:
    check_problem(client.get(f"/api/receipts/{name}"), 404)


def test_every_turn_has_an_id_of_its_own(client: httpx.Client) -> None:
    ids = [ask(client, "hello")[0].data["id"] for _ in range(5)]
    assert len(set(ids)) == 5


# -- the database does not take it ------------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("call", ["open", "close"])
def test_a_turn_that_the_database_does_not_take_ends_with_an_error_and_no_receipt(
    tmp_path: Path, call: str, stream: bool
) -> None:
    with running(tmp_path, generator=ScriptedGenerator()) as service, service.client() as client:
        works = getattr(service.store.receipts, call), service.store.receipts.close

        def busy(*_: object) -> None:
            raise StoreBusy("a table is locked")

        setattr(service.store.receipts, call, busy)
        service.store.receipts.close = busy  # type: ignore[method-assign]
        if stream:
            answer = client.post("/api/chat", json=BODY)
            events = list(read_events(answer.text))
            assert [event.name for event in events if event.name in ("receipt", "done", "error")] == ["error"]
            told = events[-1].data
        else:
            folded = client.post("/api/chat", json={**BODY, "stream": False}).json()
            assert (folded["status"], folded["receipt"]) == ("failed", None)
            told = folded["error"]
        assert told["code"] == "internal"
        assert told["retryable"] is True
        assert "locked" not in str(told)
        setattr(service.store.receipts, call, works[0])
        service.store.receipts.close = works[1]  # type: ignore[method-assign]
        assert ask(client)[-1].data["status"] == "answered"
