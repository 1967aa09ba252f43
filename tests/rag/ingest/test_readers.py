"""Files and folders become documents with sections, and what cannot be read is named."""

from __future__ import annotations

import gzip
import json
import os
import socket
import stat
import tempfile
from pathlib import Path

import pytest

from rag.errors import PermanentError
from rag.ingest.readers import read_source
from tests.rag.ingest.reading import WHO, read


def test_a_missing_path_is_a_permanent_error(tmp_path):
    with pytest.raises(PermanentError, match="nowhere"):
        read_source(tmp_path / "nowhere", WHO)


ASTHMA = """---
title: Asthma
organization: WHO
url: https://example.org/asthma
version_date: 2024-05-06
date_seen: 2026-11-30
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
    assert (document.version_date, document.date_seen) == ("2024-05-06", "2026-11-30")
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
        (f"---\ntitle: {'x' * 1001}\n---\nx", "a.md:2: field 'title': has 1,001 characters; a line has at most 1,000"),
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


def special_files(folder):
    """A pipe, a socket and a device (where one can be made), under names that would be read."""
    os.mkfifo(folder / "pipe.md")
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "socket.txt"))
    (folder / "null.jsonl").symlink_to(folder / "device.jsonl")
    try:
        os.mknod(folder / "device.jsonl", stat.S_IFCHR | 0o600, os.makedev(1, 3))
    except PermissionError:
        return {}
    return {"device.jsonl": "is a device, no file", "null.jsonl": "is a device, no file"}


def test_what_is_no_file_is_named_and_never_opened(tmp_path):
    expected = special_files(tmp_path) or {"null.jsonl": "is a link to nothing"}
    (tmp_path / "a.md").write_text("# A\n\nText.")
    (tmp_path / "gone.md").symlink_to("nowhere.md")
    (tmp_path / "loop.md").symlink_to("loop.md")
    os.mkfifo(tmp_path / ".hidden.md")
    documents, bad = read(tmp_path)
    assert [document.doc_id for document in documents] == ["a"]
    assert dict(line.split(": ", 1) for line in bad) == {
        "gone.md": "is a link to nothing",
        "loop.md": "is a link that leads out of the folder: copy what it stands for",
        "pipe": "is a named pipe, no file",
        "pipe.md": "is a named pipe, no file",
        "socket.txt": "is a socket, no file",
        **expected,
    }
    assert read(tmp_path / "pipe.md") == ([], ["pipe.md: is a named pipe, no file"])


def test_a_document_whose_sidecar_is_no_file_is_named(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.md").write_text("# T\n\nText.")
    os.mkfifo(tmp_path / "a.md.json")
    (tmp_path / "b.json").symlink_to("nowhere.json")
    assert read(tmp_path) == (
        [],
        ["a.md: its sidecar 'a.md.json' is a named pipe, no file", "b.md: its sidecar 'b.json' is a link to nothing"],
    )


def as_another_user(work):
    """What `work` returns as JSON when a user without privileges runs it: root may read everything."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgid(1000)
                os.setuid(1000)
            os.write(writer, json.dumps(work()).encode())
        except BaseException as exc:
            os.write(writer, json.dumps(repr(exc)).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as output:
        said = json.loads(output.read())
    os.waitpid(child, 0)
    return said


def test_files_and_folders_that_may_not_be_read_are_named():
    with tempfile.TemporaryDirectory() as name:  # pytest's own folders are closed to others
        folder = Path(name, "docs")
        for sub in ("listed", "closed"):
            (folder / sub).mkdir(parents=True)
        for file in ("a.md", "b.md", "c.md", "listed/d.md", "closed/e.md"):
            (folder / file).write_text("# T\n\nText.")
        (folder / "c.md.json").write_text("{}")
        modes = {"b.md": 0, "c.md.json": 0, "listed": 0o444, "closed": 0}
        for path, mode in modes.items():
            (folder / path).chmod(mode)
        for path in (Path(name), folder):
            path.chmod(0o755)
        ids, bad = as_another_user(lambda: ([d.doc_id for d in read(folder)[0]], read(folder)[1]))
        for path in modes:
            (folder / path).chmod(0o755)
    assert ids == ["a"]
    assert bad == [
        "b.md: cannot be read (Permission denied)",
        "c.md: its sidecar 'c.md.json' cannot be read (Permission denied)",
        "listed/d.md: cannot be read (Permission denied)",
        "closed: cannot be read (Permission denied)",
    ]
