"""The program as an evaluation sees it: the real parts over a database of its own, or over the operator's."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from app.components import Components, open_components
from app.settings import Settings

__all__ = ["bundled", "existing"]


@contextmanager
def bundled(settings: Settings | None = None) -> Iterator[Components]:
    """The bundled corpus, freshly published into a temporary database."""
    settings = settings or Settings.from_env()
    with (
        tempfile.TemporaryDirectory() as folder,
        open_components(replace(settings, db_path=Path(folder) / "galen.db", seed_db=None)) as components,
    ):
        yield components


@contextmanager
def existing(path: Path | None) -> Iterator[Components]:
    """The operator's database, as it is."""
    settings = Settings.from_env()
    with open_components(replace(settings, db_path=path or settings.db_path), publish=False) as components:
        yield components
