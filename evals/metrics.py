"""Ranking metrics by ir-measures, and bootstrap intervals. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import ir_measures
import numpy as np
from ir_measures import RR, R, Success, nDCG

__all__ = ["MEASURES", "Interval", "bootstrap", "paired", "per_query", "risk_coverage", "summarise", "wilson"]

Interval = tuple[float, float, float]

MEASURES = {
    "nDCG@10": nDCG @ 10,
    "R@10": R(rel=1) @ 10,
    "RR@10": RR(rel=1) @ 10,
    "hit@1": Success(rel=1) @ 1,
    "hit@3": Success(rel=1) @ 3,
    "hit@5": Success(rel=1) @ 5,
    "hit@10": Success(rel=1) @ 10,
}

RESAMPLES = 2_000


def per_query(
    qrels: Mapping[str, Mapping[str, int]], run: Mapping[str, Mapping[str, float]]
) -> dict[str, dict[str, float]]:
    """{measure: {query: value}}. Documents without a judgement count as not relevant; a query without hits as 0."""
    names = {measure: name for name, measure in MEASURES.items()}
    values: dict[str, dict[str, float]] = {name: dict.fromkeys(qrels, 0.0) for name in MEASURES}
    for result in ir_measures.iter_calc(list(names), qrels, run):
        values[names[result.measure]][result.query_id] = float(result.value)
    return values


def wilson(hits: int, n: int) -> tuple[float, float]:
    """95 % score interval of a share (Wilson 1927); (0, 1) without cases."""
    if not n:
        return 0.0, 1.0
    z, share = 1.96, hits / n
    middle = share + z * z / (2 * n)
    spread = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, (middle - spread) / (1 + z * z / n)), min(1.0, (middle + spread) / (1 + z * z / n))


def bootstrap(values: Sequence[float], *, seed: int = 20261130) -> Interval:
    """(mean, low, high): the mean with its 95 % percentile bootstrap interval (2,000 resamples over queries)."""
    sample = np.asarray(values, dtype=float)
    rng = np.random.default_rng(seed)
    means = rng.choice(sample, (RESAMPLES, len(sample))).mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(sample.mean()), float(low), float(high)


def paired(a: Mapping[str, float], b: Mapping[str, float]) -> Interval:
    """(mean, low, high) of a - b over the queries of both: 95 % bootstrap interval of the paired differences."""
    return bootstrap([a[query] - b[query] for query in sorted(a.keys() & b.keys())])


def risk_coverage(confidence: Sequence[float], right: Sequence[bool]) -> tuple[list[float], list[float], float]:
    """(coverage, risk, AURC) when answers are given from the most confident on: risk is the share of those that are
    wrong. AURC is the mean risk over all coverages (Geifman et al., ICLR 2019); lower is better."""
    order = np.argsort(-np.asarray(confidence), kind="stable")
    wrong = ~np.asarray(right, dtype=bool)[order]
    given = np.arange(1, len(wrong) + 1)
    risk = np.cumsum(wrong) / given
    return (given / len(wrong)).tolist(), risk.tolist(), float(risk.mean())


def summarise(values: Mapping[str, Mapping[str, float]]) -> dict[str, Interval]:
    return {name: bootstrap(list(by_query.values())) for name, by_query in values.items()}
