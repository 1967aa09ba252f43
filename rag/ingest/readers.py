"""Reads a file or a folder into documents, one at a time, and names every record that it cannot take.

    records    .jsonl .json   chunks of documents, or questions with answers; recognised record by record
    documents  .md .txt       with YAML front matter; headings become sections

Each also as `.gz`. Nothing named in a document is ever fetched.
"""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from rag.errors import PermanentError
from rag.ingest.clean import break_inline_lists
from rag.ingest.outline import sections
from rag.ingest.records import (
    BadRecord,
    Defaults,
    Document,
    FieldError,
    Limits,
    Provenance,
    Raw,
    Repeated,
    Section,
    derived_doc_id,
    optional_line,
    parse_provenance,
    required_line,
    required_text,
    same_words,
)
from rag.ingest.streams import (
    BYTES_PER_CHAR,
    TEXT_SUFFIXES,
    Broken,
    Stop,
    decode,
    files,
    leads_out,
    no_file,
    open_bounded,
    parse_json,
    sidecar_of,
    stem_of,
    suffix_of,
    too_long,
    values,
)

__all__ = ["SUFFIXES", "Item", "read_source"]

Item = Document | Repeated | BadRecord
"""What reading gives, one by one."""

_RECORD_SUFFIXES = (".jsonl", ".json")
SUFFIXES = _RECORD_SUFFIXES + TEXT_SUFFIXES


def read_source(path: Path, defaults: Defaults, limits: Limits | None = None) -> Iterator[Item]:
    """Every document below `path`, every passage left out because it stands there twice and every record that is
    neither, in file order; `limits` default to `Limits()`.

    Documents that come as chunk records are complete only when the whole source is read, so they come last.
    Raises PermanentError when `path` does not exist.
    """
    try:
        path.stat()
    except FileNotFoundError:
        raise PermanentError(f"No such file or folder: {str(path)!r}") from None
    except OSError as exc:
        raise PermanentError(f"{str(path)!r} cannot be read: {exc.strerror}.") from exc
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
    words: set[tuple[str, str]] = field(default_factory=set)


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

    def read(self) -> Iterator[Item]:
        for path in files(self.root):
            name = path.relative_to(self.root).as_posix() if self.root.is_dir() else path.name
            if self.root.is_dir() and leads_out(path, self.root):
                yield BadRecord(file=name, reason="is a link that leads out of the folder: copy what it stands for")
                continue
            if reason := no_file(path):
                yield BadRecord(file=name, reason=reason)
                continue
            try:
                yield from self._read_file(path, name)
            except Stop as stop:
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

    def _read_file(self, path: Path, name: str) -> Iterator[Item]:
        suffix = suffix_of(path)
        if suffix in _RECORD_SUFFIXES:
            yield from self._read_records(path, name, suffix)
        elif suffix in TEXT_SUFFIXES:
            yield from self._read_document(path, name)
        else:
            accepted = ", ".join(SUFFIXES)
            yield BadRecord(file=name, reason=f"is of an unknown kind: accepted are {accepted}, each also as .gz")

    def _take(self, line: int | None) -> None:
        if self.taken >= self.limits.max_records:
            reason = f"holds more than max_records={self.limits.max_records}: split the source or raise the limit"
            raise Stop(reason, line=line, whole_source=True)
        self.taken += 1

    # --- records --------------------------------------------------------------------------------------------

    def _read_records(self, path: Path, name: str, suffix: str) -> Iterator[Item]:
        before = self.taken
        found_bad = False
        with open_bounded(path, self.limits) as stream:
            for line, value in values(stream, suffix, self.limits):
                if isinstance(value, Broken):
                    found_bad = True
                    yield BadRecord(file=name, line=line, reason=value.reason)
                    continue
                self._take(line)
                try:
                    item = self._record(value, f"{name}:{line}")
                except FieldError as exc:
                    yield BadRecord(file=name, line=line, field=exc.field or None, reason=exc.reason)
                else:
                    if item is not None:
                        yield item
        if self.taken == before and not found_bad:
            yield BadRecord(file=name, reason="holds no records")

    def _record(self, raw: object, origin: str) -> Document | Repeated | None:
        """A question with its answer as a document, or None for a chunk, which waits in its group."""
        if not isinstance(raw, dict):
            raise FieldError("", "is no JSON object")
        if "question" in raw or "answer" in raw:
            return self._answer(raw, origin)
        if "text" in raw or "doc_title" in raw:
            return self._add_chunk(raw, origin)
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

    def _add_chunk(self, raw: Raw, origin: str) -> Repeated | None:
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
        words = (heading, same_words(text))
        if chunk_id is not None:
            self.chunk_origins[chunk_id] = origin
        elif words in group.words:
            return Repeated(doc_id=doc_id, origin=origin)
        group.words.add(words)
        group.sections.append(Section(heading=heading, text=text))
        group.chunk_ids.append(chunk_id)
        return None

    def _claim(self, doc_id: str, origin: str) -> None:
        if doc_id in self.doc_origins:
            first = self.doc_origins[doc_id]
            raise FieldError("doc_id", f"{doc_id!r} is already used at {first}: give one of them another doc_id")
        self.doc_origins[doc_id] = origin

    # --- documents ------------------------------------------------------------------------------------------

    def _read_document(self, path: Path, name: str) -> Iterator[Item]:
        line_of: dict[str, int] = {}
        try:
            text = self._whole_text(path)
            matter, body, line_of = _front_matter(text)
            sidecar = sidecar_of(path)
            if sidecar is not None:
                if self.root.is_dir() and leads_out(sidecar, self.root):
                    raise FieldError("", f"its sidecar {sidecar.name!r} is a link that leads out of the folder")
                if reason := no_file(sidecar):
                    raise FieldError("", f"its sidecar {sidecar.name!r} {reason}")
                matter = {**_read_sidecar(sidecar, self.limits), **matter}
            elif not line_of and self.root.is_dir() and stem_of(path).casefold() == "readme":
                return  # it describes the folder; with front matter it is a document like any other
            self._take(None)
            document = self._text_document(matter, body, stem_of(path), name)
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
        """The decoded text of a document. Raises Stop when it is too long or not UTF-8."""
        most = self.limits.max_record_chars
        with open_bounded(path, self.limits) as stream:
            data = stream.read(most * BYTES_PER_CHAR + 1)
        text, problem = decode(data.removeprefix(codecs.BOM_UTF8), 0)
        if len(data) > most * BYTES_PER_CHAR or len(text) > most:
            raise Stop(too_long(self.limits))
        if problem is not None:
            raise Stop(problem)
        return text

    def _text_document(self, matter: Raw, body: str, stem: str, origin: str) -> Document:
        provenance = parse_provenance(matter, self.defaults)
        doc_id = optional_line(matter, "doc_id") or stem
        title, parts = sections(body, optional_line(matter, "title"))
        if not parts:
            raise FieldError("text", "is empty")
        return Document.of(provenance, doc_id=doc_id, title=title or stem, sections=parts, origin=origin)


