"""Knows messages that ask for no health information, and get a fixed short reply: a greeting, thanks, who are you.

A card is given only when the *whole* message is one of these; a single further word ("hi, my chest hurts") makes it
a question like any other.
"""

from __future__ import annotations

import re
import unicodedata

from rag.text import fold

__all__ = ["match_card"]

_GREETING_WORDS = (
    r"(hi+|hey+|hello+|hiya|howdy|greetings|yo|good (morning|afternoon|evening|day)|"
    r"hola|buenos dias|buenas (tardes|noches)|bonjour|bonsoir|salut|hallo|guten (tag|morgen|abend)|ciao|salve|"
    r"buongiorno|buonasera|ola|bom dia|boa (tarde|noite)|hoi|goedemorgen|goedendag|czesc|dzien dobry|merhaba|selam|"
    r"privet|zdravstvuite|привет|здравствуйте|добрый день|salaam|salam|assalamu alaikum|السلام عليكم|مرحبا|سلام|"
    r"नमस्ते|namaste|"
    r"হ্যালো|নমস্কার|jambo|habari|xin chao|chao|สวัสดี(ครับ|ค่ะ|คะ)?|你好|您好|こんにちは|안녕하세요|안녕)"
)
_CARDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(fold(pattern)))  # folded as the message will be: "й" has lost its breve
    for kind, pattern in (
        (
            "greeting",
            rf"{_GREETING_WORDS}( (there|all|everyone|galen|doctor|doc|again))?( {_GREETING_WORDS})?",
        ),
        (
            "thanks",
            r"((ok(ay)?|great|perfect) )?(many thanks|thanks?( you)?( (so|very) much)?( a lot)?|thx|ty|cheers|gracias|"
            r"muchas gracias|merci( beaucoup)?|danke( schon)?|vielen dank|grazie( mille)?|obrigad[oa]|dank je|bedankt|"
            r"dziekuje( bardzo)?|tesekkurler|tesekkur ederim|спасибо( большое)?|shukran|شكرا|شکریہ|"
            r"शुक्रिया|धन्यवाद|ধন্যবাদ|asante( sana)?|cam on( ban)?|ขอบคุณ(ครับ|ค่ะ|คะ)?|谢谢(你|您)?|多谢|"
            r"ありがとう(ございます)?|감사합니다|고마워요?)"
            r"( (galen|doctor|doc)| for your help| for the help)?",
        ),
        (
            "identity",
            r"(so )?(who|what) (are|r) (you|u)|(what is|whats) your name|are you (a |an )?(real )?"
            r"(doctor|human|person|bot|robot|ai|machine|nurse)|(tell me )?about yourself|introduce yourself|"
            r"quien eres|qui es tu|qui etes vous|wer bist du|wer sind sie|chi sei|quem e voce|wie ben (jij|je)|"
            r"kim jestes|sen kimsin|кто ты|кто вы|من انت|तुम कौन हो|आप कौन हैं|wewe ni nani|你是谁|あなたは誰ですか|"
            r"누구세요",
        ),
        (
            "abilities",
            r"what (can|could|do) (you|u) do( for me)?|how (can|could|do) (you|u) (help|work)( me)?|"
            r"what (can|should) i ask( you)?|(can|could) (you|u) help me|help( me)?( please)?|how does this work|"
            r"que puedes hacer|que peux tu faire|que pouvez vous faire|was kannst du( tun)?|was konnen sie( tun)?|"
            r"cosa puoi fare|o que voce pode fazer|wat kun (jij|je)( doen)?|co potrafisz|ne yapabilirsin|"
            r"что ты умеешь|你能做什么|何ができますか|무엇을 할 수 있나요",
        ),
        (
            "goodbye",
            r"(good ?)?bye+( bye)?|see (you|ya)( later)?|good night|adios|au revoir|tschuss|arrivederci",
        ),
    )
)
_FRIENDLY = frozenset("❤🙏😊🙂😀👋👍\ufe0f🏻🏼🏽🏾🏿")
"""Signs that say nothing but hello. Others stay: 🆘 is a word."""


def match_card(message: str) -> str | None:
    """The kind of card for a message that is nothing but small talk, else None. Its text is `card_<kind>`."""
    plain = _plain(message)
    return next((kind for kind, pattern in _CARDS if pattern.fullmatch(plain)), None)


def _plain(message: str) -> str:
    """Lower case, without accents; punctuation and white space are one blank. Indic and Thai marks spell and stay."""
    text = fold(message).replace("'", "").replace("’", "")
    return " ".join("".join(" " if _is_blank(c) else c for c in text).split())


def _is_blank(character: str) -> bool:
    return unicodedata.category(character)[0] in "PZC" or character in _FRIENDLY
