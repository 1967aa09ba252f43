"""Tells neighbouring conditions apart: "low" and "high blood pressure", "heart attack" and "heart failure".

Such qualifiers are binding: where a question names one member of a group, a passage whose title names another
one is about something else, and a passage that names none supports only what its sentences say of the asked one.
English, with the few words of other languages that stand beside a shared name ("diabetes gestacional").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rag.text import fold
from rag.types import Chunk, Prompt
from rag.words import content_stems, stem, words

__all__ = ["Qualifiers"]

_IS = r"(?: (?:levels?|readings?|is|are|was|were|gets?|goes|runs?|so|too|very|quite|a bit|always|often))*"


def _levels(name: str, low: str, high: str) -> dict[str, str]:
    """ "low blood pressure", "my blood pressure is too low", "hypotension"; and high."""
    written = {"low": low, "high": high}
    return {
        word: rf"\b{word}(?: \w+)? (?:{name})\b|\b(?:{name}){_IS} {word}\b|\b(?:{own})" for word, own in written.items()
    }


_GROUPS: dict[str, dict[str, str]] = {
    "blood pressure": _levels("blood pressure|bp", "hypotens", "hypertens"),
    "cholesterol": _levels("cholesterol|ldl|hdl", "hypocholesterol", "hypercholesterol"),
    "blood sugar": _levels("blood sugar|blood glucose|sugar|glucose", "hypoglyc", "hyperglyc"),
    "thyroid": _levels("thyroid", r"hypothyroid|underactive thyroid", r"hyperthyroid|overactive thyroid"),
    "iron": _levels("iron", r"iron[- ]deficien|lack of iron|anaemi|anemi", r"iron overload|haemochromat|hemochromat"),
    "diabetes": {
        "type 1": r"\bt(?:ype|ipo|yp)[ -]?(?:1|one|i)(?:\b|-)|\b(?:juvenile|insulin-dependent) diabetes\b",
        "type 2": r"\bt(?:ype|ipo|yp)[ -]?(?:2|two|ii)(?:\b|-)",
        "gestational": r"\b(?:gestational|gestacional|gestationnel\w*|gestazionale)\b|\bschwangerschaftsdiabetes\b"
        r"|\b(?:pregnancy|pregnant) diabetes\b|\bdiabetes (?:in|during|of|when|while) (?:\w+ )?pregnan",
        "insipidus": r"\binsipidus\b",
        "before": r"\bpre-?diabet|\bborderline diabet",
    },
    "back": {
        "upper": r"\b(?:upper|thoracic)[ -](?:back|spine)\b",
        "middle": r"\b(?:middle|mid)[ -](?:of (?:my|the) )?back\b",
        "lower": r"\b(?:lower|low|lumbar)[ -](?:back|spine)\b|\blumbago\b",
    },
    "heart": {
        "attack": r"\bheart attacks?\b|\bmyocardial infarct",
        "failure": r"\b(?:heart|cardiac) failure\b",
        "arrest": r"\b(?:heart|cardiac) arrests?\b",
        "panic": r"\bpanic attacks?\b",
    },
    "stroke": {"heat": r"\b(?:heat|sun)[ -]?strokes?\b"},
    "anaemia": {
        "iron": r"\biron[- ]deficien",
        "sickle": r"\bsickle[- ]cell",
        "aplastic": r"\baplastic\b",
        "haemolytic": r"\bha?emolytic\b",
        "pernicious": r"\bpernicious\b|\bb ?12 deficien",
    },
    "cold": {
        "common": r"\bcommon colds?\b",
        "sore": r"\bcold sores?\b",
        "urticaria": r"\bcold (?:urticaria|hives|allergy)\b",
    },
    "poisoning": {
        "food": r"\bfood[- ]poison",
        "lead": r"\blead[- ]poison",
        "blood": r"\bblood[- ]poison|\bsepticaemia\b|\bsepticemia\b",
        "carbon monoxide": r"\bcarbon monoxide\b",
        "alcohol": r"\balcohol[- ]poison",
    },
    "growth": {"cancer": r"\bcancers?\b|\btumou?rs?\b|\bcarcinoma|\blymphoma|\bleuka?emia|\bmelanoma"},
    "kind of hypertension": {
        "ocular": r"\bocular hypertens",
        "pulmonary": r"\bpulmonary (?:arterial )?hypertens",
        "portal": r"\bportal hypertens",
        "intracranial": r"\bintracranial hypertens",
    },
    "pregnancy": {
        "ectopic": r"\bectopic\b",
        "molar": r"\bmolar pregnan",
        "sickness": r"\bmorning sickness\b|\bhyperemesis\b",
    },
    "depression": {
        "postnatal": r"\bpost[- ]?(?:natal|partum) depress",
        "bipolar": r"\bbipolar\b|\bmanic\b",
        "seasonal": r"\bseasonal (?:affective|depress)",
    },
    "flu": {
        "stomach": r"\b(?:stomach|gastric|tummy|intestinal)[ -](?:flu|influenza|bug)\b"
        r"|\bgastroenteritis\b|\bnorovirus\b",
        "bird": r"\b(?:bird|avian)[ -](?:flu|influenza)\b",
        "swine": r"\b(?:swine|pig)[ -](?:flu|influenza)\b",
    },
    "infection": {
        "chest": r"\b(?:chest|lung|respiratory)(?: tract)? infect",
        "urinary": r"\b(?:urinary|urine|bladder|water)(?: tract)? infect|\butis?\b",
        "ear": r"\bear infect",
        "eye": r"\beye infect",
        "skin": r"\bskin infect",
        "throat": r"\bthroat infect",
        "sinus": r"\bsinus infect",
        "tooth": r"\b(?:tooth|dental|gum) infect",
        "yeast": r"\b(?:yeast|fungal) infect",
    },
}
# Contrasts that part two titles, but that a text on the condition need not repeat.
_LOOSE_GROUPS: dict[str, dict[str, str]] = {
    "people": {
        "adult": r"\b(?:adults?|grown[- ]?ups?)\b",
        "child": r"\b(?:child(?:ren|hood)?|kids?|bab(?:y|ies)|infants?|newborns?|toddlers?|paediatric|pediatric"
        r"|(?:month|week|day)s?[- ]old)\b",
    },
}
_SIDE_GROUPS = frozenset(["blood sugar"])  # said of an illness in too many words to be looked for ("diabetes")
_READ_CHARS = 2000  # of a question
_COURSE = re.compile(r"\b(acute|chronic) ([a-z]+)")

_Patterns = dict[str, dict[str, re.Pattern[str]]]


def _compiled(groups: dict[str, dict[str, str]]) -> _Patterns:
    return {group: {member: re.compile(rule) for member, rule in members.items()} for group, members in groups.items()}


_BINDING = _compiled(_GROUPS)
_LOOSE = _compiled(_LOOSE_GROUPS)


def _read(text: str) -> str:
    return " ".join(fold(text).replace("’", "'").split())


def _named(text: str, groups: _Patterns) -> dict[str, frozenset[str]]:
    """The members that a text names, by group."""
    found = {
        group: frozenset(member for member, pattern in members.items() if pattern.search(text))
        for group, members in groups.items()
    }
    return {group: members for group, members in found.items() if members}


def _contrasts(text: str) -> dict[str, frozenset[str]]:
    """All that parts one title from another, "acute" and "chronic" of the same noun included."""
    found = {**_named(text, _BINDING), **_named(text, _LOOSE)}
    for match in _COURSE.finditer(text):
        group = f"course of {stem(match[2])}"
        found[group] = found.get(group, frozenset()) | {match[1]}
    return found


@dataclass(frozen=True)
class Qualifiers:
    """The members of groups that a question names; `others` are the stems it has beside those of a group."""

    contrasts: dict[str, frozenset[str]]
    binding: dict[str, frozenset[str]]
    others: dict[str, frozenset[str]]
    documents: dict[str, str]  # what the evidence shows of each document, where a question is bound

    @classmethod
    def of(cls, prompt: Prompt) -> Qualifiers:
        """Those of the question; a group that the last message names itself counts as there."""
        question, focus = _read(prompt.question[-_READ_CHARS:]), _read(prompt.focus[-_READ_CHARS:])
        binding = {**_named(question, _BINDING), **_named(focus, _BINDING)}
        contrasts = {**_contrasts(question), **_contrasts(focus)}
        others = {group: content_stems(words(_without(question, group))) for group in binding}
        documents: dict[str, str] = {}
        for item in prompt.evidence if binding else ():
            chunk = item.chunk
            documents[chunk.doc_id] = f"{documents.get(chunk.doc_id, '')} . {_title(chunk)} . {_read(chunk.text)}"
        return cls(contrasts, binding, others, documents)

    def exclude(self, chunk: Chunk) -> bool:
        """Whether a passage is about a neighbour of what is asked, or says nothing of it."""
        if not self.contrasts:
            return False
        named = _contrasts(_title(chunk))
        if any(named[group].isdisjoint(members) for group, members in self.contrasts.items() if group in named):
            return True
        if not self.supports(chunk, (chunk.text,)):
            return True
        shown = self.documents.get(chunk.doc_id, "")
        return any(
            group not in _SIDE_GROUPS and not _has(shown, group, members) for group, members in self.binding.items()
        )

    def supports(self, chunk: Chunk, texts: Iterable[str]) -> bool:
        """Whether a unit with these texts is about what is asked, in a passage whose title does not say so."""
        bound = [*self._bound(chunk)]
        text = _read(" . ".join(texts)) if bound else ""
        return all(_has(text, group, self.binding[group]) for group in bound)

    def compares(self, texts: Iterable[str]) -> bool:
        """Whether a unit with these texts names all that the question sets against each other."""
        text = _read(" . ".join(texts))
        return all(_BINDING[group][member].search(text) for group, named in self.binding.items() for member in named)

    def is_bound(self, chunk: Chunk) -> bool:
        """Whether only sentences that name what is asked count: the title names neither it nor another subject."""
        return any(True for _ in self._bound(chunk))

    def _bound(self, chunk: Chunk) -> Iterator[str]:
        if not self.binding:
            return
        title = _title(chunk)
        stems = content_stems(words(f"{chunk.title} {chunk.topic}"))
        for group, members in self.binding.items():
            if not _has(title, group, members) and stems.isdisjoint(self.others[group]):
                yield group


def _title(chunk: Chunk) -> str:
    return _read(f"{chunk.title} . {chunk.topic} . {chunk.heading}")


def _has(text: str, group: str, members: frozenset[str]) -> bool:
    return any(_BINDING[group][member].search(text) for member in members)


def _without(text: str, group: str) -> str:
    """A text without the words by which it names members of a group."""
    for pattern in _BINDING[group].values():
        text = pattern.sub(" ", text)
    return text
