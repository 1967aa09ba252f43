"""JSON lines in and out, for every command that reads them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.scripts.galen import BAD_LINES, BLANKS, Galen


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


@pytest.mark.parametrize("command", [["search"], ["ask"], ["assess"], ["rules", "explain"]])
@pytest.mark.parametrize("text", BLANKS)
def test_a_text_that_asks_nothing_is_a_wrong_call(galen: Galen, command: list[str], text: str) -> None:
    ran = galen(*command, text)
    assert (ran.code, ran.out) == (2, "")
    assert "it is empty: write what you want to ask" in ran.err


@pytest.mark.parametrize("command", ["search", "ask", "assess"])
def test_a_line_that_asks_nothing_is_named_and_the_rest_goes_on(galen: Galen, command: str) -> None:
    rows = [*({"id": n, "text": text} for n, text in enumerate(BLANKS)), {"id": "last", "text": "gout"}]
    ran = galen(command, stdin="".join(json.dumps(row) + "\n" for row in rows).encode())
    *blank, last = ran.lines()
    assert ran.code == 1
    assert blank == [
        {"id": n, "error": f"line {n + 1}: field 'text' must be a non-empty string"} for n in range(len(BLANKS))
    ]
    assert last["id"] == "last"
    assert "error" not in last or last["error"] is None


def test_a_conversation_whose_last_message_asks_nothing_is_named_and_the_rest_goes_on(galen: Galen) -> None:
    def row(name: str, *said: str) -> str:
        return json.dumps({"id": name, "messages": [{"role": "user", "content": text} for text in said]}) + "\n"

    ran = galen("assess", stdin=(row("a", "hello", " \u200b") + row("b", "", "I drank bleach")).encode())
    first, second = ran.lines()
    assert ran.code == 1
    assert first == {"id": "a", "error": "line 1: field 'messages': the last message of the user is empty"}
    assert (second["id"], second["risk_class"]) == ("b", "R5")
