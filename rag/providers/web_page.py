"""Reads a web page as a document: its title and its text with headings, lists and tables as Markdown has them.

What a reader of the page does not see is not read: scripts, navigation, forms, hidden elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from rag.text import fold_space
from rag.words import word_set

__all__ = ["WebPage", "read_page"]

_SKIPPED = word_set(
    "script style noscript template nav footer aside form button svg iframe select dialog menu object video audio "
    "canvas head"
)
_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_INLINE = word_set(
    "a abbr b bdi bdo cite code data del dfn em font i ins kbd label mark q s samp small span strong sub sup time u "
    "var wbr"
)
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?![.\d])|font-size\s*:\s*0")
_DEEPEST = 80
"""Elements inside each other; pages nest some twenty deep."""

_TITLE_TAIL = re.compile(r"\s+[|–—-]\s+[^|–—]*$")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATED = ("article:modified_time", "dcterms.modified", "dc.date.modified", "last-modified", "datemodified")


@dataclass(frozen=True, kw_only=True)
class WebPage:
    """`body` is Markdown; `lang` the language that the page names ("" for none), `version_date` its own date."""

    title: str
    body: str
    lang: str
    version_date: str | None


def read_page(html: bytes) -> WebPage | None:
    """The page, or None where it has no title or no text."""
    tree = LexborHTMLParser(html)
    root = tree.css_first("main, [role=main]") or tree.css_first("article") or tree.body
    heading, name = tree.css_first("h1"), tree.css_first("title")
    title = _text(heading) if heading else ""
    if not title and name:
        title = _TITLE_TAIL.sub("", _text(name))
    if root is None or not title:
        return None
    body = "\n".join(_lines(root, 0))
    page = tree.css_first("html")
    lang = (page.attributes.get("lang") or "") if page else ""
    if not body.strip():
        return None
    return WebPage(title=title, body=body, lang=lang.partition("-")[0].lower(), version_date=_date(tree))


def _date(tree: LexborHTMLParser) -> str | None:
    for meta in tree.css("meta[content]"):
        name = (meta.attributes.get("property") or meta.attributes.get("name") or "").lower()
        if name in _DATED and (found := _DATE.match(meta.attributes.get("content") or "")):
            return found[0]
    return None


def _text(node: LexborNode) -> str:
    return fold_space(node.text(separator=" "))


def _is_hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    return (
        node.tag in _SKIPPED
        or "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or _HIDDEN_STYLE.search((attributes.get("style") or "").lower()) is not None
    )


def _lines(node: LexborNode, depth: int) -> Iterator[str]:
    """The lines of a block: running text of its inline children, and the lines of the blocks in it."""
    running: list[str] = []
    for child in node.iter(include_text=True):
        if child.is_text_node or (child.tag in _INLINE and not _is_hidden(child)):
            running.append(child.text_content or "" if child.is_text_node else _inline(child, depth))
            continue
        if _is_hidden(child):
            continue
        yield from _flush(running)
        yield from _block(child, depth + 1)
    yield from _flush(running)


def _flush(running: list[str]) -> Iterator[str]:
    if line := fold_space("".join(running)):
        yield line
    running.clear()


def _inline(node: LexborNode, depth: int) -> str:
    """The text of an inline element, without what is hidden in it."""
    if depth > _DEEPEST:
        return ""
    parts = []
    for child in node.iter(include_text=True):
        if child.is_text_node:
            parts.append(child.text_content or "")
        elif not _is_hidden(child):
            parts.append(" " if child.tag == "br" else _inline(child, depth + 1))
    return "".join(parts)


def _block(node: LexborNode, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        return
    if node.tag in _HEADINGS:
        if text := fold_space(_inline(node, depth)):
            yield f"{_HEADINGS[node.tag]} {text}"
    elif node.tag in ("ul", "ol"):
        for item in node.iter():
            if not _is_hidden(item):
                yield from _item(item, depth + 1)
        yield ""
    elif node.tag == "table":
        yield from _rows(node, depth)
        yield ""
    elif node.tag == "br":
        yield ""
    else:
        yield from _lines(node, depth)
        yield ""  # a paragraph ends, whatever block it was


def _item(node: LexborNode, depth: int) -> Iterator[str]:
    """An item and, as items too, those of the lists in it."""
    for number, line in enumerate(line for line in _lines(node, depth) if line):
        nested = line.startswith("- ")
        yield line if nested else f"- {line}" if number == 0 else f"  {line}"


def _rows(table: LexborNode, depth: int) -> Iterator[str]:
    for row in table.css("tr"):
        cells = [fold_space(_inline(cell, depth)) for cell in row.iter() if cell.tag in ("td", "th")]
        if any(cells) and not _is_hidden(row):
            yield f"| {' | '.join(cells)} |"
