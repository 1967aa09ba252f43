"""A generator that says what a test wrote down, and parts that must not be called."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any, NoReturn

from rag.types import Prompt, Sentence

__all__ = ["Forbidden", "Scripted"]


class Scripted:
    """Yields the given sentences; raises an exception that stands among them, waits for a number of seconds.

    `prompts` are the prompts it got; `closed` counts the streams whose `finally` has run.
    """

    name, model = "scripted", "scripted-1"

    def __init__(self, *script: Sentence | Exception | float) -> None:
        self._script = script
        self.prompts: list[Prompt] = []
        self.said = 0
        self.closed = 0

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Sentence, None]:
        self.prompts.append(prompt)
        try:
            for step in self._script:
                if isinstance(step, Exception):
                    raise step
                if isinstance(step, float):
                    await asyncio.sleep(step)
                    continue
                self.said += 1
                yield step
        finally:
            self.closed += 1


class Forbidden:
    """Generator, retriever and embedder that note every call and fail it."""

    name, model, top_k, info = "forbidden", "forbidden", 6, None

    def __init__(self) -> None:
        self.calls: list[str] = []

    def stream(self, *_: Any) -> NoReturn:
        self._refuse("stream")

    def search(self, *_: Any) -> NoReturn:
        self._refuse("search")

    def embed(self, *_: Any) -> NoReturn:
        self._refuse("embed")

    def _refuse(self, name: str) -> NoReturn:
        self.calls.append(name)
        raise AssertionError(f"{name} was called")
