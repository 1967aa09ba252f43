"""Reads a passage into the units that an answer may quote: whole sentences, and lists with their lead-in.

A unit's text stands verbatim in the passage. What cannot be quoted alone (headings, questions, fragments,
navigation) is left out; a sentence that leans on the one before it is marked as dangling.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from rag.kind import Kind
from rag.question import heading_kinds, sentence_has_cue
from rag.text import is_list_item, is_table_row, split_sentences, without_references
from rag.types import Evidence
from rag.words import content_stems, stem, words

__all__ = ["Unit", "read_units"]

_MIN_WORDS = 4  # "Yes." and "Not known." say nothing without their question
_MAX_WORDS = 55  # longer "sentences" in web text are lists that lost their line breaks (MedQuAD, 2026-11-30)
_MAX_ITEM_WORDS = 25
_NAME_WORDS = 8  # "Physical exam and history : An exam of …": the name of a long item


@dataclass(frozen=True, eq=False)
class Unit:
    """A quotable piece of passage `passage` (0-based): a sentence, or a lead-in line with its `items`.

    `section` holds the types that its section answers. A `dangling` unit may follow only the unit `after`,
    directly before it in the passage; one that is `by_title` opens the passage with "This condition …" and
    means its title.
    """

    text: str
    passage: int
    position: int
    section: frozenset[Kind]
    items: tuple[str, ...] = ()
    dangling: bool = False
    after: Unit | None = None
    by_title: bool = False

    @cached_property
    def words(self) -> list[str]:
        """The folded words of the text, without the items."""
        return words(self.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of text and items."""
        return self.text_stems.union(*(map(stem, words(item)) for item in self.items))

    @cached_property
    def text_stems(self) -> frozenset[str]:
        """The stems of the text without the items."""
        return frozenset(map(stem, self.words))

    @cached_property
    def content(self) -> frozenset[str]:
        """The stems of the words that carry a topic, for comparing units."""
        return content_stems(self.words)

    def has_cue(self, kind: Kind) -> bool:
        """Whether the text has words that answer this type."""
        if kind not in self._cues:
            self._cues[kind] = sentence_has_cue(self.text, kind)
        return self._cues[kind]

    @cached_property
    def _cues(self) -> dict[Kind, bool]:
        return {}

    @cached_property
    def length(self) -> int:
        """Words of text and items."""
        return len(self.text.split()) + sum(len(item.split()) for item in self.items)


# --- what cannot be quoted ----------------------------------------------------------------------------------

