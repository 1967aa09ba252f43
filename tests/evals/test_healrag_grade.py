from __future__ import annotations

import pytest

from evals.baselines.healrag_grade import healrag_grade
from rag.thresholds import load_thresholds
from rag.types import Evidence, GradeLabel, Query, Retrieval
from tests.fakes.evidence import passage

MODEL = load_thresholds(None).gate("health")


def graded(*evidence: Evidence, question: str = "What causes gout attacks?") -> GradeLabel:
    return healrag_grade(Retrieval(evidence=evidence), Query(text=question), MODEL).label


@pytest.mark.parametrize(
    ("cosine", "text", "label"),
    [
        (0.86, "nothing of it", GradeLabel.CORRECT),  # .602: e5's usual cosine is enough alone
        (0.80, "nothing of it", GradeLabel.AMBIGUOUS),  # .56
        (0.60, "nothing of it", GradeLabel.INCORRECT),  # .42
        (0.60, "what causes gout attacks", GradeLabel.CORRECT),  # .72
        (0.60, "gouty, whatever", GradeLabel.CORRECT),  # "gout" and "what" are found inside other words: .57 … .60
    ],
)
def test_seven_tenths_similarity_and_three_tenths_coverage(cosine: float, text: str, label: GradeLabel) -> None:
    question = "what gout" if text.startswith("gouty") else "What causes gout attacks?"
    assert graded(passage(text, dense=cosine), question=question) is label


def test_nothing_found_is_incorrect() -> None:
    assert graded() is GradeLabel.INCORRECT
