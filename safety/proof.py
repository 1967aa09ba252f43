"""The proof that a table brings with it: every rule's own examples, tried both ways in front of the whole floor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from safety.assess import Assessor
from safety.rules import Rule, RuleTable
from safety.types import RiskAssessment, RiskClass

__all__ = ["Failure", "failures"]


@dataclass(frozen=True, kw_only=True)
class Failure:
    """An example that does not come out as its rule says; `field` is "matches" or "passes"."""

    language: str
    rule: str
    field: str
    example: str
    found: RiskAssessment

    def __str__(self) -> str:
        wanted = "does not fire on" if self.field == "matches" else "should let pass"
        got = f"{self.found.risk_class.name} {', '.join(self.found.rule_ids) or 'no rule'}"
        return f"{self.language}.toml: {self.rule}: {self.field}: {wanted} {self.example!r} ({got})"


def failures(assessor: Assessor, table: RuleTable) -> Iterator[Failure]:
    """The examples of a table that fail."""
    for rule in table.rules:
        for field, examples in (("matches", rule.matches), ("passes", rule.passes)):
            for example in examples:
                found = assessor.assess([example], language=table.language)
                if not _holds(rule, field, found):
                    yield Failure(language=table.language, rule=rule.id, field=field, example=example, found=found)


def _holds(rule: Rule, field: str, found: RiskAssessment) -> bool:
    if field == "matches":
        return rule.id in found.rule_ids and found.risk_class >= rule.risk_class
    # The counterexample of an emergency must raise no alarm of another rule either.
    return rule.id not in found.rule_ids and (rule.risk_class < RiskClass.R4 or found.risk_class < RiskClass.R4)
