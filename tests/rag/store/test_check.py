from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rag.ingest.report import IngestCancelled
from rag.store import Store
from rag.store.check import check_corpus
from tests.corpora import ingest_path, qa_records, write_jsonl
from tests.fakes.embedder import HashEmbedder

PLANTS = {
    "a passage missing from the keyword index": ("fts", "DELETE FROM chunks_fts WHERE rowid = 2"),
    "a ghost in the keyword index": (
        "fts",
        "INSERT INTO chunks_fts (rowid, title, heading, text) VALUES (999, 'ghost', '', 'ghost words')",
    ),
    "text changed under the keyword index": ("fts", "UPDATE chunks SET text = 'quite different' WHERE id = 3"),
    "a passage without its length": ("fts", "DELETE FROM chunks_fts_docsize WHERE id = 3"),
    "a passage of another length": ("fts", "UPDATE chunks_fts_docsize SET sz = x'010101' WHERE id = 3"),
    "wrong totals in the keyword index": ("fts", "UPDATE chunks_fts_data SET block = x'090a0b0c' WHERE id = 1"),
    "two passages exchanged in the keyword index": (
        "fts",
        """DELETE FROM chunks_fts WHERE rowid = 2;
           INSERT INTO chunks_fts (rowid, title, heading, text)
           SELECT 2, 'What are the symptoms of Syndrome 2?', '', text FROM chunks WHERE id = 3""",
    ),
    "a text changed": ("rows", "UPDATE chunks SET text = replace(text, 'tired', 'well') WHERE id = 3"),
    "a heading changed": ("rows", "UPDATE chunks SET heading = 'Treatment' WHERE id = 3"),
    "a title changed": ("rows", "UPDATE documents SET title = 'Another title' WHERE id = 3"),
    "a vector of another passage": (
        "vectors",
        "UPDATE chunk_vectors SET embedding = (SELECT embedding FROM chunk_vectors WHERE chunk = 3) WHERE chunk = 2",
    ),
    "another passage's vector with its digest": (
        "vectors",
        """UPDATE chunk_vectors SET (embedding, digest) =
           (SELECT embedding, digest FROM chunk_vectors WHERE chunk = 3) WHERE chunk = 2""",
    ),
    "another passage's vector in a file from before digests": (
        "vectors",
        """UPDATE chunk_vectors SET embedding = (SELECT embedding FROM chunk_vectors WHERE chunk = 3) WHERE chunk = 2;
           UPDATE chunk_vectors SET digest = NULL""",
    ),
    "a vector missing": ("vectors", "DELETE FROM chunk_vectors WHERE chunk = 2"),
    "a vector cut short": (
        "vectors",
        "UPDATE chunk_vectors SET embedding = substr(embedding, 1, 100) WHERE chunk = 2",
    ),
    "a vector of no model": ("vectors", "UPDATE chunk_vectors SET model_id = 'other@1' WHERE chunk = 2"),
    "a passage without its document": ("rows", "PRAGMA foreign_keys = OFF; DELETE FROM documents WHERE id = 2"),
    "a passage that outlived its document": ("rows", "UPDATE documents SET removed_in = 1 << 20 WHERE id = 2"),
    "a wrong count": ("manifest", "UPDATE corpus_manifest SET chunks = chunks + 1"),
    "an active version that nobody published": ("manifest", "UPDATE collections SET active = 7"),
    "a document twice": (
        "rows",
        """INSERT INTO documents (collection, source, doc_id, added_in, content_hash, identity_hash, hierarchy_rank,
           lang, topic, title, organization, licence)
           SELECT collection, source, doc_id, added_in + 1, content_hash, identity_hash, hierarchy_rank, lang, topic,
           title, organization, licence FROM documents WHERE id = 1""",
    ),
}


@pytest.fixture
def sound(store: Store, embedder: HashEmbedder, tmp_path: Path) -> Store:
    ingest_path(store, embedder, write_jsonl(tmp_path / "qa.jsonl", qa_records(8)))
    return store


