"""Runs in the form of TREC, for any other tool: `query Q0 document rank score tag`, one line per ranked document."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

__all__ = ["Run", "write_runs"]

Run = Mapping[str, Mapping[str, float]]
"""{query: {document: score}}, higher is better."""


def write_runs(path: Path, runs: Mapping[str, Run]) -> None:
    """Writes runs by tag, one after the other; spaces in a tag or an id become underscores."""
    lines = []
    for tag, run in runs.items():
        for query, scores in run.items():
            ranked = sorted(scores, key=lambda document: (-scores[document], document))
            for rank, document in enumerate(ranked, start=1):
                fields = (query, "Q0", document, str(rank), f"{scores[document]:.6f}", tag)
                lines.append(" ".join("_".join(field.split()) for field in fields))
    path.write_text("\n".join(lines) + ("\n" if lines else ""), encoding="utf-8")
