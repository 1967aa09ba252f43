"""Tells which languages' rules can say anything about which sentences, so that a message in any language is judged.

People write in another language than their client declares, mix two, or fall back on their own in an alarm. Trying
every table on every sentence would cost twenty times one, and find French words in English ones. So a sentence is read
in the languages whose words it is made of, and a table is opened only when one of its rules has all its words there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

import numpy as np

from safety.normalize import Piece, pieces, shortened
from safety.patterns import Pattern
from safety.rules import Rule, RuleTable
from safety.types import RiskClass

__all__ = ["Route", "Router"]

# A language is tried on a sentence of which it knows at least this share of the words that the best one knows, the
# declared language with less, and of which no other language knows all that it knows and more: "heart attack" is a
# Hindi word too, but "what is a heart attack?" is no Hindi. Where the declared one knows as many it reads
# alone. Set by judgement.
_SHARE, _SHARE_DECLARED = 0.6, 0.3
# One foreign word in a sentence that the declared language mostly knows may be a name or a loan: "what causes anemia?"
# gets no notice from a Spanish rule. It may raise an alarm ("my mother is behosh"), in the declared language's words.
_OWN_WORDS, _MOSTLY = 2, 0.5


@dataclass(slots=True)
class Route:
    """What a table is to read: its sentences by turn, and the rules that may fire."""

    turns: list[list[Piece]]
    rules: list[Rule] = field(default_factory=list)
    spoken: bool = False  # whether a sentence is in the language, and does not only hold a word of it


class Router:
    """All tables' words in one place. `phrases` are further sentences of a language, to know its words by."""

    def __init__(self, tables: Mapping[str, RuleTable], phrases: Mapping[str, Iterable[str]]) -> None:
        self._tables = tables
        self._names = tuple(tables)
        self._known: dict[str, int] = defaultdict(int)
        self._respelled: dict[str, set[str]] = {}
        for bit, (name, table) in enumerate(tables.items()):
            for text, marks in _written(table, phrases.get(name, ())):
                self._known[text] |= 1 << bit
                self._known[text + marks] |= 1 << bit
            for text in table.spelling.known:
                self._known[text] |= 1 << bit
            for wrong, right in (*table.spelling.typos.items(), *table.spelling.expand.items()):
                self._respelled.setdefault(wrong, set()).update(right)
                self._known[wrong] |= 1 << bit

    def routes(
        self, turns: Sequence[Sequence[Piece]], facts: Mapping[str, Set[Pattern]], declared: str
    ) -> dict[str, Route]:
        """By language, what is to be read. `facts` are patterns of a table that are true without being said."""
        routes: dict[str, Route] = {}
        for turn, found in enumerate(turns):
            for sentence in _sentences(found):
                for name, spoken in self._languages(sentence, declared).items():
                    if name not in routes:
                        routes[name] = Route([[] for _ in turns])
                    routes[name].turns[turn] += sentence
                    routes[name].spoken |= spoken
        for name, route in routes.items():
            rules = self._able(self._tables[name], route.turns, facts.get(name, frozenset()))
            route.rules = [rule for rule in rules if route.spoken or rule.risk_class >= RiskClass.R4 or rule.refuse]
        return {name: route for name, route in routes.items() if route.rules}

    def _languages(self, sentence: Sequence[Piece], declared: str) -> dict[str, bool]:
        """The languages of a sentence: those that know most of its words, and none that another knows better.

        With each, whether the sentence is spoken in it, and not in the declared one with a word of it.
        """
        # A word with accents is known as it is written: "é" is no Spanish.
        written = dict.fromkeys(
            part
            for kind, text, marks in sentence
            if kind in ("word", "solid")
            for part in ((text + marks,) if "'" not in text else text.split("'"))
        )
        # By language, which of the words it knows: a bit for each.
        known = [0] * len(self._names)
        for place, part in enumerate(written):
            owners = self._known.get(part, 0)
            while owners:
                lowest = owners & -owners
                known[lowest.bit_length() - 1] |= 1 << place
                owners ^= lowest
        best = max((words.bit_count() for words in known), default=0)
        if not best:
            return {declared: True} if declared in self._tables else {}
        distinct = set(known)
        spoken = [
            name
            for name, words in zip(self._names, known, strict=True)
            if words.bit_count() >= best * (_SHARE_DECLARED if name == declared else _SHARE)
            and not any(words != other and words | other == other for other in distinct)
        ]
        if declared not in self._names:
            return dict.fromkeys(spoken, True)
        own = known[self._names.index(declared)]
        others = {name: known[self._names.index(name)] for name in spoken if name != declared}
        if declared in spoken:
            others = {name: words for name, words in others.items() if words.bit_count() > own.bit_count()}
        mostly = own.bit_count() >= _MOSTLY * len(written)
        found = {name: not mostly or (words & ~own).bit_count() >= _OWN_WORDS for name, words in others.items()}
        return found | {declared: True} if declared in spoken else found

    def _able(self, table: RuleTable, turns: Iterable[Sequence[Piece]], facts: Set[Pattern]) -> list[Rule]:
        """The rules that have all their words in some sentences, wherever they stand."""
        written = dict.fromkeys((text, marks) for found in turns for _, text, marks in found)
        spellings = dict.fromkeys(spelling for each in written for spelling in self._spellings(*each))
        said = np.zeros(len(table.lexicon), np.uint64)
        said[np.concatenate([table.lexicon.find(*spelling) for spelling in spellings])] = 1
        said[table.lexicon.first_kind :] = 1
        possible = table.rule_index.prefilter.possible(said)
        for pattern in facts & table.rule_index.numbers.keys():
            possible[table.rule_index.numbers[pattern]] = True
        return [table.rules[number] for number in table.able.of(possible)]

    def _spellings(self, text: str, marks: str) -> Iterator[tuple[str, str]]:
        """A word as it is written, and as any language may write it out or repair it."""
        whole = text.replace("'", "")
        yield whole, marks
        if whole != text:
            yield from ((part, marks) for part in text.split("'"))
        for word in dict.fromkeys((whole, text, *shortened(whole))):
            if word != whole:
                yield word, ""
            yield from ((right, "") for right in self._respelled.get(word, ()))


def _sentences(found: Sequence[Piece]) -> Iterator[list[Piece]]:
    sentence: list[Piece] = []
    for piece in found:
        sentence.append(piece)
        if piece[0] == "stop":
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def _written(table: RuleTable, phrases: Iterable[str]) -> set[tuple[str, str]]:
    """The words of a table's examples and of further sentences of its language."""
    texts = [*(text for rule in table.rules for text in (*rule.matches, *rule.passes)), *phrases]
    return {
        (part, marks)
        for found in map(pieces, texts)
        for kind, text, marks in found
        if kind in ("word", "solid")
        for part in text.split("'")
    }
