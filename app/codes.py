"""Language and country codes as people send them. A ValueError says the accepted form and not what was sent."""

from __future__ import annotations

import re

from rag.language import OURS

__all__ = ["parse_country", "parse_language"]

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*")
_COUNTRY = re.compile(r"[A-Za-z]{2}")


def parse_language(value: str) -> str | None:
    """The primary language in lower case: "pt-BR" is "pt". None for one that Galen has no words of its own in: what
    was written tells the language then.
    """
    if not _LANGUAGE.fullmatch(value):
        raise ValueError("a language code such as en or pt-BR")
    language = re.split("[-_]", value)[0].lower()
    return language if language in OURS else None


def parse_country(value: str) -> str:
    """Two letters in upper case."""
    if not _COUNTRY.fullmatch(value):
        raise ValueError("a two-letter country code such as DE")
    return value.upper()
