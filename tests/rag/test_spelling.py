from __future__ import annotations

import pytest

from rag.spelling import Spelling

ENGLISH = {"wants", "puffs", "compared", "thing"}
SPELLING = Spelling(
    ["diabetes", "shingles", "migraine", "migraines", "pneumonia", "hypertension", "warts"], ENGLISH.__contains__
)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("diabtes", "diabetes"), ("Shingels", "shingles"), ("migrane", "migraine"), ("pnumonia", "pneumonia"),
        ("hypretention", "hypertension"),
    ],
)  # fmt: skip
def test_a_slip_is_corrected(word: str, meant: str) -> None:
    assert SPELLING.correct(word) == meant


@pytest.mark.parametrize("word", ["wants", "puffs", "flu", "zorblax", "diab", "Ångström", "b12", "", "wrats2"])
def test_what_is_right_unknown_or_short_stays(word: str) -> None:
    assert SPELLING.correct(word) is None


def test_between_two_words_that_are_equally_near_none_is_chosen() -> None:
    assert Spelling(["carrot", "parrot"], lambda _: False).correct("garrot") is None
    assert Spelling(["hearing", "heaving"], lambda _: False).correct("heaping") is None


def test_the_first_letter_is_taken_to_be_right() -> None:
    assert Spelling(["asthma"], lambda _: False).correct("isthma") is None
