"""Rewriting, evidence and gate, end to end without a generator, on own goldens over the bundled documents.

Per stratum: how often the gate decides rightly, and how often the right document is found. The gate's weights were
fitted on these cases (`evals calibrate` prints the cross-validated figures), so what this suite says is no blind
figure: it shows what a change breaks. References and follow-ups were not fitted.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping
from typing import Any

from app.components import Components
from evals.data import goldens
from evals.metrics import wilson
from evals.report import Report, about
from evals.world import asked, bundled, vectors_of
from rag.pipeline import Found, find_evidence
from rag.store import View
from rag.types import Evidence

__all__ = ["measure", "run"]

STRATA: Mapping[str, Mapping[str, bool]] = {
    "health": {
        "gate/answerable": True, "gate/languages": True, "gate/stories": True, "gate/reworded": True,
        "gate/near-misses": False, "gate/out-of-scope": False,
    },
    "governance": {
        "governance/questions": True, "governance/references": True, "governance/near-misses": False,
        "gate/out-of-scope": False,
    },
}  # fmt: skip


def run(arguments: argparse.Namespace) -> Report:
    report = Report("gate")
    with bundled() as components:
        measure(components, report, arguments.limit)
    return report


def measure(components: Components, report: Report, limit: int | None = None) -> None:
    for collection, strata in STRATA.items():
        report.say()
        report.say(about(components, collection))
        view = components.store.views.get(collection)
        rows, right, total = [], 0, 0
        for name, answerable in strata.items():
            cases = goldens(f"{name}.jsonl", limit)
            found = [_found(components, view, case) for case in cases]
            decided = sum(result.decision.open == answerable for result in found)
            rows.append([name, len(cases), _share(decided, len(cases)), *_places(cases, found)])
            right, total = right + decided, total + len(cases)
        report.table(["goldens", "n", "gate right", "document at 1", "at 3", "at 6"], rows)
        report.values[f"gate_right_{collection}"] = right / total
    references = goldens("governance/references.jsonl", limit)
    view = components.store.views.get("governance")
    exact = sum(_carries(_found(components, view, case).evidence[:1], case["heading"]) for case in references)
    report.say(f"exact references, the passage of the provision first: {_share(exact, len(references))}")
    report.values["references_exact"] = exact / len(references)
    view = components.store.views.get("health")
    follow_ups = goldens("gate/reworded.jsonl", limit)
    followed = sum(_found(components, view, c).evidence[0].chunk.doc_id in _wanted(c) for c in follow_ups)
    report.values["follow_ups_at_1"] = followed / len(follow_ups)


def _found(components: Components, view: View, case: Mapping[str, Any]) -> Found:
    query = asked(components, view, *(case.get("turns") or [case["text"]]))
    return find_evidence(components.parts, view, query, vectors_of(components, query))


def _wanted(case: Mapping[str, Any]) -> list[str]:
    return case.get("docs") or [case["doc"], *case.get("also", ())]


def _places(cases: list[dict[str, Any]], found: list[Found]) -> list[str]:
    """How often a right document is among the first 1, 3, 6 passages; a comparison needs all its documents."""
    judged = [(case, result) for case, result in zip(cases, found, strict=True) if "doc" in case or "docs" in case]
    if not judged:
        return ["", "", ""]
    hits: Counter[int] = Counter()
    for case, result in judged:
        for depth in (1, 3, 6):
            there = [e.chunk.doc_id for e in result.evidence[:depth]]
            every = case.get("kind") == "comparison"
            hits[depth] += (all if every else any)(doc in there for doc in _wanted(case))
    return [f"{hits[depth] / len(judged):.3f}" for depth in (1, 3, 6)]


def _carries(evidence: tuple[Evidence, ...], heading: str) -> bool:
    """Whether a part of the passage's heading path, or its title, begins with a provision, and not a part of it."""
    parts = [part for item in evidence for part in (*item.chunk.heading.split(" › "), item.chunk.title)]
    return any(part.startswith(heading) and not part[len(heading) :].startswith("(") for part in parts)


def _share(hits: int, n: int) -> str:
    low, high = wilson(hits, n)
    return f"{hits / max(1, n):.3f} [{low:.3f}, {high:.3f}]"
