"""The command line as one types it. Most commands run in this process; what needs pipes runs in its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import structlog

from rag.store import Store
from scripts.cli import main
from tests.corpora import document, write_documents, write_jsonl

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = {
    "gout": document(
        "Gout",
        ("What it is", "Gout is a painful disease of the joints."),
        ("Causes", "Gout is caused by uric acid crystals in a joint."),
        licence="CC0 1.0",
    ),
    "eczema": document("Eczema", ("Symptoms", "The symptoms of eczema are dry and itchy skin."), licence="CC0 1.0"),
    "asthma": document("Asthma", ("Symptoms", "The symptoms of asthma are wheezing and a cough."), licence="CC0 1.0"),
}
ANSWER_KEYS = {"id", "status", "answer", "citations", "receipt"}
BAD_LINES = (
    b'{"id": "a", "text": "gout"}\nnot json\n{"id": "c", "text": "  "}\n[1]\n\xff\xfe\n\n'
    b'{"id": "g", "text": "x", "lang": 5}\n' + b"[" * 100_000 + b'\n{"id": "i", "text": "eczema"}\n'
)


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]

    def json(self) -> dict[str, Any]:
        (value,) = self.lines()
        return value


Galen = Callable[..., Ran]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the documents in "health", for the tests that only read."""
    folder = tmp_path_factory.mktemp("cli")
    write_documents(folder / "docs", DOCUMENTS)
    ran = spawn(folder, "ingest", str(folder / "docs"), "--collection", "health")
    assert ran.code == 0, ran.err
    return folder


def environment(folder: Path, **more: str) -> dict[str, str]:
    (folder / "corpus").mkdir(exist_ok=True)
    ours = {
        "DB_PATH": str(folder / "galen.db"),
        "CACHE_DIR": str(folder / "cache"),
        "CORPUS_DIR": str(folder / "corpus"),
        "EMBEDDER": "none",
        **more,
    }
    return {**{name: value for name, value in os.environ.items() if not name.startswith("RAG_")}, **ours}


