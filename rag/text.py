"""Pure helpers on text of any language: sentences, folding, and the marks that give a line its role.

Every function runs in linear time: the text comes from documents and from people, and no input may stall a
turn.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

__all__ = [
    "LEAD_WORDS",
    "before_repeat",
    "fold",
    "fold_space",
    "is_list_item",
    "is_provision",
    "is_provision_path",
    "is_table_row",
    "sentence_spans",
    "split_sentences",
    "unglued",
    "without_references",
]

# --- roles of a line ----------------------------------------------------------------------------------------

_LIST_ITEM = re.compile(r"\s{0,8}(?:[-*+•‣◦▪·–—]\s|\d{1,3}[.)](?:\s|$)|\(?(?:[a-z]|[ivx]{1,4}|\d{1,3})\)(?:\s|$))")
_ENUMERATOR = re.compile(r"\(?(?:[A-Za-z]|[ivxIVX]{1,5}|\d{1,3})[.)]")
_PROVISION = re.compile(
    r"(?:article|section|chapter|recital|annex|title|part|schedule|principle|"
    r"(?:data security )?standard|artikel|abschnitt|kapitel|anhang|erwägungsgrund|chapitre|"
    r"considérant|annexe|artículo|capítulo|sección|considerando|articolo|capo|sezione|artigo|artykuł|rozdział|art\.)"
    r"\s(?P<number>\d{1,4}[a-z]?(?:\(\w{1,4}\)){0,3}|[ivxlc]{1,8}|[A-Z])(?:, (?:part|paragraph) \d{1,3})?"
    r"(?=[\s.:–—-]|$)\.?(?P<rest>.*)",
    re.IGNORECASE,
)
_PROVISION_CHARS = 160  # a longer line is a sentence that begins with "Article 9"


def is_list_item(line: str) -> bool:
    """Whether `line` opens with a bullet or an enumerator ("- a", "2. b", "(a) c"), or is a bare enumerator."""
    return _LIST_ITEM.match(line) is not None


def is_table_row(line: str) -> bool:
    """Whether `line` is a row of a Markdown table."""
    return line.lstrip().startswith("|")


def is_provision(line: str) -> bool:
    """Whether `line` is the heading of a legal provision: "Article 9", "CHAPTER III", "Section 2: Scope".

    A sentence that only begins like one ("Article 9 applies to …") is not: what follows the number must be
    nothing, a separator or a capital, and no sentence end.
    """
    line = line.strip()
    if len(line) > _PROVISION_CHARS or line[-1:] in {".", ",", ";"}:
        return False
    match = _PROVISION.fullmatch(line)
    if match is None:
        return False
    rest = match["rest"].strip()
    return not rest or rest[0] in ":–—-" or rest[0].isupper()


@lru_cache(maxsize=4096)
def is_provision_path(heading: str) -> bool:
    """Whether a heading path ("CHAPTER III › Article 9") leads to or through a legal provision."""
    return any(is_provision(part) for part in heading.split(" › "))


# --- folding ------------------------------------------------------------------------------------------------

# Accents of Latin, Greek and Cyrillic, and Arabic vowel marks with the tatweel. The vowel signs of Indic
# scripts are marks too, but they spell the word and stay.
_ACCENTS = re.compile("[\u0300-\u036f\u0640\u064b-\u0655\u0670]+")


def fold(text: str) -> str:
    """`text` for comparison: NFKC, case folded, accents removed."""
    text = unicodedata.normalize("NFKC", text).casefold()
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _ACCENTS.sub("", unicodedata.normalize("NFD", text)))


def fold_space(text: str) -> str:
    """`text` on one line: every run of white space is one space."""
    return " ".join(text.split())


# --- sentences ----------------------------------------------------------------------------------------------

_SPACED = ".!?…"  # end a sentence only before white space
_UNSPACED = "。．！？｡।॥؟۔።။។։"  # end a sentence by themselves
_CLOSERS = "\"'”’»›)\\]）」』】〉》］"
_STOP = re.compile(rf"[{_SPACED}{_UNSPACED}]+(?:[{_CLOSERS}]|\[\d{{1,3}}\])*")
_OPENERS = "\"'“‘«‹([（「『【〈《［¿¡*_-–—• "
# Devanagari vowel signs are no word characters to `re`. The two classes must not overlap, or failing takes ages.
_LETTERS = "(?:[^\\W_\u0900-\u0963]|[\u0900-\u0963])+"
_LAST_WORD = re.compile(rf"{_LETTERS}(?:\.{_LETTERS})*$")
_FIRST_WORD = re.compile(r"[^\W_]+")
_MIXED_CASE = re.compile(r"[a-z]{1,4}[A-Z0-9]")  # mRNA, eGFR, p53: names that may open a sentence
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]|[^\W\d_a-z]")  # "U.S", "J"; not the "h" of "0.5 h"
_WRAPPED_LINE = 40  # a line at least this long without a stop, before a lower-case line, was wrapped


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NEVER_LAST = _words(
    "dr drs mr mrs ms prof rev st vs e.g i.e cf approx ca resp incl excl al viz aka dept univ gen sr jr "
    "bzw vgl evtl ggf z z.b d.h u.a sog inkl exkl nr dott dott.ssa sig sig.ra mme mlle ex ej sra dra lic ud uds tel "
    "डॉ"
)
_BEFORE_NUMBER = _words("no nos fig figs vol pp p art arts sec ch eq tab ref refs para cap núm num pág pag n")
_MAY_BE_LAST = _words("etc inc ltd co corp usw ecc a.m p.m am pm ph.d m.d")
_LETTER_AFTER = _words(
    "vitamin vitamins hepatitis type types group class influenza stage grade factor part option step phase appendix "
    "and or protein category plan vitamine vitamina hépatite hepatite hepatitis typ tipo"
)
_STARTERS = _words(
    "the it its in this these those that there if a an he she they we you for but however when while although "
    "as at on after before some many most people patients each no not all other his her their your our such also "
    "to from what who how why where do does is are can talk ask call see take use der die das es le la les il "
    "elle el los"
)
_MONTHS = _words("januar jänner februar märz april mai juni juli august september oktober november dezember")


def split_sentences(text: str) -> list[str]:
    """The sentences of `text` in order; bullets and table rows are sentences of their own.

    Nothing is lost but white space between sentences; a sentence never begins or ends with white space.
    """
    return [text[start:end] for start, end in sentence_spans(text)]


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """(start, end) of every sentence of `text`, in order and without overlap."""
    spans: list[tuple[int, int]] = []
    for start, end in _lines(text):
        if is_table_row(text[start : start + 80]):
            spans.append((start, end))
        else:
            spans.extend(_split_line(text, start, end))
    return spans


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Spans of lines without outer white space; a sentence that was wrapped over lines is one span."""
    held: tuple[int, int] | None = None
    last = ""  # the last physical line of `held`: only this is looked at again, so that joining stays linear
    position = 0
    for raw in text.split("\n"):
        line = raw.strip()
        if line:
            start = position + len(raw) - len(raw.lstrip())
            if held is not None and _continues(last, line, text[held[1] : start]):
                held = (held[0], start + len(line))
            else:
                if held is not None:
                    yield held
                held = (start, start + len(line))
            last = line
        position += len(raw) + 1
    if held is not None:
        yield held


