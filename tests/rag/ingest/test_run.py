from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from rag.errors import CorpusMissing, EmbedderMismatch, PermanentError, StoreBusy
from rag.ingest.records import Defaults, Limits
from rag.ingest.run import IngestCancelled, IngestRequest, Progress, ingest
from rag.protocols import EmbedKind, FloatMatrix
from rag.retrieve import Retriever
from rag.store import Store
from rag.store.check import check_corpus, staged_documents
from rag.store.staging import ingest_lock
from rag.thresholds import load_thresholds
from rag.types import Filters, Query
from tests.corpora import document, ingest_path, qa_records, write_documents, write_jsonl
from tests.fakes.embedder import HashEmbedder


class Counting(HashEmbedder):
    """Counts the passages that it embeds; fails from the `fail_at`-th on."""

    def __init__(self, fail_at: int | None = None, **more: str) -> None:
        super().__init__(**more)  # type: ignore[arg-type]
        self.embedded, self.fail_at = 0, fail_at

    def embed(self, texts: Sequence[str], kind: EmbedKind) -> FloatMatrix:
        self.embedded += len(texts)
        if self.fail_at is not None and self.embedded >= self.fail_at:
            raise OSError("the power went out")
        return super().embed(texts, kind)


BASICS = {
    "asthma": document("Asthma", ("Symptoms", "Asthma causes wheezing."), ("Treatment", "Inhalers treat asthma.")),
    "eczema": document("Eczema", ("Symptoms", "Eczema makes skin itchy and dry.")),
    "gout": document("Gout", ("Symptoms", "Gout causes sudden pain in a joint.")),
}


def doc_ids(store: Store, collection: str = "health") -> set[str]:
    view = store.views.get(collection)
    return {chunk.doc_id for chunk in store.corpus.chunks(view.keys.tolist()).values()}


def keyword_hits(store: Store, text: str) -> set[str]:
    view = store.views.get("health")
    keys = [key for key, _ in store.keywords.search(text, 50, view.keys, view.indexed)]
    return {chunk.doc_id for chunk in store.corpus.chunks(keys).values()}


def vector_hits(store: Store, embedder: HashEmbedder, text: str, limit: int = 50) -> set[str]:
    view = store.views.get("health")
    assert view.index is not None
    hits = view.index.search(embedder.embed([text], "query")[0], limit)
    return {chunk.doc_id for chunk in store.corpus.chunks([key for key, _ in hits]).values()}


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


def test_a_change_adds_replaces_and_removes_within_its_source_only(store: Store, tmp_path: Path) -> None:
    embedder, folder = Counting(), write_documents(tmp_path / "docs", BASICS)
    ingest_path(store, embedder, folder)
    records = write_jsonl(tmp_path / "qa.jsonl", qa_records(5))
    beside = ingest_path(store, embedder, records, source="records")
    assert beside.outcomes == {"created": 5}
    (folder / "gout.md").unlink()
    (folder / "eczema.md").write_text(document("Eczema", ("Symptoms", "Eczema makes skin sore.")), "utf-8")
    (folder / "mumps.md").write_text(document("Mumps", ("Symptoms", "Mumps swells the cheeks.")), "utf-8")
    outcomes: dict[str, str] = {}
    report = ingest_path(store, embedder, folder, on_document=lambda doc, outcome, _: outcomes.update({doc: outcome}))
    assert outcomes == {"asthma": "unchanged", "eczema": "replaced", "gout": "removed", "mumps": "created"}
    assert report.published
    assert doc_ids(store) == {"asthma", "eczema", "mumps", *(f"qa-{n:05}" for n in range(5))}
    assert {(s.name, s.documents) for s in store.corpus.sources()} == {("test", 3), ("records", 5)}
    assert check_corpus(store.db) == ()


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


def test_the_same_words_twice_are_a_duplicate_of_the_first(store: Store, tmp_path: Path) -> None:
    records = qa_records(2)
    twin = {**records[0], "doc_id": "twin", "question": records[0]["question"].upper() + " "}
    details: dict[str, str] = {}
    report = ingest_path(
        store,
        HashEmbedder(),
        write_jsonl(tmp_path / "qa.jsonl", [*records, twin]),
        on_document=lambda doc, outcome, detail: details.update({doc: f"{outcome} {detail}".strip()}),
    )
    assert report.outcomes == {"created": 2, "duplicate": 1}
    assert details["twin"] == "duplicate qa-00000"


def test_bad_records_are_named_and_documents_missing_beside_them_are_kept(store: Store, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "qa.jsonl", qa_records(3))
    ingest_path(store, HashEmbedder(), path)
    good = [json.dumps(record) for record in qa_records(2)]
    broken = {**qa_records(1, first=7)[0], "answer": ""}
    path.write_text("\n".join([*good, '{"doc_id": "qa-00002", "question":', json.dumps(broken)]), "utf-8")
    report = ingest_path(store, HashEmbedder(), path)
    assert not report.ok
    assert report.outcomes == {"unchanged": 2, "failed": 2, "kept": 1}
    assert "qa.jsonl:3" in report.bad[0]
    assert "qa.jsonl:4" in report.bad[1]
    assert "answer" in report.bad[1]
    assert "qa-00002" in doc_ids(store)


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


