"""Several generators as one: the first that answers does. Moves on only before the first sentence."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from rag.errors import ErrorKind, NoProviderLeft, ProviderError
from rag.protocols import Generator
from rag.providers.breaker import Breaker, BreakerState
from rag.providers.model_generator import ModelGenerator
from rag.types import ModelCall, Prompt, Sentence

__all__ = ["Fallback", "ProviderState"]

RESERVE_SECONDS = 5.0
"""What a provider leaves of the turn's time to those behind it."""

CHECK_SECONDS = 15.0


@dataclass(frozen=True, kw_only=True)
class ProviderState:
    """How a provider is doing: its breaker, and how it last failed, if it ever did."""

    name: str
    model: str
    state: BreakerState
    last_error: ErrorKind | None


class Fallback:
    """A `Generator` over others, in order, each behind a circuit breaker.

    One that declines has answered: the next would only be asked to find what is not there. Once a sentence is out,
    a failure is the turn's; of a prompt whose answer is `held` none is out before all are there.
    """

    def __init__(self, generators: Sequence[Generator], *, now: Callable[[], float] = time.monotonic) -> None:
        self._members = tuple((generator, Breaker(now=now)) for generator in generators)

    @property
    def name(self) -> str:
        return ",".join(generator.name for generator, _ in self._members)

    @property
    def model(self) -> str:
        return ",".join(generator.model for generator, _ in self._members)

    @property
    def states(self) -> tuple[ProviderState, ...]:
        return tuple(
            ProviderState(name=each.name, model=each.model, state=breaker.state, last_error=breaker.last_error)
            for each, breaker in self._members
        )

    async def stream(self, prompt: Prompt, deadline: float = math.inf) -> AsyncGenerator[Sentence | ModelCall, None]:
        """The answer of the first generator that gives one, told of by its call; before it the calls of those that
        failed. NoProviderLeft when all do; after the first sentence the error of the one that answered."""
        for place, (generator, breaker) in enumerate(self._members):
            if not breaker.admits():
                yield _passed_over(generator, ErrorKind.CIRCUIT_OPEN)
                continue
            until = deadline - RESERVE_SECONDS if place + 1 < len(self._members) else deadline
            began, failure = False, None
            yield ModelCall(provider=generator.name, model=generator.model)
            try:
                async with aclosing(_read(generator, prompt, until)) as items:
                    async for item in items:
                        began = began or isinstance(item, Sentence)
                        yield item
            except ProviderError as exc:
                breaker.failed(exc)
                if began:
                    raise
                failure = exc
            except BaseException:
                breaker.released()
                raise
            if failure is None:
                breaker.succeeded()
                return
            yield _passed_over(generator, failure.kind)
        raise NoProviderLeft(f"None of {self.name} answered.")

    async def check(self) -> None:
        """Asks every model for a word, all at once, so that `states` tells which of them answer."""
        deadline = asyncio.get_running_loop().time() + CHECK_SECONDS
        asked = [_check(each, breaker, deadline) for each, breaker in self._members if isinstance(each, ModelGenerator)]
        await asyncio.gather(*asked)


async def _read(generator: Generator, prompt: Prompt, until: float) -> AsyncGenerator[Sentence | ModelCall, None]:
    """What a generator yields; of an answer that is held, all of it or nothing."""
    held: list[Sentence] = []
    async with aclosing(generator.stream(prompt, until)) as items:
        async for item in items:
            if prompt.held and isinstance(item, Sentence):
                held.append(item)
            else:
                yield item
    for sentence in held:
        yield sentence


def _passed_over(generator: Generator, kind: ErrorKind) -> ModelCall:
    return ModelCall(provider=generator.name, model=generator.model, error=kind)


async def _check(generator: ModelGenerator, breaker: Breaker, deadline: float) -> None:
    try:
        await generator.check(deadline)
    except ProviderError as exc:
        breaker.failed(exc)
    else:
        breaker.succeeded()
