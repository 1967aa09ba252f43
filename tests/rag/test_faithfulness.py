from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.faithfulness import check_sentence, conflicting
from rag.types import Prompt, Sentence
from tests.fakes.evidence import passage

SOURCE = (
    "Paracetamol eases mild pain. Adults can take 500 mg every 4 to 6 hours. Do not give aspirin to children under "
    "16 years. Asthma cannot be cured, but most people can control it.\n\n"
    "Call for help if there is:\n\n- chest pain that spreads to the arm\n- sudden trouble breathing\n"
)


def check(text: str, source: str = SOURCE, markers: tuple[int, ...] = (1,)) -> str:
    """The reason against a sentence, "" for none."""
    verdict = check_sentence(
        Sentence(text=text, markers=markers), Prompt(question="q", language="en", evidence=(passage(source),))
    )
    assert verdict.supported == (verdict.reason == "")
    return verdict.reason


# --- markers


def test_a_claim_needs_a_marker() -> None:
    assert check("Paracetamol eases mild pain.", markers=()) == "no_marker"


def test_fixed_text_of_ours_makes_no_claim_and_needs_none() -> None:
    sentence = Sentence(text="This is general information.", cited=False)
    assert check_sentence(sentence, Prompt(question="q", language="en", evidence=())).supported


@pytest.mark.parametrize("markers", [(0,), (2,), (-1,), (99,), (1, 2)])
def test_a_marker_that_opens_nothing_is_unknown(markers: tuple[int, ...]) -> None:
    assert check("Paracetamol eases mild pain.", markers=markers) == "unknown_marker"


def test_only_the_cited_passages_count() -> None:
    prompt = Prompt(
        question="q",
        language="en",
        evidence=(passage("Rest helps a sprained ankle."), passage("Ice eases swelling.", n=2)),
    )
    said = "Ice eases swelling."
    assert check_sentence(Sentence(text=said, markers=(2,)), prompt).supported
    assert check_sentence(Sentence(text=said, markers=(1, 2)), prompt).supported
    assert check_sentence(Sentence(text=said, markers=(1,)), prompt).reason == "overlap"


# --- quotes


@pytest.mark.parametrize(
    "said",
    [
        "Paracetamol eases mild pain.",
        "paracetamol eases  mild pain",
        "Paracetamol eases mild pain. Adults can take 500 mg every 4 to 6 hours.",
        "sudden trouble breathing",
        "- sudden trouble breathing",
        "• chest pain that spreads to the arm",
        "Title 1",
    ],
)
def test_whole_sentences_and_list_items_of_the_source_are_supported(said: str) -> None:
    assert check(said) == ""


@pytest.mark.parametrize(
    ("said", "source", "reason"),
    [
        ("Aspirin", "Warning: Do not take Aspirin with food.", "negation"),
        ("Aspirin with food.", "Warning: Do not take Aspirin with food.", "negation"),
        ("Aspirin with food.", "Warning: Never take Aspirin with food.", "negation"),
        ("Aspirin", "- Do not take Aspirin", "negation"),
        ("Fever", "Signs are: Fever No sleep (for days) Red skin", ""),
        ("No sleep (for days)", "Signs are: Fever No sleep (for days) Red skin", ""),
        ("Red skin", "Signs are: Fever No sleep (for days) Red skin", ""),
        ("Holding your breath", "- Holding your breath Hiccups aren't usually serious.", ""),
        ("a rash", "- a rash. no fever a rash", ""),
    ],
)
def test_items_that_lost_their_line_breaks_are_lines_unless_they_are_denied(
    said: str, source: str, reason: str
) -> None:
    assert check(said, source) == reason


@pytest.mark.parametrize(
    ("said", "source"),
    [
        ("Give aspirin to children under 16 years.", SOURCE),
        ("Safe to take in pregnancy.", "It is not safe to take in pregnancy."),
        ("Stop your tablets.", "Never stop your tablets."),
    ],
)
def test_a_part_of_a_sentence_that_says_the_opposite_is_no_quote(said: str, source: str) -> None:
    assert check(said, source) == "negation"


# --- numbers


