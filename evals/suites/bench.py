"""Speed and size, as ratios taken in one run where a ratio says more than a time. Nothing here gates.

Run it alone. Ingest is compared with the bare model (session.run on prepared inputs, same two threads); retrieval
with the design that reads every vector BLOB per query and ranks all words by OR, same queries in the same process.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from app.components import Components, open_corpus
from app.settings import Settings
from evals.baselines.read_all import ReadAll
from evals.data import goldens, read_jsonl, shared
from evals.report import Report, about
from evals.suites.indexes import indexes
from evals.world import asked, existing, vectors_of
from rag.ingest.run import IngestRequest, ingest
from rag.pipeline import find_evidence
from rag.providers.local_embedder import LocalE5
from safety.assess import Assessor

__all__ = ["run"]

BLOCKS = 3
QUESTION = "What are the early signs of type 2 diabetes?"


def run(arguments: argparse.Namespace) -> Report:
    report = Report("bench")
    report.say(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}")
    floor(report)
    indexing(report)
    with existing(arguments.db) as components:
        report.say(about(components))
        retrieval(components, report, arguments.limit or 60)
    indexes(report, arguments.db or Settings.from_env().db_path)
    serving(report, arguments.db)
    return report


def _quantiles(values: Sequence[float]) -> str:
    return f"p50 {np.quantile(values, 0.5):.2f}  p95 {np.quantile(values, 0.95):.2f} ms (n = {len(values)})"


def _timed(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


# -- the safety floor --------------------------------------------------------------------------------------------------


def floor(report: Report) -> None:
    """Own open goldens, alone and put together to messages of 2,000 characters, in every language."""
    started = time.perf_counter()
    assessor = Assessor.load()
    loaded = time.perf_counter() - started
    gc.collect()
    gc.freeze()  # as a serving process does
    short: list[tuple[str, str]] = []
    long: list[tuple[str, str]] = []
    for language in assessor.tables:
        own = goldens(f"safety/open/{language}*.jsonl")
        texts = [c["text"] for c in own if "text" in c]
        short += [(text, language) for text in texts]
        together = " ".join(texts)
        long += [(together[at : at + 2_000], language) for at in range(0, len(together) - 2_000, 2_000)]
    report.say(f"safety floor: {len(assessor.tables)} languages ready after {loaded:.2f} s")
    for name, cases in (("own goldens", short), ("2,000 characters of them", long)):
        taken = [_timed(partial(assessor.assess, [text], language=language)) * 1000 for text, language in cases]
        report.say(f"safety floor, {name}: {_quantiles(taken)}, p99 {np.quantile(taken, 0.99):.2f} ms")
        report.values[f"floor_p99_ms, {name}"] = float(np.quantile(taken, 0.99))


# -- ingest against the bare model ------------------------------------------------------------------------------------


def indexing(report: Report) -> None:
    """Whole ingests of a sample and the bare model on the same passages, in turn.

    The sample is every hundredth MedQuAD record where the set is present, else the bundled documents.
    """
    settings = Settings.from_env()
    embedder = LocalE5(settings.cache_dir)
    ratios, rates = [], []
    try:
        for block in range(BLOCKS):
            with tempfile.TemporaryDirectory() as folder:
                with open_corpus(replace(settings, db_path=Path(folder) / "a.db"), publish=False) as components:
                    path = _sample(Path(folder)) or settings.corpus_dir / "health"
                    request = IngestRequest(path=path, collection="health", source="bench")
                    taken = _timed(partial(ingest, components.store, components.embedder, request))
                    view = components.store.views.get("health")
                    chunks = components.store.corpus.chunks(view.keys.tolist()).values()
                    texts = [f"{c.title}\n{c.heading}\n{c.text}" for c in chunks]
                bare = _bare(embedder, texts)
            rates.append(len(texts) / taken)
            ratios.append(bare / taken)
            report.say(f"  block {block + 1}: {len(texts)} passages, ingest {taken:.2f} s, bare model {bare:.2f} s")
    finally:
        embedder.close()
    report.values |= {"passages_per_second": float(np.median(rates)), "ingest_to_bare_model": float(np.median(ratios))}
    report.say(
        f"ingest: {np.median(rates):.1f} passages/s = {np.median(ratios):.2f} x the bare model's rate "
        f"(each of {BLOCKS}: {', '.join(f'{r:.2f}' for r in ratios)})"
    )


def _sample(folder: Path) -> Path | None:
    records = shared("medquad", "records.jsonl.gz")
    if records is None:
        return None
    chosen = folder / "sample.jsonl"
    lines = [json.dumps(record) for number, record in enumerate(read_jsonl(records)) if number % 100 == 0]
    chosen.write_text("\n".join(lines), encoding="utf-8")
    return chosen


def _bare(embedder: LocalE5, texts: Sequence[str]) -> float:
    """Seconds of nothing but the model: tokens and word rows are prepared before the clock starts."""
    vocabulary = embedder._weights.vocabulary
    inputs = []
    for text in texts:
        ids = np.array(
            [vocabulary.bos, *embedder._tokenizer.encode("passage: " + text)[:510], vocabulary.eos], np.int64
        )
        inputs.append(embedder._weights.word_rows(ids)[np.newaxis])
    with ThreadPoolExecutor(2) as pool:
        return _timed(lambda: list(pool.map(lambda rows: embedder._run(["mean"], {"rows": rows}), inputs)))


# -- retrieval against "read all BLOBs + OR rank" ---------------------------------------------------------------------


def retrieval(components: Components, report: Report, limit: int) -> None:
    embedder = components.embedder
    assert embedder is not None, "the bench needs an embedder"
    texts = [c["text"] for c in goldens("retrieval/*.jsonl") if c.get("lang", "en") == "en"]
    if path := shared("liveqa-dev", "queries.jsonl"):
        texts += [q["text"] for q in read_jsonl(path)]
    texts = texts[:: max(1, len(texts) // limit)]
    view = components.store.views.get("health")
    retriever = components.parts.retriever
    naive = ReadAll(components.settings.db_path, "health", embedder.info.model_id)
    queries = [asked(components, view, text) for text in texts]
    vectors = [vectors_of(components, query) for query in queries]
    searched = list(zip(queries, vectors, strict=True))
    for query, found in searched[:5]:  # warm both
        retriever.search(view, query, found)
        naive.search(query.text, found[0], 6)
    # One after the other, not in turn: what reads 36 MB of BLOBs per query would empty the caches of what does not.
    ours = [_timed(partial(retriever.search, view, query, found)) * 1000 for query, found in searched]
    theirs = [_timed(partial(naive.search, query.text, found[0], 6)) * 1000 for query, found in searched]
    stage = [
        (_timed(partial(asked, components, view, text)) + _timed(partial(find_evidence, components.parts, view, *pair)))
        * 1000
        for text, pair in zip(texts, searched, strict=True)
    ]
    embedding = [_timed(partial(embedder.embed, [text], "query")) * 1000 for text in texts]
    naive.close()
    ratio = float(np.median(np.array(ours) / np.array(theirs)))
    report.values |= {
        "retrieval_p95_ms": float(np.quantile(ours, 0.95)),
        "rewrite_to_gate_p95_ms": float(np.quantile(stage, 0.95)),
        "retrieval_to_read_all": ratio,
        "query_embedding_p50_ms": float(np.quantile(embedding, 0.5)),
    }
    report.say(f"retrieval without the query's embedding: {_quantiles(ours)}")
    report.say(f"rewrite to gate without embedding:       {_quantiles(stage)}")
    report.say(f"read all BLOBs + OR rank, same run:      {_quantiles(theirs)}; ratio of medians by query {ratio:.3f}")
    report.say(f"query embedding, one thread:             {_quantiles(embedding)}")


# -- a serving process ------------------------------------------------------------------------------------------------


def serving(report: Report, database: Path | None) -> None:
    """First start from nothing, second start, and a warm server on the large database."""
    database = database or Settings.from_env().db_path
    with tempfile.TemporaryDirectory() as folder:
        fresh = {"DB_PATH": f"{folder}/galen.db", "CACHE_DIR": f"{folder}/cache"}
        for name in ("cold start (empty folder)", "second start"):
            started = time.perf_counter()
            with _Server(fresh) as server:
                ready = time.perf_counter() - started
                server.ask()
                report.say(f"{name}: ready {ready:.2f} s, first answer complete {time.perf_counter() - started:.2f} s")
    with _Server({"DB_PATH": str(database)}) as server:
        server.ask()
        times = [server.ask(n) for n in range(20)]
        report.say(f"time to first event:       {_quantiles([t[0] * 1000 for t in times])}")
        report.say(f"time to first answer text: {_quantiles([t[1] * 1000 for t in times])}")
        report.say(
            f"resident memory of the server on {database.name}: {server.resident_mb():.0f} MB, "
            f"{server.mapped_mb():.0f} MB of it pages of files"
        )
        report.values["server_resident_mb"] = server.resident_mb()


class _Server:
    """`galen serve` in a process of its own."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._environment = {**os.environ, **environment}

    def __enter__(self) -> _Server:
        import socket

        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        command = [sys.executable, "-m", "scripts.cli", "serve", "--host", "127.0.0.1", "--port", str(self._port)]
        self._process = subprocess.Popen(command, env=self._environment, stderr=subprocess.DEVNULL)
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self._port}/api/health", timeout=5).close()
            except OSError:
                if self._process.poll() is not None:
                    raise RuntimeError("the server ended at its start") from None
                time.sleep(0.01)
            else:
                return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()

    def ask(self, number: int = 0) -> tuple[float, float]:
        """Seconds to the first event and to the first answer text of a streamed answer."""
        question = QUESTION if number == 0 else f"{QUESTION} ({number})"  # another text: no cached query vector
        body = json.dumps({"messages": [{"role": "user", "content": question}], "stream": True}).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self._port}/api/chat", body, {"content-type": "application/json"}
        )
        started, first, text = time.perf_counter(), 0.0, 0.0
        with urllib.request.urlopen(request, timeout=60) as response:
            for line in response:
                first = first or time.perf_counter() - started
                if line.startswith(b"event: delta") and not text:
                    text = time.perf_counter() - started
        return first, text

    def resident_mb(self) -> float:
        return self._memory_mb("VmRSS")

    def mapped_mb(self) -> float:
        """The part of it that is pages of files, which the system may take back."""
        return self._memory_mb("RssFile")

    def _memory_mb(self, name: str) -> float:
        status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
        return int(status.split(f"{name}:")[1].split()[0]) / 1024
