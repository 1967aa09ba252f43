"""Safety rules as data: loads `rules/<language>.toml`, checks it, compiles it once.

A table opens with `language`, `version`, `reviewed_by`, and holds

    [sets]            named phrases, used as @name
    [spelling]        expand, typos, slips (words whose misspellings are generated), real (words that are no slip)
    [numbers]         number words; [units] the words that make a number an age, a temperature, a count, a dose
    [scope.<kind>]    frames of negated, past, third_person, education, hypothetical, product
    [conversation]    phrases that resolve an emergency, refer back to it, or change the subject
    [[rule]]          id, class, family, all / any / unless, scope, notice, source, matches, passes
                      and where needed: lines (crisis, poison), refuse

Notation of a pattern (words are compared after `normalize`: case, accents, hyphens, contractions are gone):

    chest pain        these words in this order, within one sentence
    (pain|hurts)      one of them; an alternative may have several words
    [my]              may be missing
    bleed*            any word that begins so
    ~4                a gap of up to four words, at most ~10; it does not step over the table's `gap_stops` (not, no)
    ^ … $             beginning and end of a sentence
    @chest            the set called chest
    {n>=10}           a number; {n:tablets>=10} a number of tablets (a count named in [units.counts]);
                      {temp>=38} a temperature in °C, Fahrenheit is converted; {age<3mo} an age with d, wk, mo or y;
                      {mg>=4000} a dose in milligrams. The comparison may be missing, or be two: {n>=50<=89}.
    胸が痛*            scripts without spaces: a phrase stands for its characters in a row

A rule fires when every pattern of `all` and at least one of `any` matches within some forty words, none of these
matches is covered by a scope the rule names, and no `unless` matches in the same sentence.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from safety.normalize import Spelling, misspellings
from safety.notation import PatternError, parse
from safety.numbers import Units
from safety.patterns import Pattern, PatternIndex
from safety.scope import KINDS, Scope
from safety.types import RiskClass

__all__ = ["RULES", "Conversation", "Rule", "RuleTable", "RuleTableError", "Source", "load_table", "ruleset_hash"]

RULES: Traversable = resources.files("safety") / "rules"

LINES = frozenset({"crisis", "poison"})
# Own examples a rule must bring; the tests run all of them.
MIN_EXAMPLES = 6
# A frame that reached further would cover whole paragraphs of text pasted without full stops.
MAX_REACH = 15

_REQUIRED = ("id", "class", "family", "notice", "source", "matches", "passes")
_OPTIONAL = ("all", "any", "unless", "scope", "lines", "refuse")


class RuleTableError(Exception):
    """A table that cannot be used. The message names the file, the rule and the field."""

    def __init__(self, file: str, where: str, field: str, problem: str) -> None:
        super().__init__(f"{file}: {where}: {field}: {problem}")
        self.file, self.where, self.field, self.problem = file, where, field, problem


@dataclass(frozen=True, kw_only=True)
class Source:
    organisation: str
    url: str


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One compiled rule. `scope` are the kinds of scope that switch it off."""

    id: str
    risk_class: RiskClass
    family: str
    all: tuple[Pattern, ...]
    any: tuple[Pattern, ...]
    unless: tuple[Pattern, ...]
    scope: tuple[str, ...]
    notice: str
    source: Source
    matches: tuple[str, ...]
    passes: tuple[str, ...]
    lines: frozenset[str]
    refuse: bool


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """Phrases the conversation's memory looks for: see `memory.py`."""

    resolved: tuple[Pattern, ...] = ()
    back: tuple[Pattern, ...] = ()
    asks: tuple[Pattern, ...] = ()
    personal: tuple[Pattern, ...] = ()

    def patterns(self) -> tuple[Pattern, ...]:
        return self.resolved + self.back + self.asks + self.personal


@dataclass(frozen=True, kw_only=True)
class RuleTable:
    """A language's rules, ready to match. `digest` is the SHA-256 of the file."""

    language: str
    version: str
    reviewed_by: str
    rules: tuple[Rule, ...]
    scopes: Mapping[str, Scope]
    conversation: Conversation
    spelling: Spelling
    units: Units
    gap_stops: frozenset[str]
    rule_index: PatternIndex
    scope_index: PatternIndex
    talk_index: PatternIndex
    digest: str