@pytest.mark.parametrize(
    ("said", "source", "reason"),
    [
        ("Adults can take 600 mg every 4 to 6 hours.", SOURCE, "number"),
        ("Take 5 mg a day.", "Take 0.5 mg a day, as your doctor says.", "number"),
        ("Take 0.5 mg a day.", "Take 5 mg a day, as your doctor says.", "number"),
        ("Take 0.5 mg a day.", "Take 0.5 mg a day, as your doctor says.", ""),
        ("Take 0,5 mg a day.", "Take 0.5 mg a day, as your doctor says.", ""),
        ("Take 5.0 mg a day.", "Take 5 mg a day, as your doctor says.", ""),
        ("Take 50 mg a day.", "Take 5 mg a day, as your doctor says.", "number"),
        ("About 1,000 people have it.", "About 1000 people have it in a year.", ""),
        ("About 1000 people have it.", "About 1,000 people have it in a year.", ""),
        ("About 1,000,000 people have it.", "About 1000000 people have it in a year.", ""),
        ("About 1,000 people have it.", "About 1 people have it in a year.", "number"),
        ("Etwa 1.000 Menschen haben es.", "Etwa 1 Menschen haben es im Jahr.", "number"),
        ("Take two tablets a day.", "Take 2 tablets a day with water.", ""),
        ("Take ten tablets a day.", "Take two tablets a day with water.", "number"),
        ("Take ५ mg a day.", "Take 5 mg a day, as your doctor says.", ""),
        ("Take ６ mg a day.", "Take 5 mg a day, as your doctor says.", "number"),
    ],
)
def test_every_number_must_stand_in_the_source(said: str, source: str, reason: str) -> None:
    assert check(said, source) == reason


@pytest.mark.parametrize(
    ("said", "source", "reason"),
    [
        ("Take 500 g a day.", "Take 500 mg a day, as your doctor says.", "number"),
        ("Take 500 mg a day.", "Take 500 mcg a day, as your doctor says.", "number"),
        ("Take 500 milligrams a day.", "Take 500mg a day, as your doctor says.", ""),
        ("Take 5 µg a day.", "Take 5 micrograms a day, as your doctor says.", ""),
        ("Take 200 mg a day.", "Take 200 to 400 mg a day, as your doctor says.", ""),
        ("Take 200-400 mg a day.", "Take 200 to 400 mg a day, as your doctor says.", ""),
        ("Wait 3 hours before you eat.", "Wait 3 days before you eat any fat.", "number"),
        ("Wait 3 days before you eat.", "Wait for three days before you eat.", ""),
        ("It takes a 3-day course.", "It takes a 3 day course of tablets.", ""),
        ("It helps 20 percent of people.", "It helps 20% of people at once.", ""),
        ("Give 5 ml twice a day.", "Give 5 mg twice a day with food.", "number"),
    ],
)
def test_a_number_keeps_its_unit(said: str, source: str, reason: str) -> None:
    assert check(said, source) == reason


# --- negation


@pytest.mark.parametrize(
    ("said", "source", "reason"),
    [
        ("Antibiotics do not help against a cold.", "Antibiotics help against a cold, mostly.", "negation"),
        ("Antibiotics help against a cold.", "Antibiotics do not help against a cold, mostly.", "negation"),
        ("Antibiotics don't help against a cold.", "Antibiotics do not help against a cold, mostly.", ""),
        ("Antibiotics do not help against a cold.", "Antibiotics don’t help against a cold, mostly.", ""),
        ("Antibiotics can’t help against a cold.", "Antibiotics cannot help against a cold, mostly.", ""),
        ("Asthma cannot be cured.", SOURCE, ""),
        ("Asthma can be cured.", SOURCE, "negation"),
        ("Ibuprofen is safe with food.", "Ibuprofen is safe with food. It is not safe with warfarin.", ""),
        ("Das hilft bei Fieber.", "Das hilft nicht bei Fieber und Husten.", "negation"),
        ("Esto ayuda contra la fiebre.", "Esto no ayuda contra la fiebre alta.", "negation"),
    ],
)
def test_a_sentence_says_no_where_its_source_does(said: str, source: str, reason: str) -> None:
    assert check(said, source) == reason


# --- overlap


def test_a_sentence_must_share_most_of_its_words_with_its_source() -> None:
    source = "one. Alpha beta gamma delta."
    assert check("Alpha beta gamma omega sigma.", source) == ""  # 3 of 5: the limit itself
    assert check("Alpha beta gamma omega sigma tau.", source) == "overlap"


