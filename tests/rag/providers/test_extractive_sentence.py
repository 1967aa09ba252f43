"""A sentence that leans on the one before it is known by its words, and one that stands alone is not."""

from __future__ import annotations

import pytest

from rag.providers.extractive_sentence import dangles, quotable


@pytest.mark.parametrize(
    "sentence",
    [
        "In particular, they look at the kind of pain.",
        "Often they are tired and cold.",
        "Eventually, they need care at home.",
        "Many are medicines that a doctor prescribes.",
        "Some use light to treat the skin.",
        "Most of these go away by themselves.",
        "In adults, it may last for weeks.",
        "If they already have a weak heart, it may get worse.",
        "Not everyone with gout has all these symptoms.",
        "Most people with one of those conditions feel well.",
        "The cause can be an infection or a medicine.",
    ],
)
def test_a_sentence_that_leans_on_another_is_known(sentence: str) -> None:
    assert dangles(sentence, "en")


@pytest.mark.parametrize(
    "sentence",
    [
        "Many people with gout take medicines.",
        "Some medicines can cause gout.",
        "Often, people with gout feel well between attacks.",
        "In adults, gout may last for weeks.",
        "If you have gout, you may feel a sudden pain.",
        "Most attacks of gout go away by themselves.",
        "The cause of gout is too much uric acid.",
        "When gout comes back, doctors prescribe a medicine.",
    ],
)
def test_a_sentence_that_stands_alone_is_known(sentence: str) -> None:
    assert not dangles(sentence, "en")


def test_a_label_glued_to_its_text_is_not_quoted() -> None:
    assert not quotable("Some complications of gout include: Stones:When crystals collect in the kidney.")
    assert quotable("Gout has one main cause: too much uric acid in the blood.")


@pytest.mark.parametrize(
    "sentence",
    [
        "A test to show whether gout is the cause of your pain.",
        "Medicines to prevent the next attack of gout.",
        "Medicines for gout include: Water pills (tablets): Flush salt from your body.",
        "One glass is: 1 cup of tea 2 cups of water",
        "One glass is: 1 cup of tea 2 cups of water Keeping a Healthy Weight Keeping weight off helps.",
        "More on: Washing hands before meals.",
        "See a chart that compares gout with other arthritis.",
    ],
)
def test_what_is_left_of_a_list_or_points_to_a_page_is_not_quoted(sentence: str) -> None:
    assert not quotable(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "A doctor needs to know which medicines you take.",
        "Steps to prevent gout are rest and water.",
        "A healthy diet to lower uric acid is part of the treatment.",
        "The usual dose is: 5 mg once a day.",
    ],
)
def test_a_sentence_with_a_verb_of_its_own_is_quoted(sentence: str) -> None:
    assert quotable(sentence)
