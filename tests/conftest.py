"""Shared fixtures. Tests reach loopback only: any other connection fails the test.

Property tests try the same examples in every run, so that a green run stays green; `HYPOTHESIS_PROFILE=explore` looks
for new ones.
"""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from hypothesis import settings

from rag.store import Store
from tests.fakes.embedder import HashEmbedder

settings.register_profile("fixed", derandomize=True, database=None, deadline=None, max_examples=150)
settings.register_profile("explore", deadline=None, max_examples=2000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            host = address[0]
            if host != "localhost" and not ipaddress.ip_address(host).is_loopback:
                raise AssertionError("a test tried to reach the network")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(autouse=True)
def own_logs() -> Iterator[None]:
    """A command that a test runs sets where logs go; the next test must not write to what is closed by then."""
    logging = structlog.get_config()
    yield
    structlog.configure(**logging)


@pytest.fixture
def embedder() -> HashEmbedder:
    return HashEmbedder()


@pytest.fixture
def store(tmp_path: Path, embedder: HashEmbedder) -> Iterator[Store]:
    opened = Store(tmp_path / "galen.db", embedder.info)
    yield opened
    opened.close()
