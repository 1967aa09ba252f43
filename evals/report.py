"""A report that names what it measured: models, corpus version, settings, sample size, intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from app.components import Components

__all__ = ["Report", "about"]


@dataclass
class Report:
    """Lines for people and values for programs. `failures` are gates that were not met."""

    title: str
    lines: list[str] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def say(self, line: str = "") -> None:
        self.lines.append(line)

    def table(self, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """A plain table, columns aligned."""
        cells = [list(map(str, head)), *[list(map(str, row)) for row in rows]]
        widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
        for number, row in enumerate(cells):
            self.say("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
            if number == 0:
                self.say("  " + "  ".join("-" * width for width in widths))

    def gate(self, name: str, value: float, *, at_least: float | None = None, at_most: float | None = None) -> None:
        """Notes a value against its threshold."""
        fine = (at_least is None or value >= at_least) and (at_most is None or value <= at_most)
        limit = f">= {at_least}" if at_least is not None else f"<= {at_most}"
        self.say(f"  {'ok  ' if fine else 'FAIL'}  {name}: {value:.4g} ({limit})")
        self.values[name] = value
        if not fine:
            self.failures.append(name)

    def text(self) -> str:
        verdict = [f"NOT MET: {', '.join(self.failures)}"] if self.failures else []
        return "\n".join([f"== {self.title}", *self.lines, *verdict, ""])

    def as_json(self) -> dict[str, Any]:
        return {"title": self.title, "values": self.values, "failures": self.failures, "lines": self.lines}


def about(components: Components, collection: str = "health") -> str:
    """One line on what was measured."""
    version = components.store.corpus.version(collection)
    embedder = components.embedder.info.model_id if components.embedder else "none"
    return (
        f"galen {components.parts.app_version}; {collection} {version.corpus_version} ({version.documents:,} "
        f"documents, {version.chunks:,} passages); embedder {embedder}; generator {components.parts.generator.model}; "
        f"rules {components.parts.assessor.ruleset[:12]}; thresholds {components.parts.thresholds.key}"
    )
