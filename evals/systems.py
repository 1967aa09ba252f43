"""Everything that ranks in one run: the product's stack step by step, and other designs beside it.

A step or a design more is one line of `PRODUCT` or `BASELINES`. All rank documents by their best passage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from app.components import Components
from evals.baselines import healrag
from evals.baselines.bm25 import Bm25
from evals.baselines.cortexrag import CortexRag
from evals.baselines.minilm import MODEL_ID, MiniLM, missing
from evals.built import cache_folder
from evals.passages import Passages, kept_vectors, read_passages, within
from evals.sets import Case, RankingSet
from evals.trec import Run
from evals.world import asked, vectors_of
from rag.fusion import reciprocal_rank_fusion
from rag.protocols import FloatMatrix
from rag.rerank import rerank
from rag.store import View
from rag.types import Chunk, Query

__all__ = ["BASELINES", "PRODUCT", "Asked", "System", "World", "available", "final", "runs_of"]

DEPTH = 100
"""Passages ranked by the product, as in the retrieval suite."""

POOL = 50
"""Candidates per leg of the baselines."""


@dataclass(frozen=True, kw_only=True)
class World:
    """One corpus with what is made from it only when something asks for it."""

    components: Components
    collection: str
    source: str

    @cached_property
    def view(self) -> View:
        return self.components.store.views.get(self.collection)

    @cached_property
    def passages(self) -> Passages:
        return read_passages(self.components.store, self.view)

    @cached_property
    def bm25(self) -> Bm25:
        return Bm25(self.passages)

    @cached_property
    def chunk_of(self) -> dict[int, Chunk]:
        return {chunk.id: chunk for chunk in self.passages.chunks}

    @cached_property
    def texts(self) -> dict[int, str]:
        return {c.id: f"{c.title}\n{c.heading}\n{c.text}" for c in self.passages.chunks}

    @cached_property
    def cortexrag(self) -> CortexRag:
        """Over MiniLM, or over the product's model where MiniLM is missing; its name says which."""
        titles = {chunk.doc_id: chunk.title for chunk in self.passages.chunks}
        if len(set(titles.values())) == 1:  # candidates without a question of their own
            titles = {chunk.doc_id: chunk.text for chunk in reversed(self.passages.chunks)}
        settings = self.components.settings
        embed: Callable[[Sequence[str]], FloatMatrix]
        if reason := missing(settings.cache_dir):
            embedder = self.components.embedder
            if embedder is None:
                raise ValueError(f"CortexRAG's recipe needs a model: {reason}")
            name, model = "CortexRAG over e5", embedder.info.model_id
            embed = partial(embedder.embed, kind="query")
        else:
            name, model, embed = "CortexRAG", MODEL_ID, MiniLM(settings.cache_dir).embed
        vectors = kept_vectors(cache_folder(settings), model, list(titles.values()), embed)
        return CortexRag(name, list(titles), vectors, lambda text: embed([text])[0])


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One case in one world: `view` is the part that it may be answered from, `among` its documents (None: all)."""

    world: World
    case: Case
    view: View
    among: tuple[str, ...] | None

    @cached_property
    def query(self) -> Query:
        return asked(self.world.components, self.view, *self.case.before, self.case.text, lang=self.case.lang)

    @cached_property
    def plain(self) -> Query:
        """The person's last message alone, as it is."""
        return Query(text=self.case.text, language=self.query.language)

    @cached_property
    def vectors(self) -> tuple[FloatMatrix, ...]:
        return vectors_of(self.world.components, self.query)

    @cached_property
    def plain_vectors(self) -> tuple[FloatMatrix, ...]:
        return vectors_of(self.world.components, self.plain)

    @cached_property
    def dense(self) -> list[int]:
        """The vector leg alone, as any design has it."""
        if self.view.index is None or not self.plain_vectors:
            return []
        return [key for key, _ in self.view.index.search(self.plain_vectors[0], DEPTH)]

    @cached_property
    def keyword(self) -> list[int]:
        allowed = None if self.among is None else self.view.keys.tolist()
        return self.world.bm25.rank(self.case.text, DEPTH, allowed)

    @cached_property
    def equal(self) -> list[int]:
        legs = {"dense": self.dense[:POOL], "keyword": self.keyword[:POOL]}
        fused = reciprocal_rank_fusion(legs, dict.fromkeys(legs, 1.0), RRF_K)
        return sorted(fused, key=lambda key: (-fused[key], key))

    def documents(self, keys: Iterable[int]) -> list[str]:
        """The documents of passages, once each, those of the source that counts."""
        chunk_of = self.world.chunk_of
        return list(dict.fromkeys(chunk_of[k].doc_id for k in keys if chunk_of[k].source == self.world.source))


