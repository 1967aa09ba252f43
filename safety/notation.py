"""Reads the phrase notation of the rule tables; `rules.py` documents it. A phrase is read once, when a table loads."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Set
from typing import Any

from safety.normalize import Spelling, normalize
from safety.numbers import MONTHS
from safety.patterns import Capture, Choice, Edge, Gap, Part, Pattern, Word, may_be_empty, may_begin_with_gap

__all__ = ["MAX_GAP", "Notation", "PatternError", "parse"]

# Longest gap a pattern may ask for: ten words, or the twenty-four characters that ten words of Thai or Japanese are.
# Set by judgement, not measured.
MAX_GAP = 24
# Sets may name sets, but not for ever; four levels are more than any table uses.
_MAX_DEPTH = 12

_TOKEN = re.compile(r"\s*(?:(\{[^{}]*\})|(~\d+)|(@[a-z0-9_]+)|([()|\[\]^$])|([^\s(){}|\[\]~@^$]+))")
_BOUND = r"(<=|>=|<|>|=)(\d+(?:\.\d+)?)(d|wk|mo|y)?"
_CAPTURE = re.compile(rf"\{{(n:[a-z_]+|n|temp|age|mg)(?:{_BOUND})?(?:{_BOUND})?\}}")
_COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq,
}  # fmt: skip


class PatternError(ValueError):
    """A pattern that cannot be read; the message says what is wrong with it."""


def parse(source: str, sets: Mapping[str, str]) -> Pattern:
    """The pattern written as `source`; `sets` are the table's named phrases, written without their `@`."""
    return Notation(sets).pattern(source)


