"""Reads `thresholds.toml`: calibrated numbers, keyed by the embedding model that they were measured on."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

__all__ = ["Fusion", "GateFloors", "Thresholds", "load_thresholds", "thresholds_of_search"]

KEYWORD_ONLY = "keyword-only"


@dataclass(frozen=True, kw_only=True)
class Fusion:
    """RRF: the weight of each leg and the rank constant k."""

    dense: float
    keyword: float
    k: int


@dataclass(frozen=True, kw_only=True)
class GateFloors:
    """Where evidence begins to be enough.

    A best passage with a cosine of `dense_good` is enough by itself; below `dense_floor` none counts; in between it
    must hold at least `coverage_floor` of the question's rare words (`coverage_good`: without doubt). Without
    vectors coverage decides alone. Where question and corpus share no language, the best document must lead the next
    one by `margin_floor` in cosine.
    """

    dense_good: float
    dense_floor: float
    coverage_good: float
    coverage_floor: float
    margin_floor: float


@dataclass(frozen=True, kw_only=True)
class Thresholds:
    key: str
    fusion: Fusion
    gate: GateFloors


@functools.cache
def _tables() -> dict[str, Any]:
    text = (resources.files("rag") / "thresholds.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def load_thresholds(model_id: str | None) -> Thresholds:
    """The numbers of a model; of the keyword-only mode for None or a model that nobody has calibrated."""
    tables = _tables()
    key = model_id if model_id in tables else KEYWORD_ONLY
    table = tables[key]
    return Thresholds(key=key, fusion=Fusion(**table["fusion"]), gate=GateFloors(**table["gate"]))


def thresholds_of_search(thresholds: Thresholds, degraded: Sequence[str]) -> Thresholds:
    """The numbers that fit how a search really ran: those of a model mean nothing once its vectors took no part."""
    return load_thresholds(None) if "vectors" in degraded else thresholds
