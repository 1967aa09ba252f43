"""How a phrase is meant: the same words said of the past, of others, in a question, in fear, and here and now."""

from __future__ import annotations

import pytest

from safety.assess import Assessor
from safety.types import RiskClass

SIGNS = [
    "chest pain", "shortness of breath", "heavy bleeding", "seizures", "facial drooping", "swelling of the tongue",
    "a heart attack", "a stroke", "an overdose", "sepsis", "anaphylaxis",
]  # fmt: skip
CALM = [
    "I have no {}", "No {}, just a mild cough", "I don't have {}", "I've never had {}", "She denies {}",
    "I had {} in 2012", "My uncle had {} ten years ago", "When I was a child I had {}", "doctors ruled out {}",
    "people with {} often feel anxious", "In the film the hero has {}", "I recovered from {} last year",
    "What are the symptoms of {}?", "What causes {}?", "How is {} treated?", "Tell me about {}", "Is {} dangerous?",
    "Absent: wheeze, {}, weight loss.", "He denies fever, {} and weight loss.",
    "What is the first aid for {}?", "Can {} be prevented?", "What research is there on the causes of {}?",
]  # fmt: skip
ALARMS = [
    "I can't breathe", "my chest feels crushed and my arm is numb", "her face is drooping", "I want to kill myself",
    "I took 40 paracetamol tablets", "my throat is closing", "he won't wake up", "the bleeding won't stop",
]  # fmt: skip
AROUND = [
    "What should I do? {}", "{}. What is it?", "I read about this on the news but {}", "Is it normal that {}",
    "what do I do if {}", "no fever but {}", "My dad died of cancer last year and now {}", "{} since this morning",
    "I don't know why but {}", "{}, is it dangerous?", "{}. I had a heart attack in 2010.", "I think {}", "What if {}",
    "As a child I had allergies, {}", "can you tell me if this is serious: {}", "{} how do I treat this at home?",
    "I'm not sure, but {}", "I never had this before, {}", "why does this happen: {}", "my friend says {}",
    "I read an article about it at school, {}", "I was watching a film with my dog, {}", "work is busy this month, {}",
    "there's a meeting tomorrow and I have a presentation, {}", "I googled it at night, {}",
    "{}, we had pasta for dinner", "{}, my sister is fine and sends her love", "{}, it has rained all week",
]  # fmt: skip


@pytest.mark.parametrize("frame", CALM)
@pytest.mark.parametrize("sign", SIGNS)
def test_talk_about_a_sign_is_no_alarm(assessor: Assessor, frame: str, sign: str) -> None:
    assessment = assessor.assess([frame.format(sign)])
    assert assessment.risk_class < RiskClass.R4, assessment.rule_ids


@pytest.mark.parametrize("frame", AROUND)
@pytest.mark.parametrize("alarm", ALARMS)
def test_words_around_an_alarm_do_not_hide_it(assessor: Assessor, frame: str, alarm: str) -> None:
    assert assessor.assess([frame.format(alarm)]).risk_class == RiskClass.R5


@pytest.mark.parametrize(
    "text",
    [
        "is my chest pain dangerous?",
        "is vomiting blood serious? I just did",
        "I had a stroke in 2019 and now my face is drooping again",
        "no fever, no cough, crushing chest pain",
        "I doubt it's a heart attack but my chest hurts and my jaw aches",
        "not only chest pain but sweating too",
        "no sleep, chest pain",
    ],
)
def test_a_frame_ends_where_the_present_begins(assessor: Assessor, text: str) -> None:
    assert assessor.assess([text]).risk_class == RiskClass.R5


def test_an_unless_reaches_no_further_than_its_sentence(assessor: Assessor) -> None:
    assert assessor.assess(["I passed out my flyers. Then my chest hurt and I got sweaty."]).risk_class == RiskClass.R5


@pytest.mark.parametrize(
    "text",
    [
        "What should bystanders do when an adult collapses and has stopped breathing?",
        "What should be done for a person who has swallowed something poisonous?",
        "How can a friend support somebody who is thinking about suicide?",
        "warning signs somebody is suicidal",
        "How do you help someone who is having a seizure?",
        "What do you do if someone is choking?",
        "what can be done for a child who has drunk bleach",
        "how do teachers recognise a child who is choking",
    ],
)
def test_a_question_about_an_unnamed_person_is_first_aid_education(assessor: Assessor, text: str) -> None:
    assessment = assessor.assess([text])
    assert assessment.risk_class <= RiskClass.R1, assessment.rule_ids
    assert assessor.notice(assessment)


@pytest.mark.parametrize(
    "text",
    [
        "what do i do, someone has collapsed",
        "what do I do someone is choking",
        "my friend is thinking about suicide, what do I say",
        "how do I help my brother, he has swallowed bleach",
        "How do we help, our neighbour has stopped breathing?",
    ],
)
def test_a_question_about_somebody_here_is_an_emergency(assessor: Assessor, text: str) -> None:
    assert assessor.assess([text]).risk_class == RiskClass.R5


@pytest.mark.parametrize("text", ["he has stopped breathing", "she's not breathing", "the baby isnt breathing"])
def test_somebody_who_does_not_breathe_needs_cpr_steps(assessor: Assessor, text: str) -> None:
    assessment = assessor.assess([text])
    assert assessment.fired[0].family == "unconscious"
    assert any("CPR" in step for step in assessor.emergency_text(assessment, "GB").steps[:3])


def test_a_remote_event_stays_past_when_it_never_came_again(assessor: Assessor) -> None:
    assert assessor.assess(["back at uni I had a seizure, never again, may I drive"]).risk_class < RiskClass.R4
    assert assessor.assess(["years ago I had a seizure and tonight I had one again"]).risk_class == RiskClass.R5


def test_a_treatment_named_after_does_not_make_the_present_past(assessor: Assessor) -> None:
    assert assessor.assess(["after her c section, fever and shaking violently"]).risk_class >= RiskClass.R4
    assert assessor.assess(["since his operation wound oozing pus, fever, confused"]).risk_class >= RiskClass.R4
