from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from rag.errors import ProviderRejected, ProviderTimeout
from rag.generate import generate
from rag.types import Prompt, Sentence
from tests.fakes.generator import Fail, ScriptedGenerator, Stall

PROMPT = Prompt(question="q", language="en", evidence=())
ONE, TWO = Sentence(text="One.", markers=(1,)), Sentence(text="Two.", markers=(1,))


def soon(seconds: float) -> float:
    return asyncio.get_running_loop().time() + seconds


async def collect(sentences: AsyncGenerator[Sentence, None], into: list[Sentence]) -> None:
    async for sentence in sentences:
        into.append(sentence)


async def test_sentences_come_in_order_and_the_stream_is_closed() -> None:
    generator = ScriptedGenerator([ONE, TWO])
    assert [s async for s in generate(generator, PROMPT, soon(5))] == [ONE, TWO]
    assert generator.ended == 1


async def test_a_generator_that_declines_says_nothing() -> None:
    assert [s async for s in generate(ScriptedGenerator([]), PROMPT, soon(5))] == []


async def test_a_stall_ends_at_the_deadline_with_what_was_said_before() -> None:
    generator = ScriptedGenerator([ONE, Stall()])
    said: list[Sentence] = []
    with pytest.raises(ProviderTimeout, match="scripted did not answer in time"):
        await collect(generate(generator, PROMPT, soon(0.05)), said)
    assert said == [ONE]
    assert generator.ended == 1


@pytest.mark.parametrize("late", [0.0, -1.0])
async def test_a_deadline_that_has_passed_is_not_waited_for(late: float) -> None:
    generator = ScriptedGenerator([Stall()])
    with pytest.raises(ProviderTimeout):
        await collect(generate(generator, PROMPT, soon(late)), [])


async def test_one_deadline_holds_for_all_sentences_together() -> None:
    class Slow(ScriptedGenerator):
        async def stream(self, _: Prompt, _deadline: float = 0) -> AsyncGenerator[Sentence, None]:
            for _ in range(100):
                await asyncio.sleep(0.02)
                yield ONE

    said: list[Sentence] = []
    with pytest.raises(ProviderTimeout):
        await collect(generate(Slow(), PROMPT, soon(0.1)), said)
    assert 1 <= len(said) <= 5


async def test_a_provider_s_own_error_passes_through() -> None:
    with pytest.raises(ProviderRejected):
        await collect(generate(ScriptedGenerator([Fail(ProviderRejected("no"))]), PROMPT, soon(5)), [])


async def test_who_stops_listening_ends_the_generator() -> None:
    generator = ScriptedGenerator([ONE, TWO])
    async with aclosing(generate(generator, PROMPT, soon(5))) as stream:
        assert await anext(stream) == ONE
    assert (generator.started, generator.ended) == (1, 1)
