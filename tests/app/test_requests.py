"""Bodies of `POST /api/chat`: what is understood, what is refused, and that a refusal repeats nothing."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.requests import MAX_BODY_BYTES
from tests.app.service import KNOWN, Service, ask, check_problem, grammar, read_events

MARK = "xylomarker"
"""Stands for what a person sent; no refusal may repeat it."""


JSON = {"content-type": "application/json"}


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def post(client: httpx.Client, body: Any) -> httpx.Response:
    return client.post("/api/chat", content=json.dumps(body), headers=JSON)


def folded(client: httpx.Client, **body: Any) -> dict[str, Any]:
    answer = post(client, {"messages": [user(KNOWN)], "stream": False, **body})
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()
    return result


def test_text_parts_are_joined_and_parts_of_other_types_are_ignored(client: httpx.Client) -> None:
    whole = folded(client, messages=[user("crushing chest pain\ndown my arm")])
    parts = [
        {"type": "text", "text": "crushing chest pain"},
        {"type": "image", "url": "https://x.example/a.png"},
        {"type": "text", "text": 7},
        {"text": "hello"},
        {"type": "text", "text": "down my arm"},
    ]
    assert folded(client, messages=[user(parts)])["answer"] == whole["answer"]
    assert whole["status"] == "emergency"
    assert folded(client, messages=[user(parts[3:])])["status"] != "emergency"


def test_earlier_messages_count_and_keys_of_a_message_beyond_role_and_content_do_not(client: httpx.Client) -> None:
    history = [
        {**user(KNOWN), "id": "m1", "parts": []},
        {"role": "assistant", "content": [{"type": "text", "text": "A blue rash."}, {"type": "source-url"}]},
        user("and the treatment?"),
    ]
    answer = folded(client, messages=history)
    assert answer["receipt"]["query_kind"] == "with_previous"
    assert answer["ignored"] == []


@pytest.mark.parametrize(
    ("body", "country", "language"),
    [
        ({}, "your local emergency number", "en"),
        ({"countryCode": "GB"}, "999", "en"),
        ({"country": "gb"}, "999", "en"),
        ({"context": {"countryCode": "GB", "language": "de"}}, "999", "de"),
        ({"context": {"country": "GB", "lang": "de-AT"}}, "999", "de"),
        ({"countryCode": "GB", "language": "fr", "context": {"countryCode": "US", "language": "de"}}, "999", "fr"),
        ({"country": "GB", "lang": "fr", "context": {"countryCode": "US", "language": "de"}}, "999", "fr"),
    ],
)
def test_country_and_language_are_read_at_both_places_and_the_top_level_wins(
    client: httpx.Client, body: dict[str, Any], country: str, language: str
) -> None:
    emergency = folded(client, messages=[user("crushing chest pain down my arm")], **body)
    assert country in json.dumps(emergency["risk"]["numbers"])
    assert folded(client, **body)["receipt"]["language"] == language


def test_a_key_with_half_a_character_is_unknown_like_any_other(client: httpx.Client) -> None:
    body = b'{"messages": [{"role": "user", "content": "hello"}], "stream": false, "\\ud800k": 1}'
    answer = client.post("/api/chat", content=body, headers=JSON)
    assert (answer.status_code, answer.json()["ignored"]) == (200, ["?k"])


def test_unknown_keys_are_ignored_and_named_without_their_values(client: httpx.Client) -> None:
    body = {"temperature": MARK, "id": MARK, "context": {"page": MARK, "lang": "en"}, "messages": [user(KNOWN)]}
    answer = post(client, body)
    start = next(read_events(answer.text))
    assert start.data["ignored"] == ["context.page", "id", "temperature"]
    assert MARK not in answer.text
    assert folded(client, temperature=1)["ignored"] == ["temperature"]


def test_ignored_names_are_few_and_short_whatever_was_sent(client: httpx.Client) -> None:
    events = ask(client, "hello", **{f"{n:03}{'k' * 200}": n for n in range(100)})
    assert len(events[0].data["ignored"]) == 20
    assert max(map(len, events[0].data["ignored"])) == 64


@pytest.mark.parametrize("text", ["hello \ud83d", "hello \u0000", "hello \u2028 \x1b[31m", "hello \U0001f600\r\n\r\n"])
def test_an_odd_character_breaks_no_turn(client: httpx.Client, text: str) -> None:
    answer = post(client, {"messages": [user(text)]})
    events = list(read_events(answer.text))
    assert grammar(events)
    assert events[-1].name == "done"


@pytest.mark.parametrize("key", ["\\ud800", "a\\udfffb", "\\u0000", "\\u2028", "event: x\\n\\n"])
def test_an_odd_key_breaks_no_stream(client: httpx.Client, key: str) -> None:
    body = f'{{"{key}": 1, "messages": [{{"role": "user", "content": "hello"}}]}}'
    for accept in ("*/*", "application/json"):
        answer = client.post("/api/chat", content=body, headers={**JSON, "accept": accept})
        if answer.status_code != 200:
            check_problem(answer, 422)
        elif accept == "*/*":
            assert grammar(read_events(answer.text))


WRONG = [
    ([], "messages"),
    ("text", "messages"),
    (None, "messages"),
    ({}, "messages"),
    ({"messages": MARK}, "messages"),
    ({"messages": 123}, "messages"),
    ({"messages": []}, "messages"),
    ({"messages": None}, "messages"),
    ({"messages": {"0": user(MARK)}}, "messages"),
    ({"messages": [MARK]}, "messages.0"),
    ({"messages": [user(7)]}, "messages.0.content"),
    ({"messages": [user(None)]}, "messages.0.content"),
    ({"messages": [user([MARK])]}, "messages.0.content"),
    ({"messages": [{"role": "user"}]}, "messages.0.content"),
    ({"messages": [{"content": MARK}]}, "messages.0.role"),
    ({"messages": [{"role": MARK, "content": MARK}]}, "messages.0.role"),
    ({"messages": [{"role": "system", "content": MARK}, user("hello")]}, "messages.0.role"),
    ({"messages": [{"role": ["user"], "content": MARK}]}, "messages.0.role"),
    ({"messages": [user("hello"), {"role": "assistant", "content": MARK}]}, "messages"),
    ({"messages": [user(" \n\t ")]}, "messages"),
    ({"messages": [user("\u200b\u2060\u00ad")]}, "messages"),
    ({"messages": [user([])]}, "messages"),
    ({"messages": [user([{"type": "image", "text": MARK}])]}, "messages"),
    ({"messages": [user(MARK), user("")]}, "messages"),
    ({"messages": [user("hello")] * 201}, "messages"),
    ({"messages": [user(MARK + "x" * 20_000)]}, "messages.0.content"),
    ({"messages": [user("x" * 20_000)] * 10 + [user("hello")]}, "messages"),
    ({"messages": [user("hello")], "stream": MARK}, "stream"),
    ({"messages": [user("hello")], "stream": 1}, "stream"),
    ({"messages": [user("hello")], "collection": 5}, "collection"),
    ({"messages": [user("hello")], "collection": None}, "collection"),
    ({"messages": [user("hello")], "collection": f"../{MARK}"}, "collection"),
    ({"messages": [user("hello")], "language": 5}, "language"),
    ({"messages": [user("hello")], "lang": [MARK]}, "lang"),
    ({"messages": [user("hello")], "language": f"{MARK} {MARK}"}, "language"),
    ({"messages": [user("hello")], "country": 49}, "country"),
    ({"messages": [user("hello")], "countryCode": MARK}, "countryCode"),
    ({"messages": [user("hello")], "context": MARK}, "context"),
    ({"messages": [user("hello")], "context": {"language": {MARK: MARK}}}, "context.language"),
    ({"messages": [user("hello")], "context": {"countryCode": MARK}}, "countryCode"),
]


@pytest.mark.parametrize(("body", "field"), WRONG)
def test_a_wrong_value_is_a_422_that_names_its_field_and_repeats_nothing(
    client: httpx.Client, body: Any, field: str
) -> None:
    answer = post(client, body)
    problem = check_problem(answer, 422, "invalid_request")
    named = [error["field"] for error in problem.get("errors", ())]
    assert field in named or (field == "messages" and not named and "messages" in problem["detail"])
    assert MARK not in answer.text


def test_two_hundred_messages_of_the_longest_length_that_fit_are_taken(client: httpx.Client) -> None:
    assert folded(client, messages=[user("hello")] * 200)["status"] == "card"
    assert folded(client, messages=[user("x" * 20_000)])["status"] == "deferred"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"hello xylomarker",
        b'{"messages": [{"role": "user", "content": "xylomarker',
        b'{"messages": [{"role": "user", "content": "hello"}], "temperature": NaN}',
        b'{"messages": [{"role": "user", "content": "hello"}], "temperature": -Infinity}',
        b'{"messages": [{"role": "user", "content": "\xff\xfe"}]}',
        '{"messages": []}'.encode("utf-16"),
        b'\xef\xbb\xbf{"messages": []}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"n": ' + b"9" * 5_000 + b"}",
    ],
    ids=[
        "empty",
        "cut",
        "text",
        "cut-string",
        "NaN",
        "infinity",
        "latin",
        "utf-16",
        "bom",
        "lists",
        "objects",
        "digits",
    ],
)
def test_what_is_no_json_in_utf8_is_a_400(client: httpx.Client, body: bytes) -> None:
    answer = client.post("/api/chat", content=body, headers=JSON)
    check_problem(answer, 400, "not_json")
    assert MARK not in answer.text


def test_a_body_over_one_megabyte_is_a_413_and_one_below_is_read(client: httpx.Client) -> None:
    def padded(size: int) -> bytes:
        body = json.dumps({"messages": [user("hello")], "stream": False, "padding": ""})
        return body.replace('"padding": ""', f'"padding": "{"x" * (size - len(body))}"').encode()

    assert len(padded(MAX_BODY_BYTES)) == MAX_BODY_BYTES == 1_000_000
    assert client.post("/api/chat", content=padded(MAX_BODY_BYTES), headers=JSON).json()["status"] == "card"
    check_problem(client.post("/api/chat", content=padded(MAX_BODY_BYTES + 1), headers=JSON), 413, "body_too_large")
    check_problem(client.post("/api/chat", content=iter([b"x" * 60_000] * 40), headers=JSON), 413, "body_too_large")


def test_a_collection_that_does_not_exist_is_a_404_that_does_not_repeat_its_name(client: httpx.Client) -> None:
    for stream in (True, False):
        answer = post(client, {"messages": [user(KNOWN)], "collection": MARK, "stream": stream})
        check_problem(answer, 404, "corpus_missing")
        assert MARK not in answer.text


def test_a_patient_context_is_a_403(client: httpx.Client) -> None:
    answer = post(client, {"messages": [user(KNOWN)], "context": {"patient": {"name": MARK}, "lang": "en"}})
    check_problem(answer, 403, "patient_context_needs_key")
    assert MARK not in answer.text


def test_a_refused_request_leaves_no_turn_behind(service: Service, client: httpx.Client) -> None:
    before = len(service.receipts())
    check_problem(post(client, {"messages": []}), 422)
    check_problem(post(client, {"messages": [user(KNOWN)], "collection": "other"}), 404)
    assert (len(service.receipts()), service.open_turns()) == (before, 0)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-1, 1) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=6,
)
roles = st.sampled_from(["user", "assistant", "system"])
messages = st.lists(st.fixed_dictionaries({"role": roles | json_values, "content": json_values}), max_size=3)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    body=json_values
    | st.fixed_dictionaries(
        {"messages": messages | json_values},
        optional=dict.fromkeys(["stream", "collection", "language", "country", "context", "other"], json_values),
    )
)
def test_no_json_body_makes_the_service_fail(client: httpx.Client, body: Any) -> None:
    answer = post(client, body)
    if answer.status_code != 200:
        check_problem(answer, answer.status_code)
        assert answer.status_code in (403, 404, 422)
    elif answer.headers["content-type"].startswith("text/event-stream"):
        assert grammar(read_events(answer.text))


@pytest.mark.parametrize(
    "kind", [None, "", "text/plain", "text/plain;charset=UTF-8", "application/x-www-form-urlencoded",
             "multipart/form-data; boundary=x", "text/json", "application/jsonp"],
)  # fmt: skip
def test_what_any_web_page_may_send_is_no_question(client: httpx.Client, kind: str | None) -> None:
    body = json.dumps({"messages": [user("hello")], "stream": False})
    headers = {} if kind is None else {"content-type": kind}
    problem = check_problem(client.post("/api/chat", content=body, headers=headers), 415, "not_json_type")
    assert "content-type: application/json" in problem["detail"]


@pytest.mark.parametrize("kind", ["application/json", "Application/JSON; charset=utf-8", "application/ld+json"])
def test_json_by_any_of_its_names_is_read(client: httpx.Client, kind: str) -> None:
    body = json.dumps({"messages": [user("hello")], "stream": False})
    assert client.post("/api/chat", content=body, headers={"content-type": kind}).json()["status"] == "card"


def test_a_language_that_galen_does_not_speak_leaves_the_question_to_tell_it(client: httpx.Client) -> None:
    for language in ("xx", "cy", "tlh"):
        answer = post(client, {"messages": [user("Danke schön")], "stream": False, "lang": language}).json()
        assert answer["receipt"]["language"] == "de", language
