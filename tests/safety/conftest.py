"""One assessor for all safety tests: it is immutable, and loading it compiles some hundred patterns."""

from __future__ import annotations

import pytest

from safety.assess import Assessor


@pytest.fixture(scope="session")
def assessor() -> Assessor:
    return Assessor.load()
