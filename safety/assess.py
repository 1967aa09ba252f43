"""The safety floor's verdict on a turn: reads the conversation, lets every rule speak, the highest class wins.

Pure computation. Tables are read once by `Assessor.load`; nothing is read, sent or remembered afterwards.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable

from safety.memory import AFTER_CRISIS, Talk, carried, read_talk
from safety.normalize import normalize
from safety.numbers import read_quantities
from safety.patterns import Match, Pattern, Text
from safety.rules import RULES, Rule, RuleTable, RuleTableError, load_table, ruleset_hash
from safety.sanitize import MAX_CHARS, clip
from safety.scope import Scopes
from safety.texts import HELPLINES, TEXTS, Helpline, Texts, load_helplines, load_texts
from safety.types import EmergencyText, FiredRule, RiskAssessment, RiskClass

__all__ = ["Assessor"]

# Earlier turns are scanned from the newest back, up to as many characters as one full message: a conversation of
# ordinary length (100 turns of 200 characters) is scanned whole, and the cost of a turn stays bounded.
_MEMORY_CHARS = MAX_CHARS
_MEMORY_TURNS = 100
# One message keeps this much when it is an earlier one, so that a pasted letter does not push out the others.
_EARLIER_CHARS = 4_000
# Parts of one rule may stand this many words apart, over this many turns back ("my baby is 6 weeks old" … "she is
# hot"). Measured 2026-11-30 on 635 single alarms (0 missed at 20, 1 at 10) and on 60 pastes of 25 unrelated calm
# sentences (alarms: 16 at 20 words, 20 at 40, 25 at 80, 38 at 400). 40 leaves room for the wordy.
_RULE_SPAN = 40
_RULE_TURNS = 2

_TALKED_ABOUT = frozenset({"education", "hypothetical", "third_person"})
_MENTION = "mention"


# Bleeding without a wound to press on: the bleeding family's first aid would be wrong.
_NO_WOUND = frozenset({"bleeding.vomiting_or_coughing_blood", "bleeding.black_stool_with_faintness"})


class Assessor:
    """Rules, texts and numbers, ready to judge turns. Immutable and safe to share between threads."""

    def __init__(
        self,
        tables: Mapping[str, RuleTable],
        texts: Mapping[str, Texts],
        helplines: Mapping[str, Helpline],
        *,
        language: str = "en",
        digests: Mapping[str, str] | None = None,
    ) -> None:
        if language not in tables or language not in texts:
            raise RuleTableError(f"{language}.toml", "table", "language", f"no rules or texts for {language!r}")
        for table in tables.values():
            _check_texts(table, texts.get(table.language, texts[language]))
        self._tables = tables
        self._texts = texts
        self._helplines = helplines
        self._language = language
        self._rules = {rule.id: rule for table in tables.values() for rule in table.rules}
        self.ruleset = ruleset_hash(
            {f"rules/{name}": table.digest for name, table in tables.items()} | dict(digests or {})
        )

    @classmethod
    def load(cls, language: str = "en") -> Assessor:
        """All tables of the package; `language` is the one used where a turn names none.

        Raises `RuleTableError` when a table cannot be used: better no start than a silent floor.
        """
        tables = {name: load_table(path) for name, path in _tables(RULES)}
        texts = {name: load_texts(path) for name, path in _tables(TEXTS)}
        files = {f"texts/{name}": path for name, path in _tables(TEXTS)} | {"helplines": HELPLINES}
        digests = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}
        return cls(tables, texts, load_helplines(), language=language, digests=digests)

    def assess(self, user_turns: Sequence[str], *, language: str | None = None) -> RiskAssessment:
        """The verdict on the last of `user_turns`; the earlier ones, oldest first, count as memory.

        Never raises on any text. An empty sequence is R0.
        """
        spoken = self._spoken(language)
        turns = _bounded(user_turns)
        if not turns:
            return RiskAssessment(risk_class=RiskClass.R0, language=spoken)
        fired: dict[str, FiredRule] = {}
        own: set[str] = set()
        for table in self._tables_for(language):
            reading = _Reading(table, turns)
            per_turn = [tuple(reading.fired(turn)) for turn in range(len(turns))]
            own |= {rule.id for rule in per_turn[-1]}
            for rule in (*carried(per_turn, reading.talk()), *per_turn[-1]):
                if rule.id not in fired or fired[rule.id].risk_class < rule.risk_class:
                    fired[rule.id] = rule
        return self._verdict(tuple(fired.values()), own, spoken)

    def emergency_text(self, assessment: RiskAssessment, country: str | None) -> EmergencyText:
        """The fixed words for an assessment with a banner, with what to dial in `country` (ISO code or None)."""
        texts = self._texts[assessment.language]
        line = self._helplines.get((country or "").strip().upper())
        local = texts.sentences["local_number"]
        families = list(dict.fromkeys(r.family for r in assessment.fired if r.risk_class >= RiskClass.R4))
        first = _first_aid_family(assessment.fired, families)
        key = "banner_crisis" if first == "suicide" else "banner"
        sentences = [texts.sentences[key].format(number=line.medical if line else local)]
        if assessment.fired:
            notice = texts.notices.get(assessment.fired[0].notice)
            sentences = [notice, *sentences] if notice else sentences
        steps = list(texts.steps[first].steps) if first in texts.steps else []
        numbers = {"emergency": line.emergency if line else local}
        if line and line.ambulance:
            numbers["ambulance"] = line.ambulance
        for wanted, purpose in ((assessment.crisis_line, "crisis"), (assessment.poison_line, "poison")):
            if wanted:
                number = getattr(line, purpose, None)
                if number:
                    numbers[purpose] = number
                key = f"{purpose}_line" if number else f"{purpose}_line_unknown"
                steps.append(texts.sentences[key].format(number=number or local))
        return EmergencyText(banner=" ".join(sentences), numbers=numbers, steps=tuple(steps))

    def notice(self, assessment: RiskAssessment) -> str:
        """The short sentence that goes with an assessment without banner; "" where none is needed."""
        if assessment.banner or not assessment.fired:
            return ""
        return self._texts[assessment.language].notices.get(assessment.fired[0].notice, "")

    def text(self, key: str, *, language: str | None = None) -> str:
        """A fixed sentence by its key, such as "disclaimer" or "refusal". Raises `KeyError` on an unknown key."""
        return self._texts[self._spoken(language)].sentences[key]

    def _verdict(self, fired: tuple[FiredRule, ...], own: set[str], language: str) -> RiskAssessment:
        ordered = tuple(sorted(fired, key=lambda rule: -rule.risk_class))
        risk = ordered[0].risk_class if ordered else RiskClass.R0
        lines = {line for rule in ordered if rule.id in self._rules for line in self._rules[rule.id].lines}
        return RiskAssessment(
            risk_class=risk,
            fired=ordered,
            banner=risk >= RiskClass.R4,
            crisis_line="crisis" in lines,
            poison_line="poison" in lines,
            refused=any(id_ in own and rule.refuse for id_, rule in self._rules.items()),
            language=language,
        )

    def _spoken(self, language: str | None) -> str:
        primary = (language or self._language).split("-")[0].casefold()
        return primary if primary in self._texts else self._language

    def _tables_for(self, language: str | None) -> list[RuleTable]:
        """The named language's table and the default one: people switch language in an alarm."""
        primary = (language or self._language).split("-")[0].casefold()
        names = dict.fromkeys((primary, self._language))
        return [self._tables[name] for name in names if name in self._tables]


