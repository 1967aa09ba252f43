"""Tells which languages' tables can say anything about a text, so that a message in any language is judged by them.

People write in another language than their client declares, mix two, or fall back on their own in an alarm. Trying
every table on every message would cost twenty times one; most tables hold none of the words of most messages.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

from safety.normalize import Piece, pieces, shortened
from safety.patterns import Lexicon, Pattern, Word
from safety.rules import Rule, RuleTable

__all__ = ["Router"]


class Router:
    """All tables' words in one place."""

    def __init__(self, tables: Mapping[str, RuleTable]) -> None:
        self._tables = tables
        anchored: dict[Word, list[tuple[str, Pattern]]] = defaultdict(list)
        free: list[tuple[str, Pattern]] = []
        for name, table in tables.items():
            common = _common(table)
            for pattern in dict.fromkeys(p for rule in table.rules for p in (*rule.all, *rule.any)):
                anchor = min(pattern.needs, key=common, default=None)
                if anchor is None:
                    free.append((name, pattern))
                for word in anchor or ():
                    anchored[word].append((name, pattern))
        self._anchored, self._free = anchored, free
        self._lexicon = Lexicon(
            dict.fromkeys(
                w
                for table in tables.values()
                for rule in table.rules
                for p in (*rule.all, *rule.any)
                for w in p.words()
            )
        )
        self._respelled: dict[str, set[str]] = {}
        for table in tables.values():
            for wrong, right in (*table.spelling.typos.items(), *table.spelling.expand.items()):
                self._respelled.setdefault(wrong, set()).update(right)

    def rules(self, turns: Iterable[Sequence[Piece]], facts: Mapping[str, Set[Pattern]]) -> dict[str, list[Rule]]:
        """The rules by table of which all words are in the text, numbers aside, or among the facts of the table."""
        words: set[Word] = set()
        for text, marks in dict.fromkeys(self._written(turns)):
            words.update(self._lexicon.find(text, marks))
        possible: dict[str, set[Pattern]] = {name: set(patterns) for name, patterns in facts.items()}
        for name, pattern in (*self._free, *(item for word in words for item in self._anchored.get(word, ()))):
            if pattern.possible(words):
                possible.setdefault(name, set()).add(pattern)
        able = {
            name: [rule for rule in table.rules if rule.able(possible[name])]
            for name, table in self._tables.items()
            if name in possible
        }
        return {name: rules for name, rules in able.items() if rules}

    def _written(self, turns: Iterable[Sequence[Piece]]) -> Iterator[tuple[str, str]]:
        """Every word as it is written, and as any language may write it out or repair it."""
        for found in turns:
            for _, text, marks in found:
                whole = text.replace("'", "")
                yield whole, marks
                if whole != text:
                    yield from ((part, marks) for part in text.split("'"))
                for word in (whole, *shortened(whole)):
                    if word != whole:
                        yield word, ""
                    yield from ((right, "") for right in self._respelled.get(word, ()))


def _common(table: RuleTable) -> Callable[[frozenset[Word]], float]:
    """How common the words of a need are, by the table's own examples: the rarest need of a pattern is its anchor."""
    texts = [text for rule in table.rules for text in (*rule.matches, *rule.passes)]
    counts = Counter((text, marks) for found in map(pieces, texts) for _, text, marks in found)
    lexicon = Lexicon(dict.fromkeys(w for rule in table.rules for p in (*rule.all, *rule.any) for w in p.words()))
    seen: Counter[Word] = Counter()
    for written, n in counts.items():
        for word in lexicon.find(*written):
            seen[word] += n
    return lambda need: sum(seen[word] for word in need) + len(need) / 1_000
