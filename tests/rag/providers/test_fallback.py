"""Several providers as one, over real HTTP: who is asked, who answers, and what is told of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import replace

import pytest

from rag.errors import NoProviderLeft, ProviderError
from rag.providers.breaker import BreakerState
from rag.providers.extractive import Extractive
from rag.providers.fallback import Fallback
from rag.types import ModelCall, Prompt, Sentence
from tests.fakes.llm_server import LLMServer, Play, llm_server
from tests.fakes.models import PROMPT, asking, say

CUT = Play(
    name="cut", text="ANSWER\nRest helps [1]. Sleep helps too [1]. Tea helps a little too [2]. The end is here [1]."
)
"""Breaks off when a sentence is out."""


@pytest.fixture
def server() -> Iterator[LLMServer]:
    with llm_server() as running:
        yield running


async def read(generator: Fallback, prompt: Prompt = PROMPT) -> tuple[list[str], dict[str, ModelCall]]:
    """The cited sentences, and the last call of each provider."""
    items = [item async for item in generator.stream(prompt)]
    calls = {item.provider: item for item in items if isinstance(item, ModelCall)}
    return [item.text for item in items if isinstance(item, Sentence) and item.cited], calls


@pytest.mark.parametrize(
    "play",
    [
        "unauthorized", "payment", "not_found", "decommissioned", "unavailable", "empty", "reasoning_only", "hangs_up",
        "slow_first_token", "rejected", "not_json", Play(name="rate_limit", retry_after="3600"),
        Play(name="cut", text="ANSWER\nRest helps a lot"), Play(name="no_finish", text="ANSWER\nRest helps"),
    ],
)  # fmt: skip
async def test_before_the_first_sentence_the_next_provider_takes_over(server: LLMServer, play: Play | str) -> None:
    server.play(play)
    said, calls = await read(Fallback([asking(server, "groq"), asking(server), Extractive(say)]))
    assert said[0] == "Gout comes from uric acid crystals."
    assert list(calls) == ["groq", "vllm"]
    assert calls["groq"].error
    assert (calls["vllm"].error, calls["vllm"].finish) == (None, "stop")


async def test_when_no_model_answers_the_sources_are_quoted(server: LLMServer) -> None:
    server.play("unauthorized", "unavailable")
    said, calls = await read(Fallback([asking(server, "groq"), asking(server), Extractive(say)]))
    assert said
    assert {name: call.error for name, call in calls.items()} == {
        "groq": "unauthorized", "vllm": "unavailable", "extractive": None,
    }  # fmt: skip


async def test_when_nobody_answers_that_is_told(server: LLMServer) -> None:
    server.play("unauthorized", "unavailable")
    with pytest.raises(NoProviderLeft):
        await read(Fallback([asking(server, "groq"), asking(server)]))


async def test_one_that_declines_has_answered(server: LLMServer) -> None:
    server.play("declines")
    said, calls = await read(Fallback([asking(server), Extractive(say)]))
    assert said == []
    assert calls["vllm"].declined
    assert "extractive" not in calls


async def test_after_the_first_sentence_nobody_takes_over(server: LLMServer) -> None:
    server.play(CUT)
    said: list[Sentence | ModelCall] = []

    async def listen() -> None:
        async with aclosing(Fallback([asking(server), Extractive(say)]).stream(PROMPT)) as stream:
            async for item in stream:
                said.append(item)

    with pytest.raises(ProviderError):
        await listen()
    assert next(item.text for item in said if isinstance(item, Sentence)) == "Rest helps."


async def test_an_answer_that_is_held_was_not_shown_and_the_next_may_take_over(server: LLMServer) -> None:
    server.play(CUT)
    said, calls = await read(Fallback([asking(server), Extractive(say)]), replace(PROMPT, held=True))
    assert "Rest helps." not in said
    assert said
    assert (calls["vllm"].error, calls["extractive"].error) == ("cut", None)


async def test_a_provider_that_keeps_failing_is_left_alone_until_it_may_try(server: LLMServer) -> None:
    seconds = 0.0
    fallback = Fallback([asking(server), Extractive(say)], now=lambda: seconds)
    server.play(*["unavailable"] * 3)
    for _ in range(5):
        _, calls = await read(fallback)
    assert len(server.asked) == 3
    assert calls["vllm"].error == "circuit_open"
    assert [state.state for state in fallback.states] == [BreakerState.OPEN, BreakerState.CLOSED]
    seconds = 1000.0
    _, calls = await read(fallback)
    assert calls["vllm"].error is None
    assert fallback.states[0].state is BreakerState.CLOSED


async def test_a_stop_while_it_tries_leaves_the_next_one_the_place(server: LLMServer) -> None:
    seconds = 0.0
    fallback = Fallback([asking(server), Extractive(say)], now=lambda: seconds)
    server.play("unauthorized")
    await read(fallback)
    seconds = 1000.0
    async with aclosing(fallback.stream(PROMPT)) as stream:
        async for item in stream:
            if isinstance(item, Sentence):
                break
    _, calls = await read(fallback)
    assert calls["vllm"].error is None


async def test_the_last_provider_has_time_left_when_the_first_says_nothing(server: LLMServer) -> None:
    server.play("slow_first_token")
    deadline = asyncio.get_running_loop().time() + 5.2
    items = [item async for item in Fallback([asking(server), Extractive(say)]).stream(PROMPT, deadline)]
    calls = {item.provider: item.error for item in items if isinstance(item, ModelCall)}
    assert calls == {"vllm": "deadline", "extractive": None}


async def test_the_check_tells_which_models_answer(server: LLMServer) -> None:
    fallback = Fallback([asking(server, "groq"), Extractive(say)])
    await fallback.check()
    assert fallback.states[0].last_error is None
    server.play("decommissioned")
    await fallback.check()
    state = fallback.states[0]
    assert (state.name, state.last_error, state.state) == ("groq", "model_unavailable", BreakerState.OPEN)


def test_it_names_all_whom_it_may_ask(server: LLMServer) -> None:
    fallback = Fallback([asking(server, "groq"), Extractive(say)])
    assert (fallback.name, fallback.model) == ("groq,extractive", "openai/gpt-oss-120b,extractive-1")
