"""Scores units against a question: does their section or wording answer its type, do they name its topic?

Knows nothing of what an answer already says; `extractive_draft` does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rag.cues import SUBJECTS
from rag.kind import Kind
from rag.providers.extractive_list import announces
from rag.providers.extractive_passage import Unit
from rag.providers.extractive_topic import Topic
from rag.question import is_yes_no, question_kinds, sentence_has_cue
from rag.types import Chunk, Prompt
from rag.words import content_words, stem, words

__all__ = [
    "FOCUS_SHARE",
    "MIN_FIT",
    "Asked",
    "Scored",
    "defines",
    "help_value",
    "opening_bonus",
    "opens_aside",
    "says_help",
    "scored_units",
    "section_fit",
    "tells_the_reverse",
    "told",
]

# Set by reading the answers to the thirty questions of evals/goldens/extractive, to 140 more on the bundled
# corpus and to 70 on MedQuAD records, 2026-11-30; so are the weights in `_score`, `_shape`, `opening_bonus`
# and `help_value`.
_SECTION_FIT = 0.75  # a unit stands in a section of the asked type
_BY_PROXY = 0.85  # a section that answers a type only so well does so by sentences with words of the type
_CUE_FIT = 0.25  # and it has words of that type
_CUE_ALONE = 0.4  # it has the words, and its section tells nothing
_SUBJECT_FIT = 0.6  # the type is its subject, in a document on the topic
MIN_FIT = 0.38
FOCUS_SHARE = 0.5  # share of the question's other words that makes a unit on the topic an answer
_FOCUS_WEIGHT = 0.5  # weight from which another word of the question counts
_CENTRAL = 0.8  # what the words that the passages repeat are worth
_NEAR = 6  # sentences of a passage after which one must name the topic or have words of the type
_LONG = 32  # words from which a sentence is hard to read
_SUBJECT_WORDS = 3  # content words at its front among which a sentence names what it is about
_OPENS = 10  # words at the front of a sentence that tell what it is about

# Sections that answer a type, and how well; the rest of a document does not.
_ANSWERED_BY: dict[Kind, dict[Kind, float]] = {
    Kind.CAUSES: {Kind.CAUSES: 1.0, Kind.RISK: 0.9, Kind.GENETICS: 0.7, Kind.INHERITANCE: 0.4},
    Kind.RISK: {Kind.RISK: 1.0, Kind.CAUSES: 0.8},
    Kind.TREATMENT: {Kind.TREATMENT: 1.0, Kind.SELF_CARE: 0.6, Kind.FIRST_AID: 0.5},
    Kind.FIRST_AID: {Kind.FIRST_AID: 1.0, Kind.HELP: 0.5, Kind.TREATMENT: 0.4},
    Kind.SELF_CARE: {Kind.SELF_CARE: 1.0, Kind.FIRST_AID: 0.8, Kind.TREATMENT: 0.7, Kind.PREVENTION: 0.6},
    Kind.PREVENTION: {Kind.PREVENTION: 1.0, Kind.SELF_CARE: 0.8},
    Kind.HELP: {Kind.HELP: 1.0, Kind.FIRST_AID: 0.7},
    Kind.DURATION: {Kind.DURATION: 1.0},
    Kind.COMPLICATIONS: {Kind.COMPLICATIONS: 1.0},
    Kind.GENETICS: {Kind.GENETICS: 1.0, Kind.INHERITANCE: 0.6, Kind.CAUSES: 0.5},
    Kind.INHERITANCE: {Kind.INHERITANCE: 1.0},
}
# Types that leaflets rarely give a section of their own: a sentence of any section may answer them.
_WITHOUT_SECTION = frozenset(
    {
        Kind.OUTLOOK,
        Kind.DURATION,
        Kind.CONTAGION,
        Kind.SEVERITY,
        Kind.DIFFERENCE,
        Kind.FREQUENCY,
        Kind.INHERITANCE,
        Kind.GENETICS,
        Kind.COMPLICATIONS,
        Kind.STAGES,
        Kind.RESEARCH,
        Kind.RISK,
        Kind.HELP,
        Kind.DIAGNOSIS,
        Kind.SIDE_EFFECTS,
    }
)
# Sections whose lasting hours and serious effects are not those of the topic: "no urine for 12 hours" under when to get
# help, "serious side effects are rare" under treatment.
_SPEAKS_OF_ANOTHER = {
    Kind.DURATION: frozenset({Kind.HELP, Kind.FIRST_AID}),
    Kind.SEVERITY: frozenset({Kind.TREATMENT}),
}
# Types that are hardly ever answered without their own words; a symptom or a thing to do may be any sentence.
_SAID_IN_WORDS = frozenset(
    (Kind.CAUSES, Kind.RISK, Kind.TREATMENT, Kind.DIAGNOSIS, Kind.INHERITANCE, Kind.COMPLICATIONS, Kind.OUTLOOK)
)
_PROXIED = _SAID_IN_WORDS | {Kind.PREVENTION}
CALL = re.compile(r"\bemergency number\b|\b(?:call|needs?)\b[^.]{0,30}\bambulance\b|\bcall (?:911|999|112)\b", re.I)
URGENT = frozenset(map(stem, ("emergency", "ambulance", "urgent", "immediately", "911", "999", "112", "crisis")))
_ARTICLES = frozenset(("a", "an", "the", "el", "la", "le", "l", "il", "lo", "o", "der", "die", "das"))
_POINTERS = frozenset(("this", "these", "those", "such"))
_CALLS = frozenset({Kind.FIRST_AID, Kind.HELP})
_RAISED = frozenset({Kind.CAUSES, Kind.RISK, Kind.CONTAGION})
_LOWERED = re.compile(r"\b(?:lower|reduc|prevent|protect|check|stop)\w*", re.IGNORECASE)
_SIDE_WORDS = frozenset(("other", "less", "further", "additional", "rare", "rarely", "uncommon", "sometimes"))
_MAIN = re.compile(r"\b(?:most common|most often|main|mainly|usually|mostly|typically|most \w+ are)\b", re.IGNORECASE)
_CAUSING = re.compile(
    r"(?<!the )(?<!common )\bcauses?\b(?! (?:of|is|are|include)\b)|\bleads? to\b|\bresults? in\b"
    r"|\b(?:increases?|raises?) (?:the|your|their) (?:chances?|risks?|likelihood)\b"
    r"|\b(?:leading|major|main|common|frequent) causes? of\b",
    re.IGNORECASE,
)
_SIGN_OF = re.compile(r"\b(?:is|are|be|as) (?:an? |the )?(?:\w+ ){0,2}(?:symptoms?|signs?) of\b", re.IGNORECASE)
_THE_CONDITION = re.compile(r"\b(?:the|this) (?:condition|disorder|disease|syndrome|illness)\b", re.IGNORECASE)
_NOT_ALL = re.compile(r"not (?:all|every)\b|\w+ (?:do|does|may|might) not\b", re.IGNORECASE)
_BESIDE = re.compile(  # what was, what is being tried, and what is not done: no first answer
    r"\b(?:in the past|until recently|in (?:[A-Z][a-z]+ )?(?:19|20)\d\d|(?:is|are) not recommended"
    r"|(?:several|some|recent|many|a number of) studies|being studied|clinical trials?"
    r"|(?:researchers|scientists) (?:are|have)|(?:studies|research) (?:is|are))\b",
    re.IGNORECASE,
)
_PEOPLE_WITH = re.compile(
    r"(?:people|anyone|those|patients|adults|a person) (?:with|who (?:has|have)) ([^,.]{3,60}?) "
    r"(?:should|must|needs?)\b",
    re.IGNORECASE,
)
_BRINGS_THEM = re.compile(  # what brings complications about, or keeps them away, is none
    r"\b(?:risks?|chances?|likelihood|prevent\w*|avoid\w*|reduc\w+)(?: \w+){0,3} complications?\b", re.IGNORECASE
)
_LOOKED_FOR = re.compile(  # a cause that a doctor still has to find
    r"\b(?:find|finds|finding|determin\w+|identif\w+|look(?:s|ing)? for|discover)(?: out)? (?:the|what|a|its|your) "
    r"(?:\w+ )?caus",
    re.IGNORECASE,
)
_RAISES = re.compile(r"\b(?:increas|rais)\w+ (?:the|your|their|a \w+) (?:risks?|chances?)\b", re.IGNORECASE)
_VARIES = re.compile(r"\b(?:vary|varies|differ)\b", re.IGNORECASE)  # how symptoms differ, before what they are
_SUBORDINATE = re.compile(r"(?:as|when|while|although|though|even|since|once|besides|because)\b", re.IGNORECASE)
_NAMING = re.compile(r"\b(?:called|known as|means|refers to)\b", re.IGNORECASE)
_EXAMPLES = re.compile(r"\b(?:such as|including|includes?|for example)\b", re.IGNORECASE)
_VERDICT = re.compile(r"\b(?:should|must|not|no|cannot|never|nobody|safe\w*|rarely|recommended)\b", re.IGNORECASE)
_INHERITED = re.compile(
    r"\binherited (?:in|disease|disorder|condition)\b|\bnot inherited\b|\bruns? in families\b", re.I
)
_VERBS = frozenset(
    ("is", "are", "was", "were", "means", "refers", "describes", "stands", "happens", "occurs")
) | frozenset(("develops", "affects", "causes", "es", "son", "est", "sont", "ist", "sind"))
GROUPS = tuple(
    frozenset(map(stem, group))
    for group in (
        ("adult",),
        ("child", "baby", "kid", "infant", "toddler", "newborn", "teenager", "teen"),
        ("pregnant", "pregnancy"),
    )
)
_AGE = re.compile(r"\b(\d{1,3})[- ]?(year|month|week|day)s?[- ]old\b", re.IGNORECASE)
_UNDER = re.compile(
    r"\b(?:under|younger than|below) (?:the age of |age )?(\d{1,3}) (year|month|week|day)s?\b", re.IGNORECASE
)
_OVER = re.compile(
    r"\b(?:over|older than) (?:the age of |age )?(\d{1,3}) (year|month|week|day)s?\b"
    r"|\b(\d{1,3}) (year|month|week|day)s? (?:of age )?(?:and|or) (?:older|over)\b",
    re.IGNORECASE,
)
_CHILD = GROUPS[1]
_GROWN = 18 * 365
_TYPE_STEMS = frozenset(  # words by which a type is asked for, and which an answer need not repeat
    map(
        stem,
        ("run", "families", "family", "lead", "untreated", "treated", "life", "expectancy", "side", "effect", "rid"),
    )
)
_DAYS = {"year": 365, "month": 30, "week": 7, "day": 1}


@dataclass(frozen=True)
class Asked:
    """The question as the rules see it: types, topic, other words that are in the passages, people."""

    kinds: tuple[Kind, ...]
    topic: Topic
    focus: dict[str, float]
    absent: float  # weight of the other words that no passage on the topic has
    is_between: bool  # the question has a second topic, of which the passages on the first one say nothing
    people: tuple[frozenset[str], ...]
    age: int  # of the person, in days; -1 where the question tells none
    for_people: frozenset[int]  # the passages whose title names the people asked about
    yes_no: bool
    foreign: bool  # not English: the cues for sentences are English, so a title and a section must do
    ranks: dict[int, int]

    @property
    def needs_focus(self) -> bool:
        """Whether only a sentence with the question's other words answers it ("Can I swim with asthma?")."""
        kind = self.kinds[0]
        return self.yes_no and (kind is Kind.ANY or (kind in _WITHOUT_SECTION and bool(self.focus)))

    @property
    def is_plain(self) -> bool:
        """Whether what is said of the topic at large answers the question."""
        return not (self.needs_focus or self.is_for_people)

    @property
    def is_for_people(self) -> bool:
        """Whether people are asked about whom the name of the topic does not tell ("asthma in children")."""
        return any(group.isdisjoint(self.topic.stems) for group in self.people)

    @property
    def is_unanswered(self) -> bool:
        """Whether the passages on the topic lack most of what a yes or no is asked of ("alcohol with antibiotics")."""
        return self.yes_no and (self.is_between or self.absent > sum(self.focus.values()))

    @classmethod
    def of(cls, prompt: Prompt, topic: Topic) -> Asked:
        question = prompt.focus or prompt.question  # the type is the last message's, the topic may be borrowed
        kinds = question_kinds(question, prompt.read_in)
        stems = frozenset(map(stem, words(prompt.question)))
        age = next(iter(_ages(_AGE, prompt.question)), -1)
        people = tuple(group for group in GROUPS if group & stems)
        if 0 <= age < _GROWN and _CHILD not in people:
            people = (*people, _CHILD)
        rest = {
            word.stem: 1.0 if any(word.stem in group for group in people) else word.weight
            for word in topic.rest
            if (word.weight >= _FOCUS_WEIGHT and word.stem not in _TYPE_STEMS)
            or any(word.stem in group for group in people)
        }
        others = (
            frozenset[str]()
            .union(*(_title_stems(item.chunk) for n, item in enumerate(prompt.evidence) if n not in topic.passages))
            .difference(topic.text, _TYPE_STEMS)
        )
        english = prompt.read_in.lower().startswith("en")
        yes_no = english and is_yes_no(question)
        if kinds == (Kind.ANY,) and not (yes_no or rest):
            kinds = (Kind.WHAT,)
        return cls(
            kinds=kinds,
            topic=topic,
            focus={word: weight for word, weight in rest.items() if word in topic.text},
            absent=sum(weight for word, weight in rest.items() if word not in topic.text),
            is_between=any(word.weight >= 1.0 and word.stem in others for word in topic.rest),
            people=people,
            age=age,
            for_people=frozenset(
                number
                for number in topic.passages
                if any(group & _title_stems(prompt.evidence[number].chunk) for group in people)
            ),
            yes_no=yes_no,
            foreign=not english,
            ranks={number: rank for rank, number in enumerate(topic.passages)},
        )

    def focus_share(self, stems: frozenset[str]) -> float:
        """How much of the question's other words a unit has, 0 to 1."""
        total = sum(self.focus.values())
        return sum(weight for word, weight in self.focus.items() if word in stems) / total if total else 0.0

    def speaks_of_people(self, unit: Unit) -> bool:
        """Whether a unit, or the title of its passage, names the people asked about, where any are."""
        return (
            not self.is_for_people
            or unit.passage in self.for_people
            or any(group & unit.stems for group in self.people)
        )

    def other_people(self, unit: Unit) -> bool:
        """Whether a unit speaks of a group or an age of people only that is not the one asked about."""
        if self.age >= 0:
            under, over = _ages(_UNDER, unit.text), _ages(_OVER, unit.text)
            if (under and self.age >= max(under)) or (over and self.age < min(over)):
                return True
        spoken = [group for group in GROUPS if group & unit.text_stems]
        return bool(spoken) and bool(self.people) and not any(group in self.people for group in spoken)