class Notation:
    """Reads the patterns of one table. Equal words and named sets become one object, which is then looked at once."""

    def __init__(self, sets: Mapping[str, str], *, elision: bool = False) -> None:
        self._sets = sets
        self._spelling = Spelling(elision=elision)
        self._words: dict[tuple[frozenset[Any], ...], Word] = {}
        self._tokens: dict[str, list[Part]] = {}
        self._named: dict[str, Part] = {}
        self._patterns: dict[str, Pattern] = {}

    def pattern(self, source: str) -> Pattern:
        """The pattern of a source; raises `PatternError`."""
        if source not in self._patterns:
            self._patterns[source] = self._read(source)
        return self._patterns[source]

    def _read(self, source: str) -> Pattern:
        # Wrapped in brackets, so that "a b|c" may stand on its own.
        tokens = [*_tokens(source), ")"]
        part, rest = self._choice(tokens, 0, 0, optional=False)
        parts = part.options[0] if isinstance(part, Choice) and len(part.options) == 1 else (part,)
        if rest != len(tokens):
            raise PatternError(f"unexpected {tokens[rest]!r} in {source!r}")
        if may_be_empty(parts) or may_begin_with_gap(parts):
            raise PatternError(f"{source!r} may begin with a gap or match nothing; begin with a word")
        return Pattern(source=source, parts=parts)

    def _sequence(self, tokens: list[str], i: int, depth: int) -> tuple[tuple[Part, ...], int]:
        if depth > _MAX_DEPTH:
            raise PatternError("nested too deeply; does a set name itself?")
        parts: list[Part] = []
        while i < len(tokens) and tokens[i] not in {")", "]", "|"}:
            token = tokens[i]
            i += 1
            if token in {"(", "["}:
                alternatives, i = self._choice(tokens, i, depth, optional=token == "[")
                parts.append(alternatives)
            elif token in {"^", "$"}:
                parts.append(Edge(token == "^"))
            elif token.startswith("~"):
                parts.append(_gap(token))
            elif token.startswith("{"):
                parts.append(_capture(token))
            elif token.startswith("@"):
                parts.append(self._set(token[1:], depth))
            else:
                parts.extend(self._written(token))
        return tuple(parts), i

    def _choice(self, tokens: list[str], i: int, depth: int, *, optional: bool) -> tuple[Part, int]:
        closing = "]" if optional else ")"
        options: list[tuple[Part, ...]] = []
        while True:
            parts, i = self._sequence(tokens, i, depth + 1)
            if not parts:
                raise PatternError("an alternative must not be empty; write [ ] for an optional part")
            options.append(parts)
            if i >= len(tokens):
                raise PatternError(f"a {closing!r} is missing")
            i += 1
            if tokens[i - 1] == "|":
                continue
            if tokens[i - 1] != closing:
                raise PatternError(f"{tokens[i - 1]!r} closes nothing")
            return self._merge(options, optional=optional), i

    def _merge(self, options: list[tuple[Part, ...]], *, optional: bool) -> Part:
        """One set look-up for alternatives of single words; the rest stays a choice."""
        texts: set[tuple[str, str]] = set()
        stems: set[tuple[str, str]] = set()
        infixes: set[str] = set()
        others: list[tuple[Part, ...]] = []
        for option in options:
            if len(option) == 1 and isinstance(option[0], Word):
                texts |= option[0].texts
                stems |= option[0].stems
                infixes |= option[0].infixes
            else:
                others.append(option)
        if texts or stems or infixes:
            word = self._word(texts, stems, infixes)
            if not others and not optional:
                return word
            others.insert(0, (word,))
        return Choice.of(others, optional=optional)

    def _set(self, name: str, depth: int) -> Part:
        if name not in self._sets:
            raise PatternError(f"no set is called {name!r}")
        if name not in self._named:
            tokens = _tokens(f"({self._sets[name]})")
            part, rest = self._choice(tokens, 1, depth + 1, optional=False)
            if rest != len(tokens):
                raise PatternError(f"unbalanced brackets in the set {name!r}")
            self._named[name] = part
        return self._named[name]

    def _written(self, token: str) -> list[Part]:
        """A word or `stem*`; a phrase of a script without spaces becomes one part per character."""
        if token not in self._tokens:
            self._tokens[token] = self._parts(token)
        return self._tokens[token]

    def _parts(self, token: str) -> list[Part]:
        stem = token.endswith("*")
        infix = stem and token.startswith("*")
        plain = token.strip("*")
        if plain.isascii() and plain.isalpha():
            pieces = [(plain.casefold(), "")]
        else:
            words = normalize([plain], self._spelling)
            pieces = list(zip(words.texts, words.marks, strict=True))
        if not pieces or (stem and len(pieces[-1][0]) < 2 and pieces[-1][0].isascii()):
            raise PatternError(f"{token!r} is not a word")
        if token.startswith("*") and (not infix or len(pieces) != 1 or len(pieces[0][0]) < 3):
            raise PatternError(f"{token!r}: an infix is one word of three letters or more between two stars")
        parts: list[Part] = [self._word({piece}, set()) for piece in pieces]
        if infix:
            parts[-1] = self._word(set(), set(), {pieces[-1][0]})
        elif stem:
            parts[-1] = self._word(set(), {pieces[-1]})
        return parts

    def _word(self, texts: set[tuple[str, str]], stems: set[tuple[str, str]], infixes: Set[str] = frozenset()) -> Word:
        key = (frozenset(texts), frozenset(stems), frozenset(infixes))
        word = self._words.get(key)
        if word is None:
            word = self._words[key] = Word(len(self._words), *key)
        return word


def _tokens(source: str) -> list[str]:
    tokens, position = [], 0
    text = source.strip()
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            raise PatternError(f"cannot read {text[position:]!r} in {source!r}")
        tokens.append(found.group().strip())
        position = found.end()
    if not tokens:
        raise PatternError("a pattern must not be empty")
    return tokens


def _gap(token: str) -> Part:
    limit = int(token[1:])
    if not 1 <= limit <= MAX_GAP:
        raise PatternError(f"{token!r}: a gap is ~1 to ~{MAX_GAP}")
    return Gap(limit)


def _capture(token: str) -> Part:
    found = _CAPTURE.fullmatch(token.replace(" ", ""))
    if found is None:
        raise PatternError(f"{token!r} is not a number capture such as {{temp>=38}} or {{n>=50<=89}}")
    kind, *parts = found.groups()
    bounds = []
    for sign, number, unit in (parts[:3], parts[3:]):
        if sign is None:
            continue
        if unit is not None and kind != "age":
            raise PatternError(f"{token!r}: only ages have a unit")
        if kind == "age" and unit is None:
            raise PatternError(f"{token!r}: an age needs d, wk, mo or y")
        bounds.append((_COMPARE[sign], round(float(number) * (MONTHS[unit] if unit else 1.0), 5)))
    return Capture(kind, tuple(bounds))
