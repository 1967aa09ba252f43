"""One conversation read with one language's table: every phrase is found once, then each rule looks at its own."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from safety.board import Board, Match, Text
from safety.memory import Talk, read_talk
from safety.normalize import Piece, spelled
from safety.numbers import read_quantities
from safety.patterns import Pattern
from safety.rules import Rule, RuleTable
from safety.scope import Scopes
from safety.types import FiredRule, RiskClass

__all__ = ["Finding", "Reading"]

# Parts of one rule may stand in this many turns ("my baby is 6 weeks old" … "she is hot").
_RULE_TURNS = 2
# Words between a phrase and an exception in another clause of its sentence. An exception anywhere in the sentence lost
# 35 of 300 English emergencies behind an ordinary clause and a comma, this one 32, and 11 instead of 19 before one; on
# the open goldens of twenty languages (9,146 alarms, 5,413 look-alikes) it lost none and raised 3 alarms. 2026-11-30.
_EXCEPTS_NEAR = 6
_TALKED_ABOUT = frozenset({"education", "hypothetical", "third_person"})
_MENTION = "mention"
_UNCLEAR = "unclear"
# What a conversation of one message says about the turns before it.
_ALONE = Talk(resolves=False, changes_subject=False, speaks_of_self=False)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A phrase of a rule in the last turn.

    `outcome`: fired, a kind of scope, unless, excepts its sentence, or incomplete (another part is missing).
    """

    rule: str
    risk_class: RiskClass
    pattern: str
    words: str
    outcome: str


@dataclass(frozen=True, slots=True)
class _Part:
    """The phrases that satisfy one part of a rule: those meant here and now, and why the others are not."""

    meant: list[Match]
    covered: list[tuple[Match, str]]


