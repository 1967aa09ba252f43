"""What gates a change: the repository's own goldens against `evals/thresholds.toml`. Needs nothing else.

Over the bundled documents with 320 of the suite's own making among them.
"""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path

from evals.distractors import publish
from evals.report import Report, about
from evals.suites import answers, gate, retrieval, safety
from evals.world import bundled

__all__ = ["run"]

THRESHOLDS = Path(__file__).resolve().parents[1] / "thresholds.toml"


def run(_: argparse.Namespace) -> Report:
    limits = tomllib.loads(THRESHOLDS.read_text(encoding="utf-8"))
    report = Report("ci")
    with bundled() as components:
        among = publish(components)
        report.say(f"{about(components)}; {among} of the documents are distractors")
        scores = retrieval.own_goldens(components, report, None, source="")
        answers.measure(components, report)
        gate.measure(components, report)
    safety.measure(report)
    report.say()
    report.say("gates")
    for leg, measures in limits["retrieval"].items():
        for measure, limit in measures.items():
            report.gate(f"retrieval, {leg}, {measure}", scores[leg][measure][0], at_least=limit)
    for name, limit in limits["answers"].items():
        report.gate(name, report.values[name], at_least=limit)
    for name, limit in limits["gate"].items():
        report.gate(name, report.values[name], at_least=limit)
    for name, limit in limits["safety"]["at_least"].items():
        report.gate(name, report.values[name], at_least=limit)
    for name, limit in limits["safety"]["at_most"].items():
        report.gate(name, report.values[name], at_most=limit)
    return report
