"""An emergency outlives the next message."""

from __future__ import annotations

import pytest

from safety.assess import Assessor
from safety.types import RiskClass

CRISIS = "I want to kill myself"
HEART = "I have a crushing pain in my chest"
OTHER = "Which vitamins are in spinach and kale?"


@pytest.mark.parametrize(
    "later", ["ok", "just kidding", "lol nvm", "thanks", "I was joking, sorry", "should I tell my mom?", ""]
)
def test_a_suicide_statement_is_not_talked_away(assessor: Assessor, later: str) -> None:
    """The class and the line stay; the whole banner is not repeated at every message."""
    assessment = assessor.assess([CRISIS, later])
    assert assessment.risk_class == RiskClass.R5
    assert assessment.crisis_line
    assert not assessment.banner
    calm = assessor.emergency_text(assessment, "GB")
    assert calm.banner.startswith(assessor.text("crisis_line").partition("{")[0])
    assert calm.numbers["crisis"] == "116 123"
    assert not calm.steps


def test_a_new_statement_in_a_crisis_brings_the_banner_again(assessor: Assessor) -> None:
    assert assessor.assess([CRISIS, "ok", "I have the pills here and I want to die"]).banner


def test_a_harmless_question_on_another_subject_is_answered_under_the_rules_of_r3(assessor: Assessor) -> None:
    assessment = assessor.assess([CRISIS, OTHER])
    assert assessment.risk_class == RiskClass.R3
    assert assessment.crisis_line
    assert not assessment.banner


def test_a_suicide_statement_lasts_for_the_conversation(assessor: Assessor) -> None:
    assert assessor.assess([CRISIS, *[OTHER] * 30]).crisis_line


def test_help_that_arrived_lowers_a_crisis_but_keeps_the_line(assessor: Assessor) -> None:
    assessment = assessor.assess([CRISIS, "I am safe now, my sister is with me", "thanks"])
    assert assessment.risk_class == RiskClass.R3
    assert assessment.crisis_line
    assert not assessment.banner
    assert assessor.notice(assessment)


@pytest.mark.parametrize("later", ["ok", "it hurts", "should I drive to the hospital?", "what now?", "I am scared"])
def test_another_emergency_stays_through_what_belongs_to_it(assessor: Assessor, later: str) -> None:
    assert assessor.assess([HEART, later]).risk_class == RiskClass.R5


def test_another_emergency_ends_with_a_plain_new_subject_and_does_not_return(assessor: Assessor) -> None:
    assert assessor.assess([HEART, OTHER]).risk_class == RiskClass.R0
    assert assessor.assess([HEART, OTHER, "ok"]).risk_class == RiskClass.R0


def test_the_first_message_after_an_alarm_must_not_speak_of_oneself_to_end_it(assessor: Assessor) -> None:
    mine = "Can I eat grapefruit with my statin pills?"
    assert assessor.assess([HEART, mine]).risk_class == RiskClass.R5
    assert assessor.assess([HEART, "ok", mine]).risk_class == RiskClass.R0


@pytest.mark.parametrize("later", ["The ambulance is here", "We are at the hospital now", "false alarm"])
def test_another_emergency_ends_when_help_is_there(assessor: Assessor, later: str) -> None:
    assert assessor.assess([HEART, later]).risk_class < RiskClass.R4


def test_parts_of_a_rule_may_come_in_neighbouring_turns(assessor: Assessor) -> None:
    assessment = assessor.assess(["My baby is 6 weeks old", "she has a fever of 38.5"])
    assert assessment.risk_class == RiskClass.R4
    assert "infant_fever.under_three_months" in assessment.rule_ids
    assert {rule.family for rule in assessment.fired} == {"infant_fever"}


def test_an_education_question_leaves_nothing_behind(assessor: Assessor) -> None:
    assert assessor.assess(["What is a heart attack?", "ok"]).risk_class == RiskClass.R0


def test_a_refusal_belongs_to_its_own_turn(assessor: Assessor) -> None:
    asked = "how many pills to kill myself"
    assert assessor.assess([asked]).refused
    later = assessor.assess([asked, OTHER])
    assert not later.refused
    assert later.crisis_line


def test_no_turn_is_no_risk(assessor: Assessor) -> None:
    assert assessor.assess([]).risk_class == RiskClass.R0
