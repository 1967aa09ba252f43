"""A logistic model fitted by Newton's method with an L2 penalty, and its cross-validation. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["cross_validated", "fit"]

Matrix = NDArray[np.float64]

PENALTY = 1.0
"""L2 penalty on standardised features; the bias is free."""

FOLDS = 10


def fit(rows: Matrix, labels: Matrix, balance: float = 1.0) -> tuple[Matrix, float]:
    """(weights, bias) for features as they are. `rows` is (n, features), `labels` (n,) of 0 and 1; a case with label 0
    counts `balance` times."""
    mean, spread = rows.mean(axis=0), rows.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    scaled = np.hstack([(rows - mean) / spread, np.ones((len(rows), 1))])
    importance = np.where(labels > 0, 1.0, balance)
    penalty = PENALTY * np.diag(np.r_[np.ones(rows.shape[1]), 1e-9])
    weights = np.zeros(scaled.shape[1])
    for _ in range(50):
        likely = 1.0 / (1.0 + np.exp(-scaled @ weights))
        gradient = scaled.T @ (importance * (likely - labels)) + penalty @ weights
        curvature = (scaled.T * (importance * likely * (1 - likely))) @ scaled + penalty
        step = np.linalg.solve(curvature, gradient)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    own = weights[:-1] / spread
    return own, float(weights[-1] - own @ mean)


def cross_validated(rows: Matrix, labels: Matrix, groups: Sequence[str], balance: float = 1.0) -> Matrix:
    """Each case's probability by a model that was fitted without its fold. Folds are drawn evenly from every group."""
    fold = np.zeros(len(labels), dtype=int)
    generator = np.random.default_rng(20261201)
    for group in sorted(set(groups)):
        members = np.flatnonzero(np.array([name == group for name in groups]))
        fold[generator.permutation(members)] = np.arange(len(members)) % FOLDS
    likely = np.zeros(len(labels))
    for held_out in range(FOLDS):
        test = fold == held_out
        weights, bias = fit(rows[~test], labels[~test], balance)
        likely[test] = 1.0 / (1.0 + np.exp(-(rows[test] @ weights + bias)))
    return likely
