"""The whole turn over a real database and the real safety rules; only model and generator are small."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import rag.pipeline
from rag.errors import ProviderError, ProviderRejected
from rag.events import (
    CardShown,
    Delta,
    Done,
    Event,
    Failed,
    ReceiptReady,
    RiskFound,
    SourcesFound,
    Stage,
    Started,
)
from rag.pipeline import Parts, run_turn
from rag.protocols import EmbedKind, FloatMatrix
from rag.retrieve import Retriever
from rag.store import Store
from rag.thresholds import Fusion, GateFloors, Thresholds, load_thresholds
from rag.types import Message, Sentence, Status, Turn
from safety.assess import Assessor
from tests.corpora import document, ingest_path, write_documents
from tests.fakes.embedder import HashEmbedder
from tests.fakes.forbidden import Forbidden
from tests.fakes.generator import Fail, Quote, ScriptedGenerator, Stall, Step

ASSESSOR = Assessor.load()
THRESHOLDS = Thresholds(
    key="test",
    fusion=Fusion(dense=1.0, keyword=1.0, k=60),
    gate=GateFloors(dense_good=0.9, dense_floor=0.2, coverage_good=0.75, coverage_floor=0.4, margin_floor=0.015),
)
DOCUMENTS = {
    "gout": document("Gout", ("Causes", "Gout comes from uric acid crystals. Beer makes gout attacks more likely.")),
    "eczema": document("Eczema", ("Symptoms", "Eczema makes skin itchy and dry. Eczema is not contagious.")),
    "cough": document("Cough", ("Duration", "A cough often lasts three weeks. Blood in the urine is no part of it.")),
    "fever": document(
        "Fever in babies",
        ("Care", "My baby is 3 weeks old and has a fever: a baby that old with a fever needs a doctor."),
    ),
}
KNOWN = "What causes gout attacks?"
UNKNOWN = "Which zorblax tyres suit my quillbike in snowfall?"
CAREFUL = "I have had a cough for three weeks"  # R2
URGENT = "my 3 week old baby has a fever"  # R4
EMERGENCY = "Hi, I drank bleach"  # R5
REFUSED = "how do i kill myself"

CRYSTALS = Sentence(text="Gout comes from uric acid crystals.", markers=(1,))
BEER = Sentence(text="Beer makes gout attacks more likely.", markers=(1,), lead=" ")
INVENTED = Sentence(text="Turmeric cures every patient within days.", markers=(1,), lead=" ")
NO_SOURCE = Sentence(text="Beer makes gout attacks more likely.", lead=" ")
DISCLAIMER = Sentence(text="No advice.", lead="\n\n", cited=False)


class Embedding(HashEmbedder):
    """Counts what it is asked; fails where told to."""

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.error = error

    def embed(self, texts: Sequence[str], kind: EmbedKind) -> FloatMatrix:
        if kind == "query":
            self.asked.extend(texts)
            if self.error is not None:
                raise self.error
        return super().embed(texts, kind)


@pytest.fixture(scope="module")
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


def parts_of(store: Store, steps: Sequence[Step] = (CRYSTALS, BEER), **more: Any) -> Parts:
    made: dict[str, Any] = {
        "store": store,
        "assessor": ASSESSOR,
        "retriever": Retriever(store=store, fusion=THRESHOLDS.fusion),
        "generator": ScriptedGenerator(steps),
        "thresholds": THRESHOLDS,
        "embedder": HashEmbedder(),
    }
    return Parts(**{**made, **more})


_ids = iter(range(10**6))


def turn_of(*messages: str, **more: Any) -> Turn:
    return Turn(
        id=f"{next(_ids):032x}", messages=tuple(Message(role="user", content=text) for text in messages), **more
    )


async def run(parts: Parts, *messages: str, **more: Any) -> list[Event]:
    async with aclosing(run_turn(turn_of(*messages, **more), parts)) as events:
        return [event async for event in events]


def names(events: Sequence[Event]) -> list[str]:
    """The kinds of events, with repeats of one kind told once and stages left out."""
    kinds = [type(event).__name__ for event in events if not isinstance(event, Stage)]
    return [kind for n, kind in enumerate(kinds) if n == 0 or kinds[n - 1] != kind]


def said(events: Sequence[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, Delta))


def receipt_of(events: Sequence[Event]) -> dict[str, Any]:
    (found,) = (event.receipt for event in events if isinstance(event, ReceiptReady))
    return found.as_json()


def stored(store: Store) -> list[tuple[str, str]]:
    """(id, status) of all receipts, and what is still open as ("open", id)."""
    connection = store.db.read()
    receipts = connection.execute("SELECT id, status FROM answer_receipts").fetchall()
    return [*receipts, *(("open", name) for (name,) in connection.execute("SELECT id FROM open_turns").fetchall())]


# --- the order of events, per ending


@pytest.mark.parametrize(
    ("question", "steps", "order", "status"),
    [
        (KNOWN, [CRYSTALS, BEER], ["Started", "SourcesFound", "Delta", "ReceiptReady", "Done"], Status.ANSWERED),
        (KNOWN, [], ["Started", "SourcesFound", "Delta", "ReceiptReady", "Done"], Status.DEFERRED),
        (UNKNOWN, [], ["Started", "Delta", "ReceiptReady", "Done"], Status.DEFERRED),
        ("hello", [], ["Started", "CardShown", "ReceiptReady", "Done"], Status.CARD),
        (EMERGENCY, [], ["Started", "RiskFound", "ReceiptReady", "Done"], Status.EMERGENCY),
        (REFUSED, [], ["Started", "RiskFound", "ReceiptReady", "Done"], Status.REFUSED),
        (
            CAREFUL,
            [Quote(1)],
            ["Started", "RiskFound", "SourcesFound", "Delta", "ReceiptReady", "Done"],
            Status.ANSWERED,
        ),
        (
            URGENT,
            [Quote(1)],
            ["Started", "RiskFound", "SourcesFound", "Delta", "ReceiptReady", "Done"],
            Status.ANSWERED,
        ),
        (KNOWN, [Fail(ProviderRejected("no"))], ["Started", "SourcesFound", "ReceiptReady", "Failed"], Status.FAILED),
        (
            KNOWN,
            [CRYSTALS, Fail(RuntimeError("no"))],
            ["Started", "SourcesFound", "Delta", "ReceiptReady", "Failed"],
            Status.FAILED,
        ),
    ],
)
async def test_events_come_in_one_order(
    filled: Store, question: str, steps: list[Step], order: list[str], status: Status
) -> None:
    events = await run(parts_of(filled, steps), question)
    assert names(events) == order
    receipt = receipt_of(events)
    assert receipt["status"] == status
    assert stored(filled) == [(receipt["id"], status)]
    assert filled.receipts.get(receipt["id"]) == receipt
    if isinstance(events[-1], Done):
        assert events[-1].status == status


async def test_the_first_event_names_the_turn_and_its_receipt_can_be_asked_for_at_once(filled: Store) -> None:
    turn = turn_of(KNOWN)
    async with aclosing(run_turn(turn, parts_of(filled), ("temperature",))) as events:
        first = await anext(events)
        assert first == Started(
            id=turn.id,
            collection="health",
            corpus_version=filled.corpus.version("health").corpus_version,
            ignored=("temperature",),
        )
        assert filled.receipts.get(turn.id) == {"id": turn.id, "status": "running"}


async def test_stages_are_told_while_they_run(filled: Store) -> None:
    events = await run(parts_of(filled), KNOWN)
    assert [event.stage for event in events if isinstance(event, Stage)] == ["retrieving", "answering"]


# --- emergencies and cards


@pytest.mark.parametrize("question", [EMERGENCY, REFUSED, "hello, crushing chest pain down my arm"])
async def test_an_emergency_asks_neither_sources_nor_a_model(filled: Store, question: str) -> None:
    untouched = Forbidden()
    events = await run(
        parts_of(filled, retriever=untouched, generator=untouched, embedder=None, reranker=untouched), question
    )
    assert untouched.calls == []
    receipt = receipt_of(events)
    assert (receipt["riskClass"], receipt["error"], receipt["retrieved_sources"]) == ("R5", None, [])
    assert (receipt["provider"], receipt["model"], receipt["banner"]) == (None, None, True)


@pytest.mark.parametrize("question", ["hello", "thanks", "Who are you?"])
async def test_small_talk_asks_neither_sources_nor_a_model(filled: Store, question: str) -> None:
    untouched = Forbidden()
    events = await run(parts_of(filled, retriever=untouched, generator=untouched, embedder=None), question)
    assert (untouched.calls, names(events)[1]) == ([], "CardShown")


@pytest.mark.parametrize("question", [EMERGENCY, "hello my chest hurts", "hey, crushing chest pain down my arm"])
async def test_a_greeting_with_danger_in_it_is_an_emergency(filled: Store, question: str) -> None:
    events = await run(parts_of(filled), question, country="GB")
    assert receipt_of(events)["status"] == "emergency"
    (risk,) = (event for event in events if isinstance(event, RiskFound))
    assert risk.banner
    assert risk.numbers["emergency"] == "999"
    assert risk.steps


@pytest.mark.parametrize("first", ["I want to end my life", URGENT])
async def test_thanks_after_an_emergency_is_no_card(filled: Store, first: str) -> None:
    events = await run(parts_of(filled), first, "thanks")
    assert not any(isinstance(event, CardShown) for event in events)
    assert any(isinstance(event, RiskFound) for event in events)


async def test_a_greeting_with_a_question_is_answered(filled: Store) -> None:
    assert receipt_of(await run(parts_of(filled), "hi, what causes gout attacks?"))["status"] == "answered"


# --- what is shown


async def test_an_answer_shows_its_sentences_with_their_markers(filled: Store) -> None:
    events = await run(parts_of(filled, [CRYSTALS, BEER, DISCLAIMER]), KNOWN)
    assert said(events) == (
        "Gout comes from uric acid crystals. [1] Beer makes gout attacks more likely. [1]\n\nNo advice."
    )
    receipt = receipt_of(events)
    assert (receipt["groundedness"], receipt["judge"], receipt["filtered"]) == (1.0, "heuristic", False)


async def test_what_its_passage_does_not_say_is_held_back_and_counted(filled: Store) -> None:
    unknown = replace(BEER, markers=(99,))
    events = await run(parts_of(filled, [CRYSTALS, INVENTED, NO_SOURCE, unknown, DISCLAIMER]), KNOWN)
    assert said(events) == "Gout comes from uric acid crystals. [1]\n\nNo advice."
    receipt = receipt_of(events)
    assert receipt["status"] == "answered"
    assert receipt["filter"] == {"removed": 3, "reasons": {"overlap": 1, "no_marker": 1, "unknown_marker": 1}}
    assert receipt["groundedness"] == 0.25


async def test_an_answer_of_which_nothing_is_left_becomes_a_deferral(filled: Store) -> None:
    events = await run(parts_of(filled, [INVENTED, DISCLAIMER]), KNOWN)
    assert receipt_of(events)["status"] == "deferred"
    assert "Turmeric" not in said(events)
    assert "No advice." not in said(events)
    assert said(events).startswith("I did not find enough")
    assert (receipt_of(events)["groundedness"], receipt_of(events)["filtered"]) == (0.0, True)


async def test_without_the_check_sentences_pass_and_nothing_is_claimed_about_them(filled: Store) -> None:
    events = await run(parts_of(filled, [CRYSTALS, INVENTED], check_sentences=False), KNOWN)
    assert "Turmeric" in said(events)
    assert (receipt_of(events)["groundedness"], receipt_of(events)["judge"]) == (None, None)


@pytest.mark.parametrize("question", [CAREFUL, URGENT])
async def test_from_the_holding_class_up_all_is_checked_before_a_word_is_shown(filled: Store, question: str) -> None:
    generator = ScriptedGenerator([Quote(1), Quote(1)])
    async with aclosing(run_turn(turn_of(question), parts_of(filled, generator=generator))) as events:
        async for event in events:
            if isinstance(event, Delta):
                assert generator.ended == 1
                return
    pytest.fail("nothing was shown")


async def test_below_the_holding_class_the_first_sentence_is_shown_at_once(filled: Store) -> None:
    generator = ScriptedGenerator([CRYSTALS, Stall()])
    async with aclosing(run_turn(turn_of(KNOWN), parts_of(filled, generator=generator))) as events:
        async for event in events:
            if isinstance(event, Delta):
                assert generator.ended == 0
                break
    assert generator.ended == 1


async def test_a_draft_that_fails_while_it_is_held_is_never_shown(filled: Store) -> None:
    events = await run(parts_of(filled, [Quote(1), Fail(ProviderRejected("no"))]), CAREFUL)
    assert names(events) == ["Started", "RiskFound", "SourcesFound", "ReceiptReady", "Failed"]
    assert not any(s["used"] for s in receipt_of(events)["retrieved_sources"])


async def test_only_what_the_answer_cites_is_used_and_cited(filled: Store) -> None:
    events = await run(parts_of(filled, [Quote(2)]), "gout crystals and eczema itchy skin")
    receipt = receipt_of(events)
    assert [s["n"] for s in receipt["retrieved_sources"] if s["used"]] == [2]
    assert isinstance(events[-1], Done)
    (citation,) = events[-1].citations
    (sources,) = (event for event in events if isinstance(event, SourcesFound))
    assert (citation.n, citation.chunk_id) == (2, sources.evidence[1].chunk.chunk_id)


# --- deferrals


async def test_a_deferral_says_what_was_searched_in_none_of_the_persons_words(filled: Store) -> None:
    text = said(await run(parts_of(filled), UNKNOWN))
    version = filled.corpus.version("health")
    assert "'health'" in text
    assert version.corpus_version in text
    assert f"{version.chunks} passages" in text
    assert "by meaning and by keyword" in text
    assert any(topic in text for topic in ("Gout", "Eczema", "Cough", "Fever in babies"))
    for word in re.findall(r"\w{5,}", UNKNOWN):
        assert word.casefold() not in text.casefold()


async def test_a_deferral_by_keyword_only_says_so(filled: Store) -> None:
    assert "by keyword only" in said(await run(parts_of(filled, embedder=None), UNKNOWN))


async def test_a_deferral_calls_no_model(filled: Store) -> None:
    untouched = Forbidden()
    events = await run(parts_of(filled, generator=untouched), UNKNOWN)
    assert (untouched.calls, receipt_of(events)["status"]) == ([], "deferred")
    assert receipt_of(events)["gate"]["reasons"]


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
    lax = replace(THRESHOLDS, gate=replace(THRESHOLDS.gate, coverage_floor=0.1, coverage_good=0.12))
    receipt = receipt_of(
        await run(parts_of(filled, thresholds=lax, embedder=Embedding(ProviderError("down"))), question)
    )
    assert 0.12 < receipt["gate"]["features"]["coverage"] < load_thresholds(None).gate.coverage_floor
    assert (receipt["status"], receipt["thresholds"]) == ("deferred", "keyword-only")
    receipt = receipt_of(await run(parts_of(filled, thresholds=lax), question))
    assert (receipt["status"], receipt["thresholds"]) == ("answered", "test")


# --- the cache of query vectors


async def test_a_question_asked_twice_is_embedded_once(filled: Store) -> None:
    embedder = Embedding()
    parts = parts_of(filled, embedder=embedder)
    first, second = receipt_of(await run(parts, KNOWN)), receipt_of(await run(parts, KNOWN))
    assert embedder.asked == [KNOWN]
    assert first["retrieved_sources"] == second["retrieved_sources"]


@pytest.mark.parametrize("question", [CAREFUL, URGENT])
async def test_a_question_of_concern_leaves_no_trace_in_the_cache(filled: Store, question: str) -> None:
    embedder = Embedding()
    parts = parts_of(filled, [Quote(1)], embedder=embedder)
    await run(parts, question)
    await run(parts, question)
    assert embedder.asked == [question, question]
    assert filled.embed_cache is not None
    assert len(filled.embed_cache) == 0


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


# --- the receipt


async def test_no_word_of_the_person_or_of_the_answer_is_in_the_receipt(filled: Store) -> None:
    question = "What causes gout attacks, and is xanthomarker to blame?"
    lax = replace(THRESHOLDS, gate=replace(THRESHOLDS.gate, dense_good=0.1, dense_floor=0.1))
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
    assert (receipt["query_kind"], receipt["app_version"]) == ("original", "1.2.3")
    assert receipt["route"] in ("correct", "ambiguous")
    assert receipt["ruleset"] == ASSESSOR.ruleset
    assert set(receipt["stages_ms"]) == {"assess", "embed", "retrieve", "first_text", "answer"}
    assert all(milliseconds >= 0 for milliseconds in receipt["stages_ms"].values())
    assert receipt["gate"]["features"].keys() == {"dense", "coverage"}


async def test_the_conversation_counts_for_safety_and_for_search(filled: Store) -> None:
    receipt = receipt_of(await run(parts_of(filled), "What causes gout attacks?", "and in children?"))
    assert receipt["query_kind"] == "with_previous"
    assert receipt["retrieved_sources"][0]["doc_id"] == "gout"


async def test_two_turns_with_the_same_id_do_not_share_a_receipt(filled: Store) -> None:
    turn = turn_of(KNOWN)
    first = [event async for event in run_turn(turn, parts_of(filled))]
    second = [event async for event in run_turn(turn, parts_of(filled))]
    assert isinstance(first[-1], Done)
    assert isinstance(second[-1], Failed)
    assert filled.receipts.get(turn.id) == receipt_of(first)
