"""What a check of the corpus finds."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MOST", "Fault"]

MOST = 20
"""Faults named of one kind: more would hide what else is wrong."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """`part` is what is wrong: file, rows, manifest, fts or vectors."""

    part: str
    what: str
