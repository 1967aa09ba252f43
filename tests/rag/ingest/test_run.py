"""One ingest after another: what is taken in, refused and told on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.errors import PermanentError, StoreBusy
from rag.ingest.records import Limits
from rag.ingest.run import Progress
from rag.store import Store
from rag.store.check import check_corpus
from rag.store.connection import ingest_lock
from tests.corpora import document, ingest_path, qa_records, write_documents, write_jsonl
from tests.fakes.embedder import HashEmbedder
from tests.rag.ingest.basics import BASICS, Counting, doc_ids, keyword_hits, vitamin


def test_the_same_folder_three_times_is_the_same_corpus(store: Store, tmp_path: Path) -> None:
    embedder, folder = Counting(), write_documents(tmp_path / "docs", BASICS)
    first = ingest_path(store, embedder, folder)
    assert first.published
    assert first.outcomes == {"created": 3}
    assert first.embedded == first.passages > 0
    assert first.vectors_complete
    writes = store.db._writer.total_changes()
    for _ in range(2):
        again = ingest_path(store, embedder, folder)
        assert not again.published
        assert again.outcomes == {"unchanged": 3}
        assert again.corpus_version == first.corpus_version
        assert again.embedded == 0
    assert embedder.embedded == first.embedded
    assert store.db._writer.total_changes() == writes
    assert len(store.corpus.versions()) == 1
    assert check_corpus(store.db) == ()


def test_nothing_to_read_is_an_error_and_removes_nothing(store: Store, tmp_path: Path) -> None:
    folder = write_documents(tmp_path / "docs", BASICS)
    ingest_path(store, HashEmbedder(), folder)
    for path in folder.iterdir():
        path.unlink()
    with pytest.raises(PermanentError, match="Nothing to ingest"):
        ingest_path(store, HashEmbedder(), folder)
    with pytest.raises(PermanentError):
        ingest_path(store, HashEmbedder(), tmp_path / "nowhere")
    assert doc_ids(store) == set(BASICS)


def test_a_file_beyond_the_limit_says_so(store: Store, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "qa.jsonl", qa_records(3))
    with pytest.raises(PermanentError, match=r"qa\.jsonl"):
        ingest_path(store, HashEmbedder(), path, limits=Limits(max_file_bytes=100))


def test_a_given_chunk_id_of_another_source_is_refused_by_name(store: Store, tmp_path: Path) -> None:
    record = {
        "doc_title": "Scurvy",
        "organization": "Org",
        "url": "https://example.org",
        "version_date": "2024-01-01",
        "lang": "en",
        "topic": "vitamins",
        "text": "Scurvy comes from too little vitamin C.",
        "chunk_id": "scurvy-1",
    }
    ingest_path(store, HashEmbedder(), write_jsonl(tmp_path / "a.jsonl", [record]), source="a")
    other = {**record, "doc_title": "Scurvy at sea", "text": "Sailors had scurvy."}
    fine = {
        **other,
        "doc_title": "Rickets",
        "text": "Rickets comes from too little vitamin D.",
        "chunk_id": "rickets-1",
    }
    report = ingest_path(store, HashEmbedder(), write_jsonl(tmp_path / "b.jsonl", [other, fine]), source="b")
    assert report.outcomes == {"created": 1, "failed": 1}
    assert "'scurvy-1' is used by source 'a'" in report.bad[0]


def test_progress_tells_share_rate_and_time_left(store: Store, tmp_path: Path) -> None:
    seen: list[Progress] = []
    ingest_path(store, HashEmbedder(), write_jsonl(tmp_path / "qa.jsonl", qa_records(200)), on_progress=seen.append)
    assert [p.share for p in seen] == sorted(p.share for p in seen)
    assert seen[-1].share == 1.0
    assert seen[-1].documents == seen[-1].documents_total == 200
    assert seen[0].rate > 0
    assert seen[-1].seconds_left == 0


def test_one_ingest_at_a_time(store: Store, tmp_path: Path) -> None:
    folder = write_documents(tmp_path / "docs", BASICS)
    with ingest_lock(store.db.path), pytest.raises(StoreBusy, match="Another ingest"):
        ingest_path(store, HashEmbedder(), folder)
    ingest_path(store, HashEmbedder(), folder)


def test_collections_do_not_mix(store: Store, tmp_path: Path) -> None:
    folder = write_documents(tmp_path / "docs", BASICS)
    ingest_path(store, HashEmbedder(), folder)
    law = write_documents(tmp_path / "law", {"gdpr": document("GDPR", ("Article 9", "Health data is special."))})
    ingest_path(store, HashEmbedder(), law, collection="governance")
    assert doc_ids(store) == set(BASICS)
    assert doc_ids(store, "governance") == {"gdpr"}
    assert store.corpus.collections() == ("governance", "health")


def test_a_replacement_that_is_refused_leaves_the_published_document_and_right_counts(
    store: Store, tmp_path: Path
) -> None:
    embedder, path = HashEmbedder(), tmp_path / "b.jsonl"
    taken = [vitamin("scurvy", "scurvy-1", "Scurvy comes from too little vitamin C.")]
    ingest_path(store, embedder, write_jsonl(tmp_path / "a.jsonl", taken), source="a")
    rickets = vitamin("rickets", "rickets-1", "Rickets comes from too little vitamin D.")
    ingest_path(store, embedder, write_jsonl(path, [rickets]), source="b")
    clash = vitamin("rickets", "scurvy-1", "Rickets bends the bones.")
    new = vitamin("goitre", "goitre-1", "Goitre comes from too little iodine.")
    report = ingest_path(store, embedder, write_jsonl(path, [clash, new]), source="b")
    assert report.outcomes == {"created": 1, "failed": 1}
    assert doc_ids(store) == {"scurvy", "rickets", "goitre"}
    assert keyword_hits(store, "rickets") == {"rickets"}
    version = report.corpus_version
    report = ingest_path(store, embedder, write_jsonl(path, [clash, new]), source="b")
    assert (report.published, report.corpus_version) == (False, version)
    assert report.outcomes == {"unchanged": 1, "failed": 1}
    assert check_corpus(store.db) == ()


def test_a_document_of_forty_thousand_chunk_records_is_taken_in(store: Store, tmp_path: Path) -> None:
    records = [vitamin("long", f"c{n}", f"n{n}") for n in range(40_000)]
    report = ingest_path(store, HashEmbedder(64), write_jsonl(tmp_path / "a.jsonl", records))
    assert (report.outcomes, report.passages, report.vectors_complete) == ({"created": 1}, 40_000, True)
    view = store.views.get("health")
    assert len(store.corpus.chunks(view.keys.tolist())) == 40_000


def test_passages_whose_vectors_are_known_count_in_the_rate(store: Store, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "qa.jsonl", qa_records(200))
    ingest_path(store, HashEmbedder(), path, source="one")
    seen: list[Progress] = []
    ingest_path(store, HashEmbedder(), path, source="two", on_progress=seen.append)
    assert {progress.embedded for progress in seen} == {0}
    assert all(progress.rate > 0 for progress in seen)
