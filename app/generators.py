"""Who writes answers: GENERATORS → a generator. At the start every model is asked for a word."""

from __future__ import annotations

from collections.abc import Callable

import structlog

from app.settings import Settings, SettingsError
from rag.errors import ErrorKind
from rag.protocols import Generator
from rag.providers.chat_wire import ChatWire, Sampling
from rag.providers.extractive import Extractive
from rag.providers.fallback import Fallback
from rag.providers.model_generator import Limits, ModelGenerator

__all__ = ["check_generators", "open_generator"]

log = structlog.get_logger("galen.start")

_REMEDIES = {
    ErrorKind.UNAUTHORIZED: "Check its key.",
    ErrorKind.PAYMENT_REQUIRED: "Its account is used up: add credit, or take it out of GENERATORS.",
    ErrorKind.MODEL_UNAVAILABLE: "Name a model that it has in GENERATORS.",
    ErrorKind.UNREACHABLE: "Check its address, and that it runs.",
    ErrorKind.RATE_LIMITED: "It has had too many requests and is asked again later.",
}


def open_generator(settings: Settings, say: Callable[[str, str], str]) -> Generator:
    """What `settings.answering` names, in order. SettingsError, with the remedy, where a key, address or model is
    missing."""
    if settings.answering == ("extractive",):
        return Extractive(say)
    return Fallback([_open(settings, named, say) for named in settings.answering])


def _open(settings: Settings, named: str, say: Callable[[str, str], str]) -> Generator:
    name, _, model = named.partition(":")
    if name == "extractive":
        return Extractive(say)
    return ModelGenerator(
        _wire(settings, name, model),
        say,
        sampling=Sampling(max_tokens=settings.generator_max_tokens),
        limits=Limits(first_token=float(settings.generator_first_token_seconds)),
        context_tokens=settings.generator_context_tokens,
    )


def _wire(settings: Settings, name: str, model: str) -> ChatWire:
    """The client of a provider; imported here, since each costs a start a tenth of a second and most need none."""
    if name == "groq":
        from rag.providers.groq import GROQ_URL, Groq

        key = _needed(name, "GROQ_API_KEY", settings.groq_api_key.reveal())
        return Groq(key=key, model=model or settings.groq_model, url=settings.groq_url or GROQ_URL)
    if name == "hf":
        from rag.providers.hf_inference import HF_URL, HFInference

        token = settings.hf_token_inference.reveal() or settings.hf_token.reveal()
        key = _needed(name, "HF_TOKEN_INFERENCE", token)
        return HFInference(key=key, model=model or settings.hf_model, url=settings.hf_url or HF_URL)
    from rag.providers.openai_compatible import OpenAICompatible

    url, secret, default = {
        "ollabridge": (settings.ollabridge_url, settings.ollabridge_api_key.reveal(), settings.ollabridge_model),
        "vllm": (settings.vllm_url, settings.vllm_api_key.reveal(), ""),
        "ollama": (settings.ollama_url, "", ""),
        "llamacpp": (settings.llamacpp_url, "", ""),
    }[name]
    if not (model or default):
        raise SettingsError(f"GENERATORS names {name} without a model: write {name}:model.")
    return OpenAICompatible(
        name=name, url=_needed(name, f"{name.upper()}_URL", url), model=model or default, key=secret
    )


def _needed(name: str, variable: str, value: str) -> str:
    if not value:
        raise SettingsError(f"GENERATORS names {name}, which needs {variable}: set it, or leave {name} out.")
    return value


async def check_generators(generator: Generator) -> None:
    """Asks every model for a word and says which do not answer; health shows it too."""
    if not isinstance(generator, Fallback):
        return
    await generator.check()
    for each in generator.states:
        if each.last_error is None:
            log.info("provider_ready", provider=each.name, model=each.model)
        else:
            remedy = _REMEDIES.get(each.last_error, "The next in GENERATORS answers meanwhile.")
            log.warning(
                "provider_does_not_answer",
                provider=each.name, model=each.model, error=str(each.last_error), remedy=remedy,
            )  # fmt: skip
