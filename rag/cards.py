"""Fixed short replies to messages that ask for no health information: a greeting, thanks, who are you, what can you do.

A card is given only when the *whole* message is one of these; a single further word ("hi, my chest hurts") makes it
a question like any other.
"""

from __future__ import annotations

import re
import unicodedata

from rag.types import Card

__all__ = ["match_card"]

_GREETING = (
    "Hello. I answer health questions from a collection of trusted sources and show the passage behind every sentence. "
    "What would you like to know? If this is an emergency, call your local emergency number now."
)
_THANKS = "You are welcome. Ask whenever you have another question."
_IDENTITY = (
    "I am Galen, a program that answers health questions from a versioned collection of trusted sources. I am not a "
    "doctor, and I do not diagnose or prescribe."
)
_ABILITIES = (
    "Ask me about symptoms, causes, treatments, prevention, or when to get help. I search a collection of trusted "
    "sources, quote only what they say, number every source so that you can open its passage, and give you a receipt "
    "of how the answer was made. When the sources are not enough, I say so. I do not diagnose, prescribe or replace "
    "a clinician."
)
_GOODBYE = "Goodbye, and take care."

_GREETING_WORDS = (
    r"(hi+|hey+|hello+|hiya|howdy|greetings|yo|good (morning|afternoon|evening|day)|"
    r"hola|buenos dias|buenas (tardes|noches)|bonjour|bonsoir|salut|hallo|guten (tag|morgen|abend)|ciao|salve|"
    r"buongiorno|buonasera|ola|bom dia|boa (tarde|noite)|hoi|goedemorgen|goedendag|czesc|dzien dobry|merhaba|selam|"
    r"privet|zdravstvuite|привет|здравствуйте|salaam|salam|assalamu alaikum|السلام عليكم|مرحبا|سلام|नमस्ते|namaste|"
    r"হ্যালো|নমস্কার|jambo|habari|xin chao|chao|สวัสดี|你好|您好|こんにちは|안녕하세요|안녕)"
)
_CARDS: tuple[tuple[str, str, re.Pattern[str]], ...] = tuple(
    (kind, text, re.compile(pattern))
    for kind, text, pattern in (
        (
            "greeting",
            _GREETING,
            rf"{_GREETING_WORDS}( (there|all|everyone|galen|doctor|doc|again))?( {_GREETING_WORDS})?",
        ),
        (
            "thanks",
            _THANKS,
            r"((ok(ay)?|great|perfect) )?(many thanks|thanks?( you)?( (so|very) much)?( a lot)?|thx|ty|cheers|gracias|"
            r"muchas gracias|merci( beaucoup)?|danke( schon)?|vielen dank|grazie( mille)?|obrigad[oa]|dank je|bedankt|"
            r"dziekuje|tesekkurler|спасибо|shukran|شكرا|धन्यवाद|asante|cam on|ขอบคุณ|谢谢|ありがとう(ございます)?|감사합니다)"
            r"( galen| for your help| for the help)?",
        ),
        (
            "identity",
            _IDENTITY,
            r"(so )?(who|what) (are|r) (you|u)|(what is|whats) your name|are you (a |an )?(real )?"
            r"(doctor|human|person|bot|robot|ai|machine|nurse)|(tell me )?about yourself|introduce yourself",
        ),
        (
            "abilities",
            _ABILITIES,
            r"what (can|could|do) (you|u) do( for me)?|how (can|could|do) (you|u) (help|work)( me)?|"
            r"what (can|should) i ask( you)?|(can|could) (you|u) help me|help( me)?( please)?|how does this work",
        ),
        (
            "goodbye",
            _GOODBYE,
            r"(good)?bye+( bye)?|see (you|ya)( later)?|good night|adios|au revoir|tschuss|arrivederci",
        ),
    )
)
_EDGES = re.compile(r"[\s!?.,;:'’\"()¡¿…❤🙏😊👋]+")


def match_card(message: str) -> Card | None:
    """The card for a message that is nothing but small talk, else None."""
    decomposed = unicodedata.normalize("NFKD", message.casefold().replace("'", "").replace("’", ""))
    plain = _EDGES.sub(" ", "".join(c for c in decomposed if not unicodedata.combining(c) or ord(c) > 0x36F)).strip()
    plain = unicodedata.normalize("NFC", plain)
    for kind, text, pattern in _CARDS:
        if pattern.fullmatch(plain):
            return Card(kind=kind, text=text)
    return None
