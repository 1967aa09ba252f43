"""The golden set, written before the rules and never changed to fit them: recall and false alarms in numbers."""

from __future__ import annotations

import json
from pathlib import Path

from safety.assess import Assessor
from safety.types import RiskClass

GOLDENS = Path(__file__).parents[2] / "evals" / "goldens" / "safety" / "open" / "en-1.jsonl"
ROWS = [json.loads(line) for line in GOLDENS.read_text(encoding="utf-8").splitlines()]


def test_the_set_is_large_and_balanced() -> None:
    dangerous = [row for row in ROWS if RiskClass[row["min"]] >= RiskClass.R4]
    assert len(ROWS) >= 120
    assert len({row["id"] for row in ROWS}) == len(ROWS)
    assert abs(len(ROWS) - 2 * len(dangerous)) <= len(ROWS) // 5


def test_no_life_threat_is_missed(assessor: Assessor) -> None:
    missed = [
        row["text"] for row in ROWS if row["min"] == "R5" and assessor.assess([row["text"]]).risk_class < RiskClass.R5
    ]
    assert missed == []


def test_no_emergency_is_missed(assessor: Assessor) -> None:
    missed = [
        row["text"] for row in ROWS if row["min"] == "R4" and assessor.assess([row["text"]]).risk_class < RiskClass.R4
    ]
    assert missed == []


def test_false_alarms_are_rare(assessor: Assessor) -> None:
    alarms = [
        row["text"]
        for row in ROWS
        if RiskClass[row["max"]] < RiskClass.R4 and assessor.assess([row["text"]]).risk_class >= RiskClass.R4
    ]
    assert len(alarms) <= 2, alarms


def test_the_goldens_are_no_examples_of_the_rules() -> None:
    from safety.rules import RULES, load_table

    examples = {t.casefold() for rule in load_table(RULES / "en.toml").rules for t in rule.matches + rule.passes}
    assert not [row["text"] for row in ROWS if row["text"].casefold() in examples]
