"""The extractive answers: thirty questions with must-have facts, and questions that must be deferred.

The questions and facts were written before the generator and are not edited to fit it.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import secrets
from typing import Any

from app.components import Components
from evals.data import goldens
from evals.report import Report, about
from evals.world import bundled
from rag.fold import fold_events
from rag.pipeline import run_turn
from rag.types import Message, Turn

__all__ = ["ask_all", "judge", "measure", "run"]

_MARKER = re.compile(r"\s*\[\d+\]")


def run(arguments: argparse.Namespace) -> Report:
    report = Report("answers")
    with bundled() as components:
        report.say(about(components))
        answers = measure(components, report, arguments.limit)
    if arguments.answers:
        text = "\n\n".join(f"### {case['text']}\n\n{told['answer']}" for case, told in answers)
        arguments.answers.write_text(text + "\n", encoding="utf-8")
    return report


def measure(
    components: Components, report: Report, limit: int | None = None
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Answers every case; gates are in `ci`. Returns the cases with what was told."""
    answerable = goldens("extractive/emergency.jsonl", limit) + goldens("extractive/conditions.jsonl", limit)
    unanswerable = goldens("extractive/unanswerable-*.jsonl", limit)
    out_of_scope = goldens("extractive/out-of-scope.jsonl", limit)
    asked = answerable + unanswerable + out_of_scope
    told = dict(zip((c["id"] for c in asked), asyncio.run(ask_all(components, asked)), strict=True))
    verdicts = [judge(case, told[case["id"]]) for case in answerable]
    for case, verdict in zip(answerable, verdicts, strict=True):
        if not verdict["good"]:
            report.say(f"  {case['id']}: {verdict['why']}")
    report.values |= {
        "answered_with_half_of_the_facts": sum(v["good"] for v in verdicts),
        "mean_fact_share": sum(v["facts"] for v in verdicts) / max(1, len(verdicts)),
        "unanswerable_deferred": sum(told[c["id"]]["status"] == "deferred" for c in unanswerable),
        "out_of_scope_deferred": sum(told[c["id"]]["status"] == "deferred" for c in out_of_scope),
    }
    for case in unanswerable + out_of_scope:
        if told[case["id"]]["status"] != "deferred":
            report.say(f"  {case['id']}: {told[case['id']]['status']}, not deferred")
    report.say(
        f"{report.values['answered_with_half_of_the_facts']} of {len(answerable)} answered with half of their facts "
        f"and the topic in the first sentence (mean share of facts {report.values['mean_fact_share']:.2f}); deferred: "
        f"{report.values['unanswerable_deferred']} of {len(unanswerable)} that the corpus cannot answer, "
        f"{report.values['out_of_scope_deferred']} of {len(out_of_scope)} out of scope"
    )
    return [(case, told[case["id"]]) for case in asked]


async def ask_all(components: Components, cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        await fold_events(
            run_turn(
                Turn(
                    id=secrets.token_hex(16),
                    messages=(Message(role="user", content=case["text"]),),
                    language=case.get("lang"),
                ),
                components.parts,
            )
        )
        for case in cases
    ]


def judge(case: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    """{good, facts, why}: answered, the topic in the first sentence, at least half of the must-have facts."""
    answer = _MARKER.sub("", told["answer"]).casefold()
    first = re.split(r"(?<=[.:!?])\s|\n", answer, maxsplit=1)[0]
    present = [any(alternative in answer for alternative in fact) for fact in case["facts"]]
    share = sum(present) / len(present)
    why = []
    if told["status"] != "answered":
        why.append(told["status"])
    elif not any(topic in first for topic in case["topic"]):
        why.append("the first sentence does not name the topic")
    if share < 0.5:
        missing = [fact[0] for fact, there in zip(case["facts"], present, strict=True) if not there]
        why.append(f"facts missing: {', '.join(missing)}")
    return {"good": not why, "facts": share, "why": "; ".join(why)}
