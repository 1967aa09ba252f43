"""The command line as one types it: in this process, or in one of its own where pipes and signals matter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.settings import variables
from tests.corpora import document

__all__ = ["BAD_LINES", "BLANKS", "DOCUMENTS", "ROOT", "Galen", "Ran", "environment", "spawn"]

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = {
    "gout": document(
        "Gout",
        ("What it is", "Gout is a painful disease of the joints."),
        ("Causes", "Gout is caused by uric acid crystals in a joint."),
        licence="CC0 1.0",
    ),
    "eczema": document("Eczema", ("Symptoms", "The symptoms of eczema are dry and itchy skin."), licence="CC0 1.0"),
    "asthma": document("Asthma", ("Symptoms", "The symptoms of asthma are wheezing and a cough."), licence="CC0 1.0"),
}
BAD_LINES = (
    b'{"id": "a", "text": "gout"}\nnot json\n{"id": "c", "text": "  "}\n[1]\n\xff\xfe\n\n'
    b'{"id": "g", "text": "x", "lang": 5}\n' + b"[" * 100_000 + b'\n{"id": "i", "text": "eczema"}\n'
)
BLANKS = ["", "   ", "\n\t", "\u200b \u2060"]
"""Texts that ask nothing; the last one looks empty."""


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]

    def json(self) -> dict[str, Any]:
        (value,) = self.lines()
        return value


Galen = Callable[..., Ran]


def environment(folder: Path, **more: str) -> dict[str, str]:
    (folder / "corpus").mkdir(exist_ok=True)
    ours = {
        "DB_PATH": str(folder / "galen.db"),
        "CACHE_DIR": str(folder / "cache"),
        "CORPUS_DIR": str(folder / "corpus"),
        "EMBEDDER": "none",
        **more,
    }
    settings = {variable.name for variable in variables()}
    return {**{name: value for name, value in os.environ.items() if name not in settings}, **ours}


def spawn(folder: Path, *arguments: str, stdin: bytes = b"", **more: str) -> Ran:
    done = subprocess.run(
        [sys.executable, "-m", "scripts.cli", *arguments],
        cwd=ROOT,
        env=environment(folder, **more),
        input=stdin,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
