from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.references import (
    Reference,
    asks_whole,
    find_references,
    headed_references,
    index_tokens,
    named_regulation,
    readings,
)


def found(text: str) -> list[str]:
    """The references of a text as "gdpr 9.2.a", "recital 35"."""
    return [
        " ".join(filter(None, (r.regulation, "" if r.kind == "article" else r.kind, ".".join(r.path))))
        for r in find_references(text)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Article 9(2)(a)", "9(2)(a)", "Article 9 (2) (a)", "Art. 9(2)(a)", "art.9(2)a", "article 9.2.a",
        "Article 9, paragraph 2, point (a)", "point (a) of Article 9(2)", "paragraph 2 of Article 9, point (a)",
        "Art. 9 Abs. 2 lit. a", "Artikel 9 Absatz 2 Buchstabe a", "Art. 9 Abs. 2 Buchst. a",
        "article 9, paragraphe 2, point a)", "art. 9, § 2, a)", "artículo 9, apartado 2, letra a)", "art. 9.2.a)",
        "articolo 9, paragrafo 2, lettera a)", "art. 9, par. 2, lett. a)", "artigo 9.º, n.º 2, alínea a)",
        "artikel 9, lid 2, onder a)", "art. 9 lid 2 sub a", "art. 9 ust. 2 lit. a", "статья 9(2)(a)",
        "第9条第2款（a）项", "第９条第２項(a)号", "제9조 제2항 (a)", "What does art 9 2 a allow?",
    ],
)  # fmt: skip
def test_an_article_is_recognised_however_it_is_written(text: str) -> None:
    assert found(text) == ["9.2.a"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RGPD art. 32", ["gdpr 32"]),
        ("Art. 17 DSGVO", ["gdpr 17"]),
        ("artikel 9 AVG", ["gdpr 9"]),
        ("GDPR第9条", ["gdpr 9"]),
        ("المادة ٩ من GDPR", ["gdpr 9"]),
        ("अनुच्छेद ९", ["9"]),
        ("Recital 35 GDPR", ["gdpr recital 35"]),
        ("recital (54)", ["recital 54"]),
        ("Erwägungsgrund 35", ["recital 35"]),
        ("considérant 35 du RGPD", ["gdpr recital 35"]),
        ("EHDS Article 53(1)(e)", ["ehds 53.1.e"]),
        ("Chapter IV GDPR", ["gdpr chapter iv"]),
        ("Article 4 point 15", ["4.15"]),
        ("Articles 13 and 14", ["13", "14"]),
        ("Articles 15, 16 and 17 GDPR", ["gdpr 15", "gdpr 16", "gdpr 17"]),
        ("recitals 51 to 53", ["recital 51", "recital 52", "recital 53"]),
        ("Article 9 GDPR against Article 53 EHDS", ["gdpr 9", "ehds 53"]),
        ("Article 9, 30 days after 18 May", ["9"]),
        ("UKCore-AllergyIntolerance", ["profile allergyintolerance"]),
        ("the medication request resource", ["resource medicationrequest"]),
        ("FHIR Observation", ["resource observation"]),
        ("E11.9", ["code e11.9"]),
        ("A10BA02", ["code a10ba02"]),
    ],
)
def test_what_is_referred_to(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "", "article nine", "I have 9 cats (2 dogs)", "the state of the art in 2024", "an article about 5 vaccines",
        "my son is 9", "part 2 of the course", "2 (two) tablets", "GDPR 2018", "chapter and verse",
    ],
)  # fmt: skip
def test_what_is_no_reference(text: str) -> None:
    assert found(text) == []


def test_levels_go_from_the_part_to_the_whole() -> None:
    [reference] = find_references("GDPR Article 9(2)(h)")
    assert [".".join(level.path) for level in reference.levels()] == ["9.2.h", "9.2", "9"]


def test_a_passage_is_found_by_every_level_with_and_without_the_regulation() -> None:
    tokens = set(index_tokens(find_references("Article 9(2)(h)", "gdpr")).split())
    for path in (("9", "2", "h"), ("9", "2"), ("9",)):
        for regulation in ("gdpr", None):
            assert Reference(kind="article", path=path, regulation=regulation).token in tokens
    assert Reference(kind="article", path=("9", "2", "h"), regulation="ehds").token not in tokens


def test_tokens_of_different_references_differ() -> None:
    texts = ["Article 9(2)", "Article 92", "Article 9(2)(a)", "Article 29", "Recital 92", "Article 9(22)"]
    tokens = [find_references(text)[0].token for text in texts]
    assert len(set(tokens)) == len(tokens)


def test_the_regulation_is_the_one_named_or_the_one_whose_terms_are_used() -> None:
    assert named_regulation("Datenschutz-Grundverordnung") == "gdpr"
    assert named_regulation("GDPR and EHDS") is None


@pytest.mark.parametrize(
    ("text", "regulations"),
    [
        ("Which purposes does Article 53 allow for secondary use?", ["ehds"]),
        ("tasks of the data protection officer in Article 39", ["gdpr"]),
        ("What does Article 9(2)(h) allow?", ["gdpr", None]),
        ("Article 39 of the EHDS on the data protection officer", ["ehds"]),
        ("Article 9 of the AI Act", ["other"]),
    ],
)
def test_an_unnamed_regulation_is_told_by_its_terms(text: str, regulations: list[str | None]) -> None:
    [reference] = find_references(text)
    assert [reading.regulation for reading in readings(reference, text)] == regulations


def test_a_title_that_names_another_law_keeps_its_own() -> None:
    title = "EHDS Article 65: Relationship with authorities under Regulation (EU) 2016/679"
    of_title, of_heading = headed_references(title, "Article 65: Relationship under Regulation (EU) 2016/679 › Fines")
    assert [(ref.regulation, ref.path) for ref in (*of_title, *of_heading)] == [("ehds", ("65",))] * 2


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("What does Article 33 GDPR say?", True),
        ("Article 33(1) GDPR", False),
        ("UK Core AllergyIntolerance profile", True),
        ("UKCore-MedicationStatement", True),
        ("UKCore-MedicationStatement must support elements", False),
        ("fines", False),
    ],
)
def test_a_whole_provision_or_profile_is_asked_for(text: str, whole: bool) -> None:
    found = find_references(text)
    assert asks_whole([readings(reference, text) for reference in found], text) is whole


@given(st.text(alphabet="Aart. 0123456789()abcx,§第条款-º", max_size=200))
def test_every_text_can_be_read(text: str) -> None:
    for reference in find_references(text):
        assert reference.token.isalnum()
        assert reference.path[0]


def test_a_long_text_is_read_in_linear_time() -> None:
    assert len(find_references("Article 9(2)(a), " * 4_000)) == 1
    assert find_references("9(" * 30_000) == ()
    assert find_references("art. " * 12_000) == ()
