"""From a conversation to what is searched: a standalone question, and beside it what it means in clinical English."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.cards import match_card
from rag.comparison import compares, sides_of
from rag.kind import Kind
from rag.language import identify_language
from rag.lexicon import Lexicon, Match
from rag.question import question_kinds
from rag.references import find_references, readings
from rag.spelling import Spelling
from rag.text import fold, sentence_spans
from rag.types import LAW_COLLECTION, Filters, Query, Turn

__all__ = ["rewrite"]

QUERY_LIMIT = 2_000
"""Characters of a question that are searched: about the embedder's window of 512 tokens; the end is kept, because
long stories ask at the end."""

FRAGMENT_WORDS = 6
"""A question of at most this many words that leans on the one before is searched together with it."""

LEANING_WORDS = 12
"""So is one of at most this many that leans and names nothing that the lexicon knows as a topic."""

LOOK_BACK = 4
"""How many of the person's earlier messages are looked through for the topic that a fragment leans on."""

STORY_WORDS = 40
"""A message of more words is a story: it is also searched by its topics and what it asks alone."""

STORY_QUESTIONS = 3
"""Sentences of a story that are kept as what it asks, the last ones."""

STORY_SENTENCES = 3
"""Sentences of a story that are kept for what they tell."""

_CHARACTERS = 100
"""A sentence of a story is weighed by its terms per so many characters, so that a long one does not win by length."""

SHORT = 4
"""Letters from which a word tells a language."""

NAMES_ADDED = 3
"""Names of one term that a rewriting adds; the lexicon lists the most usual first."""

TOPICS = frozenset(["condition", "symptom", "drug", "drug_class", "test", "procedure", "substance"])
"""Kinds of terms that a health question can be about."""

TOLD = TOPICS | {"body"}
"""Kinds of terms that tell something of an illness."""

LAW = frozenset(["law"])

_LEANS = re.compile(
    r"^\W*(?:ok(?:ay)?\W+)?(and|or|but|also|what about|how about|what if|if|for|with|during|"
    r"in (children|babies|pregnancy|adults)|y|e|et|und|oder|o|ou|en|em|in|bei|pour|para|qué tal|que tal)(?=[\s,])"
    r"|\b(it|its|he|him|his|she|her|hers|they|them|their|that|this|these|those)\b|\bone\W*$",
    re.IGNORECASE,
)
"""Words that point back: at the start one that continues, in a few languages, or an English pronoun anywhere."""

_MORE = re.compile(
    r"\W*(?:(?:and|ok|please|yes|tell me|go on|give me|anything|what)\W+)*(?:more|else|continue|go on|más|mas|mehr"
    r"|plus|più|mais|meer|więcej|ещё|еще|更多|もっと|더|और|أكثر)"
    r"(?:\W+(?:please|about (?:it|that|this)|details|info))*\W*",
    re.IGNORECASE,
)
"""Asks for nothing but more of the last answer."""

_OF_ME = re.compile(
    r"^\W*(?:hi\W+|hello\W+)?(?:i(?:'m|’m| am|m|'ve| have| take| use| got| was)"
    r"|my (?:\w+ )?(?:has|is|takes|was|had))\b",
    re.IGNORECASE,
)
"""Opens what a person tells of themselves or theirs."""

_MAY_I = re.compile(
    r"^\W*(?:and |so |but )?(?:can|could|may|should|must|is it (?:safe|ok|okay|dangerous)|what (?:can|should|may)|which"
    r" \w+ (?:can|should)|how much)\b",
    re.IGNORECASE,
)
"""Opens a question whose answer hangs on what a person has or takes."""

_OTHER_TOPIC = re.compile(
    r"^\W*(?:(?:and|so|ok(?:ay)?|but)\W+)*?(?:what about|how about|and for|and|or|for)\s+(?:the |an? |my )?(?!for\b)",
    re.IGNORECASE,
)
"""How a message turns the last question on another illness: "what about lupus?", "and the flu?"."""

