"""What a question asks for: its type ("symptoms", "treatment"), and which sections and words answer a type.

Rules on the words alone (`cues`), no model. Knows nothing of evidence or of answers.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rag.cues import FOREIGN, HEADINGS, QUESTIONS, SENTENCES, SUBJECTS
from rag.kind import Kind
from rag.text import fold

__all__ = ["heading_kinds", "is_yes_no", "question_kinds", "sentence_has_cue", "sentence_speaks_of"]

# "What are the symptoms of hereditary …": said so plainly that no word of the name may tell otherwise.
_PLAIN = re.compile(
    r"what (?:is|are) the (?:\w+ )?"
    r"(symptoms?|signs?|treatments?|causes?|stages?|complications?|outlook|prognosis) (?:of|for)\b"
)
_PLAIN_KINDS = {
    "symp": Kind.SYMPTOMS,
    "sign": Kind.SYMPTOMS,
    "trea": Kind.TREATMENT,
    "caus": Kind.CAUSES,
    "stag": Kind.STAGES,
    "comp": Kind.COMPLICATIONS,
    "outl": Kind.OUTLOOK,
    "prog": Kind.OUTLOOK,
}
_SECOND_PART = re.compile(r"\band (?:how|what|why|when|which|who|can|is|are|does|do|should|will)\b|[?].+[?]|[;]")
_YES_NO = re.compile(
    r"(?:(?:and|but|so|or|also|ok|okay)\W+)?"
    r"(?!(?:is|are) there (?:any|some))"
    r"(?:is|are|can|could|does|do|did|will|would|should|has|have|may|was|were|am)\b"
)
_READ_CHARS = 1000  # patterns with ".*" take quadratic time
_MAX_KINDS = 2  # an answer of 180 words holds two types well, not three


def question_kinds(question: str, language: str = "en") -> tuple[Kind, ...]:
    """The types asked for, the main one first; `(Kind.ANY,)` when the words do not tell.

    A second type counts only where the question has a second part ("What is it, and how is it treated?").
    """
    text = fold(question[:_READ_CHARS]).replace("’", "'")
    base = language.partition("-")[0].lower()
    rules = QUESTIONS if base == "en" else FOREIGN.get(base, ())
    plain = _PLAIN.match(text) if base == "en" else None
    if plain is not None and not _SECOND_PART.search(text):
        return (_PLAIN_KINDS[plain[1][:4]],)
    found = [kind for kind, pattern in rules if pattern.search(text)]
    if found and found[0] is Kind.CAUSES and is_yes_no(question):
        found = []  # "Can anxiety cause chest pain?" asks for a verdict, not for causes
    if not found:
        return (Kind.ANY,)
    if base == "en" and Kind.WHAT in found[1:] and not re.match(r"what\W*(?:is|are|s)\b (?!the\b)", text):
        found.remove(Kind.WHAT)
    if len(found) > 1 and not _SECOND_PART.search(text):
        return tuple(found[:1])
    places = {kind: match.start() for kind, pattern in rules if (match := pattern.search(text))}
    return tuple(sorted(found[:_MAX_KINDS], key=lambda kind: places[kind]))


@lru_cache(maxsize=4096)
def heading_kinds(heading: str, language: str = "en") -> frozenset[Kind]:
    """The types that a section under `heading` answers; the last part of a path that tells decides."""
    base = language.partition("-")[0].lower()
    rules = HEADINGS + FOREIGN.get(base, ())
    for part in reversed(heading.split(" › ")):
        text = fold(part).strip()
        found = {kind for kind, pattern in rules if pattern.search(text)}
        if len(found) > 1:
            found.discard(Kind.WHAT)  # "What are the treatments for …"
        if found:
            return frozenset(found)
    return frozenset()


def sentence_has_cue(sentence: str, kind: Kind) -> bool:
    """Whether an English sentence has words that answer a question of this type."""
    pattern = SENTENCES.get(kind)
    return pattern is not None and pattern.search(sentence) is not None


def sentence_speaks_of(sentence: str, kind: Kind) -> bool:
    """Whether an English sentence has the type for its subject ("The first symptom is …"), whatever it is of."""
    pattern = SUBJECTS.get(kind)
    return pattern is not None and pattern.match(sentence) is not None


def is_yes_no(question: str) -> bool:
    """Whether an English question asks for a yes or no ("Is asthma contagious?")."""
    return _YES_NO.match(fold(question).lstrip(" ¿\"'“‘")) is not None
