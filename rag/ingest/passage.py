"""Documents and their pieces as the store takes them: rows, chunk ids and hashes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable

from rag.ingest.chunk import CHUNKER, Piece
from rag.ingest.records import Document
from rag.store.rows import NewChunk, NewDocument, content_hash

__all__ = ["document_hash", "new_chunks", "new_document"]


def document_hash(document: Document) -> str:
    """The document and how it is cut: another chunker makes other passages of the same text."""
    return hashlib.sha256(f"{CHUNKER}\n{document.content_hash}".encode()).hexdigest()[:32]


def new_document(document: Document, version: str) -> NewDocument:
    """The row of a document; `version` is its hash."""
    return NewDocument(
        doc_id=document.doc_id,
        content_hash=version,
        identity_hash=document.identity_hash,
        hierarchy_rank=document.hierarchy_rank,
        lang=document.lang,
        topic=document.topic,
        title=document.title,
        organization=document.organization,
        url=document.url,
        version_date=document.version_date,
        licence=document.licence,
        jurisdiction=document.jurisdiction,
        doc_type=document.doc_type,
        effective_from=document.effective_from,
        date_seen=document.date_seen,
    )


def new_chunks(document: Document, pieces: Iterable[Piece], collection: str, source: str) -> list[NewChunk]:
    """The rows of a document's pieces. An id that comes again gets a number."""
    used: Counter[str] = Counter()
    chunks = []
    for piece in pieces:
        chunk_id = piece.given_chunk_id or _chunk_id(document, piece, collection, source)
        used[chunk_id] += 1
        chunks.append(
            NewChunk(
                chunk_id=chunk_id if used[chunk_id] == 1 else f"{chunk_id}~{used[chunk_id]}",
                ordinal=piece.ordinal,
                heading=piece.heading,
                text=piece.text,
                tokens=piece.tokens,
                content_hash=content_hash(document.title, piece.heading, piece.text),
            )
        )
    return chunks


def _chunk_id(document: Document, piece: Piece, collection: str, source: str) -> str:
    parts = (collection, source, document.doc_id, str(piece.ordinal), piece.heading, piece.text)
    digest = hashlib.sha256("\x1f".join(parts).encode()).hexdigest()
    return f"{document.doc_id}:{digest[:12]}"
