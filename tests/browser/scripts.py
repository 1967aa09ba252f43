"""The streams that the fake service plays, by question: events, raw bytes, and where to hold, cut or end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.wire import native
from rag.events import CardShown, Delta, Event, Failed, RiskFound, SourcesFound, Stage, Started
from rag.types import Evidence, Route, Status
from tests.browser.facts import DIABETES, HOSTILE, RECEIPT_ID, TRAP, VERSION, ending

__all__ = ["SCRIPTS", "WORLD", "Cut", "End", "Hold", "Refused", "Script", "Step", "frame"]


@dataclass(frozen=True)
class Hold:
    """The stream waits here until the test calls `release`."""


@dataclass(frozen=True)
class Cut:
    """The connection breaks here, in the middle of the response."""


@dataclass(frozen=True)
class End:
    """The response ends here in good order, as a proxy would end it, though the turn has not."""


@dataclass(frozen=True, kw_only=True)
class Refused:
    """An HTTP error in place of a stream."""

    status: int
    body: dict[str, Any]


Step = Event | bytes | Hold | Cut | End
Script = Sequence[Step] | Refused

STARTED = Started(id=RECEIPT_ID, collection="health", corpus_version=VERSION)


def _opening(evidence: tuple[Evidence, ...] = ()) -> list[Event]:
    start: list[Event] = [STARTED, Stage(stage="retrieving")]
    return [*start, SourcesFound(evidence=evidence), Stage(stage="answering")] if evidence else start


def _deltas(*texts: str) -> list[Event]:
    return [Delta(text=text) for text in texts]


BANNER = RiskFound(
    risk_class="R5",
    rule_ids=("cardiac.chest_pain_radiating",),
    banner=True,
    text="This may be a heart attack. Call 112 now. Do not drive yourself.",
    numbers={"emergency": "112", "crisis": "116 123 or 0800 111 0 111", "text": "send HELLO to 741741"},
    steps=("Sit down and rest.", "Loosen tight clothes.", "Do not eat or drink."),
)
NOTICE = RiskFound(
    risk_class="R2",
    rule_ids=("pregnancy.medicine",),
    banner=False,
    text="You mention a pregnancy: ask your midwife, doctor or pharmacist before you take any medicine.",
    numbers={},
)
WORLD = "症状 😀👩‍⚕️ é ß Ω أعراض 结束"


def _bytewise(events: Sequence[Event]) -> list[bytes]:
    """The events one byte at a time: every character beyond ASCII is split."""
    return [bytes([byte]) for event in events for byte in frame(event)]


SCRIPTS: dict[str, Callable[[], Script]] = {
    "answer": lambda: [
        *_opening(DIABETES),
        *_deltas(
            "Early signs of type 2 diabetes come on slowly. [1]",
            "\n- feeling thirsty often [1]",
            "\n- passing more urine, mostly at night [1][3]",
            "\n- losing weight without trying [3]",
            "\n\nA blood test can show it before there are any signs. [1]",
            " Ask a doctor about a test if you have these signs.",
        ),
        *ending(Status.ANSWERED, DIABETES, (1, 3)),
    ],
    "slow": lambda: [
        *_opening(DIABETES),
        *_deltas("First part. [1]"),
        Hold(),
        *_deltas("\n\nSecond part. [3]"),
        Hold(),
        *_deltas("\n\nThird part. [1]"),
        *ending(Status.ANSWERED, DIABETES, (1, 3)),
    ],
    "pieces": lambda: [
        *_opening(DIABETES),
        *_deltas("One", " [", "1", "]", "[3", "] and [9", "9] and [x]"),
        *_deltas("\n", "-", " a ", "point", "\n- b", "\n", "\n", "End", "."),
        *ending(Status.ANSWERED, DIABETES, (1, 3)),
    ],
    "bytes": lambda: [*_opening(), *_bytewise([*_deltas(WORLD), *ending(Status.CARD)])],
    "heartbeats": lambda: [
        b": hb\n\n",
        *_opening(),
        b": hb\n\nevent: unheard_of\ndata: {}\n\n",
        b'event: delta\r\ndata: {"text":\r\ndata: "two data lines"}\r\n\r',
        b"\n: hb\n\n",
        *ending(Status.CARD),
    ],
    "cut": lambda: [*_opening(DIABETES), *_deltas("Only this arrives. [1]"), Hold(), Cut()],
    "cut inside": lambda: [
        *_opening(DIABETES),
        *_deltas("Only this arrives. [1]"),
        b'event: delta\ndata: {"tex',
        Hold(),
        Cut(),
    ],
    "end early": lambda: [*_opening(DIABETES), *_deltas("Only this arrives. [1]"), End()],
    "no number": lambda: [
        STARTED,
        replace(BANNER, text="Call your local emergency number.", numbers={"emergency": "your local emergency number"}),
        *ending(Status.EMERGENCY, risk_class="R5", rule_ids=BANNER.rule_ids, banner=True, corpus_version=None),
    ],
    "error": lambda: [*_opening(DIABETES), *ending(Status.FAILED, DIABETES, error="provider_failed")],
    "problem": lambda: Refused(
        status=422,
        body={
            "status": 422,
            "code": "invalid_request",
            "detail": "Some fields have wrong values; 'errors' names them.",
            "errors": [{"field": "messages.0.content", "reason": "is longer than 20,000 characters: shorten it"}],
        },
    ),
    "busy": lambda: Refused(status=503, body={"status": 503, "detail": "Too much to do at the moment."}),
    "emergency": lambda: [
        STARTED,
        BANNER,
        *ending(Status.EMERGENCY, risk_class="R5", rule_ids=BANNER.rule_ids, banner=True, corpus_version=None),
    ],
    "notice": lambda: [
        STARTED,
        NOTICE,
        *_opening(DIABETES)[1:],
        *_deltas("Some medicines are not safe in pregnancy. [1]"),
        *ending(Status.ANSWERED, DIABETES, (1,), risk_class="R2", rule_ids=NOTICE.rule_ids),
    ],
    "deferral": lambda: [
        *_opening(),
        *_deltas("I did not find enough in my sources, so I will not guess.\n\nAsk a pharmacist, nurse or doctor."),
        *ending(
            Status.DEFERRED,
            DIABETES,
            route=Route.INCORRECT,
            gate_reasons=("dense_below_floor",),
            degraded=("query_embedding",),
        ),
    ],
    "refusal": lambda: [*_opening(), *_deltas("I cannot help with this."), *ending(Status.REFUSED)],
    "hello": lambda: [
        *_opening()[:1],
        CardShown(kind="greeting", text="Hello. What would you like to know?"),
        *ending(Status.CARD),
    ],
    "hostile": lambda: [
        Started(id=RECEIPT_ID, collection=HOSTILE, corpus_version=VERSION),
        RiskFound(
            risk_class=HOSTILE,
            rule_ids=(HOSTILE,),
            banner=True,
            text=HOSTILE,
            numbers={HOSTILE: "javascript:alert(1)"},
            steps=(HOSTILE,),
        ),
        *_opening(TRAP)[1:],
        *_deltas(f"{HOSTILE} [x](javascript:alert(1)) <script>window.__pwned=1</script> [1]", f"\n- {HOSTILE} [2]"),
        *ending(Status.ANSWERED, TRAP, (1, 2), rule_ids=(HOSTILE,), model=HOSTILE, degraded=(HOSTILE,)),
    ],
    "hostile error": lambda: [*_opening(), Failed(code="internal", message=HOSTILE)],
}


def frame(event: Event) -> bytes:
    """An event as the real wire sends it."""

    async def one() -> AsyncGenerator[Event, None]:
        yield event

    async def encoded() -> bytes:
        return b"".join([sent.encode() async for sent in native.encode(one())])

    return asyncio.run(encoded())
