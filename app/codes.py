"""Language and country codes as people send them. A ValueError says the accepted form and not what was sent."""

from __future__ import annotations

import re

__all__ = ["parse_country", "parse_language"]

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*")
_COUNTRY = re.compile(r"[A-Za-z]{2}")


def parse_language(value: str) -> str:
    """The primary language in lower case: "pt-BR" is "pt"."""
    if not _LANGUAGE.fullmatch(value):
        raise ValueError("a language code such as en or pt-BR")
    return re.split("[-_]", value)[0].lower()


def parse_country(value: str) -> str:
    """Two letters in upper case."""
    if not _COUNTRY.fullmatch(value):
        raise ValueError("a two-letter country code such as DE")
    return value.upper()
