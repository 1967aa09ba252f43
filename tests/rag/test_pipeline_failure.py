"""A turn that meets a fault: what it costs, how it is told, and that the receipt says so. Also who goes away."""

from __future__ import annotations

from dataclasses import replace

import pytest

import rag.pipeline
from rag.errors import ProviderError, ProviderRejected
from rag.events import Done, Failed, ReceiptReady, Started
from rag.pipeline import run_turn
from rag.store import Store
from tests.fakes.generator import Fail, Quote, ScriptedGenerator, Stall, Step
from tests.rag.turns import (
    BEER,
    CAREFUL,
    CRYSTALS,
    DISCLAIMER,
    EMERGENCY,
    KNOWN,
    REFUSED,
    THRESHOLDS,
    UNKNOWN,
    Embedding,
    names,
    parts_of,
    receipt_of,
    run,
    said,
    stored,
    turn_of,
)

# --- degradation


async def test_without_an_embedder_the_answer_comes_by_keyword_and_the_receipt_says_so(filled: Store) -> None:
    receipt = receipt_of(await run(parts_of(filled, embedder=None, degraded=("embedder",)), KNOWN))
    assert receipt["status"] == "answered"
    assert receipt["degraded"] == ["embedder", "vectors"]
    assert (receipt["embed_model"], receipt["gate"]["reasons"]) == (None, ["keyword_only"])


@pytest.mark.parametrize("error", [ProviderError("down"), ProviderRejected("closed")])
async def test_an_embedder_that_fails_costs_its_leg_and_not_the_answer(filled: Store, error: Exception) -> None:
    receipt = receipt_of(await run(parts_of(filled, embedder=Embedding(error)), KNOWN))
    assert receipt["status"] == "answered"
    assert receipt["degraded"] == ["query_embedding", "vectors"]


async def test_a_search_without_vectors_is_judged_by_the_floors_of_keyword_search(filled: Store) -> None:
    """The model's floor would open here, that of the keyword-only mode does not."""
    question = "gout zorblax quibblewort"
    lax = replace(THRESHOLDS, gates={"health": replace(THRESHOLDS.gate("health"), bias=9.0)})
    receipt = receipt_of(
        await run(parts_of(filled, thresholds=lax, embedder=Embedding(ProviderError("down"))), question)
    )
    assert "dense" not in receipt["gate"]["features"]
    assert (receipt["status"], receipt["thresholds"]) == ("deferred", "keyword-only")
    receipt = receipt_of(await run(parts_of(filled, thresholds=lax), question))
    assert (receipt["status"], receipt["thresholds"]) == ("answered", "test")


# --- what can go wrong


async def test_a_missing_collection_is_an_error_with_a_receipt(store: Store) -> None:
    events = await run(parts_of(store), KNOWN, collection="nowhere")
    assert names(events) == ["Started", "ReceiptReady", "Failed"]
    assert isinstance(events[0], Started)
    assert events[0].corpus_version is None
    assert isinstance(events[-1], Failed)
    assert (events[-1].code, events[-1].retryable) == ("corpus_missing", False)
    assert (receipt_of(events)["status"], receipt_of(events)["error"]) == ("failed", "corpus_missing")


async def test_an_emergency_needs_no_corpus(store: Store) -> None:
    assert receipt_of(await run(parts_of(store), EMERGENCY))["status"] == "emergency"


async def test_the_deadline_of_the_turn_ends_a_stalled_generator(
    filled: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rag.pipeline, "TURN_SECONDS", 0.2)
    generator = ScriptedGenerator([CRYSTALS, Stall()])
    events = await run(parts_of(filled, generator=generator), KNOWN)
    assert isinstance(events[-1], Failed)
    assert (events[-1].code, events[-1].retryable) == ("provider_failed", True)
    assert said(events) == "Gout comes from uric acid crystals. [1]"
    assert receipt_of(events)["status"] == "failed"
    assert generator.ended == 1


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ProviderRejected("no: gout"), "provider_failed"),
        (RuntimeError("the words: gout"), "internal"),
        (OSError("gout"), "internal"),
    ],
)
async def test_an_error_is_told_by_its_code_and_in_no_ones_words(
    filled: Store, error: Exception, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    events = await run(parts_of(filled, [Fail(error)]), KNOWN)
    assert isinstance(events[-1], Failed)
    assert (events[-1].code, receipt_of(events)["error"]) == (code, code)
    assert "gout" not in events[-1].message.casefold()
    captured = capsys.readouterr()
    assert "gout" not in (captured.out + captured.err).casefold()


# --- going away


@pytest.mark.parametrize(
    ("question", "steps"),
    [
        (KNOWN, [CRYSTALS, BEER, DISCLAIMER]),
        (UNKNOWN, []),
        ("hello", []),
        (EMERGENCY, []),
        (REFUSED, []),
        (CAREFUL, [Quote(1)]),
        (KNOWN, [CRYSTALS, Fail(ProviderRejected("no"))]),
    ],
)
async def test_who_leaves_at_any_event_leaves_one_stopped_receipt(
    filled: Store, question: str, steps: list[Step]
) -> None:
    count = len(await run(parts_of(filled, steps), question))
    for seen in range(1, count + 1):
        turn, generator = turn_of(question), ScriptedGenerator(steps)
        events = run_turn(turn, parts_of(filled, generator=generator))
        last = [await anext(events) for _ in range(seen)][-1]
        await events.aclose()
        receipt = filled.receipts.get(turn.id)
        assert receipt is not None
        ended = isinstance(last, ReceiptReady | Done | Failed)
        assert (receipt["status"] == "stopped") is not ended, last
        assert generator.started == generator.ended
        assert [name for name, _ in stored(filled)].count(turn.id) == 1
    assert not [entry for entry in stored(filled) if entry[0] == "open"]


async def test_a_turn_that_was_never_begun_leaves_nothing(filled: Store) -> None:
    await run_turn(turn_of(KNOWN), parts_of(filled)).aclose()
    assert stored(filled) == []


async def test_two_turns_with_the_same_id_do_not_share_a_receipt(filled: Store) -> None:
    turn = turn_of(KNOWN)
    first = [event async for event in run_turn(turn, parts_of(filled))]
    second = [event async for event in run_turn(turn, parts_of(filled))]
    assert isinstance(first[-1], Done)
    assert isinstance(second[-1], Failed)
    assert filled.receipts.get(turn.id) == receipt_of(first)
