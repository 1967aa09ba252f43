"""The composition root: Settings → the parts of the program, opened and closed together.

The only place that picks implementations.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from app.generators import open_generator
from app.settings import ROOT, Settings, SettingsError
from rag.errors import ProviderRejected, StoreBusy
from rag.ingest.bundle import BUNDLE_SOURCE, read_vectors, vectors_path
from rag.ingest.report import IngestReport, Progress
from rag.ingest.request import IngestRequest
from rag.ingest.run import ingest
from rag.lexicon import Lexicon
from rag.pipeline import Parts
from rag.protocols import Embedder, WebSearch
from rag.providers.e5_weights import MODEL_ID
from rag.providers.local_embedder import LocalE5, open_local_embedder
from rag.receipt import Receipt
from rag.retrieve import Retriever
from rag.spelling import Spellings
from rag.store import Store
from rag.thresholds import load_thresholds
from rag.types import Status
from safety.assess import Assessor

if TYPE_CHECKING:
    from app.background import Background

__all__ = [
    "EMBEDDERS",
    "LEXICON",
    "Components",
    "CorpusComponents",
    "EmbedderChoice",
    "bundled_collections",
    "ingest_bundle",
    "interrupted_receipt",
    "open_components",
    "open_corpus",
    "open_embedder",
    "version",
]

LEXICON = ROOT / "data/lexicon"
WEB_SOURCES = ROOT / "data/web_sources.toml"

log = structlog.get_logger("galen.start")


def version() -> str:
    """The installed version of Galen."""
    return metadata.version("galen")


@dataclass(kw_only=True)
class CorpusComponents:
    """What it takes to read and change the corpus. `degraded` says in sentences what is not at its best; `others` are
    embedders that answer where the vectors of `embedder` are not complete yet."""

    settings: Settings
    store: Store
    embedder: Embedder | None
    degraded: tuple[str, ...]
    others: tuple[Embedder, ...] = ()


@dataclass(kw_only=True)
class Components(CorpusComponents):
    """Everything that a process needs to answer, ready."""

    parts: Parts
    background: Background | None = None
    interrupted: int = 0


@contextmanager
def open_corpus(
    settings: Settings, *, publish: bool = True, answer_at_once: bool = False
) -> Iterator[CorpusComponents]:
    """Opens the database and the embedding model.

    `publish` brings in bundled collections that the database does not have yet. With `answer_at_once` one whose
    vectors are not kept beside it is published by keyword first; a serving process embeds it in the background.
    """
    _seed(settings)
    embedder, degraded = _open_embedder(settings)
    for sentence in degraded:
        say = log.info if settings.embedder == "none" else log.warning  # what was chosen is no news
        say("degraded", what=sentence)
    if not settings.db_path.exists():
        log.info("database_created", path=str(settings.db_path))
    store = Store(settings.db_path, embedder.info if embedder else None, index=settings.vector_index)
    others: tuple[Embedder, ...] = ()
    try:
        others = _open_others(settings, store, embedder)
        corpus = CorpusComponents(settings=settings, store=store, embedder=embedder, others=others, degraded=degraded)
        if publish:
            _publish_missing(corpus, answer_at_once)
        yield corpus
    finally:
        store.close()
        for opened in (embedder, *others):
            if opened is not None:
                opened.close()


@contextmanager
def open_components(settings: Settings, *, publish: bool = True, answer_at_once: bool = False) -> Iterator[Components]:
    """Opens the corpus (see `open_corpus`) and what answers from it."""
    with open_corpus(settings, publish=publish, answer_at_once=answer_at_once) as corpus:
        assessor = Assessor.load()
        lexicon = Lexicon(LEXICON)
        thresholds = load_thresholds(corpus.embedder.info.model_id if corpus.embedder else None)
        parts = Parts(
            store=corpus.store,
            assessor=assessor,
            retriever=Retriever(
                store=corpus.store, fusion=thresholds.fusion, top_k=settings.top_k, hybrid=settings.hybrid
            ),
            generator=open_generator(settings, lambda key, language: assessor.text(key, language=language)),
            thresholds=thresholds,
            lexicon=lexicon,
            spellings=Spellings(lexicon.words("en"), corpus.store.keywords.holds),
            embedder=corpus.embedder,
            web=_open_web(settings, corpus.embedder),
            others=corpus.others,
            check_sentences=settings.faithfulness,
            hold_from=settings.faithfulness_min_risk,
            degraded=("embedder",) if corpus.degraded else (),
            app_version=version(),
        )
        yield Components(
            settings=settings, store=corpus.store, embedder=corpus.embedder, others=corpus.others,
            degraded=corpus.degraded, parts=parts,
        )  # fmt: skip


def _seed(settings: Settings) -> None:
    """Copies the image's database to an empty DB_PATH; a cut copy never counts."""
    if settings.seed_db is None or settings.db_path.exists() or not settings.seed_db.exists():
        return
    settings.db_path.parent.mkdir(parents=True, exist_ok=True)
    partial = settings.db_path.with_name(settings.db_path.name + ".seeding")
    shutil.copyfile(settings.seed_db, partial)
    os.replace(partial, settings.db_path)
    log.info("database_seeded")


@dataclass(frozen=True, kw_only=True)
class EmbedderChoice:
    """An embedder that can be chosen by name: the id of its vectors, and how to open it (None: it does not work here,
    with sentences that say why)."""

    model_id: str
    open: Callable[[Settings], tuple[Embedder | None, tuple[str, ...]]]


