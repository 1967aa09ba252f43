"""What every VectorIndex promises, over a real database: exact cosines, filters, ties, versions, models."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import sqlite_vec

from rag.errors import EmbedderMismatch, StoreError
from rag.protocols import FloatMatrix
from rag.store import IndexKind, Store, View
from rag.store.check import check_corpus
from rag.store.vec0 import table_of
from rag.types import Filters
from tests.corpora import document, ingest_path, qa_records, write_documents, write_jsonl
from tests.fakes.embedder import HashEmbedder

EMBEDDER = HashEmbedder()
KINDS: tuple[IndexKind, ...] = get_args(IndexKind)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> IndexKind:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def store(tmp_path: Path, kind: IndexKind) -> Iterator[Store]:
    opened = Store(tmp_path / "galen.db", EMBEDDER.info, index=kind)
    yield opened
    opened.close()


def filled(store: Store, folder: Path, count: int = 120, first: int = 0) -> View:
    ingest_path(store, EMBEDDER, write_jsonl(folder / "qa.jsonl", qa_records(count, first=first)))
    return store.views.get("health")


def vector_of(text: str) -> FloatMatrix:
    return EMBEDDER.embed([text], "query")[0]


def exact(store: Store, view: View, query: FloatMatrix) -> list[tuple[int, float]]:
    """Every passage of the view by cosine, from the stored vectors themselves."""
    scored = [(int(key), float(store.corpus.vector(int(key), "hash@1") @ query)) for key in view.keys]
    return sorted(scored, key=lambda hit: (-hit[1], hit[0]))


def same(found: list[tuple[int, float]], expected: list[tuple[int, float]]) -> None:
    assert [score for _, score in found] == pytest.approx([score for _, score in expected], abs=2e-6)
    true = dict(expected)
    for key, score in found:
        assert true.get(key, score) == pytest.approx(score, abs=2e-6)


def test_search_is_exact_and_best_first(store: Store, tmp_path: Path) -> None:
    view = filled(store, tmp_path)
    assert view.index is not None
    query = vector_of("Syndrome 42 mark42")
    found = view.index.search(query, 50)
    same(found, exact(store, view, query)[:50])
    (best,) = store.corpus.chunks([found[0][0]]).values()
    assert best.doc_id == "qa-00042"
    assert len(view.index.search(query, 1_000)) == len(view.keys)


def test_a_filter_looks_only_at_its_rows(store: Store, tmp_path: Path) -> None:
    view = filled(store, tmp_path)
    assert view.index is not None
    query, rows = vector_of("Syndrome 42 mark42"), np.arange(0, len(view.keys), 3, dtype=np.int64)
    allowed = set(view.keys[rows].tolist())
    same(view.index.search(query, 20, rows), [hit for hit in exact(store, view, query) if hit[0] in allowed][:20])
    assert {key for key, _ in view.index.search(query, 1_000, rows)} == allowed
    assert view.index.search(query, 5, np.array([], np.int64)) == []


def test_a_views_filters_restrict_the_search(store: Store, tmp_path: Path) -> None:
    docs = {
        name: document(name.title(), ("Symptoms", f"The {name} makes people cough."), topic=topic)
        for name, topic in (("asthma", "lungs"), ("bronchitis", "lungs"), ("gout", "joints"))
    }
    ingest_path(store, EMBEDDER, write_documents(tmp_path / "docs", docs))
    view = store.views.get("health")
    assert view.index is not None
    found = view.index.search(vector_of("gout cough"), 10, view.rows(Filters(topics=("lungs",))))
    assert {chunk.doc_id for chunk in store.corpus.chunks(key for key, _ in found).values()} == {"asthma", "bronchitis"}


def test_ties_are_broken_by_key_even_at_the_edge_of_the_limit(store: Store, tmp_path: Path) -> None:
    same_text = {f"d{n:03}": document("Gout", ("Causes", "Uric acid.")) for n in range(150)}
    ingest_path(store, EMBEDDER, write_documents(tmp_path / "docs", same_text))
    view = store.views.get("health")
    assert view.index is not None
    for limit in (3, 50):
        found = view.index.search(vector_of("uric acid"), limit)
        assert [key for key, _ in found] == view.keys[:limit].tolist()


def test_a_vector_of_another_length_is_refused(store: Store, tmp_path: Path) -> None:
    index = filled(store, tmp_path, 3).index
    assert index is not None
    with pytest.raises(EmbedderMismatch, match="17 dimensions, the stored vectors 256"):
        index.search(np.zeros(17, np.float32), 5)
    with pytest.raises(EmbedderMismatch, match="17 dimensions, the stored vectors 256"):
        index.cosines(np.zeros(17, np.float32), [1])


def test_cosines_of_named_keys(store: Store, tmp_path: Path) -> None:
    view = filled(store, tmp_path, 20)
    assert view.index is not None
    query = vector_of("mark7")
    got = view.index.cosines(query, [int(view.keys[3]), int(view.keys[0]), 9_999])
    expected = dict(exact(store, view, query))
    assert set(got) == {int(view.keys[3]), int(view.keys[0])}
    assert got == pytest.approx({key: expected[key] for key in got}, abs=2e-6)


def test_each_version_sees_its_own_passages_also_after_the_next_is_published(store: Store, tmp_path: Path) -> None:
    """A turn that took its view before a publish finishes on it; the next one has the new passages at once."""
    old = filled(store, tmp_path, 60)
    new = filled(store, tmp_path, 60, first=40)
    assert old.index is not None
    assert new.index is not None
    query = vector_of("Syndrome 5 mark5")
    for view in (old, new):
        assert view.index is not None
        same(view.index.search(query, 30), exact(store, view, query)[:30])
        assert {key for key, _ in view.index.search(query, 500)} == set(view.keys.tolist())
    gone = set(old.keys.tolist()) - set(new.keys.tolist())
    assert gone
    assert new.index.cosines(query, sorted(gone)) == {}
    store.corpus.activate("health", old.version.corpus_version)
    again = store.views.get("health")
    assert again.index is not None
    assert again.index.search(query, 30) == old.index.search(query, 30)


def test_a_publish_leaves_no_gap_for_those_who_search(store: Store, tmp_path: Path) -> None:
    filled(store, tmp_path, 40)
    stop, seen, wrong = threading.Event(), set(), []

    def search() -> None:
        query = vector_of("Syndrome 20 mark20")
        while not stop.is_set():
            view = store.views.get("health")
            found = view.index.search(query, 100) if view.index is not None else []
            if {key for key, _ in found} != set(view.keys.tolist()):
                wrong.append(view.version.generation)
            seen.add(view.version.generation)

    threads = [threading.Thread(target=search) for _ in range(2)]
    for thread in threads:
        thread.start()
    for first in range(1, 6):
        filled(store, tmp_path, 40, first=first)
    stop.set()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(seen) > 1


def test_collections_do_not_find_each_others_passages(store: Store, tmp_path: Path) -> None:
    view = filled(store, tmp_path, 30)
    ingest_path(
        store, EMBEDDER, write_jsonl(tmp_path / "law.jsonl", [r | {"doc_id": f"law-{n}"} for n, r in
        enumerate(qa_records(30))]), collection="law", source="law",
    )  # fmt: skip
    law = store.views.get("law")
    assert view.index is not None
    assert law.index is not None
    query = vector_of("Syndrome 7 mark7")
    assert {key for key, _ in view.index.search(query, 500)} == set(view.keys.tolist())
    assert {key for key, _ in law.index.search(query, 500)} == set(law.keys.tolist())


def test_another_models_vectors_are_never_compared(tmp_path: Path, kind: IndexKind) -> None:
    path, other = write_jsonl(tmp_path / "qa.jsonl", qa_records(25)), HashEmbedder(model_id="other@1")
    for embedder in (EMBEDDER, other):
        store = Store(tmp_path / "galen.db", embedder.info, index=kind)
        assert embedder is EMBEDDER or store.views.get("health").index is None
        ingest_path(store, embedder, path)
        view = store.views.get("health")
        store.close()
    assert view.model_id == "other@1"
    store = Store(tmp_path / "galen.db", EMBEDDER.info, index=kind)
    view = store.views.get("health")
    assert view.index is not None
    query = vector_of("Syndrome 3 mark3")
    same(view.index.search(query, 25), exact(store, view, query))
    assert check_corpus(store.db) == ()
    store.close()


# -- sqlite-vec alone --------------------------------------------------------------------------------------------------


def test_more_than_sqlite_vec_gives_at_once_is_cut_and_said_in_its_docstring(tmp_path: Path) -> None:
    store = Store(tmp_path / "galen.db", EMBEDDER.info, index="sqlite-vec")
    view = filled(store, tmp_path, 30)
    assert view.index is not None
    assert len(view.index.search(vector_of("mark7"), 100_000)) == len(view.keys)
    store.close()


def test_a_database_with_a_vec0_table_is_sound_and_can_be_used_without_sqlite_vec(tmp_path: Path) -> None:
    store = Store(tmp_path / "galen.db", EMBEDDER.info, index="sqlite-vec")
    filled(store, tmp_path, 30)
    assert check_corpus(store.db) == ()
    store.close()
    store = Store(tmp_path / "galen.db", EMBEDDER.info)
    filled(store, tmp_path, 40, first=10)
    assert check_corpus(store.db) == ()
    store.close()
    store = Store(tmp_path / "galen.db", EMBEDDER.info, index="sqlite-vec")  # adds what came meanwhile
    view = store.views.get("health")
    assert view.index is not None
    assert len(view.index.search(vector_of("mark7"), 100)) == 40
    store.close()


def test_a_check_finds_a_vec0_table_that_has_other_vectors(tmp_path: Path) -> None:
    store = Store(tmp_path / "galen.db", EMBEDDER.info, index="sqlite-vec")
    filled(store, tmp_path, 8)
    with store.db.write() as connection:
        blob = np.ones(256, "<f4").tobytes()
        connection.execute(f"UPDATE {table_of('hash@1')} SET embedding = ? WHERE chunk = 2", (blob,))
    (fault,) = check_corpus(store.db)
    assert (fault.part, fault.what) == ("vectors", "passage 2 has another vector in the vec0 table of hash@1")
    store.close()


def test_without_the_extension_the_start_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_vec, "loadable_path", lambda: str(tmp_path / "nothing"))
    with pytest.raises(StoreError, match="VECTOR_INDEX=resident"):
        Store(tmp_path / "galen.db", EMBEDDER.info, index="sqlite-vec")
