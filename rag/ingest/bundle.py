"""The bundled corpus: documents in the repository, with their vectors beside them.

Vectors are kept as float16 (half the bytes, cosine to the original above 0.9999) by content hash and model id, so
that a first start embeds nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from rag.protocols import FloatMatrix

__all__ = ["BUNDLE_SOURCE", "read_vectors", "vectors_path", "write_vectors"]

BUNDLE_SOURCE = "bundled"
"""The source's name: a newer image publishes its bundle as a new version of this source only."""


def vectors_path(corpus_dir: Path, collection: str) -> Path:
    return corpus_dir / f"{collection}.vectors.npz"


def read_vectors(path: Path, model_id: str | None) -> dict[str, FloatMatrix]:
    """Unit float32 vectors by content hash; empty if the file is missing or of another model."""
    if model_id is None or not path.exists():
        return {}
    with np.load(path, allow_pickle=False) as file:
        if str(file["model_id"]) != model_id:
            return {}
        matrix = file["vectors"].astype(np.float32)
        hashes = [str(h) for h in file["hashes"]]
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    return dict(zip(hashes, matrix, strict=True))


def write_vectors(path: Path, model_id: str, vectors: Mapping[str, FloatMatrix]) -> None:
    """Writes vectors sorted by hash, so that the same corpus gives the same file."""
    hashes = sorted(vectors)
    np.savez(
        path,
        model_id=np.array(model_id),
        hashes=np.array(hashes, dtype="U32"),
        vectors=np.stack([vectors[h] for h in hashes]).astype(np.float16),
    )
