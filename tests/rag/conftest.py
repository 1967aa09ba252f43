"""A database with the documents of `turns`, published once and copied for each test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.store import Store
from tests.corpora import ingest_path, write_documents
from tests.fakes.embedder import HashEmbedder
from tests.rag.turns import DOCUMENTS


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the documents, to be copied."""
    folder = tmp_path_factory.mktemp("published")
    store = Store(folder / "galen.db", HashEmbedder().info)
    ingest_path(store, HashEmbedder(), write_documents(folder / "docs", DOCUMENTS))
    store.close()
    return folder / "galen.db"


@pytest.fixture
def filled(published: Path, tmp_path: Path) -> Iterator[Store]:
    store = Store(shutil.copyfile(published, tmp_path / "filled.db"), HashEmbedder().info)
    yield store
    store.close()
