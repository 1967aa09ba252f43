"""The extractive generator quotes the right sentences, whole, in order, with markers, or says nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.protocols import Generator
from rag.providers.extractive import Extractive, compose
from rag.types import Evidence, Prompt, Sentence
from tests.rag.providers.passages import (
    GOUT,
    GOUT_HELP,
    GOUT_SYMPTOMS,
    GOUT_TREATMENT,
    GOUT_WHAT,
    ROOT,
    answer,
    bundled,
    passage,
    texts,
)

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


def repeated_grams(sentences: Sequence[Sentence]) -> bool:
    words = [word.lower() for sentence in sentences for word in _WORD.findall(sentence.text)]
    grams = list(zip(*(words[n:] for n in range(5)), strict=False))
    return len(set(grams)) < len(grams)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What is gout?", GOUT),
        ("What are the symptoms of gout?", "Common symptoms of gout are:"),
        ("How is gout treated?", "Gout is treated with rest, ice and anti-inflammatory medicines."),
        (
            "When should I call an ambulance for gout?",
            "Call the emergency number if gout comes with a high fever",
        ),
        ("How long does an attack of gout last?", "An attack of gout lasts about a week."),
    ],
)
def test_the_first_sentence_names_the_topic_and_answers_the_type(question: str, first: str) -> None:
    found = answer(question, GOUT_WHAT, GOUT_SYMPTOMS, GOUT_TREATMENT, GOUT_HELP)
    assert found[0].text.startswith(first)
    assert found[0].lead == ""


# --- follow-ups ---------------------------------------------------------------------------------------------


def test_the_type_is_the_last_message_s_and_the_topic_may_be_borrowed() -> None:
    evidence = (GOUT_WHAT, GOUT_SYMPTOMS, GOUT_TREATMENT)
    found = answer("What is gout? How is it treated?", *evidence, focus="How is it treated?")
    assert found[0].text == "Gout is treated with rest, ice and anti-inflammatory medicines."
    assert GOUT not in texts(found)


def test_a_follow_up_that_nothing_answers_gets_no_definition() -> None:
    evidence = [each for each in bundled() if each.chunk.title == "Sepsis"]
    assert answer("What is sepsis? How long does it last?", *evidence, focus="How long does it last?") == ()
    assert answer("What is sepsis?", *evidence)


def test_a_yes_no_question_may_follow() -> None:
    evidence = passage("Gout", "Gout is a kind of arthritis. Gout is rarely dangerous.", heading="What it is")
    found = answer("What is gout? and is it dangerous?", evidence, focus="and is it dangerous?")
    assert texts(found)[0] == "Gout is rarely dangerous."


# --- don'ts -------------------------------------------------------------------------------------------------


def test_what_not_to_do_is_answered_by_donts_alone() -> None:
    text = "Cool burns with water. Never put butter on burns. Burns should not be rubbed."
    evidence = passage("Burns", text, heading="What to do now")
    donts = ["Burns should not be rubbed.", "Never put butter on burns."]
    assert sorted(texts(answer("What should I not do for burns?", evidence))) == donts
    only = passage("Burns", "Cool burns with water.", heading="What to do now")
    assert answer("What should I not do for burns?", only) == ()


# --- what is answered -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    [
        "What is the outlook for gout?",  # the topic, but nothing of the type
        "What is psoriasis?",  # another topic
        "How many milligrams of allopurinol are taken for gout?",  # no number in the passages
        "Can I swim with gout?",  # nothing about swimming
        "",
    ],
)
def test_an_unsupported_question_has_no_answer(question: str) -> None:
    assert answer(question, GOUT_WHAT, GOUT_TREATMENT) == ()


def test_no_evidence_is_no_answer() -> None:
    assert answer("What is gout?") == ()


def test_a_question_with_two_parts_gets_both() -> None:
    found = texts(answer("What is gout and how is it treated?", GOUT_TREATMENT, GOUT_WHAT))
    assert found[0] == GOUT
    assert "Gout is treated with rest, ice and anti-inflammatory medicines." in found


def test_yes_no_questions_are_answered_by_a_sentence_with_their_words() -> None:
    evidence = passage("Flu", "Flu is a viral infection. Antibiotics do not work against flu.", heading="Treatment")
    assert texts(answer("Can I take antibiotics for the flu?", evidence))[0] == "Antibiotics do not work against flu."


def test_sentences_on_the_people_asked_about_win() -> None:
    evidence = passage(
        "Flu",
        "Call the emergency number for a child with flu who has:\n- blue lips\n- fast breathing\n"
        "Call the emergency number for an adult with flu who has:\n- chest pain\n- confusion",
        heading="When to get help",
    )
    assert texts(answer("When is flu an emergency for an adult?", evidence)) == [
        "Call the emergency number for an adult with flu who has:",
        "chest pain",
        "confusion",
    ]


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("es", "¿Cuáles son los síntomas de la diabetes?"),
        ("fr", "Quels sont les symptômes du diabète ?"),
        ("de", "Was sind die Symptome von Diabetes?"),
        ("it", "Quali sono i sintomi del diabete?"),
        ("pt", "Quais são os sintomas da diabetes?"),
    ],
)
def test_other_languages_have_cues_too(language: str, question: str) -> None:
    what = passage("Diabetes", "Diabetes is a long-term condition of the blood sugar.", heading="What it is")
    signs = passage("Diabetes", "Thirst and tiredness are typical of diabetes.", heading="Symptoms", ordinal=1)
    assert texts(answer(question, what, signs, language=language))[0] == "Thirst and tiredness are typical of diabetes."


def test_a_document_in_the_language_of_the_question_is_quoted() -> None:
    text = "La gota es una forma de artritis.\nSíntomas:\nLa gota suele causar dolor fuerte en el dedo gordo."
    evidence = passage("Gota", text, lang="es")
    assert texts(answer("¿Qué es la gota?", evidence, language="es"))[0] == "La gota es una forma de artritis."
    assert texts(answer("¿Cuáles son los síntomas de la gota?", evidence, language="es")) == [
        "La gota suele causar dolor fuerte en el dedo gordo."
    ]


# --- properties ---------------------------------------------------------------------------------------------

_SENTENCES = (
    "Gout is a kind of arthritis.",
    "Gout is treated with rest, ice and medicines.",
    "Symptoms of gout start at night.",
    "It can come back at any time.",
    "Uric acid causes gout when crystals form in a joint.",
    "Common symptoms of gout are:\n- a hot joint\n- red skin\n- severe pain in the big toe",
    "Common signs of gout in older people are:\n- a hot joint\n- stiffness of both hands",
    "Treatment:",
    "Migraine is a headache of one side.",
    "Call the emergency number for gout with fever.",
    "Is gout dangerous?",
    "A diet with less meat and less beer helps to prevent gout, and so does drinking more water every day.",
    "痛風は関節の病気です。",
    "The treatment of gout depends on the cause of gout; the treatment of gout depends on age.",
)
_QUESTIONS = (
    "What is gout?",
    "What are the symptoms of gout?",
    "How is gout treated?",
    "What causes gout and how can I prevent it?",
    "Is gout dangerous?",
    "gout",
    "migraine treatment",
)
_PASSAGES = st.builds(
    passage,
    st.sampled_from(("Gout", "Migraine", "What are the treatments for Gout ?")),
    st.lists(st.sampled_from(_SENTENCES), max_size=8).map("\n".join),
    heading=st.sampled_from(("", "Symptoms", "Treatment", "What it is", "Causes and risk factors")),
    doc_id=st.sampled_from(("a", "b")),
    ordinal=st.integers(0, 5),
)
_PROMPTS = st.builds(
    Prompt,
    question=st.sampled_from(_QUESTIONS) | st.text(max_size=80),
    focus=st.sampled_from(("", "How is it treated?", "what should I not do", "low blood pressure")),
    language=st.sampled_from(("en", "de", "ja")),
    evidence=st.lists(_PASSAGES, max_size=6).map(tuple),
)


@given(_PROMPTS, st.integers(5, 180))
def test_every_answer_is_quoted_marked_short_and_without_repeats(prompt: Prompt, max_words: int) -> None:
    found = compose(prompt, max_words=max_words)
    assert sum(len(sentence.text.split()) for sentence in found) <= max_words
    assert not repeated_grams(found)
    for sentence in found:
        assert sentence.cited
        assert sentence.markers
        assert not sentence.text.endswith("?")
        for marker in sentence.markers:
            assert sentence.text in prompt.evidence[marker - 1].chunk.text
    assert [sentence.lead for sentence in found[:1]] in ([], [""])


@given(_PROMPTS)
def test_an_answer_is_the_same_every_time(prompt: Prompt) -> None:
    assert compose(prompt) == compose(prompt)


# --- the generator ------------------------------------------------------------------------------------------


async def collect(generator: Generator, prompt: Prompt) -> list[Sentence]:
    return [sentence async for sentence in generator.stream(prompt)]


async def test_the_stream_ends_with_the_disclaimer() -> None:
    generator = Extractive(lambda key, language: f"{key} ({language}).")
    prompt = Prompt(question="What is gout?", language="en", evidence=(GOUT_WHAT,))
    found = await collect(generator, prompt)
    assert tuple(found[:-1]) == compose(prompt)
    assert found[-1] == Sentence(text="disclaimer (en).", lead="\n\n", cited=False)
    assert (generator.name, generator.model) == ("extractive", "extractive-1")


async def test_no_answer_has_no_disclaimer() -> None:
    prompt = Prompt(question="What is psoriasis?", language="en", evidence=(GOUT_WHAT,))
    assert await collect(Extractive(lambda key, language: f"{key} ({language})."), prompt) == []


# --- the thirty questions -----------------------------------------------------------------------------------


def test_the_thirty_questions_are_answered() -> None:
    """At least half of the facts and the topic first in 24 of 30, with passages of others mixed in."""
    passages = bundled()
    good, failed = 0, []
    lines = [
        line
        for name in ("emergency", "conditions")
        for line in (ROOT / f"evals/goldens/extractive/{name}.jsonl").read_text().splitlines()
    ]
    assert len(lines) == 30
    for number, line in enumerate(lines):
        golden = json.loads(line)
        right = [each for each in passages if each.chunk.doc_id == golden["doc"]][:6]
        wrong = [each for each in passages if each.chunk.doc_id != golden["doc"]]
        distractors = [wrong[number * 7 % len(wrong)], wrong[(number * 13 + 3) % len(wrong)]]
        found = answer(golden["text"], distractors[0], *right, distractors[1])
        said = " ".join(texts(found)).lower()
        facts = sum(any(word in said for word in fact) for fact in golden["facts"])
        named = bool(found) and any(word in found[0].text.lower() for word in golden["topic"])
        if named and 2 * facts >= len(golden["facts"]):
            good += 1
        else:
            failed.append(golden["id"])
    assert good >= 24, failed


# --- comparisons --------------------------------------------------------------------------------------------

SHINGLES = passage(
    "Shingles",
    "Shingles is a painful rash caused by the chickenpox virus. It follows one nerve.",
    heading="What it is",
)


def compared(*found: Evidence, question: str = "gout vs shingles") -> list[Sentence]:
    prompt = Prompt(question=question, language="en", evidence=found, sides=("gout", "shingles"))
    return list(compose(prompt))


def test_a_comparison_says_what_each_side_is_in_its_own_paragraph() -> None:
    sentences = compared(GOUT_WHAT, SHINGLES)
    second = next(n for n, sentence in enumerate(sentences) if sentence.lead == "\n\n")
    assert sentences[0].text == GOUT
    assert {sentence.markers for sentence in sentences[:second]} == {(1,)}
    assert sentences[second].text == "Shingles is a painful rash caused by the chickenpox virus."
    assert {sentence.markers for sentence in sentences[second:]} == {(2,)}


def test_a_comparison_of_something_that_no_source_has_is_not_answered_by_the_other_alone() -> None:
    assert compared(GOUT_WHAT, GOUT_SYMPTOMS) == []


def test_a_comparison_is_answered_by_what_was_asked_of_both() -> None:
    symptoms = passage("Shingles", "The first symptom of shingles is a burning pain.", heading="Symptoms", ordinal=1)
    sentences = compared(
        GOUT_WHAT,
        GOUT_SYMPTOMS,
        SHINGLES,
        symptoms,
        question="What symptoms do gout and shingles have, and how do they differ?",
    )
    assert any(sentence.text.startswith("Common symptoms of gout") for sentence in sentences)
    assert "The first symptom of shingles is a burning pain." in texts(sentences)


# --- overviews without sections -----------------------------------------------------------------------------

OVERVIEW = passage(
    "What is (are) Appendicitis ?",
    "The appendix is a small organ. Appendicitis is an emergency. The main symptom is pain in the abdomen.",
)
SPREAD = passage(
    "What is (are) Hepatitis C ?",
    "Hepatitis is an inflammation of the liver. One type, hepatitis C, comes from a virus. It usually spreads through "
    "contact with blood.",
)


def test_an_overview_tells_the_symptoms_of_its_own_topic_without_naming_it_again() -> None:
    assert texts(answer("What are the symptoms of appendicitis?", OVERVIEW))[:2] == [
        "Appendicitis is an emergency.",
        "The main symptom is pain in the abdomen.",
    ]


def test_a_sentence_that_leans_on_the_one_that_names_the_topic_is_quoted_behind_it() -> None:
    assert texts(answer("How is hepatitis C transmitted?", SPREAD))[:2] == [
        "One type, hepatitis C, comes from a virus.",
        "It usually spreads through contact with blood.",
    ]


@pytest.mark.parametrize(
    "question",
    [
        "Can I drink alcohol with gout medicines?",
        "Does gout change your DNA?",
        "What is the dose of colchicine for gout?",
        "How much water should I drink a day with gout?",
    ],
)
def test_a_question_about_something_that_no_passage_has_is_not_answered_by_its_topic(question: str) -> None:
    assert answer(question, GOUT_WHAT, GOUT_SYMPTOMS, GOUT_TREATMENT) == ()


def test_a_record_whose_title_is_the_question_opens_the_answer() -> None:
    record = passage("Is gout inherited ?", "This condition is not inherited. Families share habits.")
    others = passage("What causes Gout ?", "Carriers of gout genes are rare, and inherit gout from a parent.")
    assert texts(answer("Is gout inherited?", record, others, GOUT_WHAT))[:2] == [
        GOUT,
        "This condition is not inherited.",
    ]


def test_an_index_of_findings_comes_after_sentences() -> None:
    index = passage(
        "What are the symptoms of Gout ?",
        "Registry X provides the following list of signs and symptoms for gout. Fever 90% Rash 50% Pain 20%",
    )
    said = passage("What are the symptoms of Gout ?", "The first symptom of gout is pain in a toe.", ordinal=1)
    assert (
        texts(answer("What are the symptoms of gout?", index, said))[0] == "The first symptom of gout is pain in a toe."
    )


def test_long_items_of_a_promised_list_are_named() -> None:
    promised = passage(
        "Gout",
        "Gout can lead to complications. Here are some of the common complications, with their signs.\n"
        "- Kidney stones. These form when crystals collect in the kidneys and then block the flow of urine for days.\n"
        "- Joint damage. This happens when attacks come back again and again over years without any treatment.",
        heading="Complications",
    )
    assert texts(answer("What are the complications of gout?", promised))[:4] == [
        "Gout can lead to complications.",
        "Here are some of the common complications, with their signs.",
        "Kidney stones",
        "Joint damage",
    ]


@pytest.mark.parametrize("max_words", [45, 180])
def test_what_limits_a_sentence_is_quoted_with_it_or_neither_is(max_words: int) -> None:
    others = (
        "less contagious through blisters",
        "not contagious by towels kept wet",
        "hardly contagious from kisses",
        "seldom contagious with needles",
        "rarely contagious after long hugs",
        "barely contagious on toys",
    )
    claim = "Shingles cannot be passed from one person to another."
    spread = passage(
        "Shingles",
        f"{claim} However, the virus reaches people without chickenpox. "
        + " ".join(f"Shingles is {other}." for other in others),
        heading="Is it contagious?",
    )
    found = texts(answer("Is shingles contagious?", spread, max_words=max_words))
    assert claim not in found or found[found.index(claim) + 1].startswith("However")
    assert claim in found or max_words == 45


# --- beside the point ---------------------------------------------------------------------------------------


def test_what_the_topic_causes_is_no_cause_of_it() -> None:
    evidence = passage(
        "Gout",
        "Nearly a million people have gout, a leading cause of joint damage. Gout can lead to kidney stones. "
        "Gout increases the risk of heart disease. Crystals of uric acid cause gout.",
        heading="Causes",
    )
    assert texts(answer("What causes gout?", evidence)) == ["Crystals of uric acid cause gout."]


def test_it_that_causes_something_is_no_cause_of_the_topic() -> None:
    evidence = passage(
        "Gout", "Gout is a kind of arthritis. It is a leading cause of joint damage.", heading="What it is"
    )
    assert answer("What causes gout?", evidence) == ()


def test_medicines_that_bring_the_topic_about_do_not_treat_it() -> None:
    evidence = passage(
        "Gout",
        "Some drugs lead to gout, including:\n- water pills\n- some aspirin\nGout is treated with colchicine.",
        heading="Treatment",
    )
    assert texts(answer("How is gout treated?", evidence)) == ["Gout is treated with colchicine."]


def test_what_makes_complications_more_likely_is_none_of_them() -> None:
    evidence = passage("Gout", "Being overweight raises the risk of gout complications.", heading="Risks")
    assert answer("What are the complications of gout?", evidence) == ()


def test_symptoms_and_remarks_do_not_fill_an_answer_on_treatment() -> None:
    evidence = passage(
        "Gout",
        "Gout is treated with colchicine. Uric acid is made in the liver. The signs of gout are pain and heat.",
        heading="Treatment",
    )
    assert texts(answer("How is gout treated?", evidence)) == ["Gout is treated with colchicine."]


@pytest.mark.parametrize(
    "aside",
    [
        "Several studies are looking at new treatments of gout.",
        "In the past, gout was treated with meadow saffron.",
        "While gout can be treated, it often comes back.",
        "Ice packs may also help to treat gout.",
        "Opium is not recommended for the treatment of gout.",
    ],
)
def test_research_the_past_and_asides_do_not_open_an_answer(aside: str) -> None:
    evidence = passage("Gout", f"{aside} Gout is treated with rest and colchicine.", heading="Treatment")
    assert texts(answer("How is gout treated?", evidence))[0] == "Gout is treated with rest and colchicine."


# --- the people asked about ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    ["How is gout treated in pregnancy?", "gout treatment in children", "How is gout treated in a 5-year-old?"],
)
def test_what_is_said_of_everybody_does_not_answer_for_the_people_asked_about(question: str) -> None:
    assert answer(question, GOUT_WHAT, GOUT_TREATMENT) == ()


def test_a_sentence_or_a_title_may_name_the_people_asked_about() -> None:
    said = passage("Gout", "Gout is treated with rest in children. Gout is treated with ice.", heading="Treatment")
    assert texts(answer("gout treatment in children", said))[0] == "Gout is treated with rest in children."
    titled = passage("Gout in children", "Gout is treated with rest.", heading="Treatment")
    assert texts(answer("gout treatment in children", titled)) == ["Gout is treated with rest."]


def test_a_sentence_on_another_age_does_not_answer() -> None:
    under = passage("Colchicine", "Colchicine should not be given to a baby under 3 months.", heading="Safety")
    over = passage("Colchicine", "Colchicine can be given to a child of 6 years or older.", heading="Safety")
    assert answer("Can I give colchicine to my 2-year-old?", under, over) == ()
    assert answer("Can I give colchicine to my 7-year-old child?", under, over) != ()
    assert answer("Can I give colchicine to my 2-month-old baby?", under, over) != ()


def test_words_that_ask_for_the_type_need_not_be_repeated() -> None:
    evidence = passage("Gout", "Gout is inherited in some cases.", heading="Inheritance")
    assert texts(answer("Does gout run in families?", evidence)) == ["Gout is inherited in some cases."]


def test_a_question_between_two_topics_is_not_answered_by_one_of_them() -> None:
    alcohol = passage("Alcohol", "Nobody should drink alcohol every day. Alcohol is safe in small amounts.")
    gout = passage("Gout", GOUT)
    assert answer("Is it safe to drink alcohol with gout?", alcohol, gout) == ()
    assert answer("Is it safe to drink alcohol?", alcohol, gout) != ()


def test_what_raises_the_risk_does_not_prevent() -> None:
    evidence = passage(
        "Gout",
        "Having gout once increases the risk of gout. Drinking water helps to prevent gout.",
        heading="Prevention",
    )
    assert texts(answer("How can I prevent gout?", evidence)) == ["Drinking water helps to prevent gout."]


def test_how_long_a_chronic_kind_lasts_is_not_told_by_its_name() -> None:
    evidence = passage("Gout", "Beer is the main cause of chronic gout. An attack of gout goes away within a week.")
    assert texts(answer("How long does gout last?", evidence)) == ["An attack of gout goes away within a week."]


def test_how_symptoms_differ_comes_after_what_they_are() -> None:
    evidence = passage(
        "Gout",
        "Symptoms of gout vary from person to person. The symptoms of gout are pain and heat.",
        heading="Symptoms",
    )
    assert texts(answer("What are the symptoms of gout?", evidence))[0] == "The symptoms of gout are pain and heat."


def test_a_list_that_holds_both_sides_answers_a_comparison() -> None:
    found = passage(
        "Cholesterol",
        "The difference between the two main forms of cholesterol:\n\n- LDL is left in the walls of the arteries\n"
        "- HDL goes back to the liver",
        heading="What it is",
    )
    question = "What is the difference between LDL and HDL cholesterol?"
    prompt = Prompt(question=question, language="en", evidence=(found,), sides=("LDL", "HDL"))
    assert len(compose(prompt)) == 3


def test_the_same_words_from_two_passages_are_said_once() -> None:
    first = passage("Gout", "Gout is a kind of arthritis. Gout is not contagious.", heading="What it is", doc_id="a")
    second = passage("Gout", "Gout is not contagious. Gout is caused by uric acid.", heading="What it is", doc_id="b")
    said = texts(answer("What is gout?", first, second))
    assert len(said) == len(set(said))
    assert "Gout is not contagious." in said


def test_what_the_topic_is_a_sign_of_is_no_sign_of_it() -> None:
    text = "Headaches are symptoms of other disorders, such as stroke. A dull pain is typical of a headache."
    said = texts(answer("What are the symptoms of a headache?", passage("Headache", text, heading="Symptoms")))
    assert "Headaches are symptoms of other disorders, such as stroke." not in said


def test_that_treatment_depends_on_the_cause_tells_no_cause() -> None:
    text = "Treatment for hair loss depends on the cause. Hair loss is caused by illness, stress or age."
    said = texts(answer("What causes hair loss?", passage("Hair loss", text, heading="What it is")))
    assert said[0] == "Hair loss is caused by illness, stress or age."


def test_an_answer_opens_with_the_name_of_its_topic_before_the_condition() -> None:
    text = (
        "Bladder cancer begins in the lining of the bladder. Risk factors for the condition include smoking and "
        "infections of the bladder. Risk factors for bladder cancer include smoking and certain chemicals."
    )
    said = texts(answer("Does smoking cause bladder cancer?", passage("Bladder cancer", text, heading="What it is")))
    assert said[0] == "Risk factors for bladder cancer include smoking and certain chemicals."


def test_when_help_is_needed_comes_before_when_it_is_not() -> None:
    text = "Not all headaches need a doctor. Let your health care provider know if a headache is sudden and severe."
    said = texts(answer("When should I see a doctor about a headache?", passage("Headache", text, heading="Outlook")))
    assert said[0] == "Let your health care provider know if a headache is sudden and severe."
