"""`galen search`."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.corpora import write_jsonl
from tests.scripts.galen import Galen, Ran, spawn


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
    assert first["query"] == {"kind": "original", "rewritten_by": [], "language": "en"}
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


def test_no_questions_no_lines(galen: Galen) -> None:
    assert galen("search", stdin=b"") == Ran(0, "", "")


def test_the_vector_leg_is_not_replaced_by_another_in_silence(galen: Galen) -> None:
    ran = galen("search", "gout", "--legs", "vector")
    assert (ran.code, ran.out) == (2, "")
    assert "no vectors" in ran.err


def test_the_keyword_leg_can_be_searched_alone(galen: Galen) -> None:
    assert galen("search", "uric acid", "--legs", "keyword", "--k", "1").out.startswith(" 1. Gout\n")


def test_a_command_says_that_its_cache_cannot_be_written(place: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    shutil.copyfile(place / "galen.db", tmp_path / "galen.db")
    unwritable = {"EMBEDDER": "local:e5-small", "CACHE_DIR": str(tmp_path / "file" / "cache")}
    ran = spawn(tmp_path, "search", "gout", **unwritable)
    assert ran.code == 0
    assert ran.err.count("Set CACHE_DIR to a folder that can be written.") == 1
    assert "CACHE_DIR" not in ran.out


def test_the_real_model_finds_what_shares_no_word(place: Path, tmp_path: Path) -> None:
    local = {"EMBEDDER": "local:e5-small", "DB_PATH": str(tmp_path / "galen.db")}
    ran = spawn(place, "ingest", str(place / "docs"), "--collection", "health", "--json", **local)
    report = ran.json()
    assert ran.code == 0, ran.err
    assert (report["passages"], report["embedded"], report["vectors_complete"]) == (3, 3, True)
    ran = spawn(place, "search", "--k", "1", stdin=b'{"id": 1, "text": "piel seca con picor"}\n', **local)
    (hit,) = ran.json()["hits"]
    assert hit["doc_id"] == "eczema"
    assert hit["scores"]["dense"] > 0.8
    assert ran.json()["query"] == {"kind": "original", "rewritten_by": ["translated"], "language": "es"}
