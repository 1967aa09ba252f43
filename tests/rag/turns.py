"""Turns to run in tests: questions of each kind, the sentences of a scripted answer, and what came of them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

from app.components import LEXICON
from rag.events import Delta, Event, ReceiptReady, Stage
from rag.lexicon import Lexicon
from rag.pipeline import Parts, run_turn
from rag.protocols import EmbedKind, FloatMatrix
from rag.retrieve import Retriever
from rag.spelling import Spellings
from rag.store import Store
from rag.thresholds import Fusion, GateModel, Thresholds
from rag.types import Message, Sentence, Turn
from safety.assess import Assessor
from tests.corpora import document
from tests.fakes.embedder import HashEmbedder
from tests.fakes.generator import ScriptedGenerator, Step

__all__ = [
    "ASSESSOR",
    "BEER",
    "CAREFUL",
    "CRYSTALS",
    "DISCLAIMER",
    "DOCUMENTS",
    "EMERGENCY",
    "INVENTED",
    "KNOWN",
    "NO_SOURCE",
    "REFUSED",
    "THRESHOLDS",
    "UNKNOWN",
    "URGENT",
    "Embedding",
    "names",
    "parts_of",
    "receipt_of",
    "run",
    "said",
    "stored",
    "turn_of",
]

ASSESSOR = Assessor.load()
THRESHOLDS = Thresholds(
    key="test",
    fusion=Fusion(dense=1.0, keyword=1.0, dense_rewritten=1.0, keyword_rewritten=1.0, k=60),
    gates={
        "health": GateModel(
            weights={"coverage": 20.0},
            bias=-8.0,
            correct=0.7,
            ambiguous=0.5,
            dense_floor=0.2,
            dense_alone=0.9,
            margin_floor=0.015,
            coverage_low=0.4,
        )
    },
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


WORDS = Lexicon(LEXICON)


def parts_of(store: Store, steps: Sequence[Step] = (CRYSTALS, BEER), **more: Any) -> Parts:
    made: dict[str, Any] = {
        "store": store,
        "assessor": ASSESSOR,
        "retriever": Retriever(store=store, fusion=THRESHOLDS.fusion),
        "generator": ScriptedGenerator(steps),
        "thresholds": THRESHOLDS,
        "lexicon": WORDS,
        "spellings": Spellings(WORDS.words("en"), store.keywords.holds),
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
