from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from scripts.cli import main
from tests.corpora import write_documents
from tests.scripts.galen import DOCUMENTS, Galen, Ran, environment, spawn


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the documents in "health", for the tests that only read."""
    folder = tmp_path_factory.mktemp("cli")
    write_documents(folder / "docs", DOCUMENTS)
    ran = spawn(folder, "ingest", str(folder / "docs"), "--collection", "health")
    assert ran.code == 0, ran.err
    return folder


@pytest.fixture
def galen(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Galen:
    """Runs a command; `folder` holds its database."""

    def run(*arguments: str, stdin: bytes = b"", folder: Path = place, **more: str) -> Ran:
        for name, value in environment(folder, **more).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        try:
            code = main(arguments)
        except SystemExit as exit_:
            code = int(str(exit_.code))
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run
