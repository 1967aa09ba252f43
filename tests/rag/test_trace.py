"""The receipt of a whole turn says from what the answer was made, and none of anyone's words."""

from __future__ import annotations

import json
from dataclasses import replace

from rag.store import Store
from tests.rag.turns import ASSESSOR, KNOWN, THRESHOLDS, parts_of, receipt_of, run


async def test_no_word_of_the_person_or_of_the_answer_is_in_the_receipt(filled: Store) -> None:
    question = "What causes gout attacks, and is xanthomarker to blame?"
    lax = replace(THRESHOLDS, gates={"health": replace(THRESHOLDS.gate("health"), bias=9.0)})
    events = await run(parts_of(filled, thresholds=lax), question)
    assert receipt_of(events)["status"] == "answered"
    text = json.dumps(receipt_of(events)).casefold()
    for word in ("xanthomarker", "blame", "attacks", "crystals", "uric", "beer"):
        assert word not in text, word


async def test_the_receipt_says_from_what_the_answer_was_made(filled: Store) -> None:
    receipt = receipt_of(await run(parts_of(filled, app_version="1.2.3"), KNOWN, language="en"))
    assert receipt["corpus_version"] == filled.corpus.version("health").corpus_version
    assert (receipt["provider"], receipt["model"], receipt["embed_model"]) == ("scripted", "scripted-1", "hash@1")
    assert (receipt["collection"], receipt["language"], receipt["thresholds"]) == ("health", "en", "test")
    assert (receipt["query_kind"], receipt["rewritten_by"], receipt["app_version"]) == ("original", [], "1.2.3")
    assert receipt["route"] in ("correct", "ambiguous")
    assert receipt["ruleset"] == ASSESSOR.ruleset
    assert set(receipt["stages_ms"]) == {"assess", "embed", "retrieve", "first_text", "answer"}
    assert all(milliseconds >= 0 for milliseconds in receipt["stages_ms"].values())
    assert receipt["gate"]["features"].keys() == {
        "dense", "coverage", "first", "concept", "missing", "unknown", "section", "number",
    }  # fmt: skip


async def test_the_conversation_counts_for_safety_and_for_search(filled: Store) -> None:
    receipt = receipt_of(await run(parts_of(filled), "What causes gout attacks?", "and in children?"))
    assert receipt["query_kind"] == "with_previous"
    assert receipt["retrieved_sources"][0]["doc_id"] == "gout"
