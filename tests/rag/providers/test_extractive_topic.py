"""Only what is about the topic of the question is quoted, however the topic is named."""

from __future__ import annotations

import pytest

from tests.rag.providers.passages import GOUT_SYMPTOMS, answer, bundled, passage, texts

MIGRAINE = passage(
    "Migraine",
    "Common symptoms of migraine are:\n\n- throbbing headache\n- feeling sick\n\nMigraine is treated with "
    "rest in the dark.",
    heading="Symptoms",
)


def test_a_passage_about_another_topic_contributes_nothing() -> None:
    found = answer("What are the symptoms of gout?", MIGRAINE, GOUT_SYMPTOMS)
    assert {marker for sentence in found for marker in sentence.markers} == {2}


def test_the_same_passage_answers_when_its_topic_is_asked_about() -> None:
    found = answer("What are the symptoms of a migraine?", MIGRAINE, GOUT_SYMPTOMS)
    assert {marker for sentence in found for marker in sentence.markers} == {1}


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
        ("does high blood pressure cause kidney disease", "high blood pressure"),
    ],
)
def test_the_bundled_documents_still_answer_for_their_own(question: str, named: str) -> None:
    found = answer(question, *bundled())
    assert found
    assert named in found[0].text.lower()


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


def test_an_abbreviation_does_not_name_a_narrower_kind() -> None:
    narrower = passage("Juvenile gouty joint disease", "Juvenile gouty joint disease (GJD) is seen in children.")
    own = passage("Gouty joint disease", "Gouty joint disease (GJD) is caused by crystals.")
    assert texts(answer("What is GJD?", narrower, own))[0] == "Gouty joint disease (GJD) is caused by crystals."


def test_either_name_of_a_title_names_the_topic() -> None:
    evidence = passage("Gout/Podagra", "The first signs of gout may be a hot toe.")
    assert texts(answer("What are the symptoms of gout?", evidence)) == ["The first signs of gout may be a hot toe."]


def test_the_side_effects_of_a_medicine_are_not_those_of_another_one() -> None:
    evidence = passage(
        "Gout",
        "Doctors start with rest because side effects are rare. Most medicines have side effects. "
        "Colchicine is used when rest fails. Colchicine can cause diarrhoea.",
        heading="Treatment",
    )
    found = texts(answer("What are the side effects of colchicine?", evidence))
    assert found == ["Colchicine can cause diarrhoea."]
    assert answer("What are the side effects of naproxen?", evidence) == ()


def test_what_causes_the_topic_is_no_symptom_of_it() -> None:
    evidence = passage("Gout", "Some water pills can cause gout. Gout can cause a sudden pain in a toe.")
    assert texts(answer("What are the symptoms of gout?", evidence)) == ["Gout can cause a sudden pain in a toe."]


def test_down_is_a_name_before_syndrome() -> None:
    evidence = passage("Down syndrome", "Down syndrome is a condition with one more chromosome 21.")
    assert texts(answer("What is Down syndrome?", evidence)) == [
        "Down syndrome is a condition with one more chromosome 21."
    ]


def test_what_lasts_or_is_serious_in_another_section_is_not_the_topic() -> None:
    help_section = passage("Gout", "Get help if a swelling in gout lasts for 12 hours.", heading="When to get help")
    treatment = passage("Gout", "Serious side effects of gout tablets are rare.", heading="Treatment")
    own = passage("Gout", "An attack of gout lasts about a week. Gout can be serious.", heading="What it is")
    assert answer("How long does gout last?", help_section) == ()
    assert answer("Is gout dangerous?", treatment) == ()
    assert texts(answer("How long does gout last?", help_section, own))[0] == "An attack of gout lasts about a week."
    assert texts(answer("Is gout serious?", treatment, own))[0] == "Gout can be serious."


def test_a_title_may_set_two_names_side_by_side() -> None:
    text = "Benign prostatic hyperplasia is a growth of the prostate gland that is no cancer."
    evidence = passage("Prostate Enlargement: Benign Prostatic Hyperplasia", text, heading="What it is")
    assert texts(answer("What is prostate enlargement?", evidence)) == [text]


def test_what_stands_before_a_colon_is_no_name_where_a_part_of_it_is_told_behind() -> None:
    text = "Kidneys are harmed by high blood sugar in diabetes."
    narrow = passage("Prevent diabetes problems: Keep your kidneys healthy", text, heading="What it is")
    wide = passage("Diabetes", "Diabetes is a disease with too much blood sugar.", heading="What it is")
    assert texts(answer("What is diabetes?", narrow, wide)) == ["Diabetes is a disease with too much blood sugar."]


def test_a_sentence_that_only_mentions_the_topic_of_no_title_is_no_answer() -> None:
    poisoning = passage(
        "Poisoning",
        "Poisoning with vomiting, drowsiness, seizures or loss of consciousness needs an ambulance.",
        heading="What to do now",
    )
    asthma = passage(
        "Asthma",
        "Call the emergency number during an asthma attack if there is:\n\n- too little breath to speak or sleep\n"
        "- sudden confusion",
        heading="When to get help",
    )
    assert answer("What should I do if someone has a seizure?", poisoning) == ()
    assert answer("How can I sleep better?", asthma) == ()
    told = passage("Poisoning", "A seizure needs an ambulance when it lasts five minutes.", heading="What to do now")
    assert texts(answer("What should I do if someone has a seizure?", told)) == [
        "A seizure needs an ambulance when it lasts five minutes."
    ]


def test_people_with_another_illness_tell_no_complication() -> None:
    text = "People with heart or kidney failure should ask how much to drink during a urinary tract infection."
    evidence = passage("Urinary tract infection", text)
    assert answer("What happens if a urinary tract infection is not treated?", evidence) == ()


def test_first_aid_is_told_from_its_first_step_on() -> None:
    steps = [
        "Safety comes first in severe bleeding.",
        "Call the emergency number for severe bleeding.",
        "Firm pressure on the wound is the most important first aid for severe bleeding.",
        "An object stuck in a bleeding wound should not be pulled out.",
    ]
    evidence = passage("Severe bleeding", "\n\n".join(steps), heading="What to do now")
    assert texts(answer("How do I stop severe bleeding?", evidence)) == steps


def test_a_cause_that_has_to_be_found_is_none() -> None:
    evidence = passage("Vertigo", "If you have vertigo often, you should see your doctor to find the cause.")
    assert answer("What causes vertigo?", evidence) == ()
