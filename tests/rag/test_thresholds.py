from __future__ import annotations

import datetime
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from rag.providers.e5_weights import MODEL_ID
from rag.thresholds import Fusion, GateFloors, load_thresholds, thresholds_of_search

TABLES = tomllib.loads((Path(__file__).parents[2] / "rag" / "thresholds.toml").read_text(encoding="utf-8"))


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
    assert set(table["gate"]) == {f.name for f in fields(GateFloors)}
    gate = load_thresholds(key).gate if key != "keyword-only" else load_thresholds(None).gate
    assert gate.dense_floor <= gate.dense_good
    assert 0 < gate.coverage_floor <= gate.coverage_good <= 1
    assert table["fusion"]["k"] > 0


def test_a_search_without_vectors_is_judged_by_the_keyword_only_numbers() -> None:
    model = load_thresholds(MODEL_ID)
    assert thresholds_of_search(model, ()) is model
    assert thresholds_of_search(model, ("local_embedder",)) is model
    assert thresholds_of_search(model, ("vectors",)) == load_thresholds(None)
