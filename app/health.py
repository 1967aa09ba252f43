"""`GET /api/health`: live, ready, what answers and what is degraded. 503 when nothing could answer."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.components import Components
from rag.errors import RagError
from rag.providers.breaker import BreakerState
from rag.providers.fallback import Fallback

__all__ = ["health"]


async def health(request: Request) -> Response:
    components: Components = request.app.state.components
    degraded = list(components.degraded)
    corpus: dict[str, Any] = {}
    try:
        for version in components.store.corpus.versions():
            if version.active:
                corpus[version.collection] = _collection(components, version, degraded)
    except RagError as exc:
        degraded.append(f"the database cannot be read ({type(exc).__name__})")
    background = components.background
    if background is not None:
        degraded.extend(f"an ingest failed: {failure}" for failure in background.failures)
    providers = _providers(components, degraded)
    ready = any(entry["passages"] for entry in corpus.values())
    if not ready:
        degraded.append("no collection is published: nothing can be answered")
    body = {
        "live": True,
        "ready": ready,
        "version": components.parts.app_version,
        "corpus": corpus,
        "models": {
            "embedder": _embedder(components),
            "generator": {"name": components.parts.generator.name, "model": components.parts.generator.model},
            "reranker": None,
            "judge": "heuristic" if components.parts.check_sentences else None,
        },
        "providers": providers,
        "ruleset": components.parts.assessor.ruleset,
        "degraded": degraded,
        "ingest": _ingest(components),
        "database": {"wal_bytes": components.store.db.wal_bytes()},
    }
    return JSONResponse(body, status_code=200 if ready else 503, headers={"cache-control": "no-store"})


def _collection(components: Components, version: Any, degraded: list[str]) -> dict[str, Any]:
    embedder = components.embedder
    serving = components.store.views.serving(version)
    vectors = serving is not None
    if embedder is not None and not vectors:
        degraded.append(f"{version.collection} has no complete vectors of this model: keyword search only")
    elif embedder is not None and serving != embedder.info.model_id:
        degraded.append(
            f"{version.collection} answers with the vectors of {serving} until those of {embedder.info.model_id} are "
            f"complete: run `galen corpus reembed --collection {version.collection}`"
        )
    return {
        "corpus_version": version.corpus_version,
        "documents": version.documents,
        "passages": version.chunks,
        "vectors": vectors,
        "vectors_of": serving,
        "vector_index": components.store.views.kind if vectors else None,
    }


def _embedder(components: Components) -> dict[str, Any] | None:
    if components.embedder is None:
        return None
    info = components.embedder.info
    return {"model_id": info.model_id, "dimensions": info.dimensions, "engine": info.engine}


def _providers(components: Components, degraded: list[str]) -> list[dict[str, Any]]:
    """Every provider that may write an answer, with how it last failed; empty where only the built-in one does."""
    generator = components.parts.generator
    if not isinstance(generator, Fallback):
        return []
    for each in generator.states:
        if each.state is not BreakerState.CLOSED:
            degraded.append(f"the provider {each.name} does not answer ({each.last_error}): the next one is asked")
    return [
        {
            "name": each.name,
            "model": each.model,
            "state": str(each.state),
            "last_error": str(each.last_error) if each.last_error else None,
        }
        for each in generator.states
    ]


def _ingest(components: Components) -> dict[str, Any] | None:
    background = components.background
    if background is None or not background.running:
        return None
    progress = background.progress
    if progress is None:
        return {"share": None}
    return {
        "share": round(progress.share, 4),
        "documents": progress.documents,
        "documents_total": progress.documents_total,
        "passages_per_second": round(progress.rate, 2),
        "seconds_left": None if progress.seconds_left is None else round(progress.seconds_left),
    }
