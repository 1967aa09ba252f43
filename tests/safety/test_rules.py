"""Every rule of every language brings its own examples; they run through the whole floor, both ways."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rag.language import OURS
from safety.assess import Assessor
from safety.proof import failures
from safety.rules import RULES, Rule, RuleTable, load_table
from safety.sanitize import sanitize
from safety.types import RiskClass

LANGUAGES = sorted(path.name.removesuffix(".toml") for path in RULES.iterdir() if path.name.endswith(".toml"))
TWENTY = sorted(OURS)
TABLE = load_table(RULES / "en.toml")
# What can kill, and is therefore known in every language.
DEADLY = [
    "cardiac",
    "stroke",
    "breathing",
    "choking",
    "anaphylaxis",
    "bleeding",
    "unconscious",
    "seizure",
    "suicide",
    "harm",
    "poisoning",
    "drowning",
    "electrocution",
    "burns",
    "carbon_monoxide",
    "heat",
    "cold",
    "venom",
    "head_injury",
    "meningitis",
    "sepsis",
    "infant_fever",
    "child",
    "pregnancy",
    "postpartum",
    "ectopic",
    "labour",
    "torsion",
    "abdomen",
    "clot",
    "aortic",
    "eye",
    "diabetic",
    "adrenal",
    "thyroid",
    "gi_bleed",
    "dehydration",
    "eating_disorder",
    "psychosis",
    "withdrawal",
    "trauma",
    "neuro",
    "ambulance",
]


@pytest.fixture(scope="module", params=LANGUAGES)
def table(request: pytest.FixtureRequest, assessor: Assessor) -> RuleTable:
    return assessor.tables[request.param]


def test_there_are_twenty_languages() -> None:
    assert LANGUAGES == TWENTY


def test_the_rules_do_what_their_examples_say(assessor: Assessor, table: RuleTable) -> None:
    assert [str(failure) for failure in failures(assessor, table)] == []


def test_everything_that_can_kill_has_a_rule(table: RuleTable) -> None:
    known = {rule.family for rule in table.rules if rule.risk_class >= RiskClass.R4}
    assert [family for family in DEADLY if family not in known] == []


def test_every_class_can_be_reached(table: RuleTable) -> None:
    assert {rule.risk_class for rule in table.rules} >= set(RiskClass)


def test_a_language_refuses_and_names_the_lines(table: RuleTable) -> None:
    assert any(rule.refuse and rule.family == "refusal" for rule in table.rules)
    assert all("crisis" in rule.lines for rule in table.rules if rule.family == "suicide")
    assert any("poison" in rule.lines for rule in table.rules if rule.family == "poisoning")


def test_no_rule_claims_a_review_that_did_not_happen(table: RuleTable) -> None:
    assert table.reviewed_by == ""


def test_rule_ids_are_unique_over_all_languages(assessor: Assessor) -> None:
    ids = [rule.id for table in assessor.tables.values() for rule in table.rules]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    "change",
    [str.upper, lambda t: t.replace("'", "’"), lambda t: f"  {t}  !!!", lambda t: sanitize("\u200b".join(t))],
    ids=["capitals", "curly", "spaces and marks", "invisible"],
)
def test_spelling_habits_do_not_hide_an_emergency(
    assessor: Assessor, table: RuleTable, change: Callable[[str], str]
) -> None:
    """One example of each rule, in the habits of every script."""
    severe = [rule for rule in table.rules if rule.risk_class >= RiskClass.R4]
    hidden = [
        change(rule.matches[0])
        for rule in severe
        if assessor.assess([change(rule.matches[0])], language=table.language).risk_class < RiskClass.R4
    ]
    assert hidden == []


@pytest.mark.parametrize("rule", [rule for rule in TABLE.rules if rule.risk_class >= RiskClass.R4], ids=lambda r: r.id)
def test_english_without_apostrophes_is_understood(assessor: Assessor, rule: Rule) -> None:
    for text in rule.matches[:3]:
        assert assessor.assess([text.replace("'", "")]).risk_class >= RiskClass.R4, text
