"""What the rewriting is worth: every set asked in the person's last words alone, and as a turn searches it."""

from __future__ import annotations

import argparse
from collections import Counter

import numpy as np

from evals.metrics import paired, per_query, summarise
from evals.report import Report, about
from evals.sets import NoCorpus, absent, opened, read_set
from evals.suites.ablation import shown
from evals.systems import PRODUCT, World, runs_of
from evals.world import asked
from rag.errors import RagError

__all__ = ["run"]

SETS = {
    "bundle": ("own-answerable", "own-stories", "own-follow-ups", "own-languages", "own-governance"),
    "medquad": ("liveqa", "liveqa-raw"),
}
STEPS = ("fused", "+rewrite")


def run(arguments: argparse.Namespace) -> Report:
    report = Report("rewrite")
    means: dict[str, dict[str, float]] = {}
    for corpus, names in SETS.items():
        try:
            with opened(corpus, arguments) as (components, source):
                rows: list[list[object]] = []
                report.say()
                for name in names:
                    if (chosen := read_set(name, arguments.limit)) is None:
                        report.say(absent(name))
                        continue
                    if not rows:
                        report.say(about(components, chosen.collection))
                    world = World(components=components, collection=chosen.collection, source=source)
                    runs = runs_of(world, chosen, {step: PRODUCT[step] for step in STEPS})
                    values = {step: per_query(chosen.qrels, ranked) for step, ranked in runs.items()}
                    lead = chosen.measures[0]
                    scores = {step: summarise({lead: by[lead]})[lead] for step, by in values.items()}
                    gain = paired(values["+rewrite"][lead], values["fused"][lead])
                    kinds: Counter[str] = Counter()
                    for case in chosen.cases:
                        query = asked(components, world.view, *case.before, case.text, lang=case.lang)
                        kinds.update([*query.rewritten_by, *([query.kind] if query.kind != "original" else [])])
                    rows.append([
                        name, len(chosen.cases), lead, *map(shown, scores.values()), shown(gain),
                        ", ".join(f"{kind} {count}" for kind, count in kinds.most_common()) or "none",
                    ])  # fmt: skip
                    means[name] = {step: score[0] for step, score in scores.items()}
                    report.values[name] = means[name] | {"gain": list(gain)}
                report.table(["set", "n", "measure", *STEPS, "gain, paired", "rewritten by"], rows)
        except (NoCorpus, RagError) as exc:
            report.say(f"{', '.join(names)}: {exc}")
    if {"liveqa", "liveqa-raw"} <= means.keys():
        ratio = {step: means["liveqa-raw"][step] / means["liveqa"][step] for step in STEPS if means["liveqa"][step]}
        report.say("patients' own messages as a share of the short form: " + _named(ratio))
        report.values["raw_by_short"] = ratio
    return report


def _named(values: dict[str, float]) -> str:
    return ", ".join(f"{name} {np.round(value, 3)}" for name, value in values.items())
