import gzip
import json

import pytest

from rag.errors import PermanentError
from rag.ingest.readers import read_source
from rag.ingest.records import BadRecord, Defaults, Document, Limits

WHO = Defaults(organization="WHO")


def chunk(**fields):
    return {"doc_title": "Asthma", "organization": "WHO", "lang": "en", "topic": "lungs", "text": "Breathe."} | fields


def answer(**fields):
    return {"doc_id": "q1", "question": "What is asthma?", "answer": "A disease.", "organization": "WHO"} | fields


def lines(*records):
    return "\n".join(r if isinstance(r, str) else json.dumps(r, ensure_ascii=False) for r in records)


def read(path, content=None, defaults=WHO, **limits):
    """(documents, bad records as text) of a file with `content`."""
    if content is not None:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    items = list(read_source(path, defaults, Limits(**limits)))
    documents = [item for item in items if isinstance(item, Document)]
    return documents, [str(item) for item in items if isinstance(item, BadRecord)]


# --- records ---


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
        "lang": "pt_BR",
    }
    [document], bad = read(tmp_path / "a.jsonl", lines(chunk(**fields)))
    assert bad == []
    assert {name: getattr(document, name) for name in fields} == fields | {"lang": "pt-BR"}


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


def test_arrays_pretty_printed_objects_and_gzip_are_read(tmp_path):
    records = [answer(doc_id="1", answer='Say "a, [b] {c}" \\ now.'), answer(doc_id="2")]
    assert [d.doc_id for d in read(tmp_path / "a.json", json.dumps(records, indent=2))[0]] == ["1", "2"]
    assert [d.doc_id for d in read(tmp_path / "b.json", json.dumps(records[0], indent=2))[0]] == ["1"]
    assert [d.doc_id for d in read(tmp_path / "c.jsonl", json.dumps(records))[0]] == ["1", "2"]
    zipped = gzip.compress(lines(*records).encode())
    documents, bad = read(tmp_path / "d.jsonl.gz", zipped)
    assert [d.doc_id for d in documents] == ["1", "2"]
    assert bad == []
    assert documents[0].sections[0].text == 'Say "a, [b] {c}" \\ now.'


def test_a_long_array_is_read_across_blocks(tmp_path):
    records = [answer(doc_id=str(n), answer='é\\"' * (n % 50 + 1)) for n in range(3000)]
    documents, bad = read(tmp_path / "a.json", json.dumps(records, ensure_ascii=False))
    assert bad == []
    assert [d.sections[0].text for d in documents] == [r["answer"] for r in records]


def test_a_broken_member_of_an_array_is_named_and_the_rest_goes_on(tmp_path):
    text = "[\n" + json.dumps(answer(doc_id="1")) + ",\n{'no': 1},\n" + json.dumps(answer(doc_id="2")) + "\n]"
    documents, bad = read(tmp_path / "a.json", text)
    assert [d.doc_id for d in documents] == ["1", "2"]
    assert len(bad) == 1
    assert bad[0].startswith("a.json:3: is no valid JSON")


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


def test_text_that_is_not_utf8_names_the_byte_in_the_file(tmp_path):
    first = lines(answer(doc_id="1")).encode() + b"\n"
    data = first + b'{"a": "\xff"}\n' + lines(answer(doc_id="2")).encode()
    documents, [bad] = read(tmp_path / "a.jsonl", data)
    assert [d.doc_id for d in documents] == ["1", "2"]
    assert bad.startswith(f"a.jsonl:2: is not UTF-8: byte {len(first) + 7} ")
    _, [bad] = read(tmp_path / "a.json", b'[{"a": "\xff"}]')
    assert "byte 8 " in bad
    _, [bad] = read(tmp_path / "a.md", b"---\ntitle: x\n---\n\xe9")
    assert bad.startswith("a.md: is not UTF-8: byte 17 ")


def test_a_byte_order_mark_is_no_content(tmp_path):
    documents, bad = read(tmp_path / "a.jsonl", b"\xef\xbb\xbf" + lines(answer()).encode())
    assert (len(documents), bad) == (1, [])
    [document], _ = read(tmp_path / "a.md", b"\xef\xbb\xbf---\ntitle: T\n---\nText.")
    assert document.title == "T"


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
    records = [first, first | {"url": "https://example.org/p#two"}, first | {"version_date": "2020"}]
    [document], [bad] = read(tmp_path / "a.jsonl", lines(*records))
    assert len(document.sections) == 2
    assert bad.startswith("a.jsonl:3: field 'version_date'")


