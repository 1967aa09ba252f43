from __future__ import annotations

import pytest

from rag.fusion import reciprocal_rank_fusion


def test_a_key_sums_weight_over_k_plus_rank_of_every_leg_it_is_in() -> None:
    fused = reciprocal_rank_fusion({"dense": ["a", "b"], "keyword": ["b", "c"]}, {"dense": 1.0, "keyword": 1.0}, 60)
    assert fused == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 1 / 61, "c": 1 / 62})
    assert max(fused, key=lambda key: fused[key]) == "b"


def test_weights_multiply_a_leg() -> None:
    fused = reciprocal_rank_fusion({"dense": ["a"], "keyword": ["b"]}, {"dense": 4.0, "keyword": 1.0}, 20)
    assert fused == pytest.approx({"a": 4 / 21, "b": 1 / 21})


def test_a_heavier_leg_can_outvote_a_better_rank() -> None:
    legs = {"dense": ["x", "y"], "keyword": ["y"]}
    light = reciprocal_rank_fusion(legs, {"dense": 4.0, "keyword": 0.1}, 20)
    heavy = reciprocal_rank_fusion(legs, {"dense": 4.0, "keyword": 1.0}, 20)
    assert light["x"] > light["y"]
    assert heavy["y"] > heavy["x"]


def test_no_legs_and_empty_legs_give_nothing() -> None:
    assert reciprocal_rank_fusion({}, {}, 60) == {}
    assert reciprocal_rank_fusion({"dense": []}, {"dense": 1.0}, 60) == {}


def test_a_leg_without_a_weight_is_an_error_not_a_zero() -> None:
    with pytest.raises(KeyError):
        reciprocal_rank_fusion({"dense": ["a"]}, {}, 60)