RRF_K = 60


def _product(a: Asked, query: Query, vectors: Sequence[FloatMatrix], *, hybrid: bool = True) -> list[str]:
    retriever = replace(a.world.components.parts.retriever, hybrid=hybrid)
    found = retriever.search(a.view, query, vectors, DEPTH)
    return a.documents(e.chunk.id for e in found.evidence)


def _reranked(a: Asked) -> list[str]:
    parts = a.world.components.parts
    found = parts.retriever.search(a.view, a.query, a.vectors, DEPTH)
    return a.documents(e.chunk.id for e in rerank(a.query.text, found.evidence, parts.reranker, DEPTH))


def _healrag(a: Asked) -> list[str]:
    cosine = {}
    if a.view.index is not None and a.plain_vectors:
        cosine = a.view.index.cosines(a.plain_vectors[0], a.equal)
    return a.documents(healrag.weigh(a.case.text, a.world.texts, cosine, a.equal))


System = Callable[[Asked], list[str]]

PRODUCT: Mapping[str, System] = {
    "keyword": lambda a: _product(a, a.plain, ()),
    "vector": lambda a: _product(a, a.plain, a.plain_vectors, hybrid=False),
    "fused": lambda a: _product(a, a.plain, a.plain_vectors),
    "+rewrite": lambda a: _product(a, a.query, a.vectors),
    "+rerank": _reranked,
}
"""Each step with all before it."""

BASELINES: Mapping[str, System] = {
    "BM25": lambda a: a.documents(a.keyword),
    "vectors alone": lambda a: a.documents(a.dense),
    "RRF 1:1": lambda a: a.documents(a.equal),
    "HealRAG over e5": _healrag,
    "CortexRAG": lambda a: a.world.cortexrag.rank(a.case.text, DEPTH, a.among),
}


def available(components: Components) -> dict[str, System]:
    """The systems that this program has the parts for."""
    parts = components.parts
    lacking = {
        "+rerank": parts.reranker is None,
        "vector": parts.embedder is None,
        "vectors alone": parts.embedder is None,
        "HealRAG over e5": parts.embedder is None,
        "CortexRAG": parts.embedder is None and bool(missing(components.settings.cache_dir)),
    }
    return {name: system for name, system in {**PRODUCT, **BASELINES}.items() if not lacking.get(name)}


def final(systems: Mapping[str, System]) -> str:
    """The last step of the product: what a turn ranks with."""
    return [name for name in PRODUCT if name in systems][-1]


def runs_of(world: World, chosen: RankingSet, systems: Mapping[str, System]) -> dict[str, Run]:
    """{system: {query: {document: score}}}"""
    runs: dict[str, dict[str, dict[str, float]]] = {name: {} for name in systems}
    for case in chosen.cases:
        view, among = world.view, None
        stored = {d: chosen.stored_as.get(d, d) for d in chosen.among.get(case.id, ())}
        if stored:
            rows_of = world.passages.rows_of
            among = tuple(d for d in dict.fromkeys(stored.values()) if d in rows_of)
            view = within(view, [row for d in among for row in rows_of[d]])
        one = Asked(world=world, case=case, view=view, among=among)
        for name, system in systems.items():
            place = {document: -float(at) for at, document in enumerate(system(one))}
            if stored:
                place = {d: place[kept] for d, kept in stored.items() if kept in place}
            runs[name][case.id] = place
    return dict(runs)
