"""The product's stack step by step, and other designs, over every set that is present: one run, one table per set.

`--set NAME` one set, `--compare A B` the paired difference of two systems, `--trec FILE` all runs for other tools.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from evals.metrics import Interval, paired, per_query, summarise
from evals.report import Report, about
from evals.sets import SETS, NoCorpus, RankingSet, absent, opened, read_set
from evals.systems import BASELINES, World, available, final, runs_of
from evals.trec import Run, write_runs
from rag.errors import RagError

__all__ = ["run", "shown"]

Values = Mapping[str, Mapping[str, Mapping[str, float]]]
"""{system: {measure: {query: value}}}"""


def run(arguments: argparse.Namespace) -> Report:
    report = Report("ablation")
    runs: dict[str, Run] = {}
    for corpus, names in _by_corpus(arguments.set or list(SETS)).items():
        try:
            with opened(corpus, arguments) as (components, source):
                worlds: dict[str, World] = {}
                for name in names:
                    if (chosen := read_set(name, arguments.limit)) is None:
                        report.say(absent(name))
                        continue
                    collection = chosen.collection
                    if collection not in worlds:
                        report.say()
                        report.say(about(components, collection))
                        worlds[collection] = World(components=components, collection=collection, source=source)
                    for system, ranked in _one(report, worlds[collection], chosen, arguments).items():
                        runs[f"{name}/{system}"] = ranked
        except (NoCorpus, RagError) as exc:
            report.say(f"{', '.join(names)}: {exc}")
    if arguments.trec:
        write_runs(arguments.trec, runs)
        report.say(f"{len(runs)} runs written to {arguments.trec}")
    return report


def _by_corpus(names: list[str]) -> dict[str, list[str]]:
    """Sets that share a corpus are asked of it one after the other; an absent one is named with the bundle's."""
    found: dict[str, list[str]] = {}
    for name in names:
        chosen = read_set(name)
        found.setdefault(chosen.corpus if chosen else "bundle", []).append(name)
    return found


def _one(report: Report, world: World, chosen: RankingSet, arguments: argparse.Namespace) -> dict[str, Run]:
    systems = available(world.components)
    last = final(systems)
    runs = runs_of(world, chosen, systems)
    values = {name: per_query(chosen.qrels, ranked) for name, ranked in runs.items()}
    report.say()
    report.say(f"{chosen.name}, n = {len(chosen.cases)}")
    rows = []
    for name, by in values.items():
        scores = summarise({m: by[m] for m in chosen.measures})
        title = world.cortexrag.name if name == "CortexRAG" else name
        rows.append([title, *map(shown, scores.values())])
        report.values[f"{chosen.name}, {name}"] = {m: list(v) for m, v in scores.items()}
    report.table(["system", *chosen.measures], rows)
    first, second = arguments.compare or (last, "")
    others = [second] if second else [n for n in values if n in BASELINES or n == "vector"]
    unknown = [name for name in (first, *others) if name not in values]
    if unknown:
        report.say(f"not compared: {', '.join(unknown)} (there are {', '.join(values)})")
        return runs
    lead = chosen.measures[0]
    for other in others:
        difference = paired(values[first][lead], values[other][lead])
        report.say(f"  {first} - {other}, {lead}, paired: {shown(difference)}")
        report.values[f"{chosen.name}, {first} - {other}"] = list(difference)
    return runs


def shown(interval: Interval) -> str:
    mean, low, high = interval
    return f"{mean:.3f} [{low:.3f}, {high:.3f}]"
