"""The words of a question, and of a heading, tell the type that is asked for."""

from __future__ import annotations

import pytest

from rag.kind import Kind
from rag.question import heading_kinds, question_kinds


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
