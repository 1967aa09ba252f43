"""An ingest is killed with SIGKILL at random moments: the old version serves on, and the next run converges."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from rag.store import Store
from rag.store.check import check_corpus, staged_documents
from tests.corpora import ingest_path, qa_records, write_jsonl
from tests.fakes.embedder import HashEmbedder

KILLS = 24

CHILD = """
import sys
from pathlib import Path
from rag.store import Store
from tests.corpora import ingest_path
from tests.fakes.embedder import HashEmbedder
store = Store(Path(sys.argv[1]), HashEmbedder().info)
print("ready", flush=True)
ingest_path(store, HashEmbedder(), Path(sys.argv[2]))
print("done", flush=True)
"""


def start(database: Path, records: Path) -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(database), str(records)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    return child


def contents(store: Store) -> dict[str, str]:
    view = store.views.get("health")
    return {chunk.chunk_id: chunk.text for chunk in store.corpus.chunks(view.keys.tolist()).values()}


def test_a_killed_ingest_leaves_the_old_version_and_converges(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    old, new = qa_records(300), qa_records(500, first=100)
    for record in new[:50]:
        record["answer"] += " This was added later."
    records = write_jsonl(tmp_path / "qa.jsonl", old)
    store = Store(tmp_path / "before.db", embedder.info)
    ingest_path(store, embedder, records)
    before = contents(store)
    store.close()
    write_jsonl(records, new)

    whole = shutil.copy(tmp_path / "before.db", tmp_path / "whole.db")
    child, began = start(whole, records), time.monotonic()
    child.communicate()
    assert child.returncode == 0
    duration = time.monotonic() - began
    store = Store(whole, embedder.info)
    after = contents(store)
    store.close()
    assert before.keys() != after.keys()

    rng, seen = random.Random(20261130), set()
    database = Path(shutil.copy(tmp_path / "before.db", tmp_path / "killed.db"))
    for kill in range(KILLS):
        child = start(database, records)
        time.sleep(duration * rng.random() * (0.5 if kill % 2 else 1.1))
        child.send_signal(signal.SIGKILL)
        child.communicate()
        store = Store(database, embedder.info)
        seen.add("staged" if staged_documents(store.db) else "clean")
        assert check_corpus(store.db) == ()
        held = contents(store)
        assert held in (before, after)
        version = store.corpus.version("health")
        assert store.views.get("health").index is not None
        assert (version.generation == 2) == (held == after)
        store.close()
        if held == after:
            for leftover in tmp_path.glob("killed.db*"):
                leftover.unlink()
            shutil.copy(tmp_path / "before.db", database)
    assert "staged" in seen, "no kill hit the middle of an ingest: the test proves nothing"

    store = Store(database, embedder.info)
    ingest_path(store, embedder, records)
    assert contents(store) == after
    assert staged_documents(store.db) == 0
    assert check_corpus(store.db) == ()
    store.close()
