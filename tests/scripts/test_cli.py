"""What all commands share: help, mistakes, settings, the end of the process."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import apsw
import pytest

from tests.corpora import write_jsonl
from tests.scripts.galen import ROOT, Galen, environment


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


COMMANDS = [
    ["search", "gout"],
    ["ask", "gout"],
    ["corpus", "list"],
    ["corpus", "check"],
    ["assess", "hi"],
    ["rules", "explain", "hi"],
]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_says_once_what_its_settings_give_cause_to_say(galen: Galen, command: Sequence[str]) -> None:
    ran = galen(*command, RAG_EMBED_MODEL="intfloat/multilingual-e5-small")
    assert ran.code == 0
    assert ran.err.count("galen: RAG_EMBED_MODEL is an older name: write EMBEDDER=local:e5-small instead.\n") == 1
    assert "RAG_EMBED_MODEL" not in ran.out


def test_settings_that_leave_nothing_to_search_with_are_refused(galen: Galen) -> None:
    ran = galen("search", "gout", RAG_HYBRID="off")
    assert (ran.code, ran.out) == (2, "")
    assert "RAG_HYBRID=off" in ran.err
    assert "EMBEDDER=none" in ran.err


def page_of(database: Path, name: str) -> int:
    """The first byte of the root page of a table."""
    connection = apsw.Connection(str(database))
    ((page, size),) = connection.execute(
        "SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_schema WHERE name = ?", (name,)
    ).fetchall()
    connection.close()
    return (int(page) - 1) * int(size)


@pytest.mark.parametrize(
    ("command", "table"),
    [
        (["search", "uric acid"], "chunks"),
        (["ask", "What causes gout?"], "chunks"),
        (["ask", "hello"], "open_turns"),
        (["ask", "hello", "--json"], "answer_receipts"),
        (["ask"], "chunks"),
        (["corpus", "list"], "corpus_manifest"),
        (["corpus", "activate", "1", "--collection", "health"], "corpus_manifest"),
    ],
)
def test_a_damaged_database_is_named_with_what_to_do(
    galen: Galen, place: Path, tmp_path: Path, command: Sequence[str], table: str
) -> None:
    damaged = shutil.copyfile(place / "galen.db", tmp_path / "galen.db")
    with damaged.open("r+b") as file:
        file.seek(page_of(damaged, table))
        file.write(b"\xff" * 4096)
    ran = galen(*command, folder=tmp_path, stdin=b'{"id": 1, "text": "What causes gout?"}\n')
    assert (ran.code, ran.out) == (2, "")
    said = ran.err.splitlines()[-1]
    assert said.startswith(f"galen: {damaged} is damaged (")
    assert said.endswith("): restore a copy, or set DB_PATH to a new file and ingest again.")


@pytest.mark.parametrize("command", [["search", "uric acid"], ["ask", "What causes gout?"]])
def test_a_text_that_is_damaged_names_its_database(
    galen: Galen, place: Path, tmp_path: Path, command: Sequence[str]
) -> None:
    damaged = tmp_path / "galen.db"
    whole = (place / "galen.db").read_bytes()
    assert b"caused by uric acid crystals" in whole
    damaged.write_bytes(whole.replace(b"caused by uric acid crystals", b"caused by uric acid \xff\xff\xfftals"))
    ran = galen(*command, folder=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert f"galen: {damaged} is damaged (" in ran.err


@pytest.mark.parametrize(
    "command", [["search", "gout"], ["search"], ["ask", "gout"], ["ask"], ["corpus", "activate", "1"]]
)
def test_an_unknown_collection_says_what_there_is(galen: Galen, command: Sequence[str]) -> None:
    ran = galen(*command, "--collection", "helth")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "galen: No collection 'helth' is published (published: health).\n"


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