_WITHOUT_TOPIC = frozenset([
    "a", "about", "again", "alcohol", "also", "an", "and", "antibiotics", "any", "are", "at", "attack",
    "attacks", "bad", "be", "been", "best", "can", "cause", "caused", "causes", "common", "complications",
    "contagious", "cure", "cured", "dangerous", "diagnose", "diagnosed", "diagnosis", "do", "doctor", "doctors",
    "does", "dosage", "dose", "drink", "drug", "drugs", "eat", "effects", "emergency", "exactly", "exercise",
    "far", "fast", "food", "foods", "for", "get", "go", "gp", "happen", "happens", "has", "have", "help",
    "helps", "hospital", "how", "i", "in", "is", "last", "lasts", "long", "many", "me", "medication",
    "medications", "medicine", "medicines", "more", "much", "must", "my", "need", "no", "normal", "of", "often",
    "ok", "on", "one", "or", "outlook", "please", "prevent", "prevented", "prevention", "prognosis", "recover",
    "recovery", "risk", "risks", "safe", "see", "serious", "should", "side", "signs", "soon", "spread", "stop",
    "symptoms", "tablets", "take", "tell", "test", "tested", "tests", "the", "there", "to", "treat", "treated",
    "treatment", "treatments", "trigger", "triggers", "use", "used", "usually", "warning", "what", "when",
    "where", "which", "who", "why", "will", "work", "worry", "would", "yes", "you",
    "adult", "adults", "babies", "baby", "child", "children", "elderly", "else", "if", "it", "kid", "kids", "men",
    "pregnant", "same", "so", "then", "untreated", "women", "worried", "worse",
    "más", "mas", "mehr", "plus", "più", "mais", "meer", "więcej", "ещё", "еще", "更多", "もっと", "더", "और", "أكثر",
])  # fmt: skip
"""A short message of these words alone names no subject: "how long?", "side effects?", "when to see a doctor?"."""

_WORDS = re.compile(r"[^\W\d_]+")
_LATIN_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]{2,}")
_ASKS = re.compile(
    r"(?:(?:so|and|but|also|please|my question is|i (?:would|'d) like to know|i (?:want|need) to know|i wonder)\W+)*"
    r"(?:what|how|why|when|which|who|where|is|are|can|could|should|do|does|did|will|would"
    r"|any (?:advice|idea|suggestion|help)|please (?:help|advise|tell|explain)|looking for|tell me)\b",
    re.IGNORECASE,
)
"""How a sentence of a story begins that asks, with a question mark or without."""

_SIDE = {False: "what is", True: "definition of"}
"""How one side of a comparison is searched: on an illness and on the law."""

EXACT = frozenset(["code", "profile"])
"""Kinds of references that a health question can make; "section 2" in one is no provision."""

_RECORDS = re.compile(
    r"\b(?:syn[-\s]?\d{3}|synthetic|(?:test|sample|example) (?:patients?|records?|data)|fhir|bundle"
    r"|(?:child|patients?|man|woman|boy|girl|baby) (?:with|who|on|taking|is)|which patients?)\b",
    re.IGNORECASE,
)
"""Words without which nobody asks for the synthetic patients among the documents on the law."""

_ROMANISED = ("hi", "ur", "bn", "ar", "ru")
"""Languages that people also write in Latin letters, where no classifier knows them."""


