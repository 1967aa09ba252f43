"""Tells which languages' rules can say anything about which sentences, so that a message in any language is judged.

People write in another language than their client declares, mix two, or fall back on their own in an alarm. Trying
every table on every sentence would cost twenty times one, and find French words in English ones. So a sentence is read
in the languages whose words it is made of, and a table is opened only when one of its rules has all its words there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from safety.board import Lexicon
from safety.normalize import Piece, pieces, shortened
from safety.patterns import Pattern, Word
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
        self._anchored: dict[str, dict[Word, list[Pattern]]] = {}
        self._free: dict[str, list[Pattern]] = {}
        self._respelled: dict[str, set[str]] = {}
        words: dict[Word, None] = {}
        for bit, (name, table) in enumerate(tables.items()):
            patterns = dict.fromkeys(p for rule in table.rules for p in (*rule.all, *rule.any))
            words |= dict.fromkeys(word for pattern in patterns for word in pattern.words)
            written = _written(table, phrases.get(name, ()))
            for text, marks in written:
                self._known[text] |= 1 << bit
                self._known[text + marks] |= 1 << bit
            for text in table.spelling.known:
                self._known[text] |= 1 << bit
            common = _common(patterns, written)
            anchored: dict[Word, list[Pattern]] = defaultdict(list)
            for pattern in patterns:
                for word in min(pattern.needs, key=common, default=()):
                    anchored[word].append(pattern)
            self._anchored[name] = anchored
            self._free[name] = [pattern for pattern in patterns if not pattern.needs]
            for wrong, right in (*table.spelling.typos.items(), *table.spelling.expand.items()):
                self._respelled.setdefault(wrong, set()).update(right)
                self._known[wrong] |= 1 << bit
        self._lexicon = Lexicon(words)

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
            rules = self._able(name, self._words(route.turns), facts.get(name, frozenset()))
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

    def _words(self, turns: Iterable[Sequence[Piece]]) -> set[Word]:
        words: set[Word] = set()
        for text, marks in dict.fromkeys((text, marks) for found in turns for _, text, marks in found):
            for written in self._spellings(text, marks):
                words.update(self._lexicon.find(*written))
        return words

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

    def _able(self, name: str, words: Set[Word], facts: Set[Pattern]) -> list[Rule]:
        anchored = self._anchored[name]
        candidates = dict.fromkeys(self._free[name])
        for word in words & anchored.keys():
            candidates |= dict.fromkeys(anchored[word])
        possible = facts | {pattern for pattern in candidates if pattern.possible(words)}
        return [rule for rule in self._tables[name].rules if rule.able(possible)] if possible else []


def _sentences(found: Sequence[Piece]) -> Iterator[list[Piece]]:
    sentence: list[Piece] = []
    for piece in found:
        sentence.append(piece)
        if piece[0] == "stop":
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def _written(table: RuleTable, phrases: Iterable[str]) -> Counter[tuple[str, str]]:
    """The words of a table's examples and of further sentences of its language, with how often they stand there."""
    texts = [*(text for rule in table.rules for text in (*rule.matches, *rule.passes)), *phrases]
    return Counter(
        (part, marks)
        for found in map(pieces, texts)
        for kind, text, marks in found
        if kind in ("word", "solid")
        for part in text.split("'")
    )


def _common(patterns: Iterable[Pattern], written: Mapping[tuple[str, str], int]) -> Callable[[frozenset[Word]], float]:
    """How common the words of a need are: the rarest need of a pattern is its anchor."""
    lexicon = Lexicon(dict.fromkeys(word for pattern in patterns for word in pattern.words))
    seen: Counter[Word] = Counter()
    for (text, marks), n in written.items():
        for word in lexicon.find(text, marks):
            seen[word] += n
    return lambda need: sum(seen[word] for word in need) + len(need) / 1_000