def load_table(path: Traversable) -> RuleTable:
    """The compiled table of one file. Raises `RuleTableError` on anything unclear, before the service starts."""
    content = path.read_bytes()
    try:
        data = tomllib.loads(content.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RuleTableError(path.name, "table", "toml", str(error)) from error
    return _Reader(path.name, data).table(hashlib.sha256(content).hexdigest())


def ruleset_hash(digests: Mapping[str, str]) -> str:
    """SHA-256 over the tables, by name: the version of the rules that stands in receipts."""
    lines = "".join(f"{name} {digest}\n" for name, digest in sorted(digests.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


class _Reader:
    """Reads one parsed file. Keeps its name and sets, so that every complaint can say where."""

    def __init__(self, file: str, data: Mapping[str, Any]) -> None:
        self._file = file
        self._data = data
        self._sets: dict[str, str] = {}
        self._parsed: dict[str, Pattern] = {}

    def table(self, digest: str) -> RuleTable:
        for key in ("language", "version", "reviewed_by"):
            if not isinstance(self._data.get(key), str):
                raise self._error("table", key, "must be a text")
        self._sets = {
            name: "|".join(self._texts(self._data.get("sets", {}), name, "sets")) for name in self._data.get("sets", {})
        }
        rules = tuple(self._rules())
        scopes = {kind: self._scope(kind) for kind in self._data.get("scope", {})}
        conversation = self._conversation()
        patterns = [p for rule in rules for p in (*rule.all, *rule.any, *rule.unless)]
        framing = [p for scope in scopes.values() for p in scope.patterns()]
        known = frozenset(word for p in (*patterns, *framing, *conversation.patterns()) for word in p.vocabulary())
        return RuleTable(
            language=self._data["language"],
            version=self._data["version"],
            reviewed_by=self._data["reviewed_by"],
            rules=rules,
            scopes=scopes,
            conversation=conversation,
            spelling=self._spelling(known),
            units=self._units(),
            gap_stops=frozenset(self._texts(self._data, "gap_stops", "table")),
            rule_index=PatternIndex(patterns),
            scope_index=PatternIndex(framing),
            talk_index=PatternIndex(conversation.patterns()),
            digest=digest,
        )

    def _rules(self) -> Iterator[Rule]:
        entries = self._data.get("rule", [])
        if not isinstance(entries, list) or not entries:
            raise self._error("table", "rule", "at least one [[rule]] is needed")
        seen: set[str] = set()
        for number, entry in enumerate(entries, 1):
            where = str(entry.get("id") or f"rule {number}")
            if where in seen:
                raise self._error(where, "id", "is used twice")
            seen.add(where)
            yield self._rule(entry, where)

    def _rule(self, entry: Mapping[str, Any], where: str) -> Rule:
        for key in _REQUIRED:
            if key not in entry:
                raise self._error(where, key, "is missing")
        for key in entry:
            if key not in _REQUIRED + _OPTIONAL:
                raise self._error(where, key, "is not a field of a rule")
        if not (entry.get("all") or entry.get("any")):
            raise self._error(where, "all", "`all` or `any` must hold a pattern")
        if not str(entry["id"]).startswith(f"{entry['family']}."):
            raise self._error(where, "id", "must begin with the family and a full stop")
        examples = {key: self._texts(entry, key, where) for key in ("matches", "passes")}
        for key, texts in examples.items():
            if len(texts) < MIN_EXAMPLES:
                raise self._error(where, key, f"needs at least {MIN_EXAMPLES} examples, has {len(texts)}")
        return Rule(
            id=entry["id"],
            risk_class=self._class(entry["class"], where),
            family=self._text(entry, "family", where),
            all=self._patterns(entry, "all", where),
            any=self._patterns(entry, "any", where),
            unless=self._patterns(entry, "unless", where),
            scope=self._chosen(entry.get("scope", []), KINDS, where, "scope"),
            notice=self._text(entry, "notice", where),
            source=self._source(entry["source"], where),
            matches=examples["matches"],
            passes=examples["passes"],
            lines=frozenset(self._chosen(entry.get("lines", []), tuple(LINES), where, "lines")),
            refuse=self._flag(entry.get("refuse", False), where, "refuse"),
        )

    def _class(self, value: object, where: str) -> RiskClass:
        if not isinstance(value, str) or value not in RiskClass.__members__:
            raise self._error(where, "class", f"{value!r} is none of R0 to R5")
        return RiskClass[value]

    def _flag(self, value: object, where: str, key: str) -> bool:
        if not isinstance(value, bool):
            raise self._error(where, key, "must be true or false")
        return value

    def _source(self, value: object, where: str) -> Source:
        if not isinstance(value, dict) or not {"organisation", "url"} <= value.keys():
            raise self._error(where, "source", "must be {organisation = …, url = …}")
        organisation, url = str(value["organisation"]).strip(), str(value["url"])
        if not organisation or not url.startswith(("https://", "http://")):
            raise self._error(where, "source", f"{url!r} is not a web address")
        return Source(organisation=organisation, url=url)

    def _scope(self, kind: str) -> Scope:
        entry = self._data["scope"][kind]
        where = f"scope.{kind}"
        if kind not in KINDS:
            raise self._error(where, "scope", f"is none of {', '.join(KINDS)}")
        for key in ("reach", "reach_back"):
            if not isinstance(entry.get(key), int) or not 0 <= entry[key] <= MAX_REACH:
                raise self._error(where, key, f"must be a number of words from 0 to {MAX_REACH}")
        return Scope(
            before=self._patterns(entry, "before", where),
            after=self._patterns(entry, "after", where),
            never=self._patterns(entry, "never", where),
            breaks=self._patterns(entry, "breaks", where),
            cancels=self._patterns(entry, "cancels", where),
            joins=frozenset(self._texts(entry, "joins", where)),
            reach=entry["reach"],
            reach_back=entry["reach_back"],
            breaks_inside=self._flag(entry.get("breaks_inside", False), where, "breaks_inside"),
            stops_at_comma=self._flag(entry.get("stops_at_comma", False), where, "stops_at_comma"),
            leads_clause=self._flag(entry.get("leads_clause", False), where, "leads_clause"),
        )

    def _conversation(self) -> Conversation:
        entry = self._data.get("conversation", {})
        lists = {key: self._patterns(entry, key, "conversation") for key in ("resolved", "back", "asks", "personal")}
        return Conversation(**lists)

    def _spelling(self, known: frozenset[str]) -> Spelling:
        entry = self._data.get("spelling", {})
        where = "spelling"
        typos: dict[str, tuple[str, ...]] = {}
        real = known | frozenset(self._texts(entry, "real", where))
        for word in self._texts(entry, "slips", where):
            typos |= dict.fromkeys(misspellings(word, real), (word,))
        typos |= {wrong: tuple(right.split()) for wrong, right in entry.get("typos", {}).items()}
        expand = {short: tuple(long.split()) for short, long in entry.get("expand", {}).items()}
        numbers = {word: float(value) for word, value in self._data.get("numbers", {}).items()}
        return Spelling(expand=expand, typos=typos, known=known | frozenset(numbers), numbers=numbers)

    def _units(self) -> Units:
        entry = self._data.get("units", {})
        names = ("age_after", "age_before", "fever", "celsius", "fahrenheit", "degrees", "ones")
        sets = {name: frozenset(self._texts(entry, name, "units")) for name in names}
        counts = {name: frozenset(words) for name, words in entry.get("counts", {}).items()}
        return Units(
            age=entry.get("age", {}),
            age_short=entry.get("age_short", {}),
            mass=entry.get("mass", {}),
            counts=counts,
            **sets,
        )

    def _patterns(self, entry: Mapping[str, Any], key: str, where: str) -> tuple[Pattern, ...]:
        try:
            return tuple(self._pattern(source) for source in self._texts(entry, key, where))
        except PatternError as error:
            raise self._error(where, key, str(error)) from error

    def _pattern(self, source: str) -> Pattern:
        """The pattern of a source; the same source is one pattern, matched once for all rules that use it."""
        if source not in self._parsed:
            self._parsed[source] = parse(source, self._sets)
        return self._parsed[source]

    def _texts(self, entry: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
        value = entry.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
            raise self._error(where, key, "must be a list of texts")
        return tuple(value)

    def _text(self, entry: Mapping[str, Any], key: str, where: str) -> str:
        value = entry[key]
        if not isinstance(value, str) or not value.strip():
            raise self._error(where, key, "must be a text")
        return value

    def _chosen(self, value: object, allowed: tuple[str, ...], where: str, key: str) -> tuple[str, ...]:
        if not isinstance(value, list):
            raise self._error(where, key, "must be a list")
        for item in value:
            if item not in allowed:
                raise self._error(where, key, f"{item!r} is none of {', '.join(sorted(allowed))}")
        return tuple(value)

    def _error(self, where: str, field: str, problem: str) -> RuleTableError:
        return RuleTableError(self._file, where, field, problem)
