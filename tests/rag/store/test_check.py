from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

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


def test_a_sound_corpus_has_no_faults(sound: Store) -> None:
    assert check_corpus(sound.db) == ()


@pytest.mark.parametrize("plant", PLANTS)
def test_a_planted_fault_is_found(sound: Store, plant: str) -> None:
    part, statement = PLANTS[plant]
    sound.db._writer.execute(statement)
    faults = check_corpus(sound.db)
    assert part in {fault.part for fault in faults}, faults


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
