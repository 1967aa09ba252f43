from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evals.baselines import healrag
from evals.baselines.bm25 import Bm25
from evals.baselines.cortexrag import CortexRag
from evals.built import built
from evals.metrics import per_query
from evals.passages import kept_vectors, read_passages, within
from evals.sets import Case, RankingSet
from evals.systems import World, available, final, runs_of
from evals.trec import write_runs
from evals.typos import misspelt

RECORDS = [
    {"doc_id": "asthma", "doc_title": "Asthma", "text": "Asthma makes breathing hard. An inhaler opens the airways."},
    {"doc_id": "gout", "doc_title": "Gout", "text": "Gout is a swollen toe. Uric acid makes crystals in joints."},
    {"doc_id": "mumps", "doc_title": "Mumps", "text": "Mumps swells the glands. A vaccine prevents it."},
]
CASES = [
    Case(id="q1", text="what does an inhaler do for asthma?", lang="en"),
    Case(id="q2", text="why is my toe swollen, uric acid?", lang="en"),
]
QRELS = {"q1": {"asthma": 1}, "q2": {"gout": 1}}


@pytest.fixture
def keyword_only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("EMBEDDER", "none")
    return tmp_path


def _chosen(**more: object) -> RankingSet:
    return RankingSet(
        name="small", corpus="small", collection="health", cases=CASES, qrels=QRELS, measures=("hit@1",), **more
    )  # type: ignore[arg-type]


@pytest.mark.usefixtures("keyword_only")
def test_without_vectors_only_what_needs_none_ranks_and_finds() -> None:
    with built("small", "health", RECORDS) as components:
        systems = available(components)
        assert list(systems) == ["keyword", "fused", "+rewrite", "BM25", "RRF 1:1"]
        assert final(systems) == "+rewrite"
        world = World(components=components, collection="health", source="small")
        for run in runs_of(world, _chosen(), systems).values():
            assert per_query(QRELS, run)["hit@1"] == {"q1": 1.0, "q2": 1.0}


@pytest.mark.usefixtures("keyword_only")
def test_candidates_alone_are_ranked_and_the_same_words_stand_for_each_other() -> None:
    with built("small", "health", RECORDS) as components:
        systems = {n: s for n, s in available(components).items() if n in ("keyword", "BM25")}
        world = World(components=components, collection="health", source="small")
        chosen = _chosen(among={"q1": ["copy", "mumps"], "q2": ["mumps"]}, stored_as={"copy": "asthma"})
        runs = runs_of(world, chosen, systems)
        for run in runs.values():
            assert list(run["q1"]) == ["copy"]
            assert run["q2"] == {}


def test_what_was_built_is_taken_again(keyword_only: Path) -> None:
    versions = set()
    for _ in range(2):
        with built("small", "health", RECORDS) as components:
            versions.add(components.store.corpus.version("health").published_at)
    assert len(versions) == 1
    assert len(list((keyword_only / "evals").glob("small-*.db"))) == 1


@pytest.mark.usefixtures("keyword_only")
def test_a_part_of_a_view_holds_its_passages_only() -> None:
    with built("small", "health", RECORDS) as components:
        view = components.store.views.get("health")
        passages = read_passages(components.store, view)
        part = within(view, passages.rows_of["gout"])
        assert [passages.doc_of[key] for key in part.keys.tolist()] == ["gout"]
        assert Bm25(passages).rank("asthma gout", 9, part.keys.tolist()) == part.keys.tolist()
        assert Bm25(passages).rank("?!", 9) == []


def test_coverage_counts_long_words_as_substrings() -> None:
    assert healrag.coverage("is asthma contagious", "Asthmatic people") == 0.5
    assert healrag.coverage("is it", "it is") == 0.0
    order = healrag.weigh("asthma inhaler", {1: "gout", 2: "asthma inhaler"}, {1: 0.9, 2: 0.8}, [1, 2])
    assert order == pytest.approx({2: 0.86, 1: 0.63})


def test_the_gate_of_titles_wants_two_that_are_near_and_not_the_same() -> None:
    titles = np.eye(3, dtype=np.float32)
    near = np.array([0.7, 0.7, 0.1], np.float32)
    recipe = CortexRag("x", ["a", "b", "c"], titles, lambda _: near)
    assert recipe.rank("?", 2) == ["a", "b"]
    assert recipe.rank("?", 2, ["c", "b"]) == ["b", "c"]
    assert recipe.opens("?")[0]
    same = CortexRag("x", ["a", "b"], titles[[0, 0]], lambda _: near)
    assert not same.opens("?")[0]


def test_vectors_are_made_once(tmp_path: Path) -> None:
    made: list[int] = []

    def embed(texts: object) -> object:
        made.append(1)
        return np.eye(len(list(texts)), dtype=np.float32)  # type: ignore[call-overload]

    for _ in range(2):
        assert kept_vectors(tmp_path, "m", ["a", "b"], embed).shape == (2, 2)  # type: ignore[arg-type]
    assert len(made) == 1


def test_a_run_is_written_best_first_in_the_form_of_trec(tmp_path: Path) -> None:
    write_runs(tmp_path / "run", {"set/RRF 1:1": {"q": {"b": 0.5, "a": 1.0}}})
    lines = (tmp_path / "run").read_text().splitlines()
    assert lines == ["q Q0 a 1 1.000000 set/RRF_1:1", "q Q0 b 2 0.500000 set/RRF_1:1"]


def test_a_misspelt_question_is_another_but_always_the_same() -> None:
    text = "what causes a migraine headache"
    wrong = misspelt(text, "seed")
    assert wrong != text
    assert wrong == misspelt(text, "seed")
    assert misspelt("is it so", "seed") == "is it so"
