"""A draft read piece by piece: nothing is said before it is known that the model answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.providers.draft import MAX_DRAFT, MAX_SENTENCE, DraftReader, declines, read_markers
from rag.types import Sentence


def read(text: str, step: int = 1, *, whole: bool = True) -> list[Sentence]:
    reader = DraftReader()
    said = [s for start in range(0, len(text), step) for s in reader.feed(text[start : start + step])]
    return said + reader.end(whole=whole)


def shown(text: str, step: int = 1) -> str:
    return "".join(sentence.render() for sentence in read(text, step))


DRAFTS = {
    "ANSWER\nRest helps [1]. Sleep helps. [2]": "Rest helps. [1] Sleep helps. [2]",
    "ANSWER\nAsk Dr. Smith, e.g. of 0.5 mg [1]. Then rest [2].": "Ask Dr. Smith, e.g. of 0.5 mg. [1] Then rest. [2]",
    "ANSWER\nSigns are: [1]\n- a rash [1]\n- a fever [2, 3]\n\nRest [4-5].": (
        "Signs are: [1]\n- a rash [1]\n- a fever [2][3]\n\nRest. [4][5]"
    ),
    "ANSWER\n1. Sit down [1]\n2. Call for help [1]": "1. Sit down [1]\n2. Call for help [1]",
    "ANSWER\n休息有帮助。[1]多喝水。【2†source】": "休息有帮助。 [1] 多喝水。 [2]",
    "ANSWER\nआराम करें। [1] पानी पिएँ। [2]": "आराम करें। [1] पानी पिएँ। [2]",
    "ANSWER\nTake `a[1]` as it is ［2］.": "Take `a[1]` as it is. [2]",
    "ANSWER\nBelow <38 is fine [1].": "Below <38 is fine. [1]",
    "**ANSWER:** Rest helps [1].": "Rest helps. [1]",
    "Answer: Rest helps [1].": "Rest helps. [1]",
    "`ANSWER`\n\nRest helps [1].": "Rest helps. [1]",
    "Rest helps [1]. The form was not kept [2].": "Rest helps. [1] The form was not kept. [2]",
    "<think>ANSWER\nNo [1].</think>\nANSWER\nRest helps [1].": "Rest helps. [1]",
    "<think>It is about gout.</think>Rest helps [1].": "Rest helps. [1]",
    "The person asks about rest, let me look at it.\n</think>\nANSWER\nRest helps [1].": "Rest helps. [1]",
    "<|channel|>analysis<|message|>No [1].<|end|><|start|>assistant<|channel|>final<|message|>ANSWER\nRest [1].": (
        "Rest. [1]"
    ),
    "ANSWER\nThe passages do not mention zinc [1]. Rest helps [2].": "Rest helps. [2]",
    "ANSWER\n## Rest\nRest **helps** [1].": "Rest\nRest helps. [1]",
}


@pytest.mark.parametrize("draft", DRAFTS)
@pytest.mark.parametrize("step", [1, 2, 3, 7, 10_000])
def test_a_draft_is_the_same_sentences_however_it_arrives(draft: str, step: int) -> None:
    assert shown(draft, step) == DRAFTS[draft]


@pytest.mark.parametrize(
    "draft",
    [
        "NO_ANSWER",
        "no_answer.",
        "**NO ANSWER**",
        "NO_ANSWER: the passages [1] are on gout. Gout comes from crystals [1].",
        "No answer can be given from these passages [1].",
        "INSUFFICIENT_EVIDENCE",
        "Not in the sources.",
        "I'm sorry, but the provided passages do not contain this information.",
        "The passages provided don't say how long it lasts [1][2].",
        "Lo siento, las fuentes no mencionan esto [1].",
        "Die Quellen sagen dazu nichts; sie enthalten keine Angaben [1].",
        "ANSWER\nI cannot answer that. As an AI I have no opinion [1].",
        "ANSWER\nDrink water. Rest well.",
        "Drink water. Rest well.",
        '{"answer": "Rest helps", "passages": 1}',
        "ANSWER",
        "",
        "<think>Rest helps [1].",
    ],
)
@pytest.mark.parametrize("step", [1, 5, 10_000])
def test_a_draft_that_declines_or_cites_nothing_says_nothing(draft: str, step: int) -> None:
    reader = DraftReader()
    for start in range(0, len(draft), step):
        assert reader.feed(draft[start : start + step]) == []
    assert reader.end() == []
    assert reader.declined


def test_a_sentence_comes_as_soon_as_it_is_certain_to_have_ended() -> None:
    reader = DraftReader()
    assert reader.feed("ANSWER\nRest helps [1].") == []
    assert reader.feed(" Sleep ") == [Sentence(text="Rest helps.", markers=(1,))]
    assert reader.end() == [Sentence(text="Sleep", lead=" ")]


def test_sentences_without_markers_wait_for_the_first_that_has_one() -> None:
    reader = DraftReader()
    assert reader.feed("ANSWER\nHere is what helps. Sleep ") == []
    assert [s.text for s in reader.feed("helps [1]. And ")] == ["Here is what helps.", "Sleep helps."]


def test_without_the_form_nothing_comes_before_the_end() -> None:
    reader = DraftReader()
    assert reader.feed("Rest helps [1]. Sleep helps [2]. " * 20) == []
    assert len(reader.end()) == 40


def test_of_a_draft_that_was_cut_the_unfinished_sentence_is_left_out() -> None:
    assert [s.text for s in read("ANSWER\nRest helps [1]. Never take", whole=False)] == ["Rest helps."]


def test_empty_and_reasoned_are_told_apart_from_declined() -> None:
    nothing, thought, declined = DraftReader(), DraftReader(), DraftReader()
    thought.feed("<think>Hm.</think>\n")
    declined.feed("NO_ANSWER\n")
    for reader in (nothing, thought, declined):
        reader.end()
    assert (nothing.empty, nothing.reasoned) == (True, False)
    assert (thought.empty, thought.reasoned) == (True, True)
    assert not declined.empty


@pytest.mark.parametrize(
    "text", ["ANSWER\n" + "and on " * MAX_SENTENCE, "x" * (MAX_DRAFT + 1), "NO_ANSWER\n" + "x" * 500]
)
def test_babble_is_told(text: str) -> None:
    reader = DraftReader()
    reader.feed(text)
    assert reader.full
    assert reader.end(whole=False) == []


@pytest.mark.parametrize(
    "claim",
    [
        "There is not enough evidence for zinc.",
        "The evidence does not support antibiotics for a cold.",
        "Good sources of iron do not include milk.",
        "Do not take aspirin.",
        "The rash does not itch.",
        "No answer to the treatment after a week means that you should see a doctor.",
    ],
)
def test_a_claim_is_no_refusal(claim: str) -> None:
    assert not declines(claim)


def test_markers_are_read_once_each_and_bounded() -> None:
    assert read_markers("Rest [1][1] helps [2; 3] you [5-7].") == ("Rest helps you.", (1, 2, 3, 5, 6, 7))
    assert len(read_markers("Rest [1-999].")[1]) <= 12
    assert read_markers("In 2020 [sic] it helped.") == ("In 2020 [sic] it helped.", ())


PARTS = st.sampled_from([
    "Rest", " ", ".", " [1]", "[2]", "[1, 2]", "\n", "\n\n", "- ", "Dr.", "e.g.", "0.5 mg", "1. ", "。", "高", "ANSWER",
    "NO_ANSWER", "<think>", "</think>", "**", "`x`", "# ", "!", "(", ")", "The", "U.S.", "[", "]", "<", "|", "“Yes.”",
    "9", ":", "【3†s】", "No.", "\ud83c\udfe5",
])  # fmt: skip


@given(st.lists(PARTS, max_size=25), st.integers(1, 6), st.booleans())
def test_any_draft_is_read_the_same_in_pieces_and_whole(parts: list[str], step: int, form: bool) -> None:
    draft = ("ANSWER\n" if form else "") + "".join(parts)
    assert read(draft, step) == read(draft, len(draft) or 1)


@given(st.text(max_size=200), st.integers(1, 9))
def test_any_text_is_read_the_same_in_pieces_and_whole(text: str, step: int) -> None:
    draft = "ANSWER\nRest [1]. " + text
    assert read(draft, step) == read(draft, len(draft))


@pytest.mark.parametrize("atom", ["<", "[", "the passages ", "[1", "**", "a. ", "- ", "1. ", "<|", "\n"])
def test_no_draft_stalls_it(atom: str) -> None:
    reader = DraftReader()
    text = "ANSWER\nRest [1]. " + atom * (MAX_DRAFT // len(atom))
    for start in range(0, len(text), 500):
        reader.feed(text[start : start + 500])
    reader.end()
