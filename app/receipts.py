"""Receipts, and the passages that they and every marker open. Knowing an id is permission to read it."""

from __future__ import annotations

import re
from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.components import Components
from app.errors import Problem
from rag.errors import CorpusMissing

__all__ = ["passage", "receipt"]

_ID = re.compile(r"[0-9a-f]{32}")


async def receipt(request: Request) -> Response:
    components: Components = request.app.state.components
    name = request.path_params["receipt_id"]
    found = components.store.receipts.get(name) if _ID.fullmatch(name) else None
    if found is None:
        raise Problem(404, "receipt_missing", "There is no receipt with this id. Ids are 32 hexadecimal digits.")
    return JSONResponse(found, headers={"cache-control": "no-store"})


async def passage(request: Request) -> Response:
    components: Components = request.app.state.components
    version = request.query_params.get("corpus_version")
    try:
        chunk, corpus_version = components.store.corpus.chunk(request.path_params["chunk_id"], version)
    except CorpusMissing:
        raise Problem(
            404, "passage_missing", "There is no passage with this id" + (" in that version." if version else ".")
        ) from None
    fields = {key: value for key, value in asdict(chunk).items() if key != "id"}
    return JSONResponse({**fields, "corpus_version": corpus_version}, headers={"cache-control": "no-cache"})
