from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pytest

from rag.receipt import Receipt, RetrievedSource, retrieved_sources
from rag.types import ModelCall, Route, Status, Usage
from tests.fakes.evidence import passage

KEYS = [
    "id", "status", "created_at", "provider", "model", "generation", "passed_over", "collection", "language",
    "riskClass", "ruleFires", "ruleset", "banner", "filtered", "filter", "corpus_version", "embed_model",
    "vector_index", "thresholds", "query_kind", "rewritten_by", "route", "correction", "gate",
    "groundedness", "judge", "retrieved_sources", "degraded", "error", "stages_ms", "app_version",
]  # fmt: skip
SOURCE_KEYS = [
    "n", "chunk_id", "doc_id", "title", "organization", "url", "version_date", "web", "hierarchy_rank",
    "date_seen", "content_hash", "retrieval_score", "scores", "used",
]  # fmt: skip


def receipt(**more: Any) -> Receipt:
    base: dict[str, Any] = {
        "id": "0" * 32,
        "status": Status.ANSWERED,
        "created_at": "2026-11-30T12:00:00.000+00:00",
        "collection": "health",
        "language": "en",
        "risk_class": "R0",
    }
    return Receipt(**{**base, **more})


def test_the_keys_are_those_that_clients_read() -> None:
    assert list(receipt().as_json()) == KEYS


def test_every_field_of_a_receipt_stands_in_its_json() -> None:
    marked = {
        "id": "1", "status": Status.FAILED, "created_at": "2", "collection": "3", "language": "4", "risk_class": "5",
        "rule_ids": ("6",), "ruleset": "7", "banner": True, "provider": "8", "model": "9", "corpus_version": "10",
        "embed_model": "11", "vector_index": "28", "thresholds": "12", "query_kind": "13", "rewritten_by": ("23",),
        "route": Route.AMBIGUOUS, "gate_reasons": ("14",), "gate_skipped": ("24",), "correction": ("25",),
        "sentences_kept": 26, "sentences_found": 27, "features": {"15": 0.5}, "groundedness": 0.25,
        "sources": retrieved_sources([passage("16")], frozenset()),
        "judge": "17", "filtered": 3, "filter_reasons": {"18": 3}, "degraded": ("19",), "error": "20",
        "stages": {"21": 1.5}, "app_version": "22",
        "call": ModelCall(provider="8", model="9", prompt="29", temperature=0.5, usage=Usage(
            prompt_tokens=30, completion_tokens=31)),
        "passed_over": (ModelCall(provider="32", model="33", error="34"),),
    }  # fmt: skip
    assert set(marked) == {f.name for f in fields(Receipt)}
    body = Receipt(**marked).as_json()  # type: ignore[arg-type]
    assert (body["id"], body["status"], body["riskClass"], body["ruleFires"]) == ("1", "failed", "5", ["6"])
    assert body["filtered"] is True
    assert (body["generation"]["prompt"], body["generation"]["temperature"]) == ("29", 0.5)
    assert body["generation"]["usage"] == {"prompt_tokens": 30, "completion_tokens": 31}
    assert body["passed_over"] == [{"provider": "32", "model": "33", "error": "34"}]
    assert body["filter"] == {"removed": 3, "reasons": {"18": 3}}
    assert body["correction"] == {"steps": ["25"], "sentences": {"kept": 26, "found": 27}}
    assert body["gate"] == {"reasons": ["14"], "skipped": ["24"], "features": {"15": 0.5}}
    assert (body["route"], body["groundedness"], body["degraded"]) == ("ambiguous", 0.25, ["19"])
    assert (body["stages_ms"], body["error"], body["app_version"]) == ({"21": 1.5}, "20", "22")


def test_nothing_removed_is_not_filtered() -> None:
    assert receipt().as_json()["filtered"] is False


def test_a_receipt_is_plain_json() -> None:
    body = receipt(sources=retrieved_sources([passage(dense=0.5)], frozenset([1])), features={"dense": 0.5}).as_json()
    assert json.loads(json.dumps(body, allow_nan=False)) == body


@pytest.mark.parametrize("status", list(Status))
def test_every_status_is_a_word(status: Status) -> None:
    assert receipt(status=status).as_json()["status"] == status.value


# --- sources


def test_the_keys_of_a_source() -> None:
    (source,) = receipt(sources=retrieved_sources([passage()], frozenset())).as_json()["retrieved_sources"]
    assert list(source) == SOURCE_KEYS
    assert set(source["scores"]) == {"dense", "keyword", "fused", "rerank"}


def test_only_cited_markers_are_used() -> None:
    sources = retrieved_sources([passage(n=1), passage(n=2), passage(n=3)], frozenset([1, 3, 9]))
    assert [(s.n, s.used) for s in sources] == [(1, True), (2, False), (3, True)]


def test_a_source_is_numbered_as_the_answer_numbers_it() -> None:
    sources = retrieved_sources([passage(n=7), passage(n=4)], frozenset())
    assert [(s.n, s.chunk_id) for s in sources] == [(1, "chunk-7"), (2, "chunk-4")]


def test_a_fusion_score_is_never_the_retrieval_score() -> None:
    keyword_only, both = retrieved_sources(
        [passage(keyword=3.5, fused=0.016), passage(n=2, dense=0.87654321, fused=0.03)], frozenset()
    )
    assert keyword_only.retrieval_score is None
    assert (both.retrieval_score, both.scores["fused"]) == (0.876543, 0.03)


def test_no_text_of_a_passage_is_kept() -> None:
    assert {f.name for f in fields(RetrievedSource)}.isdisjoint({"text", "heading", "content"})
    body = receipt(sources=retrieved_sources([passage("Secret words.")], frozenset([1]))).as_json()
    assert "Secret words" not in json.dumps(body)