def test_an_invented_sentence_is_caught() -> None:
    assert check("Turmeric heals every kind of cancer within weeks.") == "overlap"


# --- other scripts


@pytest.mark.parametrize(
    ("said", "source", "reason"),
    [
        ("多休息多喝水可以帮助恢复。", "感冒时多休息多喝水可以帮助身体恢复。", ""),
        ("维生素可以治好所有癌症。", "感冒时多休息多喝水可以帮助身体恢复。", "overlap"),
        ("儿童可以服用阿司匹林。", "儿童不可以服用阿司匹林,除非医生同意。", "negation"),
        ("每次服用800毫克布洛芬。", "成人每次服用400毫克布洛芬退烧。", "number"),
        ("薬を飲む前に相談してください。", "頭痛は頭の痛みです。薬を飲む前に相談してください。", ""),
        ("बुखार में शरीर का तापमान बढ़ जाता है।", "बुखार में शरीर का तापमान बढ़ जाता है। आराम करें।", ""),
        ("الراحة تساعد على الشفاء.", "الراحة تساعد على الشفاء. اشرب الماء.", ""),
    ],
)
def test_scripts_without_spaces_are_compared_too(said: str, source: str, reason: str) -> None:
    assert check(said, source) == reason


@given(st.text(max_size=200), st.text(max_size=400))
def test_any_text_is_judged(said: str, source: str) -> None:
    check(said, source)


def test_a_long_sentence_of_digits_does_not_stall() -> None:
    assert check("1,1" * 20_000 + "x") == "number"


# --- sources that do not agree


def conflicts(said: str, *others: str, titles: tuple[str, ...] = ()) -> tuple[int, ...]:
    """The markers of `others` (2, 3 …) that contradict a sentence of passage 1."""
    titles = titles or ("Adult fever",) * (1 + len(others))
    evidence = tuple(
        passage(text, n=n, title=title) for n, (text, title) in enumerate(zip((said, *others), titles, strict=True), 1)
    )
    return conflicting(Sentence(text=said, markers=(1,)), Prompt(question="q", language="en", evidence=evidence))


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("A fever in adults usually lasts 3 days.", "A fever in adults lasts about 5 days."),
        (
            "Adults with fever can take 500 mg of paracetamol.",
            "Adults with fever may take 1000 mg of paracetamol.",
        ),
        ("Fever in adults is contagious for 2 weeks.", "- fever in adults is contagious for six weeks"),
        ("Antibiotics help against this viral fever.", "Antibiotics do not help against this viral fever."),
        ("Antibiotics never cure viral fever.", "Antibiotics cure viral fever."),
    ],
)
def test_other_numbers_or_a_not_in_the_same_words_are_a_disagreement(said: str, other: str) -> None:
    assert conflicts(said, "Fever is common.", other) == (3,)
    assert conflicts(other.removeprefix("- "), said) == (2,)


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("A fever in adults usually lasts 3 days.", "A fever in children usually lasts 5 days."),
        ("A fever in adults lasts 3 to 5 days.", "A fever in adults lasts 5 days."),
        ("A fever in adults lasts two weeks.", "A fever in adults lasts 14 days."),
        ("Adults with fever can take 500 mg of paracetamol.", "Adults with fever can take 400 mg of ibuprofen."),
        ("Adults start with 5 mg of this fever tablet.", "Adults take at most 20 mg of this fever tablet."),
        ("Antibiotics help against this viral fever.", "Antibiotics do not help against this bacterial fever."),
        ("Fever lasts 3 days.", "Fever lasts 5 days."),
    ],
    ids=["people", "range", "unit", "medicine", "purpose", "cause", "too short to tell"],
)
def test_what_may_both_be_true_is_none(said: str, other: str) -> None:
    assert conflicts(said, other) == ()


def test_passages_of_one_document_or_of_another_topic_are_not_held_against_each_other() -> None:
    said, other = "The rash in adults usually lasts 3 days.", "The rash in adults usually lasts 5 days."
    assert conflicts(said, other, titles=("Measles", "Shingles")) == ()
    same = tuple(passage(text, n=n, doc_id="one", title="Measles") for n, text in enumerate((said, other), 1))
    prompt = Prompt(question="q", language="en", evidence=same)
    assert conflicting(Sentence(text=said, markers=(1,)), prompt) == ()
