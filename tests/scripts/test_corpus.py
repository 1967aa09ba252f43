"""`galen ingest` and `galen corpus …`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import app.components
from app.components import EmbedderChoice
from rag.store import Store
from tests.corpora import write_documents, write_jsonl
from tests.fakes.embedder import HashEmbedder
from tests.scripts.galen import DOCUMENTS, Galen


def test_an_ingest_tells_what_it_did_and_a_second_one_does_nothing(galen: Galen, tmp_path: Path) -> None:
    docs = write_documents(tmp_path / "docs", DOCUMENTS)
    first = galen("ingest", str(docs), "--collection", "joints", "--corpus-version", "one", folder=tmp_path)
    assert first.code == 0
    published, documents, passages, seconds = first.out.splitlines()
    assert published == "published joints one (source docs)"
    assert documents == "documents: 3 created"
    assert passages.startswith("passages: 3 new; vectors: 0 embedded, 0 reused")
    assert seconds.endswith(" s")
    second = galen("ingest", str(docs), "--collection", "joints", folder=tmp_path)
    assert second.code == 0
    assert second.out.splitlines()[:2] == ["nothing new; still joints one (source docs)", "documents: 3 unchanged"]
    listed = galen("corpus", "list", "--json", folder=tmp_path).json()
    assert [v["corpus_version"] for v in listed["versions"]] == ["one"]


def test_bad_records_are_named_and_the_rest_goes_in(galen: Galen, tmp_path: Path) -> None:
    good = {"doc_id": "a", "question": "What is gout?", "answer": "Gout is a disease.", "organization": "Test"}
    source = write_jsonl(tmp_path / "qa.jsonl", [good, {"question": "What is nothing?"}])
    with source.open("a") as lines:
        lines.write("not json\n")
    report = tmp_path / "report.jsonl"
    ran = galen(
        "ingest", str(source), "--collection", "qa", "--source", "ours", "--licence", "CC0 1.0", "--json",
        "--report", str(report), folder=tmp_path,
    )  # fmt: skip
    assert ran.code == 1
    told = ran.json()
    assert (told["collection"], told["source"], told["published"]) == ("qa", "ours", True)
    assert told["outcomes"] == {"created": 1, "failed": 2}
    for line in (2, 3):
        assert f"bad record: qa.jsonl:{line}: " in ran.err
    outcomes = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    assert sorted((o["doc_id"], o["outcome"]) for o in outcomes) == [
        ("a", "created"),
        ("qa.jsonl:2", "failed"),
        ("qa.jsonl:3", "failed"),
    ]
    assert galen("search", "gout", "--collection", "qa", folder=tmp_path).code == 0


@pytest.mark.parametrize(
    ("path", "said"),
    [("nowhere", "No such file or folder: "), ("empty", "holds no documents"), ("bad.jsonl", "bad.jsonl:1: ")],
)
def test_an_ingest_that_cannot_be_done_says_why(galen: Galen, tmp_path: Path, path: str, said: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.jsonl").write_text("not json\n")
    ran = galen("ingest", str(tmp_path / path), "--collection", "x", folder=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert ran.err.startswith("galen: ")


def test_a_report_that_cannot_be_written_stops_before_anything_is_done(galen: Galen, tmp_path: Path) -> None:
    docs = write_documents(tmp_path / "docs", DOCUMENTS)
    ran = galen("ingest", str(docs), "--collection", "x", "--report", str(tmp_path / "no" / "r"), folder=tmp_path)
    assert (ran.code, ran.err) == (
        2,
        f"galen: The report {tmp_path}/no/r cannot be written: No such file or directory.\n",
    )
    assert galen("corpus", "list", folder=tmp_path).out.startswith("nothing is published")


def test_an_older_version_can_answer_again(galen: Galen, tmp_path: Path) -> None:
    docs = write_documents(tmp_path / "docs", DOCUMENTS)
    galen("ingest", str(docs), "--collection", "health", "--corpus-version", "one", folder=tmp_path)
    (docs / "gout.md").unlink()
    galen("ingest", str(docs), "--collection", "health", "--corpus-version", "two", folder=tmp_path)
    assert "Gout" not in galen("search", "gout", folder=tmp_path).out
    ran = galen("corpus", "activate", "one", "--collection", "health", folder=tmp_path)
    assert (ran.code, ran.out) == (0, "health now answers from one (3 documents)\n")
    assert "Gout" in galen("search", "gout", folder=tmp_path).out
    unknown = galen("corpus", "activate", "three", "--collection", "health", folder=tmp_path)
    assert unknown.code == 2
    assert "kept: two, one" in unknown.err
    listed = galen("corpus", "list", folder=tmp_path).out.splitlines()
    assert listed[:2] == ["health", "  source docs: 3 documents"]
    assert [line[:7] for line in listed[2:]] == ["    two", "  * one"]


def test_a_sound_database_passes_its_check(galen: Galen) -> None:
    ran = galen("corpus", "check")
    assert (ran.code, ran.out) == (0, "0 faults; 0 documents staged by unfinished ingests\n")
    assert galen("corpus", "check", "--json").json() == {"faults": [], "staged_documents": 0}


def test_a_damaged_database_fails_its_check(galen: Galen, tmp_path: Path) -> None:
    docs = write_documents(tmp_path / "docs", DOCUMENTS)
    galen("ingest", str(docs), "--collection", "health", folder=tmp_path)
    store = Store(tmp_path / "galen.db", None)
    with store.db.write() as connection:
        connection.execute("DELETE FROM chunks_fts WHERE rowid = 1")
    store.close()
    ran = galen("corpus", "check", folder=tmp_path)
    assert ran.code == 1
    assert "faults; 0 documents staged" in ran.out
    assert galen("corpus", "check", "--json", folder=tmp_path).json()["faults"]


def test_the_check_embeds_a_sample_again(galen: Galen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    choice = EmbedderChoice(model_id="hash@1", open=lambda _: (HashEmbedder(), ()))
    monkeypatch.setattr(app.components, "EMBEDDERS", {"local:e5-small": choice})
    settings = {"folder": tmp_path, "EMBEDDER": "local:e5-small"}
    docs = write_documents(tmp_path / "docs", DOCUMENTS)
    assert galen("ingest", str(docs), "--collection", "health", **settings).code == 0
    assert galen("corpus", "check", **settings).code == 0
    store = Store(tmp_path / "galen.db", None)
    with store.db.write() as connection:
        connection.execute("UPDATE chunk_vectors SET digest = NULL")
        connection.execute("UPDATE chunk_vectors SET embedding = (SELECT max(embedding) FROM chunk_vectors)")
    store.close()
    ran = galen("corpus", "check", **settings)
    assert ran.code == 1
    assert "vectors: the vector of passage" in ran.out


@pytest.mark.parametrize(
    "arguments",
    [("list",), ("check",), ("activate", "2026-11-30.1", "--collection", "health"), ("reembed", "--model", "hash")],
)
def test_a_look_at_a_database_that_is_not_there_makes_none(
    galen: Galen, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    mistyped = tmp_path / "dtaa" / "galen.db"
    ran = galen("corpus", *arguments, folder=tmp_path, DB_PATH=str(mistyped))
    assert ran.code == 2
    assert f"There is no database {mistyped}: set DB_PATH" in ran.err
    assert not mistyped.parent.exists()


def test_a_listing_publishes_nothing(galen: Galen, tmp_path: Path) -> None:
    write_documents(tmp_path / "corpus" / "health", DOCUMENTS)
    Store(tmp_path / "galen.db", None).close()
    ran = galen("corpus", "list", folder=tmp_path)
    assert (ran.code, ran.out) == (0, "nothing is published: galen ingest or galen corpus publish does it\n")
    assert galen("corpus", "list", "--json", folder=tmp_path).json() == {"versions": [], "sources": []}
    assert galen("corpus", "publish", folder=tmp_path).out == "published: health\n"
    assert "  source bundled: 3 documents" in galen("corpus", "list", folder=tmp_path).out


@pytest.fixture
def second_model(monkeypatch: pytest.MonkeyPatch) -> str:
    """A model beside the built-in one, that `--model` takes."""
    fake = HashEmbedder(model_id="hash@2")
    choice = EmbedderChoice(model_id="hash@2", open=lambda _: (HashEmbedder(model_id=fake.info.model_id), ()))
    broken = EmbedderChoice(model_id="broken@1", open=lambda _: (None, ("Its file is missing: install it.",)))
    monkeypatch.setattr(app.components, "EMBEDDERS", {"hash": choice, "broken": broken})
    return "hash"


def test_reembed_makes_the_vectors_of_a_model_and_shows_how_far_it_is(
    galen: Galen, tmp_path: Path, second_model: str
) -> None:
    for name in ("one", "two"):
        docs = write_documents(tmp_path / name, DOCUMENTS)
        assert galen("ingest", str(docs), "--collection", name, folder=tmp_path).code == 0
    first = galen("corpus", "reembed", "--collection", "one", "--model", second_model, folder=tmp_path)
    assert (first.code, first.out.splitlines()[0].startswith("one ")) == (0, True)
    assert "now has all vectors of hash@2: 3 embedded, 0 reused" in first.out
    assert "set EMBEDDER=hash" in first.out
    assert "passages/s, 0 s left" in first.err
    both = galen("corpus", "reembed", "--model", second_model, "--json", folder=tmp_path).json()
    assert [(report["collection"], report["switched"]) for report in both] == [("one", False), ("two", True)]
    assert (both[1]["embedded"], both[1]["reused_vectors"]) == (0, 3)
    listed = galen("corpus", "list", "--json", folder=tmp_path).json()
    assert [version["models"] for version in listed["versions"]] == [["hash@2"], ["hash@2"]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "give --model, or unset EMBEDDER"),
        (("--model", "nothing"), "There is no embedding model 'nothing': choose hash or broken."),
        (("--model", "broken"), "'broken' does not open: Its file is missing: install it."),
        (("--model", "hash", "--collection", "nothing"), "No collection 'nothing' is published (published: health)."),
    ],
)
def test_a_reembed_that_cannot_be_done_says_what_to_do(
    galen: Galen, second_model: str, arguments: tuple[str, ...], said: str
) -> None:
    assert second_model == "hash"
    ran = galen("corpus", "reembed", *arguments)
    assert ran.code == 2
    assert said in ran.err
