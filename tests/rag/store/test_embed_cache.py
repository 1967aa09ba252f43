from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rag.store import Store, embed_cache
from rag.store.embed_cache import LIFETIME_S, EmbedCache


def vector(seed: float) -> np.ndarray:
    return np.full(8, seed, np.float32)


def test_a_vector_comes_back_for_its_text_and_model_only(store: Store) -> None:
    cache = EmbedCache(store.db, "model-a")
    cache.put("fever", vector(0.5))
    assert np.array_equal(cache.get("fever"), vector(0.5))  # type: ignore[arg-type]
    assert cache.get("Fever") is None
    assert EmbedCache(store.db, "model-b").get("fever") is None


def test_no_word_of_the_query_is_on_disk(store: Store, tmp_path: Path) -> None:
    cache = EmbedCache(store.db, "model-a")
    cache.put("xylophagous hypochondriasis", vector(0.1))
    store.db.checkpoint()
    assert b"xylophagous" not in (tmp_path / "galen.db").read_bytes()


def test_entries_expire(store: Store) -> None:
    now = [1_000_000.0]
    cache = EmbedCache(store.db, "model-a", now=lambda: now[0])
    cache.put("fever", vector(0.5))
    now[0] += LIFETIME_S + 1
    assert cache.get("fever") is None


def test_the_cache_is_bounded(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embed_cache, "CAPACITY", 50)
    now = [1_000_000.0]
    cache = EmbedCache(store.db, "model-a", now=lambda: now[0])
    for number in range(301):
        now[0] += 1
        cache.put(f"q{number}", vector(0.5))
    assert len(cache) <= 50 + 100
    assert cache.get("q300") is not None
    assert cache.get("q0") is None
