"""The whole SQLite file. Nothing outside this package speaks SQL."""

from __future__ import annotations

from pathlib import Path

from rag.protocols import EmbedderInfo
from rag.store.connection import Database, DatabaseError, as_store_error
from rag.store.corpus import Corpus, Source, Version
from rag.store.embed_cache import EmbedCache
from rag.store.jobs import Job, Jobs
from rag.store.keywords import Keywords
from rag.store.receipts import Receipts
from rag.store.view import View, Views

__all__ = ["Database", "DatabaseError", "Job", "Source", "Store", "Version", "View", "as_store_error"]


class Store:
    """The database and its parts, opened for one embedding model (None: keyword-only)."""

    def __init__(self, path: Path | str, info: EmbedderInfo | None) -> None:
        self.db = Database(path)
        self.corpus = Corpus(self.db)
        self.keywords = Keywords(self.db)
        self.keywords.bring_up_to_date()
        self.receipts = Receipts(self.db)
        self.jobs = Jobs(self.db)
        self.views = Views(self.db, self.corpus, info.model_id if info else None)
        self.embed_cache = EmbedCache(self.db, info.model_id) if info else None

    def close(self) -> None:
        self.db.close()