def rewrite(turn: Turn, user_turns: Sequence[str], lexicon: Lexicon, spelling: Spelling | None = None) -> Query:
    """The query of a turn. `user_turns` are the person's cleaned messages, the current one last.

    A fragment is searched behind the last message that was none, nor small talk: "What is metformin?", "and in
    pregnancy?", "side effects?" keeps metformin, and not more, so that a new topic is never drowned by old ones. A
    message that turns to another illness ("what about lupus?") keeps what was asked, and drops the old topic.
    """
    text, focus, kind = _standalone(user_turns, lexicon)
    text = text[-QUERY_LIMIT:]
    language = turn.language or identify_language(text)
    if language != "en" and turn.language is None and spelling is not None and _is_english(text, spelling):
        language = "en"
    law = turn.collection == LAW_COLLECTION
    topics = LAW if law else TOPICS
    read = _corrected(text, spelling) if spelling is not None and language == "en" else text
    language, matches = _read(read, language, topics, lexicon)
    rewritten, by = _rewritten(read, language, matches, topics)
    if read != text:
        rewritten, by = rewritten or read, (*by, "spelling")
    sides = sides_of(read, [read[match.start : match.end] for match in matches if match.term.kind in topics])
    found = [ref for ref in find_references(text) if law or ref.kind in EXACT]
    return Query(
        text=text,
        corrected=read if read != text else "",
        focus=focus,
        language=language,
        kind=kind,
        rewritten=rewritten[-QUERY_LIMIT:],
        rewritten_by=by,
        concepts=tuple(_names(read, match) for match in matches if match.term.kind in topics),
        references=tuple(readings(reference, text) for reference in found),
        compares=compares(text),
        sides=sides,
        side_queries=tuple(f"{_SIDE[law]} {side}" for side in sides),
        filters=Filters(without_types=() if not law or _RECORDS.search(text) else ("record",)),
    )


# --- standalone ---------------------------------------------------------------------------------------------------


def _standalone(user_turns: Sequence[str], lexicon: Lexicon) -> tuple[str, str, str]:
    """The question with its topic, the last message alone where that differs, and how the question came to be."""
    text = user_turns[-1]
    if len(user_turns) == 1:
        return text, "", "original"
    if _MORE.fullmatch(text):
        earlier = (_standalone(user_turns[:end], lexicon) for end in range(len(user_turns) - 1, 0, -1))
        before = next((found for found in earlier if _names_topic(found[0], lexicon)), None)
        return (f"{before[0]} {text}", before[1] or before[0], "with_previous") if before else (text, "", "original")
    if not _is_fragment(text, lexicon):
        told = _told_before(user_turns, lexicon)
        return (f"{told} {text}", text, "with_previous") if told else (text, "", "original")
    spoken_before = [m for m in user_turns[-2 : -2 - LOOK_BACK : -1] if match_card(m) is None]
    if _turns_to_another(text, lexicon):
        asked = next((kind for m in spoken_before for kind in question_kinds(m) if kind is not Kind.ANY), None)
        return (f"{asked.value}: {text}", "", "with_previous") if asked else (text, "", "original")
    spoken = [m for m in spoken_before if not _is_fragment(m, lexicon) or _turns_to_another(m, lexicon)]
    named = (m for m in spoken if _names_topic(m, lexicon))
    if topic := next(named, None) or next(iter(spoken), None) or (spoken_before[0] if spoken_before else ""):
        return f"{topic} {text}", text, "with_previous"
    return text, "", "original"


def _told_before(user_turns: Sequence[str], lexicon: Lexicon) -> str:
    """What the person said of themselves just before a question of what they may do: "I'm taking warfarin", "can I eat
    spinach?"; "" where nothing was."""
    before = user_turns[-2]
    tells = _OF_ME.match(before) and not before.rstrip().endswith("?") and len(before.split()) <= STORY_WORDS
    return (
        before.rstrip(" .!,") + "." if tells and _MAY_I.match(user_turns[-1]) and _names_topic(before, lexicon) else ""
    )


def _is_fragment(text: str, lexicon: Lexicon) -> bool:
    """Whether a short message says what is asked but not about what."""
    length = len(text.split())
    if _LEANS.search(text):
        return length <= FRAGMENT_WORDS or (length <= LEANING_WORDS and not _names_topic(text, lexicon))
    words = _WORDS.findall(text.casefold())
    return length <= FRAGMENT_WORDS and bool(words) and _WITHOUT_TOPIC.issuperset(words)


def _names_topic(text: str, lexicon: Lexicon) -> bool:
    """Whether a message names an illness, a complaint, a drug or a test."""
    return any(match.term.kind in TOPICS for match in lexicon.matches(text, ("en",)))


