"""Runs a generator inside the turn's deadline and turns what goes wrong into our own errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from rag.errors import ErrorKind, ProviderTimeout
from rag.protocols import Generator
from rag.types import ModelCall, Prompt, Sentence

__all__ = ["generate"]


async def generate(generator: Generator, prompt: Prompt, deadline: float) -> AsyncGenerator[Sentence | ModelCall, None]:
    """What the generator yields. ProviderTimeout when `deadline` (event-loop time, seconds) passes first.

    `asyncio.wait_for` would run every step in a task of its own, which a second cancellation leaves running while the
    stream is being closed.
    """
    async with aclosing(generator.stream(prompt, deadline)) as stream:
        while True:
            try:
                async with asyncio.timeout_at(deadline):
                    item = await anext(stream)
            except StopAsyncIteration:
                return
            except TimeoutError as exc:
                raise ProviderTimeout(f"{generator.name} did not answer in time.", kind=ErrorKind.DEADLINE) from exc
            yield item
