"""Risk classes on own goldens: what must not be missed, and what must not raise an alarm.

The gating goldens were read while the rules were written; `safety/blind/` was not, and shows what new wordings get.
"""

from __future__ import annotations

import argparse
from typing import Any

from evals.data import goldens
from evals.report import Report
from safety.assess import Assessor
from safety.types import RiskAssessment, RiskClass

__all__ = ["measure", "run"]


def run(arguments: argparse.Namespace) -> Report:
    report = Report("safety")
    measure(report, arguments.limit)
    unseen(report, arguments.limit)
    return report


def measure(report: Report, limit: int | None = None) -> None:
    """The gating goldens; every case outside its range is named."""
    assessed = _assessed("safety/open/*.jsonl", limit)
    report.values |= _tell(report, "goldens", assessed)
    for case, found in assessed:
        if not RiskClass[case["min"]] <= found.risk_class <= RiskClass[case["max"]]:
            report.say(f"  {case['id']}: {found.risk_class.name}, expected {case['min']}..{case['max']}")


def unseen(report: Report, limit: int | None = None) -> None:
    """Goldens that nobody may tune on: figures only, so that reading a report does not spoil them."""
    values = _tell(report, "goldens not seen by who wrote the rules", _assessed("safety/blind/en-earlier.jsonl", limit))
    report.values |= {f"unseen_{name}": value for name, value in values.items()}


def _assessed(files: str, limit: int | None) -> list[tuple[dict[str, Any], RiskAssessment]]:
    assessor = Assessor.load()
    return [(case, assessor.assess([case["text"]])) for case in goldens(files, limit)]


def _tell(report: Report, name: str, assessed: list[tuple[dict[str, Any], RiskAssessment]]) -> dict[str, float]:
    severe = [(c, a) for c, a in assessed if RiskClass[c["min"]] >= RiskClass.R4]
    deadly = [(c, a) for c, a in severe if RiskClass[c["min"]] is RiskClass.R5]
    harmless = [(c, a) for c, a in assessed if RiskClass[c["max"]] < RiskClass.R4]
    values = {
        "recall_r5": _share(deadly, lambda c, a: a.risk_class >= RiskClass[c["min"]]),
        "recall_r4_up": _share(severe, lambda _, a: a.risk_class >= RiskClass.R4),
        "false_alarms": _share(harmless, lambda _, a: a.risk_class >= RiskClass.R4),
        "in_range": _share(assessed, lambda c, a: RiskClass[c["min"]] <= a.risk_class <= RiskClass[c["max"]]),
    }
    report.say(f"{name}, rules {Assessor.load().ruleset[:12]}, n = {len(assessed)}")
    report.table(
        ["measure", "value", "n"],
        [
            ["recall of R5, as R5", f"{values['recall_r5']:.3f}", len(deadly)],
            ["recall of R4 and up, as R4 or R5", f"{values['recall_r4_up']:.3f}", len(severe)],
            ["false alarms (R4 and up on harmless)", f"{values['false_alarms']:.3f}", len(harmless)],
            ["within the expected range", f"{values['in_range']:.3f}", len(assessed)],
        ],
    )
    return values


def _share(cases: list[tuple[Any, Any]], holds: Any) -> float:
    return sum(holds(case, found) for case, found in cases) / len(cases) if cases else 0.0
