"""A generator that follows a script: what it says, when it waits, where it fails, and whether it was ended."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator, Sequence

import anyio

from rag.types import Prompt, Sentence

__all__ = ["Fail", "Quote", "ScriptedGenerator", "Stall", "Step", "Wait"]


class Fail:
    """Raises `error`."""

    def __init__(self, error: Exception) -> None:
        self.error = error


class Quote:
    """Says the first sentence of passage `n`, under its marker."""

    def __init__(self, n: int = 1) -> None:
        self.n = n


class Wait:
    """Gives other tasks a turn `times` times: slow, without a clock."""

    def __init__(self, times: int = 20) -> None:
        self.times = times


class Stall:
    """Never says another word."""


Step = Sentence | Quote | Fail | Wait | Stall


class ScriptedGenerator:
    """Plays `steps` for every prompt.

    `started` and `ended` count streams; a stream counts as ended only when its clean-up, which awaits as that of a
    network client does, has run to its end.
    """

    name = "scripted"
    model = "scripted-1"

    def __init__(self, steps: Sequence[Step] = (Quote(1),)) -> None:
        self.steps: Sequence[Step] = steps
        self.started = 0
        self.ended = 0

    async def stream(self, prompt: Prompt, _deadline: float = math.inf) -> AsyncGenerator[Sentence, None]:
        self.started += 1
        try:
            for step in self.steps:
                match step:
                    case Sentence():
                        yield step
                    case Quote():
                        yield Sentence(text=_first_sentence(prompt, step.n), markers=(step.n,), lead=" ")
                    case Fail():
                        raise step.error
                    case Wait():
                        for _ in range(step.times):
                            await asyncio.sleep(0)
                    case Stall():
                        await asyncio.Event().wait()
        finally:
            with anyio.CancelScope(shield=True):
                for _ in range(5):
                    await asyncio.sleep(0)
            self.ended += 1


def _first_sentence(prompt: Prompt, n: int) -> str:
    line = next(line for line in prompt.evidence[n - 1].chunk.text.splitlines() if line.rstrip().endswith("."))
    return line.split(". ")[0].rstrip(".") + "."
