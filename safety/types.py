"""Values of the safety floor. Knows nothing of retrieval, models or the web."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

__all__ = ["EmergencyText", "FiredRule", "Patient", "RiskAssessment", "RiskClass"]


class RiskClass(IntEnum):
    """R0 education .. R5 immediate threat to life. The order is the meaning: the highest class wins."""

    R0 = 0
    R1 = 1
    R2 = 2
    R3 = 3
    R4 = 4
    R5 = 5

    def __reduce_ex__(self, _: object) -> tuple[type[RiskClass], tuple[int]]:
        """By value, on every Python: 3.11's early releases would store it as a call of getattr."""
        return RiskClass, (int(self),)


@dataclass(frozen=True, kw_only=True)
class FiredRule:
    """One rule that matched: its stable id stands in the receipt.

    `calm` marks what may be over or is held from an earlier turn: the class stays, the banner is not shown for it.
    """

    id: str
    risk_class: RiskClass
    family: str
    notice: str
    calm: bool = False


@dataclass(frozen=True, kw_only=True)
class RiskAssessment:
    """What the floor decided about a turn, with its reasons.

    `fired` is ordered from the most to the least severe. `banner` says whether the emergency banner is shown;
    `crisis_line` and `poison_line` say which further lines it carries. `refused` marks a request that a health
    service must not serve. `language` is the language of the fixed texts ("en"), `read_as` are the languages whose
    rules were tried.
    """

    risk_class: RiskClass
    fired: tuple[FiredRule, ...] = ()
    banner: bool = False
    crisis_line: bool = False
    poison_line: bool = False
    refused: bool = False
    language: str = "en"
    read_as: tuple[str, ...] = ()

    @property
    def rule_ids(self) -> tuple[str, ...]:
        return tuple(rule.id for rule in self.fired)


@dataclass(frozen=True, kw_only=True)
class Patient:
    """What a client with the right to say so knows of the person. Age in years, fractions for infants."""

    age: float | None = None
    sex: str = ""
    pregnant: bool = False
    conditions: tuple[str, ...] = ()
    medications: tuple[str, ...] = ()
    allergies: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class EmergencyText:
    """The fixed words of an emergency, never written by a model.

    `banner` is one or two sentences with the number to call; `numbers` maps a purpose ("emergency", "ambulance",
    "crisis", "poison") to what to dial; `steps` is what to do in the next minutes, in order.
    """

    banner: str
    numbers: dict[str, str]
    steps: tuple[str, ...]
