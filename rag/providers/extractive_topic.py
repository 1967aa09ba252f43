"""Finds what a question is about, and which passages are about the same.

A topic is decided by the words that a question shares with titles and topic fields, each weighed by how much
it tells; where no title has them, by the text of a passage that has most of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from rag.providers.extractive_qualifier import Qualifiers
from rag.question import heading_kinds
from rag.types import Chunk, Evidence, Prompt
from rag.words import Word, content_words, stem, words

__all__ = ["Topic", "find_topic"]

# Set by reading the answers to the thirty questions of evals/goldens/extractive, to 140 more on the bundled
# corpus and to 70 on MedQuAD records, 2026-11-30.
_SPECIFIC = 0.9  # matched weight from which a title is about the question: one specific word
_TITLE_SHARE = 0.5  # share of a title's weight that the question must have
_SAME_TOPIC_SHARE = 0.8  # the same for a second document beside the leading one
_BODY_SHARE = 0.6  # share of the question's weight that a text must have where no title matches
_BODY_WEIGHT = 1.0
_WHOLE = 0.99  # share of a title from which the question has all of it
_WHOLE_WEIGHT = 0.5  # matched weight that is enough where the question has all of a title ("Fever in babies")
_STRAY_SHARE = 0.34  # share of the question's weight below which a title matched in part may be an accident
_STRAY_WORDS = 2  # … if so many of its specific words stand in no passage ("the heart of my sourdough loaf")
_TELLING = 0.5  # weight from which other neighbours make another topic ("heart attack", "heart failure")
_RANK_BONUS = 0.4  # the best passage's, falling with the rank
_OTHER_NAME = re.compile(
    r"\(([A-Z][A-Z0-9-]{1,7})s?\)"
    r"|\b(?:also|usually|often|sometimes) (?:called|known as) ([\w' -]{3,40})(?=[,.;)])"
)
_NAME_CHARS = 80  # how far before its abbreviation a name may begin
_PARENTHESIS = re.compile(r"\(([^()]{2,60})\)")


@dataclass(frozen=True)
class Topic:
    """What is asked about.

    `passages` are the 0-based numbers of the evidence on it, best first; each of `names` is the words of one
    name; `rest` are the question's other words; `text` holds the stems of these passages.
    """

    passages: tuple[int, ...]
    names: tuple[tuple[Word, ...], ...]
    rest: tuple[Word, ...]
    text: frozenset[str]
    titled: bool = True  # whether a title has the topic, and so sections speak of it
    own: frozenset[int] = frozenset()  # the passages whose title is the topic and nothing narrower

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(word.stem for name in self.names for word in name)

    def owns(self, passage: int) -> bool:
        """Whether "the symptoms" of a passage are those of the topic: its title is the topic and nothing narrower."""
        return passage in self.own

    def is_named_in(self, stems: frozenset[str]) -> bool:
        """Whether a text with these stems names the topic: at least half of one of its names."""
        return any(sum(word.weight for word in name if word.stem in stems) >= least for name, least in self._least)

    def is_whole_in(self, stems: frozenset[str]) -> bool:
        """Whether a text with these stems has all words of one of the topic's names."""
        return any(all(word.stem in stems for word in name) for name in self.names)

    @cached_property
    def _least(self) -> list[tuple[tuple[Word, ...], float]]:
        return [(name, _TITLE_SHARE * sum(word.weight for word in name)) for name in self.names]


@dataclass
class _Group:
    """The passages that bear the same title."""

    passages: list[int]
    labels: list[tuple[Word, ...]]
    text: frozenset[str]
    titles: list[frozenset[str]]  # the stems of title, parenthesis, initials and topic
    joint: bool  # "Sprains and strains": half of the title is as much its topic
    short: list[tuple[Word, ...]] = field(default_factory=list)  # other names that the text gives the topic
    matched: float = 0.0
    share: float = 0.0
    stems: frozenset[str] = frozenset()
    value: float = 0.0
    own: bool = False  # whether the question has all of a title
    clashes: set[str] = field(default_factory=set)  # neighbours by which the question means another thing


def find_topic(prompt: Prompt, qualifiers: Qualifiers | None = None) -> Topic | None:
    """The topic of the question among the evidence, or None where no passage is about it."""
    asked = content_words(prompt.question)
    groups = _grouped(prompt.evidence, qualifiers or Qualifiers.of(prompt))
    if not groups:
        return None
    total = sum(word.weight for word in asked) or 1.0
    for group in groups:
        _match(group, asked, total)
    known = frozenset[str]().union(*(group.text for group in groups))
    strays = sum(1 for word in asked if word.weight >= _SPECIFIC and word.stem not in known)
    titled = [group for group in groups if _is_about(group, total, strays)]
    if titled:
        return _titled_topic(titled, asked)
    if not _same_language(prompt):
        return _trusted_topic(groups[0], asked)
    return _body_topic(groups, asked, total)


