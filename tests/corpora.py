"""Small corpora that tests write to a folder of their own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rag.ingest.records import Defaults
from rag.ingest.run import IngestReport, IngestRequest, ingest
from rag.protocols import Embedder
from rag.store import Store

__all__ = ["document", "ingest_path", "qa_records", "write_documents", "write_jsonl"]


def document(title: str, *sections: tuple[str, str], **front: str) -> str:
    """A Markdown document with front matter; `sections` are (heading, text)."""
    values = {"title": title, "organization": "Test Health Service", "url": "https://example.org/page", **front}
    head = "\n".join(f"{key}: {json.dumps(value)}" for key, value in values.items())
    body = "\n\n".join(f"## {heading}\n\n{text}" for heading, text in sections)
    return f"---\n{head}\n---\n# {title}\n\n{body}\n"


def write_documents(folder: Path, documents: Mapping[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in documents.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


def write_jsonl(path: Path, records: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records), encoding="utf-8")
    return path


def qa_records(count: int, *, first: int = 0) -> list[dict[str, Any]]:
    """Question/answer records about made-up conditions, each with a text of its own."""
    return [
        {
            "doc_id": f"qa-{number:05}",
            "question": f"What are the symptoms of Syndrome {number}?",
            "answer": f"Syndrome {number} causes mark{number} rashes. People with Syndrome {number} often feel tired. "
            f"A doctor can test for Syndrome {number} with sample {number % 7}.",
            "organization": "Test Institute",
            "url": f"https://example.org/{number}",
        }
        for number in range(first, first + count)
    ]


def ingest_path(
    store: Store,
    embedder: Embedder | None,
    path: Path,
    *,
    collection: str = "health",
    source: str = "test",
    **more: Any,
) -> IngestReport:
    request = {key: more.pop(key) for key in ("corpus_version", "keyword_only", "limits") if key in more}
    return ingest(
        store,
        embedder,
        IngestRequest(path=path, collection=collection, source=source, defaults=Defaults(licence="CC0 1.0"), **request),
        **more,
    )
