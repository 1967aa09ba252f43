from __future__ import annotations

from collections.abc import Sequence

import pytest

from rag.rerank import rerank
from tests.fakes.evidence import passage


class Wordy:
    """Prefers longer texts."""

    def score(self, _: str, texts: Sequence[str]) -> list[float]:
        return [float(len(text)) for text in texts]


class Fixed:
    def __init__(self, *scores: float) -> None:
        self._scores = scores

    def score(self, *_: object) -> Sequence[float]:
        return self._scores


def test_without_a_reranker_the_order_of_retrieval_stays() -> None:
    evidence = [passage(f"Text {n}.", n=n) for n in (3, 1, 2)]
    assert rerank("q", evidence, None, 6) == tuple(evidence)


def test_a_reranker_orders_and_its_score_stands_beside_the_others() -> None:
    evidence = [passage("Short.", n=1, dense=0.9), passage("A longer text.", n=2, dense=0.8)]
    first, second = rerank("q", evidence, Wordy(), 6)
    assert (first.chunk.chunk_id, second.chunk.chunk_id) == ("chunk-2", "chunk-1")
    assert (first.scores.rerank, first.scores.dense) == (14.0, 0.8)


def test_negative_rerank_scores_are_ordered_too() -> None:
    evidence = [passage("a.", n=1), passage("b.", n=2), passage("c.", n=3)]
    assert [e.chunk.id for e in rerank("q", evidence, Fixed(-3.0, -1.0, 0.0), 6)] == [3, 2, 1]


def test_ties_are_broken_by_chunk_id() -> None:
    evidence = [passage(f"Text {n}.", n=n) for n in (2, 3, 1)]
    assert [e.chunk.chunk_id for e in rerank("q", evidence, Fixed(1.0, 1.0, 1.0), 6)] == [
        "chunk-1",
        "chunk-2",
        "chunk-3",
    ]


def test_one_document_may_give_all_the_passages_that_an_answer_needs() -> None:
    evidence = [passage(f"Text {n}.", n=n, doc_id="same") for n in range(1, 9)]
    assert rerank("q", evidence, None, 6) == tuple(evidence[:6])


def test_repeated_text_is_shown_once_whatever_its_case_accents_and_spacing() -> None:
    evidence = [passage("La fièvre monte.", n=1), passage("LA FIEVRE  monte.", n=2), passage("Rest.", n=3)]
    assert [e.chunk.id for e in rerank("q", evidence, None, 6)] == [1, 3]


def test_a_duplicate_within_a_document_takes_no_place() -> None:
    evidence = [passage("Same.", n=n, doc_id="d") for n in (1, 2, 3)] + [passage("Other.", n=4, doc_id="d")]
    assert [e.chunk.id for e in rerank("q", evidence, None, 2)] == [1, 4]


def test_the_limit_counts_what_is_left() -> None:
    evidence = [passage("Same.", n=1), passage("Same.", n=2), passage("b.", n=3), passage("c.", n=4)]
    assert [e.chunk.id for e in rerank("q", evidence, None, 2)] == [1, 3]


def test_nothing_in_nothing_out_and_no_call_to_the_reranker() -> None:
    assert rerank("q", [], Fixed(), 6) == ()


def test_a_reranker_that_loses_a_passage_is_an_error() -> None:
    with pytest.raises(ValueError, match="zip"):
        rerank("q", [passage(n=1), passage("b.", n=2)], Fixed(1.0), 6)
