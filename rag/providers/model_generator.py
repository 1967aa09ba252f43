"""A `Generator` that asks a model: prompt → request → pieces → sentences, inside the turn's deadline.

Knows what all providers have in common; the wire knows how one of them is reached.
"""

from __future__ import annotations

import asyncio
import datetime
import math
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace

from rag.errors import ErrorKind, ProviderBusy, ProviderTimeout, ProviderTooLarge, ProviderUnusable
from rag.providers.chat_wire import ChatRequest, ChatWire, Piece, Sampling
from rag.providers.draft import DraftReader
from rag.providers.model_prompt import messages_of, prompt_hash
from rag.types import LAW_COLLECTION, ModelCall, Prompt, Sentence

__all__ = ["Limits", "ModelGenerator"]

_MOST_REQUESTS = 3
_LEAST_CONTEXT = 300
"""Tokens of passages below which it is no use to shrink further."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Seconds that are waited: for the first token, reasoning included; between two; and for a rate limit to pass."""

    first_token: float = 12.0
    idle: float = 8.0
    rate_limit: float = 10.0


_SAMPLING, _LIMITS = Sampling(), Limits()


class ModelGenerator:
    """Answers with a model behind `wire`. `say` gives a fixed sentence of ours by key and language.

    `context_tokens` bounds the passages in a prompt, roughly.
    """

    def __init__(
        self,
        wire: ChatWire,
        say: Callable[[str, str], str],
        *,
        sampling: Sampling = _SAMPLING,
        limits: Limits = _LIMITS,
        context_tokens: int = 4000,
        today: Callable[[], datetime.date] = datetime.date.today,
    ) -> None:
        self._wire, self._say, self._today = wire, say, today
        self._sampling, self._limits, self._context = sampling, limits, context_tokens

    @property
    def name(self) -> str:
        return self._wire.name

    @property
    def model(self) -> str:
        return self._wire.model

    async def stream(self, prompt: Prompt, deadline: float = math.inf) -> AsyncGenerator[Sentence | ModelCall, None]:
        """The model's sentences, each with its markers, then our own; none when it declines.

        A request that is too large is made smaller, and a rate limit that passes in time is waited for, as long as
        nothing has been said. ProviderError else.
        """
        context = self._context
        for number in range(1, _MOST_REQUESTS + 1):
            said = False
            try:
                async with aclosing(self._attempt(prompt, context, deadline, number)) as items:
                    async for item in items:
                        said = said or isinstance(item, Sentence)
                        yield item
                return
            except ProviderTooLarge:
                if said or number == _MOST_REQUESTS or context < 2 * _LEAST_CONTEXT:
                    raise
                context //= 2
            except ProviderBusy as exc:
                if said or number == _MOST_REQUESTS or not self._fits(exc, deadline):
                    raise
                await asyncio.sleep(exc.retry_after or 0)

    async def check(self, deadline: float = math.inf) -> None:
        """Returns when the model has begun to answer a request without anyone's words. ProviderError when it does
        not."""
        request = ChatRequest(
            messages=({"role": "user", "content": "Reply with the word OK."},),
            sampling=replace(self._sampling, max_tokens=16),
        )
        async with aclosing(self._timed(self._wire.stream(request), deadline)) as pieces:
            async for piece in pieces:
                if piece.text or piece.reasoning or piece.finish:
                    return
        raise ProviderUnusable(f"{self.name} says nothing.", kind=ErrorKind.EMPTY)

    def _fits(self, exc: ProviderBusy, deadline: float) -> bool:
        """Whether the provider said when it will serve again, and an answer is still of use then."""
        if exc.kind is not ErrorKind.RATE_LIMITED or exc.retry_after is None:
            return False
        begins = asyncio.get_running_loop().time() + exc.retry_after + self._limits.first_token
        return exc.retry_after <= self._limits.rate_limit and begins <= deadline

    async def _attempt(
        self, prompt: Prompt, context: int, deadline: float, number: int
    ) -> AsyncGenerator[Sentence | ModelCall, None]:
        """One request. The call is told before it and, complete, after the last sentence."""
        messages = messages_of(prompt, context, self._today())
        request = ChatRequest(
            messages=(
                {"role": "system", "content": messages.system},
                {"role": "user", "content": messages.user},
            ),
            sampling=self._sampling,
        )
        call = ModelCall(
            provider=self.name,
            model=self.model,
            temperature=self._sampling.temperature,
            top_p=self._sampling.top_p,
            seed=self._sampling.seed,
            max_tokens=self._sampling.max_tokens,
            prompt=prompt_hash(),
            passages=messages.passages,
            neutralised=messages.neutralised,
            requests=number,
        )
        yield call
        draft, shown, reasoned = DraftReader(), False, False
        async with aclosing(self._timed(self._wire.stream(request), deadline)) as pieces:
            async for piece in pieces:
                call, reasoned = _told(call, piece), reasoned or piece.reasoning
                for sentence in draft.feed(piece.text):
                    if not shown:
                        for note in self._before(prompt):
                            yield note
                    shown = True
                    yield sentence
                if draft.full:
                    call = replace(call, finish=call.finish or "stopped_by_us")
                    break
        rest = self._rest(draft, call, reasoned)
        if rest and not shown:
            rest = [*self._before(prompt), *rest]
        for sentence in rest:
            yield sentence
        if draft.declined:
            call = replace(call, declined=True)
        else:
            yield self._after(prompt)
        yield call

    def _rest(self, draft: DraftReader, call: ModelCall, reasoned: bool) -> list[Sentence]:
        """What the end of a draft completes. ProviderUnusable where there is none, or it was cut."""
        rest = draft.end(whole=call.finish == "stop")
        if call.finish is None:
            raise ProviderUnusable(f"{self.name} broke off.", kind=ErrorKind.CUT)
        if draft.empty:
            kind = ErrorKind.REASONING_ONLY if reasoned or draft.reasoned else ErrorKind.EMPTY
            raise ProviderUnusable(f"{self.name} said nothing.", kind=kind)
        return rest

    def _before(self, prompt: Prompt) -> list[Sentence]:
        """What we say in front of an answer in another language than the person's."""
        if prompt.answered_in == prompt.language:
            return []
        return [Sentence(text=self._say("source_language", prompt.language) + "\n\n", cited=False)]

    def _after(self, prompt: Prompt) -> Sentence:
        key = "disclaimer_law" if prompt.collection == LAW_COLLECTION else "disclaimer"
        return Sentence(text=self._say(key, prompt.language), lead="\n\n", cited=False)

    async def _timed(self, pieces: AsyncGenerator[Piece, None], deadline: float) -> AsyncGenerator[Piece, None]:
        """The pieces. ProviderTimeout when the first word or the next one takes too long."""
        loop = asyncio.get_running_loop()
        until, begun = loop.time() + self._limits.first_token, False
        async with aclosing(pieces):
            while True:
                try:
                    async with asyncio.timeout_at(min(until, deadline)):
                        piece = await anext(pieces)
                except StopAsyncIteration:
                    return
                except TimeoutError as exc:
                    late = ErrorKind.IDLE_TIMEOUT if begun else ErrorKind.FIRST_TOKEN_TIMEOUT
                    kind = ErrorKind.DEADLINE if loop.time() >= deadline else late
                    raise ProviderTimeout(f"{self.name} did not answer in time.", kind=kind) from exc
                begun = begun or bool(piece.text) or piece.reasoning
                if begun:
                    until = loop.time() + self._limits.idle
                yield piece


def _told(call: ModelCall, piece: Piece) -> ModelCall:
    """The call with what a piece tells about it."""
    return replace(
        call,
        served_model=call.served_model or piece.model,
        fingerprint=piece.fingerprint or call.fingerprint,
        request_id=call.request_id or piece.request_id,
        finish=piece.finish or call.finish,
        usage=piece.usage or call.usage,
    )