@dataclass(frozen=True, slots=True)
class _Part:
    """The phrases that satisfy one part of a rule: those meant here and now, and why the others are not."""

    meant: list[Match]
    covered: list[tuple[Match, str]]


class _Reading:
    """One conversation read with one table: every phrase is found once, then each rule looks at its own."""

    def __init__(self, table: RuleTable, turns: Sequence[str]) -> None:
        words = normalize(turns, table.spelling)
        self._table = table
        self._turns = len(turns)
        self._text = Text(words, read_quantities(words, table.units), table.gap_stops)
        self._found = table.rule_index.find(self._text)
        # Scopes only matter beside a phrase; most messages have none.
        self._scopes = Scopes(table.scopes, table.scope_index, self._text) if self._found else None
        self._by_turn: dict[int, dict[str, FiredRule]] = {}
        if self._found:
            for rule in table.rules:
                self._apply(rule)

    def fired(self, turn: int) -> Iterator[FiredRule]:
        """The rules that fire in a turn, in the table's order."""
        yield from self._by_turn.get(turn, {}).values()

    def talk(self) -> list[Talk]:
        found = self._table.talk_index.find(self._text) if self._turns > 1 else {}
        return [read_talk(t, self._text, self._table.conversation, found) for t in range(self._turns)]

    def _apply(self, rule: Rule) -> None:
        groups = [[pattern] for pattern in rule.all] + ([list(rule.any)] if rule.any else [])
        if not all(any(pattern in self._found for pattern in group) for group in groups):
            return
        calm = {self._sentence(m) for pattern in rule.unless for m in self._found.get(pattern, ())}
        parts = [self._part(rule, group, calm) for group in groups]
        fires = self._turns_of([part.meant for part in parts])
        for turn in fires:
            self._by_turn.setdefault(turn, {})[rule.id] = FiredRule(
                id=rule.id, risk_class=rule.risk_class, family=rule.family, notice=rule.notice
            )
        if not fires and rule.risk_class >= RiskClass.R4:
            self._mention(rule, parts)

    def _part(self, rule: Rule, group: list[Pattern], calm: set[int]) -> _Part:
        meant: list[Match] = []
        covered: list[tuple[Match, str]] = []
        assert self._scopes is not None, "phrases were found"
        for match in (m for pattern in group for m in self._found.get(pattern, ())):
            if self._sentence(match) in calm:
                continue
            kind = self._scopes.covering(match, rule.scope)
            if kind is None:
                meant.append(match)
            else:
                covered.append((match, kind))
        return _Part(meant, covered)

    def _turns_of(self, parts: list[list[Match]]) -> set[int]:
        """The turns in which a match of every part stands close enough, the last of them in that turn."""
        if len(parts) == 1:
            return {self._turn(match) for match in parts[0]}
        turns = set()
        for anchor in (match for part in parts for match in part):
            turn = self._turn(anchor)
            near = (
                any(
                    abs(m.start - anchor.start) <= _RULE_SPAN and turn - _RULE_TURNS <= self._turn(m) <= turn
                    for m in part
                )
                for part in parts
            )
            if all(near):
                turns.add(turn)
        return turns

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


