"""What is ranked: own goldens and public sets, each with the corpus that it is asked of. No record is ever printed.

A reader gives None where a part of its set is not present.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from app.components import Components
from evals.built import built
from evals.data import goldens, read_jsonl, read_qrels, shared
from evals.suites.retrieval import MEDQUAD_RECORDS, duplicate_cases, liveqa_cases, medquad_source
from evals.world import bundled, existing
from rag.ingest.bundle import BUNDLE_SOURCE
from rag.text import fold, fold_space

__all__ = ["SETS", "Case", "NoCorpus", "RankingSet", "absent", "law_records", "opened", "read_set"]

Qrels = dict[str, dict[str, int]]


@dataclass(frozen=True, kw_only=True)
class Case:
    """`text` is asked last; `before` holds the person's earlier messages."""

    id: str
    text: str
    before: tuple[str, ...] = ()
    lang: str | None = None


@dataclass(frozen=True, kw_only=True)
class RankingSet:
    """`corpus` names the world of `opened`; only documents of `source` count ("" all). `measures` are those of its
    target, the first leads. `among` restricts a query to these documents (its candidates); `stored_as` names the
    document that holds the same words, because a corpus takes the same words only once."""

    name: str
    corpus: str
    collection: str
    cases: Sequence[Case]
    qrels: Qrels
    measures: tuple[str, ...]
    among: Mapping[str, Sequence[str]] = field(default_factory=dict)
    stored_as: Mapping[str, str] = field(default_factory=dict)


def _own(name: str, pattern: str, collection: str, measures: tuple[str, ...]) -> RankingSet:
    rows = goldens(pattern)
    cases = []
    for row in rows:
        turns = row.get("turns") or [row["text"]]
        cases.append(Case(id=row["id"], text=turns[-1], before=tuple(turns[:-1]), lang=row.get("lang")))
    qrels = {row["id"]: dict.fromkeys(row.get("docs") or [row["doc"], *row.get("also", ())], 1) for row in rows}
    return RankingSet(name=name, corpus="bundle", collection=collection, cases=cases, qrels=qrels, measures=measures)


def _liveqa(name: str, field_: str) -> RankingSet | None:
    paths = [shared("liveqa-dev", n) for n in ("queries.jsonl", "qrels.tsv")]
    records = shared("medquad", "records.jsonl.gz")
    if None in paths or records is None:
        return None
    duplicates = {r["doc_id"]: r["duplicate_of"] for r in read_jsonl(records) if r.get("duplicate_of")}
    queries, qrels = liveqa_cases(paths, field_, duplicates, None)
    return RankingSet(
        name=name,
        corpus="medquad",
        collection="health",
        cases=[Case(id=q, text=text, lang="en") for q, text in queries.items()],
        qrels=qrels,
        measures=("nDCG@10", "R@10", "RR@10"),
    )


def _duplicates() -> RankingSet | None:
    if (found := duplicate_cases()) is None:
        return None
    queries, qrels = found
    return RankingSet(
        name="medquad-dup-dev",
        corpus="medquad",
        collection="health",
        cases=[Case(id=q, text=text, lang="en") for q, text in queries.items()],
        qrels=qrels,
        measures=("R@10", "RR@10"),
    )


def _liveqa_questions() -> RankingSet | None:
    """Each query's judged list, where it holds a correct answer (grade 2 or 3), ranked by question text. The gain of
    grade g is 2^g - 1."""
    paths = [shared("liveqa-dev", "queries.jsonl"), shared("liveqa-dev", "qrels_questions.tsv")]
    if paths[0] is None or paths[1] is None or judged_questions() is None:
        return None
    judged = read_qrels(paths[1])
    usable = {q: rows for q, rows in judged.items() if any(grade >= 2 for grade in rows.values())}
    texts = {q["_id"]: q["text"] for q in read_jsonl(paths[0])}
    return RankingSet(
        name="liveqa-dev questions",
        corpus="liveqa-questions",
        collection="health",
        cases=[Case(id=q, text=texts[q], lang="en") for q in sorted(usable) if q in texts],
        qrels={q: {d: 2**g - 1 for d, g in rows.items()} for q, rows in usable.items() if q in texts},
        measures=("nDCG@10",),
        among={q: sorted(rows) for q, rows in usable.items()},
        stored_as=_once(judged_questions() or [])[1],
    )


def _once(records: Sequence[dict[str, str]]) -> tuple[list[dict[str, str]], dict[str, str]]:
    """(records of different words, {doc_id: the doc_id that keeps its words})."""
    first: dict[str, dict[str, str]] = {}
    kept = {r["doc_id"]: first.setdefault(fold_space(fold(r["text"])), r)["doc_id"] for r in records}
    return list(first.values()), kept


def judged_questions() -> list[dict[str, str]] | None:
    """The judged questions of LiveQA as records whose text is the question."""
    qrels = shared("liveqa-dev", "qrels_questions.tsv")
    files = [shared("medquad", "records.jsonl.gz"), shared("medquad", "questions_no_answer.jsonl.gz")]
    if qrels is None or None in files:
        return None
    wanted = {document for rows in read_qrels(qrels).values() for document in rows}
    return [
        {"doc_id": r["doc_id"], "doc_title": r["question"], "text": r["question"]}
        for file in files
        if file is not None
        for r in read_jsonl(file)
        if r["doc_id"] in wanted
    ]


