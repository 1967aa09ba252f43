"""Three small documents, an embedder that counts, and what is found of a corpus."""

from __future__ import annotations

from collections.abc import Sequence

from rag.protocols import EmbedKind, FloatMatrix
from rag.store import Store
from tests.corpora import document
from tests.fakes.embedder import HashEmbedder

__all__ = ["BASICS", "Counting", "doc_ids", "keyword_hits", "vector_hits", "vitamin"]


class Counting(HashEmbedder):
    """Counts the passages that it embeds; fails from the `fail_at`-th on."""

    def __init__(self, fail_at: int | None = None, **more: str) -> None:
        super().__init__(**more)  # type: ignore[arg-type]
        self.embedded, self.fail_at = 0, fail_at

    def embed(self, texts: Sequence[str], kind: EmbedKind) -> FloatMatrix:
        self.embedded += len(texts)
        if self.fail_at is not None and self.embedded >= self.fail_at:
            raise OSError("the power went out")
        return super().embed(texts, kind)


BASICS = {
    "asthma": document("Asthma", ("Symptoms", "Asthma causes wheezing."), ("Treatment", "Inhalers treat asthma.")),
    "eczema": document("Eczema", ("Symptoms", "Eczema makes skin itchy and dry.")),
    "gout": document("Gout", ("Symptoms", "Gout causes sudden pain in a joint.")),
}


def doc_ids(store: Store, collection: str = "health") -> set[str]:
    view = store.views.get(collection)
    return {chunk.doc_id for chunk in store.corpus.chunks(view.keys.tolist()).values()}


def keyword_hits(store: Store, text: str) -> set[str]:
    view = store.views.get("health")
    keys = [key for key, _ in store.keywords.search(text, 50, view.keys, view.indexed)]
    return {chunk.doc_id for chunk in store.corpus.chunks(keys).values()}


def vector_hits(store: Store, embedder: HashEmbedder, text: str, limit: int = 50) -> set[str]:
    view = store.views.get("health")
    assert view.index is not None
    hits = view.index.search(embedder.embed([text], "query")[0], limit)
    return {chunk.doc_id for chunk in store.corpus.chunks([key for key, _ in hits]).values()}


def vitamin(name: str, chunk_id: str, text: str) -> dict[str, str]:
    return {"doc_id": name, "doc_title": name, "organization": "Org", "text": text, "chunk_id": chunk_id}
