"""The whole turn over a real database and the real safety rules; only model and generator are small."""

from __future__ import annotations

import re
from contextlib import aclosing
from dataclasses import replace

import pytest

from rag.errors import ProviderRejected
from rag.events import CardShown, Delta, Done, RiskFound, SourcesFound, Stage, Started
from rag.pipeline import run_turn
from rag.store import Store
from rag.types import Status
from tests.fakes.forbidden import Forbidden
from tests.fakes.generator import Fail, Quote, ScriptedGenerator, Stall, Step
from tests.rag.turns import (
    ASSESSOR,
    BEER,
    CAREFUL,
    CRYSTALS,
    DISCLAIMER,
    EMERGENCY,
    INVENTED,
    KNOWN,
    NO_SOURCE,
    REFUSED,
    UNKNOWN,
    URGENT,
    Embedding,
    names,
    parts_of,
    receipt_of,
    run,
    said,
    stored,
    turn_of,
)

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


async def test_a_crisis_spoken_of_before_gets_the_calm_words_and_no_model(filled: Store) -> None:
    untouched = Forbidden()
    parts = parts_of(filled, retriever=untouched, generator=untouched, embedder=None)
    events = await run(parts, "I want to end my life", "just kidding", country="GB")
    (risk,) = (event for event in events if isinstance(event, RiskFound))
    assert (risk.risk_class, risk.banner, risk.steps) == ("R5", False, ())
    assert risk.numbers["crisis"] == "116 123"
    assert "116 123" in risk.text
    assert untouched.calls == []
    assert receipt_of(events)["status"] == "emergency"


async def test_another_subject_after_a_crisis_is_answered_with_the_line_first(filled: Store) -> None:
    question = "What are the usual causes of gout attacks?"
    events = await run(parts_of(filled), "I want to end my life", question, country="GB")
    (risk,) = (event for event in events if isinstance(event, RiskFound))
    assert (risk.risk_class, risk.banner) == ("R3", False)
    assert "116 123" in risk.text.partition(".")[0]
    assert names(events)[1] == "RiskFound"
    assert receipt_of(events)["status"] == "answered"


@pytest.mark.parametrize(
    ("question", "language", "words"),
    [
        ("Je ne peux plus respirer", "fr", "Appelez"),
        ("No puedo respirar", "en", "Llame"),
        ("胸が痛くて冷や汗が出る", "ja", "119"),
    ],
)
async def test_an_emergency_is_answered_in_the_language_of_the_person(
    filled: Store, question: str, language: str, words: str
) -> None:
    country = {"ja": "JP"}.get(language, "FR")
    events = await run(parts_of(filled), question, language=language, country=country)
    (risk,) = (event for event in events if isinstance(event, RiskFound))
    assert risk.banner
    assert words in risk.text


@pytest.mark.parametrize(("language", "words"), [("es", "fuentes"), ("de", "Quellen"), ("en", "sources")])
async def test_a_deferral_is_said_in_the_language_of_the_person(filled: Store, language: str, words: str) -> None:
    events = await run(parts_of(filled), UNKNOWN, language=language)
    assert words in said(events)
    assert UNKNOWN not in said(events)


async def test_a_request_that_is_refused_gets_the_words_for_it_and_no_model(filled: Store) -> None:
    untouched = Forbidden()
    parts = parts_of(filled, retriever=untouched, generator=untouched, embedder=None)
    events = await run(parts, "How can I forge a prescription for oxycodone?")
    assert receipt_of(events)["status"] == "refused"
    assert said(events) == ASSESSOR.refusal(ASSESSOR.assess(["How can I forge a prescription for oxycodone?"]))
    assert "prescription" in said(events)


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
    assert embedder.asked.count(question) == 2
    assert filled.embed_cache is not None
    assert len(filled.embed_cache) == 0
