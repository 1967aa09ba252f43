"""Questions in other languages over English sources.

XLingHealth has no answers: what is measured is how many of the ten best documents of the English question are found
with its translation by the same steps. Titles of GDPR articles in seven languages ask for the article, own questions
for their document.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from evals.data import read_jsonl, shared
from evals.metrics import bootstrap, per_query, summarise
from evals.passages import within
from evals.report import Report, about
from evals.sets import Case, NoCorpus, absent, opened, read_set
from evals.suites.ablation import shown
from evals.systems import PRODUCT, Asked, World, available, runs_of
from rag.errors import RagError

__all__ = ["overlap", "run"]

LANGUAGES = ("es", "hi", "zh")
DEEP = 10
EVERY = 8
"""Every eighth record of MedQuAD: about the 2,000 on which the first figures were measured."""


def run(arguments: argparse.Namespace) -> Report:
    report = Report("cross-lingual")
    _xlinghealth(report, arguments)
    for corpus, name in (("law", "gdpr-titles"), ("bundle", "own-languages")):
        _by_language(report, arguments, corpus, name)
    return report


def overlap(found: Sequence[str], english: Sequence[str]) -> float:
    """The share of the ten best documents of the English question that are among the ten best found."""
    wanted = set(english[:DEEP])
    return len(wanted & set(found[:DEEP])) / len(wanted) if wanted else 0.0


def _xlinghealth(report: Report, arguments: argparse.Namespace) -> None:
    path = shared("xlinghealth", "questions-dev.jsonl.gz")
    if path is None:
        report.say(absent("xlinghealth"))
        return
    rows = list(read_jsonl(path))[: arguments.limit]
    try:
        with opened("medquad", arguments) as (components, source):
            report.say(about(components))
            world = World(components=components, collection="health", source=source)
            documents = sorted(d for d, at in world.passages.rows_of.items() if _from(world, at[0]))
            parts = {f"every {EVERY}th record": documents[::EVERY], "all records": documents}
            for title, chosen in parts.items():
                view = within(world.view, [row for d in chosen for row in world.passages.rows_of[d]])
                table = []
                steps = {s: PRODUCT[s] for s in PRODUCT if s in available(components)}
                shares: dict[str, dict[str, list[float]]] = {s: {lang: [] for lang in LANGUAGES} for s in steps}
                for row in rows:
                    asked_in = {
                        lang: Asked(
                            world=world,
                            case=Case(id=row["id"], text=row["question"][lang], lang=lang),
                            view=view,
                            among=None,
                        )
                        for lang in ("en", *LANGUAGES)
                    }
                    for step, system in steps.items():
                        english = system(asked_in["en"])
                        for lang in LANGUAGES:
                            shares[step][lang].append(overlap(system(asked_in[lang]), english))
                for step, by_language in shares.items():
                    scores = {lang: bootstrap(values) for lang, values in by_language.items()}
                    table.append([step, *map(shown, scores.values())])
                    report.values[f"xlinghealth, {title}, {step}"] = {k: list(v) for k, v in scores.items()}
                report.say(f"xlinghealth, overlap@{DEEP}, {title} ({len(chosen):,} documents), n = {len(rows)}")
                report.table(["step", *LANGUAGES], table)
    except (NoCorpus, RagError) as exc:
        report.say(f"xlinghealth: {exc}")


def _from(world: World, row: int) -> bool:
    return world.passages.chunks[row].source == world.source


def _by_language(report: Report, arguments: argparse.Namespace, corpus: str, name: str) -> None:
    if (chosen := read_set(name, arguments.limit)) is None:
        report.say(absent(name))
        return
    try:
        with opened(corpus, arguments) as (components, source):
            report.say()
            report.say(about(components, chosen.collection))
            world = World(components=components, collection=chosen.collection, source=source)
            steps = {s: PRODUCT[s] for s in PRODUCT if s in available(components)}
            measures = ("hit@1", "hit@10")
            table = []
            for step, ranked in runs_of(world, chosen, steps).items():
                values = per_query(chosen.qrels, ranked)
                for lang in ("all", *sorted({case.lang or "en" for case in chosen.cases})):
                    ids = {case.id for case in chosen.cases if lang in ("all", case.lang or "en")}
                    scores = summarise({m: {q: v for q, v in values[m].items() if q in ids} for m in measures})
                    if lang == "all" or step == list(steps)[-1]:
                        table.append([step, lang, len(ids), *map(shown, scores.values())])
                    report.values[f"{name}, {step}, {lang}"] = {m: list(v) for m, v in scores.items()}
            report.say(name)
            report.table(["step", "language", "n", *measures], table)
    except (NoCorpus, RagError) as exc:
        report.say(f"{name}: {exc}")
