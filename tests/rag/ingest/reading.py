"""Records to write and files to read back, for tests of the readers."""

from __future__ import annotations

import json

from rag.ingest.readers import read_source
from rag.ingest.records import BadRecord, Defaults, Document, Limits

__all__ = ["WHO", "answer", "chunk", "lines", "read"]

WHO = Defaults(organization="WHO")


def chunk(**fields):
    return {"doc_title": "Asthma", "organization": "WHO", "lang": "en", "topic": "lungs", "text": "Breathe."} | fields


def answer(**fields):
    return {"doc_id": "q1", "question": "What is asthma?", "answer": "A disease.", "organization": "WHO"} | fields


def lines(*records):
    return "\n".join(r if isinstance(r, str) else json.dumps(r, ensure_ascii=False) for r in records)


def read(path, content=None, defaults=WHO, **limits):
    """(documents, bad records as text) of a file with `content`."""
    if content is not None:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    items = list(read_source(path, defaults, Limits(**limits)))
    documents = [item for item in items if isinstance(item, Document)]
    return documents, [str(item) for item in items if isinstance(item, BadRecord)]
