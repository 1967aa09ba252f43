"""The curves behind `rag/thresholds.toml`: fusion weights and the gate's floors, on own goldens only.

Prints for every tried value what it does; nothing is written: a person reads the table and edits the file with the
date. Positives of the gate are questions that a bundled document answers, negatives those that none does.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from itertools import product

import numpy as np

from app.components import Components
from evals.data import goldens
from evals.metrics import per_query
from evals.report import Report, about
from evals.suites.retrieval import duplicate_cases, medquad_source, ranking, runs_by_leg
from evals.world import bundled, existing
from rag.correct import route
from rag.gate import gate as decide
from rag.grade import grade, label_of
from rag.ingest.bundle import BUNDLE_SOURCE
from rag.language import identify_language
from rag.store.keywords import Keywords
from rag.thresholds import Fusion, GateFloors
from rag.types import Grade, Query

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> Report:
    """Over the bundled documents; the gate once more over the database of `--db`, where the haystack is larger."""
    report = Report("calibrate")
    with bundled() as components:
        report.say(about(components))
        fusion(components, report)
        gate(components, report)
    if arguments.db:
        with existing(arguments.db) as components:
            report.say(about(components))
            gate(components, report)
            postings(components, report)
    return report


def fusion(components: Components, report: Report) -> None:
    cases = [c for c in goldens("retrieval/*.jsonl") if c.get("lang", "en") == "en"]
    qrels = {c["id"]: {c["doc"]: 1} for c in cases}
    view = components.store.views.get("health")
    rows = []
    for k, weight in product((10, 20, 60), (1, 2, 3, 4, 6, 8)):
        tried = Fusion(dense=float(weight), keyword=1.0, k=k)
        parts = replace(components.parts, retriever=replace(components.parts.retriever, fusion=tried))
        world = replace(components, parts=parts)
        run_of = {c["id"]: ranking(world, view, c["text"], "fused", BUNDLE_SOURCE) for c in cases}
        values = per_query(qrels, run_of)
        means = [sum(values[m].values()) / len(cases) for m in ("nDCG@10", "RR@10", "hit@1")]
        rows.append([k, weight, *(f"{mean:.3f}" for mean in means)])
    report.say(f"fusion weights, own English retrieval goldens, n = {len(cases)}")
    report.table(["k", "dense weight", "nDCG@10", "RR@10", "hit@1"], rows)


def postings(components: Components, report: Report) -> None:
    """Quality and time of the keyword leg by the number of postings that may be ranked."""
    source, _ = medquad_source(components)
    if not source or (cases := duplicate_cases(every=3)) is None:
        report.say("postings: MedQuAD or medquad-dup-dev not present")
        return
    queries, qrels = cases
    view = components.store.views.get("health")
    rows = []
    for budget in (20_000, 10_000, 6_000, 4_500, 3_000, 2_000):
        keywords = Keywords(components.store.db, budget=budget)
        components.store.keywords = keywords
        runs = runs_by_leg(components, queries, source, ("keyword", "fused"))
        means = [np.mean(list(per_query(qrels, runs[leg])["nDCG@10"].values())) for leg in runs]
        taken = []
        for text in queries.values():
            started = time.perf_counter()
            keywords.search(text, 50, view.keys, view.indexed)
            taken.append((time.perf_counter() - started) * 1000)
        rows.append(
            [budget, *(f"{mean:.3f}" for mean in means), *(f"{np.quantile(taken, q):.2f}" for q in (0.5, 0.95))]
        )
    report.say(f"postings ranked, medquad-dup-dev, n = {len(queries)}")
    report.table(["postings", "keyword nDCG@10", "fused nDCG@10", "keyword p50 ms", "p95 ms"], rows)


def gate(components: Components, report: Report) -> None:
    positives = goldens("retrieval/*.jsonl") + goldens("extractive/emergency.jsonl")
    positives += goldens("extractive/conditions.jsonl")
    negatives = goldens("extractive/unanswerable-*.jsonl") + goldens("extractive/out-of-scope.jsonl")
    features = {c["id"]: _features(components, c["text"], c.get("lang")) for c in positives + negatives}
    report.say(f"gate features: {len(positives)} answerable, {len(negatives)} not")
    for name in ("dense", "coverage"):
        for label, cases in (("answerable", positives), ("not answerable", negatives)):
            values = sorted(features[c["id"]][name] for c in cases if name in features[c["id"]])
            if not values:
                continue
            marks = [values[min(len(values) - 1, int(q * len(values)))] for q in (0.0, 0.1, 0.5, 0.9, 1.0)]
            report.say(f"  {name:9} {label:15} min/p10/p50/p90/max " + " ".join(f"{v:.3f}" for v in marks))
    rows = []
    with_vectors = any("dense" in found for found in features.values())
    goods, floors_tried = (
        ((0.85, 0.86, 0.87, 0.88), (0.79, 0.80, 0.81, 0.82, 0.83)) if with_vectors else ((2.0,), (0.0,))
    )
    for good, floor, covered_good, covered_floor in product(
        goods, floors_tried, (0.8,), (0.15, 0.2, 0.25, 0.3, 0.35, 0.4)
    ):
        floors = replace(
            components.parts.thresholds.gate,
            dense_good=good,
            dense_floor=floor,
            coverage_good=covered_good,
            coverage_floor=covered_floor,
        )
        lost = sum(not _opens(features[c["id"]], floors) for c in positives)
        leaked = sum(_opens(features[c["id"]], floors) for c in negatives)
        rows.append([good, floor, covered_good, covered_floor, lost, leaked])
    rows.sort(key=lambda row: (row[-2] / len(positives) + row[-1] / len(negatives), row))
    report.say("best floors by balanced error")
    report.table(
        ["dense good", "dense floor", "coverage good", "coverage floor", "answerable lost", "others let in"], rows[:15]
    )


def _features(components: Components, text: str, lang: str | None) -> dict[str, float]:
    retriever, embedder = components.parts.retriever, components.embedder
    view = components.store.views.get("health")
    vector = embedder.embed([text], "query")[0] if embedder else None
    found = retriever.search(view, Query(text=text, language=lang or identify_language(text)), vector)
    return grade(found.evidence, found.coverage, components.parts.thresholds.gate, found.margin).features


def _opens(features: dict[str, float], floors: GateFloors) -> bool:
    verdict = Grade(label=label_of(features, floors), features=features)
    return decide(route(verdict), verdict, floors).open
