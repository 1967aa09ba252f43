"""The keyword leg: FTS5 with BM25 over title, heading and text.

A person's words never reach FTS5 as syntax: they are prepared, tokenised by the index's own tokenizer and quoted.
Long questions of common words are bounded by their number of postings, because FTS5 ranks every matching row.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Sequence

import apsw
import numpy as np
from numpy.typing import NDArray

from rag.references import Reference, find_references, headed_references, index_tokens
from rag.store.connection import Connection, Database, DatabaseError, as_store_error

__all__ = ["INDEX_FORM", "Keywords", "index_chunk", "search_form"]

INDEX_FORM = 4
"""The form in which passages are entered into the index. Another number in the database: it is built anew at start.
4: tokens of exact references, a heading's of its title's regulation, and Thai in pairs of clusters."""

WEIGHTS = (4.0, 2.0, 1.0)
"""BM25 weights of title, heading, text. Chosen 2026-11-30 on the 90 retrieval goldens of the bundled corpus
(`python -m evals retrieval`): the title names the subject, the heading the aspect that is asked about."""

COMMON_SHARE = 0.10
"""A term in more than this share of all passages is left out while rarer ones remain: 20 to 25 times less to rank at
200,000 passages for an overlap of 0.97 with the full top 50 (docs/performance.md)."""

CHEAP = 1_000
"""A term in fewer passages than this is never common: ranking a thousand rows costs about 1 ms, and in a small
corpus a tenth of the passages is a handful."""

POSTINGS_BUDGET = 3_000
"""Postings ranked at most, rarest terms first: the one bound that does not grow with the corpus. Chosen 2026-11-30 on
medquad-dup-dev over 23,668 MedQuAD passages (every third of 724 questions, `python -m evals calibrate --db`): fused
nDCG@10 .850 at 20,000 to 6,000 postings, .851 at 3,000, .849 at 2,000; the keyword leg alone .434, .430, .420. On long
messages (goldens and LiveQA together, n = 90) its p95 was 4.0 ms at 20,000, 3.4 at 6,000 and 2.2 at 3,000."""

MAX_TERMS = 64
"""Distinct terms considered of one question; a patient's long story has more words than meaning."""

_TOKENIZER = ("unicode61", "remove_diacritics", "2", "categories", "L* N* Co Mn Mc")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002ebef]+")
_STRENGTH = re.compile(r"(?<![\w.,])(\d+(?:[.,]\d+)?)[ \u00a0]+(mg|mcg|µg|ug|g|kg|ml|l|mmol|iu|mmhg)\b", re.IGNORECASE)


_THAI = re.compile(r"[\u0e01-\u0e4e]+")
_THAI_CLUSTER = re.compile(r"[เแโใไ]?[ก-ฮ][ัิ-ฺ็-๎]*[ะาำๅ]?|.")


def _bigrams(match: re.Match[str]) -> str:
    run = match.group()
    return _pairs(list(run))


def _thai_pairs(match: re.Match[str]) -> str:
    return _pairs(_THAI_CLUSTER.findall(match.group()))


def _pairs(units: list[str]) -> str:
    pairs = ["".join(units[i : i + 2]) for i in range(len(units) - 1)] or units
    return f" {' '.join(pairs)} "


def search_form(text: str) -> str:
    """Text as it is indexed and searched: NFKC, strengths joined ("400 mg" → "400mg"), CJK runs as word pairs.

    Chinese, Japanese and Thai put no spaces between words. Most words of the first two are two characters long; Thai
    is cut into clusters of a consonant with its vowels and marks (Theeramunkong et al., "Character Cluster Based Thai
    Information Retrieval", IRAL 2000), and two of them make a term.
    """
    folded = unicodedata.normalize("NFKC", text)
    if folded.isascii():
        return _STRENGTH.sub(r"\1\2", folded)
    return _THAI.sub(_thai_pairs, _UNSPACED.sub(_bigrams, _STRENGTH.sub(r"\1\2", folded)))


def index_chunk(
    connection: Connection, row: int, title: str, heading: str, text: str, *, table: str = "chunks_fts"
) -> None:
    """Enters one passage into the index (or into another table of the same form), with its exact references."""
    of_title, of_heading = headed_references(title, heading)
    own = next((reference.regulation for reference in (*of_title, *of_heading) if reference.regulation), None)
    references = (of_title, of_heading, find_references(text, own))
    columns = (
        f"{search_form(part)} {index_tokens(found)}"
        for part, found in zip((title, heading, text), references, strict=True)
    )
    connection.execute(f"INSERT INTO {table} (rowid, title, heading, text) VALUES (?, ?, ?, ?)", (row, *columns))


