from __future__ import annotations

import numpy as np
import pytest

from rag.errors import EmbedderMismatch
from rag.store.vectors import ResidentIndex


def index(count: int = 300, dimensions: int = 16, seed: int = 7) -> tuple[ResidentIndex, np.ndarray]:
    rng = np.random.default_rng(seed)
    matrix = rng.standard_normal((count, dimensions)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    return ResidentIndex(np.arange(10, 10 + count, dtype=np.int64), matrix), matrix


def test_search_is_exact_and_best_first() -> None:
    resident, matrix = index()
    hits = resident.search(matrix[42], 5)
    expected = sorted(range(300), key=lambda i: -float(matrix[i] @ matrix[42]))[:5]
    assert [key - 10 for key, _ in hits] == expected
    assert hits[0][1] == pytest.approx(1.0, abs=1e-6)


def test_a_filter_looks_only_at_its_rows() -> None:
    resident, matrix = index()
    rows = np.arange(0, 300, 3, dtype=np.int64)
    hits = resident.search(matrix[42], 50, rows)
    assert {key - 10 for key, _ in hits} <= set(rows.tolist())
    assert hits[0][0] == 52
    assert resident.search(matrix[42], 5, np.array([], np.int64)) == []


def test_ties_are_broken_by_key_even_at_the_edge_of_the_limit() -> None:
    matrix = np.zeros((6, 4), np.float32)
    matrix[:, 0] = 1.0
    resident = ResidentIndex(np.array([3, 5, 8, 13, 21, 34], np.int64), matrix)
    assert [key for key, _ in resident.search(matrix[0], 3)] == [3, 5, 8]


def test_a_vector_of_another_length_is_refused() -> None:
    resident, _ = index()
    with pytest.raises(EmbedderMismatch, match="17 dimensions, the stored vectors 16"):
        resident.search(np.zeros(17, np.float32), 5)


def test_cosines_of_named_keys() -> None:
    resident, matrix = index()
    got = resident.cosines(matrix[0], [10, 11, 9_999])
    assert set(got) == {10, 11}
    assert got[11] == pytest.approx(float(matrix[1] @ matrix[0]), abs=1e-6)
