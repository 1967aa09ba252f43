"""The values that travel through a turn, forward only:

Turn → RiskAssessment, Query → tuple[Evidence] → Grade → GateDecision → Prompt → Sentence → Receipt

All are frozen; what arrives from outside was validated at the border (`app.requests`) before it becomes one of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

from rag.references import Reference
from safety.types import RiskClass

__all__ = [
    "COMMENTARY_RANK",
    "LAW_COLLECTION",
    "Card",
    "Chunk",
    "Citation",
    "Evidence",
    "Filters",
    "Found",
    "GateDecision",
    "Grade",
    "GradeLabel",
    "Message",
    "ModelCall",
    "Prompt",
    "Query",
    "Retrieval",
    "Role",
    "Route",
    "Scores",
    "Sentence",
    "Status",
    "Topic",
    "Turn",
    "Usage",
]

Role = Literal["user", "assistant"]

COMMENTARY_RANK = 8
"""From this hierarchy rank down a passage is a comment (8) or a forum post (9)."""

LAW_COLLECTION = "governance"
"""The collection on digital-health law: its answers are no legal advice, and cite provisions."""


class Status(StrEnum):
    """How a turn ended. One meaning each, in code, CLI, receipts and evals."""

    ANSWERED = "answered"
    CARD = "card"
    EMERGENCY = "emergency"
    DEFERRED = "deferred"  # the evidence is not enough
    REFUSED = "refused"  # a request that a health service must not serve
    FAILED = "failed"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"


class Route(StrEnum):
    """What the corrective step decided about the evidence."""

    CORRECT = "correct"
    AMBIGUOUS = "ambiguous"
    INCORRECT = "incorrect"
    NONE = "none"  # the turn needed no evidence


class GradeLabel(StrEnum):
    CORRECT = "correct"
    AMBIGUOUS = "ambiguous"
    INCORRECT = "incorrect"


@dataclass(frozen=True, kw_only=True)
class Message:
    role: Role
    content: str


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One question with its conversation. `id` is the receipt's id; the last message is the person's."""

    id: str
    messages: tuple[Message, ...]
    collection: str = "health"
    language: str | None = None
    country: str | None = None

    @property
    def question(self) -> str:
        return self.messages[-1].content

    @property
    def user_turns(self) -> tuple[str, ...]:
        return tuple(message.content for message in self.messages if message.role == "user")


@dataclass(frozen=True, kw_only=True)
class Filters:
    """Restricts retrieval to matching chunks; an empty tuple or None restricts nothing.

    `as_of` (ISO 8601) leaves out what took effect later; `without_types` leaves out documents of these types.
    """

    languages: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    organizations: tuple[str, ...] = ()
    jurisdictions: tuple[str, ...] = ()
    without_types: tuple[str, ...] = ()
    as_of: str | None = None

    def __bool__(self) -> bool:
        return self != Filters()


@dataclass(frozen=True, kw_only=True)
class Query:
    """What is searched: the person's own words and, beside them, an English rewriting.

    `text` is cleaned, standalone and capped; `kind` tells how it came to be ("original", "with_previous"). `focus` is
    the person's last message alone: what is asked, while `text` may carry the topic of an earlier one. `rewritten`
    names in clinical English what the person wrote in lay words, another language or at length ("" when there is
    nothing to add); `rewritten_by` says how ("lexicon", "translated", "condensed", "spelling"). `concepts` are the
    question's topics, each with all names that a passage may call it by, the person's own first; `corrected` is `text`
    with its spelling corrected ("" where it is right); `references` the exact provisions, profiles and codes asked for,
    each with its possible readings, the likely one first; `compares` whether it asks how things differ, and `sides`
    which two; `side_queries` are searched for them, one each.
    """

    text: str
    corrected: str = ""
    focus: str = ""
    language: str = "en"
    kind: str = "original"
    rewritten: str = ""
    rewritten_by: tuple[str, ...] = ()
    concepts: tuple[tuple[str, ...], ...] = ()
    references: tuple[tuple[Reference, ...], ...] = ()
    compares: bool = False
    sides: tuple[str, ...] = ()
    side_queries: tuple[str, ...] = ()
    filters: Filters = field(default_factory=Filters)

    @property
    def searched(self) -> tuple[str, ...]:
        """The texts that are searched, the person's own first, then the rewriting, then the sides of a comparison."""
        others = dict.fromkeys((self.rewritten, *self.side_queries))
        return (self.text, *(text for text in others if text and text != self.text))