def _ages(pattern: re.Pattern[str], text: str) -> list[int]:
    """The ages that a pattern finds, in days."""
    found = [[part for part in match.groups() if part] for match in pattern.finditer(text)]
    return [int(number) * _DAYS[unit.lower()] for number, unit in found]


def _title_stems(chunk: Chunk) -> frozenset[str]:
    return frozenset(map(stem, words(f"{chunk.title} {chunk.heading}")))


@dataclass(frozen=True)
class _Central:
    """How often the passages speak of a word: what they say again and again is what matters to them."""

    counts: Counter[str]
    most: int

    @classmethod
    def of(cls, units: Sequence[Unit], topic: frozenset[str]) -> _Central:
        counts = Counter(word for unit in units for word in unit.content if word not in topic)
        return cls(counts, max(counts.values(), default=1))

    def of_unit(self, unit: Unit) -> float:
        """0 to 1: the mean of a unit's three most frequent words against the most frequent of all."""
        top = sorted((self.counts[word] for word in unit.content), reverse=True)[:3]
        return sum(top) / (3 * self.most)


@dataclass(frozen=True, eq=False)
class Scored:
    """A unit that may be quoted, and why: how it fits each type, and whether it names the topic."""

    unit: Unit
    fits: tuple[float, ...]  # one per type asked for
    focus: float
    names: bool
    score: float


