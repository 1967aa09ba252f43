"""Finds candidate passages: a keyword leg, a vector leg, and their fusion. Knows nothing of answers or the web."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from rag.fusion import reciprocal_rank_fusion
from rag.kind import Kind
from rag.protocols import FloatMatrix
from rag.question import heading_kinds
from rag.references import OF_REGULATIONS, Reference, asks_whole, find_references, headed_references, named_regulation
from rag.store import Store, View
from rag.thresholds import Fusion
from rag.types import Chunk, Evidence, Query, Retrieval, Scores, Topic
from rag.words import topic_text, words

__all__ = ["Retriever"]

Legs = Mapping[str, Sequence[tuple[int, float]]]
"""By the name of the leg what it found: (chunk key, its own score), best first."""

POOL = 50
"""Candidates per leg (architecture)."""

REWRITTEN_POSTINGS = 1_000
"""Postings ranked for the rewriting, which mostly repeats the question's words. Chosen 2026-12-01 of 3,000, 2,000,
1,500 and 1,000: nDCG@10 on LiveQA's summaries .620, .592, .593, .621 (`python -m evals retrieval --db`, n = 18), own
goldens within one question of each other (`python -m evals gate`, n = 970), and the least work."""


def _vector_threads() -> ThreadPoolExecutor:
    """The product with the matrix and SQLite both let go of the interpreter while they work."""
    return ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="vector-leg")


@dataclass(frozen=True, kw_only=True)
class Retriever:
    """Searches one view. `fusion` holds the calibrated weights; `hybrid` False leaves the keyword leg out.

    The vector leg runs beside the keyword leg: p95 of 64 questions over 23,676 passages 6.5 for 9.3 ms, of the whole
    stage 12.5 for 16.7 (medians of three runs each in turn, 2026-12-01, two quiet cores; with both cores busy it is
    the slower way, p95 12.3 for 9.3).
    """

    store: Store
    fusion: Fusion
    top_k: int = 6
    hybrid: bool = True
    _pool: int = field(default=POOL, repr=False)
    _beside: ThreadPoolExecutor = field(default_factory=_vector_threads, repr=False)

    def search(self, view: View, query: Query, vectors: Sequence[FloatMatrix], limit: int | None = None) -> Retrieval:
        """The best passages for a query. Blocking; `vectors` are those of `query.searched`, none leaves them out."""
        limit = limit or self.top_k
        pool = max(self._pool, limit)
        rows = view.rows(query.filters)
        keys = view.keys if rows is None else view.keys[rows]
        nearest: dict[str, Future[list[tuple[int, float]]]] = {}
        if view.index is None:
            vectors = ()
        else:
            for text, vector in zip(query.searched, vectors, strict=False):
                nearest[text] = self._beside.submit(view.index.search, vector, pool, rows)

        def by_words(text: str, language: str, postings: int | None = None) -> list[tuple[int, float]]:
            wanted = not nearest or (self.hybrid and language in view.codes.get("lang", {}))
            return self.store.keywords.search(text, pool, keys, view.indexed, postings) if wanted and text else []

        def near(text: str) -> list[tuple[int, float]]:
            return nearest[text].result() if text in nearest else []

        keyword = by_words(query.text, query.language)
        keyword_rewritten = by_words(query.rewritten, "en", REWRITTEN_POSTINGS)
        of_sides = [by_words(side, query.language) for side in query.side_queries]
        carrying = self._carrying(view, query, keys)
        legs = {
            "dense": near(query.text),
            "keyword": keyword,
            "dense_rewritten": near(query.rewritten),
            "keyword_rewritten": keyword_rewritten,
        }
        sides = [
            {"dense": near(side), "keyword": found} for side, found in zip(query.side_queries, of_sides, strict=True)
        ]
        return self._fuse(view, query, vectors, legs, sides, carrying, limit)

    def judge(self, view: View, query: Query, evidence: tuple[Evidence, ...]) -> Retrieval:
        """Passages that were found elsewhere too, such as web pages, with what their grade is made of. Blocking."""
        return Retrieval(
            evidence=evidence,
            topics=self._topics(view, query, evidence) if _words_meet(view, query) else (),
            carried=any(_is_carried(e.chunk, query) for e in evidence) if query.references else None,
        )

    def _carrying(self, view: View, query: Query, keys: NDArray[np.int64]) -> dict[int, int]:
        """Passages whose title is the question, and those whose heading carries a reference that was asked for, each
        with how exactly: 0 to the letter, more for less.

        A point is looked for in its paragraph where points have no headings, but no further: another part of an
        article is no answer, and a point beside others that have headings and that has none does not exist.
        """
        titled = view.titles.get(" ".join(words(query.text)), ())
        levels = dict.fromkeys(np.intersect1d(titled, keys).tolist(), 0) if titled else {}
        for asked in query.references:
            for reading in asked:
                tried = [level for level in reading.levels() if len(level.path) >= min(2, len(reading.path))]
                if any(self.store.keywords.carrying(sibling, keys) for sibling in _siblings(reading)):
                    tried = tried[:1]
                steps = ((depth, self.store.keywords.carrying(level, keys)) for depth, level in enumerate(tried))
                if (found := next((step for step in steps if step[1]), None)) is not None:
                    for key in found[1]:
                        levels.setdefault(key, found[0])
                    break
        return levels

    def _fuse(
        self,
        view: View,
        query: Query,
        vectors: Sequence[FloatMatrix],
        legs: Legs,
        sides: Sequence[Legs],
        carrying: dict[int, int],
        limit: int,
    ) -> Retrieval:
        translated = "translated" in query.rewritten_by
        weights = self.fusion.weights(translated=translated) if vectors else dict.fromkeys(legs, 1.0)
        fused = self._fused(legs, weights)
        of_sides = _in_turn([self._best_of_side(side, weights, fused) for side in sides])
        for key in (*carrying, *of_sides):
            fused.setdefault(key, 0.0)
        order = {key: place for place, key in enumerate(of_sides)}
        shortlist = sorted(
            fused, key=lambda key: (carrying.get(key, _NOWHERE), order.get(key, len(order)), -fused[key], key)
        )[: max(limit * 2, len(carrying))]
        chunks = self.store.corpus.chunks(shortlist)
        whole = asks_whole(query.references, query.text)
        ranked = sorted(
            (key for key in shortlist if key in chunks),
            key=lambda key: (
                carrying.get(key, _NOWHERE),
                0 if whole else _beyond(chunks[key], query) if query.references and key in carrying else 0,
                order.get(key, len(order)),
                chunks[key].ordinal if whole and key in carrying else -fused[key],
                chunks[key].chunk_id,
            ),
        )
        ranked = (_few_of_each(ranked, chunks) if query.compares else ranked)[:limit]
        if ranked and (before := self._steps_before(view, chunks[ranked[0]])):
            chunks |= before
            ranked = [ranked[0], *before, *(key for key in ranked[1:] if key not in before)][:limit]
            fused |= {key: 0.0 for key in before if key not in fused}
        cosines = [view.index.cosines(vector, ranked) for vector in vectors] if view.index is not None else []
        bm25: dict[int, float] = {}
        for name in ("keyword_rewritten", "keyword"):
            bm25 |= dict(legs.get(name, ()))
        evidence = tuple(
            Evidence(
                chunk=chunks[key],
                scores=Scores(
                    dense=max((cosine[key] for cosine in cosines if key in cosine), default=None),
                    keyword=bm25.get(key),
                    fused=fused[key],
                ),
            )
            for key in ranked
        )
        return Retrieval(
            evidence=evidence,
            topics=self._topics(view, query, evidence) if _words_meet(view, query) else (),
            margin=self._margin(legs["dense"]) if legs.get("dense") and not _words_meet(view, query) else None,
            carried=bool(carrying) if query.references else None,
            legs=tuple(
                name
                for name, leg in (("vector", "dense"), ("keyword", "keyword"))
                if legs.get(leg) or legs.get(f"{leg}_rewritten")
            ),
            degraded=() if vectors else ("vectors",),
        )

    def _steps_before(self, view: View, best: Chunk) -> dict[int, Chunk]:
        """The passages before the best one, from the first, where that goes on with the steps of first aid: half of
        them would be the wrong half. Their rows come before its own: a document's passages are stored in turn."""
        if best.ordinal == 0 or Kind.FIRST_AID not in heading_kinds(best.heading, best.lang):
            return {}
        keys = np.intersect1d(np.arange(max(1, best.id - best.ordinal), best.id), view.keys).tolist()
        place = (best.source, best.doc_id, best.heading)
        before = self.store.corpus.chunks(keys)
        return {
            key: before[key] for key in keys if (before[key].source, before[key].doc_id, before[key].heading) == place
        }

    def _fused(self, legs: Legs, weights: Mapping[str, float]) -> dict[int, float]:
        ranked = {name: [key for key, _ in found] for name, found in legs.items() if found}
        return reciprocal_rank_fusion(ranked, {name: weights[name] for name in ranked}, self.fusion.k)

    def _best_of_side(self, side: Legs, weights: Mapping[str, float], fused: Mapping[int, float]) -> list[int]:
        """The best passages on one side of a comparison; what the whole question ranks too comes before its equals."""
        alone = self._fused(side, weights)
        return sorted(alone, key=lambda key: (-alone[key] - fused.get(key, 0.0), key))[:_OF_A_SIDE]

    def _margin(self, dense: Sequence[tuple[int, float]]) -> float:
        """The lead of the best document over the next, in cosine; the whole cosine when there is no other."""
        chunks = self.store.corpus.chunks(key for key, _ in dense)
        first = chunks[dense[0][0]]
        for key, cosine in dense:
            if (chunks[key].source, chunks[key].doc_id) != (first.source, first.doc_id):
                return dense[0][1] - cosine
        return dense[0][1]

    def _topics(self, view: View, query: Query, evidence: tuple[Evidence, ...]) -> tuple[Topic, ...]:
        """What the question is about, and which passages hold it. A topic that has several names (a concept) is held
        by a passage with all words of any of them; every other topic word stands for itself. A story's other words
        are left out: most of them are not what it asks about."""
        terms_of = self.store.keywords.terms
        named = [[terms for name in names if (terms := terms_of(topic_text(name) or name))] for names in query.concepts]
        named = [names for names in named if names]
        plain: list[list[list[str]]] = []
        if _shares_language(view, query) and not (named and "condensed" in query.rewritten_by):
            covered = {term for names in named for terms in names for term in terms}
            read = query.corrected or query.text
            plain = [[[term]] for term in terms_of(topic_text(read)) if term not in covered]
        every = sorted({term for names in (*named, *plain) for terms in names for term in terms})
        frequency = self.store.keywords.frequencies(every, view.indexed)
        held = [set(terms_of(f"{e.chunk.title}\n{e.chunk.heading}\n{e.chunk.text}")) for e in evidence]
        topics = []
        for names in (*named, *plain):
            weight = min(max(_rarity(frequency[term], view.indexed) for term in terms) for terms in names)
            if weight:
                holding = tuple(any(words.issuperset(terms) for terms in names) for words in held)
                topics.append(
                    Topic(
                        weight=weight / math.log(view.indexed + 1),
                        held=holding,
                        known=any(all(frequency[term] for term in terms) for terms in names) or any(holding),
                        concept=names in named,
                    )
                )
        return tuple(topics)


