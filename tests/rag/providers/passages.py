"""Passages to answer from: made up on gout, and those of the bundled documents."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rag.ingest.chunk import chunk_document
from rag.ingest.readers import read_source
from rag.ingest.records import BadRecord, Defaults
from rag.providers.extractive import compose
from rag.types import Evidence, Prompt, Sentence
from tests.fakes import evidence

__all__ = [
    "GOUT",
    "GOUT_HELP",
    "GOUT_SYMPTOMS",
    "GOUT_TREATMENT",
    "GOUT_WHAT",
    "ROOT",
    "answer",
    "bundled",
    "passage",
    "texts",
]

ROOT = Path(__file__).parents[3]


def passage(
    title: str,
    text: str,
    *,
    heading: str = "",
    topic: str = "",
    doc_id: str = "",
    ordinal: int = 0,
    lang: str = "en",
) -> Evidence:
    return evidence.passage(
        text,
        chunk_id=f"{doc_id or title}-{ordinal}-{heading}",
        doc_id=doc_id or title,
        title=title,
        heading=heading,
        topic=topic,
        ordinal=ordinal,
        lang=lang,
    )


def answer(
    question: str, *found: Evidence, language: str = "en", max_words: int = 180, focus: str = ""
) -> tuple[Sentence, ...]:
    prompt = Prompt(question=question, focus=focus, language=language, evidence=found)
    return compose(prompt, max_words=max_words)


def texts(sentences: Iterable[Sentence]) -> list[str]:
    return [sentence.text for sentence in sentences]


GOUT = "Gout is a kind of arthritis that causes sudden, severe joint pain."
GOUT_WHAT = passage("Gout", f"{GOUT} Crystals of uric acid form inside the joint.", heading="What it is", ordinal=0)
GOUT_SYMPTOMS = passage(
    "Gout",
    "Symptoms of gout usually start at night.\n\nCommon symptoms of gout are:\n\n- a hot, swollen joint\n"
    "- red, shiny skin\n- pain when the joint is touched\n\nAn attack of gout lasts about a week.",
    heading="Symptoms",
    ordinal=1,
)
GOUT_TREATMENT = passage(
    "Gout",
    "Gout is treated with rest, ice and anti-inflammatory medicines. Allopurinol lowers uric acid in the long run.",
    heading="Treatment",
    ordinal=2,
)
GOUT_HELP = passage(
    "Gout",
    "See a doctor about a first attack of gout. Call the emergency number if gout comes with a high fever "
    "and shivering.",
    heading="When to get help",
    ordinal=3,
)


def bundled() -> list[Evidence]:
    found = []
    for document in read_source(ROOT / "data/corpus/health", Defaults()):
        assert not isinstance(document, BadRecord), document
        for piece in chunk_document(document, lambda text: len(text.split()) * 4 // 3):
            found.append(
                passage(
                    document.title,
                    piece.text,
                    heading=piece.heading,
                    topic=document.topic,
                    doc_id=document.doc_id,
                    ordinal=piece.ordinal,
                )
            )
    return found