def test_limits_name_themselves_and_the_remedy(tmp_path):
    records = lines(answer(doc_id="1"), answer(doc_id="2", answer="long " * 100), answer(doc_id="3"))
    documents, [bad] = read(tmp_path / "a.jsonl", records, max_record_chars=50 * 4)
    assert [d.doc_id for d in documents] == ["1", "3"]
    assert bad.startswith("a.jsonl:2: is longer than max_record_chars=200: ")
    documents, [bad] = read(tmp_path / "a.jsonl", records, max_records=2)
    assert len(documents) == 2
    assert bad == "a.jsonl:3: holds more than max_records=2: split the source or raise the limit"
    bomb = gzip.compress(b" " * 10_000_000)
    _, [bad] = read(tmp_path / "b.jsonl.gz", bomb, max_file_bytes=1_000_000)
    assert "max_file_bytes=1000000" in bad
    _, [bad] = read(tmp_path / "c.md", "a" * 100, max_record_chars=50)
    assert "max_record_chars=50" in bad


def test_broken_gzip_and_empty_files_are_reported(tmp_path):
    whole = gzip.compress(lines(answer()).encode())
    assert "gzip" in read(tmp_path / "a.jsonl.gz", whole[:-12])[1][0]
    assert "gzip" in read(tmp_path / "b.jsonl.gz", b"plain")[1][0]
    assert read(tmp_path / "c.jsonl", "")[1] == ["c.jsonl: holds no records"]


def test_a_missing_path_is_a_permanent_error(tmp_path):
    with pytest.raises(PermanentError, match="nowhere"):
        read_source(tmp_path / "nowhere", WHO)


# --- documents ---

ASTHMA = """---
title: Asthma
organization: WHO
url: https://example.org/asthma
version_date: 2024-05-06
lang: no
hierarchy_rank: 2
other: ignored
---
# Asthma

Asthma is a disease
of the lungs. See [more](https://example.org/x).

## Signs

- wheezing
  at night
- cough

### Early

Tired ![x](http://127.0.0.1/x.png)people.

```
# not a heading
```

## Drugs

| Drug | Dose |
|------|------|
| A    | 0.5 mg |
"""


def test_a_markdown_document_becomes_sections_with_heading_paths(tmp_path):
    [document], bad = read(tmp_path / "asthma.md", ASTHMA)
    assert bad == []
    assert (document.doc_id, document.title, document.lang, document.hierarchy_rank) == ("asthma", "Asthma", "no", 2)
    assert document.version_date == "2024-05-06"
    assert [(section.heading, section.text) for section in document.sections] == [
        ("", "Asthma is a disease of the lungs. See more."),
        ("Signs", "- wheezing at night\n- cough"),
        ("Signs › Early", "Tired people.\n\n# not a heading"),
        ("Drugs", "| Drug | Dose |\n|------|------|\n| A | 0.5 mg |"),
    ]
    assert document.given_chunk_ids == (None,) * 4
    assert document.origin == "asthma.md"


def test_a_document_without_front_matter_takes_title_and_id_from_itself(tmp_path):
    [document], _ = read(tmp_path / "flu.txt", "# Flu facts\nRest.")
    assert (document.title, document.doc_id, document.organization) == ("Flu facts", "flu", "WHO")
    [document], _ = read(tmp_path / "cold.txt.gz", gzip.compress(b"Rest."))
    assert (document.title, document.doc_id) == ("cold", "cold")


@pytest.mark.parametrize("marks", ["", "## "])
def test_each_legal_provision_is_a_section(tmp_path, marks):
    text = f"""{marks}CHAPTER II

{marks}Article 9
Processing of special data

1. Article 9 of this text applies to data.

{marks}Article 10

Section 2 of another act does not apply here."""
    [document], _ = read(tmp_path / "law.txt", text)
    chapter = "" if marks else "CHAPTER II › "
    assert [(section.heading, section.text) for section in document.sections] == [
        (f"{chapter}Article 9: Processing of special data", "1. Article 9 of this text applies to data."),
        (f"{chapter}Article 10", "Section 2 of another act does not apply here."),
    ]


