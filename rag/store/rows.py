"""What an ingest hands to the store and gets from it, row by row."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["KnownDocument", "NewChunk", "NewDocument", "Pending"]


@dataclass(frozen=True, kw_only=True)
class NewDocument:
    doc_id: str
    content_hash: str
    identity_hash: str
    hierarchy_rank: int
    lang: str
    topic: str
    title: str
    organization: str
    url: str | None
    version_date: str | None
    licence: str
    jurisdiction: str | None
    doc_type: str | None
    effective_from: str | None
    date_seen: str | None


@dataclass(frozen=True, kw_only=True)
class NewChunk:
    """`content_hash` covers what is embedded (title, heading, text): equal hashes share a vector."""

    chunk_id: str
    ordinal: int
    heading: str
    text: str
    tokens: int
    content_hash: str


@dataclass(frozen=True, kw_only=True)
class KnownDocument:
    """A document that the source already has: row key, hash, and whether it is only staged.

    `lapsed` marks one that the active version has but a later, rolled-back one had removed: its row cannot come back,
    so to stay it must be staged anew.
    """

    row: int
    content_hash: str
    staged: bool
    lapsed: bool


@dataclass(frozen=True, kw_only=True)
class Pending:
    """A chunk that has no vector of the model yet."""

    row: int
    content_hash: str
    title: str
    heading: str
    text: str
