"""The gate in full: accuracy by stratum, what is deferred, risk against coverage, beside two earlier systems' gates.

Own goldens over the bundled documents and a share of CLINC's other domains (a quarter of the negatives at most); a
question whose words stand in the corpus is left out. The gate of CortexRAG was made for records that are questions; the
bundled documents have titles only. The shipped weights were fitted on the own goldens, so the figures
to believe are the cross-validated ones: every question is decided by weights fitted without its fold. LiveQA and own
questions over MedQuAD, and MEDIQA's candidates, took no part in any fit.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.components import Components
from evals.baselines import healrag
from evals.data import goldens, read_jsonl, read_qrels, shared
from evals.logistic import cross_validated
from evals.metrics import risk_coverage, wilson
from evals.passages import within
from evals.report import Report, about
from evals.sets import Case, NoCorpus, absent, opened, read_set
from evals.suites.calibrate import FEATURES, KEYWORD_FEATURES
from evals.systems import Asked, World
from evals.world import asked, bundled, vectors_of
from rag.errors import RagError
from rag.grade import probability
from rag.ingest.bundle import BUNDLE_SOURCE
from rag.pipeline import Found, find_evidence
from rag.store import View
from rag.text import fold, fold_space
from rag.thresholds import GateModel

__all__ = ["Decided", "deferral", "run"]

STRATA = {
    "health": (
        ("answerable", "gate/answerable.jsonl", True),
        ("languages", "gate/languages.jsonl", True),
        ("stories", "gate/stories.jsonl", True),
        ("follow-ups", "gate/reworded.jsonl", True),
        ("near misses", "gate/near-misses.jsonl", False),
        ("out of scope", "gate/out-of-scope.jsonl", False),
    ),
    "governance": (
        ("law", "governance/questions.jsonl", True),
        ("references", "governance/references.jsonl", True),
        ("law, near misses", "governance/near-misses.jsonl", False),
    ),
}
CLINC = "scope-clinc"
CLINC_SHARE = 0.25
"""Of all negatives; easy ones must not carry the figure."""


@dataclass(frozen=True, kw_only=True)
class Decided:
    """One question: whether an answer exists, whether the gate would open, and how sure it is (higher: open)."""

    stratum: str
    answerable: bool
    opens: bool
    confidence: float

    @property
    def right(self) -> bool:
        return self.opens == self.answerable


def run(arguments: argparse.Namespace) -> Report:
    report = Report("gate report")
    systems: dict[str, list[Decided]] = {}
    with bundled() as components:
        for collection in STRATA:
            report.say(about(components, collection))
            for name, decided in _collection(components, collection, report, arguments.limit).items():
                systems.setdefault(name, []).extend(decided)
    _accuracy(report, systems)
    _risk(report, systems, arguments.png)
    for measure in (_over_medquad, _mediqa):
        try:
            measure(report, arguments)
        except (NoCorpus, RagError) as exc:
            report.say(f"{measure.__name__.strip('_').replace('_', ' ')}: {exc}")
    return report


def deferral(decided: Sequence[Decided]) -> tuple[tuple[int, int], tuple[int, int]]:
    """((right deferrals, deferrals), (right deferrals, questions without an answer)): precision and recall."""
    deferred = [d for d in decided if not d.opens]
    rightly = sum(not d.answerable for d in deferred)
    return (rightly, len(deferred)), (rightly, sum(not d.answerable for d in decided))


def _collection(components: Components, collection: str, report: Report, limit: int | None) -> dict[str, list[Decided]]:
    view = components.store.views.get(collection)
    world = World(components=components, collection=collection, source=BUNDLE_SOURCE)
    cases = _cases(collection, report, limit)
    known = {fold_space(fold(text)) for c in world.passages.chunks for text in (c.title, c.text)}
    fresh = [(stratum, case, truth) for stratum, case, truth in cases if fold_space(fold(case.text)) not in known]
    if len(fresh) < len(cases):
        report.say(f"{len(cases) - len(fresh)} questions of {collection} stand in the corpus word by word: left out")
    model = components.parts.thresholds.gate(collection)
    found = [_found(components, view, case) for _, case, _ in fresh]
    likely = _cross_validated(components, fresh, found, model)
    systems: dict[str, list[Decided]] = {}
    for (stratum, case, truth), result, refitted in zip(fresh, found, likely, strict=True):
        one = Asked(world=world, case=case, view=view, among=None)
        ruled = refitted is None
        shipped = float(result.decision.open) if ruled else probability(result.grade.features, model)
        for name, opens, confidence in (
            ("as shipped", result.decision.open, shipped),
            (
                "cross-validated",
                result.decision.open if refitted is None else refitted >= model.ambiguous,
                shipped if refitted is None else refitted,
            ),
            ("HealRAG's gate", *_healrag(one)),
            (f"{world.cortexrag.name}'s gate", *world.cortexrag.opens(case.text)),
        ):
            systems.setdefault(name, []).append(
                Decided(stratum=stratum, answerable=truth, opens=bool(opens), confidence=float(confidence))
            )
    return systems


def _cases(collection: str, report: Report, limit: int | None) -> list[tuple[str, Case, bool]]:
    cases = []
    for stratum, pattern, truth in STRATA[collection]:
        for row in goldens(pattern, limit):
            turns = row.get("turns") or [row["text"]]
            cases.append((stratum, Case(id=row["id"], text=turns[-1], before=tuple(turns[:-1])), truth))
    if collection != "health":
        return cases
    path = shared(CLINC, "queries-dev.jsonl")
    if path is None:
        report.say(absent(CLINC))
        return cases
    negatives = sum(not truth for _, _, truth in cases) + len(goldens("governance/near-misses.jsonl", limit))
    room = int(negatives * CLINC_SHARE / (1 - CLINC_SHARE))
    rows = list(read_jsonl(path))
    chosen = rows[:: max(1, len(rows) // max(1, room))][:room]
    return cases + [(CLINC, Case(id=row["id"], text=row["text"]), False) for row in chosen]


def _found(components: Components, view: View, case: Case) -> Found:
    query = asked(components, view, *case.before, case.text, lang=case.lang)
    return find_evidence(components.parts, view, query, vectors_of(components, query))


def _ruled(features: dict[str, float], model: GateModel) -> bool:
    """Whether a rule decides, not the model."""
    return (
        "margin" in features
        or "reference" in features
        or "coverage" not in features
        or features.get("dense", 1.0) < model.dense_floor
    )


def _cross_validated(
    components: Components, cases: Sequence[tuple[str, Case, bool]], found: Sequence[Found], model: GateModel
) -> list[float | None]:
    """Each question's probability by weights fitted without its fold; None where a rule decides."""
    names = FEATURES if components.embedder else KEYWORD_FEATURES
    fitted = [n for n, result in enumerate(found) if not _ruled(result.grade.features, model)]
    rows = np.array([[found[n].grade.features.get(name, 0.0) for name in names] for n in fitted])
    truth = np.array([float(cases[n][2]) for n in fitted])
    likely = cross_validated(rows, truth, [cases[n][0] for n in fitted])
    by_case = dict(zip(fitted, likely.tolist(), strict=True))
    return [by_case.get(n) for n in range(len(cases))]


