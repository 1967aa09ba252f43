"""Many chats while another process publishes: nobody waits in vain, and no answer mixes two versions."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.app.service import KNOWN, Event, Service, ask, grammar, running
from tests.corpora import document, write_documents

CHATS = 32
QUESTIONS = (KNOWN, "What are the symptoms of blinko cold?")

PUBLISH = """
import sys
from pathlib import Path
from rag.store import Store
from tests.corpora import ingest_path
from tests.fakes.embedder import HashEmbedder
embedder = HashEmbedder()
store = Store(Path(sys.argv[1]), embedder.info)
print("ready", flush=True)
for line in sys.stdin:
    ingest_path(store, embedder, Path(line.strip()), corpus_version=Path(line.strip()).name)
    print("published", flush=True)
store.close()
"""


def corpus(version: int) -> dict[str, str]:
    """Version n tells of n days; half of the other documents change with it, and one is gone in even versions."""
    fever = document(
        "Quorvane fever",
        ("Symptoms", f"Symptoms of quorvane fever are a blue rash and tired knees for {version} days."),
        ("Outlook", f"The rash of quorvane fever fades after {version} weeks in edition {version}."),
    )
    others = {
        f"{name}-{n}": document(
            f"{name.capitalize()} ache {n}",
            ("Symptoms", f"The {name} ache number {n} hurts at dawn. " + (f"Edition {version}." if n % 2 else "")),
        )
        for name in ("zelmir", "ombrik", "tarvel")
        for n in range(40)
    }
    gone = {"blinko": document("Blinko cold", ("Symptoms", "Symptoms of blinko cold are a purple nose and hiccups."))}
    return {"quorvane": fever, **others, **({} if version % 2 == 0 else gone)}


def test_chats_during_a_publish_see_one_version_each_and_the_new_one_afterwards(tmp_path: Path) -> None:
    for version in (2, 3, 4):
        write_documents(tmp_path / f"v{version}", corpus(version))
    with running(tmp_path, documents=corpus(1)) as service:
        publisher = subprocess.Popen(
            [sys.executable, "-c", PUBLISH, str(tmp_path / "galen.db")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).resolve().parents[2],
        )
        assert publisher.stdin is not None
        assert publisher.stdout is not None
        try:
            assert publisher.stdout.readline() == "ready\n"
            done = threading.Event()
            barrier = threading.Barrier(CHATS + 1, timeout=20)
            with ThreadPoolExecutor(CHATS) as pool:
                chats = [pool.submit(chatting, service, number, barrier, done) for number in range(CHATS)]
                try:
                    barrier.wait()
                    for version in (2, 3, 4):
                        publisher.stdin.write(f"{tmp_path / f'v{version}'}\n")
                        publisher.stdin.flush()
                        assert publisher.stdout.readline() == "published\n"
                        with service.client() as client:
                            after = [receipt_of(ask(client, question)) for question in QUESTIONS]
                        assert {receipt["corpus_version"] for receipt in after} == {f"v{version}"}
                        documents = {source["doc_id"] for receipt in after for source in receipt["retrieved_sources"]}
                        assert ("blinko" in documents) is (version == 3)
                finally:
                    done.set()
                receipts = [receipt for chat in chats for receipt in chat.result()]
        finally:
            publisher.stdin.close()
            publisher.wait()
            publisher.stdout.close()
        seen = {receipt["corpus_version"] for receipt in receipts}
        assert {"v1", "v4"} <= seen
        assert len(receipts) > 2 * CHATS, "the chats did not run beside the publishing: the test proves nothing"
        for receipt in receipts:
            check_one_version(service, receipt)
        assert len(service.receipts()) == len(receipts) + 6
        assert service.open_turns() == 0


def chatting(service: Service, number: int, barrier: threading.Barrier, done: threading.Event) -> list[dict[str, Any]]:
    """Asks once before anything is published, then until the last version is out; every turn must end well."""
    receipts = []
    with service.client() as client:
        last = False
        while not last:
            if len(receipts) == 1:
                barrier.wait()
            last = done.is_set()
            events = ask(client, QUESTIONS[number % 2])
            assert grammar(events)
            assert events[-1].name == "done", events[-1]
            receipts.append(receipt_of(events))
    return receipts


def receipt_of(events: list[Event]) -> dict[str, Any]:
    return next(event.data for event in events if event.name == "receipt")


def check_one_version(service: Service, receipt: dict[str, Any]) -> None:
    version = receipt["corpus_version"]
    assert receipt["retrieved_sources"]
    for source in receipt["retrieved_sources"]:
        chunk, _ = service.store.corpus.chunk(source["chunk_id"], version)  # raises when it is not visible there
        if source["doc_id"] == "quorvane":
            assert version.removeprefix("v") in chunk.text
