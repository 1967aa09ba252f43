"""CortexRAG's recipe: one vector of each record's *question* (here the title), by cosine; its gate constants.

The gate wants a best similarity of 0.40 and two records of at least that; a record nearer than 0.92 to a better one is
left out. Its two conditions on a reranker's score (-8 and a mean of -5) have no score here and are skipped. The
constants are those of MiniLM; over another model they are kept, which shows what a cut-off is worth elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rag.protocols import FloatMatrix

__all__ = ["CortexRag"]

SIMILARITY, RECORDS, DUPLICATE = 0.40, 2, 0.92
_LOOKED_AT = 20


class CortexRag:
    """`titles` are one per document, `vectors` theirs in the same order."""

    def __init__(
        self, name: str, documents: Sequence[str], vectors: FloatMatrix, embed: Callable[[str], FloatMatrix]
    ) -> None:
        self.name, self._documents, self._vectors, self._embed = name, documents, vectors, embed
        self._row = {document: row for row, document in enumerate(documents)}

    def rank(self, text: str, limit: int, allowed: Sequence[str] | None = None) -> list[str]:
        """The best `limit` documents."""
        rows = np.arange(len(self._documents)) if allowed is None else np.array([self._row[d] for d in allowed])
        cosine = self._vectors[rows] @ self._embed(text)
        return [self._documents[rows[at]] for at in np.lexsort((rows, -cosine))[:limit]]

    def opens(self, text: str) -> tuple[bool, float]:
        """Whether the gate lets a question through, and the best similarity."""
        cosine = self._vectors @ self._embed(text)
        kept: list[int] = []
        for row in np.argsort(-cosine, kind="stable")[:_LOOKED_AT]:
            if all(float(self._vectors[row] @ self._vectors[other]) < DUPLICATE for other in kept):
                kept.append(int(row))
        near = [row for row in kept if cosine[row] >= SIMILARITY]
        return len(near) >= RECORDS, float(cosine.max())
