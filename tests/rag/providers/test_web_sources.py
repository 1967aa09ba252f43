from __future__ import annotations

from pathlib import Path

import pytest

from rag.errors import WebSourceError
from rag.providers.web_sources import WebSources

ROW = {
    "collection": '"health"', "organization": '"NHS"', "domain": '"nhs.uk"', "rank": "2", "why": '"w"',
    "seen": "2026-12-01",
}  # fmt: skip


def written(folder: Path, **changes: str | None) -> Path:
    row = {key: value for key, value in {**ROW, **changes}.items() if value is not None}
    path = folder / "web_sources.toml"
    path.write_text("[[source]]\n" + "\n".join(f"{key} = {value}" for key, value in row.items()), encoding="utf-8")
    return path


def test_a_row_is_read(tmp_path: Path) -> None:
    sources = WebSources.load(written(tmp_path, topics='["gout"]'))
    assert sources.domains("health") == ("nhs.uk",)
    assert sources.domains("governance") == ()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"domain": None}, "source 1: domain is missing"),
        ({"why": None}, "why is missing"),
        ({"domain": '"https://nhs.uk"'}, "domain must be a host name"),
        ({"domain": '"NHS.uk"'}, "domain must be a host name"),
        ({"domain": '"uk"'}, "domain must be a host name"),
        ({"rank": "0"}, "rank must be a whole number from 1 to 9, not 0"),
        ({"rank": '"top"'}, "rank must be"),
        ({"seen": '"yesterday"'}, "seen must be a date"),
        ({"path": '"conditions"'}, "path must begin and end with '/'"),
        ({"trust": "true"}, "there is no field 'trust'"),
        ({"rank": "= 2"}, "cannot be read"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(tmp_path: Path, changes: dict[str, str | None], reason: str) -> None:
    with pytest.raises(WebSourceError, match=r"^web_sources\.toml") as caught:
        WebSources.load(written(tmp_path, **changes))
    assert reason in str(caught.value)


def test_a_list_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(WebSourceError, match=r"nowhere\.toml cannot be read"):
        WebSources.load(tmp_path / "nowhere.toml")
