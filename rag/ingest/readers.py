"""Reads a file or a folder into documents, one at a time, and names every record that it cannot take.

    records    .jsonl .json   chunks of documents, or questions with answers; recognised record by record
    documents  .md .txt       with YAML front matter; headings become sections

Each also as `.gz`. Nothing named in a document is ever fetched.
"""

from __future__ import annotations

import codecs
import gzip
import io
import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast

import yaml

from rag.errors import PermanentError
from rag.ingest.clean import break_inline_lists, clean_line, clean_text, plain_markdown
from rag.ingest.records import (
    HEADING_SEPARATOR,
    BadRecord,
    Defaults,
    Document,
    FieldError,
    Limits,
    Provenance,
    Raw,
    Section,
    derived_doc_id,
    optional_line,
    parse_provenance,
    required_line,
    required_text,
)
from rag.text import fold, fold_space, is_list_item, is_provision, is_table_row

__all__ = ["SUFFIXES", "read_source"]

_RECORD_SUFFIXES = (".jsonl", ".json")
_TEXT_SUFFIXES = (".md", ".txt")
SUFFIXES = _RECORD_SUFFIXES + _TEXT_SUFFIXES
_BYTES_PER_CHAR = 4  # the most that UTF-8 needs
_READ = 1 << 16


def read_source(path: Path, defaults: Defaults, limits: Limits | None = None) -> Iterator[Document | BadRecord]:
    """Every document below `path` and every record that is none, in file order; `limits` default to
    `Limits()`.

    Documents that come as chunk records are complete only when the whole source is read, so they come last.
    Raises PermanentError when `path` does not exist.
    """
    if not path.exists():
        raise PermanentError(f"No such file or folder: {str(path)!r}")
    source = _Source(root=path, defaults=defaults, limits=limits or Limits())
    return source.read()


@dataclass
class _Group:
    """The chunk records of one document, collected until the source ends."""

    title: str
    provenance: Provenance
    origin: str
    sections: list[Section] = field(default_factory=list)
    chunk_ids: list[str | None] = field(default_factory=list)


