"""Which pages of other origins may call the API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

import app.chat
from tests.app.service import KNOWN, Service, check_problem, running

PAGE, STRANGER = "https://page.example", "https://stranger.example"
BODY = {"messages": [{"role": "user", "content": KNOWN}]}


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running(tmp_path_factory.mktemp("closed")) as opened:
        yield opened


def preflight(client: httpx.Client, origin: str, **more: str) -> httpx.Response:
    headers = {
        "origin": origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type, authorization, x-stainless-lang",
        **more,
    }
    return client.options("/api/chat", headers=headers)


def cors_headers(answer: httpx.Response) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name.startswith("access-control-")}


def test_a_preflight_of_a_configured_origin_is_allowed(client: httpx.Client) -> None:
    answer = preflight(client, PAGE)
    assert answer.status_code in (200, 204)
    assert answer.headers["access-control-allow-origin"] == PAGE
    assert "POST" in answer.headers["access-control-allow-methods"]
    allowed = answer.headers["access-control-allow-headers"].lower()
    assert all(name in allowed for name in ("content-type", "authorization", "x-stainless-lang"))
    assert "Origin" in answer.headers["vary"]


def test_a_preflight_of_another_origin_is_not(client: httpx.Client) -> None:
    for answer in (preflight(client, STRANGER), preflight(client, f"{PAGE}.evil.example"), preflight(client, "null")):
        check_problem(answer, 400, "cors_refused")
        assert cors_headers(answer) == {}


def test_answers_errors_and_streams_carry_the_header_for_a_configured_origin_only(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def requests(origin: str) -> Iterator[httpx.Response]:
        headers = {"origin": origin}
        json_headers = {**headers, "content-type": "application/json"}
        yield client.post("/api/chat", json=BODY, headers=headers)
        yield client.post("/api/chat", json={**BODY, "stream": False}, headers=headers)
        yield client.get("/api/health", headers=headers)
        yield client.post("/api/chat", json={"messages": 1}, headers=headers)
        yield client.post("/api/chat", content=b"{", headers=json_headers)
        yield client.post("/api/chat", content=b" " * 1_000_001, headers=json_headers)
        yield client.post("/api/chat", content=b"{}", headers={**headers, "content-type": "text/plain"})
        yield client.post("/api/chat", json={**BODY, "collection": "other"}, headers=headers)
        yield client.post("/api/chat", json={**BODY, "context": {"patient": {}}}, headers=headers)
        yield client.get("/nowhere", headers=headers)
        yield client.get("/api/chat", headers=headers)
        monkeypatch.setattr(app.chat, "parse_chat", broken)
        yield client.post("/api/chat", json=BODY, headers=headers)
        monkeypatch.undo()

    def broken(_: Any) -> Any:
        raise RuntimeError("no")

    statuses = []
    for answer in requests(PAGE):
        assert answer.headers["access-control-allow-origin"] == PAGE
        statuses.append(answer.status_code)
    assert statuses == [200, 200, 200, 422, 400, 413, 415, 404, 403, 404, 405, 500]
    for answer in requests(STRANGER):
        assert "access-control-allow-origin" not in answer.headers


def test_a_request_without_an_origin_gets_no_cors_header(client: httpx.Client) -> None:
    assert cors_headers(client.get("/api/health")) == {}


def test_without_configured_origins_no_answer_has_a_cors_header(closed: Service) -> None:
    with closed.client() as client:
        answers = [
            preflight(client, PAGE),
            client.post("/api/chat", json=BODY, headers={"origin": PAGE}),
            client.post("/api/chat", json={}, headers={"origin": PAGE}),
            client.get("/", headers={"origin": PAGE}),
        ]
    check_problem(answers[0], 405)
    for answer in answers:
        assert cors_headers(answer) == {}
