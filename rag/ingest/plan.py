"""Compares the documents of the input with the active version: what to stage, what to remove, what stays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rag.ingest.passage import document_hash
from rag.ingest.records import Document
from rag.ingest.report import Outcome, Tally
from rag.store.rows import KnownDocument
from rag.store.staging import Staging

__all__ = ["Plan", "Todo", "make_plan"]


@dataclass(frozen=True, kw_only=True)
class Todo:
    """A document to stage: its hash, the outcome that was told, and the published row that it replaces, if any."""

    document: Document
    version: str
    outcome: Outcome
    old: int | None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What comparing the input with the active version found."""

    todo: tuple[Todo, ...]
    staged_already: int
    removed: tuple[int, ...]

    @property
    def changes(self) -> bool:
        return bool(self.todo or self.staged_already or self.removed)


def make_plan(documents: Sequence[Document], staging: Staging, tally: Tally) -> Plan:
    """Tells each document's outcome, and forgets staged documents that the input no longer has."""
    known = staging.known()
    active = {doc_id: row for doc_id, row in known.items() if not row.staged}
    active |= _active_under_staged(staging, known)
    first: dict[str, str] = {}
    seen: set[str] = set()
    replaced: set[str] = set()
    todo: list[Todo] = []
    staged_already = 0
    for document in documents:
        original = first.setdefault(document.identity_hash, document.doc_id)
        if original != document.doc_id:
            tally.add(document.doc_id, "duplicate", original)
            continue
        seen.add(document.doc_id)
        version = document_hash(document)
        was, row = active.get(document.doc_id), known.get(document.doc_id)
        if was is not None and was.content_hash == version:
            tally.add(document.doc_id, "unchanged")
            if was.lapsed:
                todo.append(Todo(document=document, version=version, outcome="unchanged", old=None))
            elif row is not None and row.staged:
                staging.drop_staged([document.doc_id])
            continue
        outcome: Outcome = "created" if was is None else "replaced"
        tally.add(document.doc_id, outcome)
        if was is not None:
            replaced.add(document.doc_id)
        if row is not None and row.staged and row.content_hash == version:
            staged_already += 1
        else:
            old = None if was is None else was.row
            todo.append(Todo(document=document, version=version, outcome=outcome, old=old))
    staging.drop_staged([doc_id for doc_id, row in known.items() if row.staged and doc_id not in seen])
    gone = _gone(active, seen, tally)
    return Plan(
        todo=tuple(todo),
        staged_already=staged_already,
        removed=tuple(active[doc_id].row for doc_id in (*sorted(replaced), *gone)),
    )


def _active_under_staged(staging: Staging, known: Mapping[str, KnownDocument]) -> dict[str, KnownDocument]:
    """The published rows of documents for which a newer row is staged."""
    if not any(row.staged for row in known.values()):
        return {}
    return {doc_id: row for doc_id, row in staging.known(staged=False).items() if known[doc_id].staged}


def _gone(active: Mapping[str, KnownDocument], seen: set[str], tally: Tally) -> list[str]:
    """Documents that the input no longer has. They are kept while part of the input could not be read."""
    missing = sorted(set(active) - seen)
    for doc_id in missing:
        tally.add(doc_id, "kept" if tally.bad else "removed")
    return [] if tally.bad else missing
