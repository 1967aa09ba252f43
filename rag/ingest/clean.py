"""Text as it should have been: no control characters, no ligatures, lines instead of run-together lists."""

from __future__ import annotations

import html
import re
import unicodedata

from rag.text import fold_space, unglued

__all__ = ["break_inline_lists", "clean_line", "clean_text", "plain_markdown"]

_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_LIGATURE = re.compile("[ﬀ-ﬆ]")
_LINE_BREAK = re.compile("\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")  # dropping these would glue words together
_SPACE = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_DROPPED = re.compile(
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f"  # controls
    "\u00ad\u180e\u200b\u2060-\u2064\ufeff"  # soft hyphen, zero width
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # bidi
    "\ud800-\udfff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"  # surrogates, specials, tags (hidden text)
    # Joiners spell words in Arabic and Indic scripts; anywhere else they only hide.
    "|(?<![\u0600-\u06ff\u0750-\u077f\u0900-\u0dff])[\u200c\u200d]"
)
_SPACES = re.compile(r"[ \t]{2,}")
_BLANK_LINES = re.compile(r"\n{3,}")


def clean_text(text: str) -> str:
    """`text` in NFC with plain spaces and line breaks, at most one blank line in a row, nothing invisible."""
    if not (text.isascii() and text.isprintable()):  # most lines are, and need nothing of this
        text = _plain_characters(text)
    if "  " in text or "\t" in text:
        text = _SPACES.sub(lambda match: "\t" if "\t" in match[0] else " ", text)
    if "\n" in text:
        text = "\n".join(line.rstrip() for line in text.split("\n"))
        text = _BLANK_LINES.sub("\n\n", text)
    return text.strip()


def _plain_characters(text: str) -> str:
    text = _DROPPED.sub("", _LINE_BREAK.sub("\n", text))
    if text.isascii():
        return text
    text = _SPACE.sub(" ", _LIGATURE.sub(lambda match: _LIGATURES[match[0]], text))
    return unicodedata.normalize("NFC", text)


def clean_line(text: str) -> str:
    """`text` cleaned and on one line, as titles, names and headings are."""
    return fold_space(clean_text(text))


# --- lists that lost their line breaks ----------------------------------------------------------------------

_DASH = re.compile(r"(?<=\S) - (?=\S)")
_RUN_GAP = 400  # characters between two dashes of one list; farther apart they have nothing to do with each other
_LONG_RUN = 4
_LIST_WORDS = re.compile(r"(?::|\b(?:include|includes|including|are|is|as|with|have|may|can|following|by|if|to|the))$")


def break_inline_lists(text: str) -> str:
    """`text` with lists written in a line ("signs: - fever - rash") broken into lines of their own.

    Only what is clearly a list: two dashes or more, and either a lead-in that announces one or items that open
    with a capital. Ranges ("5 - 10 mg") and a pair of dashes around an aside stay.
    """
    return "\n".join(_break_line(line) if " - " in line else line for line in text.split("\n"))


def _break_line(line: str) -> str:
    cuts: set[int] = set()
    for run in _dash_runs(line):
        if _is_list(line, run):
            cuts.update(run)
    parts, start = [], 0
    for cut in sorted(cuts):
        parts.append(line[start:cut])
        start = cut + 1  # the space before the dash becomes the line break
    return "\n".join([*map(_without_next_lead, parts), line[start:]])


def _without_next_lead(part: str) -> str:
    """An item, and on a line of its own the text behind it that leads into the next list.

    "- nausea Adults may instead have" - else the chunk that begins inside that list would get the lead-in of this one.
    """
    if not part.startswith("- ") or not _LIST_WORDS.search(part):
        return part
    item = unglued(part)[0]
    return f"{item}\n{part[len(item) :].strip()}" if len(item) < len(part) else part


def _dash_runs(line: str) -> list[list[int]]:
    """Positions of " - " grouped into candidate lists; a colon before a dash opens a new one."""
    runs: list[list[int]] = []
    for match in _DASH.finditer(line):
        at = match.start()
        if line[at + 3].isdigit() and (line[at - 1].isdigit() or line[at - 1] == "%"):
            continue
        if runs and line[at - 1] != ":" and at - runs[-1][-1] <= _RUN_GAP:
            runs[-1].append(at)
        else:
            runs.append([at])
    return runs


def _is_list(line: str, run: list[int]) -> bool:
    if len(run) < 2:
        return False
    if _LIST_WORDS.search(line[max(0, run[0] - 12) : run[0]]):
        return True
    capitals = sum(line[at + 3].isupper() or line[at + 3].isdigit() for at in run)
    return capitals == len(run) or (len(run) >= _LONG_RUN and capitals >= len(run) / 2)


# --- Markdown inside a line ---------------------------------------------------------------------------------

_TAGS = (
    "a|abbr|article|aside|b|big|blockquote|body|br|button|caption|center|cite|code|col|colgroup|dd|del|details|div|dl|"
    "dt|em|figcaption|figure|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|label|li|link|main|"
    "mark|meta|nav|object|ol|option|p|picture|pre|q|s|samp|script|section|select|small|source|span|strike|strong|style|"
    "sub|summary|sup|svg|table|tbody|td|tfoot|th|thead|title|tr|tt|u|ul|var|video"
)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_UNREADABLE = re.compile(r"<(script|style)\b[^<>]*>.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_BREAK_TAG = re.compile(r"<br\s*/?>", re.IGNORECASE)
# Known names, and attributes only with "=": "p <b and c> d" must survive.
_TAG = re.compile(rf"</?(?:{_TAGS})(?:\s[^<>=]*=[^<>]*|\s*/?)>", re.IGNORECASE)
_TARGET = r"\((?:[^()\n]|\([^()\n]*\))*\)"
_IMAGE = re.compile(rf"!\[[^\[\]\n]*\](?:{_TARGET}|\[[^\[\]\n]*\])")
_LINK = re.compile(rf"\[([^\[\]\n]*)\](?:{_TARGET}|\[[^\[\]\n]*\])")
_REFERENCE = re.compile(r"^ {0,3}\[[^\[\]\n]+\]:[ \t]*<?(?:https?://|mailto:|[/.#])[^\n]*$", re.MULTILINE)
_AUTOLINK = re.compile(r"<(https?://[^<>\s]*)>")
_STRONG = re.compile(r"(\*\*|__)(?=\S)([^*_\n]+?)(?<=\S)\1")
_EMPHASIS = re.compile(r"(?<![\w*_])([*_])(?=[^\s*_])([^*_\n]+)(?<=\S)\1(?![\w*_])")


def plain_markdown(text: str) -> str:
    """`text` without images, HTML tags, comments, link targets and emphasis; what a reader would see stays.

    Nothing is fetched: targets of links and images are dropped unread.
    """
    text = _UNREADABLE.sub("", _COMMENT.sub("", text))
    text = _TAG.sub("", _BREAK_TAG.sub("\n", text))
    text = _LINK.sub(r"\1", _IMAGE.sub("", _REFERENCE.sub("", text)))
    text = _AUTOLINK.sub(r"\1", text)
    text = _EMPHASIS.sub(r"\2", _STRONG.sub(r"\2", text))
    return html.unescape(text)
