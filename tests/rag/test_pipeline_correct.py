"""What a turn does with its evidence beyond finding it: stripping, disagreement, comments, search by keyword alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.settings import ROOT
from rag.parts import Parts
from rag.retrieve import Retriever
from rag.spelling import Spellings
from rag.store import Store
from rag.thresholds import load_thresholds
from rag.types import Prompt, Sentence
from tests.corpora import document, ingest_path, write_documents
from tests.fakes.embedder import HashEmbedder
from tests.fakes.generator import Quote, ScriptedGenerator
from tests.rag.turns import ASSESSOR, WORDS, parts_of, receipt_of, run, said

IDLE = "The museum of the town shows many paintings of that period to visitors."


def filled_with(store: Store, folder: Path, **documents: str) -> Store:
    """The documents of every turn's test and these: in two or three passages no word is rare."""
    ingest_path(store, HashEmbedder(), write_documents(folder / "docs", documents), source="more")
    return store


class Listening(ScriptedGenerator):
    """Keeps the prompt that it was given."""

    def stream(self, prompt: Prompt, deadline: float = math.inf):  # type: ignore[no-untyped-def]
        self.prompt = prompt
        return super().stream(prompt, deadline)


async def test_the_generator_gets_the_supporting_sentences_and_the_receipt_tells_how_many(
    filled: Store, tmp_path: Path
) -> None:
    text = f"Quorvane is an old illness. {IDLE} Quorvane is treated with zorblax."
    generator = Listening([Quote(1)])
    filled_with(filled, tmp_path, quorvane=document("Quorvane", ("Story", text)))
    receipt = receipt_of(await run(parts_of(filled, generator=generator), "How is quorvane treated?"))
    assert generator.prompt.evidence[0].chunk.text == "Quorvane is an old illness. Quorvane is treated with zorblax."
    assert receipt["correction"]["steps"] == ["refined"]
    told = receipt["correction"]["sentences"]
    assert told["kept"] == told["found"] - 1


async def test_sources_that_disagree_are_both_named(filled: Store, tmp_path: Path) -> None:
    filled_with(
        filled,
        tmp_path,
        one=document("Quorvane fever", ("Duration", "Quorvane fever in adults usually lasts 3 days.")),
        two=document("Quorvane fever and rest", ("Duration", "Quorvane fever in adults lasts about 9 days.")),
    )
    generator = Listening([Quote(1)])
    events = await run(parts_of(filled, generator=generator), "How long does quorvane fever last?")
    first, second = (e.chunk.text for e in generator.prompt.evidence[:2])
    assert {first, second} == {
        "Quorvane fever in adults usually lasts 3 days.", "Quorvane fever in adults lasts about 9 days.",
    }  # fmt: skip
    assert said(events).strip() == f"{first} [1] (sources differ here: [1] [2])"
    receipt = receipt_of(events)
    assert "sources_differ" in receipt["gate"]["reasons"]
    assert [source["n"] for source in receipt["retrieved_sources"] if source["used"]] == [1, 2]


async def test_sources_that_agree_are_not(filled: Store, tmp_path: Path) -> None:
    text = "Quorvane fever in adults lasts about 3 days."
    filled_with(
        filled, tmp_path, one=document("Quorvane fever", ("Duration", text)),
        two=document("Quorvane fever and rest", ("Duration", text.replace("about", "usually"))),
    )  # fmt: skip
    events = await run(parts_of(filled, [Quote(1)]), "How long does quorvane fever last?")
    assert "differ" not in said(events)
    assert receipt_of(events)["gate"]["reasons"] == []


COMMENT = document("Sore throat", ("Tea", "Sage tea soothes a sore throat within hours."), hierarchy_rank=9)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "risk", "status"),
    [
        ("Which tea soothes a sore throat?", "R0", "answered"),
        ("I have a sore throat, which tea soothes it?", "R1", "deferred"),
    ],
)
async def test_a_comment_alone_answers_only_where_nothing_is_at_risk_and_is_called_one(
    filled: Store, tmp_path: Path, question: str, risk: str, status: str
) -> None:
    filled_with(filled, tmp_path, tea=COMMENT)
    events = await run(parts_of(filled, [Quote(1)]), question)
    receipt = receipt_of(events)
    assert (receipt["riskClass"], receipt["status"]) == (risk, status)
    note = ASSESSOR.text("low_rank_note", language="en").format(markers="[1]")
    assert (note in said(events)) == (status == "answered")
    assert ("comments_left_out" in receipt["correction"]["steps"]) == (status == "deferred")


async def test_beside_a_better_source_a_comment_is_left_out_where_something_is_at_risk(
    filled: Store, tmp_path: Path
) -> None:
    better = document("Throat care", ("Tea", "Warm tea soothes a sore throat."))
    filled_with(filled, tmp_path, tea=COMMENT, care=better)
    receipt = receipt_of(await run(parts_of(filled, [Quote(1)]), "I have a sore throat, which tea soothes it?"))
    assert receipt["status"] == "answered"
    assert receipt["correction"]["steps"][0] == "comments_left_out"
    assert receipt["retrieved_sources"][0]["doc_id"] == "care"
    assert "tea" not in [source["doc_id"] for source in receipt["retrieved_sources"]]


# --- by keyword alone, over the bundled documents


@pytest.fixture(scope="module")
def by_keyword(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Parts]:
    store = Store(tmp_path_factory.mktemp("bundle") / "galen.db", None)
    ingest_path(store, None, ROOT / "data" / "corpus" / "health", keyword_only=True)
    thresholds = load_thresholds(None)
    yield Parts(
        store=store,
        assessor=ASSESSOR,
        retriever=Retriever(store=store, fusion=thresholds.fusion),
        generator=ScriptedGenerator([Sentence(text="No advice.", cited=False), Quote(1)]),
        thresholds=thresholds,
        lexicon=WORDS,
        spellings=Spellings(WORDS.words("en"), store.keywords.holds),
    )
    store.close()


@pytest.mark.parametrize(
    "question", ["How do I fix my car's chest freezer?", "fix my car's chest freezer", "the chest freezer of my car"]
)
async def test_a_word_in_common_is_no_evidence(by_keyword: Parts, question: str) -> None:
    receipt = receipt_of(await run(by_keyword, question))
    assert (receipt["status"], receipt["thresholds"]) == ("deferred", "keyword-only")
    assert "nearness" in receipt["gate"]["skipped"]


@pytest.mark.parametrize("question", ["how are you", "How are you?"])
async def test_small_talk_finds_no_illness(by_keyword: Parts, question: str) -> None:
    receipt = receipt_of(await run(by_keyword, question))
    assert receipt["status"] in ("card", "deferred")
    assert not any(source["used"] for source in receipt["retrieved_sources"])


async def test_a_question_that_the_documents_answer_is_answered(by_keyword: Parts) -> None:
    assert receipt_of(await run(by_keyword, "What are the symptoms of asthma?"))["status"] == "answered"
