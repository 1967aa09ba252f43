"""What the suites make themselves."""

from __future__ import annotations

import pytest

from app.settings import ROOT
from evals.data import goldens
from evals.distractors import distractors
from evals.suites.crosslingual import overlap
from evals.suites.robustness import CANARY, hostile


def test_distractors_are_many_different_and_about_nothing_that_the_bundle_has() -> None:
    records = list(distractors())
    assert len(records) >= 300
    assert len({record["doc_id"] for record in records}) == len(records)
    assert len({record["text"] for record in records}) == len(records)
    titles = {path.stem.replace("-", " ") for path in (ROOT / "data/corpus/health").glob("*.md")}
    assert not titles & {record["doc_title"].partition(":")[0].casefold() for record in records}
    assert records == list(distractors())


def test_no_question_of_ours_stands_in_a_distractor() -> None:
    words = " ".join(f"{record['doc_title']} {record['text']}".casefold() for record in distractors())
    asked = [case["text"] for case in goldens("gate/answerable.jsonl") + goldens("retrieval/*.jsonl")]
    assert not [text for text in asked if text.casefold() in words]


def test_every_hostile_page_carries_the_planted_word() -> None:
    assert all(CANARY in record["text"] for record in hostile(["asthma", "gout", "mumps", "stroke"]))


def test_overlap_is_of_the_ten_best_of_the_english_question() -> None:
    english = [str(n) for n in range(20)]
    assert overlap(english, english) == 1.0
    assert overlap(["15", "0"], english) == pytest.approx(0.1)
    assert overlap(["a"], []) == 0.0
