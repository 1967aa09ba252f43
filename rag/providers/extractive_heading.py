"""Finds the heading that lost its line break and stands before a sentence ("Early Signs Early signs of gout are …").

A heading is known by its capitals, and only cut off where what follows is surely a sentence of its own.
"""

from __future__ import annotations

import re

from rag.question import heading_kinds
from rag.words import stem, word_set, words

__all__ = ["SMALL", "STARTERS", "Unclear", "is_label", "split_heading"]

STARTERS = word_set(
    """
    After All Although An And Any Anyone As At Because Before Both Certain Children Common Do Doctors Don't During
    Each Early Even Every Few For Having How However If In It Many Men Most No Not Often Once One Other Others
    Patients People Researchers Several Signs Since Some Sometimes Symptoms The Their There These They This To
    Treatment Two Unlike Unlikely Until Usually We What When While Women You Your
    """
)
"""Words that open a sentence and rarely stand last in a heading."""
SMALL = word_set("a an and as at by for from in is it of on or the to with your you be can -- - – — & / vs")
_OPEN = frozenset(word.lower() for word in STARTERS)  # a sentence opens with them: what follows is its first name
_CONJUNCTIONS = frozenset(("As", "When", "If", "While", "Although", "Because", "Once", "Until", "Unlike"))
_PLACES = word_set(
    """
    african american americans asian european hispanic native united northern southern eastern western north south new
    ashkenazi jewish mediterranean
    """
)
_LABELS = word_set(
    """
    medication medications medicine medicines surgery treatment treatments symptoms signs diagnosis causes overview
    prevention outlook complications drugs therapy tests diet lifestyle definition summary introduction background
    prognosis transmission
    """
)
_MAX_WORDS = 14  # of a heading
_FEWEST_WORDS = 4  # of a sentence behind one
_TOKEN = re.compile(r"\S+")
_CAPITAL = re.compile(r"[\"'“‘(]*[A-Z][a-z’'-]*[a-z][\w’'/-]*[,:;!?.\"'”’)]*")
_TITLE_LIKE = re.compile(r"[\"'“‘(]*[A-Z0-9].*")
_COLON = re.compile(r"(?:Summary|Overview|Key facts?)\s?:\s+")
_EDGES = "\"'“”‘’(),:;!?."


class Unclear(ValueError):
    """A sentence opens with capitals, and nothing tells where a heading ends."""


def split_heading(sentence: str, names: frozenset[str]) -> tuple[str, str]:
    """The heading in front of a sentence, "" where none is, and the sentence itself, both verbatim.

    `names` are the folded words of the passage's title and topic. Raises Unclear.
    """
    labelled = _COLON.match(sentence)
    if labelled is not None:
        return sentence[: labelled.end()].rstrip(" :"), sentence[labelled.end() :]
    at = _last_capital(sentence)
    heading, rest = sentence[:at].rstrip(), sentence[at:]
    if not heading or len(rest.split()) < _FEWEST_WORDS:
        return "", sentence
    before = [word.strip(_EDGES) for word in heading.split()]
    opener = rest.split()[0].strip(_EDGES)
    if opener in STARTERS:
        return heading, rest
    if len(before) > 1 and before[-1] in _CONJUNCTIONS:  # "Later Signs As gout goes on, …"
        return " ".join(heading.split()[:-1]), f"{before[-1]} {rest}"
    if before[-1].lower() in SMALL or "," in heading or _PLACES & {word.lower() for word in (*before, opener)}:
        return "", sentence  # "People with Parkinson's often …", "In Europe …"
    if _opens_with(rest, heading) or is_label(heading):
        return heading, rest
    if before[0].lower() in _OPEN:
        return "", sentence  # "Most Americans …"
    if {*words(heading), *words(opener)} <= names:
        return "", sentence
    raise Unclear


def _last_capital(sentence: str) -> int:
    """Where the last capital word before the first small one stands; 0 where it is the very first word."""
    last = 0
    for number, token in enumerate(_TOKEN.finditer(sentence)):
        word = token[0]
        capital = _CAPITAL.fullmatch(word) and (word.rstrip(",") in STARTERS or word[-1] not in ",:;!?.)")
        if number and (capital or (word == "A" and _ends_heading(sentence[: token.start()], sentence[token.end() :]))):
            last = token.start()
        elif word.strip(_EDGES).lower() not in SMALL and not _TITLE_LIKE.fullmatch(word):
            break
        if number > _MAX_WORDS:
            return 0
    return last


def _opens_with(rest: str, heading: str) -> bool:
    """Whether what follows takes up a word of the heading at once."""
    return bool({stem(word) for word in words(rest[:40])[:1]} & {stem(word) for word in words(heading)})


def _ends_heading(before: str, behind: str) -> bool:
    """Whether an "A" between them opens a sentence: "Medications A doctor may …", but "Hepatitis A is …"."""
    return _opens_with(behind, before) or (is_label(before) and len(behind.split()) >= _FEWEST_WORDS)


def is_label(heading: str) -> bool:
    """Whether a text is nothing but the name of a section ("Medicines", "Early signs")."""
    return all(word in _LABELS for word in words(heading)) or bool(heading_kinds(heading))
