from __future__ import annotations

from rag.providers.extractive_law import compose_law
from rag.references import find_references
from rag.types import Evidence, Prompt
from tests.fakes.evidence import passage

CARE = passage(
    "Article 9(2)(h) GDPR allows processing that care needs. Article 9(2)(h) GDPR applies unless secrecy is missing.",
    n=1, title="GDPR Article 9: Special categories", heading="Article 9: Special categories › Article 9(2)(h): care",
)  # fmt: skip
CONSENT = passage(
    "Under Article 9(2)(a) GDPR, explicit consent lifts the prohibition.",
    n=2, title="GDPR Article 9: Special categories", heading="Article 9: Special categories › Article 9(2)(a): consent",
)  # fmt: skip
BREACH = passage(
    "Under Article 33(1) GDPR, a personal data breach is notified within 72 hours. A later notification gives reasons.",
    n=3, title="GDPR Article 33: Notification", heading="Article 33: Notification › Article 33(1): 72 hours",
)  # fmt: skip


def asked(question: str, *evidence: Evidence) -> Prompt:
    references = tuple((reference,) for reference in find_references(question))
    return Prompt(question=question, language="en", evidence=evidence, collection="governance", references=references)


def texts(question: str, *evidence: Evidence) -> list[str]:
    return [sentence.text for sentence in compose_law(asked(question, *evidence))]


def test_an_asked_provision_is_quoted_whole_with_its_conditions() -> None:
    sentences = compose_law(asked("What does Article 9(2)(h) allow?", CONSENT, CARE))
    assert [s.text for s in sentences] == CARE.chunk.text.replace(". A", ".\nA").split("\n")
    assert {s.markers for s in sentences} == {(2,)}


def test_several_asked_provisions_are_all_quoted() -> None:
    found = texts("Article 9(2)(a) and Article 33(1) GDPR", CARE, CONSENT, BREACH)
    assert found[0].startswith("Under Article 9(2)(a)")
    assert any(text.startswith("Under Article 33(1)") for text in found)
    assert not any("9(2)(h)" in text for text in found)


def test_a_question_by_subject_is_answered_by_the_passage_that_speaks_of_it() -> None:
    assert texts("When must a data breach be notified?", CARE, BREACH)[0].startswith("Under Article 33(1)")


def test_nothing_on_the_subject_is_no_answer() -> None:
    assert texts("Which gearbox oil suits a tractor?", CARE, BREACH) == []
    assert compose_law(asked("anything")) == ()


def test_an_answer_has_a_length_and_ends_at_a_sentence() -> None:
    long = passage(" ".join(f"Article 5 rule number {n} is a whole sentence of ten words." for n in range(60)), n=1,
                   title="GDPR Article 5", heading="Article 5: Principles")  # fmt: skip
    found = texts("Article 5 GDPR", long)
    assert 10 < sum(len(text.split()) for text in found) <= 180
    assert all(text.endswith(".") for text in found)


def test_a_whole_article_is_told_by_what_each_part_says_first() -> None:
    title = "GDPR Article 33: Notification"
    place = passage(
        "Regulation: GDPR (Regulation (EU) 2016/679), Chapter IV.", n=1, title=title, heading="Article 33: x"
    )
    parts = [
        passage(f"Part {n} says this. Part {n} adds that. Part {n} ends so.", n=n + 1, title=title,
                heading=f"Article 33: x › Article 33({n}): y")
        for n in (1, 2)
    ]  # fmt: skip
    found = texts("What does Article 33 GDPR say?", place, *parts)
    assert found == ["Part 1 says this.", "Part 1 adds that.", "Part 2 says this.", "Part 2 adds that."]


def test_a_paragraph_is_quoted_with_its_points() -> None:
    found = texts("Article 9(2) GDPR", CARE, CONSENT)
    assert any("9(2)(h)" in text for text in found)
    assert any("9(2)(a)" in text for text in found)


def test_passages_of_one_document_are_quoted_in_its_order_a_rule_before_its_exceptions() -> None:
    rule = passage(
        "Under Article 17(1) GDPR, erasure is a right.", n=1, ordinal=1, doc_id="a17", title="Right to erasure"
    )
    exception = passage("Article 17(3) GDPR: erasure is no right against the press.", n=2, ordinal=7, doc_id="a17",
                        title="Right to erasure")  # fmt: skip
    assert texts("right to erasure", exception, rule)[0].startswith("Under Article 17(1)")
