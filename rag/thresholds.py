"""Reads `thresholds.toml`: calibrated numbers, keyed by the embedding model that they were measured on."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from typing import Any

__all__ = ["Fusion", "GateModel", "Thresholds", "load_thresholds", "thresholds_of_search"]

KEYWORD_ONLY = "keyword-only"


@dataclass(frozen=True, kw_only=True)
class Fusion:
    """RRF: the weight of each leg and the rank constant k. The person's own words and their rewriting are legs each."""

    dense: float
    keyword: float
    dense_rewritten: float
    keyword_rewritten: float
    k: int

    def weights(self, *, translated: bool = False) -> dict[str, float]:
        """By the name of the leg. Of a translated question the rewriting has the words that the corpus has: the
        vectors of both change places."""
        by_leg = {name: value for name, value in asdict(self).items() if name != "k"}
        return by_leg | {"dense": self.dense_rewritten, "dense_rewritten": self.dense} if translated else by_leg


@dataclass(frozen=True, kw_only=True)
class GateModel:
    """When evidence is enough (`rag.grade`).

    `weights` by feature and `bias` make the probability that it holds the answer: `correct` from where that is taken
    for certain, `ambiguous` from where it is after a wider search. Below a cosine of `dense_floor` nothing is enough;
    a question without a topic word needs one of `dense_alone`. Where question and corpus share no words, the best
    document must lead the next one by `margin_floor` in cosine. Below `coverage_low` too few words is named as the
    reason.
    """

    weights: dict[str, float]
    bias: float
    correct: float
    ambiguous: float
    dense_floor: float
    dense_alone: float
    margin_floor: float
    coverage_low: float


@dataclass(frozen=True, kw_only=True)
class Thresholds:
    """`gates` by collection; one that has none of its own uses that of "health"."""

    key: str
    fusion: Fusion
    gates: dict[str, GateModel]

    def gate(self, collection: str) -> GateModel:
        return self.gates.get(collection, self.gates["health"])


@functools.cache
def _tables() -> dict[str, Any]:
    text = (resources.files("rag") / "thresholds.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def load_thresholds(model_id: str | None) -> Thresholds:
    """The numbers of a model; of the keyword-only mode for None or a model that nobody has calibrated."""
    tables = _tables()
    key = model_id if model_id in tables else KEYWORD_ONLY
    table = tables[key]
    gates = {collection: GateModel(**values) for collection, values in table["gate"].items()}
    return Thresholds(key=key, fusion=Fusion(**table["fusion"]), gates=gates)


def thresholds_of_search(thresholds: Thresholds, degraded: Sequence[str]) -> Thresholds:
    """The numbers that fit how a search really ran: those of a model mean nothing once its vectors took no part."""
    return load_thresholds(None) if "vectors" in degraded else thresholds
