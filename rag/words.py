"""The words of a text as topics are compared by them: folded, stemmed, and weighed by how much they tell."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from rag.text import fold

__all__ = ["Word", "content_stems", "content_words", "stem", "topic_text", "word_set", "words"]


@dataclass(frozen=True)
class Word:
    """A word that may name a topic: its stem and how much it tells (1 for a specific word)."""

    stem: str
    weight: float
    before: str = ""  # stems of the direct neighbours, "" where another kind of word or none stands there
    after: str = ""


def _list(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def word_set(text: str) -> frozenset[str]:
    """The words of `text` as they are written, for tables of words."""
    return frozenset(text.split())


_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")

# Words that carry no topic: function words, talk, and the words of the question types.
_STOP = word_set(
    """
    a about above actually after again all also always am an and another any anyone anything are around as at
    away be because been before being best better between bit both but by came can cannot could did do does
    doing done don down during each early either else ever every everyone exactly far few first for from general
    get gets getting give given go goes going good got had happen happens has have having he her here him his
    how i if in into is isn it its itself just kind know known last later let like likely little long look lot
    made make makes many may me mean means might more most much must my myself need needed needs never new next
    no nor normal normally not now of off often old on once one only or other others our out over own per please
    possible proper properly put really recently right said same say see seems set several shall she should show
    shows since so some somebody someone something soon spot start started still stop stopped such suddenly
    sudden sure take taken takes tell than that the their them themselves then there these they thing things
    think thinking this those though through to today together told too try turn under until up upon us use used
    useful usually very want was way ways we well went were what whats when where whether which while who whole
    whom whose why will with within without won worse would yet you your yourself s t d ll m re ve don't doesn't
    can't won't isn't i'm it's what's symptom symptoms sign signs warning treat treated treating treats
    treatment treatments cause caused causes causing reason reasons diagnose diagnosed diagnosis diagnosing
    prevent prevented preventing prevention risk risks factor factors chance chances help helps helping helped
    doctor doctors emergency urgent urgently aid feel feels feeling avoid reduce reduced lower raise raised
    increase affected affect affects outlook prognosis cure cured support supporting common inherited research
    clinical trial trials gene genetic changes change related recognise recognize notice tests test detect
    identify explain information definition describe ignored dangerous difference differences different
    contagious catch hereditary inherit likelihood ignore worried worry concerned professional medical care seek
    call hospital complications stages options available option bring bystander bystanders parent parents mum
    mom dad friend husband wife partner person people adults adult patient patients swallowed mg milligrams dose
    """
) | word_set(
    """
    el la los las un una unos unas de del al en y o que como por para con sin es son se su mi tu cual cuales le
    les du des et ou est sont une dans sur au aux je il elle quels quelles quel comment pourquoi ce der die das
    den dem ein eine einer einen und oder ist sind wie was bei von zu im mit fur auf ich man lo gli uno della
    dello dei di da che e i come quali perche sono per os as um uma do dos em na no ao
    """
)
_GENERIC: dict[str, float] = {
    word: weight
    for weight, group in (
        (
            0.2,
            "disease diseases syndrome syndromes disorder disorders condition conditions problem problems "
            "type types form "
            "severe serious seriously chronic acute mild major high low health body time times day days week "
            "weeks "
            "month months year years night nights life daily children child baby babies man woman men women "
            "boy girl "
            "son daughter age aged human illness illnesses difficulty crisis case cases level levels adult "
            "teenager "
            "elderly toddler newborn infant kid kids home work rare primary secondary side effect effects adverse",
        ),
        (
            0.5,
            "attack attacks pain infection infections ill sick cancer deficiency failure fever stress blood "
            "injury virus viral",
        ),
    )
    for word in group.split()
}
_VAGUE = frozenset(word for word, weight in _GENERIC.items() if weight < 0.5)
_SAME = {
    "children": "child",
    "kids": "child",
    "kid": "child",
    "toddler": "child",
    "toddlers": "child",
    "newborn": "baby",
    "newborns": "baby",
    "babies": "baby",
    "infant": "baby",
    "infants": "baby",
    "women": "woman",
    "men": "man",
    "feet": "foot",
    "teeth": "tooth",
    "lice": "louse",
    "bled": "bleed",
    "sick": "ill",
    "unwell": "ill",
    "hurt": "pain",
    "hurts": "pain",
    "hurting": "pain",
    "ache": "pain",
    "aches": "pain",
    "aching": "pain",
    "painful": "pain",
    "anaphylactic": "anaphylaxis",
    "septic": "sepsis",
    "illness": "ill",
    "illnesses": "ill",
}
_ENDINGS = _list(
    "fulness lessness iness ations ation ities ancy ency ously ness ions ical ious ings atic ment ants ents "
    "ies ied "
    "ier ily ity ing ion ous ant ent ial ics ist ate ia ic al es ed er ly cy y s e a"
)
_MIN_STEM = 4


def words(text: str) -> list[str]:
    """The folded words of `text`, in order."""
    return _WORD.findall(fold(text))


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A folded word without its ending: "poisonous", "poisoning" and "poisons" are one.

    Coarser than a stemmer for retrieval: it only ever compares words of one question with few passages.
    """
    word = _SAME.get(word, word).replace("’", "'").removesuffix("'s")
    if len(word) == _MIN_STEM and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]  # "eyes", "utis"
    for _ in range(2):
        for ending in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM:
                word = word[: -len(ending)]
                break
    return word


_GENERIC_STEMS = {stem(word): weight for word, weight in _GENERIC.items()}


def topic_text(text: str) -> str:
    """The words of `text` that may name a topic, general ones ("disease", "child") included, as a text again."""
    return " ".join(token for token in words(text) if token not in _STOP)


def content_stems(tokens: Iterable[str]) -> frozenset[str]:
    """The stems of those folded words that may name a topic."""
    return frozenset(stem(token) for token in tokens if token not in _STOP and token not in _VAGUE)


def content_words(text: str) -> tuple[Word, ...]:
    """The words of `text` that may name a topic, each once, in order, with weight and direct neighbours."""
    tokens = words(text)
    stems = ["" if _is_empty(tokens, n) else stem(token) for n, token in enumerate(tokens)]
    found: dict[str, Word] = {}
    for n, current in enumerate(stems):
        if current and current not in found:
            before = stems[n - 1] if n else ""
            after = stems[n + 1] if n + 1 < len(stems) else ""
            found[current] = Word(current, _weight(current), before, after)
    return tuple(found.values())


def _is_empty(tokens: list[str], n: int) -> bool:
    """Whether a word tells no topic. "Down" does in "Down syndrome"."""
    if tokens[n] == "down" and tokens[n + 1 : n + 2] == ["syndrome"]:
        return False
    return tokens[n] in _STOP or (len(tokens[n]) == 1 and not tokens[n].isdigit())


def _weight(current: str) -> float:
    if current.isdigit():
        return 0.5
    return _GENERIC_STEMS.get(current, 1.0)
