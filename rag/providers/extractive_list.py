"""Reads lists with their lead-in, and those that lost their line breaks to a web page's text.

Symptoms include                    a lead-in needs no colon where lines with bullets follow
- fever
- a rash. fever a rash. Most get …  the last item ends where the list is said again or a sentence begins
Symptoms include: Fever A rash      items that only capitals part
Symptoms are: Fever.It is high. …   labels before their sentences
Fever 90% Rash 50% …                a table of how often a sign is seen
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.providers.extractive_heading import SMALL, STARTERS, is_label
from rag.text import LEAD_WORDS, before_repeat, split_sentences, unglued, without_references
from rag.words import stem, words

__all__ = [
    "GluedList",
    "announces",
    "dashed",
    "item_text",
    "items_of",
    "labelled",
    "leads_in",
    "points_ahead",
    "read_glued",
    "split_lists",
]

_MAX_LEAD_WORDS = 55
_MAX_ITEM_WORDS = 25
_NAME_WORDS = 8  # "Physical exam and history : An exam of …": the name of a long item
_FEWEST_GLUED = 3  # what only capitals part is a list from three on
_SENTENCE_WORDS = 3
_TELLING_WORDS = 3  # of an item that says by itself that the list begins again

_ANNOUNCES = re.compile(r"\bfollowing list of (?:signs|symptoms|causes|features|treatments)\b", re.IGNORECASE)
_END = re.compile(r"[.!…。！．।॥۔]['\"”’»)\]]*$")
_BULLET = re.compile(r"^\s*(?:[-*+•‣◦▪·–—]|\d{1,3}[.)]|\(?[a-z]\))\s+")
_JOINED = re.compile(r"(?:and|or)\s+(?=\S)")
_ITEM_END = re.compile(r"[;,.]?\s*(?:\b(?:and|or))?\s*[;,.]*$")
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|can|may|might|will|should|must|do|does|has|have|you|your|it|they|this|call|get|see)\b",
    re.I,
)
_COLON_LABEL = re.compile(r"([A-Z][^.:!?]{2,60}):(?=\s?[A-Z])")
_GLUED_NAME = re.compile(
    r"((?:[A-Z][\w’'-]+ ){1,4}[A-Z][\w’'-]+) [A-Z][a-z]+ [a-z]+ "
)  # "Kidney Stones Studies show …"
_HANGING = frozenset(("include", "includes", "including", "is", "are", "as"))  # an item that wants others
_PERCENT = re.compile(r"([A-Z][^%]{2,90}?) \d{1,3}(?:\.\d+)?%(?=\s|$)")
_NO_FINDING = re.compile(
    r"\b(?:inheritance|expressivity|penetrance|(?:insidious|juvenile|adult|infantile) onset)\b", re.I
)
_POINTS_AHEAD = re.compile(
    r"(?:the following|this is|(?:here|there|these) are|these (?:[\w-]+ ){1,3}(?:are|can|may|include|increase|raise)"
    r"|some (?:[\w-]+ ){0,2}(?:are|include))\b",
    re.IGNORECASE,
)
_TABLE_HEAD = re.compile(r".*\(when available\) ")


def announces(sentence: str) -> bool:
    """Whether a sentence promises a list that stands further on."""
    return _ANNOUNCES.search(sentence) is not None


def leads_in(text: str) -> bool:
    """Whether a line may stand in an answer as the lead-in of a list."""
    tokens = text.split()
    if not 2 <= len(tokens) <= _MAX_LEAD_WORDS or text[0].islower() or ": " in text:
        return False
    return text.endswith((":", "：")) or "following" in text or tokens[-1].lower() in LEAD_WORDS or points_ahead(text)


def points_ahead(text: str) -> bool:
    """Whether a line says that a list follows ("Here are some common signs."): no "these" in it means what was said."""
    return _POINTS_AHEAD.match(text) is not None


@dataclass(frozen=True)
class GluedList:
    """A list inside a sentence: its lead-in, its items, all verbatim, and the text behind the last one.

    `used` is how many of the sentences that follow on the line belong to it.
    """

    lead: str
    items: tuple[str, ...]
    rest: tuple[str, ...] = ()
    used: int = 0


def read_glued(sentence: str, names: frozenset[str]) -> GluedList | None:
    """The list that lost its line breaks in `sentence`, or None; `names` are the folded words of the title."""
    shares = _PERCENT.findall(sentence)
    if len(shares) >= _FEWEST_GLUED:
        return GluedList("", _clean([_TABLE_HEAD.sub("", share) for share in shares]))
    head, colon, rest = sentence.partition(": ")
    if not colon or not rest[:1].isupper() or not leads_in(f"{head}:"):
        return None
    pieces = unglued(rest)
    if len(pieces) < _FEWEST_GLUED or max(len(piece.split()) for piece in pieces[:-1]) > _MAX_ITEM_WORDS:
        return None
    tail: tuple[str, ...] = ()
    if _END.search(pieces[-1]) and _is_sentence(pieces[-1], names):
        tail = (pieces.pop(),)
        while pieces and is_label(pieces[-1]):  # the heading of what follows
            pieces.pop()
    items = _clean(pieces)
    return GluedList(f"{head}:", items, tail) if len(items) >= _FEWEST_GLUED else None


def labelled(sentence: str, behind: Sequence[str]) -> GluedList | None:
    """The labels of "… are: Fever." "It may be high." "Rash." …: short pieces without a verb between sentences.

    `behind` are the sentences that follow `sentence` on its line, all of them verbatim.
    """
    head, colon, first = sentence.partition(": ")
    if not colon or not leads_in(f"{head}:"):
        return None
    labels = {number: label for number, text in enumerate((first, *behind)) if (label := _label(text))}
    if len(labels) < 2 or 0 not in labels:
        return None
    return GluedList(f"{head}:", _clean([*labels.values()]), used=max(labels))


def dashed(sentence: str, behind: Sequence[str], names: frozenset[str]) -> GluedList | None:
    """The list "… may include - fever." "It may be high. - a rash that …", whose bullets stand in a line."""
    head, dash, first = sentence.partition(" - ")
    if not dash or not leads_in(head):
        return None
    found = {0: first.split(" - ")}
    found |= {number: pieces for number, text in enumerate(behind, 1) if (pieces := text.split(". - ")[1:])}
    items, rest = items_of([piece for pieces in found.values() for piece in pieces], names)
    return GluedList(head, items, tuple(rest), used=max(found)) if len(items) >= 2 else None


def item_text(line: str) -> str:
    """A line without its bullet."""
    return _BULLET.sub("", line, count=1).strip()


def items_of(lines: Sequence[str], names: frozenset[str]) -> tuple[tuple[str, ...], list[str]]:
    """The items of a list's lines, and the sentences that follow the last one on its line.

    Where lists stand inside long prose, the last item runs into the text behind it, which may be the whole list
    once more; it ends there.
    """
    texts = [item_text(line) for line in lines]
    parts = [split_sentences(text) or [""] for text in texts]
    stopped = any(_END.search(part[0]) for part in parts[:-1])
    last, rest = _last_item(texts, names, stopped=stopped)
    return _named(_clean([*(part[0] for part in parts[:-1]), last])), rest


def _named(items: tuple[str, ...]) -> tuple[str, ...]:
    """The names alone, where every second item explains the one before it ("Statins", "lower the cholesterol", …)."""
    names, explanations = items[::2], items[1::2]
    explained = len(items) >= 4 and all(name[0].isupper() for name in names)
    return names if explained and all(text[0].islower() for text in explanations) else items


def _last_item(texts: Sequence[str], names: frozenset[str], *, stopped: bool) -> tuple[str, list[str]]:
    """The last item of a list, and the sentences behind it; `stopped`: other items end with a full stop."""
    text = texts[-1]
    first = " ".join(item.rstrip(" .;,") for item in texts[:2][: len(texts) - 1])
    again = [text.find(f" {first}", 1) + 1] if len(first.split()) >= _TELLING_WORDS else []
    again += [end for end in (len(before_repeat(text)),) if end < len(text)]
    cut = min((at for at in again if at > 0), default=0)
    if cut:
        own = text[:cut].rstrip(" .;,")
        end = text.find(own, cut)
        return own, split_sentences(text[end + len(own) :].lstrip(" .;,")) if end > 0 else []
    parts = split_sentences(text) or [""]
    if not _END.search(parts[0]):
        return parts[0], parts[1:]
    at = _boundary(parts[0], names, sure=stopped)
    if at:
        return parts[0][:at].rstrip(), [parts[0][at:], *parts[1:]]
    return parts[0], parts[1:]


def _boundary(text: str, names: frozenset[str], *, sure: bool = False) -> int:
    """Where a sentence begins behind an item ("fatigue Gout can be …"); 0 where none does, or not surely so.

    A heading between them stays with the sentence ("a biopsy Medical History Taking …").
    """
    pieces = unglued(text)
    places = [len(text) - len(" ".join(pieces[n:])) for n in range(1, len(pieces))]
    places = [at for at in places if len(text[at:].split()) >= _SENTENCE_WORDS]
    opener = next((at for at in places if _is_opener(text[at:], names)), 0)
    if not opener:
        return 0 if sure else next(iter(places), 0)
    return next(at for at in places if at == opener or _is_heading(text[at:opener]))


def _is_heading(text: str) -> bool:
    return all(word[:1].isupper() or word in SMALL for word in text.split())


def split_lists(lines: Sequence[str], names: frozenset[str]) -> list[tuple[str, list[str]]]:
    """Lists that follow one another: "- headaches Inflammation can cause other signs, such as" leads in the next one.

    Each with its lead-in, "" for the first.
    """
    lists: list[tuple[str, list[str]]] = [("", [])]
    for number, line in enumerate(lines):
        at = _boundary(line, names) if number + 1 < len(lines) and not _END.search(line) else 0
        rest = split_sentences(line[at:])[-1] if at else ""
        if at and leads_in(rest):
            lists[-1][1].append(line[:at].rstrip())
            lists.append((rest, []))
        else:
            lists[-1][1].append(line)
    return lists


def _is_opener(text: str, names: frozenset[str]) -> bool:
    first = text.split()[0]
    return first in STARTERS or not {*map(stem, words(first))}.isdisjoint(map(stem, names))


def _is_sentence(text: str, names: frozenset[str]) -> bool:
    """Whether the last piece of a list in a line is a sentence that follows it."""
    return len(text.split()) >= _SENTENCE_WORDS and (_is_opener(text, names) or len(text.split()) > _NAME_WORDS)


def _label(text: str) -> str:
    """The label that a piece of text is, or that stands before it ("Fever:It may be high."), or ""."""
    before = _COLON_LABEL.match(text)
    if before is not None:
        return "" if before[1].split()[-1].lower() in LEAD_WORDS else before[1]
    opens = text[:1].isupper() and text.split()[0] not in STARTERS
    short = len(text.split()) <= _NAME_WORDS and text.endswith(".") and not _VERB.search(text)
    return text if opens and short else ""


def _clean(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(item for text in texts if (item := _item(text)))


def _item(text: str) -> str:
    """An item as quoted: without end punctuation, cut to its name where it is long, "" where it says none."""
    if len(text.split()) > _MAX_ITEM_WORDS:
        name = re.match(r"[^:(]+?(?=\s?:\s)", text)
        text = name[0] if name is not None and len(name[0].split()) <= _NAME_WORDS else ""
    elif len(text.split()) > _NAME_WORDS and (glued := _GLUED_NAME.match(text)):
        text = glued[1]
    text = _ITEM_END.sub(
        "", _JOINED.sub("", without_references(text), count=1) if _JOINED.match(text) else without_references(text)
    )
    hanging = text.split()[-1:] and text.split()[-1].lower() in _HANGING
    if text.endswith(":") or hanging or STARTERS.issuperset(text.split()) or _NO_FINDING.search(text):
        return ""
    return text if text.count("(") == text.count(")") else ""
