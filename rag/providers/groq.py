"""Groq, through its own SDK. https://console.groq.com/docs/api-reference"""

from __future__ import annotations

import ssl
from collections.abc import AsyncGenerator
from typing import Any, cast

import groq
import httpx
from groq.types.chat import ChatCompletionChunk

from rag.errors import ProviderError
from rag.providers.chat_wire import ChatRequest, Piece, error_in_stream, error_of_status, piece_of
from rag.providers.openai_compatible import CONNECT_SECONDS, error_of_http

__all__ = ["GROQ_URL", "Groq"]

GROQ_URL = "https://api.groq.com"


class Groq:
    """A `ChatWire` over `groq.AsyncGroq`. Retries are ours to decide, since they share the turn's deadline."""

    name = "groq"

    def __init__(self, *, key: str, model: str, url: str = GROQ_URL) -> None:
        self._key, self._model, self._url = key, model, url
        self._tls = ssl.create_default_context()

    @property
    def model(self) -> str:
        return self._model

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Piece, None]:
        try:
            async with self._client() as client:
                created = await client.chat.completions.create(
                    model=self._model,
                    messages=list(request.messages),  # type: ignore[arg-type]
                    stream=True,
                    temperature=request.sampling.temperature,
                    top_p=request.sampling.top_p,
                    seed=request.sampling.seed,
                    max_completion_tokens=request.sampling.max_tokens,
                    extra_body=self._reasoning(),
                )
                async with cast(groq.AsyncStream[ChatCompletionChunk], created) as answer:
                    async for chunk in answer:
                        yield piece_of(self.name, chunk.to_dict(mode="python"))
        except ProviderError:
            raise
        except Exception as exc:
            raise _error(self.name, exc) from exc

    def _client(self) -> groq.AsyncGroq:
        return groq.AsyncGroq(
            api_key=self._key,
            base_url=self._url,
            max_retries=0,
            timeout=httpx.Timeout(None, connect=CONNECT_SECONDS),
            http_client=httpx.AsyncClient(verify=self._tls, timeout=httpx.Timeout(None, connect=CONNECT_SECONDS)),
        )

    def _reasoning(self) -> dict[str, Any]:
        """Models that reason are told to think little and keep it to themselves; others refuse these parameters."""
        if "gpt-oss" in self._model:
            return {"include_reasoning": False, "reasoning_effort": "low"}
        if "qwen3" in self._model or "deepseek-r1" in self._model:
            return {"reasoning_format": "hidden"}
        return {}


def _error(name: str, exc: Exception) -> ProviderError:
    if isinstance(exc, groq.APIStatusError):
        return error_of_status(name, exc.status_code, str(exc.body), exc.response.headers)
    if isinstance(exc, groq.APIConnectionError):
        return error_of_http(name, exc.__cause__ or exc)
    if isinstance(exc, groq.APIError):
        return error_in_stream(name, exc.body)
    return error_of_http(name, exc)
