"""Lists that lost their line breaks, their colon or their end are quoted whole and with nothing glued to them."""

from __future__ import annotations

import pytest

from rag.faithfulness import check_sentence
from rag.types import Evidence, Prompt
from tests.rag.providers.passages import GOUT, answer, passage, texts

SYMPTOMS = "What are the symptoms of gout?"


def symptoms(text: str) -> Evidence:
    return passage("Gout", text, heading="Symptoms")


def told(text: str) -> list[str]:
    """The answer's lines, each of which passes the check against its source too."""
    evidence = symptoms(text)
    found = answer(SYMPTOMS, evidence)
    prompt = Prompt(question=SYMPTOMS, language="en", evidence=(evidence,))
    assert all(check_sentence(sentence, prompt).supported for sentence in found), found
    return texts(found)


@pytest.mark.parametrize("lead", ["Common symptoms of gout include", "With gout you may have", "Signs of gout are:"])
def test_a_lead_in_needs_no_colon(lead: str) -> None:
    assert told(f"{lead}\n- a hot joint\n- red skin") == [lead, "a hot joint", "red skin"]


def test_a_heading_is_no_lead_in() -> None:
    assert told("Symptoms of gout\n- a hot joint\n- red skin\n\nGout symptoms start at night.") == [
        "Gout symptoms start at night."
    ]


@pytest.mark.parametrize(
    "end",
    [
        "bad sleep. a hot joint red skin bad sleep. Gout can come back.",  # the whole list once more
        "bad sleep a hot joint red skin bad sleep Gout can come back.",
        "bad sleep Gout can come back.",
        "bad sleep Most people get better.",
        "bad sleep Tests And Scans Testing the fluid shows gout.",
        "bad sleep Gout isn't usually deadly.",
        "bad sleep",
        "bad sleep.",
    ],
)
def test_the_last_item_ends_where_the_list_does(end: str) -> None:
    lines = told(f"Symptoms of gout are:\n- a hot joint\n- red skin\n- {end}")
    assert lines[:4] == ["Symptoms of gout are:", "a hot joint", "red skin", "bad sleep"]
    assert set(lines[4:]) <= {
        "Gout can come back.",
        "Most people get better.",
        "Testing the fluid shows gout.",
        "Gout isn't usually deadly.",
    }


def test_the_last_item_ends_where_a_sentence_begins_though_others_have_a_full_stop() -> None:
    lines = told(
        "Symptoms of gout are\n- a hot joint. This is common.\n- red skin\n- chills, now and then Gout can come back."
    )
    assert lines[:4] == ["Symptoms of gout are", "a hot joint", "red skin", "chills, now and then"]


def test_an_item_is_not_cut_at_a_name() -> None:
    lines = told("Symptoms of gout are:\n- a hot joint\n- pain in the Achilles tendon Most people get better.")
    assert lines[:3] == ["Symptoms of gout are:", "a hot joint", "pain in the Achilles tendon"]


def test_a_list_may_lead_into_the_next_one() -> None:
    text = (
        "Symptoms of gout in the foot are:\n- a hot toe\n- red skin Other joints can show symptoms of gout, such as\n"
        "- a stiff knee\n- a sore elbow"
    )
    lines = told(text)
    assert lines == [
        "Symptoms of gout in the foot are:",
        "a hot toe",
        "red skin",
        "Other joints can show symptoms of gout, such as",
        "a stiff knee",
        "a sore elbow",
    ]


def test_items_parted_by_capitals_alone_are_a_list() -> None:
    lines = told("Symptoms of gout may include: Sudden pain No sleep (for days) Red, shiny skin Gout can come back.")
    assert lines == [
        "Symptoms of gout may include:",
        "Sudden pain",
        "No sleep (for days)",
        "Red, shiny skin",
        "Gout can come back.",
    ] or lines == ["Symptoms of gout may include:", "Sudden pain", "No sleep (for days)", "Red, shiny skin"]


def test_labels_between_sentences_are_a_list() -> None:
    lines = told(
        "The most common symptoms of gout are: Joint pain.Most attacks begin at night. It may wake you. "
        "Warm skin.The joint is hot. Fever.This is less common."
    )
    assert lines[:4] == ["The most common symptoms of gout are:", "Joint pain", "Warm skin", "Fever"]


def test_a_table_of_findings_is_a_list() -> None:
    text = (
        "The register provides the following list of signs and symptoms for Gout. "
        "Signs and Symptoms Approximate number of patients (when available) Joint pain 90% Fever 50% Kidney stone 7.5%"
    )
    assert told(text) == [
        "The register provides the following list of signs and symptoms for Gout.",
        "Joint pain",
        "Fever",
        "Kidney stone",
    ]