class Reading:
    """`rules` are those of the table that may fire; `facts` are patterns that are true of the person unsaid."""

    def __init__(
        self,
        table: RuleTable,
        turns: Sequence[Sequence[Piece]],
        rules: Sequence[Rule],
        facts: Set[Pattern] = frozenset(),
    ) -> None:
        words = spelled(turns, table.spelling)
        self._table = table
        self._turns = len(turns)
        self._facts = facts
        self._text = Text(words, read_quantities(words, table.units), table.gap_stops)
        self._board = Board(self._text, table.lexicon)
        self._found = table.rule_index.on(self._board)
        self._rules = [rule for rule in self._able(rules) if self._begun(rule)]
        phrases = dict.fromkeys(p for rule in self._rules for p in (*rule.all, *rule.any) if p in self._found.possible)
        said = [match for pattern in phrases for match in self._found.of(pattern)]
        # Scopes only matter beside a phrase; most messages have none.
        self._scopes = Scopes(table.scopes, table.scope_index, self._board, said) if said else None
        self._by_turn: dict[int, dict[str, FiredRule]] = {}
        for rule in self._rules:
            self._apply(rule)

    def fired(self, turn: int) -> Iterator[FiredRule]:
        """The rules that fire in a turn, in the table's order."""
        yield from self._by_turn.get(turn, {}).values()

    def talk(self) -> list[Talk]:
        if self._turns == 1:
            return [_ALONE]
        found = self._table.talk_index.on(self._board)
        return [read_talk(t, self._text, self._table.conversation, found) for t in range(self._turns)]

    def findings(self) -> Iterator[Finding]:
        """Every phrase in the last turn of a rule that has all its parts, the gravest rules first."""
        last = self._turns - 1
        fired = self._by_turn.get(last, {})
        for rule in sorted(self._rules, key=lambda rule: -rule.risk_class):
            exceptions = self._excepted(rule)
            for pattern in (*rule.all, *rule.any, *rule.unless):
                for match in self._found.of(pattern):
                    if self._turn(match) != last:
                        continue
                    yield Finding(
                        rule=rule.id,
                        risk_class=rule.risk_class,
                        pattern=pattern.source,
                        words=" ".join(self._text.words.texts[match.start : match.end]),
                        outcome=self._outcome(rule, pattern, match, exceptions, fires=rule.id in fired),
                    )

    def _outcome(
        self, rule: Rule, pattern: Pattern, match: Match, exceptions: Mapping[int, Sequence[Match]], *, fires: bool
    ) -> str:
        assert self._scopes is not None, "phrases were found"
        if pattern in rule.unless:
            return "excepts its sentence"
        if self._is_excepted(match, exceptions):
            return "unless"
        if kind := self._scopes.covering(match, rule.scope):
            return kind
        return "fired" if fires else "incomplete"

    def _able(self, rules: Sequence[Rule]) -> list[Rule]:
        """Those of some rules whose parts may all be there."""
        flags, numbers = self._found.flags.copy(), self._table.rule_index.numbers
        for fact in self._facts & numbers.keys():
            flags[numbers[fact]] = True
        able = {self._table.rules[number].id for number in self._table.able.of(flags)}
        return [rule for rule in rules if rule.id in able]

    def _begun(self, rule: Rule) -> bool:
        """Whether every part of it was said or is known; what is known may complete a rule, words must begin it."""
        groups = self._unknown(rule)
        return bool(groups) and all(self._found.any(group) for group in groups)

    def _unknown(self, rule: Rule) -> list[tuple[Pattern, ...]]:
        if not self._facts:
            return list(rule.groups)
        return [group for group in rule.groups if self._facts.isdisjoint(group)]

    def _apply(self, rule: Rule) -> None:
        exceptions = self._excepted(rule)
        parts = [self._part(rule, group, exceptions) for group in self._unknown(rule)]
        for turn, certain in self._turns_of([part.meant for part in parts], rule).items():
            self._by_turn.setdefault(turn, {})[rule.id] = FiredRule(
                id=rule.id, risk_class=rule.risk_class, family=rule.family, notice=rule.notice, calm=not certain
            )
        if not any(rule.id in fired for fired in self._by_turn.values()) and rule.risk_class >= RiskClass.R4:
            self._mention(rule, parts)

    def _excepted(self, rule: Rule) -> dict[int, list[Match]]:
        """What `unless` has found, by sentence."""
        found: dict[int, list[Match]] = {}
        possible = self._found.possible
        for pattern in rule.unless:
            if pattern in possible:
                for match in self._found.of(pattern):
                    found.setdefault(self._sentence(match), []).append(match)
        return found

    def _is_excepted(self, match: Match, exceptions: Mapping[int, Sequence[Match]]) -> bool:
        """Whether an exception stands in the same sentence, and in the same clause or near by."""
        if not exceptions:
            return False
        return any(self._is_near(each, match) for each in exceptions.get(self._sentence(match), ()))

    def _is_near(self, one: Match, other: Match) -> bool:
        first, last = (one, other) if one.start <= other.start else (other, one)
        apart = last.start - first.end
        return apart <= _EXCEPTS_NEAR or True not in self._text.words.commas[first.end : last.start + 1]

    def _part(self, rule: Rule, group: Sequence[Pattern], exceptions: Mapping[int, Sequence[Match]]) -> _Part:
        meant: list[Match] = []
        covered: list[tuple[Match, str]] = []
        assert self._scopes is not None, "phrases were found"
        possible = self._found.possible
        for pattern in group:
            if pattern in possible:
                for match in self._found.of(pattern):
                    if exceptions and self._is_excepted(match, exceptions):
                        continue
                    kind = self._scopes.covering(match, rule.scope)
                    if kind is None:
                        meant.append(match)
                    else:
                        covered.append((match, kind))
        return _Part(meant, covered)

    def _turns_of(self, parts: list[list[Match]], rule: Rule) -> dict[int, bool]:
        """The turns in which a match of every part stands close enough, the last of them in that turn; whether it is
        certain that every part is meant now, not said of what may be over."""
        if not all(parts):
            return {}
        by_start = [{match.start: match for match in part} for part in parts]
        starts = [sorted(part) for part in by_start]
        sure = [
            [at for at in own if not self._unclear(part[at], rule)] for own, part in zip(starts, by_start, strict=True)
        ]
        turns: dict[int, bool] = {}
        for at in (at for own in starts for at in own):
            turn = self._text.words.turns[at]
            if not turns.get(turn) and self._meet(starts, at, turn):
                turns[turn] = self._meet(sure, at, turn)
        return turns

    def _meet(self, parts: Sequence[list[int]], at: int, turn: int) -> bool:
        """Whether each of some parts, given by sorted starts, stands near a place, in its turn or just before it."""
        span, turns = self._table.rule_span, self._text.words.turns
        for starts in parts:
            first, stop = bisect_left(starts, at - span), bisect_right(starts, at + span)
            if first == stop:
                return False
            if self._turns > 1 and not any(turn - _RULE_TURNS <= turns[i] <= turn for i in starts[first:stop]):
                return False
        return True

    def _unclear(self, match: Match, rule: Rule) -> str | None:
        """Only what could be past at all can be unclear."""
        assert self._scopes is not None, "phrases were found"
        return self._scopes.covering(match, (_UNCLEAR,)) if "past" in rule.scope else None

    def _mention(self, rule: Rule, parts: list[_Part]) -> None:
        """Talk about an emergency is no emergency, but earns one calm sentence on what to do if it is one."""
        if not all(part.meant or part.covered for part in parts):
            return
        for match, kind in (item for part in parts for item in part.covered):
            if kind in _TALKED_ABOUT:
                id_ = f"{_MENTION}.{rule.family}"
                self._by_turn.setdefault(self._turn(match), {}).setdefault(
                    id_, FiredRule(id=id_, risk_class=RiskClass.R0, family=rule.family, notice=_MENTION)
                )

    def _sentence(self, match: Match) -> int:
        return self._text.words.sentences[match.start]

    def _turn(self, match: Match) -> int:
        return self._text.words.turns[match.start]