def scored_units(units: Sequence[Unit], asked: Asked) -> list[Scored]:
    """The units that answer the question, best first; equal ones in the order of the evidence."""
    sectioned = {
        kind
        for kind in asked.kinds
        for unit in units
        if _SECTION_FIT * section_fit(unit, kind) >= MIN_FIT and not unit.dangling and not unit.is_announced
    }
    central = _Central.of(units, asked.topic.stems)
    found = [scored for unit in units if (scored := _score(unit, asked, sectioned, central)) is not None]
    return sorted(found, key=lambda each: -each.score)


def _score(unit: Unit, asked: Asked, sectioned: set[Kind], central: _Central) -> Scored | None:
    if unit.dangling or asked.other_people(unit):
        return None
    if not asked.topic.titled and not _opens_with_topic(unit, asked.topic):
        return None
    focus = asked.focus_share(unit.stems)
    names = asked.topic.is_named_in(unit.stems)
    fits = tuple(_fit(unit, kind, kind in sectioned, focus, names, asked) for kind in asked.kinds)
    if max(fits) < MIN_FIT:
        return None
    if not names and not told(unit, asked):
        return None
    if unit.speaks_of(Kind.SYMPTOMS) and _SAID_IN_WORDS.issuperset(asked.kinds):
        return None
    score = 3 * max(fits) + 1.5 * focus + 0.5 * names + _CENTRAL * central.of_unit(unit) + _shape(unit, asked)
    return Scored(unit, fits, focus, names, score)


