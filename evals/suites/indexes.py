"""Memory and search time of the vector indexes, each in a process of its own on a copy of one database.

`python -m evals.suites.indexes DB` measures them alone; the bench suite has them as rows.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, get_args

import numpy as np

from evals.report import Report
from rag.protocols import EmbedderInfo
from rag.providers.e5_weights import MODEL_ID
from rag.store import IndexKind, Store

__all__ = ["indexes"]

SEARCHES = 200
POOL = 50


def indexes(report: Report, database: Path, collection: str = "health") -> None:
    """One line per index. Queries are stored vectors, spread over the collection: no model is loaded."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copyfile(database, Path(folder) / "galen.db"))
        for kind in get_args(IndexKind):
            for _ in range(2):  # the first run of sqlite-vec fills its table
                child = [sys.executable, "-m", "evals.suites.indexes", str(copy), kind, collection]
                told = json.loads(subprocess.run(child, capture_output=True, text=True, check=True).stdout)
            report.say(
                f"vector index {kind}: {told['vectors']:,} vectors; search of {POOL} p50 {told['p50_ms']:.2f}  "
                f"p95 {told['p95_ms']:.2f} ms (n = {SEARCHES}); memory of its own {told['own_mb']:.0f} MB, pages of "
                f"the file {told['file_mb']:.0f} MB; view built in {told['built_s']:.2f} s; "
                f"file {told['disk_mb']:.0f} MB"
            )
            report.values[f"index_{kind}"] = told


def _measure(database: Path, kind: IndexKind, collection: str) -> dict[str, Any]:
    info = EmbedderInfo(
        model_id=MODEL_ID,
        dimensions=384,
        weights_sha256="",
        query_prefix="",
        passage_prefix="",
        engine="",
        max_tokens=0,
    )
    store = Store(database, info, index=kind)
    before = _memory_mb("RssAnon")
    started = time.perf_counter()
    view = store.views.get(collection)
    built = time.perf_counter() - started
    assert view.index is not None, "the database has no vectors of the bundled model"
    taken = []
    for key in view.keys[:: max(1, len(view.keys) // SEARCHES)][:SEARCHES]:
        query = store.corpus.vector(int(key), MODEL_ID)
        started = time.perf_counter()
        view.index.search(query, POOL)
        taken.append((time.perf_counter() - started) * 1000)
    told = {
        "vectors": len(view.keys),
        "p50_ms": float(np.quantile(taken, 0.5)),
        "p95_ms": float(np.quantile(taken, 0.95)),
        "own_mb": _memory_mb("RssAnon") - before,
        "file_mb": _memory_mb("RssFile"),
        "built_s": built,
        "disk_mb": database.stat().st_size / 2**20,
    }
    store.close()
    return told


def _memory_mb(name: str) -> float:
    """`RssAnon` is memory of the process's own; `RssFile` are pages of files, which the system may take back."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split(f"{name}:")[1].split()[0]) / 1024


def _main(arguments: list[str]) -> None:
    if len(arguments) == 1:
        report = Report("vector indexes")
        indexes(report, Path(arguments[0]))
        print(report.text())
    else:
        database, kind, collection = arguments
        print(json.dumps(_measure(Path(database), "sqlite-vec" if kind == "sqlite-vec" else "resident", collection)))


if __name__ == "__main__":
    _main(sys.argv[1:])
