"""Parts that must not be used: every call is noted and fails."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["Forbidden"]


class Forbidden:
    """Stands in for a generator, a retriever and an embedder. A turn may swallow the error, so look at `calls`."""

    name, model, top_k = "forbidden", "forbidden", 6

    def __init__(self) -> None:
        self.calls: list[str] = []

    def stream(self, *_: Any) -> NoReturn:
        self._refuse("stream")

    def search(self, *_: Any) -> NoReturn:
        self._refuse("search")

    def embed(self, *_: Any) -> NoReturn:
        self._refuse("embed")

    def _refuse(self, name: str) -> NoReturn:
        self.calls.append(name)
        raise AssertionError(f"{name} was called")
