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
        "When gout comes back, doctors prescribe a medicine.",
    ],
)
def test_a_sentence_that_stands_alone_is_known(sentence: str) -> None:
    assert not dangles(sentence, "en")


def test_a_label_glued_to_its_text_is_not_quoted() -> None:
    assert not quotable("Some complications of gout include: Stones:When crystals collect in the kidney.")
    assert quotable("Gout has one main cause: too much uric acid in the blood.")
