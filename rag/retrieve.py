"""Finds candidate passages: a keyword leg, a vector leg, and their fusion. Knows nothing of answers or the web."""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from rag.fusion import reciprocal_rank_fusion
from rag.protocols import FloatMatrix
from rag.store import Store, View
from rag.thresholds import Fusion
from rag.types import Evidence, Query, Scores
from rag.words import topic_text

__all__ = ["Retrieval", "Retriever"]

POOL = 50
"""Candidates per leg (architecture)."""


@dataclass(frozen=True, kw_only=True)
class Retrieval:
    """Evidence, best first, with what the gate wants to know about the search.

    `coverage` is the share of the question's topic words, weighted by rarity, that each passage holds (same order as
    `evidence`); empty without topic words, or when the question is in a language that the corpus does not have.
    `margin` is given in that case: by how much the best document's cosine leads that of any other. `legs` names what
    ranked ("vector", "keyword"), `degraded` what could not take part.
    """

    evidence: tuple[Evidence, ...]
    coverage: tuple[float, ...] = ()
    margin: float | None = None
    legs: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()


def _leg_threads() -> ThreadPoolExecutor:
    """The product with the matrix runs beside the keyword leg: both let go of the interpreter while they work."""
    return ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="vector-leg")


@dataclass(frozen=True, kw_only=True)
class Retriever:
    """Searches one view. `fusion` holds the calibrated weights; `hybrid` False leaves the keyword leg out."""

    store: Store
    fusion: Fusion
    top_k: int = 6
    hybrid: bool = True
    _pool: int = field(default=POOL, repr=False)
    _beside: ThreadPoolExecutor = field(default_factory=_leg_threads, repr=False)

    def search(self, view: View, query: Query, vector: FloatMatrix | None, limit: int | None = None) -> Retrieval:
        """The best passages for a query. Blocking; `vector` None leaves the vector leg out."""
        limit = limit or self.top_k
        pool = max(self._pool, limit)
        rows = view.rows(query.filters)
        keys = view.keys if rows is None else view.keys[rows]
        nearest = None
        if view.index is not None and vector is not None:
            nearest = self._beside.submit(view.index.search, vector, pool, rows)
        keyword = (
            self.store.keywords.search(query.text, pool, keys, view.indexed)
            if nearest is None or (self.hybrid and _shares_language(view, query))
            else []
        )
        dense = nearest.result() if nearest is not None else None
        return self._fuse(view, query, vector, dense, keyword, limit)

    def _fuse(
        self,
        view: View,
        query: Query,
        vector: FloatMatrix | None,
        dense: list[tuple[int, float]] | None,
        keyword: list[tuple[int, float]],
        limit: int,
    ) -> Retrieval:
        legs = {"dense": [key for key, _ in dense or ()], "keyword": [key for key, _ in keyword]}
        weights = {"dense": self.fusion.dense, "keyword": self.fusion.keyword if dense is not None else 1.0}
        fused = reciprocal_rank_fusion(legs, weights, self.fusion.k)
        shortlist = sorted(fused, key=lambda key: (-fused[key], key))[: limit * 2]
        chunks = self.store.corpus.chunks(shortlist)
        ranked = sorted(
            (key for key in shortlist if key in chunks), key=lambda key: (-fused[key], chunks[key].chunk_id)
        )[:limit]
        cosine = view.index.cosines(vector, ranked) if view.index is not None and vector is not None else {}
        bm25 = dict(keyword)
        evidence = tuple(
            Evidence(
                chunk=chunks[key],
                scores=Scores(dense=cosine.get(key), keyword=bm25.get(key), fused=fused[key]),
            )
            for key in ranked
        )
        return Retrieval(
            evidence=evidence,
            coverage=self._coverage(view, query, evidence),
            margin=self._margin(dense) if dense and not _shares_language(view, query) else None,
            legs=tuple(name for name, ran in (("vector", dense is not None), ("keyword", bool(keyword))) if ran),
            degraded=() if dense is not None else ("vectors",),
        )

    def _margin(self, dense: list[tuple[int, float]]) -> float:
        """The lead of the best document over the next, in cosine; the whole cosine when there is no other."""
        chunks = self.store.corpus.chunks(key for key, _ in dense)
        first = chunks[dense[0][0]]
        for key, cosine in dense:
            if (chunks[key].source, chunks[key].doc_id) != (first.source, first.doc_id):
                return dense[0][1] - cosine
        return dense[0][1]

    def _coverage(self, view: View, query: Query, evidence: tuple[Evidence, ...]) -> tuple[float, ...]:
        if not _shares_language(view, query):
            return ()
        terms = self.store.keywords.terms(topic_text(query.text))
        frequency = self.store.keywords.frequencies(terms, view.indexed)
        weight = {term: _rarity(frequency[term], view.indexed) for term in terms}
        total = sum(weight.values())
        if not total:
            return ()
        held = [set(self.store.keywords.terms(f"{e.chunk.title}\n{e.chunk.heading}\n{e.chunk.text}")) for e in evidence]
        return tuple(sum(weight[t] for t in terms if t in words) / total for words in held)


def _shares_language(view: View, query: Query) -> bool:
    """Words find words of their own language only; across languages the keyword leg adds noise (docs/models.md)."""
    return query.language in view.codes.get("lang", {})


def _rarity(frequency: int, rows: int) -> float:
    """BM25's inverse document frequency; a word that no passage has counts as the rarest.

    The index also holds what an ingest has staged since the view was made, so a frequency can exceed `rows`.
    """
    frequency = min(frequency, rows)
    return max(0.0, math.log((rows - frequency + 0.5) / (frequency + 0.5)))