def test_collections_do_not_mix(store: Store, tmp_path: Path) -> None:
    folder = write_documents(tmp_path / "docs", BASICS)
    ingest_path(store, HashEmbedder(), folder)
    law = write_documents(tmp_path / "law", {"gdpr": document("GDPR", ("Article 9", "Health data is special."))})
    ingest_path(store, HashEmbedder(), law, collection="governance")
    assert doc_ids(store) == set(BASICS)
    assert doc_ids(store, "governance") == {"gdpr"}
    assert store.corpus.collections() == ("governance", "health")


def test_filters_keep_matching_passages_only(store: Store, tmp_path: Path) -> None:
    docs = {
        "a": document("A", ("S", "Asthma in English."), lang="en", topic="lungs"),
        "b": document("B", ("S", "Asthma auf Deutsch."), lang="de", topic="lungs"),
        "c": document("C", ("S", "Asthma and skin."), lang="en", topic="skin", organization="Other Org"),
    }
    embedder = HashEmbedder()
    ingest_path(store, embedder, write_documents(tmp_path / "docs", docs))
    view = store.views.get("health")

    def kept(**filters: tuple[str, ...]) -> set[str]:
        rows = view.rows(Filters(**filters))
        assert rows is not None
        return {store.corpus.chunks([int(view.keys[r])])[int(view.keys[r])].doc_id for r in rows}

    assert kept(languages=("en",)) == {"a", "c"}
    assert kept(languages=("en",), topics=("lungs",)) == {"a"}
    assert kept(organizations=("Other Org",)) == {"c"}
    assert kept(languages=("fr",)) == set()
    assert view.rows(Filters()) is None


def test_known_vectors_are_used_instead_of_the_model(store: Store, tmp_path: Path) -> None:
    folder = write_documents(tmp_path / "docs", BASICS)
    embedder = Counting()
    ingest_path(store, embedder, folder)
    from rag.ingest.run import content_hash

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


def vitamin(name: str, chunk_id: str, text: str) -> dict[str, str]:
    return {"doc_id": name, "doc_title": name, "organization": "Org", "text": text, "chunk_id": chunk_id}


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


def test_a_document_of_forty_thousand_chunk_records_is_taken_in(store: Store, tmp_path: Path) -> None:
    records = [vitamin("long", f"c{n}", f"n{n}") for n in range(40_000)]
    report = ingest_path(store, HashEmbedder(64), write_jsonl(tmp_path / "a.jsonl", records))
    assert (report.outcomes, report.passages, report.vectors_complete) == ({"created": 1}, 40_000, True)
    view = store.views.get("health")
    assert len(store.corpus.chunks(view.keys.tolist())) == 40_000


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"collection": ""}, r"The collection '' is no name: use 1 to 64 of A-Z a-z 0-9"),
        ({"collection": "../up"}, r"The collection '\.\./up' is no name"),
        ({"collection": "x" * 65}, "The collection"),
        ({"collection": "health\n"}, "The collection"),
        ({"source": " "}, "The source ' ' is no name: use 1 to 100 characters without a slash"),
        ({"source": "a/b"}, "The source 'a/b'"),
        ({"source": "x" * 101}, "The source"),
        ({"corpus_version": ""}, "The corpus version ''"),
        ({"corpus_version": "a\x1b[2J"}, "The corpus version"),
        ({"defaults": Defaults(version_date="spring")}, "version_date: 'spring' is no date: use YYYY"),
        ({"defaults": Defaults(lang="English please")}, "lang: 'English please' is no language tag: use one such as"),
        ({"defaults": Defaults(lang="")}, "lang: is empty: use one such as 'en'"),
    ],
)
def test_names_and_defaults_that_nothing_could_carry_are_refused(
    store: Store, tmp_path: Path, change: dict[str, object], sentence: str
) -> None:
    folder = write_documents(tmp_path / "docs", BASICS)
    request = {"path": folder, "collection": "health", "source": "test", **change}
    with pytest.raises(PermanentError, match=sentence):
        ingest(store, HashEmbedder(), IngestRequest(**request))  # type: ignore[arg-type]
    assert store.corpus.collections() == ()


def test_names_in_any_script_and_every_form_of_date_are_accepted(store: Store, tmp_path: Path) -> None:
    folder = write_documents(tmp_path / "docs", BASICS)
    request = IngestRequest(
        path=folder,
        collection="Health_2.x-a",
        source="指南 (2026)",
        corpus_version="été 1",
        defaults=Defaults(version_date="2026-11", lang="pt-BR"),
    )
    assert ingest(store, HashEmbedder(), request).corpus_version == "été 1"


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
        found = retriever.search(view, Query(text=text), vector)
        assert {e.chunk.source for e in found.evidence} == {"test"}
        assert all(0 <= share <= 1 for share in found.coverage)


def test_adding_vectors_to_a_keyword_version_tells_share_and_time_left(store: Store, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "qa.jsonl", qa_records(120))
    ingest_path(store, HashEmbedder(), path, keyword_only=True)
    seen: list[Progress] = []
    ingest_path(store, HashEmbedder(), path, on_progress=seen.append)
    assert [p.stage for p in seen] == ["vectors"] * len(seen)
    assert len(seen) >= 2
    assert (seen[-1].share, seen[-1].seconds_left) == (1.0, 0.0)
    assert 0 < seen[0].share < 1