def law_records() -> list[dict[str, str]] | None:
    """GDPR and EHDS, one document per article and recital."""
    path = shared("governance-eu-law", "corpus-en.jsonl.gz")
    if path is None:
        return None
    return [
        {
            "doc_id": r["doc_id"],
            "doc_title": f"{r['regulation']} {r['kind'].capitalize()} {r['number']}"
            + (f": {r['title']}" if r["title"] else ""),
            "text": r["text"],
            "url": r["url"],
            "organization": "European Union",
        }
        for r in read_jsonl(path)
    ]


def _law(name: str, file: str, measures: tuple[str, ...]) -> RankingSet | None:
    path = shared("governance-eu-law", file)
    if path is None or law_records() is None:
        return None
    rows = list(read_jsonl(path))
    return RankingSet(
        name=name,
        corpus="law",
        collection="governance",
        cases=[Case(id=r["id"], text=r["text"], lang=r.get("lang")) for r in rows],
        qrels={r["id"]: dict.fromkeys(r["gold"], 1) for r in rows},
        measures=measures,
    )


def candidates() -> list[dict[str, str]] | None:
    """The candidate answers of MEDIQA, none of which names its question."""
    path = shared("mediqa-qa", "candidates-dev.jsonl.gz")
    if path is None:
        return None
    return [{"doc_id": r["_id"], "doc_title": "Candidate answer", "text": r["text"]} for r in read_jsonl(path)]


def _mediqa() -> RankingSet | None:
    """Each query's own candidates ranked; correct from grade 2 on."""
    paths = [shared("mediqa-qa", n) for n in ("queries-dev.jsonl", "qrels-dev.tsv")]
    if paths[0] is None or paths[1] is None or candidates() is None:
        return None
    judged = read_qrels(paths[1])
    return RankingSet(
        name="mediqa-qa",
        corpus="mediqa",
        collection="health",
        cases=[Case(id=q["_id"], text=q["text"], lang="en") for q in read_jsonl(paths[0])],
        qrels={q: {d: int(g >= 2) for d, g in rows.items()} for q, rows in judged.items()},
        measures=("RR@10", "nDCG@10"),
        among={q: sorted(rows) for q, rows in judged.items()},
        stored_as=_once(candidates() or [])[1],
    )


PLACES = ("hit@1", "hit@3", "hit@5", "hit@10", "nDCG@10")

SETS: Mapping[str, Callable[[], RankingSet | None]] = {
    "own-retrieval": lambda: _own("own-retrieval", "retrieval/*.jsonl", "health", PLACES),
    "own-answerable": lambda: _own("own-answerable", "gate/answerable.jsonl", "health", PLACES),
    "own-languages": lambda: _own("own-languages", "gate/languages.jsonl", "health", PLACES),
    "own-stories": lambda: _own("own-stories", "gate/stories.jsonl", "health", PLACES),
    "own-follow-ups": lambda: _own("own-follow-ups", "gate/reworded.jsonl", "health", PLACES),
    "own-governance": lambda: _own("own-governance", "governance/questions.jsonl", "governance", PLACES),
    "own-references": lambda: _own("own-references", "governance/references.jsonl", "governance", PLACES),
    "liveqa": lambda: _liveqa("liveqa", "text"),
    "liveqa-raw": lambda: _liveqa("liveqa-raw", "original"),
    "liveqa-questions": _liveqa_questions,
    "medquad-dup-dev": _duplicates,
    "auditor": lambda: _law("auditor", "auditor-questions-dev.jsonl", PLACES),
    "gdpr-titles": lambda: _law("gdpr-titles", "crosslingual-titles-dev.jsonl", PLACES),
    "mediqa-qa": _mediqa,
}


def absent(name: str) -> str:
    return f"{name}: not present"


def read_set(name: str, limit: int | None = None) -> RankingSet | None:
    """A set by name, its first `limit` cases; None where it is not present."""
    found = SETS[name]()
    if found is None or not limit:
        return found
    cases = found.cases[:limit]
    qrels = {case.id: found.qrels[case.id] for case in cases}
    return RankingSet(
        name=found.name, corpus=found.corpus, collection=found.collection, cases=cases, qrels=qrels,
        measures=found.measures, among=found.among, stored_as=found.stored_as,
    )  # fmt: skip


class NoCorpus(Exception):
    """The corpus that a set is asked of is not there; the message says what is missing."""


@contextmanager
def opened(corpus: str, arguments: argparse.Namespace) -> Iterator[tuple[Components, str]]:
    """(components, source that counts) of a corpus; NoCorpus with the reason where it is not there."""
    with ExitStack() as stack:
        if corpus == "bundle":
            yield stack.enter_context(bundled()), BUNDLE_SOURCE
        elif corpus == "medquad":
            components = stack.enter_context(existing(arguments.db))
            source, documents = medquad_source(components)
            if documents < MEDQUAD_RECORDS - 100:
                raise NoCorpus("MedQuAD's records are not in this database (galen ingest … --collection health)")
            yield components, source
        else:
            makers = {
                "law": ("governance", law_records),
                "liveqa-questions": ("health", judged_questions),
                "mediqa": ("health", candidates),
            }
            collection, make = makers[corpus]
            records = make()
            if records is None:
                raise NoCorpus("not present")
            yield stack.enter_context(built(corpus, collection, _once(records)[0])), corpus
