"""Runs a generator inside the turn's deadline and turns what goes wrong into our own errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from rag.errors import ProviderTimeout
from rag.protocols import Generator
from rag.types import Prompt, Sentence

__all__ = ["generate"]


async def generate(generator: Generator, prompt: Prompt, deadline: float) -> AsyncGenerator[Sentence, None]:
    """The generator's sentences. ProviderTimeout when `deadline` (event-loop time, seconds) passes first."""
    loop = asyncio.get_running_loop()
    async with aclosing(generator.stream(prompt)) as stream:
        while True:
            try:
                sentence = await asyncio.wait_for(anext(stream), max(0.0, deadline - loop.time()))
            except StopAsyncIteration:
                return
            except TimeoutError as exc:
                raise ProviderTimeout(f"{generator.name} did not answer in time.") from exc
            yield sentence
