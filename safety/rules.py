"""Safety rules as data: loads `rules/<language>.toml`, checks it, compiles it once.

A table opens with `language`, `version`, `reviewed_by`, and holds

    [sets]            named phrases, used as @name
    [spelling]        expand, typos, slips (words whose misspellings are generated), real (words that are no slip),
                      elision (an apostrophe stands between two words, as in French)
    [numbers]         number words; [units] the words that make a number an age, a temperature, a count, a dose
    [scope.<kind>]    frames of negated, past, third_person, education, hypothetical, product, and of `unclear`: what
                      may be over ("had", no time given) keeps its class and gets the calm notice, not the banner
    [conversation]    phrases that resolve an emergency, refer back to it, or change the subject
    [patient]         patterns that a structured patient context may satisfy
    [[rule]]          id, class, family, all / any / unless, scope, notice, source, matches, passes
                      and where needed: lines (crisis, poison), refuse. `source` is a key of safety/sources.toml or
                      {organisation, url}

and where it needs to: `gap_stops`, `rule_span` (words that the parts of a rule may stand apart).

Notation of a pattern (words are compared after `normalize`: case, accents, hyphens, contractions are gone):

    chest pain        these words in this order, within one sentence
    (pain|hurts)      one of them; an alternative may have several words
    [my]              may be missing
    bleed*            any word that begins so; *meza* any word that holds these letters
    ~4                a gap of up to four words (characters in scripts without spaces), at most ~24; it does not step
                      over the table's `gap_stops` (not, no)
    ^ … $             beginning and end of a sentence
    @chest            the set called chest
    {n>=10}           a number; {n:tablets>=10} a number of tablets (a count named in [units.counts]);
                      {temp>=38} a temperature in °C, Fahrenheit is converted; {age<3mo} an age with d, wk, mo or y;
                      {mg>=4000} a dose in milligrams. The comparison may be missing, or be two: {n>=50<=89}.
    胸が痛*            scripts without spaces: a phrase stands for its characters in a row

A word with accents is found with the same accents or with none; one without accents is found with any.

A rule fires when every pattern of `all` and at least one of `any` matches within `rule_span` words, none of these
matches is covered by a scope the rule names, and no `unless` matches in the same clause, or near it in its sentence.
"""

from __future__ import annotations

import functools
import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from safety.board import Lexicon, PatternIndex
from safety.normalize import Spelling, fold, misspellings
from safety.notation import Notation, PatternError
from safety.numbers import Units
from safety.patterns import Pattern
from safety.prefilter import Able
from safety.scope import KINDS, Scope
from safety.sources import RuleTableError, Source, load_sources
from safety.types import RiskClass

__all__ = [
    "RULES",
    "Conversation",
    "PatientFacts",
    "Rule",
    "RuleTable",
    "RuleTableError",
    "Source",
    "load_table",
    "ruleset_hash",
]

RULES: Traversable = resources.files("safety") / "rules"

LINES = frozenset({"crisis", "poison"})
# Own examples a rule must bring; the tests run all of them.
MIN_EXAMPLES = 3
# A frame that reached further would cover whole paragraphs of text pasted without full stops. Counted in characters
# where a script has no spaces.
MAX_REACH = 40
# Parts of one rule may stand this many words apart, over some turns ("my baby is 6 weeks old" … "she is hot").
# Measured 2026-11-30 on 635 single English alarms (0 missed at 20, 1 at 10) and on 60 pastes of 25 unrelated calm
# sentences (alarms: 16 at 20 words, 20 at 40, 25 at 80, 38 at 400). 40 leaves room for the wordy.
RULE_SPAN = 40

_REQUIRED = ("id", "class", "family", "notice", "source", "matches", "passes")
_OPTIONAL = ("all", "any", "unless", "scope", "lines", "refuse")


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

    @functools.cached_property
    def groups(self) -> tuple[tuple[Pattern, ...], ...]:
        """Of every group one pattern must match."""
        return (*((pattern,) for pattern in self.all), *((self.any,) if self.any else ()))


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
class PatientFacts:
    """Patterns that a structured patient context may satisfy, and the words for its fields."""

    patterns: tuple[Pattern, ...] = ()
    pregnant: str = ""
    age: str = ""