def _opens_with_topic(unit: Unit, topic: Topic) -> bool:
    """Whether a unit is about a topic that no title has, and does not just mention it among other things ("Poisoning
    with vomiting, drowsiness or seizures …")."""
    if len(topic.stems) > 1 and topic.is_whole_in(unit.text_stems):
        return True  # one that has all of its words is about it
    return topic.is_named_in(frozenset(word.stem for word in content_words(unit.text)[:_SUBJECT_WORDS]))


def told(unit: Unit, asked: Asked) -> bool:
    """Whether a unit says something of the type: by its words or, for most types, by its place close to the heading."""
    near = unit.position <= _NEAR and not _SAID_IN_WORDS.issuperset(asked.kinds)
    return near or _has_words(unit, asked)


def _has_words(unit: Unit, asked: Asked) -> bool:
    return bool(unit.items) or any(unit.has_cue(kind) for kind in asked.kinds)


def _fit(unit: Unit, kind: Kind, sectioned: bool, focus: float, names: bool, asked: Asked) -> float:
    """How well a unit answers a type, 0 to 1: by its section or by its words."""
    if kind is Kind.ANY:
        return 0.5 if names and (focus or asked.foreign) else 0.0
    if kind is Kind.DONTS:
        return _SECTION_FIT if unit.has_cue(kind) else 0.0
    if kind is Kind.AMOUNT:
        return 0.5 if focus >= FOCUS_SHARE and unit.has_cue(kind) else 0.0
    if kind is Kind.WHAT and not asked.topic.titled and focus < FOCUS_SHARE:
        return 0.0
    if kind is Kind.WHAT and not asked.topic.titled and not (defines(unit, asked.topic) or _NAMING.search(unit.text)):
        return 0.0
    if kind is Kind.WHAT and (asked.focus or not asked.topic.titled) and names and focus >= FOCUS_SHARE:
        return 1.0 if unit.has_cue(kind) else _SECTION_FIT  # "What is an aura?" in the section on symptoms
    if not unit.section.isdisjoint(_SPEAKS_OF_ANOTHER.get(kind, ())):
        return 0.0
    if kind is Kind.COMPLICATIONS and (_BRINGS_THEM.search(unit.text) or _ill_otherwise(unit, asked.topic)):
        return 0.0
    if kind is Kind.PREVENTION and _RAISES.search(unit.text):
        return 0.0
    if kind is Kind.CAUSES and _LOOKED_FOR.search(unit.text):
        return 0.0
    if tells_the_reverse(unit, kind, asked.topic):
        return 0.0
    section = section_fit(unit, kind) if names or asked.topic.titled else 0.0
    if unit.is_announced:
        return MIN_FIT if section else 0.0
    if section and (section > _BY_PROXY or kind not in _PROXIED or _has_words(unit, asked)):
        return _SECTION_FIT * section + _CUE_FIT * _has_cue(unit, kind, asked.topic)
    if sectioned or not (names or asked.topic.titled):
        return 0.0
    if (names or asked.topic.owns(unit.passage)) and unit.section <= {Kind.WHAT} and unit.speaks_of(kind):
        return _SUBJECT_FIT
    if not names and not _is_told_of(unit, asked):
        return 0.0
    if kind is Kind.WHAT:
        return _CUE_ALONE if unit.section <= {Kind.WHAT} else MIN_FIT
    if asked.foreign and not unit.section:
        return _CUE_ALONE
    open_section = kind in _WITHOUT_SECTION or unit.section <= {Kind.WHAT}
    cue = unit.has_cue(kind)
    about_another = any(other is not kind and unit.speaks_of(other) for other in SUBJECTS)
    if about_another and kind in _RAISED and not unit.speaks_of(kind):
        return 0.0  # "Treatment depends on the cause" tells no cause
    if (
        kind in _WITHOUT_SECTION and kind is not Kind.DURATION and not about_another
    ):  # "surgery in the last months" is an item of risks
        cue = cue or any(sentence_has_cue(item, kind) for item in unit.items)
    return _CUE_ALONE if open_section and cue else 0.0