_DANGLING = re.compile(
    r"(?:it|its|it's|it’s|this|these|they|them|their|he|she|his|her|him|that|those|however|also|but|such"
    r"|therefore|thus|hence|so|and|or|yet|in addition|additionally|moreover|furthermore|besides|instead"
    r"|otherwise|then|as a result|because of (?:this|that|these)|for (?:this|that|these) (?:reasons?|purpose)"
    r"|for example|for instance|in (?:this|these|that|those|such|some|all|both|other|either|many)"
    r"(?: of these)? (?:cases?|situations?)|in contrast|by contrast|on the other hand|similarly|likewise"
    r"|consequently|meanwhile|nevertheless|nonetheless|even so|the (?:latter|former|following|above)|both"
    r"|neither|either|in turn|that is|if so|if not|the same|here|another|others?\b(?! \w+)"
    r"|(?:first|second|third|next|still|there|no|yes),|secondly|thirdly|finally|lastly|afterwards?"
    r")(?![\w’'-])",
    re.IGNORECASE,
)
_DANGLING_FOREIGN = re.compile(
    r"(?:esto|esta|estos|estas|ello|ellos|ellas|sin embargo|además|por (?:eso|ello|lo tanto|tanto)|también"
    r"|pero|il|ils|elle|elles|ce|cela|ceci|cette|ces|cependant|toutefois|aussi|mais|donc|de plus|en outre"
    r"|par conséquent|es|er|sie|dies|diese|dieser|dieses|jedoch|auch|aber|daher|deshalb|außerdem|darum"
    r"|zudem|questo|questa|questi|queste|esso|essi|tuttavia|inoltre|anche|ma|quindi|perciò|pertanto|ele|ela"
    r"|eles|elas|isto|isso|este|estes|essa|essas|no entanto|além disso|mas|portanto)(?![\w’'-])",
    re.IGNORECASE,
)
_LEANS_EARLY = re.compile(
    r"(?:[\w’'-]+ ){1,5}(?:therefore|thus|consequently)\b|(?:[\w’'-]+ ){1,3}(?:these|this|those"
    r"|such)\b(?! (?:time|point|as|way)\b)",
    re.IGNORECASE,
)
_THIS_TOPIC = re.compile(
    r"(?:this|the) (?:condition|disorder|disease|syndrome|illness)\b|(?:this|the) (?:type|form) of\b",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(r"\bfollowing list of (?:signs|symptoms|causes|features|treatments)\b", re.IGNORECASE)
_FOLLOWING = re.compile(r"the following\b", re.IGNORECASE)
_NAVIGATION = re.compile(
    r"\b(?:see also|see the|click|watch the|learn more|read more|more information|more about"
    r"|visit (?:the|our|this|nih|www|http)|links? (?:to (?:the|our|more)|below)|web ?sites?"
    r"|(?:web|our|this|next|see) ?page|page \d|www|https?|pdq|this summary|the table|table below"
    r"|(?:listed|described|shown) (?:below|above)|sections? (?:on|of this|called|titled)|medlineplus"
    r"|phenotype ontology|orphanet|omim|genereviews|these resources|resources? (?:address|page|list|section)"
    r"|health topics|last (?:updated|reviewed)|back to top|copyright|for details|brackets?|esc button"
    r"|fact ?sheet|brochure|toll[- ]free|hotline at|e-?mail|to find a|diagram|(?:this|the) (?:picture|image)"
    r"|illustration|video|figure shows|frequently asked|question\b.*\bask|nih|ninds|nhlbi|niddk|summaries"
    r"|glossary|the following (?:summary|list of)|clinicaltrials\.gov|medical dictionary|note:|key points"
    r"|get tips|(?:a|the) fraction|frequency of a sign|information on frequency|wallet card)\b",
    re.IGNORECASE,
)
_END = re.compile(r"[.!…。！．।॥۔]['\"”’»)\]]*$")
_GLUED = re.compile(  # a capital function word inside a sentence: what stood before it lost its line break
    r"[a-z,)\]] (?:The|If|You|Your|This|These|It|Doctors|Other|Some|Most|When|For|There|They|Many|Certain"
    r"|Although|In|See"
    r"|What|How|Who|Why|To|Because|Talk|Avoid)\s[a-z]"
)
_TITLED = re.compile(  # "Immediate Treatment Certain treatments …": a heading before the sentence
    r"(?:(?:[A-Z][\w’'/-]*|and|of|the|for|or|to|in|with|&)\s+){1,7}?"
    r"(?=(?:The|An|If|In|Your|You|This|Some|Most|Many|Certain|Doctors|There|When|For|To|People|Other"
    r"|Although|Because|Once|At"
    r"|It|These|Each|Sometimes|Having|No|All|Early|Treatment|Researchers|Women|Men|Children|Both|While"
    r"|During|After|Before|Since|Even|Several|Anyone|They|We|What|How)\s[a-z])"
)
_LABEL = re.compile(
    r"(?:Medications?|Medicines?|Surgery|Treatments?|Symptoms?|Diagnosis|Causes|Overview|Prevention|Outlook"
    r"|Complications"
    r"|Drugs|Therapy|Tests|Diet|Lifestyle|Definition|Summary|Introduction|Background|Prognosis"
    r"|Transmission)\s+(?=[A-Z][a-z]+\s)"
)
_CAPITALS = re.compile(r"(?!(?:The|A|An|In)\s)(?:[A-Z][\w’'-]*\s+){3,}(?=[a-z])")
_CAPITAL_INSIDE = re.compile(r"[a-z)] [A-Z][a-z]+ [a-z]")
_BULLET = re.compile(r"\s*(?:[-*+•‣◦▪·–—]|\d{1,3}[.)]|\(?[a-z]\))\s+")
_ITEM_END = re.compile(r"[;,.]?\s*(?:\b(?:and|or))?\s*[;,.]*$")


def _quotable(sentence: str, names: frozenset[str]) -> bool:
    """Whether a sentence is whole, tells something and is no navigation; `names` are the title's words."""
    length = len(sentence.split())
    if not sentence.isascii() and length <= 3 and sentence[-1:] in "。！．":
        length = len(sentence) // 2  # scripts without spaces
    return (
        _MIN_WORDS <= length <= _MAX_WORDS
        and not sentence[0].islower()
        and sentence[0] not in ",;:)(]*|"
        and _END.search(sentence) is not None
        and sentence.count("(") == sentence.count(")")
        and sentence.count('"') % 2 == 0
        and not _NAVIGATION.search(sentence)
        and not _GLUED.search(sentence)
        and not _has_heading(sentence, names)
        and not _lost_list(sentence)
    )


def _has_heading(sentence: str, names: frozenset[str]) -> bool:
    """Whether a sentence opens with capitals as headings have them, and they are no name of the topic."""
    run = _CAPITALS.match(sentence)
    if run is None:
        return False
    capitals = words(run[0])
    return sum(word in names for word in capitals) * 2 < len(capitals)


def _lost_list(sentence: str) -> bool:
    """Whether a list was glued into this sentence: "These include: Aspirin to clot Nitroglycerin to …"."""
    head, colon, rest = sentence.partition(": ")
    if sentence.count(" - ") > 1:
        return True
    return bool(colon) and bool(rest) and rest[0].isupper() and len(head) > 0 and bool(_CAPITAL_INSIDE.search(rest))


def _dangles(sentence: str, lang: str) -> bool:
    """Whether a sentence opens with what another one has named."""
    opening = sentence.lstrip("\"'“‘«(")
    if not lang.lower().startswith("en") and _DANGLING_FOREIGN.match(opening):
        return True
    return bool(_DANGLING.match(opening) or _LEANS_EARLY.match(opening))


def _is_question(sentence: str) -> bool:
    return sentence.rstrip("\"'”’») ")[-1:] in {"?", "？", "؟"}


# --- reading ------------------------------------------------------------------------------------------------


def read_units(evidence: Evidence, passage: int) -> list[Unit]:
    """The quotable units of a passage, in order."""
    chunk = evidence.chunk
    base = heading_kinds(chunk.heading, chunk.lang) or heading_kinds(chunk.title, chunk.lang)
    names = frozenset(words(f"{chunk.title} {chunk.topic}"))
    return _Reader(passage=passage, lang=chunk.lang, section=base, names=names).read(chunk.text)


@dataclass
class _Reader:
    """One pass over a passage: the section and the unit that it stands in."""

    passage: int
    lang: str
    section: frozenset[Kind]
    names: frozenset[str]

    def read(self, text: str) -> list[Unit]:
        self.units: list[Unit] = []
        self.previous: Unit | None = None
        self.announced = ""  # a sentence that promises a list further on
        self.lost = False  # whether text was left out
        lines = [line.strip() for line in text.split("\n") if line.strip()]
        at = 0
        while at < len(lines):
            at = self._read_line(lines, at)
        return self.units

    def _read_line(self, lines: list[str], at: int) -> int:
        """Reads the line at `at`; returns where to go on (behind the list that it may introduce)."""
        line = lines[at]
        if is_list_item(line) or is_table_row(line):
            self.previous = None  # an item without its lead-in
            return at + 1
        end = at + 1
        while end < len(lines) and is_list_item(lines[end]):
            end += 1
        if line.startswith("#") or (end == at + 1 and _is_heading(line)):
            self._enter(line.lstrip("# ").rstrip(":"))
            return at + 1
        sentences = _split(line)
        lead_in = sentences.pop() if end > at + 1 else None
        for sentence in sentences:
            self._add_sentence(sentence)
        if lead_in is not None:
            for sentence in self._add_list(lead_in, lines[at + 1 : end]):
                self._add_sentence(sentence)
        return end

    def _enter(self, heading: str) -> None:
        self.section = heading_kinds(heading, self.lang) or self.section
        self.previous = None

    def _add_sentence(self, written: str) -> None:
        sentence = without_references(written)
        if not sentence:
            self.previous = None
            self.lost = True
            return
        if _is_question(sentence):
            self._enter(sentence)
            return
        titled = _TITLED.match(sentence) or _LABEL.match(sentence)
        if titled is not None:
            self._enter(titled[0])
            sentence = sentence[titled.end() :]
        if _ANNOUNCES.search(sentence):
            self.announced = sentence
        if not _quotable(sentence, self.names):
            self.previous = None
            self.lost = True
            return
        self._append(sentence, ())

    def _add_list(self, lead_in: str, lines: list[str]) -> list[str]:
        """Adds a list; returns the sentences that stand behind its last item on the same line."""
        items, rest = _items(lines)
        lead_in = without_references(lead_in)
        titled = _TITLED.match(lead_in) or _LABEL.match(lead_in)
        if titled is not None:
            self._enter(titled[0])
            lead_in = lead_in[titled.end() :]
        if not _introduces(lead_in) and self.announced:
            lead_in = self.announced
        self.announced = ""
        if len(items) >= 2 and (_introduces(lead_in) or _ANNOUNCES.search(lead_in)):
            self._append(lead_in, items)
        self.previous = None
        return rest

    def _append(self, text: str, items: tuple[str, ...]) -> None:
        dangling = _dangles(text, self.lang) and not (items and _FOLLOWING.match(text))
        unit = Unit(
            text=text,
            passage=self.passage,
            position=len(self.units),
            section=self.section,
            items=items,
            dangling=dangling,
            after=self.previous,
            by_title=dangling and not self.units and not self.lost and bool(_THIS_TOPIC.match(text)),
        )
        self.units.append(unit)
        self.previous = unit


_ABBREVIATED = re.compile(r"(?<=[A-Z]{2}\.)\s+(?=[A-Z][a-z]+\s)")  # "… has CF. People …"


def _split(line: str) -> list[str]:
    return [part for sentence in split_sentences(line) for part in _ABBREVIATED.split(sentence)]


def _is_heading(line: str) -> bool:
    """Whether a line that introduces no list is a heading: short and no sentence."""
    return len(line.split()) <= 12 and (line.endswith(":") or not re.search(r"[.!?…。！？।۔]['\"”’»)\]]*$", line))


def _introduces(lead_in: str) -> bool:
    """Whether a line may stand in an answer as the lead-in of a list."""
    return (
        (lead_in.endswith((":", "：")) or "following" in lead_in)
        and 3 <= len(lead_in.split()) <= _MAX_WORDS
        and not lead_in[0].islower()
        and not _NAVIGATION.search(lead_in)
        and not _GLUED.search(lead_in)
        and ": " not in lead_in
    )


def _items(lines: list[str]) -> tuple[tuple[str, ...], list[str]]:
    """The items of a list, and the sentences that follow the last one on its line.

    Where lists stand inside long prose, the last item may run into the text behind it; then it is left out.
    """
    texts = [_BULLET.sub("", line, count=1).strip() for line in lines]
    parts = [split_sentences(text) or [""] for text in texts]
    stopped = sum(1 for part in parts[:-1] if _END.search(part[0]))
    items = [_item(part[0]) for part in parts[:-1]]
    last = parts[-1][0]
    runs_on = _END.search(last) and not stopped and (len(last.split()) > 8 or _CAPITAL_INSIDE.search(last))
    if not runs_on:
        items.append(_item(last))
    return tuple(item for item in items if item), parts[-1][1:]


def _item(text: str) -> str:
    """An item as quoted: without end punctuation, cut to its name where it is long, "" where it says none."""
    if len(text.split()) > _MAX_ITEM_WORDS:
        name = re.match(r"[^:(]+?(?=\s?:\s)", text)
        text = name[0] if name is not None and len(name[0].split()) <= _NAME_WORDS else ""
    if _is_question(text) or _NAVIGATION.search(text) or text.endswith(":"):
        return ""
    text = _ITEM_END.sub("", without_references(text))
    return text if text.count("(") == text.count(")") else ""