class Keywords:
    def __init__(self, db: Database, *, budget: int = POSTINGS_BUDGET) -> None:
        self._db, self._budget = db, budget
        self._frequency = functools.lru_cache(maxsize=50_000)(self._document_frequency)
        self._counted_at = -1

    def bring_up_to_date(self) -> bool:
        """Builds the index anew if it was made in another form; whether it did. About 5 s for 24,000 passages."""
        try:
            form = self._db.read().execute("SELECT form FROM derived WHERE name = 'keywords'").fetchone()
        except DatabaseError as exc:
            raise as_store_error(self._db.path, exc) from exc
        if form == (INDEX_FORM,):
            return False
        with self._db.write() as connection:
            connection.execute("INSERT INTO chunks_fts (chunks_fts) VALUES ('delete-all')")
            passages = connection.execute(
                "SELECT c.id, d.title, c.heading, c.text FROM chunks c JOIN documents d ON d.id = c.document"
            )
            for row, title, heading, text in passages.fetchall():
                index_chunk(connection, row, title, heading, text)
            connection.execute("INSERT OR REPLACE INTO derived (name, form) VALUES ('keywords', ?)", (INDEX_FORM,))
        return True

    def terms(self, text: str) -> list[str]:
        """The distinct index terms of a text, in order."""
        tokenizer = self._db.read().fts5_tokenizer("porter", list(_TOKENIZER))
        prepared = search_form(text).replace("\0", " ").encode("utf-8", "ignore")
        found = tokenizer(prepared, apsw.FTS5_TOKENIZE_QUERY, None, include_offsets=False)
        return list(dict.fromkeys(term for (term, *_) in found))

    def _document_frequency(self, term: str) -> int:
        row = self._db.read().execute("SELECT doc FROM chunks_terms WHERE term = ?", (term,)).fetchone()
        return int(row[0]) if row else 0

    def frequencies(self, terms: Sequence[str], rows: int) -> dict[str, int]:
        """How many passages hold each term; kept until the corpus changes size."""
        if rows != self._counted_at:
            self._frequency.cache_clear()
            self._counted_at = rows
        return {term: self._frequency(term) for term in terms}

    def holds(self, word: str, rows: int) -> bool:
        """Whether some passage has a word, in whatever ending."""
        terms = self.terms(word)
        return bool(terms) and all(self.frequencies(terms, rows).values())

    def within_budget(self, terms: Sequence[str], rows: int, budget: int | None = None) -> list[str]:
        """The terms worth ranking: known ones, rarest first, without the common ones, inside the posting budget."""
        known = {term: df for term, df in self.frequencies(terms, rows).items() if df}
        by_rarity = sorted(known, key=lambda term: (known[term], term))
        chosen = [term for term in by_rarity if known[term] <= max(CHEAP, COMMON_SHARE * rows)] or by_rarity[:2]
        kept: list[str] = []
        budget = budget or self._budget
        for term in chosen:
            budget -= known[term]
            if kept and budget < 0:
                break
            kept.append(term)
        return kept

    def search(
        self, text: str, limit: int, rows: NDArray[np.int64], total: int, budget: int | None = None
    ) -> list[tuple[int, float]]:
        """The best `limit` of the sorted chunk keys `rows`: (key, BM25 ≥ 0), best first. `total` passages are indexed.

        The index also holds passages of other versions and collections, so more is fetched until enough are left.
        """
        terms = self.within_budget(self.terms(text)[:MAX_TERMS], total, budget)
        if not terms or not len(rows):
            return []
        query = " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)
        fetch = limit * 2
        while True:
            found = self._match(query, fetch)
            keys = np.fromiter((key for key, _ in found), np.int64, len(found))
            at = np.minimum(np.searchsorted(rows, keys), len(rows) - 1)
            kept = [pair for pair, seen in zip(found, rows[at] == keys, strict=True) if seen]
            if len(kept) >= limit or len(found) < fetch:
                return kept[:limit]
            fetch *= 4

    def carrying(self, reference: Reference, rows: NDArray[np.int64]) -> list[int]:
        """Those of the sorted chunk keys `rows` whose title or heading carries a reference, by key."""
        found = self._db.read().execute(
            "SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ? ORDER BY rowid",
            (f"{{title heading}}: {reference.token}",),
        )
        keys = np.fromiter((key for (key,) in found.fetchall()), np.int64)
        return [int(key) for key in np.intersect1d(keys, rows, assume_unique=True)]

    def _match(self, query: str, limit: int) -> list[tuple[int, float]]:
        title, heading, text = WEIGHTS
        rows = self._db.read().execute(
            f"""
            SELECT rowid, -bm25(chunks_fts, {title}, {heading}, {text}) AS score FROM chunks_fts
            WHERE chunks_fts MATCH ? ORDER BY score DESC, rowid LIMIT ?
            """,
            (query, limit),
        )
        return [(int(key), float(score)) for key, score in rows.fetchall()]