def _bounded(user_turns: Sequence[str]) -> list[str]:
    """The last turn and as many earlier ones as the budget allows, oldest first."""
    if not user_turns:
        return []
    kept = [clip(user_turns[-1], MAX_CHARS)]
    left = _MEMORY_CHARS
    for turn in reversed(user_turns[-_MEMORY_TURNS - 1 : -1]):
        text = clip(turn, _EARLIER_CHARS)
        left -= len(text)
        if left < 0:
            break
        kept.append(text)
    return kept[::-1]


def _tables(folder: Traversable) -> list[tuple[str, Traversable]]:
    """The tables of a folder by name, in a stable order."""
    files = (path for path in folder.iterdir() if path.name.endswith(".toml"))
    return sorted(((path.name.removesuffix(".toml"), path) for path in files), key=lambda item: item[0])


def _check_texts(table: RuleTable, texts: Texts) -> None:
    """Every notice a rule names exists, and every emergency family has its steps."""
    for rule in table.rules:
        if rule.notice not in texts.notices:
            raise RuleTableError(f"{table.language}.toml", rule.id, "notice", f"{texts.file} has no {rule.notice!r}")
        if rule.risk_class >= RiskClass.R4 and rule.family not in texts.steps:
            raise RuleTableError(f"{table.language}.toml", rule.id, "family", f"{texts.file} has no steps for it")
    for key in (_MENTION, AFTER_CRISIS):
        if key not in texts.notices:
            raise RuleTableError(texts.file, "notices", key, "is missing")


def _first_aid_family(fired: Sequence[FiredRule], families: Sequence[str]) -> str:
    """Whose first-aid steps are shown: the most severe rule's family, but no pressing on a wound that is not there."""
    if not families:
        return ""
    if families[0] == "bleeding" and "pregnancy" in families:
        return "pregnancy"
    return "emergency" if fired[0].id in _NO_WOUND else families[0]