class _Stop(Exception):
    """Nothing more can be read: from this file, or, if `whole_source`, at all."""

    def __init__(self, reason: str, *, line: int | None = None, whole_source: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.whole_source = whole_source


@dataclass
class _Source:
    """One read: what it was told, and the ids that it has seen."""

    root: Path
    defaults: Defaults
    limits: Limits
    taken: int = 0
    doc_origins: dict[str, str] = field(default_factory=dict)
    chunk_origins: dict[str, str] = field(default_factory=dict)
    groups: dict[str, _Group] = field(default_factory=dict)

    def read(self) -> Iterator[Document | BadRecord]:
        for path in _files(self.root):
            name = path.name if self.root.is_file() else path.relative_to(self.root).as_posix()
            try:
                yield from self._read_file(path, name)
            except _Stop as stop:
                yield BadRecord(file=name, line=stop.line, reason=stop.reason)
                if stop.whole_source:
                    break
            except (EOFError, zlib.error, gzip.BadGzipFile) as exc:
                yield BadRecord(file=name, reason=f"is no complete gzip file ({exc})")
            except OSError as exc:
                yield BadRecord(file=name, reason=f"cannot be read ({exc.strerror or exc})")
        for doc_id, group in self.groups.items():
            yield Document.of(
                group.provenance,
                doc_id=doc_id,
                title=group.title,
                sections=tuple(group.sections),
                given_chunk_ids=tuple(group.chunk_ids),
                origin=group.origin,
            )

    def _read_file(self, path: Path, name: str) -> Iterator[Document | BadRecord]:
        suffix = _suffix(path)
        if suffix in _RECORD_SUFFIXES:
            yield from self._read_records(path, name, suffix)
        elif suffix in _TEXT_SUFFIXES:
            yield from self._read_document(path, name)
        else:
            accepted = ", ".join(SUFFIXES)
            yield BadRecord(file=name, reason=f"is of an unknown kind: accepted are {accepted}, each also as .gz")

    def _take(self, line: int | None) -> None:
        if self.taken >= self.limits.max_records:
            reason = f"holds more than max_records={self.limits.max_records}: split the source or raise the limit"
            raise _Stop(reason, line=line, whole_source=True)
        self.taken += 1

    # --- records --------------------------------------------------------------------------------------------

    def _read_records(self, path: Path, name: str, suffix: str) -> Iterator[Document | BadRecord]:
        before = self.taken
        found_bad = False
        with _open(path, self.limits) as stream:
            for line, value in _values(stream, suffix, self.limits):
                if isinstance(value, _Broken):
                    found_bad = True
                    yield BadRecord(file=name, line=line, reason=value.reason)
                    continue
                self._take(line)
                try:
                    document = self._document(value, f"{name}:{line}")
                except FieldError as exc:
                    yield BadRecord(file=name, line=line, field=exc.field or None, reason=exc.reason)
                else:
                    if document is not None:
                        yield document
        if self.taken == before and not found_bad:
            yield BadRecord(file=name, reason="holds no records")

    def _document(self, raw: object, origin: str) -> Document | None:
        """A question with its answer as a document, or None for a chunk, which waits in its group."""
        if not isinstance(raw, dict):
            raise FieldError("", "is no JSON object")
        if "question" in raw or "answer" in raw:
            return self._answer(raw, origin)
        if "text" in raw or "doc_title" in raw:
            self._add_chunk(raw, origin)
            return None
        raise FieldError("", "is neither a chunk (doc_title, text) nor a question with its answer (question, answer)")

    def _answer(self, raw: Raw, origin: str) -> Document:
        doc_id = required_line(raw, "doc_id")
        question = required_line(raw, "question")
        answer = break_inline_lists(required_text(raw, "answer"))
        if not optional_line(raw, "topic"):
            raw = {**raw, "topic": raw.get("focus")}
        provenance = parse_provenance(raw, self.defaults)
        self._claim(doc_id, origin)
        return Document.of(
            provenance,
            doc_id=doc_id,
            title=question,
            sections=(Section(heading="", text=answer),),
            origin=origin,
        )

    def _add_chunk(self, raw: Raw, origin: str) -> None:
        title = required_line(raw, "doc_title")
        text = required_text(raw, "text")
        heading = optional_line(raw, "heading") or ""
        chunk_id = optional_line(raw, "chunk_id")
        provenance = parse_provenance(raw, self.defaults)
        doc_id = optional_line(raw, "doc_id") or derived_doc_id(title, provenance)
        if chunk_id is not None and chunk_id in self.chunk_origins:
            raise FieldError("chunk_id", f"{chunk_id!r} is already used at {self.chunk_origins[chunk_id]}")
        group = self.groups.get(doc_id)
        if group is None:
            self._claim(doc_id, origin)
            group = self.groups[doc_id] = _Group(title=title, provenance=provenance, origin=origin)
        else:
            _check_agreement(raw, title, provenance, group)
        if chunk_id is not None:
            self.chunk_origins[chunk_id] = origin
        group.sections.append(Section(heading=heading, text=text))
        group.chunk_ids.append(chunk_id)

    def _claim(self, doc_id: str, origin: str) -> None:
        if doc_id in self.doc_origins:
            first = self.doc_origins[doc_id]
            raise FieldError("doc_id", f"{doc_id!r} is already used at {first}: give one of them another doc_id")
        self.doc_origins[doc_id] = origin

    # --- documents ------------------------------------------------------------------------------------------

    def _read_document(self, path: Path, name: str) -> Iterator[Document | BadRecord]:
        line_of: dict[str, int] = {}
        try:
            text = self._whole_text(path)
            matter, body, line_of = _front_matter(text)
            sidecar = _sidecar(path)
            if sidecar is not None:
                matter = {**_read_sidecar(sidecar, self.limits), **matter}
            elif not line_of and self.root.is_dir() and _stem(path).casefold() == "readme":
                return  # it describes the folder; with front matter it is a document like any other
            self._take(None)
            document = self._text_document(matter, body, _stem(path), name)
            self._claim(document.doc_id, name)
        except FieldError as exc:
            yield BadRecord(file=name, line=line_of.get(exc.field), field=exc.field or None, reason=exc.reason)
        except yaml.YAMLError as exc:
            mark = getattr(exc, "problem_mark", None)
            problem = getattr(exc, "problem", None) or "cannot be parsed"
            yield BadRecord(
                file=name,
                line=mark.line + 2 if mark else 1,
                reason=f"the front matter is no valid YAML: {problem}",
            )
        except RecursionError:
            yield BadRecord(file=name, line=1, reason="the front matter is nested too deeply")
        else:
            yield document

    def _whole_text(self, path: Path) -> str:
        """The decoded text of a document. Raises _Stop when it is too long or not UTF-8."""
        most = self.limits.max_record_chars
        with _open(path, self.limits) as stream:
            data = stream.read(most * _BYTES_PER_CHAR + 1)
        text, problem = _decode(data.removeprefix(codecs.BOM_UTF8), 0)
        if len(data) > most * _BYTES_PER_CHAR or len(text) > most:
            raise _Stop(_too_long(self.limits))
        if problem is not None:
            raise _Stop(problem)
        return text

    def _text_document(self, matter: Raw, body: str, stem: str, origin: str) -> Document:
        provenance = parse_provenance(matter, self.defaults)
        doc_id = optional_line(matter, "doc_id") or stem
        title, sections = _sections(body, optional_line(matter, "title"))
        if not sections:
            raise FieldError("text", "is empty")
        return Document.of(provenance, doc_id=doc_id, title=title or stem, sections=sections, origin=origin)


def _check_agreement(raw: Raw, title: str, provenance: Provenance, group: _Group) -> None:
    """Raises FieldError when a chunk contradicts its document: a citation would name the wrong page or date."""
    if title != group.title:
        raise FieldError("doc_title", f"{title[:60]!r} differs from {group.title[:60]!r} at {group.origin}")
    for name in ("organization", "url", "version_date", "lang", "licence"):
        given, first = getattr(provenance, name), getattr(group.provenance, name)
        if name == "url":  # chunks may point at their own anchor in the page
            given, first = (given or "").partition("#")[0], (first or "").partition("#")[0]
        if raw.get(name) and given != first:
            raise FieldError(name, f"{given!r} differs from {first!r} at {group.origin}, which has the same doc_id")


# --- files --------------------------------------------------------------------------------------------------


def _files(root: Path) -> Iterator[Path]:
    """`root` itself, or the files below it in sorted order, without hidden ones and sidecars."""
    if root.is_file():
        yield root
        return
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(folder, name)
            if not name.startswith(".") and path.is_file() and not _is_sidecar(path):
                yield path


def _bare_name(path: Path) -> str:
    return path.name[:-3] if path.name.lower().endswith(".gz") else path.name


def _suffix(path: Path) -> str:
    return os.path.splitext(_bare_name(path))[1].lower()


def _stem(path: Path) -> str:
    return os.path.splitext(_bare_name(path))[0]


def _sidecar(path: Path) -> Path | None:
    """The `name.md.json` or `name.json` beside the document `name.md`."""
    for name in (f"{_bare_name(path)}.json", f"{_stem(path)}.json"):
        if (found := path.with_name(name)).is_file():
            return found
    return None


def _is_sidecar(path: Path) -> bool:
    if path.suffix.lower() != ".json":
        return False
    base = path.with_suffix("")
    names = [base.name, *(base.name + suffix for suffix in _TEXT_SUFFIXES)]
    candidates = [name for name in names if name.lower().endswith(_TEXT_SUFFIXES)]
    return any(base.with_name(name + gz).is_file() for name in candidates for gz in ("", ".gz"))


class _Bounded(io.RawIOBase):
    """A stream that refuses to give more than `limits.max_file_bytes`, however small the file looked compressed."""

    def __init__(self, inner: IO[bytes], limits: Limits) -> None:
        self._inner = inner
        self._left = limits.max_file_bytes
        self._most = limits.max_file_bytes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        data = self._inner.read(len(view))
        self._left -= len(data)
        if self._left < 0:
            raise _Stop(f"is larger than max_file_bytes={self._most}: split the file or raise the limit")
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._inner.close()
        super().close()


def _open(path: Path, limits: Limits) -> io.BufferedReader:
    zipped = path.name.lower().endswith(".gz")
    inner = cast(IO[bytes], gzip.GzipFile(path)) if zipped else path.open("rb")
    return io.BufferedReader(_Bounded(inner, limits), _READ)


def _decode(data: bytes, offset: int) -> tuple[str, str | None]:
    """The text of UTF-8 `data`, and what is wrong with it; `offset` is where `data` begins in its file."""
    try:
        return data.decode(), None
    except UnicodeDecodeError as exc:
        return "", _not_utf8(offset + exc.start)


def _not_utf8(offset: int) -> str:
    return f"is not UTF-8: byte {offset} cannot be decoded; save the file as UTF-8"


def _too_long(limits: Limits) -> str:
    return f"is longer than max_record_chars={limits.max_record_chars}: split it or raise the limit"


# --- JSON ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Broken:
    """Stands for a value that could not be read."""

    reason: str


def _values(stream: io.BufferedReader, suffix: str, limits: Limits) -> Iterator[tuple[int, object]]:
    """(line, value) of every record of a stream of lines, or of an array, whatever its suffix promised."""
    first = stream.peek(_READ)[:_READ].removeprefix(codecs.BOM_UTF8).lstrip()[:1]
    if suffix == ".json" or first == b"[":
        pairs: Iterable[tuple[int, str | _Broken]] = _array_members(_text_blocks(stream), limits)
    else:
        pairs = _line_texts(stream, limits)
    for line, text in pairs:
        yield line, text if isinstance(text, _Broken) else _parse(text)


def _parse(text: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as exc:
        return _Broken(f"is no valid JSON: {exc.msg} at character {exc.pos + 1}")
    except (ValueError, RecursionError) as exc:  # a number of thousands of digits, thousands of brackets
        return _Broken(f"is no acceptable JSON: {exc}")


def _line_texts(stream: io.BufferedReader, limits: Limits) -> Iterator[tuple[int, str | _Broken]]:
    longest = limits.max_record_chars * _BYTES_PER_CHAR
    number, offset = 0, 0
    while raw := stream.readline(longest + 1):
        number += 1
        start, offset = offset, offset + len(raw)
        if len(raw) > longest:
            while raw and not raw.endswith(b"\n"):
                raw = stream.readline(_READ)
                offset += len(raw)
            yield number, _Broken(_too_long(limits))
            continue
        if number == 1 and raw.startswith(codecs.BOM_UTF8):
            raw, start = raw[len(codecs.BOM_UTF8) :], len(codecs.BOM_UTF8)
        text, problem = _decode(raw, start)
        if problem is not None:
            yield number, _Broken(problem)
        elif len(text) > limits.max_record_chars + 1:
            yield number, _Broken(_too_long(limits))
        elif text.strip():
            yield number, text


def _text_blocks(stream: io.BufferedReader) -> Iterator[str]:
    """The decoded text in blocks; no block ends between a backslash and what it escapes."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    offset, held = 0, ""
    while True:
        data = stream.read(_READ)
        pending = len(decoder.getstate()[0])
        try:
            text = held + decoder.decode(data, final=not data)
        except UnicodeDecodeError as exc:
            raise _Stop(_not_utf8(offset - pending + exc.start)) from None
        offset += len(data)
        if not data:
            yield text
            return
        kept = len(text.rstrip("\\"))
        held = text[kept:]
        yield text[:kept]


_JSON_MARK = re.compile(r'\\.|["{}\[\],\n]', re.DOTALL)


def _array_members(blocks: Iterable[str], limits: Limits) -> Iterator[tuple[int, str | _Broken]]:
    """(line, text) of every member of a JSON array, or of every object if there is no array around them.

    Only brackets and strings are followed here, so that a broken member is reported on its own and memory
    holds one member at a time. A line break ends a string, as JSON has it: a missing quote spoils its line
    only.
    """
    outer = -1  # depth of the members: 1 in an array, 0 without, -1 before it is known
    depth, line, start_line, size = 0, 1, 1, 0
    in_string = False
    parts: list[str] = []
    for block in blocks:
        start = 0
        for match in _JSON_MARK.finditer(block):
            mark = match[0]
            if mark == "\n":
                line += 1
                in_string = False
            elif mark == '"':
                in_string = not in_string
            elif in_string or mark[0] == "\\":
                continue
            elif mark in "{[":
                if outer < 0:
                    outer = 1 if mark == "[" else 0
                    start = match.end() if outer else match.start()
                    start_line = line
                depth += 1
            elif mark == "," and not (depth == outer == 1):
                continue
            else:
                depth -= mark != ","
                ends_value = depth == outer if outer == 0 else depth < outer or mark == ","
                if ends_value:
                    end = match.end() if outer == 0 else match.start()
                    yield from _member(parts, block[start:end], start_line)
                    parts, size, start, start_line = [], 0, match.end(), line
        parts.append(block[start:])
        size += len(block) - start
        if size > limits.max_record_chars:
            raise _Stop(_too_long(limits), line=start_line)
    if "".join(parts).strip():
        yield (
            start_line,
            _Broken("is cut off or has text after the last record: a bracket is missing or too many"),
        )


def _member(parts: list[str], last: str, line: int) -> Iterator[tuple[int, str]]:
    text = "".join([*parts, last])
    value = text.strip()
    if value:
        yield line + text[: len(text) - len(text.lstrip())].count("\n"), value


# --- front matter -------------------------------------------------------------------------------------------


def _front_matter(text: str) -> tuple[dict[str, object], str, dict[str, int]]:
    """(fields, body, line of each field). Without front matter the fields and lines are empty.

    Raises FieldError for front matter that is not closed or no mapping, YAMLError for one that is no YAML.
    """
    lines = text.splitlines()
    if not lines or lines[0].rstrip() != "---":
        return {}, text, {}
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() in {"---", "..."}), None)
    if end is None:
        raise FieldError("", "the front matter is not closed by a line '---'")
    # BaseLoader is the safe loader that leaves scalars as written: "no" stays Norwegian, and a date that
    # does not exist is reported with its field instead of failing the whole block.
    loaded = yaml.load("\n".join(lines[1:end]), Loader=yaml.BaseLoader)
    if loaded is not None and not isinstance(loaded, dict):
        raise FieldError("", "the front matter is no list of 'key: value' lines")
    fields = {str(key): _scalar(str(key), value) for key, value in (loaded or {}).items()}
    line_of = {line.partition(":")[0].strip(): number + 1 for number, line in enumerate(lines[:end]) if ":" in line}
    return fields, "\n".join(lines[end + 1 :]), line_of or {"---": 1}


def _scalar(key: str, value: object) -> object:
    if value in ("", "~", "null"):
        return None
    if key == "hierarchy_rank" and isinstance(value, str) and re.fullmatch(r"-?\d{1,4}", value):
        return int(value)
    return value


def _read_sidecar(path: Path, limits: Limits) -> dict[str, object]:
    with _open(path, limits) as stream:
        data = stream.read(limits.max_record_chars + 1)
    text, problem = _decode(data.removeprefix(codecs.BOM_UTF8), 0)
    loaded = _Broken(problem) if problem else _parse(text)
    if isinstance(loaded, _Broken):
        raise FieldError("", f"its sidecar {path.name!r} {loaded.reason}")
    if not isinstance(loaded, dict):
        raise FieldError("", f"its sidecar {path.name!r} is no JSON object")
    return loaded


# --- sections -----------------------------------------------------------------------------------------------

_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*)")
_RULE = re.compile(r" {0,3}(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}")
_QUOTE = re.compile(r" {0,3}(?:> ?)+")
_PROVISION_LEVELS = {"title": 7, "part": 7, "annex": 7, "chapter": 8, "section": 9}  # below every "#" heading
_LOWEST_LEVEL = 10
_PROVISION_TITLE_CHARS = 120


def _sections(body: str, title: str | None) -> tuple[str | None, tuple[Section, ...]]:
    """(title, sections) of a document's text. Without a given title, a first "# heading" is the title."""
    outline = _Outline(title=title)
    for line, is_code in _plain_lines(body):
        if is_code:
            outline.add(line)
        else:
            outline.read(line)
    return outline.title, outline.finish()


def _plain_lines(body: str) -> Iterator[tuple[str, bool]]:
    """(line, is it code) with Markdown's inline marks removed outside code fences."""
    fence = ""
    block: list[str] = []
    for line in body.splitlines():
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            if not fence:
                yield from _plain_block(block)
            else:
                yield from ((code, True) for code in block)
            fence, block = "" if fence else mark[1], []
        else:
            block.append(line)
    if fence:
        yield from ((code, True) for code in block)
    else:
        yield from _plain_block(block)


def _plain_block(block: list[str]) -> Iterator[tuple[str, bool]]:
    for line in plain_markdown("\n".join(block)).split("\n"):
        yield line, False


@dataclass
class _Outline:
    """Collects lines under the headings that stand above them."""

    title: str | None
    path: list[tuple[int, str]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    untitled_provision: bool = False  # "Article 9" was read; the next line may be its title

    def read(self, line: str) -> None:
        heading = _HEADING.fullmatch(line)
        text = clean_line(line)
        if heading:
            self._head(len(heading[1]), clean_line(heading[2].rstrip("# \t")))
        elif is_provision(text):
            self._head(_provision_level(text), text)
        elif self.untitled_provision and text:
            self._title_provision(line, text)
        elif not _RULE.fullmatch(line):
            self._append(line)

    def add(self, line: str) -> None:
        """A line of code, kept as it is."""
        self.untitled_provision = False
        self.lines.append(line)

    def finish(self) -> tuple[Section, ...]:
        self._close()
        return tuple(self.sections)

    def _head(self, level: int, text: str) -> None:
        self._close()
        first = not self.path and not self.sections
        if first and level == 1 and (self.title is None or fold_space(fold(text)) == fold_space(fold(self.title))):
            self.title = text if self.title is None else self.title
            return
        while self.path and self.path[-1][0] >= level:
            self.path.pop()
        self.path.append((level, text))
        self.untitled_provision = is_provision(text) and len(text.split()) == 2

    def _title_provision(self, line: str, text: str) -> None:
        """Takes the line below "Article 9" as its title if it looks like one, as official journals print it."""
        self.untitled_provision = False
        ends_like_text = text[-1] in ".;:,"
        if text[0].isupper() and not ends_like_text and len(text) <= _PROVISION_TITLE_CHARS:
            level, heading = self.path.pop()
            self.path.append((level, f"{heading}: {text}"))
        else:
            self.read(line)

    def _append(self, line: str) -> None:
        line = _QUOTE.sub("", line, count=1)
        if self.lines and _wraps(self.lines[-1], line):
            self.lines[-1] = _join(self.lines[-1], line.strip())
        else:
            self.lines.append(line)

    def _close(self) -> None:
        text = clean_text("\n".join(self.lines))
        self.lines = []
        self.untitled_provision = False
        if text:
            self.sections.append(Section(heading=HEADING_SEPARATOR.join(text for _, text in self.path), text=text))


def _provision_level(text: str) -> int:
    return _PROVISION_LEVELS.get(text.split()[0].casefold(), _LOWEST_LEVEL)


def _wraps(before: str, line: str) -> bool:
    """Whether `line` goes on with the paragraph or list item of the line before, as Markdown reads it."""
    if not before.strip() or not line.strip() or before.endswith(("  ", "\\")):
        return False
    return not (is_list_item(line) or is_table_row(line) or is_table_row(before))


def _join(before: str, line: str) -> str:
    """Two lines of one paragraph as one; scripts that write no spaces get none."""
    spaceless = ord(before[-1]) >= 0x2E80 and ord(line[0]) >= 0x2E80 and not _is_hangul(line[0])
    return f"{before.rstrip()}{'' if spaceless else ' '}{line}"


def _is_hangul(char: str) -> bool:
    return "\uac00" <= char <= "\ud7af"