def test_a_sound_corpus_has_no_faults(sound: Store, embedder: HashEmbedder) -> None:
    assert check_corpus(sound.db, embedder) == ()


@pytest.mark.parametrize("plant", PLANTS)
def test_a_planted_fault_is_found(sound: Store, embedder: HashEmbedder, plant: str) -> None:
    part, statement = PLANTS[plant]
    sound.db._writer.execute(statement)
    faults = check_corpus(sound.db, embedder)
    assert part in {fault.part for fault in faults}, faults
    sound.close()
    again = Store(sound.db.path, embedder.info)
    assert part in {fault.part for fault in check_corpus(again.db, embedder)}, "gone once the file is opened anew"
    again.close()


def test_a_changed_text_is_found_after_the_keyword_index_was_built_from_it(
    sound: Store, embedder: HashEmbedder
) -> None:
    sound.db._writer.execute("UPDATE chunks SET text = 'It is harmless.' WHERE id = 3; UPDATE derived SET form = 0")
    assert sound.keywords.bring_up_to_date()
    assert "rows" in {fault.part for fault in check_corpus(sound.db, embedder)}


def test_a_corpus_that_was_changed_often_has_no_faults(sound: Store, embedder: HashEmbedder, tmp_path: Path) -> None:
    ingest_path(sound, embedder, write_jsonl(tmp_path / "qa.jsonl", qa_records(6, first=4)))
    with pytest.raises(IngestCancelled):  # staged rows stay behind
        ingest_path(
            sound, embedder, write_jsonl(tmp_path / "qa.jsonl", qa_records(60)), cancelled=iter([False, True]).__next__
        )
    ingest_path(sound, None, write_jsonl(tmp_path / "qa.jsonl", qa_records(9)))
    ingest_path(sound, embedder, write_jsonl(tmp_path / "qa.jsonl", qa_records(3)))
    first = sound.corpus.versions("health")[-1]
    sound.corpus.activate("health", first.corpus_version)
    ingest_path(sound, embedder, write_jsonl(tmp_path / "more.jsonl", qa_records(5, first=20)), source="other")
    assert check_corpus(sound.db, embedder) == ()


def test_a_vector_of_wrong_length_or_with_odd_values_is_found(sound: Store) -> None:
    for value in (np.full(256, 3.0, "<f4"), np.full(256, np.nan, "<f4")):
        with sound.db.write() as connection:
            connection.execute("UPDATE chunk_vectors SET embedding = ? WHERE chunk = 2", (value.tobytes(),))
        assert {fault.part for fault in check_corpus(sound.db)} == {"vectors"}


def test_a_damaged_file_is_found(sound: Store, tmp_path: Path) -> None:
    sound.close()
    path = tmp_path / "galen.db"
    data = bytearray(path.read_bytes())
    for offset in range(len(data) * 3 // 4, len(data) * 3 // 4 + 4096):
        data[offset] ^= 0xFF
    path.write_bytes(data)
    damaged = Store(path, None)
    assert check_corpus(damaged.db) != ()
    damaged.close()


def test_a_file_that_was_cut_off_is_a_fault(sound: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "galen.db"
    sound.close()
    monkeypatch.setattr(Store, "close", lambda _: None)
    opened = Store(path, None)
    opened.db.read().close()
    del opened.db._local.connection
    opened.db._writer.close()
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    [fault] = check_corpus(opened.db)
    assert fault.part == "file"
    assert "is damaged" in fault.what


def test_a_file_without_its_last_bytes_is_checked_without_an_exception(sound: Store, tmp_path: Path) -> None:
    sound.close()
    path = tmp_path / "galen.db"
    path.write_bytes(path.read_bytes()[:-3000])
    damaged = Store(path, None)
    assert "file" in {fault.part for fault in check_corpus(damaged.db)}
    damaged.close()


def test_an_index_that_is_gone_is_a_fault(sound: Store) -> None:
    sound.db._writer.execute("DROP TABLE chunks_terms; DROP TABLE chunks_fts")
    assert {fault.part for fault in check_corpus(sound.db)} == {"fts"}
