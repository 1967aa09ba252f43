"""`galen serve` in a process of its own, with a small embedder, a scripted generator and faults on demand.

    python -m tests.app.child PORT

SCRIPT names what the generator does. FAULT is a file; the stage whose name stands in it raises an exception that holds
all that the stage was given, and the text of MARK.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import anyio

import app.chat
import app.components
import app.generators
import app.receipts
import app.wire.native
import rag.grade
import rag.pipeline
from app.settings import Settings
from rag.errors import ProviderError
from rag.protocols import Embedder
from rag.retrieve import Retriever
from rag.store import EmbedCache, Receipts, Views
from rag.store.corpus import Corpus
from rag.types import Prompt, Sentence
from safety.assess import Assessor
from scripts import cli
from tests.fakes.embedder import HashEmbedder

MARK = os.environ.get("MARK", "")

PATCHED: dict[str, tuple[Any, str]] = {
    "sanitize": (rag.pipeline, "sanitize"),
    "assess": (Assessor, "assess"),
    "emergency_text": (Assessor, "emergency_text"),
    "card": (rag.pipeline, "match_card"),
    "view": (Views, "get"),
    "rewrite": (rag.pipeline, "rewrite"),
    "cache_get": (EmbedCache, "get"),
    "cache_put": (EmbedCache, "put"),
    "embed": (HashEmbedder, "embed"),
    "search": (Retriever, "search"),
    "rerank": (rag.pipeline, "rerank"),
    "grade": (rag.grade, "label_of"),
    "gate": (rag.pipeline, "gate"),
    "prompt": (rag.pipeline, "build_prompt"),
    "generate": (rag.pipeline, "generate"),
    "check": (rag.pipeline, "check_sentence"),
    "receipt": (rag.pipeline, "make_receipt"),
    "receipt_open": (Receipts, "open"),
    "receipt_close": (Receipts, "close"),
    "receipt_get": (Receipts, "get"),
    "encode": (app.wire.native, "_named"),
    "fold": (app.chat, "fold_events"),
    "parse": (app.chat, "parse_chat"),
    "read": (app.chat, "read_json"),
    "collection": (Corpus, "version"),
    "passage": (Corpus, "chunk"),
}
STAGES = (*PATCHED, "generator", "generator_after", "embed_provider")


def fault() -> str:
    file = os.environ.get("FAULT")
    return Path(file).read_text() if file and Path(file).exists() else ""


def wait_for(file: Path) -> None:
    while not file.exists():
        time.sleep(0.02)


def faulty(stage: str, call: Callable[..., Any]) -> Callable[..., Any]:
    def wrapped(*arguments: Any, **more: Any) -> Any:
        if fault() == stage:
            raise RuntimeError(f"{stage} failed on {MARK} {arguments!r} {more!r}")
        if fault() == "embed_provider" and stage == "embed":
            raise ProviderError(f"{MARK} {arguments!r}")
        return call(*arguments, **more)

    return wrapped


class Generator:
    """Speaks as SCRIPT says: "quote"; "stall"; "gate" waits for the file GATE between two sentences."""

    name, model = "scripted", "scripted-1"

    def __init__(self, _: str) -> None:
        self._script = os.environ.get("SCRIPT", "quote")

    async def stream(self, prompt: Prompt, _deadline: float = 0) -> AsyncGenerator[Sentence, None]:
        if fault() == "generator":
            raise RuntimeError(f"{MARK} {prompt!r}")
        yield Sentence(text=prompt.evidence[0].chunk.title, markers=(1,))
        if fault() == "generator_after":
            raise RuntimeError(f"{MARK} {prompt!r}")
        if self._script == "stall":
            await anyio.Path("stalled").touch()
            await anyio.Event().wait()
        if self._script == "gate":
            await asyncio.to_thread(wait_for, Path(os.environ["GATE"]))
            yield Sentence(text=f"{prompt.evidence[0].chunk.title} {MARK}", markers=(1,), lead=" ")
        if self._script == "mark":
            yield Sentence(text=f"Symptoms of quorvane fever are a blue rash and {MARK}", markers=(1,), lead=" ")


def main() -> None:
    for stage, (owner, name) in PATCHED.items():
        setattr(owner, name, faulty(stage, getattr(owner, name)))

    def embedder(_: Settings) -> tuple[Embedder | None, tuple[str, ...]]:
        return HashEmbedder(), ()

    app.components._open_embedder = embedder
    app.generators.Extractive = Generator  # type: ignore[misc,assignment]
    sys.exit(cli.main(["serve", "--host", "127.0.0.1", "--port", sys.argv[1]]))


if __name__ == "__main__":
    main()
