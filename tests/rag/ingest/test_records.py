"""Records become documents field by field; a bad one is named with file, line and field."""

from __future__ import annotations

import pytest

from rag.ingest.records import Defaults
from tests.rag.ingest.reading import answer, chunk, lines, read


def test_chunks_of_one_document_are_gathered_in_order_even_when_apart(tmp_path):
    documents, bad = read(
        tmp_path / "a.jsonl",
        lines(
            chunk(doc_id="a", text="One.", chunk_id="c1", heading="Signs"),
            chunk(doc_id="b", text="Other."),
            "",
            chunk(doc_id="a", text="Two."),
        ),
    )
    assert bad == []
    first, second = documents
    assert (first.doc_id, second.doc_id) == ("a", "b")
    assert [(s.heading, s.text) for s in first.sections] == [("Signs", "One."), ("", "Two.")]
    assert first.given_chunk_ids == ("c1", None)
    assert first.origin == "a.jsonl:1"


def test_every_field_of_a_chunk_arrives(tmp_path):
    fields = {
        "url": "https://example.org/a",
        "version_date": "2024-02",
        "licence": "CC0",
        "jurisdiction": "EU",
        "doc_type": "guideline",
        "hierarchy_rank": 2,
        "effective_from": "2025",
        "date_seen": "2026-11-30",
        "lang": "pt_BR",
    }
    [document], bad = read(tmp_path / "a.jsonl", lines(chunk(**fields)))
    assert bad == []
    assert {name: getattr(document, name) for name in fields} == fields | {"lang": "pt-BR"}


def test_a_document_without_later_fields_keeps_the_hash_it_always_had(tmp_path):
    """Else every document of every database would be replaced after an upgrade."""
    [document], _ = read(tmp_path / "a.jsonl", lines(answer()))
    assert document.content_hash == "18d554ed2ad9542e0fd48d7ff81b7da76e5437255f49ce9729edcdf56a0f00af"
    [dated], _ = read(tmp_path / "b.jsonl", lines(answer(date_seen="2026-11-30")))
    assert dated.content_hash != document.content_hash


def test_derived_ids_are_stable_and_work_in_any_script(tmp_path):
    records = [chunk(doc_title="糖尿病"), chunk(doc_title="高血压"), chunk(doc_title="糖尿病", text="More.")]
    documents, _ = read(tmp_path / "a.jsonl", lines(*records))
    assert [len(document.sections) for document in documents] == [2, 1]
    assert len({document.doc_id for document in documents}) == 2
    again, _ = read(tmp_path / "b.jsonl", lines(*records))
    assert [d.doc_id for d in again] == [d.doc_id for d in documents]


def test_questions_and_chunks_are_told_apart_record_by_record(tmp_path):
    documents, bad = read(tmp_path / "a.jsonl", lines(answer(focus="Asthma", source="x", duplicate_of=None), chunk()))
    assert bad == []
    question, text = documents
    assert (question.title, question.topic, question.sections[0].text) == ("What is asthma?", "Asthma", "A disease.")
    assert text.title == "Asthma"


