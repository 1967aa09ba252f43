"""Near-duplicate passages as gold: pairs proposed by machine, labelled by a person.

    python -m evals gold propose FILE [--db PATH] [--collection NAME] [--limit N]
    python -m evals gold label FILE --labeller NAME [--db PATH] [--collection NAME]

Proposed are passages of different documents with the same words, and pairs of at least 0.90 cosine, the nearest first.
A label is 1 (they say the same) or 0, with the labeller's name and the day. The file holds ids, no text.
"""

from __future__ import annotations

import argparse
import datetime
import heapq
import itertools
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evals.data import read_jsonl
from evals.passages import read_passages
from evals.world import existing
from rag.errors import CorpusMissing
from rag.protocols import FloatMatrix
from rag.text import fold, fold_space
from rag.types import Chunk

__all__ = ["add_commands", "label", "near_pairs", "propose", "same_words"]

NEAR = 0.90
_BLOCK = 1_024
Pair = dict[str, Any]


def add_commands(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(required=True, dest="gold", metavar="COMMAND")
    for name, run, text in (
        ("propose", _propose, "write pairs that may say the same"),
        ("label", _label, "show unlabelled pairs one by one; 1 same, 0 not, s skips, q ends"),
    ):
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("file", type=Path, metavar="FILE")
        command.add_argument("--db", type=Path, help="database (default: DB_PATH)")
        command.add_argument("--collection", default="health")
        command.set_defaults(run=run)
        if name == "propose":
            command.add_argument("--limit", type=int, default=500, help="near pairs at most (default 500)")
        else:
            command.add_argument("--labeller", required=True, help="who labels; stands beside every label")


def _propose(arguments: argparse.Namespace) -> int:
    if arguments.file.exists():
        print(f"{arguments.file} exists: labels are never overwritten; give another file", file=sys.stderr)
        return 1
    with existing(arguments.db) as components:
        view = components.store.views.get(arguments.collection)
        chunks = read_passages(components.store, view).chunks
        matrix, model = None, view.model_id
        if view.index is not None and model is not None:
            matrix = np.vstack([components.store.corpus.vector(chunk.id, model) for chunk in chunks])
        pairs, near = propose(chunks, matrix, arguments.limit)
        made = {"corpus_version": view.version.corpus_version, "model": model if matrix is not None else None}
        _write(arguments.file, [pair | made for pair in pairs])
    exact = sum(pair["kind"] == "exact" for pair in pairs)
    print(f"{exact} pairs of the same words, {len(pairs) - exact} of {near} near ones written to {arguments.file}")
    if matrix is None:
        print("no vectors of the model in use: only the same words were looked for")
    return 0


def propose(chunks: Sequence[Chunk], matrix: FloatMatrix | None, limit: int) -> tuple[list[Pair], int]:
    """(pairs, near pairs in all): those of the same words, then at most `limit` near ones, the nearest first."""
    exact = set(same_words(chunks))
    pairs = [_pair(chunks, a, b, "exact", None) for a, b in sorted(exact)]
    if matrix is None:
        return pairs, 0
    nearest, total = near_pairs(matrix, [chunk.doc_id for chunk in chunks], exact, limit)
    return pairs + [_pair(chunks, a, b, "near", cosine) for cosine, a, b in nearest], total


def same_words(chunks: Sequence[Chunk]) -> Iterator[tuple[int, int]]:
    """Positions of passages of different documents whose text is the same but for case, accents and spacing: every one
    with the first of its like."""
    groups: dict[str, list[int]] = {}
    for at, chunk in enumerate(chunks):
        groups.setdefault(fold_space(fold(chunk.text)), []).append(at)
    for group in groups.values():
        for other in group[1:]:
            if chunks[other].doc_id != chunks[group[0]].doc_id:
                yield group[0], other


def near_pairs(
    matrix: FloatMatrix, documents: Sequence[str], known: Iterable[tuple[int, int]], limit: int
) -> tuple[list[tuple[float, int, int]], int]:
    """((cosine, a, b), nearest first, at most `limit`; how many there are) of rows of different documents that are at
    least 0.90 near and not `known`. `matrix` is (n, d) with unit rows; works in blocks, n² products in all."""
    names = {name: code for code, name in enumerate(dict.fromkeys(documents))}
    codes = np.array([names[name] for name in documents])
    seen = set(known)
    best: list[tuple[float, int, int]] = []
    total = 0
    for start in range(0, len(matrix), _BLOCK):
        block = matrix[start : start + _BLOCK]
        cosine = block @ matrix[start:].T
        a, b = np.nonzero(cosine >= NEAR)
        fits = (b > a) & (codes[start + a] != codes[start + b])
        a, b = a[fits], b[fits]
        total += len(a)
        values = cosine[a, b]
        if len(values) > limit + len(seen):  # no more can be among the best
            floor = np.argpartition(-values, limit + len(seen))[: limit + len(seen)]
            a, b, values = a[floor], b[floor], values[floor]
        found = ((float(v), start + int(x), start + int(y)) for v, x, y in zip(values, a, b, strict=True))
        best = heapq.nlargest(limit, itertools.chain(best, (p for p in found if p[1:] not in seen)))
    return best, total


def _pair(chunks: Sequence[Chunk], a: int, b: int, kind: str, cosine: float | None) -> Pair:
    return {
        "a": chunks[a].chunk_id, "b": chunks[b].chunk_id, "kind": kind,
        "cosine": None if cosine is None else round(cosine, 4), "label": None, "labeller": None, "date": None,
    }  # fmt: skip


def _label(arguments: argparse.Namespace) -> int:
    pairs = list(read_jsonl(arguments.file))
    with existing(arguments.db) as components:

        def text_of(chunk_id: str) -> str:
            try:
                chunk, _ = components.store.corpus.chunk(chunk_id)
            except CorpusMissing:
                return "(no longer in the corpus)"
            return f"{chunk.title}\n{chunk.text}"

        done = label(pairs, text_of, arguments.labeller, lambda: _write(arguments.file, pairs))
    print(f"{done} labelled, {sum(pair['label'] is None for pair in pairs)} left")
    return 0


def label(
    pairs: Sequence[Pair],
    text_of: Callable[[str], str],
    labeller: str,
    save: Callable[[], None],
    *,
    ask: Callable[[str], str] = input,
    today: Callable[[], datetime.date] = datetime.date.today,
) -> int:
    """Asks for every pair without a label, saves after each; how many were labelled. "q" or the end of input stops."""
    done = 0
    for pair in pairs:
        if pair["label"] is not None:
            continue
        print(f"\n--- {pair['kind']}, cosine {pair['cosine']}\n{text_of(pair['a'])}\n\n{text_of(pair['b'])}\n")
        answer = ""
        while answer not in ("1", "0", "s", "q"):
            try:
                answer = ask("1 same, 0 not, s skip, q end: ").strip().lower()
            except EOFError:
                answer = "q"
        if answer == "q":
            break
        if answer in ("1", "0"):
            pair |= {"label": int(answer), "labeller": labeller, "date": today().isoformat()}
            save()
            done += 1
    return done


def _write(path: Path, pairs: Sequence[Pair]) -> None:
    partial = path.with_name(path.name + ".partial")
    partial.write_text("".join(json.dumps(pair) + "\n" for pair in pairs), encoding="utf-8")
    os.replace(partial, path)
