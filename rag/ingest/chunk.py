"""Cuts documents into passages along their structure: sections first, then whole sentences.

    Document.sections → runs of sections that share a passage → units (sentences, list items, table rows)
    → blocks that must stay together → pieces

Knows nothing of the embedder but a function that counts its tokens.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from rag.ingest.records import HEADING_SEPARATOR, Document
from rag.text import is_list_item, is_provision_path, is_table_row, sentence_spans

__all__ = ["CHUNKER", "Piece", "chunk_document"]

CHUNKER = "sections-3"  # names the rules below; another name makes every document chunk anew

CountTokens = Callable[[str], int]

_OVERLAP = 0.15  # share of the target that neighbouring pieces may have in common
_LEAD_SHARE = 0.3  # share of the target that a repeated lead-in or table head may take
_OWN_PIECE = 60  # tokens from which a section stands alone: a precise heading finds better than a full piece
_COUNTED_WHOLE = 8  # a text with more characters per token of the maximum is cut without being counted whole
_JOINT = 1  # tokens that a join of two texts may add


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A passage of a document, in order from 0.

    `tokens` is the caller's count of `text`, or the sum over its sentences, which is not below it for
    tokenizers that count a joined text at most one token above its parts. `split_sentence` marks a passage
    that begins or ends inside a sentence which alone is above the maximum. A given chunk id that needs
    several pieces is continued as "id#2", "id#3".
    """

    ordinal: int
    heading: str
    text: str
    given_chunk_id: str | None
    tokens: int
    split_sentence: bool = False


@dataclass(frozen=True, kw_only=True)
class _Sizes:
    target: int
    maximum: int
    minimum: int


@dataclass(frozen=True)
class _Passage:
    """The text of one section or of several that share a piece."""

    heading: str
    text: str
    tokens: int
    given_chunk_id: str | None = None


@dataclass(frozen=True)
class _Unit:
    """What is never cut: a sentence, a list item, a table row, or a part of a sentence above the maximum."""

    text: str
    gap: str  # white space before it in its section
    tokens: int  # one join included
    lead: tuple[_Unit, ...] = ()  # what a piece that begins here repeats: the line above its list, its table's head
    joined: bool = False  # stays with the unit before
    split: bool = False  # a part of a sentence


def chunk_document(
    document: Document,
    count_tokens: CountTokens,
    *,
    target: int = 300,
    maximum: int = 400,
    minimum: int = 200,
) -> tuple[Piece, ...]:
    """The passages of `document`, each with at most `maximum` tokens; without text there are none.

    A passage stays in its section. Sections below 60 tokens are kept with the siblings that follow, and a
    document below `minimum` is one passage; then the text carries the inner headings. Legal provisions and
    chunks that came with an id are never merged. Equal input gives equal passages.
    """
    sizes = _Sizes(target=target, maximum=maximum, minimum=minimum)
    pieces: list[Piece] = []
    for passage in _passages(document, count_tokens, sizes):
        for number, piece in enumerate(_cut(passage, count_tokens, sizes), 1):
            given = piece.given_chunk_id
            if given is not None and number > 1:
                given = f"{given}#{number}"
            pieces.append(replace(piece, ordinal=len(pieces), given_chunk_id=given))
    return tuple(pieces)


# --- sections -----------------------------------------------------------------------------------------------


def _passages(document: Document, count: CountTokens, sizes: _Sizes) -> Iterator[_Passage]:
    measured = [
        _Passage(section.heading, section.text, _count_up_to(section.text, count, sizes.maximum), given)
        for section, given in zip(document.sections, document.given_chunk_ids, strict=True)
        if section.text.strip()
    ]
    whole = sum(passage.tokens for passage in measured) < sizes.minimum and all(map(_mergeable, measured))
    run: list[_Passage] = []
    for passage in measured:
        if run and not (_fits(run, passage, sizes.target) and (whole or _shares_piece(run, passage))):
            yield _merged(run, count)
            run = []
        run.append(passage)
    if run:
        yield _merged(run, count)


def _mergeable(passage: _Passage) -> bool:
    return passage.given_chunk_id is None and not is_provision_path(passage.heading)