def _continues(before: str, line: str, gap: str) -> bool:
    """Whether `line` goes on with the sentence of the line `before` it."""
    if gap.count("\n") > 1 or is_list_item(line) or is_table_row(line) or is_table_row(before):
        return False
    if _ENUMERATOR.fullmatch(before):  # "(a)" on a line of its own, as official journals print it
        return True
    return line[0].islower() and len(before) >= _WRAPPED_LINE and before[-1] not in ".!?:;…"


def _split_line(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in _STOP.finditer(text, start, end):
        cut = match.end()
        if cut < end and _ends_sentence(text, start, match):
            yield start, cut
            start = cut
            while start < end and text[start].isspace():
                start += 1
    if start < end:
        yield start, end


def _ends_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether the stop found by `match` closes the sentence that began at `start`."""
    stop, cut = match[0], match.end()
    if stop[0] in _UNSPACED:
        return not (stop == "．" and text[cut].isdigit())
    if not text[cut].isspace():
        return False
    following = text[cut : cut + 60].lstrip(_OPENERS + "\n\t")
    if _opens_lower(following):
        return stop[0] in "!?" and len(stop.rstrip(_CLOSERS)) == len(stop)
    if stop[0] != "." or stop.startswith(".."):
        return True
    return _full_stop(text[max(start, match.start() - 40) : match.start()], match.start() - start, following)


def _opens_lower(following: str) -> bool:
    return following[:1].islower() and not _MIXED_CASE.match(following)


def _full_stop(before: str, length: int, following: str) -> bool:
    """Whether the "." after `before` ends a sentence, not an abbreviation, an initial or an enumerator.

    `before` is at most 40 characters; `length` is how long the sentence is so far.
    """
    found = _LAST_WORD.search(before)
    if found is None:
        return True
    word = found[0]
    if length <= len(word) + 1 and (_ENUMERATOR.fullmatch(word + ".")):
        return False  # "1. Take one tablet."
    lower = word.lower()
    following_word = _FIRST_WORD.match(following)
    opener = following_word[0].lower() if following_word else ""
    if lower in _NEVER_LAST:
        return False
    if lower in _BEFORE_NUMBER:
        return not opener[:1].isdigit()
    if word.isdigit() and len(word) <= 2:
        return opener not in _MONTHS  # "am 3. März"
    if lower in _MAY_BE_LAST or not _INITIALS.fullmatch(word):
        return True
    if "." not in word and _previous_word(before[: found.start()]) in _LETTER_AFTER:
        return True  # "vitamin C. Vitamin D …"
    return not word.isascii() or opener in _STARTERS  # "the U.S. The drug", but "U.S. Department", "J. Smith"


def _previous_word(before: str) -> str:
    found = _LAST_WORD.search(before.rstrip())
    return found[0].lower() if found else ""


_LOST_BREAK = re.compile(r"(?<=[a-z0-9)\]%\"”’.,;]) (?=[A-Z][\w’'-]*)")
LEAD_WORDS = _words(
    "include includes including are is be have has can may might could cause causes involve involves as with of by "
    "for from if when that to try like need avoid"
)
"""Last words of a line that leads into a list without a colon."""
_WANTS_MORE = LEAD_WORDS | _words("a an the and or in on at into than your their its no not very other")
_REPEAT = re.compile(r"(?<!e\.g)(?<!i\.e)(?<!vs)\. (?=[a-z])")


def unglued(text: str) -> list[str]:
    """Items that lost their line breaks, parted before their capitals ("Fever Dry cough" → "Fever", "Dry cough").

    Not inside brackets, nor behind a comma or a word that wants another ("pain in the Achilles tendon").
    """
    pieces, start = [], 0
    for match in _LOST_BREAK.finditer(text):
        piece = text[start : match.start()]
        if (
            piece[-1] not in ",;"
            and piece.count("(") == piece.count(")")
            and piece.split()[-1].lower() not in _WANTS_MORE
        ):
            pieces.append(piece)
            start = match.end()
    return [*pieces, text[start:]]


def before_repeat(text: str) -> str:
    """A list item up to where web text tells the list once more ("a rash. fever a rash" → "a rash")."""
    return _REPEAT.split(text, maxsplit=1)[0]


_REFERENCES = re.compile(r"\s{0,3}[\[［【]\s?\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,8}\s?[\]］】]")  # bounded: linear time


def without_references(text: str) -> str:
    """A text without bracketed reference numbers: a source's own "[3]" would look like a marker of ours."""
    return _REFERENCES.sub("", text).strip()
