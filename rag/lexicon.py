"""What people type, in twenty languages, and the names under which English sources speak of it.

`data/lexicon/<lang>.toml` holds terms: `canonical` (English names, " | " between them), `kind`, and the `forms` that
people type. A table is read when its language is first met. Matching is on whole words without case and accents,
longest form first; in scripts without spaces a form matches anywhere.
"""

from __future__ import annotations

import re
import threading
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rag.errors import LexiconError
from rag.text import fold
from rag.words import words

__all__ = ["KINDS", "Lexicon", "Match", "Term"]

KINDS = frozenset([
    "condition", "symptom", "drug", "drug_class", "test", "procedure", "body", "substance", "person", "question", "law",
])  # fmt: skip

_COMMON = frozenset(["question", "person"])
"""Kinds of English terms whose names are everyday words: only their forms are looked for."""

_UNSPACED = frozenset(["zh", "ja", "th"])
_MARKS = "\u0300-\u036f\u064b-\u0655\u0670\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e"
_WORD = rf"(?:[^\W_]|[{_MARKS}])+"
_TOKEN = re.compile(rf"{_WORD}(?:[&'’+@]{_WORD})*")
_LETTERS = str.maketrans(dict(zip("أإآٱىیکةۃہłđıøð", "ااااييكهههldiod", strict=True)) | {"œ": "oe", "æ": "ae", "ँ": "ं"})
"""Letters that people write in two ways, or without the stroke that Unicode does not take for an accent."""
_ELIDED_TOKEN = re.compile(rf"{_WORD}(?:[&+@]{_WORD})*")
_ELIDED = frozenset(["fr", "it"])
"""Languages in which an apostrophe parts two words: "dell'ictus"."""

_PREFIX = 3
"""Stems ("migrän*") are looked up by this many first letters; they are never shorter."""


@dataclass(frozen=True)
class Term:
    """`names` are what English sources call it, the most usual first."""

    names: tuple[str, ...]
    kind: str


@dataclass(frozen=True)
class Match:
    """A form found at `text[start:end]`."""

    term: Term
    start: int
    end: int


@dataclass(frozen=True)
class _Form:
    tokens: tuple[str, ...]
    stem: bool  # the last token is a beginning
    term: Term


class Lexicon:
    """Reads the tables of a folder. Immutable but for tables not read yet; safe to share between threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._tables: dict[str, _Table] = {}
        self._lock = threading.Lock()

    def matches(self, text: str, languages: Sequence[str]) -> tuple[Match, ...]:
        """The terms of a text, in order and without overlap; where two languages differ the earlier one's stand."""
        found: list[Match] = []
        for language in dict.fromkeys(languages):
            for match in self._table(language).find(text):
                if all(match.end <= other.start or other.end <= match.start for other in found):
                    found.append(match)
        return tuple(sorted(found, key=lambda match: match.start))

    def terms(self, language: str) -> tuple[Term, ...]:
        """All terms of a language; empty where there is no table."""
        return self._table(language).terms

    def words(self, language: str) -> frozenset[str]:
        """The words of all names of a language's terms."""
        table = self._table(language)
        return frozenset(word for term in table.terms for name in term.names for word in words(name))

    def _table(self, language: str) -> _Table:
        table = self._tables.get(language)
        if table is None:
            with self._lock:
                table = self._tables.get(language)
                if table is None:
                    path = self._folder / f"{language}.toml"
                    table = _read(path, language) if path.is_file() else _Table((), (), unspaced=False)
                    self._tables[language] = table
        return table