def _is_about(group: _Group, total: float, strays: int) -> bool:
    """Whether the question's words are enough of the title of `group`, and not there by accident."""
    if group.share >= _WHOLE:
        return group.matched >= _WHOLE_WEIGHT
    enough = group.share > _TITLE_SHARE or (group.joint and group.share == _TITLE_SHARE)
    if group.matched >= _WHOLE * total and enough:
        return group.matched >= _WHOLE_WEIGHT  # the question has no other word ("a sick child")
    by_accident = group.matched / total < _STRAY_SHARE and strays >= _STRAY_WORDS
    return group.matched >= _SPECIFIC and enough and not by_accident


def _grouped(evidence: Sequence[Evidence], qualifiers: Qualifiers) -> list[_Group]:
    """The passages by title, without those that are about a neighbour of what is asked."""
    groups: dict[frozenset[str], _Group] = {}
    for number, item in enumerate(evidence):
        chunk = item.chunk
        if qualifiers.exclude(chunk):
            continue
        key = frozenset(word.stem for word in content_words(_PARENTHESIS.sub(" ", chunk.title))) or frozenset(
            [chunk.doc_id]
        )
        text = frozenset(map(stem, words(chunk.text)))
        group = groups.get(key)
        if group is None:
            groups[key] = _Group([number], _labels(chunk), text, _titles(chunk), " and " in chunk.title)
        else:
            group.passages.append(number)
            group.text |= text
            group.labels += [label for label in _labels(chunk) if label not in group.labels]
        other_names = _other_names(chunk.text, groups[key].labels)
        groups[key].labels += other_names
        groups[key].short += other_names
    return list(groups.values())


def _titles(chunk: Chunk) -> list[frozenset[str]]:
    title = _PARENTHESIS.sub(" ", chunk.title)
    texts = [title, *_parts(title), *_PARENTHESIS.findall(chunk.title), chunk.topic, _initials(title)]
    return [frozenset(word.stem for word in content_words(text)) for text in texts]


def _labels(chunk: Chunk) -> list[tuple[Word, ...]]:
    """The names that a passage's document bears: title, parenthesis, initials, topic, own headings."""
    title = _PARENTHESIS.sub(" ", chunk.title)
    texts = [title, *_PARENTHESIS.findall(chunk.title), chunk.topic, _initials(title), _initials(chunk.topic)]
    texts += _parts(title)
    texts += [part for part in chunk.heading.split(" › ") if part and not heading_kinds(part, chunk.lang)]
    labels = [content_words(text) for text in texts]
    return [label for n, label in enumerate(labels) if label and label not in labels[:n]]


def _parts(title: str) -> list[str]:
    """The names that a title sets side by side: "HIV/AIDS", "Prostate Enlargement: Benign Prostatic Hyperplasia".

    Behind a colon that is no name ("Diabetes: Keep your feet healthy") the title is narrower than what it opens with.
    """
    before, colon, behind = title.rstrip("? ").partition(": ")
    named = colon and not heading_kinds(behind) and all(word[0].isupper() for word in behind.split() if len(word) > 3)
    return [*title.split("/"), *((before, behind) if named and len(behind.split()) > 1 else ())]


def _initials(title: str) -> str:
    """ "UTI" for "Urinary tract infection"; "" for a short title or a question."""
    if title.rstrip().endswith("?"):
        return ""
    initials = "".join(word[0] for word in words(title.replace("-", " ")))
    return initials if 3 <= len(initials) <= 5 else ""


def _other_names(text: str, labels: Sequence[Sequence[Word]]) -> list[tuple[Word, ...]]:
    """The names that a text gives the topic: "Reye syndrome (RS)", "…, also called hypertension"."""
    found = []
    for match in _OTHER_NAME.finditer(text):
        before = [stem(word) for word in words(text[max(0, match.start() - _NAME_CHARS) : match.start()])]
        if any(_is_spelled_out(label, before[-len(label) - 1 :], match[1] or "") for label in labels):
            found.append(content_words(match[1] or match[2]))
    return [name for name in found if name]


def _is_spelled_out(label: Sequence[Word], before: Sequence[str], short: str) -> bool:
    """Whether a name stands before its abbreviation, which is more than that of its end ("juvenile ALS")."""
    stems = [word.stem for word in label]
    if not set(stems) <= set(before):
        return False
    return not (len(short) > 1 and len(stems) > len(short) and _initials_of(stems[-len(short) :]) == short.lower())


def _initials_of(stems: Sequence[str]) -> str:
    return "".join(each[0] for each in stems)


