"""`galen ask`."""

from __future__ import annotations

import json

from tests.scripts.galen import Galen

ANSWER_KEYS = {"id", "status", "answer", "citations", "receipt"}


def test_an_answer_is_printed_with_its_sources(galen: Galen) -> None:
    ran = galen("ask", "What causes gout?")
    assert ran.code == 0
    assert "Gout is caused by uric acid crystals in a joint. [" in ran.out
    assert "] Gout — Test Health Service, date not given\n    https://example.org/page" in ran.out
    assert "answered · R0 · receipt " in ran.err


def test_an_answer_as_json_has_its_receipt(galen: Galen) -> None:
    answer = galen("ask", "What causes gout?", "--json").json()
    assert set(answer) >= ANSWER_KEYS
    assert (answer["status"], answer["receipt"]["status"]) == ("answered", "answered")
    assert answer["id"] == answer["receipt"]["id"]
    cited = {s["chunk_id"] for s in answer["receipt"]["retrieved_sources"] if s["used"]}
    assert {c["chunk_id"] for c in answer["citations"]} == cited
    assert cited


def test_questions_in_lines_are_answered_in_lines(galen: Galen) -> None:
    questions = [
        {"id": "a", "text": "What causes gout?"},
        {"_id": "b", "text": "Hi, I drank bleach", "country": "GB"},
        {"id": "c", "text": "Which zorblax tyres suit my quillbike?"},
        {"id": "d", "text": "hello"},
        {"id": 5, "text": "¿Qué es la gota?", "lang": "es"},
        {"text": "What causes gout?"},
    ]
    ran = galen("ask", stdin="".join(json.dumps(q) + "\n" for q in questions).encode())
    lines = ran.lines()
    assert ran.code == 0
    assert [line["id"] for line in lines[:5]] == ["a", "b", "c", "d", 5]
    assert lines[5]["id"] == lines[5]["receipt"]["id"]
    assert [line["status"] for line in lines[:4]] == ["answered", "emergency", "deferred", "card"]
    assert "999" in lines[1]["answer"]
    assert lines[4]["receipt"]["language"] == "es"
    assert all(set(line) >= ANSWER_KEYS for line in lines)
    assert len({line["receipt"]["id"] for line in lines}) == 6


def test_language_and_country_of_the_call_hold_where_a_line_names_none(galen: Galen) -> None:
    questions = b'{"id": 1, "text": "I drank bleach"}\n{"id": 2, "text": "I drank bleach", "country": "US"}\n'
    first, second = galen("ask", "--country", "GB", "--lang", "en", stdin=questions).lines()
    assert "999" in first["answer"]
    assert "911" in second["answer"]
