"""From a conversation to what is searched: a cleaned, standalone, capped query and its language."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.cards import match_card
from rag.language import identify_language
from rag.types import Query, Turn

__all__ = ["rewrite"]

QUERY_LIMIT = 2_000
"""Characters of a question that are searched: about the embedder's window of 512 tokens; the end is kept, because
long stories ask at the end."""

FRAGMENT_WORDS = 6
"""A question of at most this many words that leans on the one before is searched together with it."""

LOOK_BACK = 4
"""How many of the person's earlier messages are looked through for the topic that a fragment leans on."""

_LEANS = re.compile(
    r"^\W*(and|or|but|also|what about|how about|what if|if|for|with|during|in (children|babies|pregnancy|adults)|"
    r"y|e|et|und|oder|o|ou|en|em|in|bei|pour|para|qué tal|que tal)(?=[\s,])"
    r"|\b(it|its|he|him|his|she|her|hers|they|them|their|that|this|these|those)\b",
    re.IGNORECASE,
)
"""Words that point back: at the start one that continues, in a few languages, or an English pronoun anywhere."""

_WITHOUT_TOPIC = frozenset([
    "a", "about", "again", "alcohol", "also", "an", "and", "antibiotics", "any", "are", "at", "attack",
    "attacks", "bad", "be", "been", "best", "can", "cause", "caused", "causes", "common", "complications",
    "contagious", "cure", "cured", "dangerous", "diagnose", "diagnosed", "diagnosis", "do", "doctor", "doctors",
    "does", "dosage", "dose", "drink", "drug", "drugs", "eat", "effects", "emergency", "exactly", "exercise",
    "far", "fast", "food", "foods", "for", "get", "go", "gp", "happen", "happens", "has", "have", "help",
    "helps", "hospital", "how", "i", "in", "is", "last", "lasts", "long", "many", "me", "medication",
    "medications", "medicine", "medicines", "more", "much", "must", "my", "need", "no", "normal", "of", "often",
    "ok", "on", "or", "outlook", "please", "prevent", "prevented", "prevention", "prognosis", "recover",
    "recovery", "risk", "risks", "safe", "see", "serious", "should", "side", "signs", "soon", "spread", "stop",
    "symptoms", "tablets", "take", "tell", "test", "tested", "tests", "the", "there", "to", "treat", "treated",
    "treatment", "treatments", "trigger", "triggers", "use", "used", "usually", "warning", "what", "when",
    "where", "which", "who", "why", "will", "work", "worry", "would", "yes", "you",
])  # fmt: skip
"""A short message of these words alone names no subject: "how long?", "side effects?", "when to see a doctor?"."""

_WORDS = re.compile(r"[^\W\d_]+")


def rewrite(turn: Turn, user_turns: Sequence[str]) -> Query:
    """The query of a turn. `user_turns` are the person's cleaned messages, the current one last.

    A fragment is searched behind the last message that was none, nor small talk: "What is metformin?", "and in
    pregnancy?", "side effects?" keeps metformin, and not more, so that a new topic is never drowned by old ones.
    """
    text, focus, kind = user_turns[-1], "", "original"
    if len(user_turns) > 1 and _is_fragment(text):
        earlier = user_turns[-2 : -2 - LOOK_BACK : -1]
        meant = [message for message in earlier if match_card(message) is None]
        if topic := next((message for message in meant if not _is_fragment(message)), meant[0] if meant else ""):
            focus, text, kind = text, f"{topic} {text}", "with_previous"
    text = text[-QUERY_LIMIT:]
    return Query(text=text, focus=focus, language=turn.language or identify_language(text), kind=kind)


def _is_fragment(text: str) -> bool:
    """Whether a short message says what is asked but not about what."""
    if len(text.split()) > FRAGMENT_WORDS:
        return False
    if _LEANS.search(text):
        return True
    words = _WORDS.findall(text.casefold())
    return bool(words) and _WITHOUT_TOPIC.issuperset(words)
