"""Knows messages that ask for no health information, and get a fixed short reply: a greeting, thanks, who are you.

A card is given only when the *whole* message is one of these; a single further word ("hi, my chest hurts") makes it
a question like any other.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from rag.text import fold

__all__ = ["Card", "match_card"]


class Card(NamedTuple):
    """Its text is `card_<kind>`. `language` is that of the words; None where they are used in several."""

    kind: str
    language: str | None


_GREETINGS = {
    "en": "hi+|hey+|hello+|hiya|howdy|greetings|yo|good (morning|afternoon|evening|day)",
    "es": "hola|buenos dias|buenas (tardes|noches)",
    "fr": "bonjour|bonsoir|salut",
    "de": "hallo|guten (tag|morgen|abend)",
    "it": "ciao|salve|buongiorno|buonasera",
    "pt": "ola|bom dia|boa (tarde|noite)",
    "nl": "hoi|goedemorgen|goedendag",
    "pl": "czesc|dzien dobry",
    "tr": "merhaba|selam",
    "ru": "привет|здравствуйте|добрый день|privet|zdravstvuite",
    "ar": "السلام عليكم|مرحبا|assalamu alaikum",
    "ur": "سلام",
    "hi": "नमस्ते|namaste",
    "bn": "হ্যালো|নমস্কার",
    "sw": "jambo|habari",
    "vi": "xin chao|chao",
    "th": "สวัสดี(ครับ|ค่ะ|คะ)?",
    "zh": "你好|您好",
    "ja": "こんにちは",
    "ko": "안녕하세요|안녕",
    "": "salaam|salam",
}
_ANY_GREETING = "|".join(_GREETINGS.values())

_PHRASES: dict[str, dict[str, str]] = {
    "greeting": {
        language: rf"({words})( (there|all|everyone|galen|doctor|doc|again))?( ({_ANY_GREETING}))?"
        for language, words in _GREETINGS.items()
    },
    "thanks": {
        "en": r"((ok(ay)?|great|perfect) )?(many thanks|thanks?( you)?( (so|very) much)?( a lot)?|thx|ty|cheers)"
        r"( for your help| for the help)?",
        "es": "(muchas )?gracias",
        "fr": "merci( beaucoup)?",
        "de": "danke( schon)?|vielen dank",
        "it": "grazie( mille)?",
        "pt": "obrigad[oa]",
        "nl": "dank je|bedankt",
        "pl": "dziekuje( bardzo)?",
        "tr": "tesekkurler|tesekkur ederim",
        "ru": "спасибо( большое)?",
        "ar": "شكرا|shukran",
        "ur": "شکریہ",
        "hi": "शुक्रिया|धन्यवाद",
        "bn": "ধন্যবাদ",
        "sw": "asante( sana)?",
        "vi": "cam on( ban)?",
        "th": "ขอบคุณ(ครับ|ค่ะ|คะ)?",
        "zh": "谢谢(你|您)?|多谢",
        "ja": "ありがとう(ございます)?",
        "ko": "감사합니다|고마워요?",
    },
    "identity": {
        "en": r"(so )?(who|what) (are|r) (you|u)|(what is|whats) your name|are you (a |an )?(real )?"
        r"(doctor|human|person|bot|robot|ai|machine|nurse)|(tell me )?about yourself|introduce yourself",
        "es": "quien eres",
        "fr": "qui es tu|qui etes vous",
        "de": "wer bist du|wer sind sie",
        "it": "chi sei",
        "pt": "quem e voce",
        "nl": "wie ben (jij|je)",
        "pl": "kim jestes",
        "tr": "sen kimsin",
        "ru": "кто ты|кто вы",
        "ar": "من انت",
        "hi": "तुम कौन हो|आप कौन हैं",
        "sw": "wewe ni nani",
        "zh": "你是谁",
        "ja": "あなたは誰ですか",
        "ko": "누구세요",
    },
    "abilities": {
        "en": r"what (can|could|do) (you|u) do( for me)?|how (can|could|do) (you|u) (help|work)( me)?|"
        r"what (can|should) i ask( you)?|(can|could) (you|u) help me|help( me)?( please)?|how does this work",
        "es": "que puedes hacer",
        "fr": "que peux tu faire|que pouvez vous faire",
        "de": "was kannst du( tun)?|was konnen sie( tun)?",
        "it": "cosa puoi fare",
        "pt": "o que voce pode fazer",
        "nl": "wat kun (jij|je)( doen)?",
        "pl": "co potrafisz",
        "tr": "ne yapabilirsin",
        "ru": "что ты умеешь",
        "zh": "你能做什么",
        "ja": "何ができますか",
        "ko": "무엇을 할 수 있나요",
    },
    "goodbye": {
        "en": r"(good ?)?bye+( bye)?|see (you|ya)( later)?|good night",
        "es": "adios",
        "fr": "au revoir",
        "de": "tschuss",
        "it": "arrivederci",
    },
}
_ADDRESSED = {"thanks": "( (galen|doctor|doc))?"}
_CARDS = tuple(
    (Card(kind, language or None), re.compile(fold(f"({words}){_ADDRESSED.get(kind, '')}")))
    for kind, phrases in _PHRASES.items()
    for language, words in phrases.items()
)
"""Folded as the message will be: "й" has lost its breve."""

_FRIENDLY = frozenset("❤🙏😊🙂😀👋👍\ufe0f🏻🏼🏽🏾🏿")
"""Signs that say nothing but hello. Others stay: 🆘 is a word."""


def match_card(message: str) -> Card | None:
    """The card for a message that is nothing but small talk, else None."""
    plain = _plain(message)
    return next((card for card, pattern in _CARDS if pattern.fullmatch(plain)), None)


def _plain(message: str) -> str:
    """Lower case, without accents; punctuation and white space are one blank. Indic and Thai marks spell and stay."""
    text = fold(message).replace("'", "").replace("’", "")
    return " ".join("".join(" " if _is_blank(c) else c for c in text).split())


def _is_blank(character: str) -> bool:
    return unicodedata.category(character)[0] in "PZC" or character in _FRIENDLY
