"""Versions have names, stay searchable, and can be made active again."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.errors import CorpusMissing, PermanentError, StoreBusy
from rag.store import Store
from rag.store.check import check_corpus
from tests.corpora import document, ingest_path, qa_records, write_documents, write_jsonl
from tests.fakes.embedder import HashEmbedder
from tests.rag.ingest.basics import BASICS, Counting, doc_ids, keyword_hits, vector_hits


def test_a_deleted_document_is_gone_from_both_legs_and_stays_in_the_archive(store: Store, tmp_path: Path) -> None:
    embedder, folder = HashEmbedder(), write_documents(tmp_path / "docs", BASICS)
    first = ingest_path(store, embedder, folder)
    old = next(c for c in store.corpus.chunks(store.views.get("health").keys.tolist()).values() if c.doc_id == "gout")
    assert "gout" in keyword_hits(store, "gout joint")
    (folder / "gout.md").unlink()
    ingest_path(store, embedder, folder)
    assert "gout" not in keyword_hits(store, "gout joint")
    assert "gout" not in vector_hits(store, embedder, "Gout causes sudden pain in a joint.")
    archived, version = store.corpus.chunk(old.chunk_id)
    assert (archived.text, version) == (old.text, first.corpus_version)


def test_versions_have_names_and_a_taken_one_is_refused(store: Store, tmp_path: Path) -> None:
    folder = write_documents(tmp_path / "docs", BASICS)
    assert ingest_path(store, HashEmbedder(), folder, corpus_version="spring").corpus_version == "spring"
    (folder / "gout.md").unlink()
    with pytest.raises(PermanentError, match="'spring'"):
        ingest_path(store, HashEmbedder(), folder, corpus_version="spring")
    assert doc_ids(store) == set(BASICS)
    second = ingest_path(store, HashEmbedder(), folder).corpus_version
    (folder / "eczema.md").unlink()
    third = ingest_path(store, HashEmbedder(), folder).corpus_version
    assert second.rpartition(".")[2] == "1"
    assert third == second.rpartition(".")[0] + ".2"


def test_old_versions_stay_searchable_and_can_be_made_active_again(store: Store, tmp_path: Path) -> None:
    embedder, folder = HashEmbedder(), write_documents(tmp_path / "docs", BASICS)
    first = ingest_path(store, embedder, folder).corpus_version
    (folder / "gout.md").unlink()
    (folder / "mumps.md").write_text(document("Mumps", ("Symptoms", "Mumps swells the cheeks.")), "utf-8")
    second = ingest_path(store, embedder, folder).corpus_version
    store.corpus.activate("health", first)
    assert doc_ids(store) == set(BASICS)
    assert vector_hits(store, embedder, "gout") == set(BASICS)
    store.corpus.activate("health", second)
    assert doc_ids(store) == {"asthma", "eczema", "mumps"}
    with pytest.raises(CorpusMissing, match="no version 'never'"):
        store.corpus.activate("health", "never")


def test_an_ingest_after_a_rollback_builds_on_what_is_active(store: Store, tmp_path: Path) -> None:
    embedder, folder = Counting(), write_documents(tmp_path / "docs", BASICS)
    records = qa_records(4)
    qa = write_jsonl(tmp_path / "qa.jsonl", records)
    ingest_path(store, embedder, folder)
    good = ingest_path(store, embedder, qa, source="records").corpus_version
    write_jsonl(qa, records[:1])
    ingest_path(store, embedder, qa, source="records")
    (folder / "gout.md").unlink()
    ingest_path(store, embedder, folder)
    store.corpus.activate("health", good)
    before = embedder.embedded
    (folder / "scurvy.md").write_text(document("Scurvy", ("Cause", "Scurvy comes from too little vitamin C.")), "utf-8")
    report = ingest_path(store, embedder, folder)
    assert report.outcomes == {"unchanged": 2, "removed": 1, "created": 1}
    assert doc_ids(store) == {"asthma", "eczema", "scurvy", *(f"qa-{n:05}" for n in range(4))}
    assert report.vectors_complete
    assert embedder.embedded == before + 1
    assert keyword_hits(store, "mark3") == {"qa-00003"}
    assert check_corpus(store.db) == ()


def test_no_version_can_be_activated_while_an_ingest_runs(store: Store, tmp_path: Path) -> None:
    folder = write_documents(tmp_path / "docs", BASICS)
    first = ingest_path(store, HashEmbedder(), folder).corpus_version
    (folder / "gout.md").unlink()
    ingest_path(store, HashEmbedder(), folder)
    refused: list[str] = []

    def activate(*_: object) -> None:
        with pytest.raises(StoreBusy) as caught:
            store.corpus.activate("health", first)
        refused.append(str(caught.value))

    (folder / "mumps.md").write_text(document("Mumps", ("Symptoms", "Mumps swells the cheeks.")), "utf-8")
    ingest_path(store, HashEmbedder(), folder, on_progress=activate)
    assert refused == ["Another ingest is running on this database: wait until it has finished."]
    assert store.corpus.activate("health", first).active
    assert doc_ids(store) == set(BASICS)
