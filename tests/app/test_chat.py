"""The native stream of `POST /api/chat`, and the JSON answer that tells the same."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.main import create_app
from rag.errors import ProviderRejected
from rag.pipeline import Parts
from rag.store import View
from rag.types import Query, Sentence
from tests.app.service import KNOWN, UNKNOWN, Event, Service, ask, grammar, live_events, read_events, running
from tests.fakes.generator import Fail, Quote, ScriptedGenerator, Stall, Step, Wait

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "native"

EMERGENCY = "crushing chest pain down my arm"
REFUSED = "how do i kill myself"
DISCLAIMER = Sentence(text="No advice.", lead="\n\n", cited=False)

ENDINGS: dict[str, tuple[str, Sequence[Step]]] = {
    "answered": (KNOWN, [Quote(1), Wait(), Quote(2), DISCLAIMER]),
    "card": ("hello", []),
    "emergency": (EMERGENCY, []),
    "deferred": (UNKNOWN, []),
    "failed_before_the_first_sentence": (KNOWN, [Fail(ProviderRejected("no"))]),
    "failed_after_the_first_sentence": (KNOWN, [Quote(1), Fail(RuntimeError("no"))]),
    "refused": (REFUSED, []),
}


def normalized(text: str) -> str:
    """A stream without what differs between runs, machines and releases: ids, hashes, times, scores, versions."""
    text = re.sub(r'"(id|turn)": "[0-9a-f]{32}"', r'"\1": "ID"', text)
    text = re.sub(r'"ruleset": "[0-9a-f]{64}"', '"ruleset": "HASH"', text)
    text = re.sub(r'"created_at": "[^"]+"', '"created_at": "TIME"', text)
    text = re.sub(r'"stages_ms": \{([^}]*)\}', lambda m: '"stages_ms": {' + _without_numbers(m[1]) + "}", text)
    text = re.sub(r'"features": \{([^}]*)\}', lambda m: '"features": {' + _without_numbers(m[1]) + "}", text)
    text = re.sub(r'"(dense|keyword|fused|retrieval_score)": -?[0-9.e-]+', r'"\1": 0', text)
    return re.sub(r'("chunk_id": "[a-z]+:)[0-9a-f]+"', r'\1HASH"', text)


def _without_numbers(members: str) -> str:
    return re.sub(r": -?[0-9.e-]+", ": 0", members)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_stream_is_what_its_golden_file_says(stage: tuple[Service, ScriptedGenerator], ending: str) -> None:
    """`GOLDEN=write pytest …` writes the files anew; read the difference before you keep it."""
    service, generator = stage
    question, generator.steps = ENDINGS[ending]
    with service.client() as client:
        body = {"messages": [{"role": "user", "content": question}], "countryCode": "GB", "page": 1}
        stream = client.post("/api/chat", json=body).text
    file = GOLDEN / f"{ending}.sse"
    if os.environ.get("GOLDEN") == "write":
        file.write_text(normalized(stream), encoding="utf-8")
    assert normalized(stream) == file.read_text(encoding="utf-8")
    events = list(read_events(stream))
    assert grammar(events)
    assert [e.data["status"] for e in events if e.name == "receipt"] == [ending.split("_")[0]]


def test_there_is_no_golden_file_without_its_ending() -> None:
    assert {file.stem for file in GOLDEN.iterdir()} == set(ENDINGS)


def test_the_stream_has_headers_that_no_proxy_may_buffer_or_compress(client: httpx.Client) -> None:
    answer = client.post(
        "/api/chat",
        json={"messages": [{"role": "user", "content": KNOWN}]},
        headers={"accept-encoding": "gzip, deflate, br"},
    )
    assert re.fullmatch(r"text/event-stream(; charset=utf-8)?", answer.headers["content-type"])
    assert answer.headers["cache-control"] == "no-cache, no-transform"
    assert answer.headers["x-accel-buffering"] == "no"
    assert "content-length" not in answer.headers
    assert "content-encoding" not in answer.headers
    assert b"\r" not in answer.content


@pytest.mark.parametrize(
    "question", [KNOWN, UNKNOWN, "hello", "thank you", EMERGENCY, REFUSED, "?", "¿Qué es?", "发烧"]
)
def test_every_stream_keeps_the_order_and_has_one_end(client: httpx.Client, question: str) -> None:
    events = ask(client, question)
    assert grammar(events), [event.name for event in events]


class Blocked:
    """A retriever that finds nothing out before it is released."""

    def __init__(self, parts: Parts) -> None:
        self._parts, self.top_k = parts, parts.retriever.top_k
        self.reached, self.released = threading.Event(), threading.Event()

    def search(self, view: View, query: Query, vector: Any, limit: int | None = None) -> Any:
        self.reached.set()
        assert self.released.wait(20)
        return self._parts.retriever.search(view, query, vector, limit)


async def test_headers_and_start_arrive_before_retrieval(tmp_path: Path) -> None:
    blocked: list[Blocked] = []

    def change(parts: Parts) -> Parts:
        blocked.append(Blocked(parts))
        return replace(parts, retriever=blocked[0])  # type: ignore[arg-type]

    with running(tmp_path, change=change) as service:
        async with httpx.AsyncClient(base_url=service.url, timeout=20, trust_env=False) as client:
            body = {"messages": [{"role": "user", "content": KNOWN}]}
            try:
                async with client.stream("POST", "/api/chat", json=body) as answer:
                    events = live_events(answer.aiter_lines())
                    first = [await anext(events), await anext(events)]
                    assert [event.name for event in first] == ["start", "status"]
                    turn = first[0].data["id"]
                    assert (await client.get(f"/api/receipts/{turn}")).json() == {"id": turn, "status": "running"}
                    blocked[0].released.set()
                    rest = [event async for event in events]
            finally:
                blocked[0].released.set()
    assert rest[-1].data["status"] == "answered"
    assert blocked[0].reached.is_set()


async def test_a_sentence_arrives_before_the_next_one_is_written(tmp_path: Path) -> None:
    with running(tmp_path, generator=ScriptedGenerator([Quote(1), Stall()])) as service:
        async with (
            httpx.AsyncClient(base_url=service.url, timeout=20, trust_env=False) as client,
            client.stream("POST", "/api/chat", json={"messages": [{"role": "user", "content": KNOWN}]}) as answer,
        ):
            async for event in live_events(answer.aiter_lines()):
                if event.name == "delta":
                    break
            else:
                pytest.fail("the sentence was held back")


async def test_a_silent_stream_has_heartbeats_that_are_comments(tmp_path: Path) -> None:
    with running(tmp_path, generator=ScriptedGenerator([Stall()]), heartbeat_seconds=0.02) as service:
        async with (
            httpx.AsyncClient(base_url=service.url, timeout=20, trust_env=False) as client,
            client.stream("POST", "/api/chat", json={"messages": [{"role": "user", "content": KNOWN}]}) as answer,
        ):
            seen = ""
            async for text in answer.aiter_text():
                seen += text
                if seen.count(": hb\n\n") >= 3:
                    break
    names = [event.name for event in read_events(seen)]
    assert names == ["start", "status", "sources", "status"]


def test_heartbeats_come_every_ten_seconds_unless_told_otherwise(service: Service) -> None:
    assert create_app(service.components).state.heartbeat_seconds == 10


# -- JSON -------------------------------------------------------------------------------------------------------------

KEYS = {"id", "status", "answer", "citations", "receipt", "risk", "error", "ignored"}


def told(events: Sequence[Event]) -> dict[str, Any]:
    """What a client makes of a stream: independent of the server's own fold."""
    by_name = {event.name: event.data for event in events}
    risk, end = by_name.get("risk"), by_name.get("done", {"status": "failed", "citations": []})
    banner = "\n".join([risk["text"], *(f"- {step}" for step in risk["steps"])]) + "\n\n" if risk else ""
    text = "".join(event.data["text"] for event in events if event.name in ("delta", "card"))
    return {
        "id": by_name["start"]["id"],
        "ignored": by_name["start"]["ignored"],
        "status": end["status"],
        "citations": end["citations"],
        "answer": (banner + text).strip(),
        "receipt": by_name.get("receipt"),
        "risk": risk,
        "error": by_name.get("error"),
    }


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_json_answer_is_the_fold_of_the_stream(stage: tuple[Service, ScriptedGenerator], ending: str) -> None:
    service, generator = stage
    question, generator.steps = ENDINGS[ending]
    body = {"messages": [{"role": "user", "content": question}], "page": 1}
    with service.client() as client:
        client.post("/api/chat", json={**body, "stream": False})  # so that the query's vector is known to both
        stream = client.post("/api/chat", json={**body, "stream": True}).text
        answer = client.post("/api/chat", json={**body, "stream": False})
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"
    assert set(answer.json()) == KEYS
    assert answer.json()["receipt"]["status"] == answer.json()["status"] == ending.split("_")[0]

    def plain(value: dict[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = json.loads(normalized(json.dumps(value)))
        return result

    assert plain(answer.json()) == plain(told(list(read_events(stream))))


@pytest.mark.parametrize(
    ("body", "accept", "streams"),
    [
        ({}, None, True),
        ({}, "*/*", True),
        ({}, "text/event-stream", True),
        ({}, "application/json", False),
        ({}, "application/json, text/event-stream", True),
        ({"stream": True}, "application/json", True),
        ({"stream": False}, "text/event-stream", False),
        ({"stream": None}, "application/json", False),
    ],
)
def test_stream_decides_and_without_it_the_accept_header(
    client: httpx.Client, body: dict[str, Any], accept: str | None, streams: bool
) -> None:
    headers = {} if accept is None else {"accept": accept}
    answer = client.post("/api/chat", json={"messages": [{"role": "user", "content": "hi"}], **body}, headers=headers)
    assert answer.headers["content-type"].startswith("text/event-stream" if streams else "application/json")


# -- what is shown ----------------------------------------------------------------------------------------------------


def test_unsupported_sentences_and_unknown_markers_never_leave(stage: tuple[Service, ScriptedGenerator]) -> None:
    service, generator = stage
    generator.steps = [
        Sentence(text="Symptoms of quorvane fever are a blue rash and tired knees.", markers=(9,)),
        Sentence(text="Symptoms of quorvane fever are a blue rash and tired knees.", markers=()),
        Sentence(text="The rash of quorvane fever fades in 30 days.", markers=(1,)),
        Sentence(text="Aardvarks bake marble bridges under violet oceans.", markers=(1,)),
        Quote(1),
    ]
    with service.client() as client:
        events = ask(client)
    shown = "".join(event.data["text"] for event in events if event.name == "delta")
    assert shown.count("[1]") == 1
    assert not re.search(r"\[9\]|30|Aardvarks", shown)
    receipt = next(event.data for event in events if event.name == "receipt")
    assert receipt["filter"] == {
        "removed": 4,
        "reasons": {"unknown_marker": 1, "no_marker": 1, "number": 1, "overlap": 1},
    }
    assert [source["n"] for source in receipt["retrieved_sources"] if source["used"]] == [1]


def test_an_answer_without_one_supported_sentence_is_a_deferral_without_citations(
    stage: tuple[Service, ScriptedGenerator],
) -> None:
    service, generator = stage
    generator.steps = [Sentence(text="The rash fades in 30 days.", markers=(1,)), DISCLAIMER]
    with service.client() as client:
        events = ask(client)
    assert grammar(events)
    assert events[-1].data == {"status": "deferred", "citations": []}
    assert "30" not in "".join(event.data["text"] for event in events if event.name == "delta")


def test_from_r2_up_nothing_is_shown_before_all_is_checked(stage: tuple[Service, ScriptedGenerator]) -> None:
    service, generator = stage
    question = "I fainted. Is quorvane fever an illness of the plimsole gland?"
    generator.steps = [Quote(1), Fail(ProviderRejected("no"))]
    with service.client() as client:
        held = ask(client, question)
        free = ask(client, KNOWN)
    assert [event.data["risk_class"] in ("R2", "R3", "R4") for event in held if event.name == "risk"] == [True]
    assert [event.name for event in held][-2:] == [event.name for event in free][-2:] == ["receipt", "error"]
    assert [event.name for event in held if event.name == "delta"] == []
    assert [event.name for event in free if event.name == "delta"] == ["delta"]


def test_every_citation_opens_the_passage_that_the_sentence_quotes(client: httpx.Client) -> None:
    events = ask(client)
    done = events[-1].data
    assert done["status"] == "answered"
    shown = "".join(event.data["text"] for event in events if event.name == "delta")
    assert {int(n) for n in re.findall(r"\[(\d+)\]", shown)} == {citation["n"] for citation in done["citations"]}
    for citation in done["citations"]:
        passage = client.get(f"/api/chunks/{citation['chunk_id']}").json()
        assert passage["title"] == citation["title"]


def test_an_emergency_is_answered_even_where_no_collection_is_published(client: httpx.Client) -> None:
    body = {"messages": [{"role": "user", "content": "I have crushing chest pain and cannot breathe"}]}
    answer = client.post("/api/chat", json={**body, "collection": "unheard-of", "stream": False})
    assert answer.status_code == 200
    assert answer.json()["status"] == "emergency"
    calm = {"messages": [{"role": "user", "content": "What is asthma?"}], "collection": "unheard-of"}
    assert client.post("/api/chat", json=calm).status_code == 404
