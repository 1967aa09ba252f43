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


# An emergency and a suicide statement, how one takes them back, what asks about another subject, what does not.
TAKEN_BACK = {
    "en": (HEART, CRISIS, "just kidding", "what are the symptoms of the flu?", "what now?"),
    "es": (
        "tengo un dolor muy fuerte en el pecho",
        "quiero matarme",
        "era broma",
        "¿cuáles son los síntomas de la gripe?",
        "¿y ahora qué hago?",
    ),
    "hi": (
        "मेरे सीने में बहुत तेज दर्द हो रहा है",
        "मैं खुदकुशी करना चाहता हूं",
        "मजाक कर रहा था",
        "फ्लू के लक्षण क्या होते हैं?",
        "अब क्या करूं?",
    ),
    "ar": ("عندي ألم شديد في صدري", "أريد أن أقتل نفسي", "كنت أمزح", "ما هي أعراض الإنفلونزا؟", "ماذا أفعل الآن؟"),
    "zh": ("我胸口剧烈疼痛", "我想自杀", "开玩笑的", "流感有什么症状？", "现在怎么办？"),
}
# The Hindi rules read their parts over three turns, and one of the parts is almost any word: within that reach an
# alarm is raised anew by whatever is said.
THREE_TURNS = [language for language in TAKEN_BACK if language != "hi"]


@pytest.mark.parametrize("language", THREE_TURNS)
def test_what_was_taken_back_gives_way_to_another_question(assessor: Assessor, language: str) -> None:
    heart, _, joke, other, _ = TAKEN_BACK[language]
    assert assessor.assess([heart, joke, other], language=language).risk_class == RiskClass.R0
    assert assessor.assess([heart, f"{joke}. {other}"], language=language).risk_class == RiskClass.R0


@pytest.mark.parametrize("language", TAKEN_BACK)
def test_what_was_taken_back_does_not_return(assessor: Assessor, language: str) -> None:
    heart, _, joke, other, _ = TAKEN_BACK[language]
    assert assessor.assess([heart, joke, "ok", other, "ok"], language=language).risk_class == RiskClass.R0
    assert assessor.assess([heart, joke, "ok", other, other], language=language).risk_class == RiskClass.R0


@pytest.mark.parametrize("language", TAKEN_BACK)
def test_taking_it_back_is_not_enough(assessor: Assessor, language: str) -> None:
    heart, crisis, joke, _, now = TAKEN_BACK[language]
    for said in (heart, crisis):
        assert assessor.assess([said, joke], language=language).risk_class == RiskClass.R5
        assert assessor.assess([said, joke, now], language=language).risk_class == RiskClass.R5
        assert assessor.assess([said, joke, "ok", "ok", now], language=language).risk_class == RiskClass.R5


@pytest.mark.parametrize("language", THREE_TURNS)
def test_a_crisis_that_was_taken_back_keeps_the_line_beside_the_answer(assessor: Assessor, language: str) -> None:
    _, crisis, joke, other, _ = TAKEN_BACK[language]
    for turns in ([crisis, joke, other], [crisis, f"{joke}. {other}"]):
        assessment = assessor.assess(turns, language=language)
        assert assessment.risk_class == RiskClass.R3
        assert assessment.crisis_line
        assert not assessment.banner
        first = assessor.text("crisis_line", language=language).partition("{")[0]
        assert assessor.emergency_text(assessment, "GB").banner.startswith(first)


@pytest.mark.parametrize("language", TAKEN_BACK)
def test_a_crisis_that_was_taken_back_lasts_for_five_turns(assessor: Assessor, language: str) -> None:
    _, crisis, joke, other, _ = TAKEN_BACK[language]
    assessment = assessor.assess([crisis, joke, "ok", other, other], language=language)
    assert assessment.risk_class == RiskClass.R3
    assert assessment.crisis_line


def test_flu_symptoms_are_another_subject_after_a_joke() -> None:
    floor = Assessor.load()
    assert floor.assess([CRISIS, "just kidding, flu symptoms?"]).risk_class == RiskClass.R3
    assert floor.assess([HEART, "just kidding, flu symptoms?"]).risk_class == RiskClass.R0
    assert floor.assess([HEART, "flu symptoms?"]).risk_class == RiskClass.R5


@pytest.mark.parametrize(
    "later",
    [
        "what are the symptoms of a heart attack?",
        "does the pain go away by itself after a while?",
        "should I take aspirin for it anyway?",
        "do I still need to call an ambulance?",
    ],
)
def test_a_question_about_what_was_taken_back_holds_it(assessor: Assessor, later: str) -> None:
    assert assessor.assess([HEART, "just kidding", later]).risk_class == RiskClass.R5


@pytest.mark.parametrize("said", ["I am not joking", "this is no joke", "not just kidding"])
def test_who_insists_takes_nothing_back(assessor: Assessor, said: str) -> None:
    assert assessor.assess([HEART, said, "what are the symptoms of the flu?"]).risk_class == RiskClass.R5


def test_a_new_alarm_after_a_joke_is_an_alarm(assessor: Assessor) -> None:
    turns = [HEART, "just kidding", "my face is drooping and my arm is numb", "what are the symptoms of the flu?"]
    assert assessor.assess(turns[:3]).banner
    assert assessor.assess(turns).risk_class == RiskClass.R5


@pytest.mark.parametrize("later", ["what are the early signs of a heart attack?", "which people get a heart attack?"])
def test_a_question_about_the_emergency_is_no_other_subject(assessor: Assessor, later: str) -> None:
    assert assessor.assess([HEART, "ok", later]).risk_class == RiskClass.R5
