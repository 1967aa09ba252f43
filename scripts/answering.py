"""`galen search` and `galen ask`."""

from __future__ import annotations

import argparse
import asyncio
import secrets
import sys
from dataclasses import asdict, replace
from typing import Any

from app.components import Components, open_components
from app.logs import quiet_logs
from app.settings import Settings
from rag.errors import PermanentError
from rag.fold import fold_events
from rag.pipeline import find_evidence, run_turn
from rag.query import rewrite
from rag.store import View
from rag.types import Message, Turn
from safety.sanitize import sanitize
from scripts.lines import read_questions, write_line

__all__ = ["ask_command", "search_command"]

_NO_VECTORS = (
    'There are no vectors to search: unset EMBEDDER if it is "none", and ingest once more without --keyword-only.'
)


def search_command(arguments: argparse.Namespace, settings: Settings) -> int:
    quiet_logs()
    with open_components(settings) as components:
        components.store.corpus.active_generation(arguments.collection)  # CorpusMissing names what there is
        view = components.store.views.get(arguments.collection)
        if arguments.legs == "vector" and view.index is None:
            raise PermanentError(_NO_VECTORS)
        if arguments.question is not None:
            result = _search(components, view, arguments, {"id": None, "text": arguments.question, "lang": None})
            _print_hits(result, components)
            return 0
        failed = False
        for question in read_questions(arguments.file):
            failed |= "error" in question
            write_line(question if "error" in question else _search(components, view, arguments, question))
        return int(failed)


def _search(
    components: Components, view: View, arguments: argparse.Namespace, question: dict[str, Any]
) -> dict[str, Any]:
    parts, embedder = components.parts, components.parts.embedder_of(view)
    text = sanitize(question["text"])
    turn = Turn(
        id="", messages=(Message(role="user", content=text),), collection=arguments.collection,
        language=question.get("lang"),
    )  # fmt: skip
    query = rewrite(turn, (text,), parts.lexicon, parts.spellings.of(view))
    vectors = tuple(embedder.embed(query.searched, "query")) if embedder and arguments.legs != "keyword" else ()
    if arguments.legs == "vector":
        parts = replace(parts, retriever=replace(parts.retriever, hybrid=False))
    found = find_evidence(parts, view, query, vectors, arguments.k)
    return {
        "id": question["id"],
        "hits": [
            {"doc_id": e.chunk.doc_id, "chunk_id": e.chunk.chunk_id, "scores": asdict(e.scores)}
            for e in found.evidence[: arguments.k]
        ],
        "query": {"kind": query.kind, "rewritten_by": list(query.rewritten_by), "language": query.language},
        "gate": {
            "open": found.decision.open,
            "route": str(found.decision.route),
            "reasons": list(found.decision.reasons),
            "features": found.grade.features,
        },
    }


def _print_hits(result: dict[str, Any], components: Components) -> None:
    for place, hit in enumerate(result["hits"], start=1):
        chunk, _ = components.store.corpus.chunk(hit["chunk_id"])
        score = hit["scores"]["dense"]
        print(f"{place:2}. {chunk.title}" + (f" — {chunk.heading}" if chunk.heading else ""))
        print(f"    {chunk.organization}, {chunk.version_date or 'date not given'}  {chunk.url or ''}")
        print(f"    {hit['chunk_id']}  cosine {'-' if score is None else format(score, '.3f')}")
        print(f"    {' '.join(chunk.text.split())[:160]}")
    print(f"gate: {'open' if result['gate']['open'] else 'closed'} ({result['gate']['route']})")


def ask_command(arguments: argparse.Namespace, settings: Settings) -> int:
    quiet_logs()
    with open_components(settings) as components:
        components.store.corpus.active_generation(arguments.collection)  # CorpusMissing names what there is
        if arguments.question is not None:
            question = {
                "id": None,
                "text": arguments.question,
                "lang": arguments.lang,
                "country": arguments.country,
            }
            result = asyncio.run(_ask(components, arguments.collection, question))
            write_line(result) if arguments.json else _print_answer(result)
            return int(result["status"] == "failed")
        return asyncio.run(_ask_all(components, arguments))


async def _ask_all(components: Components, arguments: argparse.Namespace) -> int:
    failed = False
    for question in read_questions(arguments.file):
        if "error" in question:
            failed = True
            write_line(question)
            continue
        question["lang"] = question["lang"] or arguments.lang
        question["country"] = question["country"] or arguments.country
        result = await _ask(components, arguments.collection, question)
        failed |= result["status"] == "failed"
        write_line(result)
    return int(failed)


async def _ask(components: Components, collection: str, question: dict[str, Any]) -> dict[str, Any]:
    turn = Turn(
        id=secrets.token_hex(16),
        messages=(Message(role="user", content=question["text"]),),
        collection=collection,
        language=question["lang"],
        country=question["country"],
    )
    folded = await fold_events(run_turn(turn, components.parts))
    if folded["error"] is not None and folded["error"]["code"] == "internal":
        components.store.db.refuse_damage()  # a turn tells a person no more than that it failed
    return {**folded, "id": question["id"] if question["id"] is not None else turn.id}


def _print_answer(result: dict[str, Any]) -> None:
    if result["answer"]:
        print(result["answer"])
    for source in result["citations"]:
        date = source["version_date"] or "date not given"
        print(f"\n[{source['n']}] {source['title']} — {source['organization']}, {date}\n    {source['url'] or ''}")
    if result["error"]:
        print(f"galen: {result['error']['message']}", file=sys.stderr)
    if receipt := result["receipt"]:
        print(f"\n{result['status']} · {receipt['riskClass']} · receipt {receipt['id']}", file=sys.stderr)
