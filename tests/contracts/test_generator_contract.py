"""What every Generator promises, and what every client of the chat-completions wire makes of it. Over real HTTP."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import replace

import pytest

from rag.errors import (
    ErrorKind,
    ProviderBusy,
    ProviderError,
    ProviderRejected,
    ProviderTimeout,
    ProviderTooLarge,
    ProviderUnusable,
)
from rag.protocols import Generator
from rag.providers.extractive import Extractive
from rag.providers.fallback import Fallback
from rag.types import ModelCall, Prompt, Sentence, Usage
from tests.app.service import eventually
from tests.fakes.llm_server import LLMServer, Play, llm_server
from tests.fakes.models import PROMPT, WIRES, asking, say

ALL = ["extractive", "fallback", *WIRES]


@pytest.fixture
def server() -> Iterator[LLMServer]:
    with llm_server() as running:
        yield running


def build(name: str, server: LLMServer) -> Generator:
    match name:
        case "extractive":
            return Extractive(say)
        case "fallback":
            return Fallback([asking(server), Extractive(say)])
        case _:
            return asking(server, name)


async def answer(generator: Generator, prompt: Prompt = PROMPT, deadline: float = math.inf) -> list[Sentence]:
    return [item async for item in generator.stream(prompt, deadline) if isinstance(item, Sentence)]


async def call_of(generator: Generator, prompt: Prompt = PROMPT) -> ModelCall:
    """The last call that the generator told of."""
    return [item async for item in generator.stream(prompt) if isinstance(item, ModelCall)][-1]


def cited(sentences: list[Sentence]) -> list[tuple[str, tuple[int, ...]]]:
    return [(sentence.text, sentence.markers) for sentence in sentences if sentence.cited]


# -- every generator --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
async def test_it_yields_whole_sentences_with_the_markers_of_what_supports_them(name: str, server: LLMServer) -> None:
    said = await answer(build(name, server))
    assert ("Gout comes from uric acid crystals.", (1,)) in cited(said)
    assert all(1 <= n <= len(PROMPT.evidence) for _, markers in cited(said) for n in markers)
    assert said[0].lead == ""
    assert said[-1] == Sentence(text="disclaimer (en).", lead="\n\n", cited=False)


@pytest.mark.parametrize("name", ALL)
async def test_it_yields_no_sentence_where_the_evidence_has_no_answer(name: str, server: LLMServer) -> None:
    prompt = replace(PROMPT, question="Why?", evidence=PROMPT.evidence[1:])
    assert await answer(build(name, server), prompt) == []


@pytest.mark.parametrize("name", ALL)
async def test_it_has_a_name_and_a_model(name: str, server: LLMServer) -> None:
    generator = build(name, server)
    assert generator.name
    assert generator.model


@pytest.mark.parametrize("name", ALL)
async def test_it_can_be_left_at_any_sentence(name: str, server: LLMServer) -> None:
    async with aclosing(build(name, server).stream(PROMPT)) as stream:
        async for item in stream:
            if isinstance(item, Sentence):
                break


@pytest.mark.parametrize("name", ALL)
async def test_two_turns_at_once_do_not_mix(name: str, server: LLMServer) -> None:
    generator = build(name, server)
    other = replace(PROMPT, question="How long does a cough last?", evidence=PROMPT.evidence[1:])
    first, second = await asyncio.gather(answer(generator), answer(generator, other))
    assert all("cough" not in text for text, _ in cited(first))
    assert all("cough" in text for text, _ in cited(second))


# -- every wire -------------------------------------------------------------------------------------------------------

wires = pytest.mark.parametrize("wire", WIRES)


@wires
async def test_the_call_tells_how_the_model_was_asked_and_what_it_says_of_itself(wire: str, server: LLMServer) -> None:
    call = await call_of(asking(server, wire))
    assert (call.temperature, call.top_p, call.seed, call.max_tokens) == (0.0, 1.0, 7, 2048)
    assert (call.finish, call.declined, call.error, call.requests, call.passages) == ("stop", False, None, 1, 2)
    assert (call.fingerprint, call.request_id) == ("fp_scripted", "req-1" if wire != "hf" else call.request_id)
    assert call.request_id
    assert call.served_model == call.model
    assert isinstance(call.usage, Usage)
    assert min(call.usage.prompt_tokens, call.usage.completion_tokens) > 0
    assert call.prompt


@wires
async def test_nothing_but_the_question_and_how_to_answer_it_is_sent(wire: str, server: LLMServer) -> None:
    await answer(asking(server, wire))
    (asked,) = server.asked
    assert set(asked.body) <= {
        "model", "messages", "stream", "stream_options", "temperature", "top_p", "seed", "max_tokens",
        "max_completion_tokens", "include_reasoning", "reasoning_effort",
    }  # fmt: skip
    assert [set(message) for message in asked.body["messages"]] == [{"role", "content"}] * 2
    assert asked.headers["authorization"] == "Bearer key-1"
    assert not {"cookie", "from", "referer"} & set(asked.headers)


@wires
@pytest.mark.parametrize("step", [1, 2, 3, 5])
async def test_characters_survive_every_cut(wire: str, step: int, server: LLMServer) -> None:
    server.play(Play(text="ANSWER\n高血压要少吃盐。[1] Rest 🏥🧬 helps é [2].", step=step))
    assert cited(await answer(asking(server, wire))) == [("高血压要少吃盐。", (1,)), ("Rest 🏥🧬 helps é.", (2,))]


@wires
async def test_halves_of_a_character_are_joined_and_a_lone_half_is_left_out(wire: str, server: LLMServer) -> None:
    server.play(Play(text="ANSWER\nRest \ud83c \udfe5 helps \ud83c\udfe5 [1]."))
    ((text, _),) = cited(await answer(asking(server, wire)))
    assert text.encode()
    assert text.endswith("helps 🏥.")


@wires
@pytest.mark.parametrize("play", ["reasoning", "think_tags"])
async def test_reasoning_is_never_said(wire: str, play: str, server: LLMServer) -> None:
    server.play(play)
    said = " ".join(text for text, _ in cited(await answer(asking(server, wire))))
    assert said.startswith("Gout comes from")
    assert "ecret" not in said


@wires
@pytest.mark.parametrize("play", ["declines", "drift", "drift_cited", "invalid_json"])
async def test_a_draft_that_declines_says_nothing_in_whatever_words(wire: str, play: str, server: LLMServer) -> None:
    server.play(play, play)
    assert await answer(asking(server, wire)) == []
    assert (await call_of(asking(server, wire))).declined


ERRORS = {
    "unauthorized": (ProviderRejected, ErrorKind.UNAUTHORIZED),
    "payment": (ProviderRejected, ErrorKind.PAYMENT_REQUIRED),
    "not_found": (ProviderRejected, ErrorKind.MODEL_UNAVAILABLE),
    "decommissioned": (ProviderRejected, ErrorKind.MODEL_UNAVAILABLE),
    "rejected": (ProviderRejected, ErrorKind.REJECTED),
    "rate_limit": (ProviderBusy, ErrorKind.RATE_LIMITED),
    "unavailable": (ProviderBusy, ErrorKind.UNAVAILABLE),
    "empty": (ProviderUnusable, ErrorKind.EMPTY),
    "reasoning_only": (ProviderUnusable, ErrorKind.REASONING_ONLY),
    "slow_first_token": (ProviderTimeout, ErrorKind.FIRST_TOKEN_TIMEOUT),
    "stall": (ProviderTimeout, ErrorKind.IDLE_TIMEOUT),
    "cut": (ProviderUnusable, ErrorKind.CUT),
    "no_finish": (ProviderUnusable, ErrorKind.CUT),
    "hangs_up": (ProviderUnusable, ErrorKind.CUT),
    "error_in_stream": (ProviderBusy, ErrorKind.UNAVAILABLE),
    "not_json": (ProviderUnusable, ErrorKind.MALFORMED),
}


@wires
@pytest.mark.parametrize("play", ERRORS)
async def test_what_goes_wrong_has_one_error_whatever_the_client(wire: str, play: str, server: LLMServer) -> None:
    server.play(play)
    with pytest.raises(ProviderError) as caught:
        await answer(asking(server, wire))
    assert (type(caught.value), caught.value.kind) == ERRORS[play]
    assert "gout" not in str(caught.value).lower()


@wires
async def test_a_server_that_is_not_there_is_unreachable(wire: str) -> None:
    with llm_server() as gone:
        pass
    with pytest.raises(ProviderBusy) as caught:
        await answer(asking(gone, wire))
    assert caught.value.kind is ErrorKind.UNREACHABLE


@wires
@pytest.mark.parametrize("play", ["too_large", "too_large_429", "context_length"])
async def test_a_request_that_is_too_large_is_asked_again_with_less_context(
    wire: str, play: str, server: LLMServer
) -> None:
    long = replace(PROMPT, evidence=(PROMPT.evidence[0], *(replace(PROMPT.evidence[1]) for _ in range(200))))
    server.play(play)
    generator = asking(server, wire)
    call = await call_of(generator, long)
    assert (call.requests, call.error) == (2, None)
    first, second = server.asked
    assert len(second.user) < len(first.user)
    assert second.user.startswith('<passages>\n<passage n="1"')


@wires
async def test_a_provider_that_never_takes_the_request_is_asked_three_times(wire: str, server: LLMServer) -> None:
    server.play(*["too_large"] * 5)
    with pytest.raises(ProviderTooLarge):
        await answer(asking(server, wire))
    assert len(server.asked) == 3


@wires
async def test_a_rate_limit_that_passes_in_time_is_waited_for(wire: str, server: LLMServer) -> None:
    server.play(Play(name="rate_limit", retry_after="0.01"))
    assert cited(await answer(asking(server, wire)))
    assert len(server.asked) == 2


@wires
@pytest.mark.parametrize("retry_after", ["3600", None, "Wed, 21 Oct 2099 07:28:00 GMT"])
async def test_a_rate_limit_that_does_not_is_told_at_once(
    wire: str, retry_after: str | None, server: LLMServer
) -> None:
    server.play(Play(name="rate_limit", retry_after=retry_after))
    with pytest.raises(ProviderBusy) as caught:
        await answer(asking(server, wire))
    assert (caught.value.retry_after is None) is (retry_after is None)
    assert len(server.asked) == 1


@wires
async def test_a_rate_limit_is_not_waited_for_beyond_the_deadline(wire: str, server: LLMServer) -> None:
    server.play(Play(name="rate_limit", retry_after="0.5"))
    with pytest.raises(ProviderBusy):
        await answer(asking(server, wire), deadline=asyncio.get_running_loop().time() + 0.6)
    assert len(server.asked) == 1


@wires
async def test_the_deadline_ends_every_wait(wire: str, server: LLMServer) -> None:
    server.play("slow_first_token")
    with pytest.raises(ProviderTimeout) as caught:
        await answer(asking(server, wire), deadline=asyncio.get_running_loop().time() + 0.05)
    assert caught.value.kind is ErrorKind.DEADLINE


@wires
async def test_a_stop_ends_the_request_at_the_provider(wire: str, server: LLMServer) -> None:
    server.play(
        Play(name="stall", text="ANSWER\nRest helps [1]. Sleep helps too [1]. Tea helps a little too [2]. End.")
    )
    async with aclosing(asking(server, wire).stream(PROMPT)) as stream:
        async for item in stream:
            if isinstance(item, Sentence):
                break
    await asyncio.to_thread(eventually, lambda: server.gone == 1)


@wires
async def test_babble_is_cut_off_and_its_unfinished_end_left_out(wire: str, server: LLMServer) -> None:
    server.play("babble", "babble")
    assert [markers for _, markers in cited(await answer(asking(server, wire)))] == [(1,)]
    assert (await call_of(asking(server, wire))).finish == "stopped_by_us"


@wires
async def test_a_sentence_that_the_token_limit_cuts_is_left_out(wire: str, server: LLMServer) -> None:
    server.play("length")
    assert all("is not" not in text for text, _ in cited(await answer(asking(server, wire))))


@wires
async def test_the_check_asks_with_nobody_s_words_and_tells_what_is_wrong(wire: str, server: LLMServer) -> None:
    await asking(server, wire).check()
    assert server.asked[0].user == "Reply with the word OK."
    server.play("decommissioned")
    with pytest.raises(ProviderRejected) as caught:
        await asking(server, wire).check()
    assert caught.value.kind is ErrorKind.MODEL_UNAVAILABLE
