-- What a turn leaves behind: a receipt without anyone's words, and a query vector under a keyed hash.

CREATE TABLE open_turns (
    id         TEXT PRIMARY KEY,
    started_at TEXT NOT NULL,
    collection TEXT NOT NULL
) STRICT;

CREATE TABLE answer_receipts (
    seq        INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    status     TEXT NOT NULL,
    body       TEXT NOT NULL CHECK (json_valid(body))
) STRICT;

CREATE TABLE embed_cache (
    key        BLOB PRIMARY KEY,
    created_at INTEGER NOT NULL,
    embedding  BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX embed_cache_oldest ON embed_cache (created_at);

-- Random values that belong to this database: the key of the hashes above.
CREATE TABLE secrets (
    name  TEXT PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE jobs (
    id          TEXT PRIMARY KEY,
    kind        TEXT NOT NULL,
    collection  TEXT NOT NULL,
    source      TEXT NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('running', 'done', 'failed', 'cancelled')),
    request     TEXT NOT NULL CHECK (json_valid(request)),
    report      TEXT CHECK (report IS NULL OR json_valid(report)),
    started_at  TEXT NOT NULL,
    finished_at TEXT
) STRICT;
