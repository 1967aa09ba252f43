from __future__ import annotations

import contextlib
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.settings import ROOT, Secret, Settings, SettingsError, settings_table, variables
from rag.store import Store
from safety.types import RiskClass

ACCEPTED: list[tuple[str, str, object]] = [
    ("DB_PATH", "/data/galen.db", Path("/data/galen.db")),
    ("DB_PATH", "  /data/galen.db ", Path("/data/galen.db")),
    ("DB_PATH", "~/galen.db", Path("~/galen.db").expanduser()),
    ("CACHE_DIR", "/tmp/c", Path("/tmp/c")),
    ("CORPUS_DIR", str(ROOT / "data/corpus"), ROOT / "data/corpus"),
    ("CORPUS_VERSION", "spring", "spring"),
    ("HOST", "127.0.0.1", "127.0.0.1"),
    ("PORT", "1", 1),
    ("PORT", "65535", 65535),
    ("ALLOWED_ORIGINS", "*", ("*",)),
    ("ALLOWED_ORIGINS", "https://a.example/, http://localhost:3000", ("https://a.example", "http://localhost:3000")),
    ("EMBEDDER", "none", "none"),
    ("EMBEDDER", "local:e5-small", "local:e5-small"),
    ("VECTOR_INDEX", "resident", "resident"),
    ("VECTOR_INDEX", "sqlite-vec", "sqlite-vec"),
    ("RAG_TOPK", "1", 1),
    ("RAG_TOPK", "12", 12),
    ("RAG_HYBRID", "off", False),
    ("RAG_HYBRID", "YES", True),
    ("RAG_HYBRID", "0", False),
    ("RAG_RERANK", "off", False),
    ("RAG_FAITHFULNESS", "false", False),
    ("RAG_FAITHFULNESS", "1", True),
    ("RAG_FAITHFULNESS_MIN_RISK", "r4", RiskClass.R4),
    ("WEB_SEARCH", "duckduckgo", "duckduckgo"),
    ("WEB_SEARCH_COLLECTIONS", "governance, health,health", ("governance", "health")),
    ("WEB_SEARCH_SECONDS", "30", 30),
    ("WEB_SEARCH_KEEP_MINUTES", "0", 0),
    ("LOG_LEVEL", "debug", "DEBUG"),
    ("SHUTDOWN_SECONDS", "0", 0),
    ("SHUTDOWN_SECONDS", "300", 300),
    ("GENERATORS", "groq:openai/gpt-oss-120b, extractive,extractive", ("groq:openai/gpt-oss-120b", "extractive")),
    ("GENERATORS", "ollabridge:qwen2.5:7b,hf", ("ollabridge:qwen2.5:7b", "hf")),
    ("GENERATOR_CONTEXT_TOKENS", "300", 300),
    ("GENERATOR_MAX_TOKENS", "32768", 32768),
    ("GENERATOR_FIRST_TOKEN_SECONDS", "40", 40),
    ("GROQ_MODEL", "some-model", "some-model"),
    ("GROQ_URL", "http://127.0.0.1:1", "http://127.0.0.1:1"),
    ("OLLABRIDGE_URL", "https://bridge.example", "https://bridge.example"),
    ("OLLABRIDGE_MODEL", "local-private", "local-private"),
    ("VLLM_URL", "http://vllm.example:8000/v1", "http://vllm.example:8000/v1"),
    ("OLLAMA_URL", "http://localhost:11434", "http://localhost:11434"),
    ("LLAMACPP_URL", "http://localhost:8080", "http://localhost:8080"),
    ("HF_MODEL", "meta-llama/Llama-3.1-8B-Instruct:cerebras", "meta-llama/Llama-3.1-8B-Instruct:cerebras"),
    ("HF_URL", "https://endpoint.example/v1", "https://endpoint.example/v1"),
    ("RAG_EMBED_MODEL", "intfloat/multilingual-e5-small", "intfloat/multilingual-e5-small"),
]
SECRETS = [
    "TAVILY_API_KEY", "HF_TOKEN", "HF_TOKEN_INFERENCE", "GROQ_API_KEY", "OLLABRIDGE_API_KEY", "VLLM_API_KEY",
    "INGEST_SECRET",
]  # fmt: skip
REFUSED = [
    ("SEED_DB", "/nowhere/seed.db", "a database file that can be read"),
    ("SEED_DB", str(ROOT / "README.md"), "a database file that can be read"),
    ("CORPUS_DIR", "/nowhere", "a folder that exists"),
    ("CORPUS_VERSION", "a/b", "a name of 1 to 64 characters without a slash, such as 2026-11-30.1"),
    ("CORPUS_VERSION", "..", "a name of 1 to 64 characters without a slash, such as 2026-11-30.1"),
    ("OLLABRIDGE_URL", "garbage", "a web address such as http://localhost:11435"),
    ("PORT", "http", "a whole number from 1 to 65535"),
    ("PORT", "0", "a whole number from 1 to 65535"),
    ("PORT", "65536", "a whole number from 1 to 65535"),
    ("PORT", "-1", "a whole number from 1 to 65535"),
    ("PORT", "７８６０", "a whole number from 1 to 65535"),
    ("PORT", "9" * 5_000, "a whole number from 1 to 65535"),
    ("VECTOR_INDEX", "faiss", "resident or sqlite-vec"),
    ("RAG_TOPK", "0", "a whole number from 1 to 12"),
    ("RAG_TOPK", "13", "a whole number from 1 to 12"),
    ("RAG_TOPK", "6.0", "a whole number from 1 to 12"),
    ("SHUTDOWN_SECONDS", "301", "a whole number from 0 to 300"),
    ("RAG_HYBRID", "maybe", "on or off"),
    ("RAG_RERANK", "2", "on or off"),
    ("RAG_FAITHFULNESS", "ja", "on or off"),
    ("RAG_FAITHFULNESS_MIN_RISK", "R6", "R0, R1, R2, R3, R4 or R5"),
    ("RAG_FAITHFULNESS_MIN_RISK", "2", "R0, R1, R2, R3, R4 or R5"),
    ("ALLOWED_ORIGINS", "example.org", "origins such as https://example.org, separated by commas"),
    ("ALLOWED_ORIGINS", "https://a.example, javascript:alert(1)", "origins such as https://example.org"),
    ("EMBEDDER", "openai", "local:e5-small or none"),
    ("RAG_EMBED_MODEL", "intfloat/multilingual-e5-base", "EMBEDDER=local:e5-small"),
    ("GENERATORS", "openai", "groq, ollabridge, vllm, ollama, llamacpp, hf (each with :model) or extractive"),
    ("GENERATORS", "groq:", "groq, ollabridge"),
    ("GENERATORS", "groq:a model", "groq, ollabridge"),
    ("GENERATORS", "extractive:two", "or extractive"),
    ("GENERATOR_CONTEXT_TOKENS", "299", "a whole number from 300 to 100000"),
    ("GENERATOR_MAX_TOKENS", "1", "a whole number from 64 to 32768"),
    ("GENERATOR_FIRST_TOKEN_SECONDS", "41", "a whole number from 1 to 40"),
    ("GROQ_MODEL", "a model", "the name of a model, such as openai/gpt-oss-120b"),
    ("WEB_SEARCH", "google", "off, tavily or duckduckgo"),
    ("WEB_SEARCH", "on", "off, tavily or duckduckgo"),
    ("WEB_SEARCH_COLLECTIONS", ",", "names of collections such as governance, separated by commas"),
    ("WEB_SEARCH_COLLECTIONS", "Health Care", "names of collections"),
    ("WEB_SEARCH_SECONDS", "31", "a whole number from 1 to 30"),
    ("WEB_SEARCH_KEEP_MINUTES", "1441", "a whole number from 0 to 1440"),
    ("LOG_LEVEL", "loud", "DEBUG, INFO, WARNING or ERROR"),
    ("DB_PATH", "~nobody-of-this-name/galen.db", "a path"),
]