def _healrag(one: Asked) -> tuple[bool, float]:
    if one.view.index is None or not one.plain_vectors:
        return False, 0.0
    cosine = one.view.index.cosines(one.plain_vectors[0], one.equal)
    best = max(healrag.weigh(one.case.text, one.world.texts, cosine, one.equal).values(), default=0.0)
    return best >= healrag.AMBIGUOUS, best


def _accuracy(report: Report, systems: dict[str, list[Decided]]) -> None:
    first = next(iter(systems.values()))
    strata = list(dict.fromkeys(d.stratum for d in first))
    negatives = [d for d in first if not d.answerable]
    clinc = sum(d.stratum == CLINC for d in negatives)
    report.say()
    report.say(f"n = {len(first)}: {len(negatives)} without an answer, {clinc} of these from {CLINC}")
    rows = []
    for stratum in ("all", *strata):
        row: list[object] = [stratum, sum(stratum in ("all", d.stratum) for d in first)]
        for name, decided in systems.items():
            group = [d for d in decided if stratum in ("all", d.stratum)]
            row.append(_share(sum(d.right for d in group), len(group)))
            report.values[f"accuracy, {name}, {stratum}"] = sum(d.right for d in group) / len(group)
        rows.append(row)
    for title, part in (("deferral precision", 0), ("deferral recall", 1)):
        rows.append([title, "", *(_share(*deferral(decided)[part]) for decided in systems.values())])
    report.table(["right", "n", *systems], rows)