def _open_local(settings: Settings) -> tuple[Embedder | None, tuple[str, ...]]:
    embedder, losses = open_local_embedder(settings.cache_dir)
    if isinstance(embedder, LocalE5):  # it embeds; what it can lose is the place of its graph
        losses = tuple(f"{loss} Set CACHE_DIR to a folder that can be written." for loss in losses)
    return embedder, losses


EMBEDDERS: dict[str, EmbedderChoice] = {"local:e5-small": EmbedderChoice(model_id=MODEL_ID, open=_open_local)}
"""By the name that EMBEDDER and `galen corpus reembed --model` take."""


def _open_embedder(settings: Settings) -> tuple[Embedder | None, tuple[str, ...]]:
    if settings.embedder == "none":
        return None, ("EMBEDDER=none: questions are searched by keyword only.",)
    return EMBEDDERS[settings.embedder].open(settings)


def open_embedder(settings: Settings, name: str) -> Embedder:
    """The embedder of a name. ProviderRejected, with what to do, when there is none or it does not work here."""
    if name not in EMBEDDERS:
        raise ProviderRejected(f"There is no embedding model {name!r}: choose {' or '.join(EMBEDDERS)}.")
    embedder, losses = EMBEDDERS[name].open(settings)
    if embedder is None:
        raise ProviderRejected(f"The embedding model {name!r} does not open: {' '.join(losses)}")
    return embedder


def _open_others(settings: Settings, store: Store, embedder: Embedder | None) -> tuple[Embedder, ...]:
    """Opens the models whose vectors answer until those of `embedder` are complete, where they can be."""
    if embedder is None:
        return ()
    waiting = [v for v in store.corpus.versions() if v.active and embedder.info.model_id not in v.models]
    wanted = {model for version in waiting for model in version.models}
    opened = (choice.open(settings)[0] for choice in EMBEDDERS.values() if choice.model_id in wanted)
    others = tuple(other for other in opened if other is not None)
    for other in others:
        store.serve_with(other.info)
    return others


def _open_web(settings: Settings, embedder: Embedder | None) -> WebSearch | None:
    if settings.web_search == "off":
        return None
    # Imported here: an HTTP client costs every start a tenth of a second, and most need none.
    from rag.providers.web_engines import DuckDuckGo, Tavily
    from rag.providers.web_search import TrustedWeb
    from rag.providers.web_sources import WebSources

    sources = WebSources.load(WEB_SOURCES)
    for collection in settings.web_collections:
        if collection not in sources.collections():
            raise SettingsError(
                f"WEB_SEARCH_COLLECTIONS names {collection!r}, for which {WEB_SOURCES.name} lists no publisher: "
                f"add one, or name {' or '.join(sorted(sources.collections()))}."
            )
    return TrustedWeb(
        Tavily(settings.tavily_api_key.reveal()) if settings.web_search == "tavily" else DuckDuckGo(),
        sources,
        settings.web_collections,
        count_tokens=embedder.count_tokens if embedder else _words_as_tokens,
        seconds=settings.web_seconds,
        keep_seconds=settings.web_keep_minutes * 60,
    )


def _words_as_tokens(text: str) -> int:
    """What passages are measured by without an embedding model."""
    return len(text.split())


def bundled_collections(corpus_dir: Path) -> tuple[str, ...]:
    """The collections that a corpus folder holds: its sub-folders."""
    if not corpus_dir.is_dir():
        return ()
    return tuple(sorted(p.name for p in corpus_dir.iterdir() if p.is_dir() and not p.name.startswith(".")))


def ingest_bundle(
    components: CorpusComponents,
    collection: str,
    *,
    keyword_only: bool = False,
    on_progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> IngestReport:
    """Publishes a bundled collection, if it differs from what the database has, as source "bundled"."""
    settings, embedder = components.settings, components.embedder
    return ingest(
        components.store,
        embedder,
        IngestRequest(
            path=settings.corpus_dir / collection,
            collection=collection,
            source=BUNDLE_SOURCE,
            keyword_only=keyword_only,
        ),
        known_vectors=read_vectors(
            vectors_path(settings.corpus_dir, collection), embedder.info.model_id if embedder else None
        ),
        on_progress=on_progress,
        cancelled=cancelled,
    )


def _publish_missing(components: CorpusComponents, answer_at_once: bool) -> None:
    published = set(components.store.corpus.collections())
    for collection in bundled_collections(components.settings.corpus_dir):
        if collection not in published:
            has_vectors = vectors_path(components.settings.corpus_dir, collection).exists()
            try:
                report = ingest_bundle(components, collection, keyword_only=answer_at_once and not has_vectors)
            except StoreBusy:  # what is published answers meanwhile, and the next start brings the bundle in
                log.warning("bundle_waits", collection=collection, reason="another ingest is running")
            else:
                log.info("corpus_published", collection=collection, version=report.corpus_version)


def interrupted_receipt(components: Components, turn_id: str, collection: str) -> dict[str, object]:
    """The receipt of a turn that a crash cut off."""
    receipt = Receipt(
        id=turn_id,
        status=Status.INTERRUPTED,
        created_at=components.parts.now().isoformat(timespec="milliseconds"),
        collection=collection,
        language="en",
        risk_class="R0",
        ruleset=components.parts.assessor.ruleset,
        error="process_ended",
        app_version=components.parts.app_version,
    )
    return receipt.as_json()