def test_a_list_cut_between_two_passages_is_one() -> None:
    lead = "These are the signs of gout:"
    first = passage("Gout", f"{lead}\n- a hot joint\n- red skin", heading="Symptoms", ordinal=0)
    second = passage("Gout", f"{lead}\n- no sleep\n- chills", heading="Symptoms", ordinal=1)
    found = answer(SYMPTOMS, first, second)
    assert [sentence.render() for sentence in found] == [
        f"{lead} [1]",
        "\n- a hot joint [1]",
        "\n- red skin [1]",
        "\n- no sleep [2]",
        "\n- chills [2]",
    ]


def test_an_item_does_not_begin_with_and() -> None:
    assert told("Symptoms of gout are:\n- a hot joint\n- red skin\n- and no sleep")[-1] == "no sleep"


def test_the_symptoms_of_a_page_are_those_of_its_title() -> None:
    told_of = (
        "It often comes at night. The main symptom is pain in a toe.\nOther symptoms may include\n- fever\n- chills"
    )
    evidence = passage("Gout", f"{GOUT} {told_of}")
    assert texts(answer(SYMPTOMS, evidence)) == [
        GOUT,
        "It often comes at night.",
        "The main symptom is pain in a toe.",
        "Other symptoms may include",
        "fever",
        "chills",
    ]


def test_other_symptoms_come_with_those_told_before() -> None:
    evidence = passage(
        "Gout", f"{GOUT} It brings a hot toe. The toe turns red.\nOther symptoms include\n- fever\n- chills"
    )
    assert texts(answer(SYMPTOMS, evidence)) == [
        GOUT,
        "It brings a hot toe.",
        "The toe turns red.",
        "Other symptoms include",
        "fever",
        "chills",
    ]


def test_the_symptoms_of_a_narrower_page_are_not_those_of_the_topic() -> None:
    narrower = passage(
        "Gout nephropathy", "The symptoms of gout nephropathy may include foamy urine.", heading="Symptoms"
    )
    assert answer(SYMPTOMS, narrower) == ()


def test_labels_before_a_colon_are_a_list_and_their_explanations_go_with_them() -> None:
    lines = told(
        "Some symptoms of gout include: Joint pain:When crystals rub against the joint. Kidney stones (later): "
        "When crystals form in the kidney. Fever: A sign of infection."
    )
    assert lines == ["Some symptoms of gout include:", "Joint pain", "Kidney stones (later)", "Fever"]


def test_a_sentence_that_points_ahead_leads_in_its_list() -> None:
    lines = told(
        "There are some common symptoms of gout.\n- Joint pain. It often begins at night.\n"
        "- Skin Changes Studies show that the skin turns red and shiny over the joint\n- Fever. It is mild."
    )
    assert lines[:4] == ["There are some common symptoms of gout.", "Joint pain", "Skin Changes", "Fever"]


def test_every_second_item_that_explains_the_one_before_is_left_out() -> None:
    lines = told("Symptoms of gout are:\n- Podagra\n- pain in the big toe\n- Tophi\n- lumps under the skin")
    assert lines == ["Symptoms of gout are:", "Podagra", "Tophi"]


def test_a_heading_behind_a_list_in_a_line_is_no_item() -> None:
    lines = told("Symptoms of gout include: Sudden pain Red skin Poor sleep Treatment Gout needs rest and ice.")
    assert lines[:4] == ["Symptoms of gout include:", "Sudden pain", "Red skin", "Poor sleep"]
    assert "Treatment" not in lines


def test_an_item_that_wants_more_is_left_out() -> None:
    lines = told("Symptoms of gout are:\n- a hot joint\n- red skin\n- other signs include")
    assert lines == ["Symptoms of gout are:", "a hot joint", "red skin"]


def test_whole_sentences_in_items_without_a_lead_in_are_read() -> None:
    lines = told("- Symptoms of gout start at night.\n- red skin\n- The pain of gout is a symptom that wakes people.")
    assert sorted(lines) == ["Symptoms of gout start at night.", "The pain of gout is a symptom that wakes people."]


def test_bullets_in_a_line_are_a_list() -> None:
    lines = told(
        "Symptoms of gout can include - a hot joint. Heat comes first. - red skin. The skin may peel. "
        "- bad sleep Most people get better."
    )
    assert lines[:4] == ["Symptoms of gout can include", "a hot joint", "red skin", "bad sleep"]


def test_a_footnote_ends_a_sentence() -> None:
    lines = told("The symptoms of gout come at night.2 Signs of gout are heat and pain.")
    assert sorted(lines) == ["Signs of gout are heat and pain.", "The symptoms of gout come at night."]


def test_the_plural_of_the_topic_ends_the_last_item() -> None:
    evidence = passage(
        "Bunion", "Symptoms of a bunion are:\n- pain\n- a red toe\n- numb skin Bunions are common.", heading="Symptoms"
    )
    assert texts(answer("What are the symptoms of a bunion?", evidence))[-1] == "numb skin"
