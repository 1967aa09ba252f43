"""The safety floor's verdict on a turn: reads the conversation, lets every rule speak, the highest class wins.

Pure computation. Tables are read once by `Assessor.load`; nothing is read, sent or remembered afterwards.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping, Sequence
from importlib.resources.abc import Traversable

from safety.board import Board, Text
from safety.compiled import remembered
from safety.memory import AFTER_CRISIS, BESIDE_CRISIS, carried
from safety.normalize import normalize, pieces
from safety.numbers import read_quantities
from safety.patterns import Pattern
from safety.reading import Finding, Reading
from safety.router import Router
from safety.rules import RULES, RuleTable, RuleTableError, load_table, ruleset_hash
from safety.sanitize import MAX_CHARS, clip
from safety.texts import HELPLINES, TEXTS, Helpline, Texts, load_helplines, load_texts
from safety.types import EmergencyText, FiredRule, Patient, RiskAssessment, RiskClass

__all__ = ["Assessor"]

# Earlier turns are scanned from the newest back, up to as many characters as one full message: a conversation of
# ordinary length (100 turns of 200 characters) is scanned whole, and the cost of a turn stays bounded.
_MEMORY_CHARS = MAX_CHARS
_MEMORY_TURNS = 100
# One message keeps this much when it is an earlier one, so that a pasted letter does not push out the others.
_EARLIER_CHARS = 4_000
_MENTION = "mention"
_GENERAL = "emergency"
_INSIDE = "gi_bleed"
_REFUSES = "refuse_"
# Families that the first aid of another one serves; those not named here or in the texts get the general steps.
_STEPS_OF = {
    "choking": "breathing", "seizure": "unconscious", "drowning": "unconscious", "child": "severe_child",
    "postpartum": "pregnancy", "labour": "pregnancy", "ectopic": "pregnancy", "meningitis": "sepsis",
    "electrocution": "electric_shock", "carbon_monoxide": "poisoning",
}  # fmt: skip


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
        self.tables = tables
        self._texts = texts
        self._helplines = helplines
        self._language = language
        self._rules = {rule.id: rule for table in tables.values() for rule in table.rules}
        self._router = Router(tables, {name: _phrases(found) for name, found in texts.items()})
        self.ruleset = ruleset_hash(
            {f"rules/{name}": table.digest for name, table in tables.items()} | dict(digests or {})
        )

    @classmethod
    def load(cls, language: str = "en") -> Assessor:
        """All tables of the package; `language` is the one used where a turn names none.

        Raises `RuleTableError` when a table cannot be used: better no start than a silent floor.
        """
        return _loaded(language)

    @classmethod
    def compiled(cls, language: str = "en") -> Assessor:
        """As `load`, from the tables themselves."""
        tables = {name: load_table(path) for name, path in _tables(RULES)}
        texts = {name: load_texts(path) for name, path in _tables(TEXTS)}
        files = {f"texts/{name}": path for name, path in _tables(TEXTS)} | {"helplines": HELPLINES}
        digests = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}
        return cls(tables, texts, load_helplines(), language=language, digests=digests)

    def assess(
        self, user_turns: Sequence[str], *, language: str | None = None, patient: Patient | None = None
    ) -> RiskAssessment:
        """The verdict on the last of `user_turns`; the earlier ones, oldest first, count as memory.

        All languages of the tables are understood, whichever is declared. `patient` is what a client may say of the
        person: it helps a rule that the person's own words have begun, and sets off none by itself.
        Never raises on any text. An empty sequence is R0.
        """
        turns = [pieces(turn) for turn in _bounded(user_turns)]
        if not turns:
            return RiskAssessment(risk_class=RiskClass.R0, language=self._spoken(language))
        fired: dict[str, FiredRule] = {}
        own: set[str] = set()
        spoken: list[tuple[RiskClass, str]] = []
        facts = self._facts(patient)
        routes = self._router.routes(turns, facts, self._spoken(language))
        for name, route in routes.items():
            reading = Reading(self.tables[name], route.turns, route.rules, facts.get(name, frozenset()))
            per_turn = [tuple(reading.fired(turn)) for turn in range(len(turns))]
            own |= {rule.id for rule in per_turn[-1]}
            said = (*carried(per_turn, reading.talk()), *per_turn[-1])
            spoken += [(rule.risk_class, name if route.spoken else self._spoken(language)) for rule in said]
            for rule in said:
                known = fired.get(rule.id)
                if known is None or (known.risk_class, not known.calm) < (rule.risk_class, not rule.calm):
                    fired[rule.id] = rule
        return self._verdict(tuple(fired.values()), own, self._answered_in(language, spoken), tuple(routes))

    def explain(
        self, user_turns: Sequence[str], *, language: str | None = None, patient: Patient | None = None
    ) -> list[Finding]:
        """Every phrase of a rule that was found in the last turn, with what became of it."""
        turns = [pieces(turn) for turn in _bounded(user_turns)]
        facts = self._facts(patient)
        return [
            finding
            for name, route in self._router.routes(turns, facts, self._spoken(language)).items()
            for finding in Reading(self.tables[name], route.turns, route.rules, facts.get(name, frozenset())).findings()
        ]

    def emergency_text(self, assessment: RiskAssessment, country: str | None) -> EmergencyText:
        """The fixed words for an emergency or a crisis, with what to dial in `country` (ISO code or None)."""
        texts = self._texts[assessment.language]
        line = self._helplines.get((country or "").strip().upper())
        local = texts.sentences["local_number"]
        if not assessment.banner:
            return self._calm_text(assessment, texts, line)
        families = list(dict.fromkeys(r.family for r in assessment.fired if r.risk_class >= RiskClass.R4))
        first = _first_aid_family(assessment.fired, families)
        key = "banner_crisis" if first == "suicide" else "banner"
        sentences = [texts.sentences[key].format(number=line.medical if line else local)]
        if assessment.fired:
            notice = texts.notices.get(assessment.fired[0].notice)
            sentences = [notice, *sentences] if notice else sentences
        family = _STEPS_OF.get(first, first)
        steps = texts.steps[family if family in texts.steps else _GENERAL].steps
        numbers, lines = _lines(assessment, texts, line)
        return EmergencyText(banner=" ".join(sentences), numbers=numbers, steps=(*steps, *lines))

    def _calm_text(self, assessment: RiskAssessment, texts: Texts, line: Helpline | None) -> EmergencyText:
        """An emergency that may be over, or a crisis spoken of before: the line to call, without the alarm."""
        numbers, lines = _lines(assessment, texts, line)
        keys = [rule.notice for rule in assessment.fired[:1]]
        if assessment.risk_class >= RiskClass.R4:
            keys.append(_MENTION)
        sentences = [*lines, *(texts.notices.get(key, "") for key in keys)]
        return EmergencyText(banner=" ".join(s for s in sentences if s), numbers=numbers, steps=())

    def notice(self, assessment: RiskAssessment) -> str:
        """The short sentence that goes with an assessment without banner; "" where none is needed."""
        if assessment.banner or not assessment.fired:
            return ""
        return self._texts[assessment.language].notices.get(assessment.fired[0].notice, "")

    def refusal(self, assessment: RiskAssessment) -> str:
        """What is said to a request that is not served: the words of the rule that refuses, and where help is."""
        texts = self._texts[assessment.language]
        for rule in assessment.fired:
            if rule.id in self._rules and self._rules[rule.id].refuse and rule.notice.startswith(_REFUSES):
                return texts.notices[rule.notice]
        return texts.sentences["refusal"]

    def text(self, key: str, *, language: str | None = None) -> str:
        """A fixed sentence by its key, such as "disclaimer" or "refusal". Raises `KeyError` on an unknown key."""
        return self._texts[self._spoken(language)].sentences[key]

    def _verdict(
        self, fired: tuple[FiredRule, ...], own: set[str], language: str, names: tuple[str, ...]
    ) -> RiskAssessment:
        ordered = tuple(sorted(fired, key=lambda rule: (-rule.risk_class, rule.calm)))
        risk = ordered[0].risk_class if ordered else RiskClass.R0
        lines = {line for rule in ordered if rule.id in self._rules for line in self._rules[rule.id].lines}
        return RiskAssessment(
            risk_class=risk,
            fired=ordered,
            banner=any(rule.risk_class >= RiskClass.R4 and not rule.calm for rule in ordered),
            crisis_line="crisis" in lines,
            poison_line="poison" in lines,
            refused=any(self._rules[id_].refuse for id_ in own if id_ in self._rules),
            language=language,
            read_as=names,
        )

    def _answered_in(self, declared: str | None, spoken: Sequence[tuple[RiskClass, str]]) -> str:
        """The language of the fixed texts: the declared one, or that of the gravest rule if the declared has none."""
        spoken = [item for item in spoken if item[0] > RiskClass.R0]
        if not spoken or any(name == self._spoken(declared) for _, name in spoken):
            return self._spoken(declared)
        return self._spoken(max(spoken)[1])

    def _facts(self, patient: Patient | None) -> dict[str, frozenset[Pattern]]:
        """By language, the patterns that a patient context satisfies."""
        if patient is None:
            return {}
        return {name: facts for name, table in self.tables.items() if (facts := _facts_of(table, patient))}

    def _spoken(self, language: str | None) -> str:
        primary = (language or self._language).split("-")[0].casefold()
        return primary if primary in self._texts else self._language


@functools.cache
def _loaded(language: str) -> Assessor:
    return remembered(Assessor, f"assessor-{language}", lambda: Assessor.compiled(language))


def _phrases(texts: Texts) -> list[str]:
    """All fixed sentences of a language: they show what its words are."""
    steps = (step for family in texts.steps.values() for step in family.steps)
    return [*texts.sentences.values(), *texts.notices.values(), *steps]


def _facts_of(table: RuleTable, patient: Patient) -> frozenset[Pattern]:
    facts = table.patient
    said = [*patient.conditions, *patient.medications, *patient.allergies]
    if patient.pregnant and facts.pregnant:
        said.append(facts.pregnant)
    if patient.age is not None and facts.age:
        said.append(facts.age.format(months=round(patient.age * 12)))
    words = normalize(said, table.spelling)
    board = Board(Text(words, read_quantities(words, table.units), table.gap_stops), table.lexicon)
    found = table.rule_index.on(board)
    return frozenset(pattern for pattern in facts.patterns if found.of(pattern))


def _lines(assessment: RiskAssessment, texts: Texts, line: Helpline | None) -> tuple[dict[str, str], list[str]]:
    """What to dial, by purpose, and the sentences about the crisis and the poison line."""
    local = texts.sentences["local_number"]
    numbers = {"emergency": line.emergency if line else local}
    if line and line.ambulance:
        numbers["ambulance"] = line.ambulance
    sentences = []
    for wanted, purpose in ((assessment.crisis_line, "crisis"), (assessment.poison_line, "poison")):
        if wanted:
            number = getattr(line, purpose, None)
            if number:
                numbers[purpose] = number
            key = f"{purpose}_line" if number else f"{purpose}_line_unknown"
            sentences.append(texts.sentences[key].format(number=number or local))
    return numbers, sentences


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
    """Every notice a rule names exists, and there are steps for a family that has none of its own."""
    for rule in table.rules:
        if rule.notice not in texts.notices:
            raise RuleTableError(f"{table.language}.toml", rule.id, "notice", f"{texts.file} has no {rule.notice!r}")
    if _GENERAL not in texts.steps:
        raise RuleTableError(texts.file, "steps", _GENERAL, "is missing")
    for key in (_MENTION, AFTER_CRISIS, BESIDE_CRISIS):
        if key not in texts.notices:
            raise RuleTableError(texts.file, "notices", key, "is missing")


def _first_aid_family(fired: Sequence[FiredRule], families: Sequence[str]) -> str:
    """Whose first-aid steps are shown: the most severe rule's family, but no pressing on a wound that is not there."""
    if not families:
        return ""
    if families[0] == "bleeding" and "pregnancy" in families:
        return "pregnancy"
    return _INSIDE if fired[0].id in _NO_WOUND else families[0]