@dataclass(frozen=True, kw_only=True)
class Chunk:
    """A passage with its document's provenance.

    `id` is the database's integer key, `chunk_id` the public, content-derived one; `heading` is the path of
    headings above the text ("Symptoms › Early signs"); `hierarchy_rank` grows as authority falls (1 is best);
    dates are ISO 8601, None where the source gave none; `date_seen` is the day on which the source was read. A passage
    of the `web` was read for this question and stands in no corpus version; its `id` is 0.
    """

    id: int
    chunk_id: str
    doc_id: str
    source: str
    title: str
    heading: str
    text: str
    organization: str
    url: str | None
    version_date: str | None
    lang: str
    topic: str
    licence: str
    jurisdiction: str | None
    doc_type: str | None
    hierarchy_rank: int
    effective_from: str | None
    content_hash: str
    ordinal: int
    date_seen: str | None = None
    web: bool = False


@dataclass(frozen=True, kw_only=True)
class Scores:
    """Every score under its own name; higher is better everywhere; None where a leg did not rank the chunk.

    `dense` is a cosine in [-1, 1]; `keyword` is BM25 with its sign turned (≥ 0); `fused` is the RRF sum, about
    0.001 to 0.1 and no similarity; `rerank` is the reranker's own scale.
    """

    dense: float | None = None
    keyword: float | None = None
    fused: float | None = None
    rerank: float | None = None


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """A retrieved passage and how it was found. Marker n of an answer is the n-th evidence shown, from 1."""

    chunk: Chunk
    scores: Scores


@dataclass(frozen=True, kw_only=True)
class Topic:
    """A thing that a question is about: a concept under any of its names, or a word.

    `weight` is its rarity among all passages, 0 to 1; `held` says for each passage of the evidence whether it holds
    it; `known` whether any passage of the corpus does; `concept` whether the lexicon knows it.
    """

    weight: float
    held: tuple[bool, ...]
    known: bool
    concept: bool


@dataclass(frozen=True, kw_only=True)
class Retrieval:
    """Evidence, best first, with what its grade is made of.

    `topics` are empty where the question names none, or is in a language that neither corpus nor lexicon has.
    `margin` is given in that case: by how much the best document's cosine leads that of any other. `carried` tells,
    where the question asks for an exact reference, whether a passage's heading carries it. `legs` names what ranked
    ("vector", "keyword"), `degraded` what could not take part.
    """

    evidence: tuple[Evidence, ...]
    topics: tuple[Topic, ...] = ()
    margin: float | None = None
    carried: bool | None = None
    legs: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()

    @property
    def coverage(self) -> tuple[float, ...]:
        """The share of the topics, by weight, that each passage holds; empty without topics."""
        total = sum(topic.weight for topic in self.topics)
        if not total:
            return ()
        return tuple(
            sum(topic.weight for topic in self.topics if topic.held[n]) / total for n in range(len(self.evidence))
        )

    def only(self, kept: Sequence[int]) -> Retrieval:
        """The same with the passages at these places alone."""
        return replace(
            self,
            evidence=tuple(self.evidence[n] for n in kept),
            topics=tuple(replace(topic, held=tuple(topic.held[n] for n in kept)) for topic in self.topics),
        )


@dataclass(frozen=True, kw_only=True)
class Grade:
    """The evidence judged as a set, with the measured features that led to the label."""

    label: GradeLabel
    features: dict[str, float]