def _check_agreement(raw: Raw, title: str, provenance: Provenance, group: _Group) -> None:
    """Raises FieldError when a chunk contradicts its document: a citation would name the wrong page or date."""
    if title != group.title:
        raise FieldError("doc_title", f"{title[:60]!r} differs from {group.title[:60]!r} at {group.origin}")
    for name in ("organization", "url", "version_date", "date_seen", "lang", "licence"):
        given, first = getattr(provenance, name), getattr(group.provenance, name)
        if name == "url":  # chunks may point at their own anchor in the page
            given, first = (given or "").partition("#")[0], (first or "").partition("#")[0]
        if raw.get(name) and given != first:
            raise FieldError(name, f"{given!r} differs from {first!r} at {group.origin}, which has the same doc_id")


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
    try:
        with open_bounded(path, limits) as stream:
            data = stream.read(limits.max_record_chars + 1)
    except OSError as exc:
        raise FieldError("", f"its sidecar {path.name!r} cannot be read ({exc.strerror or exc})") from exc
    text, problem = decode(data.removeprefix(codecs.BOM_UTF8), 0)
    loaded = Broken(problem) if problem else parse_json(text)
    if isinstance(loaded, Broken):
        raise FieldError("", f"its sidecar {path.name!r} {loaded.reason}")
    if not isinstance(loaded, dict):
        raise FieldError("", f"its sidecar {path.name!r} is no JSON object")
    return loaded