_NOWHERE = 9  # behind every passage that carries what was asked for
_POINT_DEPTH = 3  # article, paragraph, point
_OF_A_SIDE = 2  # passages of each side of a comparison that come first, in turn
_OF_A_DOCUMENT = 2  # passages of one document among what a comparison is answered from, before those of others


def _siblings(asked: Reference) -> tuple[Reference, ...]:
    """The first points beside an asked one: "(a)" and "(b)" of its paragraph."""
    if len(asked.path) < _POINT_DEPTH or asked.kind != "article":
        return ()
    points = ((*asked.path[: _POINT_DEPTH - 1], letter) for letter in "ab")
    return tuple(Reference(kind=asked.kind, path=path, regulation=asked.regulation) for path in points)


def _is_carried(chunk: Chunk, query: Query) -> bool:
    """Whether title or heading of a passage carries a reference that was asked for, as far as `_carrying` looks.

    A provision counts only of the law that the page names, in its title or address: the web holds all of them.
    """
    of_title, of_heading = headed_references(chunk.title, chunk.heading)
    law = named_regulation(f"{chunk.title}\n{chunk.url}")
    there = {
        (level.kind, level.path, level.regulation or (law if level.kind in OF_REGULATIONS else None))
        for found in (*of_title, *of_heading)
        for level in found.levels()
    }
    return any(
        (level.kind, level.path, level.regulation) in there
        for asked in query.references
        for reading in asked
        if reading.regulation is not None or reading.kind not in OF_REGULATIONS
        for level in reading.levels()
        if len(level.path) >= min(2, len(reading.path))
    )


