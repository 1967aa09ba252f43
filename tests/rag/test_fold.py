from __future__ import annotations

import json
from collections.abc import AsyncGenerator

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
from rag.fold import fold_events, risk_text
from rag.receipt import Receipt
from rag.types import Citation, Status
from tests.fakes.evidence import passage

RECEIPT = Receipt(id="t", status=Status.ANSWERED, created_at="", collection="health", language="en", risk_class="R0")
RISK = RiskFound(
    risk_class="R4",
    rule_ids=("a.b",),
    banner=True,
    text="Call now.",
    numbers={"emergency": "999"},
    steps=("Sit down.",),
)
CITATION = Citation(n=1, chunk_id="c", title="T", organization="O", url=None, version_date=None)


class Stream:
    def __init__(self, *events: Event) -> None:
        self._events, self.closed = events, False

    async def run(self) -> AsyncGenerator[Event, None]:
        try:
            for event in self._events:
                yield event
        finally:
            self.closed = True


def started() -> Started:
    return Started(id="t", collection="health", corpus_version="1", ignored=("foo",))


async def test_an_answer_is_told_at_once() -> None:
    stream = Stream(
        started(),
        Stage(stage="retrieving"),
        SourcesFound(evidence=(passage(),)),
        Delta(text="One. [1]"),
        Delta(text=" Two. [1]"),
        ReceiptReady(receipt=RECEIPT),
        Done(status=Status.ANSWERED, citations=(CITATION,)),
    )
    folded = await fold_events(stream.run())
    assert folded == {
        "id": "t",
        "status": "answered",
        "answer": "One. [1] Two. [1]",
        "citations": [
            {
                "n": 1,
                "chunk_id": "c",
                "title": "T",
                "organization": "O",
                "url": None,
                "version_date": None,
                "web": False,
                "date_seen": None,
            }
        ],
        "receipt": RECEIPT.as_json(),
        "risk": None,
        "error": None,
        "ignored": ["foo"],
    }
    assert json.loads(json.dumps(folded)) == folded
    assert stream.closed


async def test_an_answer_begins_with_its_banner() -> None:
    folded = await fold_events(
        Stream(started(), RISK, Delta(text="More."), ReceiptReady(receipt=RECEIPT), Done(status=Status.ANSWERED)).run()
    )
    assert folded["answer"] == "Call now.\n- Sit down.\n\nMore."
    assert folded["risk"]["numbers"] == {"emergency": "999"}
    assert folded["risk"]["rule_ids"] == ("a.b",)


def test_a_notice_without_steps_is_one_line() -> None:
    notice = RiskFound(risk_class="R2", rule_ids=(), banner=False, text="See a doctor.", numbers={})
    assert risk_text(notice) == "See a doctor."


async def test_a_card_is_the_answer() -> None:
    folded = await fold_events(
        Stream(started(), CardShown(kind="greeting", text="Hello."), Done(status=Status.CARD)).run()
    )
    assert (folded["answer"], folded["status"]) == ("Hello.", "card")


async def test_a_failure_keeps_what_was_shown_and_says_why() -> None:
    folded = await fold_events(
        Stream(
            started(),
            Delta(text="One."),
            ReceiptReady(receipt=RECEIPT),
            Failed(code="provider_failed", message="Ask again."),
        ).run()
    )
    assert (folded["status"], folded["answer"], folded["citations"]) == ("failed", "One.", [])
    assert folded["error"] == {"code": "provider_failed", "message": "Ask again.", "retryable": True}


async def test_a_stream_that_ends_without_a_word_has_failed() -> None:
    assert (await fold_events(Stream().run()))["status"] == "failed"
