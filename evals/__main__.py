"""`python -m evals SUITE`: measured quality and speed. `python -m evals --help` lists the suites."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from app.logs import quiet_logs
from evals import gold
from evals.report import Report
from evals.sets import SETS
from evals.suites import (
    ablation,
    answers,
    bench,
    calibrate,
    ci,
    crosslingual,
    gate,
    gate_report,
    retrieval,
    rewrite,
    robustness,
    safety,
    scope,
)

SUITES = {
    "retrieval": (retrieval.run, "keyword, vector and fused ranking on own goldens and on LiveQA over MedQuAD"),
    "ablation": (ablation.run, "the stack step by step and other designs, on every set that is present"),
    "answers": (answers.run, "the extractive answers to thirty questions, and what must be deferred"),
    "gate": (gate.run, "rewriting, evidence and gate on own goldens of health and law"),
    "gate-report": (gate_report.run, "the gate by stratum, cross-validated, with risk against coverage"),
    "rewrite": (rewrite.run, "what the rewriting of questions is worth"),
    "cross-lingual": (crosslingual.run, "questions in other languages over English sources"),
    "scope": (scope.run, "what is no health question must not be answered as one"),
    "robustness": (robustness.run, "misspelt questions, and passages that carry instructions"),
    "safety": (safety.run, "risk classes on own goldens, both ways"),
    "calibrate": (calibrate.run, "the curves behind rag/thresholds.toml"),
    "bench": (bench.run, "speed and size as ratios taken in one run"),
    "ci": (ci.run, "what gates a change: own goldens against evals/thresholds.toml"),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m evals", description=__doc__)
    commands = parser.add_subparsers(required=True, dest="suite", metavar="SUITE")
    for name, (_, text) in [*SUITES.items(), ("all", (None, "every suite but bench"))]:
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("--db", type=Path, help="database with MedQuAD ingested (default: DB_PATH)")
        command.add_argument("--limit", type=int, help="at most this many cases of each set")
        command.add_argument("--json", type=Path, metavar="FILE", help="also write the report as JSON")
        command.add_argument(
            "--set", action="append", choices=list(SETS), metavar="NAME", help=f"only: {', '.join(SETS)}"
        )
        command.add_argument("--trec", type=Path, metavar="FILE", help="ablation: also write all runs in TREC form")
        if name != "retrieval":
            command.add_argument("--compare", nargs=2, metavar=("A", "B"), help="ablation: two systems, paired")
        command.add_argument("--png", type=Path, metavar="FILE", help="gate-report: draw risk against coverage")
        command.add_argument("--answers", type=Path, metavar="FILE", help="answers: write all answers for reading")
    text = "near-duplicate passages as gold: propose pairs, label them"
    gold.add_commands(commands.add_parser("gold", help=text, description=text))
    arguments = parser.parse_args()
    quiet_logs()
    if arguments.suite == "gold":
        return int(arguments.run(arguments))
    names = [n for n in SUITES if n not in ("bench", "ci")] if arguments.suite == "all" else [arguments.suite]
    reports: list[Report] = []
    for name in names:
        report = SUITES[name][0](arguments)
        print(report.text(), flush=True)
        reports.append(report)
    if arguments.json:
        arguments.json.write_text(json.dumps([r.as_json() for r in reports], indent=1), encoding="utf-8")
    return int(any(r.failures for r in reports))


if __name__ == "__main__":
    sys.exit(main())
