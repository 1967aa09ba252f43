"""Another model's vectors are made beside the old ones, which serve until all of the new ones are there."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rag.errors import CorpusMissing, EmbedderMismatch, StoreBusy
from rag.ingest.reembed import reembed
from rag.ingest.report import IngestCancelled, Progress
from rag.store import Store
from rag.store.check import check_corpus
from rag.store.connection import ingest_lock
from tests.corpora import ingest_path, qa_records, write_jsonl
from tests.fakes.embedder import HashEmbedder
from tests.rag.ingest.basics import Counting
from tests.rag.turns import parts_of, receipt_of, run

OLD, NEW = HashEmbedder(), HashEmbedder(model_id="hash@2")
RECORDS = 240

CHILD = """
import sys
from pathlib import Path
from rag.ingest.reembed import reembed
from rag.store import Store
from tests.fakes.embedder import HashEmbedder
new = HashEmbedder(model_id="hash@2")
def told(progress):
    print(f"{progress.share:.3f}", flush=True)
    sys.stdin.readline()
reembed(Store(Path(sys.argv[1]), None), new, "health", on_progress=told)
print("done", flush=True)
"""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    store = Store(tmp_path / "old.db", OLD.info)
    ingest_path(store, OLD, write_jsonl(tmp_path / "qa.jsonl", qa_records(RECORDS)))
    store.close()
    return tmp_path / "old.db"


def serving(database: Path) -> tuple[str | None, int]:
    """The model that a program started with the new one answers with, and how many passages it finds by it."""
    store = Store(database, NEW.info)
    store.serve_with(OLD.info)
    view = store.views.get("health")
    embedder = {"hash@1": OLD, "hash@2": NEW}[str(view.model_id)]
    assert view.index is not None
    found = view.index.search(embedder.embed(["Syndrome 7 mark7"], "query")[0], 1_000)
    assert check_corpus(store.db) == ()
    store.close()
    return view.model_id, len(found)


def test_the_old_vectors_serve_until_the_new_ones_are_complete_and_a_running_view_switches(database: Path) -> None:
    store = Store(database, NEW.info)
    store.serve_with(OLD.info)
    seen: list[tuple[str | None, float]] = []

    def look(progress: Progress) -> None:
        assert progress.seconds_left is not None
        seen.append((store.views.get("health").model_id, progress.share))

    report = reembed(store, NEW, "health", on_progress=look)
    assert {model for model, _ in seen} == {"hash@1"}
    assert [share for _, share in seen] == sorted(share for _, share in seen)
    assert len(seen) > 2
    assert (report.embedded, report.switched, report.model_id) == (RECORDS, True, "hash@2")
    assert store.views.get("health").model_id == "hash@2"
    assert store.corpus.version("health").models == ("hash@1", "hash@2")
    again = reembed(store, NEW, "health")
    assert (again.embedded, again.switched) == (0, False)
    store.close()
    assert serving(database) == ("hash@2", RECORDS)


def test_a_kill_in_the_middle_loses_nothing(database: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(database)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdin is not None
    assert child.stdout is not None
    for _ in range(2):
        share = float(child.stdout.readline())
        child.stdin.write("\n")
        child.stdin.flush()
    share = float(child.stdout.readline())  # it now waits for a line that never comes
    child.send_signal(signal.SIGKILL)
    child.communicate()
    assert serving(database) == ("hash@1", RECORDS)
    store, counting = Store(database, NEW.info), Counting(model_id="hash@2")
    report = reembed(store, counting, "health")
    assert report.switched
    assert report.embedded == counting.embedded == round(RECORDS * (1 - share))
    store.close()
    assert serving(database) == ("hash@2", RECORDS)


def test_one_that_is_stopped_or_fails_keeps_what_is_embedded(database: Path) -> None:
    store = Store(database, NEW.info)
    with pytest.raises(OSError, match="power"):
        reembed(store, Counting(model_id="hash@2", fail_at=100), "health")
    with pytest.raises(IngestCancelled):
        reembed(store, NEW, "health", cancelled=lambda: True)
    assert 0 < reembed(store, NEW, "health").embedded < RECORDS
    store.close()


def test_what_is_published_later_by_the_old_model_is_made_up_for_by_the_next_run(
    database: Path, tmp_path: Path
) -> None:
    store = Store(database, OLD.info)
    reembed(store, NEW, "health")
    ingest_path(store, OLD, write_jsonl(tmp_path / "qa.jsonl", qa_records(RECORDS + 10)))
    store.close()
    assert serving(database) == ("hash@1", RECORDS + 10)
    store = Store(database, NEW.info)
    assert reembed(store, NEW, "health").embedded == 10
    store.close()
    assert serving(database) == ("hash@2", RECORDS + 10)


def test_what_cannot_be_done_is_said(database: Path) -> None:
    store = Store(database, NEW.info)
    with pytest.raises(CorpusMissing, match="published: health"):
        reembed(store, NEW, "nothing")
    with ingest_lock(database), pytest.raises(StoreBusy, match="wait until it has finished"):
        reembed(store, NEW, "health")
    with pytest.raises(EmbedderMismatch, match="other dimensions"):
        reembed(store, HashEmbedder(64), "health")
    store.close()


async def test_a_turn_embeds_its_question_by_the_model_whose_vectors_answer_and_says_so(database: Path) -> None:
    narrow = HashEmbedder(128, model_id="narrow@1")  # its vectors cannot be compared with the old ones
    store = Store(database, narrow.info)
    store.serve_with(OLD.info)
    parts = parts_of(store, embedder=narrow, others=(OLD,))
    before = receipt_of(await run(parts, "What are the symptoms of Syndrome 7?"))
    assert (before["embed_model"], before["degraded"]) == ("hash@1", ["other_embedder"])
    assert before["retrieved_sources"][0]["scores"]["dense"] > 0.2
    reembed(store, narrow, "health")
    after = receipt_of(await run(parts, "What are the symptoms of Syndrome 7?"))
    assert (after["embed_model"], after["degraded"]) == ("narrow@1", [])
    assert after["retrieved_sources"][0]["scores"]["dense"] != before["retrieved_sources"][0]["scores"]["dense"]
    store.close()
