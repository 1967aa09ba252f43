"""Decides what to do with graded evidence: keep it, widen the search, turn to the web, or drop it; and strips passages
to what supports an answer. Knows nothing of how passages are found.

    CORRECT    passages are stripped to the sentences that can support an answer
    AMBIGUOUS  the search is widened; where the collection may, web pages join the evidence
    INCORRECT  local evidence is dropped; where the collection may, web pages take its place, else the turn is deferred
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag.kind import Kind
from rag.question import heading_kinds, question_kinds, sentence_has_cue
from rag.text import is_list_item, is_provision_path, is_table_row, sentence_spans
from rag.types import COMMENTARY_RANK, LAW_COLLECTION, Evidence, Grade, GradeLabel, Query, Retrieval, Route
from rag.words import content_stems, words
from safety.types import RiskClass

__all__ = ["WEB_PAGES", "WIDEN", "Refined", "merge", "refine", "route", "standing", "web_query"]

WIDEN = 2
"""An ambiguous set is searched once more for this many times as many passages; an answer may draw on all of them."""

WEB_PAGES = 4
"""Pages that are read for a question."""

_QUERY_WORDS = 32


def route(grade: Grade) -> Route:
    """CORRECT is answered from as it is, AMBIGUOUS is widened first, INCORRECT is dropped."""
    return {
        GradeLabel.CORRECT: Route.CORRECT,
        GradeLabel.AMBIGUOUS: Route.AMBIGUOUS,
        GradeLabel.INCORRECT: Route.INCORRECT,
    }[grade.label]


def standing(retrieval: Retrieval, risk: RiskClass) -> Retrieval:
    """What may speak to a question of this risk: from R1 up no comment, unless there is nothing else (the gate closes
    then)."""
    if risk < RiskClass.R1:
        return retrieval
    kept = [n for n, e in enumerate(retrieval.evidence) if e.chunk.hierarchy_rank < COMMENTARY_RANK]
    return retrieval.only(kept) if kept else retrieval


def merge(chosen: Route, local: Sequence[Evidence], web: Sequence[Evidence], limit: int) -> tuple[Evidence, ...]:
    """The evidence with the web: its pages beside an ambiguous set, the nearest first, or in place of a wrong one."""
    if chosen is Route.INCORRECT:
        return tuple(web[:limit])
    both = [*local, *web]
    if all(e.scores.dense is not None for e in both):
        both.sort(key=lambda e: -(e.scores.dense or 0.0))
    return tuple(both[:limit])


_PRIVATE = re.compile(r"\S+@\S+|https?://\S+|\+?\d[\d\s()/-]{6,}\d")
"""Addresses and long numbers: they find nothing and belong to somebody."""


def web_query(query: Query) -> str:
    """What a search engine is asked: the question, at most its first words, without addresses and long numbers.

    Of a story only the part that asks and the illnesses in it (`condensed`) leave the house; of a question in another
    language than the sources its English terms.
    """
    text = query.rewritten if query.rewritten_by else query.corrected or query.text
    return " ".join(_PRIVATE.sub(" ", text or query.text).split()[:_QUERY_WORDS])


# --- stripping passages ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Refined:
    """Passages in the same order with what was kept of them; `kept` of `sentences` in all."""

    evidence: tuple[Evidence, ...]
    kept: int
    sentences: int


_CAVEAT = re.compile(
    r"\b(?:not|never|no|nor|none|without|cannot|except\w*|exclud\w*|unless|only|however|but|although|though|despite|"
    r"avoid\w*|stop\w*|warn\w*|caution\w*|careful\w*|danger\w*|serious\w*|severe\w*|must|should|if|until|instead|rather|"
    r"allerg\w*|pregnan\w*|breastfe\w*|child\w*|bab(?:y|ies)|infants?|older|emergenc\w*|doctors?|pharmacists?|midwi\w*|"
    r"hospital|call|seek|see|ask|tell|immediate\w*|urgent\w*|at once|right away|your?)\b|n['’]t\b|\d",
    re.IGNORECASE,
)
"""Conditions, limits, warnings, advice, whom it is for, when to get help, and every number."""

_LEANS = re.compile(
    r"(?:it|its|they|them|their|this|these|that|those|he|she|such|both|some|most|many|others?|another|also|then|"
    r"for example|for instance|in (?:these|this|such|some|other|addition))\b",
    re.IGNORECASE,
)
_HEADING_WORDS = 12
_STEP_WORDS = 6
_WHOLE = frozenset({Kind.FIRST_AID, Kind.DONTS, Kind.DIFFERENCE})
"""Types that are answered by whole passages: steps belong together, and anything may be what two things differ in."""


def refine(evidence: Sequence[Evidence], query: Query, collection: str) -> Refined:
    """Each passage without the sentences that say nothing to the question.

    Kept are: a sentence that holds a word of the question's topics or what its type is told by, a caveat or a number;
    the first one; whatever these lean on; headings, list heads, items and table rows; and as a whole the passages of a
    section that answers the asked type, of the law (every word of a provision counts) and of other languages, and all
    where steps or a comparison are asked for.
    """
    kinds = frozenset(question_kinds(query.focus or query.text, query.language)) - {Kind.ANY}
    asked = (query.corrected or query.text, query.rewritten, *(name for names in query.concepts for name in names))
    topics = content_stems(word for text in asked for word in words(text))
    refined, kept, total = [], 0, 0
    for item in evidence:
        chunk = item.chunk
        spans = sentence_spans(chunk.text)
        sections = heading_kinds(chunk.heading, chunk.lang)
        whole = (
            collection == LAW_COLLECTION
            or chunk.lang != "en"
            or not kinds
            or bool(kinds & _WHOLE)
            or bool(kinds & sections)
            or is_provision_path(chunk.heading)
        )
        stays = [True] * len(spans) if whole else _supporting(chunk.text, spans, topics, kinds)
        kept, total = kept + sum(stays), total + len(spans)
        text = chunk.text if all(stays) else _without(chunk.text, spans, stays)
        refined.append(item if all(stays) else replace(item, chunk=replace(chunk, text=text)))
    return Refined(evidence=tuple(refined), kept=kept, sentences=total)


def _supporting(
    text: str, spans: Sequence[tuple[int, int]], topics: frozenset[str], kinds: frozenset[Kind]
) -> list[bool]:
    sentences = [text[start:end] for start, end in spans]
    stays = []
    for n, sentence in enumerate(sentences):
        leads_in = n + 1 < len(sentences) and (is_list_item(sentences[n + 1]) or is_table_row(sentences[n + 1]))
        stays.append(
            n == 0
            or leads_in
            or _has_form(sentence)
            or _CAVEAT.search(sentence) is not None
            or not topics.isdisjoint(content_stems(words(sentence)))
            or any(sentence_has_cue(sentence, kind) for kind in kinds)
        )
    for n in range(1, len(sentences)):  # what goes on with a kept sentence
        if stays[n - 1] and not stays[n]:
            stays[n] = _LEANS.match(sentences[n]) is not None
    for n in range(len(sentences) - 1, 0, -1):  # what a kept sentence leans on
        if stays[n] and _LEANS.match(sentences[n]):
            stays[n - 1] = True
    return stays


def _has_form(sentence: str) -> bool:
    """Whether a line is an item, a table row, a step, a heading or a list head: what gives others their meaning."""
    is_heading = len(sentence.split()) <= _HEADING_WORDS and not re.search(r"[.!?…][\"'”’»)\]]*$", sentence)
    is_step = len(sentence.split()) <= _STEP_WORDS  # "Maintain a healthy weight."
    return is_list_item(sentence) or is_table_row(sentence) or sentence.endswith(":") or is_heading or is_step


def _without(text: str, spans: Sequence[tuple[int, int]], stays: Sequence[bool]) -> str:
    """The kept sentences, parted as they were: by a space, a line or a blank line."""
    parts: list[str] = []
    last = 0
    for (start, end), stay in zip(spans, stays, strict=True):
        if not stay:
            continue
        breaks = text[last:start].count("\n")
        if parts:
            parts.append("\n\n" if breaks > 1 else "\n" if breaks else " ")
        parts.append(text[start:end])
        last = end
    return "".join(parts)
