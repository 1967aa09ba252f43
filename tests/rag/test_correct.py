from __future__ import annotations

import pytest

from rag.correct import WIDEN, route
from rag.types import Grade, GradeLabel, Route


@pytest.mark.parametrize("label", list(GradeLabel))
def test_every_grade_has_the_route_of_its_name(label: GradeLabel) -> None:
    assert route(Grade(label=label, features={})) is Route(label.value)


def test_widening_looks_at_more_passages() -> None:
    assert WIDEN > 1
