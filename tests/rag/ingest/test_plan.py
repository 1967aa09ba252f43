"""Each document is told apart: new, replaced, removed, a duplicate, or kept beside what could not be read."""

from __future__ import annotations

import json
from pathlib import Path

from rag.store import Store
from rag.store.check import check_corpus
from rag.types import Chunk
from tests.corpora import document, ingest_path, qa_records, write_documents, write_jsonl
from tests.fakes.embedder import HashEmbedder
from tests.rag.ingest.basics import BASICS, Counting, doc_ids


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


def test_the_day_a_source_was_seen_replaces_its_document_and_embeds_nothing(store: Store, tmp_path: Path) -> None:
    embedder, folder = Counting(), write_documents(tmp_path / "docs", BASICS)
    ingest_path(store, embedder, folder)
    text = (folder / "gout.md").read_text("utf-8")
    (folder / "gout.md").write_text(text.replace("---\n", "---\ndate_seen: 2026-11-30\n", 1), "utf-8")
    report = ingest_path(store, embedder, folder)
    assert report.outcomes == {"unchanged": 2, "replaced": 1}
    assert report.embedded == 0
    seen = {chunk.doc_id: chunk.date_seen for chunk in passages(store)}
    assert seen == {"asthma": None, "eczema": None, "gout": "2026-11-30"}


def passages(store: Store) -> list[Chunk]:
    """The passages that answer now."""
    return list(store.corpus.chunks(store.views.get("health").keys.tolist()).values())


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


def test_a_passage_that_its_document_has_already_is_left_out(store: Store, tmp_path: Path) -> None:
    passage = {"doc_title": "Gout", "organization": "WHO", "heading": "Causes", "text": "Crystals of uric acid."}
    records = [
        passage,
        {**passage, "text": "Crystals  of URIC acid."},
        {**passage, "heading": "What it is"},
        {**passage, "chunk_id": "own-name"},
    ]
    details: list[tuple[str, str, str]] = []
    report = ingest_path(
        store,
        HashEmbedder(),
        write_jsonl(tmp_path / "passages.jsonl", records),
        on_document=lambda *told: details.append(told),
    )
    assert report.ok
    assert report.outcomes == {"created": 1, "duplicate": 1}
    [repeated] = [told for told in details if told[1] == "duplicate"]
    assert repeated[0] == "passages.jsonl:2"
    assert repeated[2].startswith("who-gout-")
    chunks = store.corpus.chunks(store.views.get("health").keys.tolist()).values()
    assert "".join(chunk.text for chunk in chunks).count("Crystals of uric acid.") == 3
