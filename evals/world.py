"""The program as an evaluation sees it: the real parts over a database of its own, or over the operator's."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from app.components import Components, open_components
from app.settings import Settings
from rag.protocols import FloatMatrix
from rag.query import rewrite
from rag.store import View
from rag.types import Message, Query, Turn

__all__ = ["asked", "bundled", "environment", "existing", "vectors_of"]


def environment() -> Settings:
    """The settings of an evaluation: a key that lies in the environment asks no model, only GENERATORS does."""
    settings = Settings.from_env()
    return replace(settings, generators=settings.generators or ("extractive",))


@contextmanager
def bundled(settings: Settings | None = None) -> Iterator[Components]:
    """The bundled corpus, freshly published into a temporary database."""
    settings = settings or environment()
    with (
        tempfile.TemporaryDirectory() as folder,
        open_components(replace(settings, db_path=Path(folder) / "galen.db", seed_db=None)) as components,
    ):
        yield components


@contextmanager
def existing(path: Path | None) -> Iterator[Components]:
    """The operator's database, as it is."""
    settings = environment()
    with open_components(replace(settings, db_path=path or settings.db_path), publish=False) as components:
        yield components


def asked(components: Components, view: View, *messages: str, lang: str | None = None) -> Query:
    """The query of a conversation, as a turn makes it."""
    turn = Turn(
        id="",
        messages=tuple(Message(role="user", content=text) for text in messages),
        collection=view.version.collection,
        language=lang,
    )
    return rewrite(turn, messages, components.parts.lexicon, components.parts.spellings.of(view))


def vectors_of(components: Components, query: Query) -> tuple[FloatMatrix, ...]:
    """The vectors of what is searched; none without an embedder."""
    return tuple(components.embedder.embed(query.searched, "query")) if components.embedder else ()
