"""What an ingest hands to the store and gets from it, row by row, and the hashes that hold rows together."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

__all__ = ["KnownDocument", "NewChunk", "NewDocument", "Pending", "content_hash", "passage_text", "vector_digest"]

TITLE_LIMIT, HEADING_LIMIT = 300, 200
"""Characters of title and heading that are embedded with every passage, so that text fills the model's window."""


def passage_text(title: str, heading: str, text: str) -> str:
    """What is embedded for a passage: title, heading path and text on lines of their own."""
    return "\n".join(part for part in (title[:TITLE_LIMIT], heading[:HEADING_LIMIT], text) if part)


def content_hash(title: str, heading: str, text: str) -> str:
    """Names what is embedded: equal hashes share a vector."""
    return hashlib.sha256(passage_text(title, heading, text).encode("utf-8")).hexdigest()[:32]


def vector_digest(content: str, model_id: str, embedding: bytes) -> bytes:
    """16 bytes that bind a stored vector to the content hash and the model that it was made for."""
    return hashlib.blake2b(f"{content}\n{model_id}\n".encode() + embedding, digest_size=16).digest()


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
