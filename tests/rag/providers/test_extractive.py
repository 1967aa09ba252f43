"""The extractive generator quotes the right sentences, whole, in order, with markers, or says nothing."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.faithfulness import check_sentence
from rag.ingest.chunk import chunk_document
from rag.ingest.readers import read_source
from rag.ingest.records import BadRecord, Defaults
from rag.protocols import Generator
from rag.providers.extractive import Extractive, compose
from rag.question import Kind, heading_kinds, question_kinds
from rag.types import Chunk, Evidence, Prompt, Scores, Sentence

ROOT = Path(__file__).parents[3]
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


def passage(
    title: str,
    text: str,
    *,
    heading: str = "",
    topic: str = "",
    doc_id: str = "",
    ordinal: int = 0,
    lang: str = "en",
) -> Evidence:
    chunk = Chunk(
        id=1,
        chunk_id=f"{doc_id or title}-{ordinal}-{heading}",
        doc_id=doc_id or title,
        source="test",
        title=title,
        heading=heading,
        text=text,
        organization="Test",
        url=None,
        version_date=None,
        lang=lang,
        topic=topic,
        licence="",
        jurisdiction=None,
        doc_type=None,
        hierarchy_rank=1,
        effective_from=None,
        content_hash="",
        ordinal=ordinal,
    )
    return Evidence(chunk=chunk, scores=Scores())


def answer(
    question: str, *evidence: Evidence, language: str = "en", max_words: int = 180, focus: str = ""
) -> tuple[Sentence, ...]:
    prompt = Prompt(question=question, focus=focus, language=language, evidence=evidence)
    return compose(prompt, max_words=max_words)


def texts(sentences: Iterable[Sentence]) -> list[str]:
    return [sentence.text for sentence in sentences]


def repeated_grams(sentences: Sequence[Sentence]) -> bool:
    words = [word.lower() for sentence in sentences for word in _WORD.findall(sentence.text)]
    grams = list(zip(*(words[n:] for n in range(5)), strict=False))
    return len(set(grams)) < len(grams)


GOUT = "Gout is a kind of arthritis that causes sudden, severe joint pain."
GOUT_WHAT = passage("Gout", f"{GOUT} Crystals of uric acid form inside the joint.", heading="What it is", ordinal=0)
GOUT_SYMPTOMS = passage(
    "Gout",
    "Symptoms of gout usually start at night.\n\nCommon symptoms of gout are:\n\n- a hot, swollen joint\n"
    "- red, shiny skin\n- pain when the joint is touched\n\nAn attack of gout lasts about a week.",
    heading="Symptoms",
    ordinal=1,
)
GOUT_TREATMENT = passage(
    "Gout",
    "Gout is treated with rest, ice and anti-inflammatory medicines. Allopurinol lowers uric acid in the long run.",
    heading="Treatment",
    ordinal=2,
)
GOUT_HELP = passage(
    "Gout",
    "See a doctor about a first attack of gout. Call the emergency number if gout comes with a high fever "
    "and shivering.",
    heading="When to get help",
    ordinal=3,
)
MIGRAINE = passage(
    "Migraine",
    "Common symptoms of migraine are:\n\n- throbbing headache\n- feeling sick\n\nMigraine is treated with "
    "rest in the dark.",
    heading="Symptoms",
)


# --- type and topic -----------------------------------------------------------------------------------------


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


def test_a_passage_about_another_topic_contributes_nothing() -> None:
    found = answer("What are the symptoms of gout?", MIGRAINE, GOUT_SYMPTOMS)
    assert {marker for sentence in found for marker in sentence.markers} == {2}


def test_the_same_passage_answers_when_its_topic_is_asked_about() -> None:
    found = answer("What are the symptoms of a migraine?", MIGRAINE, GOUT_SYMPTOMS)
    assert {marker for sentence in found for marker in sentence.markers} == {1}


def test_a_numbered_type_is_not_another_type() -> None:
    one = passage("Type 1 diabetes", "Type 1 diabetes is an illness that starts early in life.", heading="What it is")
    assert answer("What is type 2 diabetes?", one) == ()
    assert answer("What is type 1 diabetes?", one)


def test_a_compound_is_not_another_compound() -> None:
    attack = passage("Heart attack", "A heart attack is an emergency of the heart.", heading="What it is")
    assert answer("What is heart failure?", attack) == ()
    assert answer("What is a heart attack?", attack)


@pytest.mark.parametrize(
    ("question", "title", "text"),
    [
        ("How is low blood pressure treated?", "High blood pressure", "High blood pressure is treated with tablets."),
        ("How is hypotension of the blood treated?", "Hypertension", "Blood pressure is treated with tablets."),
        ("Why is my cholesterol so low?", "High cholesterol", "High cholesterol is caused by fatty food."),
        ("What is gestational diabetes?", "Type 2 diabetes", "Type 2 diabetes is a long-term condition."),
        ("What is diabetes in pregnancy?", "Type 2 diabetes", "Type 2 diabetes is a long-term condition."),
        ("What is type 1 diabetes?", "Type 2 diabetes", "Type 2 diabetes is not the same as type 1 diabetes."),
        ("What is gestational diabetes?", "Diabetes", "Diabetes is a long-term condition."),
        ("upper back pain treatment", "Low back pain", "Back pain is treated with movement."),
        ("heart failure treatment", "Heart attack", "A heart attack is treated in hospital, as heart failure is."),
        ("stomach flu symptoms", "Influenza (flu)", "Symptoms of flu are fever and cough."),
        ("bird flu symptoms", "Stomach flu", "Symptoms of the stomach flu are cramps."),
        ("What is acute bronchitis?", "Chronic bronchitis", "Bronchitis is a cough that lasts."),
        ("What is fever in adults?", "Fever in babies", "Fever is a high temperature."),
        ("chest infection treatment", "Urinary tract infection", "An infection is treated with antibiotics."),
        ("chest infection treatment", "Sepsis", "Treatment of sepsis from a chest wound or an infection is urgent."),
    ],
)
def test_a_contrasting_qualifier_is_binding(question: str, title: str, text: str) -> None:
    for heading in ("What it is", "Treatment", "Symptoms", "Causes"):
        assert answer(question, passage(title, text, heading=heading)) == ()


@pytest.mark.parametrize(
    ("question", "title", "text"),
    [
        ("What is high blood pressure?", "Hypertension", "High blood pressure is too much force on the arteries."),
        ("What is low blood pressure?", "Low blood pressure", "Low blood pressure is common in the young."),
        ("What is heat stroke?", "Heat illness", "Heat stroke is the most severe heat illness."),
        ("What is iron deficiency anaemia?", "Iron-deficiency anaemia", "Iron-deficiency anaemia is a lack of iron."),
        ("What is bladder cancer?", "Bladder cancer", "Bladder cancer is a growth in the bladder."),
        ("What is a panic attack?", "Anxiety", "A panic attack is a sudden rush of fear."),
        ("What is lower back pain?", "Low back pain", "Low back pain is pain below the ribs."),
        ("What is gestational diabetes?", "Diabetes", "Gestational diabetes is diabetes that starts in pregnancy."),
        ("What is acute bronchitis?", "Acute bronchitis", "Acute bronchitis is a cough of a few weeks."),
        ("What is an acute flare of COPD?", "Chronic obstructive lung disease (COPD)", "COPD is a flare or more."),
        ("What is cardiac arrest?", "Cardiac arrest", "Cardiac arrest is when the heart stops."),
    ],
)
def test_the_same_qualifier_is_answered(question: str, title: str, text: str) -> None:
    assert texts(answer(question, passage(title, text, heading="What it is"))) == [text]


def test_another_condition_s_section_says_nothing_about_one_that_it_mentions() -> None:
    evidence = passage(
        "High blood pressure",
        "High blood pressure can lead to heart failure. Headache is a symptom that some people feel.",
        heading="Symptoms",
    )
    assert answer("What are the symptoms of heart failure?", evidence) == ()
    assert answer("Can high blood pressure lead to heart failure?", evidence)


def test_what_is_compared_stands_in_the_sentence() -> None:
    text = "A heart attack differs from heart failure. A heart attack differs from person to person."
    evidence = passage("Heart attack", text, heading="What it is")
    assert texts(answer("What is the difference between a heart attack and heart failure?", evidence)) == [
        "A heart attack differs from heart failure."
    ]


@pytest.mark.parametrize(
    "question",
    [
        "how is low blood pressure treated",
        "What causes low cholesterol?",
        "stomach flu symptoms",
        "What is gestational diabetes?",
        "What is type 1 diabetes?",
        "upper back pain",
        "middle back pain treatment",
        "symptoms of heart failure",
        "heart failure treatment",
        "chest infection treatment",
        "bird flu symptoms",
        "difference between heart attack and cardiac arrest",
        "heat stroke symptoms",
        "heat stroke treatment",
        "what is sickle cell anaemia",
        "aplastic anaemia treatment",
        "treatment of haemolytic anaemia",
        "symptoms of lead poisoning",
        "food poisoning treatment",
        "cold sore treatment",
        "cold urticaria symptoms",
        "bladder cancer symptoms",
        "ocular hypertension treatment",
        "ectopic pregnancy symptoms",
        "morning sickness treatment",
        "postpartum depression treatment",
    ],
)
def test_the_bundled_documents_do_not_answer_for_their_neighbours(question: str) -> None:
    assert answer(question, *bundled()) == ()


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("low back pain", "low back pain"),
        ("lower back pain treatment", "low back pain"),
        ("What is high blood pressure?", "blood pressure"),
        ("how is high blood pressure treated", "high blood pressure"),
        ("What are the symptoms of type 2 diabetes?", "type 2 diabetes"),
        ("diabetes symptoms", "type 2 diabetes"),
        ("What is chronic obstructive pulmonary disease?", "chronic obstructive pulmonary disease"),
        ("What causes high cholesterol?", "high cholesterol"),
        ("flu symptoms", "flu"),
        ("What should I do during a heart attack?", "heart attack"),
        ("does high blood pressure cause heart failure", "high blood pressure"),
    ],
)
def test_the_bundled_documents_still_answer_for_their_own(question: str, named: str) -> None:
    found = answer(question, *bundled())
    assert found
    assert named in found[0].text.lower()


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


def test_the_qualifier_of_the_last_message_counts() -> None:
    two = passage("Type 2 diabetes", "Type 2 diabetes is a long-term condition.", heading="What it is")
    assert answer("What is type 2 diabetes? What is type 1?", two, focus="What is type 1?") == ()


# --- don'ts -------------------------------------------------------------------------------------------------


def test_what_not_to_do_is_answered_by_donts_alone() -> None:
    text = "Cool burns with water. Never put butter on burns. Burns should not be rubbed."
    evidence = passage("Burns", text, heading="What to do now")
    donts = ["Burns should not be rubbed.", "Never put butter on burns."]
    assert sorted(texts(answer("What should I not do for burns?", evidence))) == donts
    only = passage("Burns", "Cool burns with water.", heading="What to do now")
    assert answer("What should I not do for burns?", only) == ()


@pytest.mark.parametrize("word", ["anaemia", "anaemic", "Anaemias"])
def test_inflected_words_name_the_topic(word: str) -> None:
    evidence = passage("Anaemia", "Anaemia is a lack of healthy red blood cells.", heading="What it is")
    assert answer(f"What is it when you have {word}?", evidence)


def test_initials_of_a_title_name_the_topic() -> None:
    evidence = passage(
        "Urinary tract infection",
        "A urinary tract infection is an infection of the bladder.",
        heading="What it is",
    )
    assert answer("What is a UTI?", evidence)


def test_another_name_in_the_text_names_the_topic() -> None:
    evidence = passage(
        "High blood pressure",
        "High blood pressure, also called hypertension, is too much force on the arteries.",
        heading="What it is",
    )
    assert answer("What is hypertension?", evidence)


def test_the_topic_field_names_the_topic() -> None:
    evidence = passage(
        "Anaphylaxis",
        "Anaphylaxis is a dangerous reaction.",
        heading="What it is",
        topic="severe allergic reaction",
    )
    assert answer("What is an allergic reaction?", evidence)


def test_a_word_of_the_text_can_be_the_topic_where_no_title_is() -> None:
    evidence = passage(
        "Stroke", "A tourniquet is a tight band around a limb that stops blood.", heading="What to do now"
    )
    assert texts(answer("What is a tourniquet?", evidence)) == [
        "A tourniquet is a tight band around a limb that stops blood."
    ]


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
    ("question", "kinds"),
    [
        ("What is asthma?", (Kind.WHAT,)),
        ("Tell me about asthma", (Kind.WHAT,)),
        ("asthma", (Kind.ANY,)),
        ("How can I tell that it is asthma?", (Kind.SYMPTOMS,)),
        ("What does asthma feel like?", (Kind.SYMPTOMS,)),
        ("What are the symptoms of hereditary asthma?", (Kind.SYMPTOMS,)),
        ("Is asthma inherited?", (Kind.INHERITANCE,)),
        ("Why do people get asthma?", (Kind.CAUSES,)),
        ("What sets off asthma?", (Kind.CAUSES,)),
        ("Who is most likely to get asthma?", (Kind.RISK,)),
        ("How do doctors treat asthma?", (Kind.TREATMENT,)),
        ("How do I get rid of asthma?", (Kind.TREATMENT,)),
        ("What should I do during an asthma attack?", (Kind.FIRST_AID,)),
        ("What should I eat with asthma?", (Kind.SELF_CARE,)),
        ("How is asthma diagnosed?", (Kind.DIAGNOSIS,)),
        ("How do I stop getting asthma?", (Kind.PREVENTION,)),
        ("When should I see a doctor about asthma?", (Kind.HELP,)),
        ("When does asthma become an emergency?", (Kind.HELP,)),
        ("What is the outlook for asthma?", (Kind.OUTLOOK,)),
        ("How long does asthma last?", (Kind.DURATION,)),
        ("Is asthma contagious?", (Kind.CONTAGION,)),
        ("Is asthma dangerous?", (Kind.SEVERITY,)),
        ("How common is asthma?", (Kind.FREQUENCY,)),
        ("How many people are affected by asthma?", (Kind.FREQUENCY,)),
        ("What happens if asthma is not treated?", (Kind.COMPLICATIONS,)),
        ("How many milligrams of it do I take?", (Kind.AMOUNT,)),
        ("Can asthma cause chest pain?", (Kind.ANY,)),
        ("Who can I call about my asthma?", (Kind.HELP,)),
        ("whats good for asthma", (Kind.TREATMENT,)),
        ("What is good for asthma?", (Kind.TREATMENT,)),
        ("What should I not do with asthma?", (Kind.DONTS,)),
        ("What shouldn't I do with asthma?", (Kind.DONTS,)),
        ("what not to do with asthma", (Kind.DONTS,)),
        ("What should I do if I'm not well?", (Kind.FIRST_AID,)),
        ("What causes asthma and how is it treated?", (Kind.CAUSES, Kind.TREATMENT)),
    ],
)
def test_the_words_of_a_question_tell_its_type(question: str, kinds: tuple[Kind, ...]) -> None:
    assert question_kinds(question) == kinds


@pytest.mark.parametrize(
    ("heading", "kinds"),
    [
        ("What it is", {Kind.WHAT}),
        ("Causes and risk factors", {Kind.CAUSES, Kind.RISK}),
        ("Prevention and self-care", {Kind.PREVENTION, Kind.SELF_CARE}),
        ("Symptoms › In older people", {Kind.SYMPTOMS}),
        ("What are the treatments for Gout ?", {Kind.TREATMENT}),
        ("Gout", set()),
    ],
)
def test_a_heading_tells_the_types_that_its_section_answers(heading: str, kinds: set[Kind]) -> None:
    assert heading_kinds(heading) == kinds


# --- what is quoted -----------------------------------------------------------------------------------------


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


def test_a_long_list_is_cut_to_eight_items() -> None:
    names = [
        "apple",
        "pear",
        "plum",
        "cherry",
        "melon",
        "lemon",
        "orange",
        "grape",
        "banana",
        "mango",
        "papaya",
        "lychee",
    ]
    items = "".join(f"- {name}\n" for name in names)
    evidence = passage("Gout", f"Things that cause gout are:\n{items}", heading="Causes")
    found = answer("What causes gout?", evidence)
    assert texts(found)[1:] == names[:8]


def test_a_list_of_ten_is_not_cut_for_two() -> None:
    names = ["apple", "pear", "plum", "cherry", "melon", "lemon", "orange", "grape", "banana", "mango"]
    items = "".join(f"- {name}\n" for name in names)
    evidence = passage("Gout", f"Things that cause gout are:\n{items}", heading="Causes")
    assert texts(answer("What causes gout?", evidence))[1:] == names


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


@settings(max_examples=200, deadline=None)
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


@settings(max_examples=100, deadline=None)
@given(_PROMPTS)
def test_an_answer_is_the_same_every_time(prompt: Prompt) -> None:
    assert compose(prompt) == compose(prompt)


@settings(max_examples=150, deadline=None)
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


def test_a_turn_takes_milliseconds() -> None:
    evidence = [
        passage(
            "Gout",
            " ".join(f"Gout is treated with remedy {n} of kind {k}." for n in range(40)),
            heading="Treatment",
        )
        for k in range(6)
    ]
    answer("How is gout treated?", *evidence)
    taken = []
    for _ in range(5):
        start = time.process_time()
        answer("How is gout treated?", *evidence)
        taken.append(time.process_time() - start)
    assert min(taken) < 0.03  # processor time; 0.006 when measured, 2026-11-30


# --- the generator ------------------------------------------------------------------------------------------


async def collect(generator: Generator, prompt: Prompt) -> list[Sentence]:
    return [sentence async for sentence in generator.stream(prompt)]


async def test_the_stream_ends_with_the_disclaimer() -> None:
    generator = Extractive("Not medical advice.")
    prompt = Prompt(question="What is gout?", language="en", evidence=(GOUT_WHAT,))
    found = await collect(generator, prompt)
    assert tuple(found[:-1]) == compose(prompt)
    assert found[-1] == Sentence(text="Not medical advice.", lead="\n\n", cited=False)
    assert (generator.name, generator.model) == ("extractive", "extractive-1")


async def test_no_answer_has_no_disclaimer() -> None:
    prompt = Prompt(question="What is psoriasis?", language="en", evidence=(GOUT_WHAT,))
    assert await collect(Extractive("Not medical advice."), prompt) == []


# --- the thirty questions -----------------------------------------------------------------------------------


def bundled() -> list[Evidence]:
    found = []
    for document in read_source(ROOT / "data/corpus/health", Defaults()):
        assert not isinstance(document, BadRecord), document
        for piece in chunk_document(document, lambda text: len(text.split()) * 4 // 3):
            found.append(
                passage(
                    document.title,
                    piece.text,
                    heading=piece.heading,
                    topic=document.topic,
                    doc_id=document.doc_id,
                    ordinal=piece.ordinal,
                )
            )
    return found


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
