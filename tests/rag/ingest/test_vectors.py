"""Every passage gets one vector, of the right model, and is embedded no more often than needed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rag.errors import EmbedderMismatch
from rag.ingest.run import Progress
from rag.store import Store
from rag.store.rows import content_hash
from tests.corpora import document, ingest_path, qa_records, write_documents, write_jsonl
from tests.fakes.embedder import HashEmbedder
from tests.rag.ingest.basics import BASICS, Counting, keyword_hits, vector_hits


def test_unchanged_text_keeps_its_vector_when_its_document_changes(store: Store, tmp_path: Path) -> None:
    embedder, folder = Counting(), write_documents(tmp_path / "docs", BASICS)
    ingest_path(store, embedder, folder)
    before = embedder.embedded
    (folder / "gout.md").write_text(
        document("Gout", ("Symptoms", "Gout causes sudden pain in a joint."), version_date="2026-05-01"), "utf-8"
    )
    report = ingest_path(store, embedder, folder)
    assert report.outcomes == {"unchanged": 2, "replaced": 1}
    assert (report.embedded, report.reused_vectors, embedder.embedded) == (0, 1, before)


def test_a_version_can_be_keyword_only_and_its_vectors_appear_all_at_once(store: Store, tmp_path: Path) -> None:
    embedder, path = Counting(), write_jsonl(tmp_path / "qa.jsonl", qa_records(120))
    first = ingest_path(store, embedder, path, keyword_only=True)
    assert (first.published, first.embedded, first.vectors_complete) == (True, 0, False)
    assert store.views.get("health").index is None
    assert keyword_hits(store, "mark7") == {"qa-00007"}
    with pytest.raises(OSError, match="power"):
        ingest_path(store, Counting(fail_at=100), path)
    assert store.views.get("health").index is None, "half of the vectors are no vectors"
    report = ingest_path(store, embedder, path)
    assert (report.published, report.corpus_version, report.vectors_complete) == (False, first.corpus_version, True)
    assert 0 < report.embedded < 120, "what was embedded before the failure is kept"
    assert vector_hits(store, embedder, "mark7", 3) >= {"qa-00007"}


def test_another_models_vectors_are_never_used(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "qa.jsonl", qa_records(3))
    old = HashEmbedder(model_id="old@1")
    store = Store(tmp_path / "galen.db", old.info)
    ingest_path(store, old, path)
    store.close()
    new = Counting(model_id="new@1")
    store = Store(tmp_path / "galen.db", new.info)
    assert store.views.get("health").index is None
    report = ingest_path(store, new, path)
    assert (report.published, report.embedded, report.vectors_complete) == (False, 3, True)
    assert store.views.get("health").index is not None
    changed = HashEmbedder(128, model_id="new@1")
    with pytest.raises(EmbedderMismatch, match="other dimensions"):
        ingest_path(store, changed, path)
    store.close()


def test_known_vectors_are_used_instead_of_the_model(store: Store, tmp_path: Path) -> None:
    folder = write_documents(tmp_path / "docs", BASICS)
    embedder = Counting()
    ingest_path(store, embedder, folder)
    view = store.views.get("health")
    known = {
        content_hash(c.title, c.heading, c.text): store.corpus.vector(c.id, "hash@1")
        for c in store.corpus.chunks(view.keys.tolist()).values()
    }
    fresh = Store(tmp_path / "fresh.db", embedder.info)
    before = embedder.embedded
    report = ingest_path(fresh, embedder, folder, known_vectors=known)
    assert (report.embedded, embedder.embedded, report.reused_vectors) == (0, before, report.passages)
    assert np.array_equal(fresh.views.get("health").keys, view.keys)
    fresh.close()


def test_adding_vectors_to_a_keyword_version_tells_share_and_time_left(store: Store, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "qa.jsonl", qa_records(120))
    ingest_path(store, HashEmbedder(), path, keyword_only=True)
    seen: list[Progress] = []
    ingest_path(store, HashEmbedder(), path, on_progress=seen.append)
    assert [p.stage for p in seen] == ["vectors"] * len(seen)
    assert len(seen) >= 2
    assert (seen[-1].share, seen[-1].seconds_left) == (1.0, 0.0)
    assert 0 < seen[0].share < 1
