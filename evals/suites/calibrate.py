"""The curves behind `rag/thresholds.toml`: fusion weights and the gate's model, on own goldens only.

Prints for every tried value what it does; nothing is written: a person reads the table and edits the file with the
date. Positives of the gate are questions that a bundled document answers, negatives those that none does.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np

from app.components import Components
from evals.data import goldens
from evals.logistic import cross_validated, fit
from evals.metrics import per_query
from evals.report import Report, about
from evals.suites.retrieval import duplicate_cases, medquad_source, ranking, runs_by_leg
from evals.world import asked, bundled, existing, vectors_of
from rag.ingest.bundle import BUNDLE_SOURCE
from rag.pipeline import find_evidence
from rag.store.keywords import Keywords

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> Report:
    """Over the bundled documents; the gate once more over the database of `--db`, where the haystack is larger."""
    report = Report("calibrate")
    with bundled() as components:
        report.say(about(components))
        fusion(components, report)
        for collection in components.store.corpus.collections():
            gate(components, report, collection)
    if arguments.db:
        with existing(arguments.db) as components:
            report.say(about(components))
            postings(components, report)
    return report


def fusion(components: Components, report: Report) -> None:
    cases = [c for c in goldens("retrieval/*.jsonl") if c.get("lang", "en") == "en"]
    qrels = {c["id"]: {c["doc"]: 1} for c in cases}
    view = components.store.views.get("health")
    rows = []
    for k, weight in product((10, 20, 60), (1, 2, 3, 4, 6, 8)):
        tried = replace(components.parts.thresholds.fusion, dense=float(weight), keyword=1.0, k=k)
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


FEATURES = ("dense", "coverage", "first", "concept", "missing", "unknown", "section", "number")
KEYWORD_FEATURES = FEATURES[1:]
CORRECT, AMBIGUOUS = 0.7, 0.5


def gate_cases(collection: str) -> list[tuple[str, tuple[str, ...], int, str | None]]:
    """(stratum, messages, 1 if a bundled document answers, language) of the gate's own goldens."""
    cases: list[tuple[str, tuple[str, ...], int, str | None]] = []
    strata = (
        {"questions": 1, "near-misses": 0}
        if collection == "governance"
        else {"answerable": 1, "languages": 1, "stories": 1, "reworded": 1, "near-misses": 0, "out-of-scope": 0}
    )
    folder = "governance" if collection == "governance" else "gate"
    for name, label in strata.items():
        for case in goldens(f"{folder}/{name}.jsonl"):
            cases.append((name, tuple(case.get("turns") or [case["text"]]), label, None))
    if collection == "governance":
        return cases + [("out-of-scope", (c["text"],), 0, None) for c in goldens("gate/out-of-scope.jsonl")]
    older = (
        goldens("retrieval/*.jsonl") + goldens("extractive/emergency.jsonl") + goldens("extractive/conditions.jsonl")
    )
    cases += [("earlier, answerable", (c["text"],), 1, c.get("lang")) for c in older]
    absent = goldens("extractive/unanswerable-*.jsonl") + goldens("extractive/out-of-scope.jsonl")
    return cases + [("earlier, not", (c["text"],), 0, None) for c in absent]


def gate(components: Components, report: Report, collection: str) -> None:
    """The logistic model of the gate, cross-validated over own goldens, and the weights fitted to all of them."""
    view = components.store.views.get(collection)
    features, labels, strata = [], [], []
    for stratum, messages, label, lang in gate_cases(collection):
        query = asked(components, view, *messages, lang=lang)
        found = find_evidence(components.parts, view, query, vectors_of(components, query))
        if "margin" in found.grade.features or "reference" in found.grade.features:
            continue  # decided by a rule
        features.append(found.grade.features)
        labels.append(label)
        strata.append(stratum)
    names = FEATURES if components.embedder else KEYWORD_FEATURES
    rows = np.array([[found.get(name, 0.0) for name in names] for found in features])
    truth = np.array(labels, dtype=float)
    likely = cross_validated(rows, truth, strata)
    report.say(f"gate of {collection}, ten-fold cross-validated, n = {len(truth)}")
    table = []
    for cut in (0.3, 0.4, 0.5, 0.6, 0.7):
        right = (likely >= cut) == (truth > 0)
        by = {name: np.mean(right[np.array(strata) == name]) for name in dict.fromkeys(strata)}
        table.append([cut, f"{right.mean():.3f}", *(f"{share:.3f}" for share in by.values())])
    counts = Counter(strata)
    report.table(["open from", "all", *(f"{name} ({counts[name]})" for name in dict.fromkeys(strata))], table)
    weights, bias = fit(rows, truth)
    report.say(f"bias = {bias:.3f}")
    for name, weight in zip(names, weights, strict=True):
        report.say(f"{name} = {weight:.3f}")
