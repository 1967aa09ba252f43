"""The fixed words and the numbers to dial: complete, sourced, and never a guess."""

from __future__ import annotations

import re
from importlib.resources.abc import Traversable

import pytest

from safety.assess import Assessor
from safety.rules import RULES, RuleTableError, load_table
from safety.texts import HELPLINES, TEXTS, load_helplines, load_texts
from safety.types import FiredRule, RiskAssessment, RiskClass

TABLE = load_table(RULES / "en.toml")
ENGLISH = load_texts(TEXTS / "en.toml")
LINES = load_helplines(HELPLINES)
STEPS = {
    "choking": "shoulder blades", "drowning": "CPR", "seizure": "put nothing in the mouth", "child": "your child",
    "labour": "maternity", "meningitis": "sepsis", "electrocution": "current", "carbon_monoxide": "fresh air",
    "torsion": "within hours", "diabetic": "something sweet", "poisoning": "button battery",
    "aortic": "Do not drive yourself", "adrenal": "hydrocortisone", "eye": "hold the eye open", "burns": "20 minutes",
    "venom": "Do not cut or suck", "heat": "wet cloths", "cold": "blankets", "bleeding": "pinch the soft part",
    "abdomen": "Do not eat or drink", "clot": "chest pain", "gi_bleed": "a lot of blood", "neuro": "do not drive",
    "dehydration": "small sips", "withdrawal": "In a seizure", "psychosis": "do not argue", "harm": "safe place",
    "ambulance": "say where you are",
}  # fmt: skip
POLICE = {"JP": "110", "KR": "112", "BR": "190", "ZA": "10111", "CH": "117", "FR": "17"}


@pytest.mark.parametrize(
    "text", [TEXTS / name for name in sorted(p.name for p in TEXTS.iterdir())], ids=lambda p: p.name
)
def test_every_language_says_all_that_english_says_from_the_same_sources(text: Traversable) -> None:
    found = load_texts(text)
    assert found.sentences.keys() == ENGLISH.sentences.keys()
    assert found.notices.keys() == ENGLISH.notices.keys()
    assert found.steps.keys() == ENGLISH.steps.keys()
    for family, steps in found.steps.items():
        assert steps.sources == ENGLISH.steps[family].sources, family
        assert len(steps.steps) == len(ENGLISH.steps[family].steps), family
        assert all(
            source.url.startswith("http") and re.fullmatch(r"2026-\d\d-\d\d", source.seen) for source in steps.sources
        )
    assert found.reviewed_by == ""


@pytest.mark.parametrize(("family", "words"), STEPS.items())
def test_an_emergency_gets_the_steps_of_its_own_kind(assessor: Assessor, family: str, words: str) -> None:
    found = RiskAssessment(
        risk_class=RiskClass.R5,
        fired=(FiredRule(id=f"{family}.x", risk_class=RiskClass.R5, family=family, notice="emergency"),),
        banner=True,
    )
    assert words in " ".join(assessor.emergency_text(found, "GB").steps)


@pytest.mark.parametrize("rule", TABLE.rules, ids=lambda rule: rule.id)
def test_every_rule_has_a_notice_and_a_source(rule: object) -> None:
    assert rule in TABLE.rules
    for entry in TABLE.rules:
        assert entry.notice in ENGLISH.notices
        assert entry.source.organisation
        assert entry.source.url.startswith("http")


def test_there_are_numbers_for_the_whole_union_and_eighty_countries() -> None:
    assert len(LINES) >= 80
    union = [
        "AT",
        "BE",
        "BG",
        "CY",
        "CZ",
        "DE",
        "DK",
        "EE",
        "ES",
        "FI",
        "FR",
        "GR",
        "HR",
        "HU",
        "IE",
        "IT",
        "LT",
        "LU",
        "LV",
        "MT",
        "NL",
        "PL",
        "PT",
        "RO",
        "SE",
        "SI",
        "SK",
    ]
    assert [country for country in union if country not in LINES] == []


@pytest.mark.parametrize("country", sorted(LINES))
def test_every_number_has_a_source_and_a_date(country: str) -> None:
    line = LINES[country]
    assert line.sources
    assert all(re.fullmatch(r"\d{4}-\d{2}-\d{2}", source.seen) for source in line.sources)
    for number in (line.emergency, line.ambulance, line.crisis, line.poison):
        assert number is None or re.fullmatch(r"[\d][\d -]*", number)


@pytest.mark.parametrize(("country", "police"), POLICE.items())
def test_nobody_is_sent_to_the_police_for_an_ambulance(country: str, police: str) -> None:
    assert LINES[country].medical != police


def test_the_banner_names_the_ambulance_of_the_country(assessor: Assessor) -> None:
    assessment = assessor.assess(["I can't breathe"])
    assert "144" in assessor.emergency_text(assessment, "AT").banner
    assert "119" in assessor.emergency_text(assessment, "jp").banner
    assert assessor.emergency_text(assessment, "NO").numbers == {"emergency": "112", "ambulance": "113"}