def _is_told_of(unit: Unit, asked: Asked) -> bool:
    """Whether a unit stands in an overview of the topic, so that "the main symptom" is that of the topic."""
    return asked.topic.owns(unit.passage) and unit.section <= {Kind.WHAT} and unit.has_cue(asked.kinds[0])


def _ill_otherwise(unit: Unit, topic: Topic) -> bool:
    """Whether a sentence advises people who have another illness too: what they have is no complication."""
    people = _PEOPLE_WITH.match(unit.text)
    return people is not None and not topic.is_named_in(frozenset(map(stem, words(people[1]))))


def _has_cue(unit: Unit, kind: Kind, topic: Topic) -> bool:
    if kind is Kind.WHAT:
        return defines(unit, topic)
    if kind is Kind.FIRST_AID and kind in unit.section:
        return True  # every step counts
    if kind in _RAISED and _LOWERED.search(unit.text):
        return False
    return unit.has_cue(kind)


def tells_the_reverse(unit: Unit, kind: Kind, topic: Topic) -> bool:
    """Whether a sentence tells what causes the topic where its symptoms are asked for, or what the topic causes."""
    if kind is Kind.SYMPTOMS and (sign := _SIGN_OF.search(unit.text)):
        of = frozenset(map(stem, words(unit.text[sign.end() :])))
        return not topic.is_named_in(of)
    parts = _CAUSING.split(unit.text, maxsplit=1)
    if len(parts) < 2 or kind not in {Kind.SYMPTOMS, Kind.CAUSES, Kind.TREATMENT}:
        return False
    before, behind = (frozenset(map(stem, words(part))) for part in parts)
    if kind is Kind.CAUSES:  # a unit that leans on another means the topic: "It is a leading cause of …"
        return (unit.dangling or topic.is_named_in(before)) and not topic.is_whole_in(behind)
    return topic.is_named_in(behind) and not topic.is_named_in(before)


