from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.query import QUERY_LIMIT, rewrite
from rag.types import Message, Query, Turn


def asked(*messages: str, language: str | None = None) -> Query:
    turn = Turn(id="0", messages=tuple(Message(role="user", content=m) for m in messages), language=language)
    return rewrite(turn, messages)


@pytest.mark.parametrize(
    "fragment",
    [
        "and in pregnancy?", "And for children?", "what about children?", "or aspirin?", "how long?", "side effects?",
        "symptoms", "is it contagious?", "when should I see a doctor?", "Why?", "can they take it?", "for adults?",
        "is that safe?", "how is it treated", "¿y en el embarazo?", "und bei Kindern?", "et pour les enfants ?",
        "what are the side effects", "how often should I take it?",
    ],
)  # fmt: skip
def test_a_fragment_is_searched_with_the_question_before_it(fragment: str) -> None:
    query = asked("What is metformin for?", fragment)
    assert query.text == f"What is metformin for? {fragment}"
    assert query.kind == "with_previous"


@pytest.mark.parametrize(
    "topic",
    [
        "Gout?", "What causes asthma?", "why is my urine dark?", "how long does measles last", "When is flu season?",
        "can I get gout from beer?", "I have a headache", "How is asthma treated?", "e. coli symptoms",
        "What are the symptoms of a stroke?", "fever", "should I get a tetanus shot?",
        "my son has a rash on his arm and it itches at night since we came back from the lake",
    ],
)  # fmt: skip
def test_a_new_topic_is_searched_alone(topic: str) -> None:
    query = asked("What is metformin for?", topic)
    assert query.text == topic
    assert query.kind == "original"


def test_a_second_fragment_keeps_the_topic_and_leaves_the_first_one() -> None:
    assert asked("What is metformin for?", "and in pregnancy?", "side effects?").text == (
        "What is metformin for? side effects?"
    )


def test_the_newest_topic_is_the_one_that_is_leaned_on() -> None:
    assert asked("What is metformin for?", "What causes gout?", "is it contagious?").text == (
        "What causes gout? is it contagious?"
    )


def test_a_first_message_has_nothing_to_lean_on() -> None:
    assert asked("is it contagious?").kind == "original"


def test_fragments_all_the_way_down_are_joined_with_the_one_before() -> None:
    assert asked("why?", "how long?").text == "why? how long?"


def test_a_long_story_keeps_its_end() -> None:
    query = asked("x" * 5_000 + " so what should I do about gout?")
    assert len(query.text) == QUERY_LIMIT
    assert query.text.endswith("what should I do about gout?")


def test_a_joined_query_keeps_the_fragment_whole() -> None:
    query = asked("y " * 3_000, "and in pregnancy?")
    assert len(query.text) == QUERY_LIMIT
    assert query.text.endswith("and in pregnancy?")


def test_the_language_of_the_context_wins() -> None:
    assert asked("¿Qué es el asma?", language="de").language == "de"
    assert asked("¿Qué es el asma?").language == "es"


def test_a_fragment_has_the_language_of_what_it_continues() -> None:
    assert asked("¿Cómo se trata la diabetes tipo dos?", "¿y en el embarazo?").language == "es"


@given(st.lists(st.text(max_size=60), min_size=1, max_size=5))
def test_every_conversation_has_a_query_that_ends_with_what_was_asked_last(messages: list[str]) -> None:
    assert asked(*messages).text.endswith(messages[-1])


def test_small_talk_is_no_topic() -> None:
    query = asked("Tell me about COPD", "thanks", "what causes it?")
    assert (query.text, query.focus) == ("Tell me about COPD what causes it?", "what causes it?")
    assert query.kind == "with_previous"


@pytest.mark.parametrize("fragment", ["what should he eat?", "can she exercise?"])
def test_a_person_spoken_of_before_is_followed(fragment: str) -> None:
    assert asked("my dad has diabetes", fragment).text == f"my dad has diabetes {fragment}"


@pytest.mark.parametrize("fragment", ["what medicines are used?", "can I drink alcohol?", "which antibiotics?"])
def test_a_question_that_names_no_illness_is_about_the_one_before(fragment: str) -> None:
    assert asked("What is asthma?", fragment).text == f"What is asthma? {fragment}"
