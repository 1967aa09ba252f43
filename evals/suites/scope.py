"""What is no health question must not be answered as one: CLINC's other domains, and own questions out of scope.

Counted is an open gate. A turn also catches greetings and the like before it searches, so it answers no more than this.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict

from app.components import Components
from evals.data import goldens, read_jsonl, shared
from evals.metrics import wilson
from evals.report import Report, about
from evals.sets import NoCorpus, absent, opened
from evals.world import asked, vectors_of
from rag.errors import RagError
from rag.pipeline import find_evidence

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> Report:
    report = Report("scope")
    clinc = shared("scope-clinc", "queries-dev.jsonl")
    own = goldens("gate/out-of-scope.jsonl", arguments.limit)
    sets = {"own, out of scope": [(c["kind"].partition(":")[0], c["text"]) for c in own]}
    if clinc is None:
        report.say(absent("scope-clinc"))
    else:
        rows = [(c["kind"], c["text"]) for c in read_jsonl(clinc)]
        step = -(-len(rows) // arguments.limit) if arguments.limit else 1  # all kinds, however few are taken
        sets["scope-clinc"] = rows[::step][: arguments.limit]
    for corpus, collections in (("bundle", ("health", "governance")), ("medquad", ("health",))):
        try:
            with opened(corpus, arguments) as (components, _):
                for collection in collections:
                    report.say()
                    report.say(about(components, collection))
                    _answered(report, components, corpus, collection, sets)
        except (NoCorpus, RagError) as exc:
            report.say(f"scope over {corpus}: {exc}")
    return report


def _answered(
    report: Report, components: Components, corpus: str, collection: str, sets: dict[str, list[tuple[str, str]]]
) -> None:
    view = components.store.views.get(collection)
    rows = []
    for name, cases in sets.items():
        answered: Counter[str] = Counter()
        total: Counter[str] = Counter()
        why: dict[str, Counter[str]] = defaultdict(Counter)
        for kind, text in cases:
            query = asked(components, view, text)
            found = find_evidence(components.parts, view, query, vectors_of(components, query))
            for group in ("all", kind):
                total[group] += 1
                answered[group] += found.decision.open
                why[group].update(found.decision.reasons)
        for group, n in total.items():
            low, high = wilson(answered[group], n)
            share = answered[group] / n
            reasons = ", ".join(f"{reason} {count}" for reason, count in why[group].most_common(3))
            rows.append([name, group, n, f"{share:.4f} [{low:.4f}, {high:.4f}]", reasons])
        report.values[f"{name}, {corpus}, {collection}"] = answered["all"] / max(1, total["all"])
    report.table(["set", "kind", "n", "answered", "deferred because"], rows)