def _turns_to_another(text: str, lexicon: Lexicon) -> bool:
    """Whether a fragment is nothing but another illness: "what about lupus?", "and the flu?"."""
    opening = _OTHER_TOPIC.match(text)
    if opening is None:
        return False
    rest = text[opening.end() :].rstrip(" ?!.")
    found = lexicon.matches(rest, ("en",))
    return (
        len(found) == 1
        and found[0].term.kind in ("condition", "symptom")
        and (found[0].start, found[0].end) == (0, len(rest))
    )


# --- what it means in clinical English ----------------------------------------------------------------------------


def _read(text: str, language: str, topics: frozenset[str], lexicon: Lexicon) -> tuple[str, tuple[Match, ...]]:
    """The terms of a text, and its language: one in Latin letters that its own table alone explains is believed."""
    matches = lexicon.matches(text, (language, "en"))
    if text.isascii() and not any(match.term.kind in topics for match in matches):
        for other in _ROMANISED:
            found = lexicon.matches(text, (other,))
            if sum(match.end - match.start for match in found) * 2 >= len(text.replace(" ", "")) and any(
                match.term.kind in topics for match in found
            ):
                return other, found
    return language, matches


def _rewritten(
    text: str, language: str, matches: Sequence[Match], topics: frozenset[str]
) -> tuple[str, tuple[str, ...]]:
    topical = [match for match in matches if match.term.kind in topics]
    if language != "en":
        return (_translated(text, matches), ("translated",)) if topical else ("", ())
    if len(text.split()) > STORY_WORDS:
        return (condensed, ("condensed",)) if (condensed := _condensed(text, matches)) else ("", ())
    rewritten = text
    for match in reversed(topical):
        if added := _added(text, match):
            rewritten = f"{rewritten[: match.end]} ({', '.join(added)}){rewritten[match.end :]}"
    return (rewritten, ("lexicon",)) if rewritten != text else ("", ())


def _added(text: str, match: Match) -> list[str]:
    """The names of a term that the text does not have."""
    folded = fold(text)
    return [name for name in match.term.names if fold(name) not in folded][:NAMES_ADDED]


def _names(text: str, match: Match) -> tuple[str, ...]:
    """All names of what a match stands for, the person's own words first."""
    return tuple(dict.fromkeys((text[match.start : match.end], *match.term.names)))


def _translated(text: str, matches: Sequence[Match]) -> str:
    """The English names of all that was understood, in the question's order, with names in Latin letters kept."""
    parts: list[tuple[int, str]] = [(match.start, " ".join(match.term.names[:2])) for match in matches]
    if not text.isascii() and not any(c.isascii() and c.isalpha() for c in text.split()[0]):
        parts += [
            (name.start(), name[0])
            for name in _LATIN_NAME.finditer(text)
            if not any(match.start <= name.start() < match.end for match in matches)
        ]
    return " ".join(dict.fromkeys(part for _, part in sorted(parts)))


def _condensed(text: str, matches: Sequence[Match]) -> str:
    """Of a story the sentences that say most of a body and its illness, and the ones that ask, in their order."""
    spans = sentence_spans(text)
    said = {
        span: sum(span[0] <= match.start < span[1] for match in matches if match.term.kind in TOLD)
        / (1 + (span[1] - span[0]) / _CHARACTERS)
        for span in spans
    }
    asks = [span for span in spans if text[: span[1]].endswith("?") or _ASKS.match(text[slice(*span)])]
    telling = sorted((span for span in spans if said[span]), key=lambda span: -said[span])[:STORY_SENTENCES]
    return " ".join(text[slice(*span)] for span in sorted({*telling, *asks[-STORY_QUESTIONS:]}))


def _is_english(text: str, spelling: Spelling) -> bool:
    """Whether every word of an ASCII text is English: short questions of names and nouns fool the classifier."""
    return text.isascii() and all(len(word) < SHORT or spelling.knows(word) for word in _WORDS.findall(text))


def _corrected(text: str, spelling: Spelling) -> str:
    return _WORDS.sub(lambda word: spelling.correct(word[0]) or word[0], text)
