"""An ingest that stops halfway is invisible, and the next one takes up what is still right of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.errors import CorpusMissing
from rag.ingest.run import IngestCancelled, Progress
from rag.retrieve import Retriever
from rag.store import Store
from rag.store.check import check_corpus, staged_documents
from rag.thresholds import load_thresholds
from rag.types import Query
from tests.corpora import ingest_path, qa_records, write_documents, write_jsonl
from tests.fakes.embedder import HashEmbedder
from tests.rag.ingest.basics import BASICS, Counting, doc_ids, keyword_hits, vitamin


def test_an_interrupted_ingest_is_invisible_and_taken_up(store: Store, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "qa.jsonl", qa_records(200))
    with pytest.raises(OSError, match="power"):
        ingest_path(store, Counting(fail_at=120), path)
    with pytest.raises(CorpusMissing):
        store.views.get("health")
    staged = staged_documents(store.db)
    assert 0 < staged < 200
    assert check_corpus(store.db) == ()
    assert [job.state for job in store.jobs.list()] == ["running"]
    other = write_jsonl(tmp_path / "other.jsonl", qa_records(3, first=900))
    ingest_path(store, HashEmbedder(), other, source="other")
    assert len(doc_ids(store)) == 3, "another source publishes nothing of it"
    embedder = Counting()
    report = ingest_path(store, embedder, path)
    assert report.outcomes == {"created": 200}
    assert embedder.embedded == 200 - staged
    assert staged_documents(store.db) == 0
    assert len(doc_ids(store)) == 203
    assert [job.state for job in store.jobs.list("running")] == []


def test_staged_documents_that_changed_or_vanished_meanwhile_are_dropped(store: Store, tmp_path: Path) -> None:
    records = qa_records(100)
    path = write_jsonl(tmp_path / "qa.jsonl", records)
    with pytest.raises(OSError, match="power"):
        ingest_path(store, Counting(fail_at=90), path)
    records[0]["answer"] = "Syndrome 0 is now understood quite differently."
    write_jsonl(path, records[:1] + records[2:])
    ingest_path(store, HashEmbedder(), path)
    assert keyword_hits(store, "differently") == {"qa-00000"}
    assert len(doc_ids(store)) == 99
    assert staged_documents(store.db) == 0
    assert check_corpus(store.db) == ()


def test_a_stopped_ingest_keeps_what_it_did(store: Store, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "qa.jsonl", qa_records(200))
    seen: list[Progress] = []
    with pytest.raises(IngestCancelled):
        ingest_path(store, HashEmbedder(), path, on_progress=seen.append, cancelled=lambda: len(seen) >= 2)
    assert staged_documents(store.db) == seen[-1].documents > 0
    assert store.jobs.list()[0].state == "cancelled"
    ingest_path(store, HashEmbedder(), path)
    assert len(doc_ids(store)) == 200


def test_a_refused_replacement_publishes_nothing_that_was_staged_of_it_before(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "b.jsonl"
    taken = [vitamin("scurvy", "scurvy-1", "Scurvy comes from too little vitamin C.")]
    ingest_path(store, HashEmbedder(), write_jsonl(tmp_path / "a.jsonl", taken), source="a")
    rickets = vitamin("rickets", "rickets-1", "Rickets comes from too little vitamin D.")
    ingest_path(store, HashEmbedder(), write_jsonl(path, [rickets]), source="b")
    staged = vitamin("rickets", "rickets-1", "Rickets was staged and never published.")
    more = [vitamin(f"d{n}", f"d{n}-1", f"Text number {n}.") for n in range(100)]
    with pytest.raises(OSError, match="power"):
        ingest_path(store, Counting(fail_at=90), write_jsonl(path, [staged, *more]), source="b")
    assert staged_documents(store.db) > 0
    clash = vitamin("rickets", "scurvy-1", "Rickets bends the bones.")
    new = vitamin("goitre", "goitre-1", "Goitre comes from too little iodine.")
    ingest_path(store, HashEmbedder(), write_jsonl(path, [clash, new]), source="b")
    assert doc_ids(store) == {"scurvy", "rickets", "goitre"}
    assert keyword_hits(store, "published") == set()
    assert staged_documents(store.db) == 0
    assert check_corpus(store.db) == ()


def test_questions_are_answered_while_an_ingest_has_staged_more_than_is_published(store: Store, tmp_path: Path) -> None:
    embedder = HashEmbedder()
    ingest_path(store, embedder, write_documents(tmp_path / "docs", BASICS))
    view = store.views.get("health")
    path = write_jsonl(tmp_path / "qa.jsonl", qa_records(200))
    with pytest.raises(OSError, match="power"):
        ingest_path(store, Counting(fail_at=150), path, source="records")
    retriever = Retriever(store=store, fusion=load_thresholds(None).fusion)
    vector = embedder.embed(["asthma syndrome test"], "query")[0]
    for text in ("what do people with a syndrome feel", "asthma syndrome test", "doctor sample tired rashes"):
        found = retriever.search(view, Query(text=text), (vector,))
        assert {e.chunk.source for e in found.evidence} == {"test"}
        assert all(0 <= share <= 1 for share in found.coverage)