class _Table:
    def __init__(
        self, terms: Iterable[Term], forms: Iterable[_Form], *, unspaced: bool, token: re.Pattern[str] = _TOKEN
    ) -> None:
        self.terms = tuple(terms)
        self._unspaced, self._token = unspaced, token
        self._whole: dict[str, list[_Form]] = defaultdict(list)
        self._stems: dict[str, list[_Form]] = defaultdict(list)
        for form in forms:
            if unspaced:
                self._whole[form.tokens[0][0]].append(form)
            elif form.stem and len(form.tokens) == 1:
                self._stems[form.tokens[0][:_PREFIX]].append(form)
            else:
                self._whole[form.tokens[0]].append(form)
        for group in (*self._whole.values(), *self._stems.values()):
            group.sort(key=lambda form: (-len(form.tokens), -sum(map(len, form.tokens)), form.stem))

    def find(self, text: str) -> Iterator[Match]:
        return self._find_anywhere(text) if self._unspaced else self._find_words(text)

    def _find_words(self, text: str) -> Iterator[Match]:
        tokens = [
            (_key(match[0]), match.start(), match.end()) for match in self._token.finditer(text.replace("-", " "))
        ]
        words = [word for word, _, _ in tokens]
        at = 0
        while at < len(words):
            form = self._longest(words, at)
            if form is None:
                at += 1
                continue
            end = at + len(form.tokens)
            yield Match(form.term, tokens[at][1], tokens[end - 1][2])
            at = end

    def _longest(self, words: list[str], at: int) -> _Form | None:
        word = words[at]
        for form in self._whole.get(word, ()):
            if _reads(form, words, at):
                return form
        return next((form for form in self._stems.get(word[:_PREFIX], ()) if word.startswith(form.tokens[0])), None)

    def _find_anywhere(self, text: str) -> Iterator[Match]:
        folded, places = _folded_with_places(text)
        at = 0
        while at < len(folded):
            form = next((f for f in self._whole.get(folded[at], ()) if folded.startswith(f.tokens[0], at)), None)
            if form is None:
                at += 1
                continue
            end = at + len(form.tokens[0])
            yield Match(form.term, places[at], places[end - 1] + 1)
            at = end


def _reads(form: _Form, words: list[str], at: int) -> bool:
    end = at + len(form.tokens)
    if end > len(words):
        return False
    if not form.stem:
        return tuple(words[at:end]) == form.tokens
    return tuple(words[at : end - 1]) == form.tokens[:-1] and words[end - 1].startswith(form.tokens[-1])


def _folded_with_places(text: str) -> tuple[str, list[int]]:
    """The folded text without blanks, and where in `text` each of its characters comes from."""
    folded, places = [], []
    for place, character in enumerate(text):
        for part in fold(character).strip():
            folded.append(part)
            places.append(place)
    return "".join(folded), places


def _key(word: str) -> str:
    """A word as it is compared: folded, without apostrophes, letters of two forms in one."""
    return fold(word).replace("'", "").replace("’", "").translate(_LETTERS)


def _read(path: Path, language: str) -> _Table:
    """LexiconError names file, term and field."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise LexiconError(f"{path.name} is no valid TOML: {exc}.") from exc
    if table.get("language") != language:
        raise LexiconError(f"{path.name}: language must be {language!r}.")
    unspaced, token = language in _UNSPACED, _ELIDED_TOKEN if language in _ELIDED else _TOKEN
    terms: list[Term] = []
    forms: dict[tuple[tuple[str, ...], bool], _Form] = {}
    for number, row in enumerate(table.get("term", ()), 1):
        term = _term(row, f"{path.name}, term {number}")
        terms.append(term)
        own = term.names if language == "en" and term.kind not in _COMMON else ()
        for written in (*row["forms"], *own):
            stem = written.endswith("*")
            bare = written.rstrip("*")
            tokens = (
                (_folded_with_places(bare)[0],)
                if unspaced
                else tuple(_key(match[0]) for match in token.finditer(bare.replace("-", " ")))
            )
            if not tokens or not tokens[0] or (stem and len(tokens) == 1 and len(tokens[0]) < _PREFIX):
                raise LexiconError(f"{path.name}, term {number} ({term.names[0]}): form {written!r} holds no word.")
            forms.setdefault((tokens, stem), _Form(tokens, stem, term))
    return _Table(terms, forms.values(), unspaced=unspaced, token=token)


def _term(row: dict[str, object], place: str) -> Term:
    canonical, kind, forms = row.get("canonical"), row.get("kind"), row.get("forms")
    if not isinstance(canonical, str) or not all(name.strip() for name in canonical.split("|")):
        raise LexiconError(f"{place}: canonical must be English names with ' | ' between them.")
    if kind not in KINDS:
        raise LexiconError(f"{place} ({canonical}): kind must be one of {', '.join(sorted(KINDS))}.")
    if not isinstance(forms, list) or not forms or not all(isinstance(form, str) and form.strip() for form in forms):
        raise LexiconError(f"{place} ({canonical}): forms must be a list of words.")
    return Term(tuple(name.strip() for name in canonical.split("|")), str(kind))