def _fits(run: Sequence[_Passage], passage: _Passage, target: int) -> bool:
    headings = sum(len(each.heading) // 2 + 2 for each in (*run, passage))  # no token is shorter than half a letter
    return sum(each.tokens for each in (*run, passage)) + headings <= target


def _shares_piece(run: Sequence[_Passage], passage: _Passage) -> bool:
    """Whether a section joins the short ones before it: same heading, a sibling, or a child of the first."""
    first = run[0]
    if not (_mergeable(first) and _mergeable(passage)) or sum(each.tokens for each in run) >= _OWN_PIECE:
        return False
    return passage.heading == first.heading or _parent(passage.heading) in {
        _parent(first.heading),
        first.heading,
    }


def _parent(heading: str) -> str:
    return heading.rpartition(HEADING_SEPARATOR)[0]


def _merged(run: Sequence[_Passage], count: CountTokens) -> _Passage:
    """One passage of several; headings below the common path become lines of the text."""
    if len(run) == 1:
        return run[0]
    paths = [passage.heading.split(HEADING_SEPARATOR) if passage.heading else [] for passage in run]
    shared = 0
    while all(len(path) > shared for path in paths) and len({path[shared] for path in paths}) == 1:
        shared += 1
    texts: list[str] = []
    for path, same in groupby(zip(paths, run, strict=True), key=lambda pair: pair[0]):
        inner = HEADING_SEPARATOR.join(path[shared:])
        head = "" if not inner else f"{inner}\n" if inner[-1] in ":.?!？。：" else f"{inner}:\n"
        texts.append(head + "\n".join(passage.text for _, passage in same))
    text = "\n".join(texts)
    return _Passage(HEADING_SEPARATOR.join(paths[0][:shared]), text, count(text))


# --- pieces of one passage ----------------------------------------------------------------------------------


def _cut(passage: _Passage, count: CountTokens, sizes: _Sizes) -> Iterator[Piece]:
    if passage.tokens <= sizes.maximum:
        yield _piece(passage, [], passage.text.strip(), passage.tokens)
        return
    units = _with_roles(list(_units(passage.text, count, sizes.maximum)), sizes)
    last_start = 0
    for start, end in _pack(units, sizes):
        chosen = units[start:end]
        lead = _lead(units[start], sizes.maximum - _total(chosen))
        overlap = [] if lead else units[_overlap_start(units, last_start, start, end, sizes) : start]
        text = "".join(f"{unit.text}\n" for unit in lead) + _text([*overlap, *chosen])
        yield _piece(passage, chosen, text, _total([*lead, *overlap, *chosen]))
        last_start = start


def _piece(passage: _Passage, units: Sequence[_Unit], text: str, tokens: int) -> Piece:
    return Piece(
        ordinal=0,
        heading=passage.heading,
        text=text,
        given_chunk_id=passage.given_chunk_id,
        tokens=tokens,
        split_sentence=any(unit.split for unit in units),
    )


def _text(units: Sequence[_Unit]) -> str:
    return "".join(unit.gap + unit.text for unit in units).lstrip()


def _total(units: Sequence[_Unit]) -> int:
    return sum(unit.tokens for unit in units)


def _pack(units: Sequence[_Unit], sizes: _Sizes) -> Iterator[tuple[int, int]]:
    """(start, end) into `units` per piece: about equal, near the target, at most the maximum."""
    blocks = _blocks(units, sizes.target)
    left, at = _total(units), 0
    while at < len(blocks):
        start, end = blocks[at]
        size = _total(units[start:end])
        room = sizes.maximum - _total(_lead(units[start], sizes.maximum - size))
        goal = left / -(-left // sizes.target)
        at += 1
        while at < len(blocks):
            first, last = blocks[at]
            more = _total(units[first:last])
            crumbs = left - size < sizes.minimum // 2 and left <= room  # too little for a piece of its own
            enough = size >= sizes.minimum and size + more / 2 > goal and not crumbs
            if enough or size + more > room:
                break
            end, size, at = last, size + more, at + 1
        yield start, end
        left -= size


def _blocks(units: Sequence[_Unit], most: int) -> list[tuple[int, int]]:
    """(start, end) of the units that stay together, as long as they are not above `most` tokens."""
    blocks: list[tuple[int, int]] = []
    for number, unit in enumerate(units):
        if unit.joined and blocks and _total(units[blocks[-1][0] : number + 1]) <= most:
            blocks[-1] = (blocks[-1][0], number + 1)
        else:
            blocks.append((number, number + 1))
    return blocks


def _lead(unit: _Unit, room: int) -> tuple[_Unit, ...]:
    return unit.lead if _total(unit.lead) <= room else ()


def _overlap_start(units: Sequence[_Unit], last_start: int, start: int, end: int, sizes: _Sizes) -> int:
    """Where the sentences begin that the piece `units[start:end]` repeats from the piece before."""
    room = min(sizes.target * _OVERLAP, sizes.maximum - _total(units[start:end]))
    first = start
    while first - 1 > last_start and not units[first - 1].split and not is_table_row(units[first - 1].text):
        room -= units[first - 1].tokens
        if room < 0:
            break
        first -= 1
    return first


# --- units --------------------------------------------------------------------------------------------------

_TABLE_RULE = re.compile(r"\|[\s:|-]+")


def _units(text: str, count: CountTokens, maximum: int) -> Iterator[_Unit]:
    end_before = 0
    for start, end in sentence_spans(text):
        gap, sentence = text[end_before:start], text[start:end]
        end_before = end
        tokens = _count_up_to(sentence, count, maximum) + _JOINT
        if tokens <= maximum:
            yield _Unit(sentence, gap, tokens)
        else:
            yield from _parts(sentence, gap, count, maximum)


def _with_roles(units: Sequence[_Unit], sizes: _Sizes) -> list[_Unit]:
    """The units with what list items and table rows must stay with or repeat.

    The first two items of a list stay with the line above it; so do a table's first rows with its head.
    """
    result: list[_Unit] = []
    lead: tuple[_Unit, ...] = ()
    items = rows = 0
    for unit in units:
        before = result[-1] if result else None
        starts_line = before is None or "\n" in unit.gap
        if starts_line and is_table_row(unit.text):
            rows, items = rows + 1, 0
            if rows == 1:
                lead = (unit,)
            elif rows == 2 and _TABLE_RULE.fullmatch(unit.text):
                lead = (*lead, unit)
            unit = replace(unit, joined=rows in {2, 3}, lead=_repeated(lead, sizes) if rows > len(lead) else ())
        elif starts_line and is_list_item(unit.text[:40]):
            items, rows = items + 1, 0
            if items == 1:
                lead = (before,) if before is not None and _introduces(before, unit) else ()
            unit = replace(unit, joined=bool(lead) and items <= 2, lead=_repeated(lead, sizes))
        elif starts_line:
            items = rows = 0
        result.append(unit)
    return result


def _introduces(before: _Unit, item: _Unit) -> bool:
    return before.text[-1] in ":：" or item.gap.count("\n") == 1


def _repeated(lead: tuple[_Unit, ...], sizes: _Sizes) -> tuple[_Unit, ...]:
    return lead if _total(lead) <= sizes.target * _LEAD_SHARE else ()


# --- sentences above the maximum ----------------------------------------------------------------------------

_SEAMS = (  # from the best place to cut a sentence to the worst
    re.compile(r"(?<=;)\s+|(?<=；)\s*"),
    re.compile(r"(?<=,)\s+|(?<=[，、،])\s*"),
    re.compile(r"(?<![\d\s])(?<!\s[-–—])\s+"),  # not between a number and its unit, nor after a lone dash
    re.compile(r"\s+"),
)
_INSIDE_WORD = re.compile(r"(?<![\d.,])(?![\d.,])")
_INSIDE_REACH = 100


def _parts(sentence: str, gap: str, count: CountTokens, maximum: int) -> Iterator[_Unit]:
    """A sentence above the maximum in parts below it: halved at the best seam until each part fits."""
    waiting = [(gap, sentence)]
    while waiting:
        gap, text = waiting.pop()
        tokens = _count_up_to(text, count, maximum) + _JOINT
        if tokens <= maximum or len(text) == 1:
            yield _Unit(text, gap, tokens, split=True)
        else:
            end, start = _seam(text)
            waiting += [(text[end:start], text[start:]), (gap, text[:end])]


def _seam(text: str) -> tuple[int, int]:
    """(end of the left part, start of the right part), both parts not empty, as near the middle as the seam
    allows.
    """
    middle, quarter = len(text) // 2, len(text) // 4
    for low, high in ((quarter, len(text) - quarter), (1, len(text) - 1)):
        for pattern in _SEAMS:
            found = [match.span() for match in pattern.finditer(text, low, high)]
            found = [span for span in found if span[0] > 0 and span[1] < len(text)]
            if found:
                return min(found, key=lambda span: abs(span[0] - middle))
    near = _INSIDE_WORD.finditer(text, max(1, middle - _INSIDE_REACH), min(len(text) - 1, middle + _INSIDE_REACH))
    cut = min((match.start() for match in near), key=lambda at: abs(at - middle), default=middle)
    while cut < len(text) - 1 and unicodedata.category(text[cut])[0] == "M":
        cut += 1  # a vowel sign or accent stays with its letter
    return cut, cut


def _count_up_to(text: str, count: CountTokens, maximum: int) -> int:
    """The tokens of `text`; of one that is too long in any case only that it is above the maximum."""
    return count(text) if len(text) <= _COUNTED_WHOLE * maximum else maximum + 1
