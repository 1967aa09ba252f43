from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.components import LEXICON
from rag.errors import LexiconError
from rag.language import OURS
from rag.lexicon import Lexicon

WORDS = Lexicon(LEXICON)


def found(text: str, *languages: str) -> list[tuple[str, str]]:
    """(what stands in the text, first English name) of every match."""
    return [(text[m.start : m.end], m.term.names[0]) for m in WORDS.matches(text, languages or ("en",))]


@pytest.mark.parametrize(
    ("text", "form", "name"),
    [
        ("is my underactive thyroid to blame", "underactive thyroid", "hypothyroidism"),
        ("Water pills and potassium", "Water pills", "diuretics"),
        ("what is ACID   REFLUX?", "ACID   REFLUX", "gastroesophageal reflux disease"),
        ("a water infection", "water infection", "urinary tract infection"),
        ("does paracetamol help", "paracetamol", "acetaminophen"),
        ("high-blood-pressure", "high-blood-pressure", "hypertension"),
    ],
)
def test_lay_words_lead_to_the_names_of_english_sources(text: str, form: str, name: str) -> None:
    assert (form, name) in found(text)


def test_the_clinical_name_leads_to_the_lay_one() -> None:
    [(_, name), *_] = found("hypertension")
    assert name == "hypertension"
    assert "high blood pressure" in WORDS.matches("hypertension", ("en",))[0].term.names


def test_the_longest_form_wins_and_matches_never_overlap() -> None:
    text = "heart attack and panic attack"
    spans = [(m.start, m.end) for m in WORDS.matches(text, ("en",))]
    assert [text[a:b] for a, b in spans] == ["heart attack", "panic attack"]


@pytest.mark.parametrize("text", ["fluency", "strokes of luck with asthmatics123", "", "?", "🙂", "\x00"])
def test_words_are_matched_whole_or_not_at_all(text: str) -> None:
    assert not any(form == "flu" for form, _ in found(text))


@pytest.mark.parametrize(
    ("text", "language", "name"),
    [
        ("¿Qué es la presión alta?", "es", "hypertension"),
        ("que es la presion alta", "es", "hypertension"),
        ("Schilddrüsenunterfunktion", "de", "hypothyroidism"),
        ("sintomi dell'ictus", "it", "stroke"),
        ("les symptômes de l’asthme", "fr", "asthma"),
        ("أعراض السكري", "ar", "diabetes"),
        ("मधुमेह के लक्षण", "hi", "diabetes"),
        ("糖尿病怎么治疗", "zh", "diabetes"),
    ],
)
def test_other_languages_lead_to_english(text: str, language: str, name: str) -> None:
    assert name in [english for _, english in found(text, language)]


def test_a_match_says_where_it_stands_in_scripts_without_spaces() -> None:
    text = "我有 糖尿病，怎么办"
    assert ("糖尿病", "diabetes") in found(text, "zh")


def test_the_asked_language_comes_before_english() -> None:
    """French "pain" is bread."""
    assert [name for _, name in found("douleur", "fr", "en")] != []


@pytest.mark.parametrize("language", sorted(OURS))
def test_every_language_has_its_table(language: str) -> None:
    terms = WORDS.terms(language)
    assert len(terms) >= (600 if language == "en" else 400)


def test_no_regulation_s_article_numbers_are_in_the_tables() -> None:
    for path in LEXICON.glob("*.toml"):
        assert not re.search(r"(?i)\b(article|artikel|artículo) \d", path.read_text(encoding="utf-8")), path.name


def test_a_language_without_a_table_has_no_terms(tmp_path: Path) -> None:
    assert Lexicon(tmp_path).matches("asthma", ("xx",)) == ()


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("language = ", "no valid TOML"),
        ('language = "de"', "language must be 'en'"),
        ('language = "en"\n[[term]]\nkind = "condition"\nforms = ["a"]', "term 1: canonical"),
        ('language = "en"\n[[term]]\ncanonical = "gout"\nkind = "thing"\nforms = ["a"]', r"term 1 \(gout\): kind"),
        ('language = "en"\n[[term]]\ncanonical = "gout"\nkind = "condition"\nforms = []', r"term 1 \(gout\): forms"),
        (
            'language = "en"\n[[term]]\ncanonical = "gout"\nkind = "condition"\nforms = ["?"]',
            r"form '\?' holds no word",
        ),
    ],
)
def test_a_table_that_cannot_be_used_names_file_term_and_field(tmp_path: Path, table: str, said: str) -> None:
    (tmp_path / "en.toml").write_text(table, encoding="utf-8")
    with pytest.raises(LexiconError, match=rf"en\.toml.*{said}"):
        Lexicon(tmp_path).matches("gout", ("en",))


@given(st.text(max_size=200), st.sampled_from(sorted(OURS)))
def test_every_text_can_be_read(text: str, language: str) -> None:
    last = 0
    for match in WORDS.matches(text, (language, "en")):
        assert last <= match.start < match.end <= len(text)
        last = match.end
