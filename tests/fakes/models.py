"""Generators that ask the scripted model, through every client that we have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rag.providers.chat_wire import ChatWire
from rag.providers.groq import Groq
from rag.providers.hf_inference import HFInference
from rag.providers.model_generator import Limits, ModelGenerator
from rag.providers.openai_compatible import OpenAICompatible
from rag.types import Prompt
from tests.fakes.evidence import passage
from tests.fakes.llm_server import LLMServer

__all__ = ["PROMPT", "QUICK", "WIRES", "asking", "say"]

QUICK = Limits(first_token=0.3, idle=0.3, rate_limit=1.0)
"""Limits that a test can wait for."""

WIRES: dict[str, Callable[[LLMServer], ChatWire]] = {
    "openai_compatible": lambda server: OpenAICompatible(name="vllm", url=server.host, model="m", key="key-1"),
    "groq": lambda server: Groq(key="key-1", model="openai/gpt-oss-120b", url=server.host),
    "hf": lambda server: HFInference(key="key-1", model="openai/gpt-oss-120b", url=server.url),
}

PROMPT = Prompt(
    question="What causes gout attacks?",
    language="en",
    evidence=(
        passage("Gout comes from uric acid crystals. Beer makes gout attacks more likely.", n=1),
        passage("A cough lasts three weeks.", n=2),
    ),
)


def say(key: str, language: str) -> str:
    return f"{key} ({language})."


def asking(server: LLMServer, wire: str = "openai_compatible", **more: Any) -> ModelGenerator:
    """A generator that asks the server, with limits short enough to wait for."""
    return ModelGenerator(WIRES[wire](server), say, **{"limits": QUICK, **more})
