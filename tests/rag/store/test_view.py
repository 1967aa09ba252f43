"""What a search sees of the active version."""

from __future__ import annotations

from pathlib import Path

from rag.store import Store
from rag.types import Filters
from tests.corpora import document, ingest_path, write_documents
from tests.fakes.embedder import HashEmbedder


def test_filters_keep_matching_passages_only(store: Store, tmp_path: Path) -> None:
    docs = {
        "a": document("A", ("S", "Asthma in English."), lang="en", topic="lungs"),
        "b": document("B", ("S", "Asthma auf Deutsch."), lang="de", topic="lungs"),
        "c": document("C", ("S", "Asthma and skin."), lang="en", topic="skin", organization="Other Org"),
    }
    embedder = HashEmbedder()
    ingest_path(store, embedder, write_documents(tmp_path / "docs", docs))
    view = store.views.get("health")

    def kept(**filters: tuple[str, ...]) -> set[str]:
        rows = view.rows(Filters(**filters))
        assert rows is not None
        return {store.corpus.chunks([int(view.keys[r])])[int(view.keys[r])].doc_id for r in rows}

    assert kept(languages=("en",)) == {"a", "c"}
    assert kept(languages=("en",), topics=("lungs",)) == {"a"}
    assert kept(organizations=("Other Org",)) == {"c"}
    assert kept(languages=("fr",)) == set()
    assert view.rows(Filters()) is None
