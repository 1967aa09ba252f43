from __future__ import annotations

import datetime
import json
from pathlib import Path

import numpy as np
import pytest

from evals.__main__ import main
from evals.built import built
from evals.gold import label, near_pairs

RECORDS = [
    {"doc_id": "a", "doc_title": "Gout in brief", "text": "Gout is a swollen toe."},
    {"doc_id": "b", "doc_title": "About gout", "text": "GOUT is a  swollen toe."},
    {"doc_id": "c", "doc_title": "Mumps", "text": "Mumps swells the glands."},
]


def test_near_pairs_are_of_different_documents_nearest_first() -> None:
    rows = np.array([[1, 0], [0.99, 0.141], [0.95, 0.312], [0, 1]], np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    best, total = near_pairs(rows, ["a", "b", "c", "d"], [], 2)
    assert ([pair[1:] for pair in best], total) == ([(0, 1), (1, 2)], 3)
    assert near_pairs(rows, ["a", "a", "a", "d"], [], 2) == ([], 0)
    assert [pair[1:] for pair in near_pairs(rows, ["a", "b", "c", "d"], [(0, 1)], 1)[0]] == [(1, 2)]


def test_a_label_stands_with_its_labeller_and_day_and_is_asked_for_once() -> None:
    pairs = [{"a": "x", "b": "y", "kind": "near", "cosine": 0.9, "label": None} for _ in range(4)]
    pairs[0]["label"] = 0
    saved: list[int] = []
    answers = iter(["?", "1", "s", "q"])
    done = label(
        pairs,
        lambda chunk: chunk,
        "reader",
        lambda: saved.append(1),
        ask=lambda _: next(answers),
        today=lambda: datetime.date(2026, 12, 1),
    )
    assert done == len(saved) == 1
    assert pairs[1] == {
        "a": "x", "b": "y", "kind": "near", "cosine": 0.9, "label": 1, "labeller": "reader", "date": "2026-12-01",
    }  # fmt: skip
    assert [pair["label"] for pair in pairs[2:]] == [None, None]


def test_pairs_are_proposed_from_a_database_and_never_overwritten(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("EMBEDDER", "none")
    with built("small", "health", RECORDS) as components:
        path = components.settings.db_path
    monkeypatch.setattr("sys.argv", ["evals", "gold", "propose", str(tmp_path / "pairs.jsonl"), "--db", str(path)])
    assert main() == 0
    (pair,) = map(json.loads, (tmp_path / "pairs.jsonl").read_text().splitlines())
    assert (pair["kind"], pair["label"], pair["model"]) == ("exact", None, None)
    assert "toe" not in json.dumps(pair)
    assert main() == 1
    assert "never overwritten" in capsys.readouterr().err
