"""The goldens: enough of them in every language, written for all classes, and no rule's example among them."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from rag.language import OURS
from safety.assess import Assessor
from safety.normalize import Spelling, normalize
from safety.types import RiskClass

FOLDER = Path(__file__).parents[2] / "evals" / "goldens" / "safety"
LANGUAGES = sorted(OURS)


def cases(kind: str) -> list[dict[str, Any]]:
    return [
        {"lang": "en", **json.loads(line)}
        for path in sorted((FOLDER / kind).glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]


BLIND, OPEN, REFUSALS = cases("blind"), cases("open"), cases("refusals")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_enough_blind_cases_of_both_sides(language: str) -> None:
    own = [case for case in BLIND if case["lang"] == language]
    assert sum(RiskClass[case["min"]] >= RiskClass.R4 for case in own) >= 30
    assert sum(RiskClass[case["min"]] is RiskClass.R5 for case in own) >= 15
    assert sum(RiskClass[case["max"]] <= RiskClass.R2 for case in own) >= 30
    assert sum("messages" in case for case in own) >= 5
    asked = Counter(case["expect"] for case in REFUSALS if case["lang"] == language)
    assert min(asked["refuse"], asked["answer"]) >= 15


def test_there_are_enough_of_them_and_half_are_blind() -> None:
    assert len(BLIND) + len(OPEN) >= 2_400
    assert len(BLIND) >= 1_200


def test_they_are_well_formed() -> None:
    everything = BLIND + OPEN + REFUSALS
    ids = Counter(case["id"] for case in everything)
    assert [id_ for id_, n in ids.items() if n > 1] == []
    assert [case["id"] for case in everything if ("text" in case) == ("messages" in case)] == []
    for case in BLIND + OPEN:
        assert RiskClass[case["min"]] <= RiskClass[case["max"]], case["id"]


def test_no_example_of_a_rule_is_a_blind_case(assessor: Assessor) -> None:
    """Within four fifths of the words of the longer one: such an example would make the judge a copy of the rule."""
    judges: dict[str, list[tuple[str, frozenset[str]]]] = {}
    for case in BLIND + REFUSALS:
        for text in (
            [case["text"]] if "text" in case else [m["content"] for m in case["messages"] if m["role"] == "user"]
        ):
            judges.setdefault(case["lang"], []).append((case["id"], words(text)))
    near = [
        f"{rule.id}: an example is {id_}"
        for language, table in assessor.tables.items()
        for rule in table.rules
        for example in map(words, (*rule.matches, *rule.passes))
        for id_, case in judges[language]
        if len(example & case) >= 0.8 * max(len(example), len(case)) > 0
    ]
    assert near == []


def words(text: str) -> frozenset[str]:
    """The words; in scripts without spaces pairs of characters, as single ones say little."""
    found = normalize([text], Spelling()).texts
    solid = [word for word in found if len(word) == 1 and not word.isascii()]
    return frozenset(a + b for a, b in pairwise(found)) if 2 * len(solid) > len(found) else frozenset(found)


@pytest.mark.parametrize("question", [case["text"] for case in cases("../extractive") if case["id"].startswith("ex-c")])
def test_a_question_about_a_condition_raises_no_alarm(assessor: Assessor, question: str) -> None:
    found = assessor.assess([question], language="en")
    assert found.risk_class < RiskClass.R4, found.rule_ids