def spawn(folder: Path, *arguments: str, stdin: bytes = b"", **more: str) -> Ran:
    done = subprocess.run(
        [sys.executable, "-m", "scripts.cli", *arguments],
        cwd=ROOT,
        env=environment(folder, **more),
        input=stdin,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def galen(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Galen]:
    """Runs a command; `folder` holds its database."""
    logging = structlog.get_config()

    def run(*arguments: str, stdin: bytes = b"", folder: Path = place, **more: str) -> Ran:
        for name, value in environment(folder, **more).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        try:
            code = main(arguments)
        except SystemExit as exit_:
            code = int(str(exit_.code))
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    yield run
    structlog.configure(**logging)


# --- help and mistakes


@pytest.mark.parametrize(
    "command",
    [
        [],
        ["serve"],
        ["ingest"],
        ["search"],
        ["ask"],
        ["corpus"],
        ["corpus", "list"],
        ["corpus", "activate"],
        ["corpus", "check"],
        ["corpus", "vectors"],
    ],
)
def test_every_command_explains_itself(galen: Galen, command: Sequence[str]) -> None:
    ran = galen(*command, "--help")
    assert ran.code == 0
    assert ran.out.startswith(" ".join(["usage: galen", *command]))
    about = ran.out.split("\n\n")[1]
    assert about.strip().endswith(".")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "required"),
        (["fly"], "invalid choice: 'fly'"),
        (["corpus"], "required"),
        (["ingest", "x"], "--collection"),
        (["search", "x", "--k", "0"], "a whole number from 1 to 1000"),
        (["search", "x", "--k", "ten"], "a whole number from 1 to 1000"),
        (["search", "x", "--k", "٣"], "a whole number from 1 to 1000"),
        (["search", "x", "--legs", "both"], "invalid choice: 'both'"),
        (["search", "x", "--fast"], "unrecognized arguments: --fast"),
    ],
)
def test_a_wrong_call_is_refused_with_the_reason(galen: Galen, arguments: Sequence[str], said: str) -> None:
    ran = galen(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_a_wrong_setting_is_named(galen: Galen) -> None:
    ran = galen("search", "gout", PORT="http")
    assert (ran.code, ran.err) == (2, "galen: PORT must be a whole number from 1 to 65535.\n")


def test_a_database_in_a_place_that_cannot_be_written_names_the_folder(galen: Galen, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ran = galen("search", "gout", DB_PATH=str(tmp_path / "file" / "galen.db"))
    assert ran.code == 2
    assert ran.err.startswith(f"galen: The database's folder {tmp_path / 'file'} cannot be ")
    assert "DB_PATH" in ran.err


def test_a_file_that_is_no_database_is_named(galen: Galen, tmp_path: Path) -> None:
    (tmp_path / "notes.db").write_bytes(b"not a database at all, only a long line of text" * 100)
    ran = galen("search", "gout", DB_PATH=str(tmp_path / "notes.db"))
    assert (ran.code, ran.out) == (2, "")
    assert "notes.db is not a Galen database" in ran.err


@pytest.mark.parametrize(
    "command", [["search", "gout"], ["search"], ["ask", "gout"], ["ask"], ["corpus", "activate", "1"]]
)
def test_an_unknown_collection_says_what_there_is(galen: Galen, command: Sequence[str]) -> None:
    ran = galen(*command, "--collection", "helth")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "galen: No collection 'helth' is published (published: health).\n"


# --- ingest and versions


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
    assert galen("corpus", "list", folder=tmp_path).out == ""


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


# --- search


def test_a_search_prints_passages_with_their_source(galen: Galen) -> None:
    ran = galen("search", "uric acid crystals")
    assert ran.code == 0
    first, source, chunk, *_, gate = ran.out.splitlines()
    assert first == " 1. Gout"
    assert source == "    Test Health Service, date not given  https://example.org/page"
    assert chunk.endswith("  cosine -")
    assert gate == "gate: open (correct)"


def test_a_search_for_nothing_known_finds_nothing_and_closes_the_gate(galen: Galen) -> None:
    assert galen("search", "zzqx").out == "gate: closed (incorrect)\n"


def test_questions_are_read_as_json_lines_from_standard_input(galen: Galen) -> None:
    questions = (
        b'{"_id": "beir-1", "text": "uric acid", "metadata": {}}\n{"id": 2, "text": "itchy skin", "lang": "en"}\n'
    )
    ran = galen("search", "--k", "1", stdin=questions)
    first, second = ran.lines()
    assert ran.code == 0
    assert (first["id"], second["id"]) == ("beir-1", 2)
    assert [[hit["doc_id"] for hit in line["hits"]] for line in (first, second)] == [["gout"], ["eczema"]]
    assert set(first) == {"id", "hits", "query", "gate"}
    assert first["query"] == {"kind": "original", "language": "en"}
    assert set(first["hits"][0]) == {"doc_id", "chunk_id", "scores"}
    assert first["hits"][0]["scores"]["dense"] is None
    assert first["gate"]["open"] is True
    assert first["gate"]["reasons"] == ["keyword_only"]


def test_questions_are_read_from_a_file(galen: Galen, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "q.jsonl", [{"id": "ü", "text": "gout and eczema and asthma"}])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())  # as some editors begin a file
    ran = galen("search", "--file", str(path), "--k", "2")
    assert ran.json()["id"] == "ü"
    assert len(ran.json()["hits"]) == 2


@pytest.mark.parametrize("command", ["search", "ask"])
def test_lines_that_cannot_be_used_are_named_and_the_rest_is_answered(galen: Galen, command: str) -> None:
    ran = galen(command, stdin=BAD_LINES)
    lines = ran.lines()
    assert ran.code == 1
    assert [(line["id"], line.get("error")) for line in lines] == [
        ("a", None),
        (None, "line 2 is not JSON"),
        ("c", "line 3: field 'text' must be a non-empty string"),
        (None, "line 4 is not a JSON object"),
        (None, "line 5 is not UTF-8"),
        ("g", "line 7: field 'lang' must be a string"),
        (None, "line 8 is not JSON"),
        ("i", None),
    ]


@pytest.mark.parametrize("command", ["search", "ask"])
@pytest.mark.parametrize("name", ["nowhere.jsonl", "."])
def test_a_file_of_questions_that_cannot_be_read_is_named(
    galen: Galen, tmp_path: Path, command: str, name: str
) -> None:
    ran = galen(command, "--file", str(tmp_path / name))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"galen: {tmp_path / name} cannot be read: ")


def test_no_questions_no_lines(galen: Galen) -> None:
    assert galen("search", stdin=b"") == Ran(0, "", "")