@pytest.mark.parametrize("country", [None, "", "XX", "Atlantis"])
def test_an_unknown_country_gets_no_invented_number(assessor: Assessor, country: str | None) -> None:
    text = assessor.emergency_text(assessor.assess(["I took 40 paracetamol tablets"]), country)
    assert "your local emergency number" in text.banner
    assert text.numbers == {"emergency": "your local emergency number"}
    assert not any(character.isdigit() for character in text.banner)


def test_crisis_and_poison_lines_come_with_their_numbers(assessor: Assessor) -> None:
    text = assessor.emergency_text(assessor.assess(["I took 40 paracetamol tablets"]), "US")
    assert text.numbers == {"emergency": "911", "crisis": "988", "poison": "1-800-222-1222"}
    assert "988" in text.steps[-2]
    assert "1-800-222-1222" in text.steps[-1]


def test_no_text_keeps_a_placeholder(assessor: Assessor) -> None:
    for rule in TABLE.rules:
        if rule.risk_class >= RiskClass.R4:
            text = assessor.emergency_text(assessor.assess([rule.matches[0]]), "GB")
            assert "{" not in " ".join((text.banner, *text.steps))


def test_calm_classes_have_a_short_notice(assessor: Assessor) -> None:
    assert "today" in assessor.notice(assessor.assess(["It burns when I pee and I have a fever"]))
    assert "days" in assessor.notice(assessor.assess(["I have blood in my urine"]))
    assert assessor.notice(assessor.assess(["I can't breathe"])) == ""


def test_fixed_sentences_are_found_by_key(assessor: Assessor) -> None:
    assert "does not replace" in assessor.text("disclaimer")
    assert assessor.text("refusal")
    with pytest.raises(KeyError):
        assessor.text("nonsense")


def test_a_language_without_texts_falls_back(assessor: Assessor) -> None:
    assert assessor.assess(["I can't breathe"], language="xx").language == "en"
    assert assessor.assess(["I can't breathe"], language="en-GB").risk_class == RiskClass.R5


def test_assessor_refuses_a_language_without_rules() -> None:
    with pytest.raises(RuleTableError, match="no rules or texts for 'xx'"):
        Assessor.load("xx")


def test_no_wound_is_pressed_on_where_there_is_none() -> None:
    assessor = Assessor.load()
    for said in ("my wife is 34 weeks pregnant and bleeding a lot", "he keeps vomiting blood, bright red"):
        steps = " ".join(assessor.emergency_text(assessor.assess([said]), "GB").steps)
        assert steps
        assert "wound" not in steps
    cut = assessor.assess(["deep cut on my arm, bleeding heavily, it won't stop"])
    assert "wound" in " ".join(assessor.emergency_text(cut, "GB").steps)


# Where breathing or consciousness is the matter, or nothing is known of what has happened.
MAY_NEED_CPR = {"cardiac", "breathing", "unconscious", "electric_shock", "emergency"}
CPR = {
    "en": "CPR", "es": "RCP", "fr": "réanimation", "de": "Wiederbelebung", "zh": "心肺复苏", "ja": "心肺蘇生",
    "ko": "심폐소생술",
}  # fmt: skip
# These get the general steps: nothing is known of them but that help is needed.
GENERAL = {"ambulance", "emergency", "general", "infection"}


@pytest.mark.parametrize("language", CPR)
def test_nobody_is_told_of_cpr_who_breathes(language: str) -> None:
    texts = load_texts(TEXTS / f"{language}.toml")
    for family, steps in texts.steps.items():
        if family not in MAY_NEED_CPR:
            assert CPR[language] not in " ".join(steps.steps), family
    assert CPR[language] in " ".join(texts.steps["emergency"].steps)


def test_every_emergency_has_steps_of_its_own(assessor: Assessor) -> None:
    alarming = {r.family for table in assessor.tables.values() for r in table.rules if r.risk_class >= RiskClass.R4}
    general = ENGLISH.steps["emergency"].steps
    without = set()
    for family in alarming - {"refusal"}:
        fired = (FiredRule(id=f"{family}.x", risk_class=RiskClass.R5, family=family, notice="emergency"),)
        found = RiskAssessment(risk_class=RiskClass.R5, fired=fired, banner=True)
        if assessor.emergency_text(found, "GB").steps == general:
            without.add(family)
    assert without <= GENERAL


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("My toddler swallowed a button battery", "nothing to eat or drink"),
        ("My blood sugar is 2.1 mmol/L and I can't swallow", "cannot swallow, give nothing by mouth"),
        ("blood sugar 28 mmol/L, vomiting and breathing fast", "treated in hospital now"),
        ("sudden severe pain in my testicle", "Do not eat or drink"),
        ("I have Addison's and I'm vomiting and can't keep my hydrocortisone down", "adrenal crisis"),
        ("my nose has been bleeding for 40 minutes and won't stop", "lean forward"),
        ("he is freezing and stopped shivering", "Do not rub"),
        ("heat stroke, he is hot and confused", "fan"),
        ("the kettle tipped on my baby, big blisters on her tummy", "cling film"),
    ],
)
def test_what_is_said_fits_what_has_happened(assessor: Assessor, said: str, words: str) -> None:
    steps = " ".join(assessor.emergency_text(assessor.assess([said]), "GB").steps)
    assert words in steps
    assert "CPR" not in steps
