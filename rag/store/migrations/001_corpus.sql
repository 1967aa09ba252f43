-- The corpus: documents and chunks are immutable rows that belong to every generation in [added_in, removed_in).
-- A generation number is one published version of a collection; numbers above the active one are staged by an
-- unfinished ingest and invisible. Keys are explicit integers: an implicit rowid moves with REPLACE and VACUUM, and
-- the full-text index and the vectors point at them.

CREATE TABLE collections (
    name   TEXT PRIMARY KEY,
    active INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE corpus_manifest (
    collection     TEXT NOT NULL REFERENCES collections (name),
    generation     INTEGER NOT NULL,
    corpus_version TEXT NOT NULL,
    published_at   TEXT NOT NULL,
    documents      INTEGER NOT NULL,
    chunks         INTEGER NOT NULL,
    PRIMARY KEY (collection, generation),
    UNIQUE (collection, corpus_version)
) STRICT;

CREATE TABLE documents (
    id             INTEGER PRIMARY KEY,
    collection     TEXT NOT NULL REFERENCES collections (name),
    source         TEXT NOT NULL,
    doc_id         TEXT NOT NULL,
    added_in       INTEGER NOT NULL,
    removed_in     INTEGER,
    content_hash   TEXT NOT NULL,
    identity_hash  TEXT NOT NULL,
    hierarchy_rank INTEGER NOT NULL,
    lang           TEXT NOT NULL,
    topic          TEXT NOT NULL,
    title          TEXT NOT NULL,
    organization   TEXT NOT NULL,
    url            TEXT,
    version_date   TEXT,
    licence        TEXT NOT NULL,
    jurisdiction   TEXT,
    doc_type       TEXT,
    effective_from TEXT
) STRICT;
CREATE UNIQUE INDEX documents_once ON documents (collection, source, doc_id, added_in);
CREATE INDEX documents_staged ON documents (collection, added_in);

-- Narrow columns first: visibility is read far more often than text.
CREATE TABLE chunks (
    id           INTEGER PRIMARY KEY,
    document     INTEGER NOT NULL REFERENCES documents (id),
    collection   TEXT NOT NULL,
    added_in     INTEGER NOT NULL,
    removed_in   INTEGER,
    ordinal      INTEGER NOT NULL,
    tokens       INTEGER NOT NULL,
    chunk_id     TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    heading      TEXT NOT NULL,
    text         TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX chunks_once ON chunks (collection, chunk_id, added_in);
CREATE INDEX chunks_visible ON chunks (collection, added_in, removed_in);
CREATE INDEX chunks_of_document ON chunks (document);
CREATE INDEX chunks_same_content ON chunks (content_hash);

-- float32, little-endian, unit length; one per chunk and model, so that two models' vectors can lie side by side.
CREATE TABLE chunk_vectors (
    chunk     INTEGER NOT NULL REFERENCES chunks (id),
    model_id  TEXT NOT NULL,
    embedding BLOB NOT NULL,
    PRIMARY KEY (chunk, model_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE embedding_models (
    model_id       TEXT PRIMARY KEY,
    dimensions     INTEGER NOT NULL,
    weights_sha256 TEXT NOT NULL,
    query_prefix   TEXT NOT NULL,
    passage_prefix TEXT NOT NULL
) STRICT;

-- A generation's vectors count only when every chunk of it has one: they become visible all at once.
CREATE TABLE vector_sets (
    collection   TEXT NOT NULL,
    generation   INTEGER NOT NULL,
    model_id     TEXT NOT NULL REFERENCES embedding_models (model_id),
    completed_at TEXT NOT NULL,
    PRIMARY KEY (collection, generation, model_id)
) STRICT;

-- Derived from `chunks` and rebuilt from it. Contentless: the text is stored once, and what is indexed is the
-- prepared form (`keywords.search_form`): CJK as two-character words, "400 mg" as "400mg". Marks (Mn, Mc) belong to
-- words, else Hindi and Thai would be cut at every vowel sign.
CREATE VIRTUAL TABLE chunks_fts USING fts5 (
    title, heading, text,
    content = '', contentless_delete = 1,
    tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);
CREATE VIRTUAL TABLE chunks_terms USING fts5vocab (chunks_fts, row);
