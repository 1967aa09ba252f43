"""Every rule brings its own examples; they run through the whole assessor, both ways."""

from __future__ import annotations

import pytest

from safety.assess import Assessor
from safety.rules import RULES, Rule, load_table
from safety.types import RiskClass

TABLE = load_table(RULES / "en.toml")
MATCHES = [(rule, text) for rule in TABLE.rules for text in rule.matches]
PASSES = [(rule, text) for rule in TABLE.rules for text in rule.passes]
FAMILIES = {
    "cardiac": "R5", "stroke": "R5", "breathing": "R5", "anaphylaxis": "R5", "bleeding": "R5", "unconscious": "R5",
    "suicide": "R5", "poisoning": "R5", "pregnancy": "R4", "infant_fever": "R4", "severe_child": "R4", "sepsis": "R4",
}  # fmt: skip


@pytest.mark.parametrize(("rule", "text"), MATCHES, ids=[f"{r.id}: {t}" for r, t in MATCHES])
def test_a_rule_fires_on_its_own_examples(assessor: Assessor, rule: Rule, text: str) -> None:
    assessment = assessor.assess([text])
    assert rule.id in assessment.rule_ids
    assert assessment.risk_class >= rule.risk_class


@pytest.mark.parametrize(("rule", "text"), PASSES, ids=[f"{r.id}: {t}" for r, t in PASSES])
def test_a_rule_lets_its_counterexamples_pass(assessor: Assessor, rule: Rule, text: str) -> None:
    assessment = assessor.assess([text])
    assert rule.id not in assessment.rule_ids
    assert assessment.risk_class < RiskClass.R4, assessment.rule_ids


@pytest.mark.parametrize(("family", "risk_class"), FAMILIES.items())
def test_every_family_has_rules_of_its_class(family: str, risk_class: str) -> None:
    highest = max(rule.risk_class for rule in TABLE.rules if rule.family == family)
    assert highest == RiskClass[risk_class]


@pytest.mark.parametrize("risk_class", list(RiskClass))
def test_every_class_can_be_reached(risk_class: RiskClass) -> None:
    assert any(rule.risk_class == risk_class for rule in TABLE.rules)


def test_no_rule_claims_a_review_that_did_not_happen() -> None:
    assert TABLE.reviewed_by == ""


@pytest.mark.parametrize(
    "change",
    [str.upper, lambda t: t.replace("'", "’"), lambda t: t.replace("'", ""), lambda t: f"  {t}  !!!"],
    ids=["capitals", "curly", "no apostrophes", "spaces and marks"],
)
def test_spelling_habits_do_not_hide_an_emergency(assessor: Assessor, change: object) -> None:
    assert callable(change)
    for rule in TABLE.rules:
        if rule.risk_class >= RiskClass.R4:
            for text in rule.matches[:3]:
                assert assessor.assess([change(text)]).risk_class >= RiskClass.R4, change(text)


def test_invisible_and_full_width_letters_do_not_hide_an_emergency(assessor: Assessor) -> None:
    assert assessor.assess(["ｃａｎ’ｔ　ｂｒｅａｔｈｅ"]).risk_class == RiskClass.R5
    assert assessor.assess(["I cán't breáthe"]).risk_class == RiskClass.R5
    assert assessor.assess(["heeeelp i cant breeeathe"]).risk_class == RiskClass.R5


def test_a_request_for_a_method_is_refused_with_the_crisis_line(assessor: Assessor) -> None:
    assessment = assessor.assess(["how many sleeping pills do I need to die"])
    assert (assessment.refused, assessment.crisis_line, assessment.risk_class) == (True, True, RiskClass.R5)
    assert not assessor.assess(["I want to die"]).refused


def test_talk_about_an_emergency_gets_one_calm_sentence(assessor: Assessor) -> None:
    assessment = assessor.assess(["What are the signs of a stroke?"])
    assert assessment.risk_class == RiskClass.R0
    assert not assessment.banner
    assert "emergency number" in assessor.notice(assessment)
    assert assessor.notice(assessor.assess(["How much water should I drink?"])) == ""


def test_a_present_emergency_of_somebody_else_is_one(assessor: Assessor) -> None:
    assert assessor.assess(["My neighbour is having a heart attack"]).risk_class == RiskClass.R5
    assert assessor.assess(["my sister wants to kill herself"]).risk_class == RiskClass.R5


def test_the_ruleset_is_a_hash_over_the_tables(assessor: Assessor) -> None:
    assert len(assessor.ruleset) == 64
    assert assessor.ruleset == Assessor.load().ruleset
