"""Compiled tables are read back as they were made, and made anew when what is there is not them."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from safety import compiled
from safety.assess import Assessor
from safety.types import RiskClass
from tests.safety.small import small_floor

TEXTS = ["I have chest pain", "no chest pain", "my baby is 2 months old and has a fever", "dolor en el pecho"]


class Counting:
    """Makes an assessor, and counts how often."""

    def __init__(self, made: Assessor) -> None:
        self.made, self.times = made, 0

    def __call__(self) -> Assessor:
        self.times += 1
        return self.made


@pytest.fixture
def make(tmp_path: Path) -> Counting:
    return Counting(small_floor(tmp_path))


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Counting) -> Callable[[], Assessor]:
    monkeypatch.setattr(compiled, "_folder", lambda: tmp_path / "cache")
    return lambda: compiled.remembered(Assessor, "x", make)


def test_what_was_made_once_is_read_back_the_same(load: Callable[[], Assessor], make: Counting) -> None:
    first, again = load(), load()
    assert make.times == 1
    assert again is not first
    assert again.ruleset == first.ruleset
    for text in TEXTS:
        assert again.assess([text]) == first.assess([text])
    assert again.assess([TEXTS[0]]).risk_class is RiskClass.R5


@pytest.mark.parametrize(
    "content", [b"", b"nonsense", pickle.dumps({"a": 1}), pickle.dumps(Path("x")), b"\x80\x05cos\nsystem\n."]
)
def test_what_is_no_table_is_made_anew(
    load: Callable[[], Assessor], make: Counting, tmp_path: Path, content: bytes
) -> None:
    load()
    (path,) = (tmp_path / "cache").glob("*.tables")
    path.write_bytes(content)
    assert load().assess([TEXTS[0]]).risk_class is RiskClass.R5
    assert make.times == 2
    load()
    assert make.times == 2


def test_no_code_of_others_is_run_from_it(load: Callable[[], Assessor], make: Counting, tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (Path.touch, (str(tmp_path / "evil"),))

    load()
    (path,) = (tmp_path / "cache").glob("*.tables")
    path.write_bytes(pickle.dumps(Evil()))
    load()
    assert make.times == 2
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize("name", ["os.system", "Path", "remembered", "tempfile"])
def test_what_a_module_of_ours_imports_or_does_is_out_of_reach(name: str) -> None:
    """`name` is asked of safety.compiled by a pickle of protocol 4, which may name things with dots."""
    reader = compiled._Reader(io.BytesIO(b""))
    with pytest.raises(pickle.UnpicklingError):
        reader.find_class("safety.compiled", name)
    assert reader.find_class("safety.types", "RiskClass") is RiskClass


def test_other_tables_are_other_files_and_replace_the_older(
    load: Callable[[], Assessor], make: Counting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load()
    monkeypatch.setattr(compiled, "_fingerprint", lambda: "another")
    load()
    assert make.times == 2
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["x-another.tables"]


def test_a_folder_that_cannot_be_written_costs_only_time(
    load: Callable[[], Assessor], make: Counting, tmp_path: Path
) -> None:
    (tmp_path / "cache").write_text("a file, no folder", encoding="utf-8")
    load()
    assert load().ruleset == make.made.ruleset
    assert make.times == 2
