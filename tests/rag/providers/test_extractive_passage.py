"""Passages are read as whole sentences and lists, without headings, navigation and numbers in brackets."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.faithfulness import check_sentence
from rag.types import Prompt
from tests.rag.providers.passages import GOUT, GOUT_SYMPTOMS, answer, passage, texts


def test_a_list_comes_with_its_lead_in_and_markers() -> None:
    found = answer("What are the symptoms of gout?", GOUT_SYMPTOMS)
    assert [sentence.render() for sentence in found[:4]] == [
        "Common symptoms of gout are: [1]",
        "\n- a hot, swollen joint [1]",
        "\n- red, shiny skin [1]",
        "\n- pain when the joint is touched [1]",
    ]


def test_items_without_a_lead_in_are_left_out() -> None:
    evidence = passage("Gout", "- a hot joint\n- red skin\n\nGout symptoms start at night.", heading="Symptoms")
    assert texts(answer("What are the symptoms of gout?", evidence)) == ["Gout symptoms start at night."]


FRUIT = [f"item {letter}" for letter in "abcdefghijklmnop"]


@pytest.mark.parametrize(("told", "kept"), [(16, 12), (14, 14), (12, 12)])
def test_a_long_list_is_cut_to_twelve_items_but_not_for_two(told: int, kept: int) -> None:
    items = "".join(f"- {name}\n" for name in FRUIT[:told])
    evidence = passage("Gout", f"Things that cause gout are:\n{items}", heading="Causes")
    assert texts(answer("What causes gout?", evidence))[1:] == FRUIT[:kept]


def test_an_inner_heading_is_no_sentence_and_tells_the_section() -> None:
    evidence = passage("Gout", f"What it is:\n{GOUT}\nTreatment:\nRest and ice help against gout in most people.")
    assert texts(answer("How is gout treated?", evidence)) == ["Rest and ice help against gout in most people."]


def test_a_heading_in_front_of_a_sentence_is_cut_off() -> None:
    evidence = passage("Gout", "Home Treatment Most people treat gout with rest and ice.", heading="Treatment")
    assert texts(answer("How is gout treated?", evidence)) == ["Most people treat gout with rest and ice."]


@pytest.mark.parametrize(
    "unwanted",
    [
        "How is gout treated with medicines?",
        "See also our page on gout treatment.",
        "Click here for more information on gout treatment.",
        "Treatment of gout at home",
        "and gout treatment goes on.",
        "Gout Care Center Overview for treatment of gout follows.",
        "These include: Aspirin to treat gout Ice to treat the joint of gout.",
    ],
)
def test_questions_navigation_and_fragments_are_not_quoted(unwanted: str) -> None:
    evidence = passage(
        "Gout", f"Gout is treated with rest.\n{unwanted}\nIce treats the pain of gout.", heading="Treatment"
    )
    assert sorted(texts(answer("How is gout treated?", evidence))) == [
        "Gout is treated with rest.",
        "Ice treats the pain of gout.",
    ]


@pytest.mark.parametrize("mark", ["[99]", "［99］", "【9】", "[1, 2]", "[3-5]"])
def test_numbers_in_brackets_are_never_quoted(mark: str) -> None:
    evidence = passage(
        "Gout",
        f"Gout is treated with rest {mark}. Gout is treated {mark} with lemons. Ice treats the pain of gout.{mark}\n"
        f"Medicines to treat gout are:\n- tablets {mark}\n- strong {mark} drops\n- a cold cream",
        heading="Treatment",
    )
    found = answer("How is gout treated?", evidence)
    prompt = Prompt(question="How is gout treated?", language="en", evidence=(evidence,))
    told = {text for text in texts(found) if not text.endswith(":")}
    assert {"Gout is treated with rest.", "Gout is treated with lemons.", "tablets", "strong drops"} <= told
    assert not [text for text in told if mark in text]
    assert all(check_sentence(sentence, prompt).supported for sentence in found)


@given(st.text(max_size=400), st.text(max_size=60), st.text(max_size=30))
def test_any_text_is_read_without_error(text: str, question: str, title: str) -> None:
    for sentence in answer(question, passage(title, text), passage("Gout", text)):
        assert sentence.text in text
        assert not re.search(r"\[\d{1,3}\]", sentence.text)


@pytest.mark.parametrize(
    "unit",
    [
        "[1]",
        "   ",
        "[ ",
        "high ",
        "Gout is treated with rest. ",
        "gout ",
        "- gout\n",
        "(",
        "A B C ",
        ": - ",
        "Treatment ",
    ],
)
def test_reading_takes_linear_time(unit: str) -> None:
    def seconds(length: int) -> float:
        evidence = passage("Gout", unit * (length // len(unit)), heading="Treatment")
        start = time.process_time()
        answer("How is gout treated?", evidence)
        return time.process_time() - start

    seconds(1_000)
    assert seconds(40_000) < 20 * max(min(seconds(10_000) for _ in range(3)), 0.01)
