from __future__ import annotations

import datetime
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from rag.providers.e5_weights import MODEL_ID
from rag.thresholds import Fusion, GateModel, load_thresholds, thresholds_of_search

TABLES = tomllib.loads((Path(__file__).parents[2] / "rag" / "thresholds.toml").read_text(encoding="utf-8"))


FEATURES = {"dense", "coverage", "first", "concept", "missing", "unknown", "section", "number"}


def test_a_collection_without_numbers_of_its_own_has_those_of_health() -> None:
    thresholds = load_thresholds(MODEL_ID)
    assert thresholds.gate("travel") is thresholds.gate("health")
    assert thresholds.gate("governance") is not thresholds.gate("health")


def test_the_bundled_model_is_calibrated() -> None:
    assert load_thresholds(MODEL_ID).key == MODEL_ID


@pytest.mark.parametrize("model", [None, "somebody/else@1", ""])
def test_an_unknown_model_gets_the_keyword_only_numbers(model: str | None) -> None:
    """Cosines of another model mean nothing against these cut-offs."""
    assert load_thresholds(model).key == "keyword-only"


@pytest.mark.parametrize("key", TABLES)
def test_every_table_is_complete_dated_and_ordered(key: str) -> None:
    table = TABLES[key]
    assert isinstance(table["measured"], datetime.date)
    assert set(table["fusion"]) == {f.name for f in fields(Fusion)}
    assert set(table["gate"]) == {"health", "governance"}
    for collection, values in table["gate"].items():
        assert set(values) == {f.name for f in fields(GateModel)}
        gate = load_thresholds(key if key != "keyword-only" else None).gate(collection)
        assert set(gate.weights) <= FEATURES
        assert ("dense" in gate.weights) == (key != "keyword-only")
        assert 0 < gate.ambiguous < gate.correct < 1
        assert gate.dense_floor <= gate.dense_alone
    assert table["fusion"]["k"] > 0


def test_a_search_without_vectors_is_judged_by_the_keyword_only_numbers() -> None:
    model = load_thresholds(MODEL_ID)
    assert thresholds_of_search(model, ()) is model
    assert thresholds_of_search(model, ("local_embedder",)) is model
    assert thresholds_of_search(model, ("vectors",)) == load_thresholds(None)
