"""Every setting, read once from the environment. The rest of the program receives values.

A value that does not parse stops the start, naming the variable and the accepted form.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

from rag.store import IndexKind
from safety.types import RiskClass

__all__ = ["Secret", "Settings", "SettingsError", "Variable", "settings_table", "variables"]


ROOT = Path(__file__).resolve().parents[1]
"""The project's folder: defaults are relative to it, wherever a command is run."""


class SettingsError(Exception):
    """A setting cannot be used; the message names it and says what to write instead."""


class Secret:
    """A string that does not show itself."""

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __repr__(self) -> str:
        return "Secret('**********')"

    def __bool__(self) -> bool:
        return bool(self._value)


def _text(value: str) -> str:
    return value


def _path(value: str) -> Path:
    try:
        return Path(value).expanduser()
    except RuntimeError:
        raise ValueError("a path; its ~ has no home here") from None


def _database(value: str) -> Path:
    path = _path(value)
    try:
        with path.open("rb") as file:
            head = file.read(16)
    except OSError:
        head = b""
    if head != b"SQLite format 3\0":
        raise ValueError("a database file that can be read")
    return path


def _folder(value: str) -> Path:
    path = _path(value)
    if not path.is_dir():
        raise ValueError("a folder that exists")
    return path


def _version_name(value: str) -> str:
    if not re.fullmatch(r"[^/\\\x00-\x1f\x7f]{1,64}", value) or value in (".", ".."):
        raise ValueError("a name of 1 to 64 characters without a slash, such as 2026-11-30.1")
    return value


def _address(value: str) -> str:
    if not re.fullmatch(r"https?://[^\s/]+(/\S*)?", value):
        raise ValueError("a web address such as http://localhost:11435")
    return value


def _flag(value: str) -> bool:
    if value.casefold() in ("1", "true", "yes", "on"):
        return True
    if value.casefold() in ("0", "false", "no", "off"):
        return False
    raise ValueError("on or off")


def _whole(low: int, high: int) -> Callable[[str], int]:
    def parse(value: str) -> int:
        if not re.fullmatch(r"[0-9]{1,9}", value) or not low <= int(value) <= high:
            raise ValueError(f"a whole number from {low} to {high}")
        return int(value)

    return parse


def _risk(value: str) -> RiskClass:
    try:
        return RiskClass[value.upper()]
    except KeyError:
        raise ValueError("R0, R1, R2, R3, R4 or R5") from None


def _origins(value: str) -> tuple[str, ...]:
    origins = tuple(part.strip().rstrip("/") for part in value.split(",") if part.strip())
    for origin in origins:
        if origin != "*" and not origin.startswith(("http://", "https://")):
            raise ValueError("origins such as https://example.org, separated by commas")
    return origins


def _embedder(value: str) -> str:
    if value not in ("local:e5-small", "none"):
        raise ValueError("local:e5-small or none")
    return value


def _web_engine(value: str) -> str:
    if value not in ("off", "tavily", "duckduckgo"):
        raise ValueError("off, tavily or duckduckgo")
    return value


def _names(value: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(part.strip() for part in value.split(",") if part.strip()))
    if not names or not all(re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,63}", name) for name in names):
        raise ValueError("names of collections such as governance, separated by commas")
    return names


def _vector_index(value: str) -> str:
    if value not in ("resident", "sqlite-vec"):
        raise ValueError("resident or sqlite-vec")
    return value


PROVIDERS = ("groq", "ollabridge", "vllm", "ollama", "llamacpp", "hf", "extractive")
"""What can write answers, by the names that GENERATORS takes."""


def _generators(value: str) -> tuple[str, ...]:
    parts = tuple(dict.fromkeys(part.strip() for part in value.split(",") if part.strip()))
    for part in parts:
        name, colon, model = part.partition(":")
        if name not in PROVIDERS or (colon and (name == "extractive" or not re.fullmatch(_MODEL, model))):
            raise ValueError(f"{', '.join(PROVIDERS[:-1])} (each with :model) or extractive, separated by commas")
    return parts


