"""Hugging Face Inference Providers, through huggingface_hub. https://huggingface.co/docs/inference-providers"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, cast

from huggingface_hub import AsyncInferenceClient, InferenceTimeoutError
from huggingface_hub.errors import HfHubHTTPError, TextGenerationError

from rag.errors import ErrorKind, ProviderBusy, ProviderError, ProviderTimeout, ProviderUnusable
from rag.providers.chat_wire import ChatRequest, Piece, error_in_stream, error_of_status, piece_of

__all__ = ["HF_URL", "HFInference"]

HF_URL = "https://router.huggingface.co/v1"

_SECONDS = 30.0
"""For connecting and between two reads, as the client has one number for both; our own limits are shorter."""

_HUNG_UP = ("ReadError", "RemoteProtocolError")
"""Of the HTTP client that huggingface_hub brings, which is another one than ours."""


class HFInference:
    """A `ChatWire` over `AsyncInferenceClient.chat_completion`, which neither retries nor limits its time by itself."""

    name = "hf"

    def __init__(self, *, key: str, model: str, url: str = HF_URL) -> None:
        self._key, self._model, self._url = key, model, url

    @property
    def model(self) -> str:
        return self._model

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Piece, None]:
        # The client keeps every response until it is closed, so each request has its own.
        try:
            async with AsyncInferenceClient(base_url=self._url, api_key=self._key, timeout=_SECONDS) as client:
                chunks = await self._ask(client, request)
                async with aclosing(chunks):
                    async for chunk in chunks:
                        yield piece_of(self.name, chunk)
        except ProviderError:
            raise
        except Exception as exc:
            raise _error(self.name, exc) from exc

    async def _ask(self, client: AsyncInferenceClient, request: ChatRequest) -> AsyncGenerator[dict[str, Any], None]:
        sampling = request.sampling
        try:
            chunks = await client.chat_completion(
                messages=list(request.messages),
                model=self._model,
                stream=True,
                stream_options=cast(Any, {"include_usage": True}),
                temperature=sampling.temperature,
                top_p=sampling.top_p,
                seed=sampling.seed,
                max_tokens=sampling.max_tokens,
            )
        except HfHubHTTPError as exc:
            response = exc.response
            body = (await response.aread()).decode("utf-8", "replace")
            raise error_of_status(self.name, response.status_code, body, response.headers) from exc
        return cast(AsyncGenerator[dict[str, Any], None], chunks)


def _error(name: str, exc: Exception) -> ProviderError:
    if isinstance(exc, InferenceTimeoutError):
        return ProviderTimeout(f"{name} did not answer in time.", kind=ErrorKind.UNREACHABLE)
    if isinstance(exc, TextGenerationError):
        return error_in_stream(name, str(exc))
    if type(exc).__name__ in _HUNG_UP:
        return ProviderUnusable(f"{name} hung up.", kind=ErrorKind.CUT)
    if type(exc).__name__.startswith("Connect"):
        return ProviderBusy(f"{name} cannot be reached.", kind=ErrorKind.UNREACHABLE)
    if isinstance(exc, ValueError):
        return ProviderUnusable(f"{name} sent what is no JSON.", kind=ErrorKind.MALFORMED)
    return ProviderError(f"{name} failed ({type(exc).__name__}).")
