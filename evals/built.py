"""Databases made of public sets, for evaluation only: built once, kept beside the graph in CACHE_DIR."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from app.components import Components, open_components
from app.settings import Settings
from evals.world import environment
from rag.ingest.records import Defaults
from rag.ingest.request import IngestRequest
from rag.ingest.run import ingest

__all__ = ["built", "cache_folder"]


def cache_folder(settings: Settings) -> Path:
    folder = settings.cache_dir / "evals"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def built(name: str, collection: str, records: Iterable[Mapping[str, str]]) -> Iterator[Components]:
    """The program over records of ingest's own form, as source `name`. What was built before is taken again."""
    settings = environment()
    lines = "".join(json.dumps(record, ensure_ascii=False, sort_keys=True) + "\n" for record in records)
    key = sha256(f"{collection}\n{settings.embedder}\n{lines}".encode()).hexdigest()[:16]
    path = cache_folder(settings) / f"{name}-{key}.db"
    settings = replace(settings, db_path=path, seed_db=None)
    with tempfile.TemporaryDirectory() as folder, open_components(settings, publish=False) as components:
        source = Path(folder) / f"{name}.jsonl"
        source.write_text(lines, encoding="utf-8")
        ingest(
            components.store,
            components.embedder,
            IngestRequest(
                path=source, collection=collection, source=name, defaults=Defaults(organization="public set")
            ),
        )
        yield components
