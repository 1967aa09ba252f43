"""`galen assess` and `galen rules`: the safety floor without the rest, for clinicians, translators and auditors."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from app.settings import Settings
from safety.assess import Assessor
from safety.proof import failures
from safety.sanitize import sanitize
from safety.types import Patient, RiskAssessment
from scripts.lines import Question, read_conversations, write_line

__all__ = ["assess_command", "check_command", "explain_command"]


def assess_command(arguments: argparse.Namespace, _: Settings) -> int:
    assessor = Assessor.load()
    if arguments.text is not None:
        case = {"id": None, "turns": [arguments.text], "lang": arguments.lang, "country": arguments.country}
        result = _assess(assessor, case)
        write_line(result) if arguments.json else _print_assessment(assessor, case)
        return 0
    failed = False
    for case in read_conversations(arguments.file):
        failed |= "error" in case
        write_line(case if "error" in case else _assess(assessor, case))
    return int(failed)


def _turns(case: Question) -> list[str]:
    return [sanitize(turn) for turn in case["turns"]]


def _judged(assessor: Assessor, case: Question) -> RiskAssessment:
    patient: Patient | None = case.get("patient")
    return assessor.assess(_turns(case), language=case["lang"], patient=patient)


def _assess(assessor: Assessor, case: Question) -> dict[str, Any]:
    found = _judged(assessor, case)
    return {
        "id": case["id"],
        "risk_class": found.risk_class.name,
        "rule_ids": list(found.rule_ids),
        "banner": found.banner,
        "crisis_line": found.crisis_line,
        "poison_line": found.poison_line,
        "refused": found.refused,
        "lang": found.language,
    }


def _print_assessment(assessor: Assessor, case: Question) -> None:
    found = _judged(assessor, case)
    print(f"{found.risk_class.name}  {', '.join(found.rule_ids) or 'no rule fired'}")
    if found.refused:
        print(assessor.refusal(found))
    if found.risk_class.name in ("R4", "R5"):
        text = assessor.emergency_text(found, case["country"])
        print("\n".join([text.banner, *(f"- {step}" for step in text.steps)]))
    elif notice := assessor.notice(found):
        print(notice)


def check_command(arguments: argparse.Namespace, _: Settings) -> int:
    assessor = Assessor.load()
    wrong = 0
    for language in arguments.languages or sorted(assessor.tables):
        if language not in assessor.tables:
            print(f"galen: there is no safety/rules/{language}.toml", file=sys.stderr)
            return 2
        table = assessor.tables[language]
        failed = list(failures(assessor, table))
        wrong += len(failed)
        examples = sum(len(rule.matches) + len(rule.passes) for rule in table.rules)
        print(f"{language}: {len(table.rules)} rules, {examples} examples, {len(failed)} wrong")
        for failure in failed:
            print(f"  {failure}")
    print(f"ruleset {assessor.ruleset}")
    return int(wrong > 0)


def explain_command(arguments: argparse.Namespace, _: Settings) -> int:
    assessor = Assessor.load()
    turns = [sanitize(arguments.text)]
    found = assessor.assess(turns, language=arguments.lang)
    findings = assessor.explain(turns, language=arguments.lang)
    if arguments.json:
        write_line(
            {
                "risk_class": found.risk_class.name,
                "rule_ids": list(found.rule_ids),
                "read_as": list(found.read_as),
                "findings": [asdict(f) | {"risk_class": f.risk_class.name} for f in findings],
            }
        )
        return 0
    print(f"{found.risk_class.name}  {', '.join(found.rule_ids) or 'no rule fired'}")
    print(f"read with the rules of: {', '.join(found.read_as) or 'none (no rule has its words in it)'}")
    rows = [(f.risk_class.name, f.rule, f.words, f.outcome) for f in findings]
    _print_rows(dict.fromkeys(rows))
    return 0


def _print_rows(rows: Sequence[tuple[str, ...]] | dict[tuple[str, ...], None]) -> None:
    lines = [("class", "rule", "found", "what became of it"), *rows]
    if len(lines) == 1:
        return
    widths = [max(len(line[i]) for line in lines) for i in range(3)]
    for line in lines:
        print("  ".join([*(cell.ljust(width) for cell, width in zip(line, widths, strict=False)), line[3]]))