def section_fit(unit: Unit, kind: Kind) -> float:
    """How well the section of a unit answers a type, 0 to 1."""
    answered = _ANSWERED_BY.get(kind, {kind: 1.0})
    return max((answered.get(each, 0.0) for each in unit.section), default=0.0)


def _shape(unit: Unit, asked: Asked) -> float:
    """What makes one of two equally fitting units the better: a list, an early place, a readable length."""
    score = 0.0
    if unit.items:
        score += 0.6 if unit.has_cue(asked.kinds[0]) else 0.3
    if asked.kinds[0] in _CALLS and CALL.search(unit.text):
        score += 0.6
    score -= 0.06 * min(unit.position, 10) + 0.15 * asked.ranks[unit.passage]
    if opens_aside(unit):
        score -= 0.5
    if announces(unit.text):
        score -= 1.5  # an index of findings, after what the sources say in sentences
    if asked.kinds[0] in _RAISED and _EXAMPLES.search(unit.text):
        score += 0.3
    if asked.kinds[0] is Kind.WHAT and unit.has_cue(Kind.OUTLOOK):
        score -= 0.4  # what it is, before how it ends
    if asked.kinds[0] in _RAISED and _LOWERED.search(unit.text):
        score -= 0.8
    if asked.kinds[0] is not Kind.RESEARCH and _BESIDE.search(unit.text):
        score -= 0.8
    if len(unit.words) > _LONG:
        score -= 0.02 * (len(unit.words) - _LONG)
    if not asked.people and any(group & unit.text_stems and not group & asked.topic.stems for group in GROUPS):
        score -= 0.3
    return score


