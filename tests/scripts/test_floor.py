"""`galen assess` and `galen rules`, as a clinician or a translator types them."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from safety.assess import Assessor
from scripts import floor
from scripts.cli import main

ASSESSOR = Assessor.load()
STROKE = "My mom's face is drooping on one side and her speech is slurred"

Galen = Callable[..., tuple[int, str, str]]


@pytest.fixture
def galen(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Galen:
    """Runs a command in this process, with tables that are loaded once."""
    monkeypatch.setattr(floor.Assessor, "load", lambda: ASSESSOR)

    def run(*arguments: str, given: str = "") -> tuple[int, str, str]:
        stdin = io.TextIOWrapper(io.BytesIO(given.encode()), encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", stdin)
        code = main(list(arguments))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def lines(*cases: dict[str, Any] | str) -> str:
    return "".join((case if isinstance(case, str) else json.dumps(case)) + "\n" for case in cases)


def test_a_message_is_assessed_for_people(galen: Galen) -> None:
    code, out, _ = galen("assess", STROKE, "--country", "GB")
    assert code == 0
    assert out.startswith("R5  stroke.")
    assert "999" in out
    assert "- " in out


def test_a_refusal_is_said(galen: Galen) -> None:
    _, out, _ = galen("assess", "how many pills to kill myself", "--country", "US")
    assert ASSESSOR.text("refusal") in out
    assert "988" in out


def test_a_list_is_assessed_line_by_line(galen: Galen) -> None:
    given = lines(
        {"id": 1, "text": STROKE, "country": "GB"},
        {"id": 2, "messages": [{"role": "user", "content": "I want to kill myself"},
                               {"role": "assistant", "content": "I hear you."},
                               {"role": "user", "content": "just kidding"}]},
        {"_id": 3, "text": "What is a stroke?", "lang": "en"},
        {"id": 4, "text": "I am bleeding from below", "patient": {"pregnant": True, "age": 31, "medications": []}},
    )  # fmt: skip
    code, out, _ = galen("assess", given=given)
    found = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [item["id"] for item in found] == [1, 2, 3, 4]
    assert [item["risk_class"] for item in found[:3]] == ["R5", "R5", "R0"]
    assert (found[0]["banner"], found[1]["banner"], found[1]["crisis_line"]) == (True, False, True)
    assert found[3]["risk_class"] >= "R4"
    assert set(found[0]) == {
        "id", "risk_class", "rule_ids", "banner", "crisis_line", "poison_line", "refused", "lang",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("not json", "is not JSON"),
        ({"id": 1}, "field 'text' must be a non-empty string"),
        ({"id": 1, "messages": "hello"}, "field 'messages' must be a list"),
        ({"id": 1, "messages": [{"role": "user"}]}, "field 'messages' must be a list of {role, content}"),
        ({"id": 1, "messages": [{"role": "system", "content": "x"}]}, "role must be user or assistant"),
        ({"id": 1, "messages": [{"role": "assistant", "content": "x"}]}, "must hold a message of the user"),
        ({"id": 1, "text": "x", "lang": 5}, "field 'lang' must be a string"),
        ({"id": 1, "text": "x", "country": "Narnia"}, "field 'country' must be"),
        ({"id": 1, "text": "x", "patient": {"agee": 3}}, "field 'patient.agee'"),
        ({"id": 1, "text": "x", "patient": {"age": -1}}, "field 'patient.age'"),
        ({"id": 1, "text": "x", "patient": {"medications": "aspirin"}}, "field 'patient.medications'"),
    ],
)
def test_a_line_that_cannot_be_used_is_named_and_the_rest_goes_on(
    galen: Galen, line: dict[str, Any] | str, said: str
) -> None:
    code, out, _ = galen("assess", given=lines(line, {"id": 2, "text": STROKE}))
    wrong, right = [json.loads(item) for item in out.splitlines()]
    assert code == 1
    assert "line 1" in wrong["error"]
    assert said in wrong["error"]
    assert right["risk_class"] == "R5"


def test_a_file_is_read(galen: Galen, tmp_path: Path) -> None:
    path = tmp_path / "list.jsonl"
    path.write_text(lines({"id": 1, "text": STROKE}), encoding="utf-8")
    assert json.loads(galen("assess", "--file", str(path))[1])["risk_class"] == "R5"
    code, _, err = galen("assess", "--file", str(tmp_path / "none.jsonl"))
    assert code == 2
    assert "cannot be read" in err


def test_the_rules_are_checked(galen: Galen) -> None:
    code, out, _ = galen("rules", "check", "en")
    assert code == 0
    assert "0 wrong" in out
    assert ASSESSOR.ruleset in out
    code, _, err = galen("rules", "check", "xx")
    assert code == 2
    assert "xx.toml" in err


def test_a_wrong_example_is_named(galen: Galen, monkeypatch: pytest.MonkeyPatch) -> None:
    table = ASSESSOR.tables["en"]
    rule = table.rules[0]
    monkeypatch.setitem(rule.__dict__, "matches", ("a nice day",))
    code, out, _ = galen("rules", "check", "en")
    assert code == 1
    assert f"en.toml: {rule.id}: matches: does not fire on 'a nice day' (R0 no rule)" in out


def test_what_fired_is_explained_and_what_did_not(galen: Galen) -> None:
    code, out, _ = galen("rules", "explain", "no chest pain, but my arm is numb and I am sweating")
    assert code == 0
    assert out.startswith("R5  ")
    assert "read with the rules of: en" in out
    assert "negated" in out
    assert "fired" in out
    found = json.loads(galen("rules", "explain", "My father died of a heart attack", "--json")[1])
    assert found["risk_class"] == "R0"
    assert {finding["outcome"] for finding in found["findings"]} >= {"past"}


def test_what_no_rule_knows_is_said_so(galen: Galen) -> None:
    _, out, _ = galen("rules", "explain", "lorem ipsum")
    assert out.startswith("R0  no rule fired")
    assert "read with the rules of: en" in out
