"""No input is slow, and none fails."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from safety.assess import Assessor
from safety.types import RiskClass

ASSESSOR = Assessor.load()

ALPHABET = st.sampled_from(
    ["i", "can", "not", "can't", "chest", "pain", "my", "no", "and", ",", ".", "?", "took", "40", "pills", "38.4",
     "baby", "weeks", "old", "kill", "myself", "what", "is", "a", "\n", "胸", "’", "stroke", "in", "2015", "blood"]
)  # fmt: skip


@given(st.lists(st.text(), max_size=4))
def test_any_unicode_is_assessed(turns: list[str]) -> None:
    assessment = ASSESSOR.assess(turns)
    assert not assessment.banner or assessment.risk_class >= RiskClass.R4
    ASSESSOR.emergency_text(assessment, "US")
    ASSESSOR.notice(assessment)


@given(st.lists(ALPHABET, max_size=60))
def test_any_mixture_of_telling_words_is_assessed(words: list[str]) -> None:
    assessment = ASSESSOR.assess([" ".join(words)])
    classes = [rule.risk_class for rule in assessment.fired]
    assert classes == sorted(classes, reverse=True)
    assert assessment.risk_class == max(classes, default=RiskClass.R0)


@pytest.mark.parametrize(
    "text",
    ["a" * 65_536, "i can not " * 6_554, "1 " * 32_768, "chest pain not " * 4_369, "took 3 pain my " * 4_369,
     "胸" * 65_536, ".,?" * 21_845, "a'" * 32_768, "9" * 65_536, "<patient_context>[patient context " * 1_927],
)  # fmt: skip
def test_padding_comes_to_an_end(text: str) -> None:
    """Exponential matching would take hours on these; each takes well under a second (2026-11-30)."""
    assert ASSESSOR.assess([text]).risk_class <= RiskClass.R5


@pytest.mark.parametrize("padding", ["word " * 13_000, "x" * 65_000, "i can not " * 6_500])
def test_an_emergency_at_the_end_or_the_beginning_of_a_long_text_is_found(padding: str) -> None:
    assert ASSESSOR.assess([f"{padding}. I want to kill myself"]).risk_class == RiskClass.R5
    assert ASSESSOR.assess([f"I want to kill myself. {padding}"]).risk_class == RiskClass.R5


def test_a_long_conversation_is_bounded() -> None:
    assert ASSESSOR.assess(["my chest feels fine and I took 2 pills " * 100] * 500).risk_class <= RiskClass.R5
