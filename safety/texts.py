"""The fixed words of the floor and the numbers to dial, read once from data. No sentence here is ever generated.

`texts/<language>.toml`: [sentences], [notices], [steps.<family>] with `source` and `steps`; sources stand in
`sources.toml` by key.
`helplines.toml`: [country.XX] with emergency, ambulance, crisis, poison as far as they were checked, source, seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from string import Formatter
from typing import Any

from safety.sources import RuleTableError, Source, load_sources, read_source, read_toml

__all__ = ["HELPLINES", "TEXTS", "Helpline", "Steps", "Texts", "load_helplines", "load_texts"]

TEXTS: Traversable = resources.files("safety") / "texts"
HELPLINES: Traversable = resources.files("safety") / "helplines.toml"


# Every sentence a language must have, with the names that it must leave in curly brackets.
SENTENCES: Mapping[str, tuple[str, ...]] = {
    "banner": ("number",), "banner_crisis": ("number",), "local_number": (), "crisis_line": ("number",),
    "crisis_line_unknown": ("number",), "poison_line": ("number",), "poison_line_unknown": ("number",), "refusal": (),
    "disclaimer": (), "disclaimer_law": (), "source_language": (),
    "deferral": ("collection", "version", "passages", "how"), "how_both": (), "how_meaning": (), "how_keyword": (),
    "deferral_language": (), "deferral_topics": ("topics",), "deferral_advice": (), "deferral_advice_law": (),
    "degraded": (),
    "failed_missing": (), "failed_provider": (), "failed_internal": (), "card_greeting": (), "card_thanks": (),
    "card_identity": (), "card_abilities": (), "card_goodbye": (),
}  # fmt: skip
_NUMBERS = ("emergency", "ambulance", "crisis", "poison")


@dataclass(frozen=True, kw_only=True)
class Steps:
    """What to do in the next minutes, in order, and where that is said."""

    steps: tuple[str, ...]
    sources: tuple[Source, ...]


@dataclass(frozen=True, kw_only=True)
class Texts:
    """All fixed texts of one language."""

    language: str
    version: str
    reviewed_by: str
    sentences: Mapping[str, str]
    notices: Mapping[str, str]
    steps: Mapping[str, Steps]
    file: str


@dataclass(frozen=True, kw_only=True)
class Helpline:
    """What to dial in one country; a number that could not be checked is None.

    `ambulance` is set only where it differs from the general `emergency` number.
    """

    country: str
    emergency: str
    ambulance: str | None
    crisis: str | None
    poison: str | None
    sources: tuple[Source, ...]

    @property
    def medical(self) -> str:
        """The number that brings an ambulance without a detour over the police."""
        return self.ambulance or self.emergency


def load_texts(path: Traversable) -> Texts:
    """The texts of one file. Raises `RuleTableError` when a sentence or a source is missing."""
    data = read_toml(path)
    for key in ("language", "version", "reviewed_by"):
        if not isinstance(data.get(key), str):
            raise RuleTableError(path.name, "table", key, "must be a text")
    for section in ("sentences", "notices"):
        for key, value in data.get(section, {}).items():
            if not isinstance(value, str) or not value.strip():
                raise RuleTableError(path.name, section, key, "must be a text")
    sentences = data.get("sentences", {})
    for key, names in SENTENCES.items():
        if key not in sentences:
            raise RuleTableError(path.name, "sentences", key, "is missing")
        found = {name for _, name, _, _ in Formatter().parse(sentences[key]) if name is not None}
        if found != set(names):
            wanted = ", ".join(f"{{{name}}}" for name in names) or "nothing in curly brackets"
            raise RuleTableError(path.name, "sentences", key, f"must say {wanted}")
    sources = load_sources()
    steps = {family: _steps(path, family, row, sources) for family, row in data.get("steps", {}).items()}
    return Texts(
        language=data["language"],
        version=data["version"],
        reviewed_by=data["reviewed_by"],
        sentences=sentences,
        notices=data.get("notices", {}),
        steps=steps,
        file=path.name,
    )


def load_helplines(path: Traversable = HELPLINES) -> dict[str, Helpline]:
    """What to dial by ISO country code. Raises `RuleTableError` on a row without number or source."""
    data = read_toml(path)
    sources = {key: read_source(path, f"sources.{key}", row) for key, row in data.get("sources", {}).items()}
    return {code: _helpline(path, code, row, sources) for code, row in data.get("country", {}).items()}


def _named(path: Traversable, where: str, row: Mapping[str, Any], known: Mapping[str, Source]) -> tuple[Source, ...]:
    names = row.get("source", [])
    names = [names] if isinstance(names, str) else names
    if not names:
        raise RuleTableError(path.name, where, "source", "is missing")
    for name in names:
        if name not in known:
            raise RuleTableError(path.name, where, "source", f"{name!r} is not in sources.toml")
    return tuple(known[name] for name in names)


def _steps(path: Traversable, family: str, row: Mapping[str, Any], known: Mapping[str, Source]) -> Steps:
    where = f"steps.{family}"
    steps = row.get("steps")
    if not isinstance(steps, list) or not steps or not all(isinstance(s, str) and s.strip() for s in steps):
        raise RuleTableError(path.name, where, "steps", "must be a list of texts")
    return Steps(steps=tuple(steps), sources=_named(path, where, row, known))


def _helpline(path: Traversable, code: str, row: Mapping[str, Any], known: Mapping[str, Source]) -> Helpline:
    where = f"country.{code}"
    if not (len(code) == 2 and code.isascii() and code.isupper()):
        raise RuleTableError(path.name, where, "country", "must be two capital letters (ISO 3166)")
    if "emergency" not in row:
        raise RuleTableError(path.name, where, "emergency", "is missing")
    for key in _NUMBERS:
        if key in row and not str(row[key]).strip():
            raise RuleTableError(path.name, where, key, "must not be empty; leave it out instead")
    return Helpline(
        country=code,
        emergency=str(row["emergency"]),
        ambulance=row.get("ambulance"),
        crisis=row.get("crisis"),
        poison=row.get("poison"),
        sources=_named(path, where, row, known),
    )