@dataclass(frozen=True, kw_only=True)
class RuleTable:
    """A language's rules, ready to match. `digest` is the SHA-256 of the file."""

    language: str
    version: str
    reviewed_by: str
    rules: tuple[Rule, ...]
    scopes: Mapping[str, Scope]
    conversation: Conversation
    patient: PatientFacts
    spelling: Spelling
    units: Units
    gap_stops: frozenset[str]
    rule_span: int
    rule_index: PatternIndex
    able: Able
    scope_index: PatternIndex
    talk_index: PatternIndex
    lexicon: Lexicon
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
        self._notation = Notation({})

    def table(self, digest: str) -> RuleTable:
        for key in ("language", "version", "reviewed_by"):
            if not isinstance(self._data.get(key), str):
                raise self._error("table", key, "must be a text")
        elision = self._flag(self._data.get("spelling", {}).get("elision", False), "spelling", "elision")
        sets = self._data.get("sets", {})
        self._notation = Notation({name: "|".join(self._texts(sets, name, "sets")) for name in sets}, elision=elision)
        rules = tuple(self._rules())
        scopes = {kind: self._scope(kind) for kind in self._data.get("scope", {})}
        conversation = self._conversation()
        patterns = [p for rule in rules for p in (*rule.all, *rule.any, *rule.unless)]
        framing = [p for scope in scopes.values() for p in scope.patterns()]
        known = frozenset(word for p in (*patterns, *framing, *conversation.patterns()) for word in p.vocabulary())
        lexicon = Lexicon((*patterns, *framing, *conversation.patterns()))
        index = PatternIndex(patterns, lexicon)
        return RuleTable(
            language=self._data["language"],
            version=self._data["version"],
            reviewed_by=self._data["reviewed_by"],
            rules=rules,
            scopes=scopes,
            conversation=conversation,
            patient=self._patient(),
            spelling=self._spelling(known, elision=elision),
            units=self._units(),
            gap_stops=self._folded(self._data, "gap_stops", "table"),
            rule_span=self._number(self._data.get("rule_span", RULE_SPAN), "table", "rule_span"),
            rule_index=index,
            able=Able([[index.numbers[p] for p in group] for group in rule.groups] for rule in rules),
            scope_index=PatternIndex(framing, lexicon),
            talk_index=PatternIndex(conversation.patterns(), lexicon),
            lexicon=lexicon,
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
        if isinstance(value, str):
            if value not in load_sources():
                raise self._error(where, "source", f"{value!r} is not in safety/sources.toml")
            return load_sources()[value]
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
            lists=self._patterns(entry, "lists", where),
            after=self._patterns(entry, "after", where),
            never=self._patterns(entry, "never", where),
            breaks=self._patterns(entry, "breaks", where),
            cancels=self._patterns(entry, "cancels", where),
            joins=self._folded(entry, "joins", where),
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

    def _patient(self) -> PatientFacts:
        entry = self._data.get("patient", {})
        return PatientFacts(
            patterns=self._patterns(entry, "facts", "patient"),
            pregnant=str(entry.get("pregnant", "")),
            age=str(entry.get("age", "")),
        )

    def _spelling(self, known: frozenset[str], *, elision: bool) -> Spelling:
        entry = self._data.get("spelling", {})
        where = "spelling"
        typos: dict[str, tuple[str, ...]] = {}
        real = known | self._folded(entry, "real", where)
        for word in self._folded(entry, "slips", where):
            typos |= dict.fromkeys(misspellings(word, real), (word,))
        typos |= {fold(wrong): tuple(fold(right).split()) for wrong, right in entry.get("typos", {}).items()}
        expand = {fold(short): tuple(fold(long).split()) for short, long in entry.get("expand", {}).items()}
        numbers = {fold(word): float(value) for word, value in self._data.get("numbers", {}).items()}
        return Spelling(expand=expand, typos=typos, known=known | frozenset(numbers), numbers=numbers, elision=elision)

    def _units(self) -> Units:
        entry = self._data.get("units", {})
        names = ("age_after", "age_before", "fever", "celsius", "fahrenheit", "degrees", "ones")
        sets = {name: self._folded(entry, name, "units") for name in names}
        counts = {name: frozenset(map(fold, words)) for name, words in entry.get("counts", {}).items()}
        return Units(
            age=self._by_word(entry, "age"),
            age_short=self._by_word(entry, "age_short"),
            mass=self._by_word(entry, "mass"),
            counts=counts,
            **sets,
        )

    def _by_word(self, entry: Mapping[str, Any], key: str) -> dict[str, Any]:
        return {fold(word): value for word, value in entry.get(key, {}).items()}

    def _patterns(self, entry: Mapping[str, Any], key: str, where: str) -> tuple[Pattern, ...]:
        """The patterns of a list; the same source is one pattern, matched once for all rules that use it."""
        try:
            return tuple(self._notation.pattern(source) for source in self._texts(entry, key, where))
        except PatternError as error:
            raise self._error(where, key, str(error)) from error

    def _folded(self, entry: Mapping[str, Any], key: str, where: str) -> frozenset[str]:
        return frozenset(map(fold, self._texts(entry, key, where)))

    def _number(self, value: object, where: str, key: str) -> int:
        if not isinstance(value, int) or value < 1:
            raise self._error(where, key, "must be a whole number above 0")
        return value

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
