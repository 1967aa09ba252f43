"""Tells which languages' tables can say anything about a text, so that a message in any language is judged by them.

People write in another language than their client declares, mix two, or fall back on their own in an alarm. Trying
every table on every message would cost twenty times one; most tables hold none of the words of most messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from safety.normalize import Piece
from safety.patterns import Lexicon, Pattern, Word
from safety.rules import RuleTable

__all__ = ["Router"]


class Router:
    """All tables' words in one place."""

    def __init__(self, tables: Mapping[str, RuleTable]) -> None:
        self._tables = tables
        self._patterns = {name: tuple(_patterns(table)) for name, table in tables.items()}
        owners: dict[Word, str] = {
            w: name for name, patterns in self._patterns.items() for p in patterns for w in p.words()
        }
        self._owners = owners
        self._lexicon = Lexicon(owners)
        self._respelled: dict[str, set[str]] = {}
        for table in tables.values():
            for wrong, right in (*table.spelling.typos.items(), *table.spelling.expand.items()):
                self._respelled.setdefault(wrong, set()).update(right)

    def tables(self, turns: Iterable[Sequence[Piece]]) -> list[str]:
        """The tables of which some rule has all its words in the text, numbers aside."""
        hits: dict[str, set[Word]] = {}
        for text, marks in dict.fromkeys(self._written(turns)):
            for word in self._lexicon.find(text, marks):
                hits.setdefault(self._owners[word], set()).add(word)
        return [name for name, words in hits.items() if self._able(name, words)]

    def _written(self, turns: Iterable[Sequence[Piece]]) -> Iterable[tuple[str, str]]:
        for pieces in turns:
            for _, text, marks in pieces:
                for part in text.split("'") if "'" in text else (text,):
                    yield part, marks
                if "'" in text:
                    yield text.replace("'", ""), marks
                for word in self._respelled.get(text.replace("'", ""), ()):
                    yield word, ""

    def _able(self, name: str, words: set[Word]) -> bool:
        possible = {pattern for pattern in self._patterns[name] if pattern.possible(words)}
        return any(rule.able(possible) for rule in self._tables[name].rules)


def _patterns(table: RuleTable) -> Iterable[Pattern]:
    return dict.fromkeys(pattern for rule in table.rules for pattern in (*rule.all, *rule.any))