@dataclass(frozen=True, kw_only=True)
class GateDecision:
    """Whether the evidence may be answered from. `reasons` are stable ids ("dense_below_floor"); `skipped` names the
    conditions whose score does not exist: "nearness" (no vectors), "words" (none in common), "reranker"."""

    open: bool
    route: Route
    reasons: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Found:
    """What stage 2 came to: the final evidence, its grade, and whether an answer may be made from it.

    `steps` names what was done to get there ("widened", "comments_left_out", "web_asked", "web_used", "local_dropped").
    """

    evidence: tuple[Evidence, ...]
    grade: Grade
    decision: GateDecision
    thresholds: str
    legs: tuple[str, ...]
    degraded: tuple[str, ...]
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """What a generator gets: the question and the numbered evidence (marker n = evidence[n-1]).

    `language` is the person's, for what is said in our own words; `question` is in it too, or `translated` into
    English where the evidence has only that. `focus` is the last message alone, where `question` had to take its topic
    from an earlier one; else "". `references` are what an answer on the law must be about, `sides` the two things that
    a comparison is of. `asked` is the question in the person's own words, where `question` was put in the sources';
    `risk` is the turn's class; with `held` nothing is shown before the whole answer is there.
    """

    question: str
    focus: str = ""
    asked: str = ""
    risk: RiskClass = RiskClass.R0
    held: bool = False
    language: str
    translated: bool = False
    evidence: tuple[Evidence, ...]
    collection: str = "health"
    references: tuple[tuple[Reference, ...], ...] = ()
    sides: tuple[str, ...] = ()

    @property
    def read_in(self) -> str:
        """The language of `question`."""
        return "en" if self.translated else self.language

    @property
    def answered_in(self) -> str:
        """The language of an answer: the person's if any passage is in it, else that of the best passage.

        The checks compare words, numbers and negations with the sources, and cannot follow a translation.
        """
        spoken = [item.chunk.lang for item in self.evidence]
        return self.language if self.language in spoken or not spoken else spoken[0]


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """A piece of an answer as it will be shown.

    `text` has no markers; `markers` are the 1-based numbers of the supporting evidence; `lead` is the white space
    or list mark in front of it ("", " ", "\\n- ", "\\n\\n"); a sentence with `cited=False` is fixed text of ours
    that makes no claim (a disclaimer) and needs no marker.
    """

    text: str
    markers: tuple[int, ...] = ()
    lead: str = ""
    cited: bool = True

    def render(self) -> str:
        """The sentence as shown: lead, text, then "[1][3]"."""
        marks = "".join(f"[{n}]" for n in self.markers)
        return f"{self.lead}{self.text}{' ' + marks if marks else ''}"


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Tokens of one request, as the provider counts them."""

    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, kw_only=True)
class ModelCall:
    """What a generator tells of one provider's part in an answer: ids and figures, no text.

    `error` is an `ErrorKind` of a provider that was passed over. `declined` means that the model found no answer in
    the passages. `prompt` is the hash of the prompt files, `passages` how many of the evidence went into the context,
    `neutralised` how many forged boundaries and instructions in it were made harmless, `requests` how often the
    provider was asked. What the provider names itself (`served_model`, `fingerprint`, `request_id`, `finish`) is None
    where it does not.
    """

    provider: str
    model: str
    error: str | None = None
    declined: bool = False
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    prompt: str | None = None
    passages: int = 0
    neutralised: int = 0
    requests: int = 1
    served_model: str | None = None
    fingerprint: str | None = None
    request_id: str | None = None
    finish: str | None = None
    usage: Usage | None = None


@dataclass(frozen=True, kw_only=True)
class Citation:
    """Marker `n` of the answer and the chunk that it opens."""

    n: int
    chunk_id: str
    title: str
    organization: str
    url: str | None
    version_date: str | None
    web: bool = False
    date_seen: str | None = None

    @staticmethod
    def of(n: int, chunk: Chunk) -> Citation:
        return Citation(
            n=n,
            chunk_id=chunk.chunk_id,
            title=chunk.title,
            organization=chunk.organization,
            url=chunk.url,
            version_date=chunk.version_date,
            web=chunk.web,
            date_seen=chunk.date_seen,
        )


@dataclass(frozen=True, kw_only=True)
class Card:
    """A fixed short reply that needs no sources: greeting, thanks, identity, abilities."""

    kind: str
    text: str