def test_the_vector_leg_is_not_replaced_by_another_in_silence(galen: Galen) -> None:
    ran = galen("search", "gout", "--legs", "vector")
    assert (ran.code, ran.out) == (2, "")
    assert "no vectors" in ran.err


def test_the_keyword_leg_can_be_searched_alone(galen: Galen) -> None:
    assert galen("search", "uric acid", "--legs", "keyword", "--k", "1").out.startswith(" 1. Gout\n")


# --- ask


def test_an_answer_is_printed_with_its_sources(galen: Galen) -> None:
    ran = galen("ask", "What causes gout?")
    assert ran.code == 0
    assert "Gout is caused by uric acid crystals in a joint. [" in ran.out
    assert "] Gout — Test Health Service, date not given\n    https://example.org/page" in ran.out
    assert "answered · R0 · receipt " in ran.err


def test_an_answer_as_json_has_its_receipt(galen: Galen) -> None:
    answer = galen("ask", "What causes gout?", "--json").json()
    assert set(answer) >= ANSWER_KEYS
    assert (answer["status"], answer["receipt"]["status"]) == ("answered", "answered")
    assert answer["id"] == answer["receipt"]["id"]
    cited = {s["chunk_id"] for s in answer["receipt"]["retrieved_sources"] if s["used"]}
    assert {c["chunk_id"] for c in answer["citations"]} == cited
    assert cited


def test_questions_in_lines_are_answered_in_lines(galen: Galen) -> None:
    questions = [
        {"id": "a", "text": "What causes gout?"},
        {"_id": "b", "text": "Hi, I drank bleach", "country": "GB"},
        {"id": "c", "text": "Which zorblax tyres suit my quillbike?"},
        {"id": "d", "text": "hello"},
        {"id": 5, "text": "¿Qué es la gota?", "lang": "es"},
        {"text": "What causes gout?"},
    ]
    ran = galen("ask", stdin="".join(json.dumps(q) + "\n" for q in questions).encode())
    lines = ran.lines()
    assert ran.code == 0
    assert [line["id"] for line in lines[:5]] == ["a", "b", "c", "d", 5]
    assert lines[5]["id"] == lines[5]["receipt"]["id"]
    assert [line["status"] for line in lines[:4]] == ["answered", "emergency", "deferred", "card"]
    assert "999" in lines[1]["answer"]
    assert lines[4]["receipt"]["language"] == "es"
    assert all(set(line) >= ANSWER_KEYS for line in lines)
    assert len({line["receipt"]["id"] for line in lines}) == 6


def test_language_and_country_of_the_call_hold_where_a_line_names_none(galen: Galen) -> None:
    questions = b'{"id": 1, "text": "I drank bleach"}\n{"id": 2, "text": "I drank bleach", "country": "US"}\n'
    first, second = galen("ask", "--country", "GB", "--lang", "en", stdin=questions).lines()
    assert "999" in first["answer"]
    assert "911" in second["answer"]


# --- the process


def test_a_reader_that_goes_away_ends_the_command_quietly(place: Path, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "q.jsonl", [{"id": n, "text": "gout"} for n in range(3_000)])
    with subprocess.Popen(
        [sys.executable, "-m", "scripts.cli", "search", "--file", str(path)],
        cwd=ROOT,
        env=environment(place),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.readline())["id"] == 0
        process.stdout.close()
        assert process.stderr.read() == b""
        process.wait(timeout=30)
    assert process.returncode == 0


def test_the_real_model_finds_what_shares_no_word(place: Path, tmp_path: Path) -> None:
    local = {"EMBEDDER": "local:e5-small", "DB_PATH": str(tmp_path / "galen.db")}
    ran = spawn(place, "ingest", str(place / "docs"), "--collection", "health", "--json", **local)
    report = ran.json()
    assert ran.code == 0, ran.err
    assert (report["passages"], report["embedded"], report["vectors_complete"]) == (3, 3, True)
    ran = spawn(place, "search", "--k", "1", stdin=b'{"id": 1, "text": "piel seca con picor"}\n', **local)
    (hit,) = ran.json()["hits"]
    assert (hit["doc_id"], hit["scores"]["keyword"]) == ("eczema", None)
    assert hit["scores"]["dense"] > 0.8
    assert ran.json()["query"]["language"] == "es"
