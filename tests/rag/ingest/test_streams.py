"""JSON lines, arrays and gzip are read piece by piece; broken bytes and limits are named with their place."""

from __future__ import annotations

import gzip
import json

from tests.rag.ingest.reading import answer, lines, read


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
