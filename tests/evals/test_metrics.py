from __future__ import annotations

import math

import pytest

from evals.metrics import bootstrap, paired, per_query, risk_coverage, summarise
from evals.report import Report

QRELS = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}, "q3": {"d": 1}}
RUN = {"q1": {"b": 3.0, "x": 2.0, "a": 1.0}, "q2": {"x": 1.0}}


def test_measures_equal_hand_computed_values() -> None:
    values = per_query(QRELS, RUN)
    ideal = 2 / math.log2(2) + 1 / math.log2(3)
    assert values["nDCG@10"]["q1"] == pytest.approx((1 / math.log2(2) + 2 / math.log2(4)) / ideal)
    assert values["RR@10"] == {"q1": 1.0, "q2": 0.0, "q3": 0.0}
    assert values["R@10"]["q1"] == 1.0
    assert values["hit@1"]["q1"] == 1.0


def test_a_query_without_hits_counts_as_zero() -> None:
    assert per_query(QRELS, RUN)["nDCG@10"]["q3"] == 0.0


def test_the_interval_holds_the_mean_and_is_the_same_every_time() -> None:
    mean, low, high = bootstrap([0.0, 0.5, 1.0, 1.0])
    assert low <= mean <= high
    assert mean == 0.625
    assert bootstrap([0.0, 0.5, 1.0, 1.0]) == (mean, low, high)
    assert bootstrap([0.7, 0.7]) == pytest.approx((0.7, 0.7, 0.7))
    assert set(summarise({"m": {"a": 1.0}})) == {"m"}


def test_a_gate_that_is_not_met_is_a_failure() -> None:
    report = Report("x")
    report.gate("recall", 0.9, at_least=0.95)
    report.gate("alarms", 0.01, at_most=0.02)
    assert report.failures == ["recall"]
    assert "NOT MET: recall" in report.text()


def test_a_paired_difference_compares_the_same_queries_only() -> None:
    assert paired({"a": 1.0, "b": 1.0, "only here": 0.0}, {"a": 0.0, "b": 0.0}) == (1.0, 1.0, 1.0)


def test_risk_is_the_share_of_wrong_ones_among_the_most_confident() -> None:
    coverage, risk, area = risk_coverage([0.9, 0.1, 0.5], [True, False, True])
    assert coverage == pytest.approx([1 / 3, 2 / 3, 1.0])
    assert risk == pytest.approx([0.0, 0.0, 1 / 3])
    assert area == pytest.approx(1 / 9)
