from __future__ import annotations

import pytest

from rag.comparison import compares, sides_of


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("What is the difference between type 1 and type 2 diabetes?", ("type 1 diabetes", "type 2 diabetes")),
        ("gout vs rheumatoid arthritis", ("gout", "rheumatoid arthritis")),
        ("is the flu the same as a cold?", ("flu", "cold")),
        ("how is dementia different from alzheimer's", ("dementia", "alzheimer's")),
        ("Crohn's and ulcerative colitis how do they differ", ("Crohn's", "ulcerative colitis")),
        ("What's the difference between viral and bacterial meningitis?", ("viral meningitis", "bacterial meningitis")),
        ("controller or processor, which one are we?", ("controller", "processor")),
        ("Was ist der Unterschied zwischen Grippe und Erkältung?", ("Grippe", "Erkältung")),
        ("diferencia entre gripe y resfriado", ("gripe", "resfriado")),
        ("how do doctors tell gout and shingles apart", ("gout", "shingles")),
        ("what is gout and what is dementia?", ("gout", "dementia")),
        ("what's gout, and what are colds", ("gout", "colds")),
    ],
)  # fmt: skip
def test_both_sides_of_a_comparison_are_named(text: str, sides: tuple[str, str]) -> None:
    known = ["gout", "flu", "cold", "dementia", "Crohn's", "controller", "Grippe", "gripe", "type 2 diabetes", "EHDS"]
    assert sides_of(text, known) == sides


def test_terms_are_the_sides_where_no_form_of_words_says_so() -> None:
    assert sides_of("gout, arthritis: differences?", ["gout", "arthritis"]) == ("gout", "arthritis")
    assert sides_of("gout: differences?", ["gout", "gout"]) == ()


@pytest.mark.parametrize("text", ["What is gout?", "salt and pepper", "fever or rash in a child", "", "?"])
def test_other_questions_compare_nothing(text: str) -> None:
    assert not compares(text)
    assert sides_of(text, ["gout", "fever"]) == ()


def test_a_long_text_is_read_in_linear_time() -> None:
    assert sides_of("difference between " * 5_000, []) == ()
    assert sides_of("a and " * 10_000 + "vs", []) == ()


@pytest.mark.parametrize("text", ["what is gout and what is its treatment", "what is gout and what are the symptoms"])
def test_two_questions_on_one_thing_are_no_two_things(text: str) -> None:
    assert sides_of(text, ["gout"]) == ()
