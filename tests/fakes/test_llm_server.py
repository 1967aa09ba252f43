"""The scripted model itself: it speaks the wire that it says it speaks, and says the same thing every time."""

from __future__ import annotations

import json

import httpx
import pytest

from tests.fakes.llm_server import PLAYS, Play, llm_server

PROMPT = (
    '<passages>\n<passage n="1" title="Gout">\nGout comes from crystals. Beer is brewed.\n</passage>\n'
    '<passage n="2" title="Cough">\nA cough lasts three weeks.\n</passage>\n</passages>\n'
    "<question>\nWhat causes gout crystals?\n</question>"
)
BODY = {"model": "m", "stream": True, "messages": [{"role": "user", "content": PROMPT}]}


def stream(url: str, **more: object) -> list[dict]:  # type: ignore[type-arg]
    answer = httpx.post(f"{url}/chat/completions", json=BODY | more, trust_env=False)
    assert answer.headers["content-type"] == "text/event-stream"
    lines = [line.removeprefix("data: ") for line in answer.text.split("\n\n") if line]
    assert lines[-1] == "[DONE]"
    return [json.loads(line) for line in lines[:-1]]


def text_of(chunks: list[dict]) -> str:  # type: ignore[type-arg]
    return "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks)


def test_a_normal_answer_quotes_the_numbered_passages_the_same_way_every_time() -> None:
    with llm_server() as server:
        first, second = stream(server.url), stream(server.url)
    assert text_of(first) == text_of(second) == "ANSWER\nGout comes from crystals. [1]"
    assert first[-1]["choices"][0]["finish_reason"] == "stop"
    assert first[-1]["usage"]["total_tokens"] > 0


def test_it_declines_when_the_passages_share_no_word_with_the_question() -> None:
    body = {"messages": [{"role": "user", "content": PROMPT.replace("What causes gout crystals?", "Why?")}]}
    with llm_server() as server:
        assert text_of(stream(server.url, **body)) == "NO_ANSWER"


def test_the_script_comes_before_the_model_s_name_and_both_before_the_normal_answer() -> None:
    with llm_server("declines") as server:
        assert text_of(stream(server.url, model="scripted-numbers")) == "NO_ANSWER"
        assert "4711 mg" in text_of(stream(server.url, model="scripted-numbers"))
        assert "4711" not in text_of(stream(server.url))


@pytest.mark.parametrize("step", [1, 2, 3, 7])
def test_characters_arrive_whole_however_the_bytes_are_cut(step: int) -> None:
    with llm_server(Play(text="ANSWER\n高血压 🏥 é", step=step)) as server:
        assert text_of(stream(server.url)) == "ANSWER\n高血压 🏥 é"


def test_a_refusal_has_the_status_the_code_and_the_header_of_its_play() -> None:
    with llm_server(Play(name="rate_limit", retry_after="2")) as server:
        answer = httpx.post(f"{server.url}/chat/completions", json=BODY, trust_env=False)
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "2")
    assert answer.json()["error"]["code"] == "rate_limit_exceeded"


def test_every_play_can_be_asked_for_as_a_model() -> None:
    with llm_server() as server:
        models = {row["id"] for row in httpx.get(f"{server.url}/models", trust_env=False).json()["data"]}
    assert {f"scripted-{name}" for name in PLAYS} <= models