_MODEL = r"[\w./:@+-]{1,128}"


def _model(value: str) -> str:
    if not re.fullmatch(_MODEL, value):
        raise ValueError("the name of a model, such as openai/gpt-oss-120b")
    return value


def _legacy_embed_model(value: str) -> str:
    if value not in ("", "intfloat/multilingual-e5-small"):
        raise ValueError("intfloat/multilingual-e5-small (the newer name is EMBEDDER=local:e5-small), or unset")
    return value


def _level(value: str) -> str:
    if value.upper() not in ("DEBUG", "INFO", "WARNING", "ERROR"):
        raise ValueError("DEBUG, INFO, WARNING or ERROR")
    return value.upper()


def _env(name: str, parse: Callable[[str], Any], default: Any, help_text: str) -> Any:
    return field(default=default, metadata={"name": name, "parse": parse, "help": help_text})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """One field per variable; `metadata` holds its name, parser and line of help."""

    db_path: Path = _env("DB_PATH", _path, ROOT / "var/galen.db", "The database file; its folder must be writable.")
    seed_db: Path | None = _env(
        "SEED_DB", _database, None, "A prepared database that is copied to DB_PATH when there is none yet."
    )
    cache_dir: Path = _env(
        "CACHE_DIR",
        _path,
        ROOT / "var/cache",
        "Where the embedding graph is kept between starts; without it each start builds it anew, and says so.",
    )
    corpus_dir: Path = _env(
        "CORPUS_DIR", _folder, ROOT / "data/corpus", "Folder of collections (one folder each) published at start."
    )
    corpus_version: str = _env(
        "CORPUS_VERSION", _version_name, "", "Name of the version that an ingest publishes; default date and number."
    )
    host: str = _env("HOST", _text, "0.0.0.0", "Address to listen on.")
    port: int = _env("PORT", _whole(1, 65535), 7860, "Port to listen on.")
    allowed_origins: tuple[str, ...] = _env(
        "ALLOWED_ORIGINS", _origins, (), "Origins of web pages that may call the API, separated by commas; * for any."
    )
    embedder: str = _env("EMBEDDER", _embedder, "local:e5-small", "local:e5-small, or none for keyword search only.")
    vector_index: IndexKind = _env(
        "VECTOR_INDEX",
        _vector_index,
        "resident",
        "resident keeps all vectors in memory; sqlite-vec searches them in the file, slower, on hosts short of memory.",
    )
    top_k: int = _env(
        "RAG_TOPK",
        _whole(1, 12),
        6,
        "Passages that an answer may draw on; twice as many when the evidence is ambiguous.",
    )
    hybrid: bool = _env(
        "RAG_HYBRID", _flag, True, "Keyword search beside vector search; cannot be off with EMBEDDER=none."
    )
    rerank: bool = _env("RAG_RERANK", _flag, False, "Rerank passages; needs a reranker, none is built in.")
    faithfulness: bool = _env("RAG_FAITHFULNESS", _flag, True, "Check every sentence against its passages.")
    faithfulness_min_risk: RiskClass = _env(
        "RAG_FAITHFULNESS_MIN_RISK",
        _risk,
        RiskClass.R2,
        "From this risk class up, nothing is shown before all is checked.",
    )
    web_search: str = _env(
        "WEB_SEARCH",
        _web_engine,
        "off",
        "Trusted web pages where the corpus is not enough: off, tavily (needs a key) or duckduckgo.",
    )
    web_collections: tuple[str, ...] = _env(
        "WEB_SEARCH_COLLECTIONS",
        _names,
        ("governance",),
        "Collections whose answers may use web pages, by commas; their publishers stand in `data/web_sources.toml`.",
    )
    web_seconds: int = _env(
        "WEB_SEARCH_SECONDS", _whole(1, 30), 8, "How long the web search of a turn may take; late pages are left out."
    )
    web_keep_minutes: int = _env(
        "WEB_SEARCH_KEEP_MINUTES", _whole(0, 1440), 60, "How long pages of a search are kept in memory; 0 keeps none."
    )
    tavily_api_key: Secret = _env("TAVILY_API_KEY", Secret, Secret(""), "Key of Tavily, for WEB_SEARCH=tavily.")
    log_level: str = _env("LOG_LEVEL", _level, "INFO", "DEBUG, INFO, WARNING or ERROR.")
    shutdown_seconds: int = _env(
        "SHUTDOWN_SECONDS", _whole(0, 300), 20, "How long running answers may finish at a stop."
    )
    generators: tuple[str, ...] = _env(
        "GENERATORS",
        _generators,
        (),
        "Who writes answers, in order, such as `groq:openai/gpt-oss-120b,ollabridge:free-best,hf,extractive`; unset: "
        "groq, ollabridge and hf where their key or address is set, then extractive.",
    )
    generator_context_tokens: int = _env(
        "GENERATOR_CONTEXT_TOKENS", _whole(300, 100_000), 4000, "About how many tokens of passages a model is sent."
    )
    generator_max_tokens: int = _env(
        "GENERATOR_MAX_TOKENS", _whole(64, 32_768), 2048, "Most tokens of a model's answer, its reasoning included."
    )
    generator_first_token_seconds: int = _env(
        "GENERATOR_FIRST_TOKEN_SECONDS",
        _whole(1, 40),
        12,
        "How long a model may take to its first word before the next one is asked.",
    )
    # llama-3.3-70b-versatile, long the usual choice on Groq, was switched off there on 2026-08-16.
    groq_api_key: Secret = _env("GROQ_API_KEY", Secret, Secret(""), "Groq key; questions are sent to Groq with it.")
    groq_model: str = _env("GROQ_MODEL", _model, "openai/gpt-oss-120b", "Model at Groq, unless GENERATORS names one.")
    groq_url: str = _env("GROQ_URL", _address, "", "Another address for Groq, without /openai/v1.")
    ollabridge_url: str = _env(
        "OLLABRIDGE_URL", _address, "", "Address of OllaBridge; questions are sent there with it."
    )
    ollabridge_api_key: Secret = _env("OLLABRIDGE_API_KEY", Secret, Secret(""), "OllaBridge key, where it wants one.")
    ollabridge_model: str = _env(
        "OLLABRIDGE_MODEL", _model, "free-best", "Model at OllaBridge, unless GENERATORS names one."
    )
    vllm_url: str = _env("VLLM_URL", _address, "", "Address of vLLM, for vllm:model in GENERATORS.")
    vllm_api_key: Secret = _env("VLLM_API_KEY", Secret, Secret(""), "vLLM key, where it wants one.")
    ollama_url: str = _env("OLLAMA_URL", _address, "", "Address of Ollama, for ollama:model in GENERATORS.")
    llamacpp_url: str = _env(
        "LLAMACPP_URL", _address, "", "Address of llama.cpp's server, for llamacpp:model in GENERATORS."
    )
    hf_token_inference: Secret = _env(
        "HF_TOKEN_INFERENCE", Secret, Secret(""), "Token for HF Inference; questions are sent there with it."
    )
    hf_token: Secret = _env(
        "HF_TOKEN", Secret, Secret(""), "Hugging Face token, for hf in GENERATORS; changes nothing by itself."
    )
    hf_model: str = _env("HF_MODEL", _model, "openai/gpt-oss-120b", "Model at HF, unless GENERATORS names one.")
    hf_url: str = _env("HF_URL", _address, "", "Another address for HF Inference, such as an endpoint of your own.")
    rag_embed_model: str = _env(
        "RAG_EMBED_MODEL", _legacy_embed_model, "", "Older name for EMBEDDER; intfloat/multilingual-e5-small only."
    )
    ingest_secret: Secret = _env("INGEST_SECRET", Secret, Secret(""), "Secret of the ingest API. Read; not used yet.")

    @staticmethod
    def from_env(environ: Mapping[str, str] | None = None) -> Settings:
        """The settings of an environment. SettingsError on a value that does not parse."""
        environ = os.environ if environ is None else environ
        values: dict[str, Any] = {}
        for item in fields(Settings):
            name, parse = item.metadata["name"], item.metadata["parse"]
            if raw := environ.get(name, "").strip():  # an empty value is no value, as in `docker run -e PORT=`
                try:
                    values[item.name] = parse(raw)
                except ValueError as exc:
                    raise SettingsError(f"{name} must be {exc}.") from None
        if values.get("rerank"):
            raise SettingsError("RAG_RERANK is on, but no reranker is built in: set RAG_RERANK=off or unset it.")
        if values.get("embedder") == "none" and values.get("hybrid") is False:
            raise SettingsError(
                "RAG_HYBRID=off leaves only vector search and EMBEDDER=none only keyword search, so nothing could be "
                "found: unset one of them."
            )
        if values.get("web_search") == "tavily" and "tavily_api_key" not in values:
            raise SettingsError(
                "WEB_SEARCH=tavily needs TAVILY_API_KEY: set it, or write WEB_SEARCH=duckduckgo or WEB_SEARCH=off."
            )
        return Settings(**values)

    def notes(self) -> tuple[str, ...]:
        """What an operator should be told once, whatever is run."""
        notes = []
        if self.rag_embed_model:
            notes.append("RAG_EMBED_MODEL is an older name: write EMBEDDER=local:e5-small instead.")
        asked = {name.partition(":")[0] for name in self.answering}
        given = {
            "GROQ_API_KEY": ("groq", self.groq_api_key),
            "OLLABRIDGE_URL": ("ollabridge", self.ollabridge_url),
            "HF_TOKEN_INFERENCE": ("hf", self.hf_token_inference),
        }
        for name, (provider, value) in given.items():
            if value and provider in asked:
                notes.append(f"{name} is set: questions, with passages, are sent to {provider}.")
            elif value:
                notes.append(f"{name} is set, but GENERATORS does not name {provider}: nothing is sent there.")
        if self.hf_token and "hf" not in asked:
            notes.append("HF_TOKEN is set and changes nothing: set HF_TOKEN_INFERENCE, or name hf in GENERATORS.")
        return tuple(notes)

    @property
    def answering(self) -> tuple[str, ...]:
        """Who writes answers, in order, each as "name" or "name:model"."""
        if self.generators:
            return self.generators
        given = {"groq": self.groq_api_key, "ollabridge": self.ollabridge_url, "hf": self.hf_token_inference}
        return (*(name for name, value in given.items() if value), "extractive")


@dataclass(frozen=True, kw_only=True)
class Variable:
    """A setting as documentation shows it."""

    name: str
    default: str
    help: str


def variables() -> tuple[Variable, ...]:
    """All settings, in order."""
    return tuple(
        Variable(name=f.metadata["name"], default=_shown(f.default), help=f.metadata["help"]) for f in fields(Settings)
    )


def settings_table() -> str:
    """All settings as the Markdown table of the README."""
    rows = ["| Variable | Default | Meaning |", "| --- | --- | --- |"]
    rows += [
        f"| `{v.name}` | {v.default if v.default == 'unset' else f'`{v.default}`'} | {v.help} |" for v in variables()
    ]
    return "\n".join(rows) + "\n"


def _shown(value: Any) -> str:
    if value is MISSING or value is None or value == () or value == "" or isinstance(value, Secret):
        return "unset"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ",".join(value)
    if isinstance(value, Path):
        return str(value.relative_to(ROOT))
    return value.name if isinstance(value, RiskClass) else str(value)
