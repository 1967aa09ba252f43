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
from rag.store.view import IndexKind, View, Views

__all__ = ["Database", "DatabaseError", "IndexKind", "Job", "Source", "Store", "Version", "View", "as_store_error"]


class Store:
    """The database and its parts, opened for one embedding model (None: keyword-only)."""

    def __init__(self, path: Path | str, info: EmbedderInfo | None, *, index: IndexKind = "resident") -> None:
        self.db = Database(path, vec0=index == "sqlite-vec")
        self.corpus = Corpus(self.db)
        self.keywords = Keywords(self.db)
        self.keywords.bring_up_to_date()
        self.receipts = Receipts(self.db)
        self.jobs = Jobs(self.db)
        self.views = Views(self.db, self.corpus, index)
        self.embed_caches: dict[str, EmbedCache] = {}
        if info is not None:
            self.serve_with(info)

    def serve_with(self, info: EmbedderInfo) -> None:
        """Lets a further model answer where the vectors of those before it are not complete."""
        self.views.models = (*self.views.models, info.model_id)
        self.embed_caches[info.model_id] = EmbedCache(self.db, info.model_id)

    @property
    def embed_cache(self) -> EmbedCache | None:
        """The cache of the model that the store was opened for."""
        return next(iter(self.embed_caches.values()), None)

    def close(self) -> None:
        self.db.close()
