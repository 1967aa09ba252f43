"""What was chosen is put in order: nothing dangles, nothing is said twice, help comes last."""

from __future__ import annotations

import pytest

from tests.rag.providers.passages import GOUT, GOUT_HELP, GOUT_TREATMENT, GOUT_WHAT, answer, passage, texts

OPENERS = [
    "It",
    "This",
    "They",
    "However, gout",
    "Also, it",
    "Such treatment",
    "Therefore it",
    "In addition, it",
]


@pytest.mark.parametrize("opener", OPENERS)
def test_a_dangling_sentence_without_its_predecessor_is_left_out(opener: str) -> None:
    evidence = passage("Gout", f"Links are on our website. {opener} is good treatment for gout.", heading="Treatment")
    assert answer("How is gout treated?", evidence) == ()


@pytest.mark.parametrize("opener", OPENERS)
def test_a_dangling_sentence_stays_directly_behind_its_predecessor(opener: str) -> None:
    first, second = "Gout is treated with rest.", f"{opener} is good for most joints."
    evidence = passage("Gout", f"{first} {second} Ice treats the pain of gout.", heading="Treatment")
    assert texts(answer("How is gout treated?", evidence))[:2] == [first, second]


def test_first_aid_at_the_front_of_a_sentence_does_not_dangle() -> None:
    evidence = passage("Burns", "First aid for burns is to cool the skin with water.", heading="What to do now")
    assert answer("What is the first aid for burns?", evidence)


def test_this_condition_may_follow_the_definition_when_it_means_the_title() -> None:
    what = passage("What is (are) Xylitis?", "Xylitis is a rare illness of the skin.", topic="Xylitis")
    how = passage("Is Xylitis inherited?", "This condition is inherited in an autosomal pattern.", topic="Xylitis")
    assert texts(answer("Is xylitis inherited?", how, what)) == [
        "Xylitis is a rare illness of the skin.",
        "This condition is inherited in an autosomal pattern.",
    ]
    assert answer("Is xylitis inherited?", how) == ()


def test_nothing_is_said_twice() -> None:
    again = passage(
        "Gout",
        "Gout is treated with ice, rest and some anti-inflammatory medicines.",
        doc_id="other",
        heading="Treatment",
    )
    found = answer("How is gout treated?", GOUT_TREATMENT, again)
    assert len([text for text in texts(found) if "rest" in text]) == 1


def test_a_list_that_mostly_repeats_is_left_out() -> None:
    text = "Signs of gout include a hot swollen joint and shiny red skin.\nSymptoms of gout are:\n"
    evidence = passage("Gout", text + "- hot swollen joint\n- shiny red skin\n- fever", heading="Symptoms")
    assert len(answer("What are the signs of gout?", evidence)) in {1, 4}  # one of the two, not both


def test_an_item_of_two_lists_stays_in_both() -> None:
    text = "Symptoms of gout are:\n- severe pain\n- red skin\n- heat\nSigns of a gout emergency are:\n"
    evidence = passage("Gout", text + "- severe pain\n- high fever\n- shivering", heading="Symptoms")
    assert texts(answer("What are the symptoms of gout?", evidence)).count("severe pain") == 2


def test_another_document_on_the_topic_may_add_what_is_new() -> None:
    other = passage("Gout", "Colchicine treats gout that comes back often.", doc_id="other", heading="Treatment")
    found = answer("How is gout treated?", GOUT_TREATMENT, other)
    assert {marker for sentence in found for marker in sentence.markers} == {1, 2}


def test_an_identical_sentence_has_both_markers() -> None:
    found = answer("What is gout?", GOUT_WHAT, passage("Gout", GOUT, heading="What it is", doc_id="other"))
    assert found[0].markers == (1, 2)


def test_the_help_sentence_comes_last() -> None:
    found = answer("How is gout treated?", GOUT_HELP, GOUT_TREATMENT)
    assert found[-1].text == "Call the emergency number if gout comes with a high fever and shivering."
    assert found[0].markers == (2,)


def test_a_question_of_another_type_gets_no_help_sentence() -> None:
    assert texts(answer("What is gout?", GOUT_WHAT, GOUT_HELP)) == texts(answer("What is gout?", GOUT_WHAT))


def test_first_aid_keeps_the_order_of_its_document() -> None:
    steps = [
        "Press firmly on a nosebleed with two fingers.",
        "Lean forward until the nosebleed stops.",
        "Call the emergency number if a nosebleed goes on for an hour.",
    ]
    evidence = passage("Nosebleed", "\n\n".join(steps), heading="What to do now")
    assert texts(answer("What should I do about a nosebleed?", evidence)) == steps
