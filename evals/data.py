"""Where evaluation data is: the repository's own goldens, and public sets beside the project where present."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["GOLDENS", "SHARED", "goldens", "read_jsonl", "read_qrels", "shared"]

GOLDENS = Path(__file__).resolve().parent / "goldens"
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
"""The public sets lie beside the project's folder; none of their records is part of the repository."""


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def goldens(name: str, limit: int | None = None) -> list[dict[str, Any]]:
    """All cases of the golden files that match `name`, such as "retrieval/*.jsonl"."""
    cases = [case for path in sorted(GOLDENS.glob(name)) for case in read_jsonl(path)]
    return cases[:limit] if limit else cases


def shared(*parts: str) -> Path | None:
    """A file of a public set, or None if the set is not present."""
    path = SHARED.joinpath(*parts)
    return path if path.exists() else None


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """{query: {document: grade}} of a BEIR-style qrels.tsv."""
    qrels: dict[str, dict[str, int]] = {}
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        qrels.setdefault(query, {})[document] = int(grade)
    return qrels