def test_lists_in_an_answer_get_their_lines_back(tmp_path):
    [document], _ = read(tmp_path / "a.jsonl", lines(answer(answer="Signs are: - wheezing - coughing")))
    assert document.sections[0].text == "Signs are:\n- wheezing\n- coughing"


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (chunk(text=""), "field 'text': is empty"),
        (chunk(text=" \u200b "), "field 'text': is empty"),
        (chunk(text=7), "field 'text': must be a string, not a number"),
        (chunk(doc_title=None), "field 'doc_title': is missing"),
        (chunk(url="ftp://example.org"), "field 'url': 'ftp://example.org' is no http or https address"),
        (chunk(url="javascript:alert(1)"), "field 'url'"),
        (chunk(version_date="2024-13-01"), "field 'version_date': '2024-13-01' is no date"),
        (chunk(effective_from="soon"), "field 'effective_from'"),
        (chunk(date_seen="today"), "field 'date_seen': 'today' is no date"),
        (chunk(hierarchy_rank="high"), "field 'hierarchy_rank': must be a whole number from 1 to 9, not 'high'"),
        (chunk(hierarchy_rank=10), "field 'hierarchy_rank': must be from 1 to 9, not 10"),
        (chunk(hierarchy_rank=True), "field 'hierarchy_rank'"),
        (chunk(lang="English"), "field 'lang'"),
        (answer(answer=None), "field 'answer': is missing"),
        (answer(doc_id=""), "field 'doc_id': is empty"),
        (answer(question=["a"]), "field 'question': must be a string, not a list"),
        ({"title": "x"}, "is neither a chunk"),
        ("[1, 2]", "is no JSON object"),
        ('{"text": "cut', "is no valid JSON"),
        ("[" * 100_000, "is no "),
        ("9" * 5000, "is no "),
    ],
)
def test_a_bad_record_is_named_with_file_line_and_field_and_the_rest_goes_on(tmp_path, record, message):
    documents, bad = read(tmp_path / "r.jsonl", lines(answer(doc_id="ok1"), record, answer(doc_id="ok2")))
    assert [d.doc_id for d in documents] == ["ok1", "ok2"]
    assert len(bad) == 1
    assert bad[0].startswith(f"r.jsonl:2: {message}")


def test_empty_url_and_null_fields_are_absent(tmp_path):
    [document], bad = read(tmp_path / "a.jsonl", lines(chunk(url="", version_date=None, doc_type="")))
    assert (document.url, document.version_date, document.doc_type, bad) == (None, None, None, [])


def test_a_missing_organization_names_the_option(tmp_path):
    _, [bad] = read(tmp_path / "a.jsonl", lines(chunk(organization="")), defaults=Defaults())
    assert "--organization" in bad
    assert "a.jsonl:1: field 'organization'" in bad


def test_defaults_fill_gaps_only(tmp_path):
    defaults = Defaults(organization="X", licence="CC0", version_date="2020", lang="fr", topic="general")
    [document], _ = read(tmp_path / "a.jsonl", lines(chunk(lang=None, topic="")), defaults=defaults)
    assert (document.organization, document.licence, document.version_date) == ("WHO", "CC0", "2020")
    assert (document.lang, document.topic) == ("fr", "general")


def test_repeated_ids_are_reported_for_the_later_record(tmp_path):
    documents, bad = read(
        tmp_path / "a.jsonl",
        lines(answer(doc_id="1"), answer(doc_id="1"), chunk(chunk_id="c"), chunk(chunk_id="c", text="Again.")),
    )
    assert len(documents) == 2
    assert bad[0].startswith("a.jsonl:2: field 'doc_id': '1' is already used at a.jsonl:1")
    assert bad[1].startswith("a.jsonl:4: field 'chunk_id': 'c' is already used at a.jsonl:3")


def test_a_chunk_that_contradicts_its_document_is_reported(tmp_path):
    first = chunk(doc_id="a", url="https://example.org/p#one")
    second = first | {"url": "https://example.org/p#two", "text": "Breathe out."}
    records = [first, second, first | {"version_date": "2020"}]
    [document], [bad] = read(tmp_path / "a.jsonl", lines(*records))
    assert len(document.sections) == 2
    assert bad.startswith("a.jsonl:3: field 'version_date'")


def test_hashes_tell_content_from_identity(tmp_path):
    [first], _ = read(tmp_path / "a.jsonl", lines(answer()))
    [moved], _ = read(tmp_path / "b.jsonl", lines("", answer()))
    [newer], _ = read(tmp_path / "c.jsonl", lines(answer(version_date="2025")))
    [shouted], _ = read(tmp_path / "d.jsonl", lines(answer(doc_id="q2", answer="A  DISEASE.")))
    assert first.content_hash == moved.content_hash
    assert first.content_hash != newer.content_hash
    assert first.identity_hash == newer.identity_hash == shouted.identity_hash
    assert len(first.content_hash) == 64
