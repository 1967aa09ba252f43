"""Reciprocal rank fusion. Pure."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

__all__ = ["reciprocal_rank_fusion"]

Key = TypeVar("Key", bound=Hashable)


def reciprocal_rank_fusion(legs: Mapping[str, Sequence[Key]], weights: Mapping[str, float], k: int) -> dict[Key, float]:
    """Fused score per key: the sum over legs of weight / (k + rank), rank from 1.

    Cormack, Clarke & Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods",
    SIGIR 2009; the weights are ours. Only ranks enter, so legs with unlike scales can be fused.
    """
    fused: dict[Key, float] = {}
    for name, ranking in legs.items():
        for rank, key in enumerate(ranking, start=1):
            fused[key] = fused.get(key, 0.0) + weights[name] / (k + rank)
    return fused
