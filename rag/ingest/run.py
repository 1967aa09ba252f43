"""One ingest, start to finish: read → compare → chunk → embed → stage → publish.

Whatever happens on the way, the version that was serving goes on serving; what was staged before a kill is taken up
by the next run. A run that finds nothing new embeds nothing and writes nothing.
"""

from __future__ import annotations

import hashlib
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

from rag.errors import CorpusMissing, IngestError, PermanentError
from rag.ingest.chunk import CHUNKER, Piece, chunk_document
from rag.ingest.readers import read_source
from rag.ingest.records import BadRecord, Document, FieldError, check_defaults
from rag.ingest.report import Clock, IngestCancelled, IngestReport, IngestRequest, Outcome, Progress
from rag.protocols import Embedder, FloatMatrix
from rag.store import Store
from rag.store.staging import KnownDocument, NewChunk, NewDocument, Pending, Staging, ingest_lock

__all__ = [
    "IngestCancelled",
    "IngestReport",
    "IngestRequest",
    "Outcome",
    "Progress",
    "content_hash",
    "ingest",
    "passage_text",
]

BATCH = 48
"""Passages per transaction. A batch's embedding (about 1.8 s on two cores) dwarfs its commit, a kill loses at most
this much work, and readers of the database never wait."""

TITLE_LIMIT, HEADING_LIMIT = 300, 200
"""Characters of title and heading that are embedded with every passage, so that text fills the model's window."""


_Batch = list[tuple[NewDocument, list[NewChunk]]]


@dataclass(frozen=True, kw_only=True)
class _Todo:
    """A document to stage: its hash, the outcome that was told, and the published row that it replaces, if any."""

    document: Document
    version: str
    outcome: Outcome
    old: int | None


@dataclass(frozen=True, kw_only=True)
class _Plan:
    """What comparing the input with the active version found."""

    todo: tuple[_Todo, ...]
    staged_already: int
    dropped: tuple[str, ...]
    removed: tuple[int, ...]

    @property
    def changes(self) -> bool:
        return bool(self.todo or self.staged_already or self.removed)


def passage_text(title: str, heading: str, text: str) -> str:
    """What is embedded for a passage: title, heading path and text on lines of their own."""
    return "\n".join(part for part in (title[:TITLE_LIMIT], heading[:HEADING_LIMIT], text) if part)


def content_hash(title: str, heading: str, text: str) -> str:
    """Names what is embedded: equal hashes share a vector."""
    return hashlib.sha256(passage_text(title, heading, text).encode("utf-8")).hexdigest()[:32]


_COLLECTION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_NAME_LIMIT = 100


def _check_request(request: IngestRequest) -> None:
    """Raises PermanentError for names that no listing or path could carry, and for defaults that break a rule."""
    if not _COLLECTION.fullmatch(request.collection):
        raise PermanentError(
            f"The collection {request.collection[:_NAME_LIMIT]!r} is no name: use 1 to 64 of A-Z a-z 0-9 _ . -, "
            f"the first a letter or a digit."
        )
    for what, name in (("source", request.source), ("corpus version", request.corpus_version)):
        if name is not None and not _is_name(name):
            raise PermanentError(
                f"The {what} {name[:_NAME_LIMIT]!r} is no name: use 1 to {_NAME_LIMIT} characters without a slash, "
                f"line breaks and other control characters."
            )
    try:
        check_defaults(request.defaults)
    except FieldError as exc:
        raise PermanentError(f"The default for {exc.field}: {exc.reason}.") from exc


def _is_name(name: str) -> bool:
    return (
        0 < len(name.strip()) <= len(name) <= _NAME_LIMIT
        and "/" not in name
        and not any(unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} for char in name)
    )


def ingest(
    store: Store,
    embedder: Embedder | None,
    request: IngestRequest,
    *,
    known_vectors: Mapping[str, FloatMatrix] | None = None,
    count_tokens: Callable[[str], int] | None = None,
    on_progress: Callable[[Progress], None] = lambda _: None,
    on_document: Callable[[str, Outcome, str], None] = lambda *_: None,
    cancelled: Callable[[], bool] = lambda: False,
    resumable: bool = False,
) -> IngestReport:
    """Takes a file or folder into a collection and publishes what changed.

    `known_vectors` maps content hashes to vectors computed before; `on_document` is told each document's outcome
    with a detail ("duplicate", "X_2"). Raises PermanentError when nothing can be read or the request's names or
    defaults are not acceptable, StoreBusy when another ingest runs, IngestCancelled after `cancelled()`; a
    `resumable` job then counts as running still, so that the next start of a serving process takes it up.
    """
    _check_request(request)
    with ingest_lock(store.db.path):
        run = _Run(store, embedder, request, known_vectors or {}, count_tokens, on_progress, on_document, cancelled)
        try:
            report = run.run()
        except IngestCancelled:
            if not resumable:
                run.end_job("cancelled", {})
            raise
        except IngestError as exc:
            run.end_job("failed", {"error": str(exc)})
            raise
        run.end_job("done", {**asdict(report), "bad": list(report.bad[:100])})
        return report


