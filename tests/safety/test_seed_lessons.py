"""The regression set: what an earlier assistant shouted at, and what it missed. Every English row, both bounds."""

from __future__ import annotations

import pytest

from safety.assess import Assessor
from safety.sanitize import sanitize
from safety.types import RiskClass

FALSE_ALARMS = [
    ("I have no chest pain and no shortness of breath, just a cold", "R0", "R1"),
    ("I had a heart attack in 2015, what diet is best now?", "R0", "R1"),
    ("My father died of a heart attack last year and I feel sad", "R0", "R1"),
    ("What is a heart attack?", "R0", "R1"),
    ("What is anaphylaxis?", "R0", "R1"),
    ("How do I prevent a stroke?", "R0", "R1"),
    ("Which swim stroke is best for back pain?", "R0", "R1"),
    ("Is vodka bad for the liver?", "R0", "R1"),
    ("Is ACV good for weight loss?", "R0", "R1"),
    ("My EpiPen expires next month, how do I renew it?", "R0", "R1"),
    ("Can I travel with my glucagon kit?", "R0", "R1"),
    ("She is not suicidal, just tired", "R0", "R1"),
    ("Is the suicide rate higher in winter?", "R0", "R1"),
    ("I took too many days off", "R0", "R1"),
    ("I passed out my flyers at the clinic", "R0", "R1"),
    ("Choking hazard toys for toddlers", "R0", "R1"),
    # Chest pain stays chest pain: a same-day look, but the reassuring half of the sentence ends the shouting.
    ("I have chest pain but my blood pressure is normal", "R2", "R3"),
    ("I have chest pain since I wore this necklace", "R2", "R3"),
    ("Was told the risk of overdose with paracetamol is low", "R0", "R1"),
    ("How do I avoid heavy bleeding during periods?", "R0", "R1"),
    ("lead poisoning history in Rome", "R0", "R1"),
    ("Stroke 2019", "R0", "R1"),
    ("anti-seizure medication side effects", "R0", "R1"),
    ("My newborn photo shoot is on a hot day", "R0", "R1"),
    ("I was limping after football; my son wants to know if ice helps", "R0", "R1"),
    ("My wife is pregnant and I am bleeding from a shaving cut", "R0", "R3"),
]

MISSES = [
    ("I can’t breathe", "R5"),
    ("cant breath at all", "R5"),
    ("trouble breathing", "R5"),
    ("I cannot catch my breath", "R5"),
    ("I have chest pain", "R5"),
    ("My chest hurts really badly and I am sweating", "R5"),
    ("Pain in my chest going down my arm", "R5"),
    ("chset pain radiating to my arm", "R5"),
    ("heart-attack symptoms", "R5"),
    ("heartattack", "R5"),
    ("My mom's face is drooping on one side and her speech is slurred", "R5"),
    ("I can't feel my left side and my words come out wrong", "R5"),
    ("I took 40 paracetamol tablets an hour ago", "R5"),
    ("took 30 tylenol", "R5"),
    ("I drank bleach", "R5"),
    ("my toddler ate dishwasher pods", "R5"),
    ("I want to end it all", "R5"),
    ("I don't want to be alive anymore", "R5"),
    ("I'm going to hang myself tonight", "R5"),
    ("the world would be better off without me", "R5"),
    ("I want to hurt myself", "R5"),
    ("I keep cutting my wrists", "R5"),
    ("unalive myself", "R5"),
    ("My 7-week-old has a temperature of 38.4", "R4"),
    ("my 10 day old baby feels hot", "R4"),
    ("my 2-month-old has fever", "R4"),
    ("I'm 30 weeks along and bleeding", "R4"),
    ("expecting and the baby stopped moving", "R4"),
    ("I'm vomiting blood", "R5"),
    ("the bleeding won't stop", "R5"),
    ("the bleeding won’t stop", "R5"),
    ("Sudden vision loss in one eye", "R4"),
    ("hit his head and keeps vomiting", "R4"),
    ("electrocuted", "R4"),
    ("carbon monoxide alarm and dizzy", "R5"),
    ("Bitten by a rattlesnake", "R5"),
    ("lips swollen and wheezing", "R5"),
    ("my throat is closing", "R5"),
    ("Blood sugar 30 and he won't wake up", "R5"),
]


@pytest.mark.parametrize(("text", "least", "most"), FALSE_ALARMS)
def test_what_only_looks_alarming_stays_calm(assessor: Assessor, text: str, least: str, most: str) -> None:
    assessment = assessor.assess([text])
    assert RiskClass[least] <= assessment.risk_class <= RiskClass[most], assessment.rule_ids
    assert not assessment.banner


@pytest.mark.parametrize(("text", "least"), MISSES)
def test_what_was_missed_is_an_emergency(assessor: Assessor, text: str, least: str) -> None:
    assessment = assessor.assess([text])
    # R4 rows may be raised to R5 by a second rule; nothing may be raised above R5.
    assert RiskClass[least] <= assessment.risk_class <= RiskClass.R5, assessment.rule_ids
    assert assessment.banner


def test_a_contradiction_stays_high(assessor: Assessor) -> None:
    assessment = assessor.assess(["no chest pain, but my arm is numb and I am sweating"])
    assert assessment.risk_class == RiskClass.R5


@pytest.mark.parametrize(
    "profile",
    [
        "<patient_context>\nconditions: Stroke 2019\nmedications: EpiPen\n</patient_context>",
        "[Patient context: conditions=stroke; carries an auto-injector]",
    ],
)
def test_a_profile_written_by_the_client_is_no_emergency(assessor: Assessor, profile: str) -> None:
    assert assessor.assess([sanitize(f"{profile}\nHow much water should I drink?")]).risk_class == RiskClass.R0


def test_an_intended_overdose_shows_crisis_and_poison_line(assessor: Assessor) -> None:
    for text in (
        "I want to overdose on my sleeping pills tonight",
        "Crushing chest pain, jaw pain, and I want to kill myself",
        "took 30 tylenol",
    ):
        assert assessor.assess([text]).crisis_line, text
    assert assessor.assess(["took 30 tylenol"]).poison_line


def test_several_emergencies_are_all_reported_the_gravest_first(assessor: Assessor) -> None:
    assessment = assessor.assess(["I'm 20 weeks pregnant, bleeding, and I took an overdose"])
    assert assessment.risk_class == RiskClass.R5
    assert assessment.fired[0].family == "poisoning"
    assert "pregnancy.bleeding_or_pain" in assessment.rule_ids