def field_of(name: str) -> str:
    return next(f.name for f in fields(Settings) if f.metadata["name"] == name)


@pytest.mark.parametrize(("name", "value", "expected"), ACCEPTED)
def test_a_value_is_read(name: str, value: str, expected: object) -> None:
    assert getattr(Settings.from_env({name: value}), field_of(name)) == expected


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_read_and_never_shown(name: str) -> None:
    made = Settings.from_env({name: "hunter2"})
    secret = getattr(made, field_of(name))
    assert secret.reveal() == "hunter2"
    assert bool(secret)
    for shown in (repr(made), str(made), f"{secret}", repr(secret), str(made.notes())):
        assert "hunter2" not in shown


def test_every_variable_is_tried_here() -> None:
    assert {name for name, *_ in ACCEPTED} | {"SEED_DB", *SECRETS} == {v.name for v in variables()}


@pytest.mark.parametrize(("name", "value", "form"), REFUSED)
def test_a_value_that_does_not_parse_is_refused_with_name_and_accepted_form(name: str, value: str, form: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({name: value})
    assert str(caught.value).startswith(f"{name} must be ")
    assert form in str(caught.value)


@pytest.mark.parametrize("name", [v.name for v in variables()])
@pytest.mark.parametrize("value", ["", "  "])
def test_an_empty_value_is_no_value(name: str, value: str) -> None:
    assert Settings.from_env({name: value}) == Settings.from_env({})


@given(name=st.sampled_from([v.name for v in variables()]), value=st.text(max_size=40))
def test_any_value_is_read_or_refused(name: str, value: str) -> None:
    with contextlib.suppress(SettingsError):
        Settings.from_env({name: value})


def test_without_variables_the_defaults_hold() -> None:
    made = Settings.from_env({})
    assert (made.db_path, made.corpus_dir) == (ROOT / "var/galen.db", ROOT / "data/corpus")
    assert (made.port, made.top_k, made.hybrid, made.rerank) == (7860, 6, True, False)
    assert (made.faithfulness, made.faithfulness_min_risk) == (True, RiskClass.R2)
    assert made.notes() == ()
    assert not made.groq_api_key


def test_a_variable_of_another_program_is_ignored() -> None:
    assert Settings.from_env({"PATH": "/bin", "PORT_": "x"}) == Settings.from_env({})


def test_the_process_s_environment_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", "1234")
    assert Settings.from_env().port == 1234


def test_a_reranker_cannot_be_switched_on_as_there_is_none() -> None:
    with pytest.raises(SettingsError, match=r"RAG_RERANK is on.*set RAG_RERANK=off or unset it"):
        Settings.from_env({"RAG_RERANK": "on"})


def test_an_engine_whose_key_is_missing_is_refused_with_the_key_s_name() -> None:
    with pytest.raises(SettingsError, match=r"WEB_SEARCH=tavily needs TAVILY_API_KEY: set it"):
        Settings.from_env({"WEB_SEARCH": "tavily"})
    made = Settings.from_env({"WEB_SEARCH": "tavily", "TAVILY_API_KEY": "k"})
    assert (made.web_search, made.tavily_api_key.reveal()) == ("tavily", "k")


def test_no_web_page_is_used_unless_somebody_says_so_and_then_not_for_health() -> None:
    made = Settings.from_env({})
    assert (made.web_search, made.web_collections) == ("off", ("governance",))


def test_settings_that_leave_no_search_at_all_are_refused_with_both_names() -> None:
    off = {"RAG_HYBRID": "off", "EMBEDDER": "none"}
    with pytest.raises(SettingsError, match=r"RAG_HYBRID=off .* EMBEDDER=none .*: unset one of them\."):
        Settings.from_env(off)
    for name in off:
        Settings.from_env({**off, name: ""})


def test_the_older_name_of_the_embedder_is_noted_once() -> None:
    notes = Settings.from_env({"RAG_EMBED_MODEL": "intfloat/multilingual-e5-small"}).notes()
    assert [note for note in notes if "RAG_EMBED_MODEL" in note] == list(notes)
    assert len(notes) == 1
    assert "EMBEDDER=local:e5-small" in notes[0]


KEYS = {"GROQ_API_KEY": "groq", "OLLABRIDGE_URL": "ollabridge", "HF_TOKEN_INFERENCE": "hf"}


@pytest.mark.parametrize("name", KEYS)
def test_a_key_that_sends_questions_somewhere_is_noted_and_so_is_one_that_does_not(name: str) -> None:
    (note,) = Settings.from_env({name: "https://bridge.example"}).notes()
    assert note == f"{name} is set: questions, with passages, are sent to {KEYS[name]}."
    (note,) = Settings.from_env({name: "https://bridge.example", "GENERATORS": "extractive"}).notes()
    assert note == f"{name} is set, but GENERATORS does not name {KEYS[name]}: nothing is sent there."


def test_a_token_of_the_hub_alone_sends_nothing_anywhere() -> None:
    made = Settings.from_env({"HF_TOKEN": "hf"})
    assert made.answering == ("extractive",)
    assert made.notes()[0].startswith("HF_TOKEN is set and changes nothing")
    assert Settings.from_env({"HF_TOKEN": "hf", "GENERATORS": "hf"}).notes() == ()


def test_unset_every_provider_that_has_its_key_or_address_answers_in_a_fixed_order() -> None:
    every = dict.fromkeys(KEYS, "https://bridge.example")
    assert Settings.from_env(every).answering == ("groq", "ollabridge", "hf", "extractive")
    assert Settings.from_env({}).answering == ("extractive",)
    assert Settings.from_env({**every, "GENERATORS": "hf:m"}).answering == ("hf:m",)


def test_all_secrets_look_alike() -> None:
    assert repr(Secret("a")) == repr(Secret("b"))


# --- documentation


def test_every_variable_has_a_line_of_help() -> None:
    for variable in variables():
        assert variable.help.endswith(".")
        assert "|" not in variable.help


def test_defaults_are_shown_as_one_would_write_them() -> None:
    shown = {v.name: v.default for v in variables()}
    assert (shown["DB_PATH"], shown["RAG_HYBRID"], shown["RAG_RERANK"]) == ("var/galen.db", "on", "off")
    assert (shown["RAG_FAITHFULNESS_MIN_RISK"], shown["HF_TOKEN"], shown["ALLOWED_ORIGINS"]) == ("R2", "unset", "unset")


def test_a_default_that_is_shown_can_be_written() -> None:
    shown = {v.name: v.default for v in variables() if v.default != "unset" and "PATH" not in v.name}
    shown = {name: value for name, value in shown.items() if not name.endswith("_DIR")}
    assert Settings.from_env(shown) == Settings.from_env({})


def test_the_table_has_one_row_a_variable() -> None:
    head, rule, *rows = settings_table().splitlines()
    assert (head, rule) == ("| Variable | Default | Meaning |", "| --- | --- | --- |")
    assert [row.split("`")[1] for row in rows] == [v.name for v in variables()]
    assert "| `PORT` | `7860` | Port to listen on. |" in rows
    assert "| `GROQ_MODEL` | `openai/gpt-oss-120b` | Model at Groq, unless GENERATORS names one. |" in rows


def test_the_readme_tells_every_setting_as_it_is() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    missing = [row for row in settings_table().splitlines() if row not in lines]
    assert not missing, "put these rows of app.settings.settings_table() into README.md:\n" + "\n".join(missing)


def test_a_prepared_database_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "seed.db"
    Store(path, None).close()
    assert Settings.from_env({"SEED_DB": str(path)}).seed_db == path
