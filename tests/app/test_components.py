from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import structlog

from app.components import bundled_collections, interrupted_receipt, open_components, version
from app.settings import Secret, Settings, SettingsError
from rag.errors import CorpusMissing, StoreError
from rag.providers.extractive import Extractive
from safety.types import RiskClass
from tests.corpora import document, write_documents

GOUT = {"gout": document("Gout", ("Causes", "Gout comes from uric acid crystals."))}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(
        db_path=tmp_path / "var" / "galen.db",
        cache_dir=tmp_path / "cache",
        corpus_dir=tmp_path / "corpus",
        embedder="none",
    )


def test_a_bundled_folder_is_published_as_a_collection_of_its_name(settings: Settings) -> None:
    write_documents(settings.corpus_dir / "joints", GOUT)
    with open_components(settings) as components:
        assert components.store.corpus.collections() == ("joints",)
        (source,) = components.store.corpus.sources("joints")
        assert (source.name, source.documents) == ("bundled", 1)


def test_a_second_start_publishes_nothing_new(settings: Settings) -> None:
    write_documents(settings.corpus_dir / "health", GOUT)
    for _ in range(2):
        with open_components(settings) as components:
            assert len(components.store.corpus.versions("health")) == 1


def test_a_start_is_not_held_up_by_a_newer_bundle(settings: Settings) -> None:
    """The serving process takes it in beside its chats; a command line does so on `galen ingest`."""
    folder = write_documents(settings.corpus_dir / "health", GOUT)
    with open_components(settings):
        pass
    write_documents(folder, {"asthma": document("Asthma", ("Symptoms", "Asthma causes wheezing."))})
    with open_components(settings) as components:
        assert len(components.store.corpus.versions("health")) == 1


def test_publishing_can_be_left_out(settings: Settings) -> None:
    write_documents(settings.corpus_dir / "health", GOUT)
    with open_components(settings, publish=False) as components:
        assert components.store.corpus.collections() == ()
        with pytest.raises(CorpusMissing):
            components.store.views.get("health")


def test_only_folders_are_collections(tmp_path: Path) -> None:
    assert bundled_collections(tmp_path / "nowhere") == ()
    for name in ("b", "a", ".hidden"):
        (tmp_path / name).mkdir()
    (tmp_path / "a.vectors.npz").write_bytes(b"")
    assert bundled_collections(tmp_path) == ("a", "b")


def test_settings_reach_the_parts(settings: Settings) -> None:
    chosen = replace(settings, top_k=3, hybrid=False, faithfulness=False, faithfulness_min_risk=RiskClass.R4)
    with open_components(chosen) as components:
        parts = components.parts
        assert (parts.retriever.top_k, parts.retriever.hybrid) == (3, False)
        assert (parts.check_sentences, parts.hold_from) == (False, RiskClass.R4)
        assert isinstance(parts.generator, Extractive)
        assert parts.app_version == version()


def test_keyword_only_is_said_in_a_sentence_and_in_every_receipt(settings: Settings) -> None:
    with open_components(settings) as components:
        assert components.embedder is None
        assert components.degraded == ("EMBEDDER=none: questions are searched by keyword only.",)
        assert components.parts.degraded == ("embedder",)
        assert components.parts.thresholds.key == "keyword-only"


def test_a_cache_that_cannot_be_written_is_said_with_its_variable(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    chosen = replace(settings, embedder="local:e5-small", cache_dir=tmp_path / "file" / "cache")
    with structlog.testing.capture_logs() as logged, open_components(chosen) as components:
        assert components.embedder is not None
        (said,) = components.degraded
    assert said.startswith("The embedding graph is built at every start, as its folder cannot keep it: ")
    assert str(chosen.cache_dir) in said
    assert said.endswith("Set CACHE_DIR to a folder that can be written.")
    assert [(line["log_level"], line["what"]) for line in logged if line["event"] == "degraded"] == [("warning", said)]


def test_the_database_is_closed_whatever_happens(settings: Settings) -> None:
    with pytest.raises(RuntimeError), open_components(settings) as components:
        raise RuntimeError
    with pytest.raises(Exception, match=r"(?i)closed"):
        components.store.corpus.collections()


def test_a_seed_is_copied_to_an_empty_place_only(settings: Settings, tmp_path: Path) -> None:
    write_documents(settings.corpus_dir / "health", GOUT)
    with open_components(settings):
        pass
    seed = shutil.copyfile(settings.db_path, tmp_path / "seed.db")
    shutil.rmtree(settings.corpus_dir)
    fresh = replace(settings, seed_db=seed, db_path=tmp_path / "new" / "galen.db")
    with open_components(fresh) as components:
        assert components.store.corpus.collections() == ("health",)
    assert [p.name for p in fresh.db_path.parent.iterdir() if p.name.endswith(".seeding")] == []
    seed.write_bytes(b"not a database")
    with open_components(fresh) as components:
        assert components.store.corpus.collections() == ("health",)


def test_a_seed_that_is_missing_is_no_obstacle(settings: Settings, tmp_path: Path) -> None:
    with open_components(replace(settings, seed_db=tmp_path / "none.db")) as components:
        assert components.store.corpus.collections() == ()


def test_a_place_that_cannot_be_written_is_named(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    blocked = replace(settings, db_path=tmp_path / "file" / "galen.db")
    with pytest.raises(StoreError, match=r"folder .*/file cannot be .*DB_PATH"), open_components(blocked):
        pass


def test_a_turn_that_a_crash_cut_off_gets_a_receipt(settings: Settings) -> None:
    with open_components(settings) as components:
        body = interrupted_receipt(components, "0" * 32, "health")
    assert (body["id"], body["status"], body["error"]) == ("0" * 32, "interrupted", "process_ended")
    assert body["collection"] == "health"


@pytest.mark.parametrize(("engine", "key"), [("duckduckgo", ""), ("tavily", "k")])
def test_a_chosen_engine_searches_for_the_collections_that_were_named(
    settings: Settings, engine: str, key: str
) -> None:
    chosen = replace(settings, web_search=engine, web_collections=("health",), tavily_api_key=Secret(key))
    write_documents(settings.corpus_dir / "health", GOUT)
    with open_components(chosen) as components:
        web = components.parts.web
        assert web is not None
        assert (web.name, web.allows("health"), web.allows("governance")) == (engine, True, False)


def test_no_engine_is_opened_unless_chosen(settings: Settings) -> None:
    write_documents(settings.corpus_dir / "health", GOUT)
    with open_components(settings) as components:
        assert components.parts.web is None


def test_a_collection_without_trusted_publishers_stops_the_start_by_name(settings: Settings) -> None:
    chosen = replace(settings, web_search="duckduckgo", web_collections=("joints",))
    write_documents(settings.corpus_dir / "health", GOUT)
    with (
        pytest.raises(SettingsError, match=r"WEB_SEARCH_COLLECTIONS names 'joints', .*name governance or health"),
        open_components(chosen),
    ):
        pass
