"""Cuts the text of a document at its headings and legal provisions into sections."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from rag.ingest.clean import clean_line, clean_text, plain_markdown
from rag.ingest.records import HEADING_SEPARATOR, Section
from rag.text import fold, fold_space, is_list_item, is_provision, is_table_row

__all__ = ["sections"]

_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*)")
_RULE = re.compile(r" {0,3}(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}")
_QUOTE = re.compile(r" {0,3}(?:> ?)+")
_PROVISION_LEVELS = {"title": 7, "part": 7, "annex": 7, "chapter": 8, "section": 9}  # below every "#" heading
_LOWEST_LEVEL = 10
_PROVISION_TITLE_CHARS = 120


def sections(body: str, title: str | None) -> tuple[str | None, tuple[Section, ...]]:
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