def _risk(report: Report, systems: dict[str, list[Decided]], path: Path | None) -> None:
    curves = {}
    for name, decided in systems.items():
        coverage, risk, area = risk_coverage([d.confidence for d in decided], [d.answerable for d in decided])
        curves[f"{name}, AURC {area:.3f}"] = (coverage, risk)
        report.values[f"AURC, {name}"] = area
    report.say("risk (share of answered questions that have no answer) against coverage: " + "; ".join(curves))
    if path is None:
        return
    try:
        draw(path, curves)
    except ModuleNotFoundError:
        report.say("no picture: matplotlib is not installed (extra `evals`)")
    else:
        report.say(f"drawn: {path}")


def draw(path: Path, curves: dict[str, tuple[list[float], list[float]]]) -> None:
    """Writes risk against coverage as a PNG. ModuleNotFoundError without matplotlib."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    for name, (coverage, risk) in curves.items():
        axes.plot(coverage, risk, label=name)
    axes.set(xlabel="coverage: share of questions answered", ylabel="risk: share of these without an answer")
    axes.set(xlim=(0, 1), ylim=(0, None))
    axes.legend(loc="upper left")
    FigureCanvasAgg(figure).print_png(path)


def _over_medquad(report: Report, arguments: argparse.Namespace) -> None:
    """Questions that do have an answer there: those deferred are mistakes."""
    with opened("medquad", arguments) as (components, _):
        report.say()
        report.say(about(components))
        view = components.store.views.get("health")
        rows = []
        for name in ("liveqa", "liveqa-raw", "own-answerable", "own-languages", "own-stories", "own-follow-ups"):
            if (chosen := read_set(name, arguments.limit)) is None:
                report.say(absent(name))
                continue
            deferred = sum(not _found(components, view, case).decision.open for case in chosen.cases)
            rows.append([name, len(chosen.cases), deferred, _share(deferred, len(chosen.cases))])
            report.values[f"deferred over MedQuAD, {name}"] = deferred
        report.table(["answerable", "n", "deferred", "share"], rows)


def _mediqa(report: Report, arguments: argparse.Namespace) -> None:
    """Each query's candidates are all its evidence. Those without a correct one should be deferred."""
    paths = [shared("mediqa-qa", name) for name in ("queries-dev.jsonl", "qrels-dev.tsv")]
    chosen = read_set("mediqa-qa", arguments.limit)
    if chosen is None or paths[1] is None:
        report.say(absent("mediqa-qa"))
        return
    judged = read_qrels(paths[1])
    with opened("mediqa", arguments) as (components, source):
        report.say()
        report.say(about(components))
        world = World(components=components, collection="health", source=source)
        rows_of = world.passages.rows_of
        counts: dict[bool, list[bool]] = {True: [], False: []}
        for case in chosen.cases:
            stored = {chosen.stored_as.get(document, document) for document in chosen.among[case.id]}
            view = within(world.view, _flat(rows_of[document] for document in stored if document in rows_of))
            has_answer = any(grade >= 2 for grade in judged[case.id].values())
            counts[has_answer].append(not _found(components, view, case).decision.open)
        table = [
            [title, len(counts[truth]), sum(counts[truth]), _share(sum(counts[truth]), len(counts[truth]))]
            for title, truth in (("without a correct candidate", False), ("with one", True))
        ]
        report.say("mediqa-qa")
        report.table(["queries", "n", "deferred", "share"], table)
        report.values["mediqa-qa deferred"] = {"without": sum(counts[False]), "with": sum(counts[True])}


def _flat(rows: Iterable[list[int]]) -> list[int]:
    return [row for group in rows for row in group]


def _share(hits: int, n: int) -> str:
    low, high = wilson(hits, n)
    return f"{hits / max(1, n):.3f} [{low:.3f}, {high:.3f}]"
