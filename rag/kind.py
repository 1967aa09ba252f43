"""The type that a question has, and a section or sentence that answers it."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Kind"]


class Kind(StrEnum):
    """The type of a question, and of a section or sentence that answers it."""

    WHAT = "what"
    SYMPTOMS = "symptoms"
    CAUSES = "causes"
    RISK = "risk"
    TREATMENT = "treatment"
    FIRST_AID = "first aid"
    SELF_CARE = "self-care"
    DIAGNOSIS = "diagnosis"
    PREVENTION = "prevention"
    HELP = "help"
    OUTLOOK = "outlook"
    COMPLICATIONS = "complications"
    DURATION = "duration"
    CONTAGION = "contagion"
    SEVERITY = "severity"
    DIFFERENCE = "difference"
    FREQUENCY = "frequency"
    GENETICS = "genetics"
    INHERITANCE = "inheritance"
    STAGES = "stages"
    RESEARCH = "research"
    SIDE_EFFECTS = "side effects"
    AMOUNT = "amount"
    DONTS = "don'ts"
    ANY = "any"