class _Run:
    def __init__(
        self,
        store: Store,
        embedder: Embedder | None,
        request: IngestRequest,
        known_vectors: Mapping[str, FloatMatrix],
        count_tokens: Callable[[str], int] | None,
        on_progress: Callable[[Progress], None],
        on_document: Callable[[str, Outcome, str], None],
        cancelled: Callable[[], bool],
    ) -> None:
        self.store, self.request, self.known_vectors = store, request, known_vectors
        self.embedder = None if request.keyword_only else embedder
        self.count_tokens = count_tokens or (embedder.count_tokens if embedder else _approximate_tokens)
        self.on_progress, self.on_document, self.cancelled = on_progress, on_document, cancelled
        self.model_id = self.embedder.info.model_id if self.embedder else None
        self.staging = Staging(store.db, request.collection, request.source)
        self.outcomes: Counter[str] = Counter()
        self.bad: list[str] = []
        self.refused: set[int] = set()  # published rows whose replacement was refused: they stay
        self.passages = self.embedded = self.reused = self.split_sentences = 0
        self._job: str | None = None

    def run(self) -> IngestReport:
        started = time.monotonic()
        if self.embedder:
            self.staging.register_model(self.embedder.info)
        plan = self._plan(self._read())
        if plan.changes or self._pending(1):
            self._job = self.store.jobs.start(
                "ingest", self.request.collection, self.request.source, self.request.as_json()
            )
        self._stage(plan)
        self._fill_vectors()
        removed = tuple(row for row in plan.removed if row not in self.refused)
        changed = plan.changes and self._anything_staged(removed)
        if changed:
            version = self.staging.publish(removed, self.request.corpus_version, self.model_id)
        else:
            version = self._active_version()
            if self.model_id:
                self.staging.complete_vectors(self.model_id)
        self.store.views.get(self.request.collection)
        return IngestReport(
            collection=self.request.collection,
            source=self.request.source,
            corpus_version=version,
            published=changed,
            outcomes=dict(+self.outcomes),
            passages=self.passages,
            embedded=self.embedded,
            reused_vectors=self.reused,
            split_sentences=self.split_sentences,
            vectors_complete=self._vectors_complete(version),
            seconds=round(time.monotonic() - started, 3),
            bad=tuple(self.bad),
        )

    def end_job(self, state: str, report: dict[str, Any]) -> None:
        """Notes how the work ended. A run that found nothing to do was no job, and ends one that a kill left open."""
        if self._job is not None:
            self.store.jobs.finish(self._job, state, report)
        else:
            self.store.jobs.settle(self.request.collection, self.request.source)

    # -- reading and comparing ------------------------------------------------------------------------------------

    def _read(self) -> list[Document]:
        documents: list[Document] = []
        for item in read_source(self.request.path, self.request.defaults, self.request.limits):
            if isinstance(item, BadRecord):
                self._failed(item)
            else:
                documents.append(item)
        if not documents:
            raise PermanentError(
                f"Nothing to ingest in {self.request.path}"
                + (f": {self.bad[0]}" if self.bad else ": it holds no documents.")
            )
        return documents

    def _failed(self, record: BadRecord) -> None:
        self.bad.append(str(record))
        self._outcome(f"{record.file}:{record.line or 0}", "failed", str(record))

    def _outcome(self, doc_id: str, outcome: Outcome, detail: str = "") -> None:
        self.outcomes[outcome] += 1
        self.on_document(doc_id, outcome, detail)

    def _plan(self, documents: Sequence[Document]) -> _Plan:
        known = self.staging.known()
        active = {doc_id: row for doc_id, row in known.items() if not row.staged}
        active |= self._active_under_staged(known)
        first: dict[str, str] = {}
        seen: set[str] = set()
        todo: list[_Todo] = []
        staged_already = 0
        for document in documents:
            original = first.setdefault(document.identity_hash, document.doc_id)
            if original != document.doc_id:
                self._outcome(document.doc_id, "duplicate", original)
                continue
            seen.add(document.doc_id)
            version = _document_hash(document)
            was, row = active.get(document.doc_id), known.get(document.doc_id)
            if was is not None and was.content_hash == version:
                self._outcome(document.doc_id, "unchanged")
                if was.lapsed:
                    todo.append(_Todo(document=document, version=version, outcome="unchanged", old=None))
                elif row is not None and row.staged:
                    self.staging.drop_staged([document.doc_id])
                continue
            outcome: Outcome = "created" if was is None else "replaced"
            self._outcome(document.doc_id, outcome)
            if row is not None and row.staged and row.content_hash == version:
                staged_already += 1
            else:
                old = None if was is None else was.row
                todo.append(_Todo(document=document, version=version, outcome=outcome, old=old))
        dropped = tuple(doc_id for doc_id, row in known.items() if row.staged and doc_id not in seen)
        self.staging.drop_staged(dropped)
        replaced = {d.doc_id for d in documents if d.doc_id in seen and d.doc_id in active} - self._unchanged(
            documents, active
        )
        gone = self._gone(active, seen)
        return _Plan(
            todo=tuple(todo),
            staged_already=staged_already,
            dropped=dropped,
            removed=tuple(active[doc_id].row for doc_id in (*sorted(replaced), *gone)),
        )

    def _active_under_staged(self, known: Mapping[str, KnownDocument]) -> dict[str, KnownDocument]:
        """The published rows of documents for which a newer row is staged."""
        if not any(row.staged for row in known.values()):
            return {}
        return {doc_id: row for doc_id, row in self.staging.known(staged=False).items() if known[doc_id].staged}

    def _unchanged(self, documents: Sequence[Document], active: Mapping[str, KnownDocument]) -> set[str]:
        return {
            d.doc_id for d in documents if d.doc_id in active and active[d.doc_id].content_hash == _document_hash(d)
        }

    def _gone(self, active: Mapping[str, KnownDocument], seen: set[str]) -> list[str]:
        """Documents that the input no longer has. They are kept while part of the input could not be read."""
        missing = sorted(set(active) - seen)
        for doc_id in missing:
            self._outcome(doc_id, "kept" if self.bad else "removed")
        return [] if self.bad else missing

    # -- staging --------------------------------------------------------------------------------------------------

    def _stage(self, plan: _Plan) -> None:
        """Chunks one batch while another is embedded, so that the model's cores never wait for SQLite."""
        clock = Clock([item.document for item in plan.todo], self.on_progress)
        with ThreadPoolExecutor(1, thread_name_prefix="galen-embed") as ahead:
            waiting: tuple[_Batch, Future[dict[str, FloatMatrix]]] | None = None
            for batch in self._batches(plan.todo):
                stopped = self.cancelled()
                embedding = None if stopped else ahead.submit(self._vectors_for, _texts(batch))
                if waiting is not None:
                    self._write(*waiting, clock)
                if embedding is None:
                    raise IngestCancelled("The ingest was stopped; the next one takes up what is staged.")
                waiting = batch, embedding
            if waiting is not None:
                self._write(*waiting, clock)

    def _write(self, batch: _Batch, embedding: Future[dict[str, FloatMatrix]], clock: Clock) -> None:
        self.staging.add(batch, self.model_id, embedding.result())
        self.passages += sum(len(chunks) for _, chunks in batch)
        clock.tick([document.doc_id for document, _ in batch], self.embedded)

    def _batches(self, todo: Iterable[_Todo]) -> Iterator[_Batch]:
        batch: _Batch = []
        size = 0
        for item in todo:
            chunks = self._chunk(item.document)
            taken = self.staging.chunk_ids_of_others([c.chunk_id for c in chunks])
            if taken:
                self._refuse(item, *next(iter(taken.items())))
                continue
            batch.append((_new_document(item.document, item.version), chunks))
            size += len(chunks)
            if size >= BATCH:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def _refuse(self, item: _Todo, chunk_id: str, source: str) -> None:
        """Takes back what the plan had said of a document. Its published row stays, what was staged of it goes."""
        self.outcomes[item.outcome] -= 1
        if item.old is not None:
            self.refused.add(item.old)
        self.staging.drop_staged([item.document.doc_id])
        self._failed(
            BadRecord(
                file=item.document.origin,
                field="chunk_id",
                reason=f"{chunk_id!r} is used by source {source!r} of this collection: rename it",
            )
        )

    def _chunk(self, document: Document) -> list[NewChunk]:
        used: Counter[str] = Counter()
        chunks = []
        for piece in chunk_document(document, self.count_tokens):
            self.split_sentences += piece.split_sentence
            chunk_id = piece.given_chunk_id or self._chunk_id(document, piece)
            used[chunk_id] += 1
            chunks.append(
                NewChunk(
                    chunk_id=chunk_id if used[chunk_id] == 1 else f"{chunk_id}~{used[chunk_id]}",
                    ordinal=piece.ordinal,
                    heading=piece.heading,
                    text=piece.text,
                    tokens=piece.tokens,
                    content_hash=content_hash(document.title, piece.heading, piece.text),
                )
            )
        return chunks

    def _chunk_id(self, document: Document, piece: Piece) -> str:
        parts = (
            self.request.collection,
            self.request.source,
            document.doc_id,
            str(piece.ordinal),
            piece.heading,
            piece.text,
        )
        digest = hashlib.sha256("\x1f".join(parts).encode()).hexdigest()
        return f"{document.doc_id}:{digest[:12]}"

    # -- vectors --------------------------------------------------------------------------------------------------

    def _vectors_for(self, passages: Mapping[str, tuple[str, str, str]]) -> dict[str, FloatMatrix]:
        """A vector per content hash: known before, in the database, or embedded now."""
        if self.embedder is None or self.model_id is None or not passages:
            return {}
        found = {h: self.known_vectors[h] for h in passages if h in self.known_vectors}
        missing = [h for h in passages if h not in found]
        if missing:
            found |= self.staging.vectors_by_content(missing, self.model_id)
        self.reused += len(found)
        missing = [h for h in passages if h not in found]
        if missing:
            matrix = self.embedder.embed([passage_text(*passages[h]) for h in missing], "passage")
            found |= dict(zip(missing, matrix, strict=True))
            self.embedded += len(missing)
        return found

    def _fill_vectors(self) -> None:
        """Embeds passages that were published or staged without a vector of this model."""
        if self.model_id is None:
            return
        started, total, done = time.monotonic(), self.staging.pending_count(self.model_id), 0
        while pending := self._pending(BATCH):
            if self.cancelled():
                raise IngestCancelled("The ingest was stopped; the next one takes up what is embedded.")
            vectors = self._vectors_for({p.content_hash: (p.title, p.heading, p.text) for p in pending})
            self.staging.add_vectors(self.model_id, {p.row: vectors[p.content_hash] for p in pending})
            done += len(pending)
            elapsed = max(1e-6, time.monotonic() - started)
            self.on_progress(
                Progress(
                    stage="vectors",
                    documents=0,
                    documents_total=0,
                    embedded=self.embedded,
                    rate=done / elapsed,
                    share=done / total,
                    seconds_left=elapsed * (total - done) / done,
                )
            )

    def _pending(self, limit: int) -> tuple[Pending, ...]:
        return self.staging.pending(self.model_id, limit) if self.model_id is not None else ()

    # -- versions -------------------------------------------------------------------------------------------------

    def _anything_staged(self, removed: Sequence[int]) -> bool:
        return bool(removed) or any(row.staged for row in self.staging.known().values())

    def _active_version(self) -> str:
        try:
            return self.store.corpus.version(self.request.collection).corpus_version
        except CorpusMissing as exc:
            raise PermanentError(f"Nothing could be published: {self.bad[0] if self.bad else exc}") from exc

    def _vectors_complete(self, corpus_version: str) -> bool:
        version = self.store.corpus.version(self.request.collection, corpus_version)
        return self.model_id is not None and self.model_id in version.models


def _texts(batch: _Batch) -> dict[str, tuple[str, str, str]]:
    """{content hash: (title, heading, text)} of a batch."""
    return {c.content_hash: (document.title, c.heading, c.text) for document, chunks in batch for c in chunks}


def _document_hash(document: Document) -> str:
    """The document and how it is cut: another chunker makes other passages of the same text."""
    return hashlib.sha256(f"{CHUNKER}\n{document.content_hash}".encode()).hexdigest()[:32]


def _new_document(document: Document, version: str) -> NewDocument:
    return NewDocument(
        doc_id=document.doc_id,
        content_hash=version,
        identity_hash=document.identity_hash,
        hierarchy_rank=document.hierarchy_rank,
        lang=document.lang,
        topic=document.topic,
        title=document.title,
        organization=document.organization,
        url=document.url,
        version_date=document.version_date,
        licence=document.licence,
        jurisdiction=document.jurisdiction,
        doc_type=document.doc_type,
        effective_from=document.effective_from,
    )


def _approximate_tokens(text: str) -> int:
    """Without an embedder: 1.35 tokens a word, e5's mean on the bundled English documents (2026-11-30, n = 26)."""
    return round(1.35 * len(text.split())) + 1
