"""The page, and answers to what no route takes."""

from __future__ import annotations

import re
import socket
from pathlib import Path
from typing import Any

import httpx
import pytest

import app.chat
import app.health
from tests.app.service import KNOWN, Service, ask, check_problem, running

BODY = {"messages": [{"role": "user", "content": KNOWN}]}


def test_the_page_is_served_with_a_policy_that_allows_its_own_files_only(client: httpx.Client) -> None:
    answer = client.get("/")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'self'"
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"


def test_every_file_that_the_page_names_is_served(client: httpx.Client) -> None:
    page = client.get("/").text
    script = client.get("/static/app.js")
    assert script.status_code == 200
    assert script.headers["content-type"].split(";")[0] in ("text/javascript", "application/javascript")
    named = re.findall(r'(?:src|href)="(/?static/[^"]+)"', page)
    assert any(name.endswith("app.js") for name in named)
    for name in named:
        assert client.get("/" + name.lstrip("/")).status_code == 200, name
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page), "the page loads something from elsewhere"
    assert not re.search(r"<script(?![^>]*\bsrc=)[^>]*>", page), "an inline script, which the policy forbids"


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app/main.py",
        "/static/..%2fapp/main.py",
        "/static/%2e%2e/app/main.py",
        "/static/%2e%2e%2fpyproject.toml",
        "/static/..%5cpyproject.toml",
        "/static//etc/passwd",
        "/static/%2fetc/passwd",
        "/static/",
        "/static/nowhere.js",
        "/static/%00",
        "/pyproject.toml",
        "/../pyproject.toml",
    ],
)
def test_no_path_leaves_the_folder_of_the_page(service: Service, path: str) -> None:
    """Over a bare socket: a client would tidy the path up."""
    host, port = service.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n".encode())
        answer = b""
        while part := connection.recv(65536):
            answer += part
    assert re.match(rb"HTTP/1.1 40[04] ", answer), answer[:200]
    assert b"application/problem+json" in answer or answer.startswith(b"HTTP/1.1 400")
    assert b"[project]" not in answer
    assert b"root:" not in answer


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nowhere", 404),
        ("GET", "/api", 404),
        ("GET", "/api/receipts", 404),
        ("POST", "/api/nowhere", 404),
        ("GET", "/api/chat", 405),
        ("PUT", "/api/chat", 405),
        ("DELETE", "/api/receipts/x", 405),
        ("POST", "/api/health", 405),
        ("POST", "/", 405),
        ("POST", "/static/app.js", 405),
    ],
)
def test_what_no_route_takes_is_a_problem_too(client: httpx.Client, method: str, path: str, status: int) -> None:
    answer = client.request(method, path)
    check_problem(answer, status)
    if status == 405 and not path.startswith("/static"):
        assert answer.headers["allow"]


def test_an_unexpected_error_is_a_500_without_its_text(client: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("a secret")

    monkeypatch.setattr(app.chat, "parse_chat", broken)
    answer = client.post("/api/chat", json=BODY)
    check_problem(answer, 500, "internal")
    assert "secret" not in answer.text
    monkeypatch.undo()
    assert ask(client)[-1].data["status"] == "answered"


def test_a_client_that_breaks_off_its_request_disturbs_nobody(service: Service, client: httpx.Client) -> None:
    host, port = service.url.removeprefix("http://").split(":")
    for _ in range(5):
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(b"POST /api/chat HTTP/1.1\r\nhost: x\r\ncontent-length: 500\r\n\r\n{")
    assert ask(client)[-1].data["status"] == "answered"
    assert service.open_turns() == 0


def test_open_turns_of_a_crash_are_closed_at_the_start(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        service.store.receipts.open("f" * 32, "health")
    with running(tmp_path, documents={}) as service, service.client() as client:
        assert service.components.interrupted == 1
        assert client.get(f"/api/receipts/{'f' * 32}").json()["status"] == "interrupted"