def test_an_enumerator_on_a_line_of_its_own_opens_a_list_item(tmp_path):
    [document], _ = read(tmp_path / "law.txt", "It applies to:\n(a)\nwork;\n(b)\nhome;\nor school.")
    assert document.sections[0].text == "It applies to:\n(a) work;\n(b) home; or school."


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("---\nversion_date: 2024-13-01\n---\nx", "a.md:2: field 'version_date': '2024-13-01' is no date"),
        ("---\ntitle: x\nhierarchy_rank: top\n---\nx", "a.md:3: field 'hierarchy_rank'"),
        ("---\ntitle: [a, b]\n---\nx", "a.md:2: field 'title': must be a string, not a list"),
        ("---\ntitle: x\n  bad: : y\n---\nx", "a.md:3: the front matter is no valid YAML"),
        ("---\n- a\n---\nx", "a.md: the front matter is no list"),
        ("---\ntitle: x\nNever closed", "a.md: the front matter is not closed"),
        ("---\ntitle: x\n---\n\n", "a.md: field 'text': is empty"),
        ("---\na: " + "[" * 5000 + "\n---\nx", "a.md:"),
    ],
)
def test_bad_front_matter_is_named(tmp_path, content, message):
    documents, [bad] = read(tmp_path / "a.md", content)
    assert documents == []
    assert bad.startswith(message)


def test_a_folder_is_read_in_order_with_sidecars_and_without_hidden_files(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / ".git").mkdir()
    for name, content in {
        "b.md": "Text b.",
        "b.md.json": '{"title": "Title of b", "organization": "B"}',
        "a.txt": "Text a.",
        "a.json": '{"title": "Title of a"}',
        "sub/c.md": "---\ntitle: C\n---\nText c.",
        "sub/c.md.json": '{"title": "loses", "topic": "t"}',
        "sub/b.md": "Same stem.",
        "README.md": "About this folder.",
        "scan.pdf": "%PDF",
        ".hidden.md": "x",
        ".git/x.md": "x",
    }.items():
        (tmp_path / name).write_text(content)
    documents, bad = read(tmp_path)
    assert [(d.doc_id, d.title, d.organization, d.topic) for d in documents] == [
        ("a", "Title of a", "WHO", ""),
        ("b", "Title of b", "B", ""),
        ("c", "C", "WHO", "t"),
    ]
    assert len(bad) == 2
    assert bad[0].startswith("scan.pdf: is of an unknown kind: accepted are .jsonl, .json, .md, .txt")
    assert bad[1].startswith("sub/b.md: field 'doc_id': 'b' is already used at b.md")


def test_a_readme_with_front_matter_is_a_document(tmp_path):
    (tmp_path / "README.md").write_text("---\ntitle: Guide\n---\nText.")
    assert [d.title for d in read(tmp_path)[0]] == ["Guide"]


# --- identity ---


def test_hashes_tell_content_from_identity(tmp_path):
    [first], _ = read(tmp_path / "a.jsonl", lines(answer()))
    [moved], _ = read(tmp_path / "b.jsonl", lines("", answer()))
    [newer], _ = read(tmp_path / "c.jsonl", lines(answer(version_date="2025")))
    [shouted], _ = read(tmp_path / "d.jsonl", lines(answer(doc_id="q2", answer="A  DISEASE.")))
    assert first.content_hash == moved.content_hash
    assert first.content_hash != newer.content_hash
    assert first.identity_hash == newer.identity_hash == shouted.identity_hash
    assert len(first.content_hash) == 64


def test_a_link_that_leads_out_of_the_folder_is_named_and_not_followed(tmp_path):
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key.md").write_text("# Key\n\nThe password.")
    (secret / "side.json").write_text('{"topic": "password"}')
    folder = tmp_path / "docs"
    (folder / "real").mkdir(parents=True)
    (folder / "a.md").write_text("# A\n\nText.")
    (folder / "real" / "b.md").write_text("# B\n\nText.")
    (folder / "inner.md").symlink_to("real/b.md")
    (folder / "out.md").symlink_to(secret / "key.md")
    (folder / "gone.md").symlink_to("../nowhere.md")
    (folder / "outer").symlink_to(secret)
    (folder / "real" / "b.md.json").symlink_to(secret / "side.json")
    documents, bad = read(folder)
    assert [document.doc_id for document in documents] == ["a", "inner"]
    reason = "is a link that leads out of the folder: copy what it stands for"
    assert bad == [
        f"outer: {reason}",
        f"gone.md: {reason}",
        f"out.md: {reason}",
        "real/b.md: its sidecar 'b.md.json' is a link that leads out of the folder",
    ]
    linked = tmp_path / "linked"
    linked.symlink_to(secret)
    documents, bad = read(linked / "key.md")
    assert ([document.doc_id for document in documents], bad) == (["key"], [])
    documents, _ = read(linked)
    assert [document.doc_id for document in documents] == ["key"]
