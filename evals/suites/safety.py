"""Risk classes on own goldens: what must not be missed, and what must not raise an alarm."""

from __future__ import annotations

import argparse
from typing import Any

from evals.data import goldens
from evals.report import Report
from safety.assess import Assessor
from safety.types import RiskClass

__all__ = ["measure", "run"]


def run(arguments: argparse.Namespace) -> Report:
    report = Report("safety")
    measure(report, arguments.limit)
    return report


def measure(report: Report, limit: int | None = None) -> None:
    assessor = Assessor.load()
    cases = goldens("safety/*.jsonl", limit)
    assessed = [(case, assessor.assess([case["text"]])) for case in cases]
    severe = [(c, a) for c, a in assessed if RiskClass[c["min"]] >= RiskClass.R4]
    deadly = [(c, a) for c, a in severe if RiskClass[c["min"]] is RiskClass.R5]
    harmless = [(c, a) for c, a in assessed if RiskClass[c["max"]] < RiskClass.R4]
    in_range = [a.risk_class for c, a in assessed if RiskClass[c["min"]] <= a.risk_class <= RiskClass[c["max"]]]
    report.say(f"rules {assessor.ruleset[:12]}, n = {len(cases)}")
    report.values |= {
        "recall_r5": _share(deadly, lambda c, a: a.risk_class >= RiskClass[c["min"]]),
        "recall_r4_up": _share(severe, lambda c, a: a.risk_class >= RiskClass[c["min"]]),
        "false_alarms": _share(harmless, lambda _, a: a.risk_class >= RiskClass.R4),
        "in_range": len(in_range) / max(1, len(cases)),
    }
    report.table(
        ["measure", "value", "n"],
        [
            ["recall of R5", f"{report.values['recall_r5']:.3f}", len(deadly)],
            ["recall of R4 and up", f"{report.values['recall_r4_up']:.3f}", len(severe)],
            ["false alarms (R4 and up on harmless)", f"{report.values['false_alarms']:.3f}", len(harmless)],
            ["within the expected range", f"{report.values['in_range']:.3f}", len(cases)],
        ],
    )
    for case, found in assessed:
        if not RiskClass[case["min"]] <= found.risk_class <= RiskClass[case["max"]]:
            report.say(f"  {case['id']}: {found.risk_class.name}, expected {case['min']}..{case['max']}")


def _share(cases: list[tuple[Any, Any]], holds: Any) -> float:
    return sum(holds(case, found) for case, found in cases) / len(cases) if cases else 0.0
