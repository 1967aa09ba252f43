"""Reads a question that compares: which things it sets against each other."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["compares", "sides_of"]

READ = 500
"""Characters of a question that are read: its end, where a story asks."""

SIDE_WORDS = 8
"""Words of one side at most; what is longer is a story and no name."""

_COMPARES = re.compile(
    r"\b(?:vs\.?|versus|compared?|comparison|differ(?:s|ent|ence|ences)?|diff?rence|(?:the )?same as|opposed to|or is"
    r" (?:it|that)|relate|rather than|better than|as high as|fit together|which (?:one|of (?:them|the two)|do i need)|"
    r"for which$|tell .{1,60} apart|unterschied\w*|unterscheide\w*|différences?|diferencias?|differenz[ae]|diferenças?"
    r"|verschil\w*|różni\w*|отлич\w+|разниц\w+|fark\w*)\b|区别|違い|차이|الفرق|अंतर|khác nhau",
    re.IGNORECASE,
)

_A, _B = r"(?P<a>[^,:;.?!]{1,80}?)", r"(?P<b>[^,:;.?!–]{1,80})"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\b(?:differences?|distinction|unterschied\w*|différences?|diferencias?|differenz[ae]|diferenças?|verschil\w*"
        rf"|różnic\w+|разниц\w+) (?:between|zwischen|entre|tra|fra|tussen|między|pomiędzy|между) {_A} "
        rf"(?:and|und|et|y|e|ed|en|a|i|и) {_B}",
        rf"{_A}\s+(?:vs\.?|versus|compared (?:to|with)|as opposed to|rather than|or is it)\s+{_B}",
        rf"\bhow (?:does|do|is|are) {_A} (?:differ(?:ent)?|distinct) from {_B}",
        rf"\b(?:is|are) {_A} the same(?: thing)? as {_B}",
        rf"\bcompare {_A} (?:and|with|to) {_B}",
        rf"\btell(?:ing)? {_A} (?:and|from) {_B} apart",
        rf"\b(?:is it|are they|whether|have i got) {_A} or {_B}",
        rf"{_A} (?:and|or) {_B}",
    )
)
_IS = r"\b(?:what(?: is|['’]?s| are)|was (?:ist|sind)|qu[eé] (?:es|son)|che cos['’]è|o que é)"
_BOTH = re.compile(rf"{_IS} {_A},? (?:and|und|y|e) {_IS} {_B}", re.IGNORECASE)
_LEAD = re.compile(
    r"^\W*(?:(?:what|whats|what's|how|why|which|is|are|was|the|a|an|my|your|i|do|does|did|in|of|difference|differences|"
    r"between|tell|me|about|explain|please|so|and|but)\b\W*)+",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"\W*\b(?:differ(?:ent|ence|ences)?|same|the same|whats?|what's|how|which|please|each|then|exactly|do they"
    r"|are they|do (?:i|we) need)\b.*$|\W+$",
    re.IGNORECASE,
)


def compares(text: str) -> bool:
    """Whether a question asks how things differ, or which of them it is."""
    return _COMPARES.search(text) is not None


def sides_of(text: str, concepts: Sequence[str]) -> tuple[str, ...]:
    """The two things that a comparing question names, or one that asks what both are, in its words; () where it names
    none or one.

    `concepts` are the terms that were recognised in it, as they stand there: they are the sides where no form of words
    says so. A side without its noun takes it from the other: "type 1 vs type 2 diabetes".
    """
    if both := _BOTH.search(text[-READ:]):
        a, b = (_LEAD.sub("", both[name]).strip() for name in "ab")
        if all(any(concept.casefold() in side.casefold() for concept in concepts) for side in (a, b)):
            return a, b
    if not compares(text):
        return ()
    for form in _FORMS:
        for found in form.finditer(text[-READ:]):
            a, b = (_TAIL.sub("", _LEAD.sub("", found[name])).strip() for name in "ab")
            if a and b and max(len(a.split()), len(b.split())) <= SIDE_WORDS and a.casefold() != b.casefold():
                return _with_noun(a, b, concepts), b
    distinct = list(dict.fromkeys(concepts))
    return tuple(distinct[:2]) if len(distinct) > 1 else ()


def _with_noun(a: str, b: str, concepts: Sequence[str]) -> str:
    """ "viral" beside "bacterial meningitis" is "viral meningitis": what names nothing by itself takes the other's
    noun, and so does what begins as the other does."""
    first, second = a.split(), b.split()
    named = any(concept.casefold() in a.casefold() for concept in concepts)
    if len(first) < len(second) and (not named or first[0].casefold() == second[0].casefold()):
        return " ".join([*first, *second[len(first) :]])
    return a
