"""`galen ingest` and `galen corpus …`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TextIO

from tqdm import tqdm

from app.components import CorpusComponents, ingest_bundle, open_corpus, open_embedder
from app.logs import quiet_logs
from app.settings import Settings
from rag.errors import CorpusMissing, PermanentError, ProviderError
from rag.ingest.bundle import BUNDLE_SOURCE, read_vectors, vectors_path, write_vectors
from rag.ingest.records import Defaults
from rag.ingest.reembed import ReembedReport, reembed
from rag.ingest.run import IngestReport, IngestRequest, Progress, ingest
from rag.protocols import Embedder
from rag.store.check import check_corpus, staged_documents
from rag.store.rows import content_hash

__all__ = [
    "activate_command",
    "check_command",
    "ingest_command",
    "list_command",
    "publish_command",
    "reembed_command",
    "vectors_command",
]


class _Meter:
    """A progress bar on a terminal, a plain line every few seconds elsewhere."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._last_share = 0.0
        self._interactive = sys.stderr.isatty()

    def __call__(self, progress: Progress) -> None:
        left = "" if progress.seconds_left is None else f", {_duration(progress.seconds_left)} left"
        what = f"{progress.documents}/{progress.documents_total} documents" if progress.documents_total else "vectors"
        text = f"{what}, {progress.rate:.1f} passages/s{left}"
        if self._interactive:
            if self._bar is None:
                self._bar = tqdm(total=1000, bar_format="{l_bar}{bar}| {desc}", file=sys.stderr)
            self._bar.n = round(progress.share * 1000)
            self._bar.set_description_str(text)
        elif progress.share - self._last_share >= 0.02 or progress.share == 1.0:
            self._last_share = progress.share
            print(f"{progress.share:4.0%}  {text}", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def _source_name(path: Path) -> str:
    name = path.resolve().name
    for suffix in (".gz", ".jsonl", ".json", ".md", ".txt"):
        name = name.removesuffix(suffix)
    return name


def ingest_command(arguments: argparse.Namespace, settings: Settings) -> int:
    quiet_logs()
    if arguments.source == BUNDLE_SOURCE:
        raise PermanentError(
            f"The source {BUNDLE_SOURCE!r} belongs to the documents of CORPUS_DIR: choose another name."
        )
    request = IngestRequest(
        path=arguments.path,
        collection=arguments.collection,
        source=arguments.source or _source_name(arguments.path),
        defaults=Defaults(
            organization=arguments.organization,
            licence=arguments.licence,
            version_date=arguments.version_date,
            lang=arguments.lang,
        ),
        corpus_version=arguments.corpus_version or settings.corpus_version or None,
        keyword_only=arguments.keyword_only,
    )
    with ExitStack() as stack:
        components = stack.enter_context(open_corpus(settings))
        outcomes = stack.enter_context(_open_report(arguments.report)) if arguments.report else None

        def note(doc_id: str, outcome: str, detail: str) -> None:
            if outcomes is not None:
                line = {"doc_id": doc_id, "outcome": outcome, "detail": detail}
                outcomes.write(json.dumps(line, ensure_ascii=False) + "\n")

        meter = _Meter()
        stack.callback(meter.close)
        report = ingest(components.store, components.embedder, request, on_progress=meter, on_document=note)
    print(json.dumps(asdict(report), ensure_ascii=False) if arguments.json else _told(report))
    for line in report.bad:
        print(f"bad record: {line}", file=sys.stderr)
    return 0 if report.ok else 1


def _open_report(path: Path) -> TextIO:
    try:
        return path.open("w", encoding="utf-8")
    except OSError as exc:
        raise PermanentError(f"The report {path} cannot be written: {exc.strerror}.") from exc


def _told(report: IngestReport) -> str:
    counts = ", ".join(f"{count:,} {outcome}" for outcome, count in sorted(report.outcomes.items())) or "no documents"
    published = "published" if report.published else "nothing new; still"
    lines = [
        f"{published} {report.collection} {report.corpus_version} (source {report.source})",
        f"documents: {counts}",
        f"passages: {report.passages:,} new; vectors: {report.embedded:,} embedded, {report.reused_vectors:,} reused"
        + ("" if report.vectors_complete else "; vectors incomplete: keyword search only until a full ingest"),
        f"{_duration(report.seconds)}",
    ]
    if report.outcomes.get("kept"):
        lines.insert(2, "documents missing from the input were kept, because part of the input could not be read")
    return "\n".join(lines)


def publish_command(_: argparse.Namespace, settings: Settings) -> int:
    """What the first start of a server does too: an image does it when it is built."""
    quiet_logs()
    with open_corpus(settings) as components:
        collections = components.store.corpus.collections()
    print(f"published: {', '.join(collections) or 'nothing, for CORPUS_DIR holds no collection'}")
    return 0


@contextmanager
def _existing(settings: Settings, *, embedder: bool = True) -> Iterator[CorpusComponents]:
    """The corpus as it stands, with or without its embedding model. PermanentError where there is none: a command that
    looks at a database makes none, least of all where DB_PATH is mistyped.
    """
    if not settings.db_path.exists() and not (settings.seed_db and settings.seed_db.exists()):
        raise PermanentError(
            f"There is no database {settings.db_path}: set DB_PATH to the one you mean, or make it with galen ingest "
            f"or galen corpus publish."
        )
    with open_corpus(settings if embedder else replace(settings, embedder="none"), publish=False) as components:
        yield components


def list_command(arguments: argparse.Namespace, settings: Settings) -> int:
    quiet_logs()
    with _existing(settings, embedder=False) as components:
        versions = components.store.corpus.versions(arguments.collection)
        sources = components.store.corpus.sources(arguments.collection)
    if arguments.json:
        listing = {"versions": [asdict(v) for v in versions], "sources": [asdict(s) for s in sources]}
        print(json.dumps(listing, ensure_ascii=False))
        return 0
    if not versions:
        print("nothing is published: galen ingest or galen corpus publish does it")
    for collection in dict.fromkeys(v.collection for v in versions):
        print(collection)
        for source in (s for s in sources if s.collection == collection):
            staged = f"  ({source.staged:,} staged by an unfinished ingest)" if source.staged else ""
            print(f"  source {source.name}: {source.documents:,} documents{staged}")
        for version in (v for v in versions if v.collection == collection):
            mark = "*" if version.active else " "
            vectors = ", ".join(version.models) or "keyword only"
            print(
                f"  {mark} {version.corpus_version}  {version.published_at}  {version.documents:,} documents, "
                f"{version.chunks:,} passages, {vectors}"
            )
    return 0


def activate_command(arguments: argparse.Namespace, settings: Settings) -> int:
    quiet_logs()
    with _existing(settings, embedder=False) as components:
        components.store.corpus.active_generation(arguments.collection)  # CorpusMissing names what there is
        version = components.store.corpus.activate(arguments.collection, arguments.version)
    print(f"{version.collection} now answers from {version.corpus_version} ({version.documents:,} documents)")
    return 0


def check_command(arguments: argparse.Namespace, settings: Settings) -> int:
    quiet_logs()
    with _existing(settings) as components:
        faults = check_corpus(components.store.db, components.embedder)
        staged = staged_documents(components.store.db)
    if arguments.json:
        print(json.dumps({"faults": [asdict(f) for f in faults], "staged_documents": staged}))
    else:
        for fault in faults:
            print(f"{fault.part}: {fault.what}")
        print(f"{len(faults)} faults; {staged} documents staged by unfinished ingests")
    return 1 if faults else 0


def reembed_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """Vectors of a model for what is published; the model that answers goes on until they are complete."""
    quiet_logs()
    name = arguments.model or settings.embedder
    if name == "none":
        raise PermanentError("Vectors need an embedding model: give --model, or unset EMBEDDER.")
    with _existing(settings, embedder=False) as components:
        corpus = components.store.corpus
        collections = (arguments.collection,) if arguments.collection else corpus.collections()
        if not collections:
            raise CorpusMissing("Nothing is published: ingest documents first (galen ingest --help).")
        for collection in collections:
            corpus.active_generation(collection)  # CorpusMissing names what there is, before a model is loaded
        with closing(open_embedder(settings, name)) as embedder, closing(_Meter()) as meter:
            reports = [_reembed(components, embedder, collection, meter) for collection in collections]
    if arguments.json:
        print(json.dumps([asdict(report) for report in reports]))
        return 0
    for report in reports:
        print(_reembedded(report))
    if name != settings.embedder:
        print(f"answers still use EMBEDDER={settings.embedder}: set EMBEDDER={name} and start the server anew")
    return 0


def _reembed(components: CorpusComponents, embedder: Embedder, collection: str, meter: _Meter) -> ReembedReport:
    known = read_vectors(vectors_path(components.settings.corpus_dir, collection), embedder.info.model_id)
    try:
        return reembed(components.store, embedder, collection, known_vectors=known, on_progress=meter)
    except ProviderError as exc:
        raise type(exc)(f"{exc} What is embedded is kept: run the command again to go on.") from exc


def _reembedded(report: ReembedReport) -> str:
    what = "now has all vectors of" if report.switched else "already had all vectors of"
    return (
        f"{report.collection} {report.corpus_version} {what} {report.model_id}: {report.embedded:,} embedded, "
        f"{report.reused_vectors:,} reused, {_duration(report.seconds)}"
    )


def vectors_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """Embeds a bundled collection in a database of its own and keeps the vectors beside its folder."""
    quiet_logs()
    with open_corpus(settings, publish=False) as components:
        if components.embedder is None:
            raise PermanentError("Vectors need an embedder: unset EMBEDDER.")
        report = ingest_bundle(components, arguments.collection)
        view = components.store.views.get(arguments.collection)
        chunks = components.store.corpus.chunks(view.keys.tolist())
        vectors = {}
        for chunk in chunks.values():
            if chunk.source == report.source:
                name = content_hash(chunk.title, chunk.heading, chunk.text)
                vectors[name] = components.store.corpus.vector(chunk.id, components.embedder.info.model_id)
        path = vectors_path(settings.corpus_dir, arguments.collection)
        write_vectors(path, components.embedder.info.model_id, vectors)
    print(f"{path}: {len(vectors)} vectors, {path.stat().st_size:,} bytes")
    return 0
