"""A qualifier that tells one condition from another ("type 1", "low", "bird") is binding."""

from __future__ import annotations

import pytest

from tests.rag.providers.passages import answer, passage, texts


def test_a_numbered_type_is_not_another_type() -> None:
    one = passage("Type 1 diabetes", "Type 1 diabetes is an illness that starts early in life.", heading="What it is")
    assert answer("What is type 2 diabetes?", one) == ()
    assert answer("What is type 1 diabetes?", one)


def test_a_compound_is_not_another_compound() -> None:
    attack = passage("Heart attack", "A heart attack is an emergency of the heart.", heading="What it is")
    assert answer("What is heart failure?", attack) == ()
    assert answer("What is a heart attack?", attack)


@pytest.mark.parametrize(
    ("question", "title", "text"),
    [
        ("How is low blood pressure treated?", "High blood pressure", "High blood pressure is treated with tablets."),
        ("How is hypotension of the blood treated?", "Hypertension", "Blood pressure is treated with tablets."),
        ("Why is my cholesterol so low?", "High cholesterol", "High cholesterol is caused by fatty food."),
        ("What is gestational diabetes?", "Type 2 diabetes", "Type 2 diabetes is a long-term condition."),
        ("What is diabetes in pregnancy?", "Type 2 diabetes", "Type 2 diabetes is a long-term condition."),
        ("What is type 1 diabetes?", "Type 2 diabetes", "Type 2 diabetes is not the same as type 1 diabetes."),
        ("What is gestational diabetes?", "Diabetes", "Diabetes is a long-term condition."),
        ("upper back pain treatment", "Low back pain", "Back pain is treated with movement."),
        ("heart failure treatment", "Heart attack", "A heart attack is treated in hospital, as heart failure is."),
        ("stomach flu symptoms", "Influenza (flu)", "Symptoms of flu are fever and cough."),
        ("bird flu symptoms", "Stomach flu", "Symptoms of the stomach flu are cramps."),
        ("What is acute bronchitis?", "Chronic bronchitis", "Bronchitis is a cough that lasts."),
        ("What is fever in adults?", "Fever in babies", "Fever is a high temperature."),
        ("chest infection treatment", "Urinary tract infection", "An infection is treated with antibiotics."),
        ("chest infection treatment", "Sepsis", "Treatment of sepsis from a chest wound or an infection is urgent."),
    ],
)
def test_a_contrasting_qualifier_is_binding(question: str, title: str, text: str) -> None:
    for heading in ("What it is", "Treatment", "Symptoms", "Causes"):
        assert answer(question, passage(title, text, heading=heading)) == ()


@pytest.mark.parametrize(
    ("question", "title", "text"),
    [
        ("What is high blood pressure?", "Hypertension", "High blood pressure is too much force on the arteries."),
        ("What is low blood pressure?", "Low blood pressure", "Low blood pressure is common in the young."),
        ("What is heat stroke?", "Heat illness", "Heat stroke is the most severe heat illness."),
        ("What is iron deficiency anaemia?", "Iron-deficiency anaemia", "Iron-deficiency anaemia is a lack of iron."),
        ("What is bladder cancer?", "Bladder cancer", "Bladder cancer is a growth in the bladder."),
        ("What is a panic attack?", "Anxiety", "A panic attack is a sudden rush of fear."),
        ("What is lower back pain?", "Low back pain", "Low back pain is pain below the ribs."),
        ("What is gestational diabetes?", "Diabetes", "Gestational diabetes is diabetes that starts in pregnancy."),
        ("What is acute bronchitis?", "Acute bronchitis", "Acute bronchitis is a cough of a few weeks."),
        ("What is an acute flare of COPD?", "Chronic obstructive lung disease (COPD)", "COPD is a flare or more."),
        ("What is cardiac arrest?", "Cardiac arrest", "Cardiac arrest is when the heart stops."),
    ],
)
def test_the_same_qualifier_is_answered(question: str, title: str, text: str) -> None:
    assert texts(answer(question, passage(title, text, heading="What it is"))) == [text]


def test_the_qualifier_of_the_last_message_counts() -> None:
    two = passage("Type 2 diabetes", "Type 2 diabetes is a long-term condition.", heading="What it is")
    assert answer("What is type 2 diabetes? What is type 1?", two, focus="What is type 1?") == ()