def opens_aside(unit: Unit) -> bool:
    """Whether a unit adds to what another one must have said first ("Other symptoms include")."""
    return bool(_SIDE_WORDS & set(unit.words[:3]))


def defines(unit: Unit, topic: Topic) -> bool:
    """Whether a sentence opens with the topic and says what it is."""
    if unit.items:
        return False
    for at, word in enumerate(unit.words[:20]):
        if word in _VERBS:
            if unit.words[at + 1 : at + 2] == ["not"]:
                return False  # what it is not
            opening = [stem(each) for each in unit.words[:at] if each not in _ARTICLES]
            return bool(opening) and opening[0] in topic.stems and topic.is_named_in(frozenset(opening))
    return False


def opening_bonus(scored: Scored, kind: Kind, asked: Asked) -> float:
    """What makes a unit a good first sentence: it defines, or it has topic and type at its front."""
    unit, topic = scored.unit, asked.topic
    bonus = 0.0
    if kind is Kind.WHAT:
        bonus += 2.0 * defines(unit, topic) + 3.0 * scored.focus
    elif _MAIN.search(unit.text):
        bonus += 0.3
    if kind is Kind.ANY:
        bonus += 0.5 * defines(unit, topic)
    elif section_fit(unit, kind) >= 1.0:
        bonus += 0.5
    if asked.yes_no and _VERDICT.search(unit.text):
        bonus += 0.5
    if kind is Kind.SYMPTOMS and _VARIES.search(unit.text):
        bonus -= 0.6
    if _SUBORDINATE.match(unit.text):
        bonus -= 0.4
    if _THE_CONDITION.search(unit.text) and not topic.is_whole_in(unit.stems):
        bonus -= 1.0
    if kind is Kind.HELP and _NOT_ALL.match(unit.text):
        bonus -= 1.0  # when none is needed, before when it is
    front = unit.words[:_OPENS]
    if topic.is_named_in(frozenset(map(stem, front))) and sentence_has_cue(" ".join(front), kind):
        bonus += 0.5
    if opens_aside(unit) or "also" in unit.words[:5] or _POINTERS & set(unit.words):
        bonus -= 0.5
    if kind is Kind.INHERITANCE and _INHERITED.search(unit.text):
        bonus += 1.0
    if next(iter(_contents(unit)), "") in topic.stems:
        bonus += 0.2
    return bonus


def _contents(unit: Unit) -> list[str]:
    return [each for word in unit.words[:_OPENS] if (each := stem(word)) in unit.content]


def help_value(unit: Unit, asked: Asked) -> float:
    """How good a unit is as the last word, when to get help: an emergency call before a doctor's visit."""
    return (
        1.0 * bool(CALL.search(unit.text))
        + 0.5 * bool(URGENT & unit.stems)
        + 1.0 * (Kind.HELP in unit.section)
        + 0.5 * unit.text.startswith("Call ")
        - 0.5 * any(group & unit.stems and not group & asked.topic.stems for group in GROUPS)
        - 0.02 * max(0, len(unit.words) - 20)
    )


def says_help(unit: Unit, asked: Asked) -> bool:
    """Whether a unit tells when to get help for the topic."""
    return (
        asked.topic.is_named_in(unit.stems)
        and unit.has_cue(Kind.HELP)
        and bool({Kind.HELP, Kind.FIRST_AID} & unit.section or CALL.search(unit.text))
        and not {"not", "rarely"} & set(unit.words)
    )
