"""Reads a model's draft as it arrives: pieces of text in, whole sentences with their markers out. Pure.

    pieces → whole characters → without reasoning → the first line (ANSWER or NO_ANSWER) → sentences

Nothing comes out before it is known that the model answers. A draft that does not keep to the form is read to its end
before a word of it is used. A sentence that only says that the sources do not tell is never one of the answer, and a
draft without a single marker is no answer at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum

from rag.text import sentence_spans
from rag.types import Sentence

__all__ = ["MAX_DRAFT", "MAX_SENTENCE", "DraftReader", "declines", "read_markers"]

MAX_DRAFT = 24_000
"""Characters after which a draft is babble; an answer of 180 words has some 1,200."""

MAX_SENTENCE = 2_000
"""Characters of a sentence; a longer one is babble, and looking for its end over and over would stall the turn."""

MAX_AFTERWORD = 400
"""Characters of a draft that declines that are still read, for the figures that stand at its end."""

_FIRST_LINE = 40  # characters within which the first line must tell


class _Verdict(Enum):
    OPEN = "open"  # the first line is not complete
    ANSWER = "answer"
    DECLINED = "declined"
    MISSING = "missing"  # it says neither


# -- reading ----------------------------------------------------------------------------------------------------------


class DraftReader:
    """Feed it pieces, then end it. `declined` and `full` tell what came of it; `reasoned` whether any was removed."""

    def __init__(self) -> None:
        self._characters, self._thoughts = _Characters(), _Thoughts()
        self._verdict = _Verdict.OPEN
        self._text = ""
        self._read = 0
        self._waiting: list[Sentence] = []
        self._first, self._marked, self._said = True, False, False

    @property
    def declined(self) -> bool:
        """Whether the model said, in whatever form, that it has no answer; final once the draft has ended."""
        return self._verdict is _Verdict.DECLINED or not self._marked

    @property
    def full(self) -> bool:
        """Whether what follows can no longer matter: this is babble, or it has declined and goes on."""
        return (
            self._read > MAX_DRAFT
            or (self._verdict is _Verdict.ANSWER and len(self._text) > MAX_SENTENCE)
            or (self._verdict is _Verdict.DECLINED and len(self._text) > MAX_AFTERWORD)
        )

    @property
    def empty(self) -> bool:
        """Whether nothing but white space and reasoning came."""
        return self._verdict is not _Verdict.DECLINED and not self._said and not self._text.strip()

    @property
    def reasoned(self) -> bool:
        return self._thoughts.found

    def feed(self, piece: str) -> list[Sentence]:
        """The sentences that are complete with this piece."""
        self._read += len(piece)
        return self._take(self._characters.feed(piece))

    def end(self, *, whole: bool = True) -> list[Sentence]:
        """The rest. `whole` is False where the draft was cut off: then a sentence without its end is left out."""
        taken = self._take("", last=True)
        if self._verdict in (_Verdict.OPEN, _Verdict.MISSING) and self._text.strip():
            self._verdict = _judge(self._text, complete=True)
            if self._verdict is _Verdict.MISSING:
                self._verdict = _Verdict.ANSWER
            self._text = _without_first_line(self._text)
        if self._verdict is not _Verdict.ANSWER:
            return []
        return [*taken, *self._sentences(last=True, whole=whole)]

    def _take(self, text: str, *, last: bool = False) -> list[Sentence]:
        for kept, forget in self._thoughts.feed(text, last=last):
            if forget and self._verdict is not _Verdict.ANSWER:
                self._text, self._verdict = "", _Verdict.OPEN
            self._text += kept
            if self._verdict is _Verdict.OPEN:
                self._verdict = _judge(self._text)
                if self._verdict is _Verdict.ANSWER:
                    self._text = _without_first_line(self._text)
        return self._sentences() if self._verdict is _Verdict.ANSWER else []

    def _sentences(self, *, last: bool = False, whole: bool = True) -> list[Sentence]:
        """The complete sentences: none before one has a marker, then with those that waited for it."""
        if not self._said:
            self._text = self._text.lstrip("*_`: \n")  # what closes a dressed-up first line
        for span, gap in self._cut(last=last, whole=whole):
            self._said = True
            sentence = _sentence(span, gap, first=self._first)
            if sentence is None or declines(sentence.text):
                continue
            self._first = False
            self._marked = self._marked or bool(sentence.markers)
            self._waiting.append(sentence)
        if not self._marked:
            return []
        ready, self._waiting = self._waiting, []
        return ready

    def _cut(self, *, last: bool, whole: bool) -> Iterator[tuple[str, str]]:
        """(sentence with its markers, white space before it), taken off the text."""
        while True:
            gap = self._text[: len(self._text) - len(self._text.lstrip())]
            body = self._text[len(gap) :]
            end = _first_end(body, last=last)
            if end is None or (last and not whole and end >= len(body.rstrip()) and not _closed(body)):
                return
            self._text = body[end:]
            yield body[:end], gap


# -- characters -------------------------------------------------------------------------------------------------------

_SURROGATE = re.compile("[\ud800-\udfff]")


class _Characters:
    """Joins halves of characters that came in two pieces; a half that stays alone is left out."""

    def __init__(self) -> None:
        self._half = ""

    def feed(self, piece: str) -> str:
        text, self._half = self._half + piece, ""
        if not _SURROGATE.search(text):
            return text
        if "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")


# -- reasoning --------------------------------------------------------------------------------------------------------

_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|analysis"
_OPEN = re.compile(rf"<(?:{_NAMES})>|<\|channel\|>(?:analysis|commentary)(?:<\|message\|>)?", re.IGNORECASE)
_CLOSE = re.compile(rf"</(?:{_NAMES})>|(?:<\|start\|>assistant)?<\|channel\|>final(?:<\|message\|>)?", re.IGNORECASE)
_TOKEN = re.compile(r"<\|[a-z_]{1,20}\|>", re.IGNORECASE)
_UNFINISHED = re.compile(r"<(?:[/|][\w|<>]{0,40}|[a-z]\w{0,12})?$", re.IGNORECASE)


class _Thoughts:
    """Leaves out what stands between tags of reasoning. `found` tells whether there was any."""

    def __init__(self) -> None:
        self._held, self._inside, self.found = "", False, False

    def feed(self, text: str, *, last: bool = False) -> Iterator[tuple[str, bool]]:
        """What is left, in parts, each with whether all before it was reasoning of which only the end was marked."""
        text, self._held = self._held + text, ""
        forget = False
        while tag := (_CLOSE.search(text) if self._inside else _first_of(text)):
            if not self._inside:
                yield _TOKEN.sub("", text[: tag.start()]), forget
            closes = _CLOSE.fullmatch(tag[0]) is not None
            forget = closes and not self._inside
            self._inside, self.found = not closes, True
            text = text[tag.end() :]
        unfinished = None if last else _UNFINISHED.search(text, max(0, len(text) - 60))
        if unfinished is not None:
            text, self._held = text[: unfinished.start()], text[unfinished.start() :]
        yield "" if self._inside else _TOKEN.sub("", text), forget


def _first_of(text: str) -> re.Match[str] | None:
    found = [tag for tag in (_OPEN.search(text), _CLOSE.search(text)) if tag is not None]
    return min(found, key=lambda tag: tag.start()) if found else None


# -- the first line ---------------------------------------------------------------------------------------------------

_ANSWERS = re.compile(r"[ \t*_#>`\"'(\[]{0,8}ANSWER[ \t*_`\"')\]]{0,8}(?:[:.\n-]|$)", re.IGNORECASE)
_DECLINES = re.compile(
    r"[\s*_#>`\"'(\[]{0,8}(?:NO[\s_-]?ANSWER|NOT[\s_-](?:ANSWERABLE|FOUND|IN[\s_-](?:THE[\s_-])?SOURCES)|"
    r"INSUFFICIENT(?:[\s_-]\w{1,12})?|UNANSWERABLE)\b",
    re.IGNORECASE,
)


def _judge(text: str, *, complete: bool = False) -> _Verdict:
    """What the first line says; OPEN while it may go on."""
    line, broken, _ = text.lstrip().partition("\n")
    known = complete or bool(broken) or len(line) > _FIRST_LINE
    if _DECLINES.match(line) and (known or not line[-1].isalpha()):
        return _Verdict.DECLINED
    if (answers := _ANSWERS.match(line)) and (known or answers.end() < len(line)):
        return _Verdict.ANSWER
    return _Verdict.MISSING if known else _Verdict.OPEN


def _without_first_line(text: str) -> str:
    """The text behind the verdict, which may share its line."""
    found = _ANSWERS.match(text.lstrip())
    return text.lstrip()[found.end() :] if found else text


_WHAT = r"(?:[\w-]{1,12} ){0,2}(?:passages?|sources?|documents?|excerpts?|context|texts?|information)\b"
_TELL = (
    r"(?:contain|mention|include|say|state|provide|give|discuss|address|answer|cover|specify|describe|indicate|tell|"
    r"offer|list|explain)"
)
_NOT = r"(?:do(?:es)? not|don['’]t|doesn['’]t|did not|cannot|can['’]t|fails? to|never)"
_REFUSAL = re.compile(  # of passages, not of evidence: "There is not enough evidence for zinc" is a claim
    "|".join([
        rf"\b(?:the|these|those|your|provided|given|available|numbered) {_WHAT}.{{0,30}}\b{_NOT} (?:\w+ )?{_TELL}",
        rf"\bnone of the {_WHAT}",
        rf"\bthere is (?:no|not enough) (?:[\w-]{{1,12}} ){{0,3}}(?:in|within|among|from) (?:the|these) {_WHAT}",
        r"\b(?:not enough|insufficient|no relevant) (?:information|context) (?:in|from|to answer|is|was|provided)\b",
        r"\bi(?:['’]m| am) (?:sorry|afraid|unable|not able)\b|\bi (?:cannot|can['’]t|could not|couldn['’]t) \w",
        r"\bi (?:do not|don['’]t) have\b|\bas an ai\b",
        r"\bl[ao]s (?:fuentes|pasajes|textos)\b.{0,30}\bno (?:contienen|mencionan|indican|dicen)",
        r"\bles (?:sources|passages|textes)\b.{0,30}\bne (?:contiennent|mentionnent|disent|précisent|donnent)\b",
        r"\b(?:die|den) (?:quellen|passagen|texten?|abschnitten?)\b.{0,60}\b(?:nicht|keine?n?)\b",
        r"\b(?:le fonti|i passaggi|i testi)\b.{0,30}\bnon (?:contengono|menzionano|indicano)",
        r"\b(?:as fontes|os trechos|os textos)\b.{0,30}\bnão (?:contêm|mencionam|indicam)",
    ]),
    re.IGNORECASE,
)  # fmt: skip


def declines(sentence: str) -> bool:
    """Whether a sentence says only that the sources do not tell, or that the model cannot: no claim on health."""
    return _REFUSAL.search(sentence[:400]) is not None


# -- sentences and markers --------------------------------------------------------------------------------------------

_MARKER = r"[\[［【]\s?\d{1,3}(?:†[^\]】]{0,40})?(?:\s?[,;–-]\s?\d{1,3}){0,8}\s?[\]］】]"
_MARKERS = re.compile(rf"\s*{_MARKER}")
_CODE_OR_MARKER = re.compile(rf"(`[^`\n]{{1,200}}`)|\s*({_MARKER})")
_TRAILING = re.compile(rf"(?:[ \t]*{_MARKER})+[.]?")
_MARKER_BEGINS = re.compile(r"\s*(?:[\[［【][^\]］】]{0,60})?$")
_NUMBERS = re.compile(r"(\d{1,3})(?:\s?[–-]\s?(\d{1,3}))?")
_UNSPACED = re.compile(r"[。．！？｡।॥؟۔።។։]")
_LIST = re.compile(r"(?:([-*•‣◦▪])|(\d{1,2})[.)])[ \t]+")
_HEADING = re.compile(r"#{1,6}[ \t]+")
_CLOSED = re.compile(r"[.!?…。．！？｡।॥؟۔።។։:\]］】][\"'”’»)*_]*$")
_MOST_MARKERS = 12


def _first_end(text: str, *, last: bool) -> int | None:
    """Where the first sentence of a text ends, its markers included; None while that is not certain.

    Only what follows tells: "Dr." or "e.g." may go on, and a marker may stand behind the full stop.
    """
    spans = sentence_spans(text[: MAX_SENTENCE * 2])
    if not spans:
        return None
    end = spans[0][1]
    if end > MAX_SENTENCE:
        return None
    if behind := _TRAILING.match(text, end):
        end = behind.end()
    if last:
        return end
    rest = text[end:]
    if _MARKER_BEGINS.match(rest):
        return None
    if len(spans) > 1 and spans[1][0] >= end and (_UNSPACED.search(text[end - 1 : end]) or _a_word(rest)):
        return end
    return None if end >= len(text.rstrip()) or not _a_word(rest) else end


def _a_word(text: str) -> bool:
    """Whether a text holds a first word that can no longer grow."""
    return re.search(r"\S\s", text.lstrip()) is not None or len(text.strip()) > 24


def _closed(text: str) -> bool:
    return _CLOSED.search(text.rstrip()) is not None


def _sentence(raw: str, gap: str, *, first: bool) -> Sentence | None:
    """A sentence with its markers apart, and what stands before it; None where no text is left."""
    text = raw.strip()
    lead = "" if first else _lead(gap)
    heading = _HEADING.match(text)
    if heading:
        text = text[heading.end() :]
    if item := _LIST.match(text):
        lead += "- " if item[1] else f"{item[2]}. "
        text = text[item.end() :]
    text, markers = read_markers(text.replace("**", ""))
    return Sentence(text=text, markers=markers, lead=lead) if re.search(r"\w", text) else None


def _lead(gap: str) -> str:
    breaks = gap.count("\n")
    return "\n\n" if breaks > 1 else "\n" if breaks else " "


def read_markers(text: str) -> tuple[str, tuple[int, ...]]:
    """The text without its markers, and their numbers: "[1]", "[2, 3]", "[4-6]", "【7†source】". Code is left alone."""
    numbers: list[int] = []

    def take(match: re.Match[str]) -> str:
        if match[1]:
            return match[1]
        for low, high in _NUMBERS.findall(match[2].partition("†")[0]):
            numbers.extend(range(int(low), min(int(high or low), int(low) + _MOST_MARKERS) + 1))
        return ""

    bare = _CODE_OR_MARKER.sub(take, text).strip()
    return re.sub(r"\s+([.,;:!?])", r"\1", bare), tuple(dict.fromkeys(numbers))[:_MOST_MARKERS]
