"""What only a process of its own shows: crashes, signals, and what it prints."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from rag.store import Store
from tests.app.child import STAGES
from tests.app.processes import CLI, Process, serving
from tests.app.service import KNOWN, Event, ask, check_problem, eventually, grammar, read_events

BODY = {"messages": [{"role": "user", "content": KNOWN}]}


def events_of(lines: Iterator[str]) -> Iterator[Event]:
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield Event(name, json.loads(line.removeprefix("data: ")))


def until(events: Iterator[Event], name: str) -> list[Event]:
    seen: list[Event] = []
    for event in events:
        seen.append(event)
        if event.name == name:
            return seen
    raise AssertionError(f"no {name} came")


def stored(process: Process) -> dict[str, str]:
    """The status of every receipt in the file of a process that has ended."""
    store = Store(process.database, None)
    try:
        rows = store.db.read().execute("SELECT id, status FROM answer_receipts").fetchall()
        (running,) = store.db.read().execute("SELECT count(*) FROM open_turns").fetchone()
        assert running == 0
        return dict(rows)
    finally:
        store.close()


def test_a_turn_that_a_crash_cuts_off_is_interrupted_after_the_next_start(tmp_path: Path) -> None:
    with serving(tmp_path, SCRIPT="stall") as process, process.client() as client:
        done = ask(client, "hello")[0].data["id"]
        with client.stream("POST", "/api/chat", json=BODY) as answer:
            events = events_of(answer.iter_lines())
            seen = until(events, "delta")
            cut = seen[0].data["id"]
            assert client.get(f"/api/receipts/{cut}").json()["status"] == "running"
            process.send(signal.SIGKILL)
            process.child.wait()
            with pytest.raises(httpx.TransportError):
                list(events)
    with serving(tmp_path) as process, process.client() as client:
        receipt = client.get(f"/api/receipts/{cut}").json()
        finished = client.get(f"/api/receipts/{done}").json()
        fresh = ask(client)
    assert (receipt["status"], receipt["error"]) == ("interrupted", "process_ended")
    assert set(receipt) == set(finished)
    assert finished["status"] == "card"
    assert fresh[-1].data["status"] == "answered"


def test_at_a_stop_a_running_answer_is_finished_and_nothing_new_is_taken(tmp_path: Path) -> None:
    with serving(tmp_path, SCRIPT="gate", SHUTDOWN_SECONDS="60", MARK="fever") as process, process.client() as client:
        with client.stream("POST", "/api/chat", json=BODY) as answer:
            events = events_of(answer.iter_lines())
            seen = until(events, "delta")
            process.send(signal.SIGTERM)
            eventually(lambda: not process.accepts())
            time.sleep(1)  # streams learn of a stop within half a second; without a grace this one is over then
            assert process.child.poll() is None
            (tmp_path / "gate").touch()
            seen += list(events)
        assert process.child.wait(30) == 0
    assert grammar(seen)
    assert [event.name for event in seen][-4:] == ["delta", "delta", "receipt", "done"]
    assert stored(process) == {seen[0].data["id"]: "answered"}
    assert not (tmp_path / "galen.db-wal").exists(), "the database was not closed"


def test_at_a_stop_a_stalled_answer_is_ended_with_its_receipt(tmp_path: Path) -> None:
    with serving(tmp_path, SCRIPT="stall", SHUTDOWN_SECONDS="1") as process, process.client() as client:
        with client.stream("POST", "/api/chat", json=BODY) as answer:
            events = events_of(answer.iter_lines())
            seen = until(events, "delta")
            process.send(signal.SIGTERM)
            with pytest.raises(httpx.TransportError):  # cut, not closed: a clean end would look like a whole answer
                list(events)
        assert process.child.wait(30) == 0
    assert stored(process) == {seen[0].data["id"]: "stopped"}


def test_at_a_stop_a_stalled_json_answer_is_a_503_with_its_receipt(tmp_path: Path) -> None:
    with (
        serving(tmp_path, SCRIPT="stall", SHUTDOWN_SECONDS="0") as process,
        process.client() as client,
        ThreadPoolExecutor(1) as pool,
    ):
        asked = pool.submit(client.post, "/api/chat", json={**BODY, "stream": False})
        eventually((tmp_path / "stalled").exists)
        process.send(signal.SIGTERM)
        check_problem(asked.result(), 503, "stopping")
        assert process.child.wait(30) == 0
    assert list(stored(process).values()) == ["stopped"]
    assert b"Traceback" not in process.output()


def test_the_command_serves_answers_the_page_and_stops(tmp_path: Path) -> None:
    with serving(tmp_path, command=CLI, EMBEDDER="none") as process, process.client() as client:
        health = client.get("/api/health")
        events = ask(client, "What is the plimsole gland of quorvane fever?")
        assert client.get("/").status_code == 200
        process.send(signal.SIGTERM)
        assert process.child.wait(30) == 0
    assert health.json()["ready"] is True
    assert any("keyword" in sentence for sentence in health.json()["degraded"])
    assert grammar(events)
    receipt = next(event.data for event in events if event.name == "receipt")
    assert receipt["status"] == "answered"
    assert "vectors" in receipt["degraded"]
    assert stored(process) == {receipt["id"]: "answered"}
    lines = [json.loads(line) for line in process.output().splitlines()]
    assert [line["turn"] for line in lines if line["event"] == "turn"] == [receipt["id"]]


# -- no one's words ---------------------------------------------------------------------------------------------------

PERSON = "hivtestresult"
ANSWER = "wobbleword"
ASKED = f"Do travellers with quorvane fever get a blue rash, tired knees and an ill plimsole gland? {PERSON}"
OTHER_ENDINGS = (f"crushing chest pain down my arm {PERSON}", f"{PERSON} and tyres for bicycles", PERSON)


def bodies(stage: str) -> Iterator[dict[str, Any]]:
    """Streamed and not; questions with other endings only where nothing fails, and where the fault needs them."""
    for question in (ASKED, *(OTHER_ENDINGS if stage in ("none", "emergency_text") else ())):
        messages = [{"role": "user", "content": f"{PERSON}?"}, {"role": "user", "content": question}]
        for stream in (True, False):
            yield {"messages": messages, "stream": stream, PERSON[:5]: PERSON, "context": {"page": PERSON}}


@pytest.mark.parametrize("level", ["DEBUG", "INFO"])
def test_no_words_of_the_person_or_the_answer_stay_anywhere(tmp_path: Path, level: str) -> None:
    """In no log line, receipt, error or byte of the database, with an exception that holds them in every stage."""
    fault, answers, shown = tmp_path / "fault", [], ""
    with serving(tmp_path, LOG_LEVEL=level, SCRIPT="mark", MARK=ANSWER) as process, process.client() as client:
        for stage in ("none", *STAGES):
            fault.write_text(stage)
            for body in bodies(stage):
                try:
                    answer = client.post("/api/chat", json=body, headers={"origin": "https://page.example"})
                except httpx.RemoteProtocolError:  # a stream that broke after its headers
                    assert stage == "encode"
                    continue
                if stage == "none":
                    shown += answer.text
                    continue
                answers.append((stage, answer.status_code, answer.text))
                if answer.headers["content-type"].startswith("text/event-stream"):
                    names = [event.name for event in read_events(answer.text)]
                    assert names.count("done") + names.count("error") == 1, (stage, names)
            if stage in ("none", "receipt_get", "passage"):
                for path in (f"/api/receipts/{'0' * 32}", f"/api/chunks/{PERSON}", f"/{PERSON}", f"/static/{PERSON}"):
                    answers.append((stage, 0, client.get(path).text))
        fault.write_text("")
        for body in (
            {"messages": [{"role": PERSON, "content": PERSON}]},
            {"messages": [{"role": "user", "content": PERSON}], "collection": PERSON},
            {"messages": PERSON, "language": PERSON},
        ):
            answers.append(("refused", 0, client.post("/api/chat", json=body).text))
        assert ANSWER in shown, "the answer was not given: the test proves nothing"
        live = b"".join(file.read_bytes() for file in tmp_path.glob("galen.db*"))
        process.send(signal.SIGTERM)
        process.child.wait(30)
    kept = live + b"".join(file.read_bytes() for file in tmp_path.glob("galen.db*"))
    output = process.output()
    assert b"turn_failed" in output
    assert b"request_failed" in output
    assert b"Traceback" not in output
    failed = {stage for stage, status, text in answers if status >= 500 or "event: error" in text}
    assert {"assess", "search", "generator", "receipt_close", "parse", "fold"} <= failed
    for word in (PERSON, ANSWER):
        assert word.encode() not in kept
        assert word.encode() not in output
        assert not [stage for stage, _, text in answers if _errors_hold(text, word)]


def _errors_hold(text: str, word: str) -> bool:
    """Whether a receipt, an error or a problem holds the word; what was said to the person before it may."""
    if not text.startswith("event: "):
        try:
            body = json.loads(text)
        except ValueError:
            return word in text
        return word in json.dumps({**body, "answer": ""})
    return any(word in json.dumps(event.data) for event in read_events(text) if event.name != "delta")