def _match(group: _Group, asked: Sequence[Word], total: float) -> None:
    best: list[Word] = []
    stems = {word.stem for word in asked}
    group.own = any(title and title <= stems for title in group.titles)
    for label in group.labels:
        matched = _matched(asked, label)
        weight = sum(word.weight for word in matched)
        group.clashes |= _clashes(asked, label)
        share = weight / sum(word.weight for word in label)
        better = (_enough(weight, share), weight + share) > (
            _enough(group.matched, group.share),
            group.matched + group.share,
        )
        if better:
            group.matched, group.share, best = weight, share, matched
    group.stems = frozenset(word.stem for word in best)
    in_text = sum(word.weight for word in asked if word.stem in group.text) / total
    group.value = group.matched / total + group.share / 2 + in_text / 2 + _RANK_BONUS / (1 + group.passages[0])


def _enough(weight: float, share: float) -> bool:
    return weight >= _SPECIFIC or share >= _WHOLE


def _matched(asked: Sequence[Word], label: Sequence[Word]) -> list[Word]:
    """The words of the question that a label has, unless neighbours show that it means another thing."""
    named = {word.stem: word for word in label}
    if _other_numbers(asked, label):
        return []
    return [word for word in asked if word.stem in named and not _neighbours(word, named[word.stem], named)]


def _clashes(asked: Sequence[Word], label: Sequence[Word]) -> set[str]:
    """The question's words by which it means another thing than a label with which it shares words."""
    named = {word.stem: word for word in label}
    found = _other_numbers(asked, label)
    for word in asked:
        if word.stem in named:
            found |= _neighbours(word, named[word.stem], named)
    return found


def _neighbours(word: Word, named: Word, label: dict[str, Word]) -> set[str]:
    """The neighbours of a shared word that make it another thing ("heart failure" is no "heart attack")."""
    pairs = ((word.before, named.before), (word.after, named.after))
    return {mine for mine, theirs in pairs if theirs and mine and mine not in label and _tells(mine, theirs)}


def _tells(*neighbours: str) -> bool:
    return all(any(word.weight >= _TELLING for word in content_words(each)) for each in neighbours)


def _other_numbers(asked: Sequence[Word], label: Sequence[Word]) -> set[str]:
    """The question's number where both name a numbered type, and not the same ("type 1", "type 2")."""
    mine = {word.stem for word in asked if word.stem.isdigit() and word.before == "type"}
    theirs = {word.stem for word in label if word.stem.isdigit() and word.before == "type"}
    return mine if theirs and not mine & theirs else set()


def _titled_topic(groups: Sequence[_Group], asked: Sequence[Word]) -> Topic:
    lead = max(groups, key=lambda group: (group.value, -group.passages[0]))
    same = [
        group
        for group in groups
        if group is not lead and group.share >= _SAME_TOPIC_SHARE and group.stems >= lead.stems
    ]
    passages = [*lead.passages, *sorted(number for group in same for number in group.passages)]
    names = [label for group in (lead, *same) for label in group.labels if _is_name(label, lead)]
    text = frozenset().union(*(group.text for group in (lead, *same)))
    names += [name for group in (lead, *same) for name in group.short if name not in names]
    mine = {word.stem for label in lead.labels for word in label}
    own = frozenset(number for group in (lead, *same) if group.own for number in group.passages)
    rest = tuple(word for word in asked if word.stem not in mine)
    return Topic(tuple(passages), tuple(names), rest, text, own=own)


def _is_name(label: Sequence[Word], group: _Group) -> bool:
    """Whether a label says the topic itself: the title's names, or the one that the question used."""
    return label in group.labels[:2] or bool(group.stems & {word.stem for word in label if word.weight >= _SPECIFIC})


def _trusted_topic(group: _Group, asked: Sequence[Word]) -> Topic:
    """The best passage's topic, where question and passages share no language and so no words."""
    rest = tuple(word for word in asked if word.stem in group.text)
    return Topic(tuple(group.passages), tuple(group.labels[:1]), rest, group.text)


def _same_language(prompt: Prompt) -> bool:
    base = prompt.read_in.partition("-")[0].lower()
    return any(item.chunk.lang.partition("-")[0].lower() == base for item in prompt.evidence)


def _body_topic(groups: Sequence[_Group], asked: Sequence[Word], total: float) -> Topic | None:
    """The group whose text has most of the question's words, if it has enough of them."""
    best: tuple[float, _Group] | None = None
    for group in groups:
        if group.matched >= _SPECIFIC:
            continue  # its title has the topic and something narrower: "lupus nephritis" for "lupus"
        weight = sum(word.weight for word in asked if word.stem in group.text)
        enough = weight >= _BODY_WEIGHT and weight / total >= _BODY_SHARE and group.clashes <= group.text
        if enough and (best is None or weight > best[0]):
            best = (weight, group)
    if best is None:
        return None
    group = best[1]
    found = tuple(word for word in asked if word.stem in group.text)
    return Topic(tuple(group.passages), (found,), found, group.text, titled=False)
