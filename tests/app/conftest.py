from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.app.service import Service, running, two_passages
from tests.fakes.generator import ScriptedGenerator


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One service for the tests of a module that change nothing in it."""
    with running(tmp_path_factory.mktemp("service"), origins=["https://page.example"]) as opened:
        yield opened


@pytest.fixture(scope="module")
def client(service: Service) -> Iterator[httpx.Client]:
    with service.client() as opened:
        yield opened


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, ScriptedGenerator]]:
    """One service whose generator says what each test tells it to; answers draw on two passages."""
    generator = ScriptedGenerator()
    with running(tmp_path_factory.mktemp("stage"), generator=generator, change=two_passages) as opened:
        yield opened, generator
