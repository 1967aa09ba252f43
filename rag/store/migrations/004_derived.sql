-- What is derived from the chunks, and the form that it was built in: a newer program builds it anew at start.

CREATE TABLE derived (
    name TEXT PRIMARY KEY,
    form INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
