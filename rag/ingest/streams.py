"""The files of a source, and the JSON values in them, read in bounded memory. Knows nothing of documents."""

from __future__ import annotations

import codecs
import gzip
import io
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from rag.ingest.records import Limits

__all__ = [
    "TEXT_SUFFIXES",
    "Broken",
    "Stop",
    "decode",
    "files",
    "leads_out",
    "no_file",
    "open_bounded",
    "parse_json",
    "sidecar_of",
    "stem_of",
    "suffix_of",
    "too_long",
    "values",
]

TEXT_SUFFIXES = (".md", ".txt")
BYTES_PER_CHAR = 4  # the most that UTF-8 needs
_READ = 1 << 16


class Stop(Exception):
    """Nothing more can be read: from this file, or, if `whole_source`, at all."""

    def __init__(self, reason: str, *, line: int | None = None, whole_source: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.whole_source = whole_source


def files(root: Path) -> Iterator[Path]:
    """`root` itself, or what is below it in sorted order, without hidden files and sidecars.

    What is no file that can be read is among them, so that it can be named: see `leads_out` and `no_file`.
    """
    if not root.is_dir():
        yield root
        return
    closed: list[Path] = []
    for folder, folders, names in os.walk(root, onerror=lambda exc: closed.append(Path(exc.filename))):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (path for name in folders if leads_out(path := Path(folder, name), root))
        for name in sorted(names):
            path = Path(folder, name)
            if not name.startswith(".") and not _is_sidecar(path):
                yield path
    yield from closed


def no_file(path: Path) -> str | None:
    """Why there is nothing to read at `path`, or None for a regular file. Opens nothing: a pipe would never answer."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            os.scandir(path).close()
    except FileNotFoundError:
        return "is a link to nothing" if path.is_symlink() else "is gone"
    except OSError as exc:
        return f"cannot be read ({exc.strerror})"
    if stat.S_ISREG(mode):
        return None
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}
    return f"is {kinds.get(stat.S_IFMT(mode), 'a device')}, no file"


def leads_out(path: Path, root: Path) -> bool:
    """Whether `path`, found below the folder `root`, is a symbolic link to something outside it.

    A folder that someone else filled must not bring in what only this process may read.
    """
    if not os.path.islink(path):
        return False
    try:
        return not path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):  # a loop of links
        return True


def _bare_name(path: Path) -> str:
    return path.name[:-3] if path.name.lower().endswith(".gz") else path.name


def suffix_of(path: Path) -> str:
    return os.path.splitext(_bare_name(path))[1].lower()


def stem_of(path: Path) -> str:
    return os.path.splitext(_bare_name(path))[0]


def sidecar_of(path: Path) -> Path | None:
    """The `name.md.json` or `name.json` beside the document `name.md`."""
    for name in (f"{_bare_name(path)}.json", f"{stem_of(path)}.json"):
        found = path.with_name(name)
        if os.path.lexists(found) and not os.path.isdir(found):
            return found
    return None


def _is_sidecar(path: Path) -> bool:
    if path.suffix.lower() != ".json":
        return False
    base = path.with_suffix("")
    names = [base.name, *(base.name + suffix for suffix in TEXT_SUFFIXES)]
    candidates = [name for name in names if name.lower().endswith(TEXT_SUFFIXES)]
    return any(os.path.isfile(base.with_name(name + gz)) for name in candidates for gz in ("", ".gz"))


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
            raise Stop(f"is larger than max_file_bytes={self._most}: split the file or raise the limit")
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._inner.close()
        super().close()


def open_bounded(path: Path, limits: Limits) -> io.BufferedReader:
    zipped = path.name.lower().endswith(".gz")
    inner = cast(IO[bytes], gzip.GzipFile(path)) if zipped else path.open("rb")
    return io.BufferedReader(_Bounded(inner, limits), _READ)


def decode(data: bytes, offset: int) -> tuple[str, str | None]:
    """The text of UTF-8 `data`, and what is wrong with it; `offset` is where `data` begins in its file."""
    try:
        return data.decode(), None
    except UnicodeDecodeError as exc:
        return "", not_utf8(offset + exc.start)


def not_utf8(offset: int) -> str:
    return f"is not UTF-8: byte {offset} cannot be decoded; save the file as UTF-8"


def too_long(limits: Limits) -> str:
    return f"is longer than max_record_chars={limits.max_record_chars}: split it or raise the limit"


@dataclass(frozen=True)
class Broken:
    """Stands for a value that could not be read."""

    reason: str


def values(stream: io.BufferedReader, suffix: str, limits: Limits) -> Iterator[tuple[int, object]]:
    """(line, value) of every record of a stream of lines, or of an array, whatever its suffix promised."""
    first = stream.peek(_READ)[:_READ].removeprefix(codecs.BOM_UTF8).lstrip()[:1]
    if suffix == ".json" or first == b"[":
        pairs: Iterable[tuple[int, str | Broken]] = _array_members(_text_blocks(stream), limits)
    else:
        pairs = _line_texts(stream, limits)
    for line, text in pairs:
        yield line, text if isinstance(text, Broken) else parse_json(text)


def parse_json(text: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as exc:
        return Broken(f"is no valid JSON: {exc.msg.removesuffix(' at')} at character {exc.pos + 1}")
    except (ValueError, RecursionError) as exc:  # a number of thousands of digits, thousands of brackets
        return Broken(f"is no acceptable JSON: {exc}")


def _line_texts(stream: io.BufferedReader, limits: Limits) -> Iterator[tuple[int, str | Broken]]:
    longest = limits.max_record_chars * BYTES_PER_CHAR
    number, offset = 0, 0
    while raw := stream.readline(longest + 1):
        number += 1
        start, offset = offset, offset + len(raw)
        if len(raw) > longest:
            while raw and not raw.endswith(b"\n"):
                raw = stream.readline(_READ)
                offset += len(raw)
            yield number, Broken(too_long(limits))
            continue
        if number == 1 and raw.startswith(codecs.BOM_UTF8):
            raw, start = raw[len(codecs.BOM_UTF8) :], len(codecs.BOM_UTF8)
        text, problem = decode(raw, start)
        if problem is not None:
            yield number, Broken(problem)
        elif len(text) > limits.max_record_chars + 1:
            yield number, Broken(too_long(limits))
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
            raise Stop(not_utf8(offset - pending + exc.start)) from None
        offset += len(data)
        if not data:
            yield text
            return
        kept = len(text.rstrip("\\"))
        held = text[kept:]
        yield text[:kept]


_JSON_MARK = re.compile(r'\\.|["{}\[\],\n]', re.DOTALL)


def _array_members(blocks: Iterable[str], limits: Limits) -> Iterator[tuple[int, str | Broken]]:
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
            raise Stop(too_long(limits), line=start_line)
    if "".join(parts).strip():
        yield (
            start_line,
            Broken("is cut off or has text after the last record: a bracket is missing or too many"),
        )


def _member(parts: list[str], last: str, line: int) -> Iterator[tuple[int, str]]:
    text = "".join([*parts, last])
    value = text.strip()
    if value:
        yield line + text[: len(text) - len(text.lstrip())].count("\n"), value
