"""Headings that lost their line break are parted from the sentence behind them, or the sentence is not quoted."""

from __future__ import annotations

import pytest

from rag.providers.extractive_heading import Unclear, split_heading

NAMES = frozenset(["gout", "disease"])


@pytest.mark.parametrize(
    ("heading", "sentence"),
    [
        ("Early Signs", "Early signs of gout are often missed."),
        ("Know the Signs", "Knowing the signs of gout helps."),
        ("As the Attack Goes On", "As the attack goes on, the joint swells."),
        ('Don\'t Ignore "Small Attacks"', "Sometimes gout comes and goes."),
        ("Joint Pain -- A Common Early Sign", "Joint pain is typically the first sign."),
        ("Pain or Swelling", "Pain may come first."),
        ("Diet", "Diet plays a part in gout."),
        ("Weight Loss Diet", "Diet plays a part in gout."),
        ("Low-Purine Diet", "A low-purine diet helps some people with gout."),
        ("Medicines", "Colchicine eases an attack of gout."),
        ("Treatment Options", "Colchicine eases an attack of gout."),
        ("What Can Help: Call 112", "The number works in every country here."),
        ("Later Signs of Gout", "As gout goes on, lumps form under the skin."),
        ("Medicines", "A doctor may prescribe colchicine for gout."),
    ],
)
def test_a_heading_in_front_of_a_sentence_is_found(heading: str, sentence: str) -> None:
    assert split_heading(f"{heading} {sentence}", NAMES) == (heading, sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Gout is a kind of arthritis.",
        "Gout Disease is a kind of arthritis.",
        "People with Parkinson's often feel stiff.",
        "In Europe gout is common.",
        "Vitamin A is found in carrots and liver.",
        "Hepatitis B can be prevented with a vaccine.",
        "African American women have it more often than others.",
        "The FDA has approved three medicines for it.",
        "Most Americans eat too much salt with their food.",
        "HIV/AIDS can make it worse for some people.",
        "Signs and Symptoms",
    ],
)
def test_a_sentence_that_opens_with_names_stays_whole(sentence: str) -> None:
    assert split_heading(sentence, NAMES) == ("", sentence)


@pytest.mark.parametrize(
    "sentence",
    ["Plans Carers write plans for bad days.", "Pregnancy Gout can occur during the last weeks of it."],
)
def test_what_may_be_a_heading_or_a_name_is_not_told_apart(sentence: str) -> None:
    with pytest.raises(Unclear):
        split_heading(sentence, NAMES)


def test_the_label_of_an_overview_is_no_part_of_its_first_sentence() -> None:
    assert split_heading("Summary : We all get a stiff joint now and then.", NAMES) == (
        "Summary",
        "We all get a stiff joint now and then.",
    )