def _beyond(chunk: Chunk, query: Query) -> int:
    """0 where the innermost heading is what was asked for itself, 1 where it is a part of that."""
    asked = {reading.path for readings in query.references for reading in readings}
    inner = find_references(chunk.heading.rpartition(" › ")[2])
    return int(not any(reference.path in asked for reference in inner))


def _in_turn(lists: Sequence[Sequence[int]]) -> list[int]:
    """The first of each list, then the second of each, every key once."""
    return list(dict.fromkeys(key for row in zip_longest(*lists) for key in row if key is not None))


def _few_of_each(ranked: list[int], chunks: Mapping[int, Chunk]) -> list[int]:
    """The same passages, those of one document beyond the first few moved behind all others."""
    seen: Counter[tuple[str, str]] = Counter()
    first: list[int] = []
    later: list[int] = []
    for key in ranked:
        document = (chunks[key].source, chunks[key].doc_id)
        seen[document] += 1
        (first if seen[document] <= _OF_A_DOCUMENT else later).append(key)
    return first + later


def _shares_language(view: View, query: Query) -> bool:
    """Words find words of their own language only; across languages the keyword leg adds noise (docs/models.md)."""
    return query.language in view.codes.get("lang", {})


def _words_meet(view: View, query: Query) -> bool:
    """Whether question and passages have words in common: of one language, or by the terms that were translated."""
    return _shares_language(view, query) or bool(query.rewritten and query.concepts)


def _rarity(frequency: int, rows: int) -> float:
    """BM25's inverse document frequency; a word that no passage has counts as the rarest.

    The index also holds what an ingest has staged since the view was made, so a frequency can exceed `rows`.
    """
    frequency = min(frequency, rows)
    return max(0.0, math.log((rows - frequency + 0.5) / (frequency + 0.5)))
