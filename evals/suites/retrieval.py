"""Retrieval: keyword, vector and fused ranking, document level.

Own goldens run over the bundled corpus. LiveQA (TREC 2017, judged MedQuAD answers) runs over all 16,407 MedQuAD
records where both sets are present and the records are ingested; unjudged documents count as not relevant.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.components import Components
from evals.data import goldens, read_jsonl, read_qrels, shared
from evals.metrics import Interval, per_query, summarise
from evals.report import Report, about
from evals.world import asked, bundled, existing, vectors_of
from rag.errors import RagError
from rag.ingest.bundle import BUNDLE_SOURCE
from rag.store import View
from rag.types import Query

__all__ = ["LEGS", "duplicate_cases", "medquad_source", "ranking", "run", "runs_by_leg"]

LEGS = ("keyword", "vector", "fused", "rewritten")
"""What ranks: a leg alone, both on the person's words, and both on these and their rewriting (what a turn does)."""

POOL = 100
MEDQUAD_RECORDS = 16_407


def run(arguments: argparse.Namespace) -> Report:
    report = Report("retrieval")
    with bundled() as components:
        report.say(about(components))
        own_goldens(components, report, arguments.limit)
    liveqa(report, arguments)
    return report


def own_goldens(
    components: Components, report: Report, limit: int | None, source: str = BUNDLE_SOURCE
) -> dict[str, dict[str, Interval]]:
    """`source` "" lets documents of every source stand before the right one."""
    cases = goldens("retrieval/*.jsonl", limit)
    scores: dict[str, dict[str, Interval]] = {}
    for name, chosen in (
        ("own goldens, English", [c for c in cases if c.get("lang", "en") == "en"]),
        ("own goldens, other languages", [c for c in cases if c.get("lang", "en") != "en"]),
        ("own goldens, all", cases),
    ):
        queries = {c["id"]: c["text"] for c in chosen}
        qrels = {c["id"]: {c["doc"]: 1} for c in chosen}
        scores = measure(components, report, name, queries, qrels, source=source)
    return scores


def liveqa(report: Report, arguments: argparse.Namespace) -> None:
    paths = [shared("liveqa-dev", n) for n in ("queries.jsonl", "qrels.tsv")]
    records = shared("medquad", "records.jsonl.gz")
    if None in paths or records is None:
        report.say("liveqa-dev over MedQuAD: not present")
        return
    try:
        with existing(arguments.db) as components:
            source, documents = medquad_source(components)
            if documents < MEDQUAD_RECORDS - 100:
                report.say(
                    f"liveqa-dev: {records} is not ingested in this database (galen ingest … --collection health)"
                )
                return
            report.say(about(components))
            duplicates = {r["doc_id"]: r["duplicate_of"] for r in read_jsonl(records) if r.get("duplicate_of")}
            for name, field in (("summaries", "text"), ("patients' own messages", "original")):
                queries, qrels = liveqa_cases(paths, field, duplicates, arguments.limit)
                measure(
                    components, report, f"liveqa-dev, {name}, {documents:,} documents", queries, qrels, source=source
                )
            if duplicates_ := duplicate_cases():
                measure(components, report, "medquad-dup-dev", *duplicates_, source=source)
    except RagError as exc:
        report.say(f"liveqa-dev: {exc}")


def medquad_source(components: Components) -> tuple[str, int]:
    """The largest source that was not bundled: name and documents."""
    others = [s for s in components.store.corpus.sources("health") if s.name != BUNDLE_SOURCE]
    best = max(others, key=lambda s: s.documents, default=None)
    return (best.name, best.documents) if best else ("", 0)


def liveqa_cases(
    paths: Sequence[Any], field: str, duplicates: Mapping[str, str], limit: int | None
) -> tuple[dict[str, str], dict[str, dict[str, int]]]:
    """Queries that have a correct answer (grade >= 2) among the records; gain is grade - 1."""
    queries = {
        q["_id"]: q["text"] if field == "text" else q["metadata"].get("original") or q["text"]
        for q in read_jsonl(paths[0])
    }
    qrels: dict[str, dict[str, int]] = {}
    for query, judged in read_qrels(paths[1]).items():
        kept = {duplicates.get(doc, doc): grade - 1 for doc, grade in judged.items() if grade >= 2}
        if kept and query in queries:
            qrels[query] = kept
    chosen = sorted(qrels)[:limit] if limit else sorted(qrels)
    return {q: queries[q] for q in chosen}, {q: qrels[q] for q in chosen}


def duplicate_cases(every: int = 1) -> tuple[dict[str, str], dict[str, dict[str, int]]] | None:
    """medquad-dup-dev: questions that several MedQuAD records share, with those records. None where absent."""
    asked, judged_at = (shared("medquad-dup-dev", n) for n in ("queries.jsonl", "qrels.tsv"))
    records = shared("medquad", "records.jsonl.gz")
    if asked is None or judged_at is None or records is None:
        return None
    kept = {r["doc_id"]: r["duplicate_of"] for r in read_jsonl(records) if r.get("duplicate_of")}
    queries = {q["_id"]: q["text"] for q in list(read_jsonl(asked))[::every]}
    judged = read_qrels(judged_at)
    return queries, {q: {kept.get(doc, doc): grade for doc, grade in judged[q].items()} for q in queries}


def measure(
    components: Components,
    report: Report,
    name: str,
    queries: Mapping[str, str],
    qrels: Mapping[str, Mapping[str, int]],
    *,
    source: str,
) -> dict[str, dict[str, Interval]]:
    """Ranks every query by every leg and reports; returns {leg: {measure: interval}}."""
    report.say()
    report.say(f"{name}, n = {len(queries)}")
    scores: dict[str, dict[str, Interval]] = {}
    rows = []
    for leg, run_of_leg in runs_by_leg(components, queries, source).items():
        scores[leg] = summarise(per_query(qrels, run_of_leg))
        rows.append([leg, *(f"{m:.3f} [{low:.3f}, {high:.3f}]" for m, low, high in scores[leg].values())])
    report.table(["leg", *scores["fused"]], rows)
    report.values[name] = {leg: {m: v[0] for m, v in by.items()} for leg, by in scores.items()}
    return scores


def runs_by_leg(
    components: Components, queries: Mapping[str, str], source: str, legs: Iterable[str] = LEGS
) -> dict[str, dict[str, dict[str, float]]]:
    """{leg: {query: {doc_id: score}}} of the documents of one source ("" all), best passage per document."""
    view = components.store.views.get("health")
    runs: dict[str, dict[str, dict[str, float]]] = {leg: {} for leg in legs}
    for name, text in queries.items():
        for leg in runs:
            runs[leg][name] = ranking(components, view, text, leg, source)
    return runs


def ranking(
    components: Components, view: View, text: str, leg: str, source: str, lang: str | None = None
) -> dict[str, float]:
    retriever = components.parts.retriever
    query = asked(components, view, text, lang=lang)
    if leg != "rewritten":
        query = Query(text=query.text, language=query.language)
    vectors = vectors_of(components, query) if leg != "keyword" else ()
    if leg == "vector":
        retriever = replace(retriever, hybrid=False)
    found = retriever.search(view, query, vectors, POOL)
    documents = dict.fromkeys(e.chunk.doc_id for e in found.evidence if source in ("", e.chunk.source))
    return {doc_id: float(-place) for place, doc_id in enumerate(documents)}
