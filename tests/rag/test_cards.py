from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.cards import match_card
from rag.language import OURS
from rag.text import fold
from safety.assess import Assessor

SMALL_TALK = {
    "greeting": [
        "hi", "Hello!", "HEY", "hey there", "Good morning", "hello hello", "hi 👋🏽", "  hi  ", "Hi...",
        "¡Hola!", "Buenos días", "Bonjour !", "Olá", "Bom dia", "Ciao", "Buongiorno", "Hallo", "Guten Tag",
        "Cześć", "Dzień dobry", "Merhaba", "Привет", "Здравствуйте!", "السلام عليكم", "مرحبا", "سلام", "नमस्ते", "নমস্কার",
        "Jambo", "Xin chào", "สวัสดีครับ", "你好！", "こんにちは。", "안녕하세요", "Goedemorgen",
    ],
    "thanks": [
        "thanks", "Thank you so much!", "ok thanks", "thx", "Many thanks.", "thank you for your help", "Thanks 🙏",
        "Muchas gracias", "Merci beaucoup", "Danke schön", "Vielen Dank", "Grazie mille", "Obrigada", "Dziękuję",
        "Teşekkürler", "Спасибо", "شكراً", "شکریہ", "धन्यवाद", "ধন্যবাদ", "Asante sana", "Cảm ơn", "ขอบคุณค่ะ", "谢谢",
        "ありがとうございます", "감사합니다", "Bedankt",
    ],
    "identity": [
        "Who are you?", "who r u", "What are you?", "What's your name?", "are you a doctor?", "Are you a real person?",
        "¿Quién eres?", "Qui es-tu ?", "Wer bist du?", "Chi sei?", "Quem é você?", "Кто ты?", "你是谁？", "आप कौन हैं?",
    ],
    "abilities": [
        "What can you do?", "what do you do", "How can you help me?", "how do you work", "What can I ask you?",
        "can you help me", "¿Qué puedes hacer?", "Was kannst du?", "Que peux-tu faire ?",
        "Что ты умеешь?", "你能做什么？",
    ],
    "goodbye": ["bye", "Goodbye!", "good-bye", "see you later", "Adiós", "Tschüss"],
}  # fmt: skip

QUESTIONS = [
    "Hi, I drank bleach",
    "Hello my chest hurts and my arm is numb",
    "hey, can I take ibuprofen with warfarin?",
    "thanks, and what about aspirin",
    "thanks but it still hurts",
    "thank you, is it contagious?",
    "no",
    "yes",
    "No.",
    "ok",
    "hi hi my head",
    "hello doctor my baby has a fever",
    "good morning sickness",
    "hola, me duele el pecho",
    "Bonjour, j'ai mal",
    "你好，我胸口疼",
    "こんにちは、頭が痛い",
    "नमस्ते, सीने में दर्द है",
    "مرحبا عندي ألم في الصدر",
    "hi 🆘",
    "who are you to say that my pain is nothing",
    "what can you do for a burn",
    "can you help me, I took too many pills",
    "help me breathe",
    "are you a doctor? my chest hurts",
    "bye bye cruel world",
    "goodbye everyone, I am done",
    "ty for nothing I want to die",
    "hit",
    "hives",
    "",
    "   ",
    "!!!",
    "123",
]


@pytest.mark.parametrize(("kind", "message"), [(kind, m) for kind, messages in SMALL_TALK.items() for m in messages])
def test_a_message_that_is_nothing_but_small_talk_gets_its_card(kind: str, message: str) -> None:
    assert _kind(message) == kind


def _kind(message: str) -> str | None:
    card = match_card(message)
    return card.kind if card else None


@pytest.mark.parametrize("language", sorted(OURS))
def test_a_greeting_and_thanks_are_answered_in_their_language(language: str) -> None:
    """Each of the twenty languages has both; a single word is too short for the classifier."""
    for kind in ("greeting", "thanks"):
        languages = {card.language for m in SMALL_TALK[kind] if (card := match_card(m))}
        assert language in languages, kind


@pytest.mark.parametrize(
    ("message", "language"),
    [("Hola", "es"), ("Hallo", "de"), ("Ciao!", "it"), ("Olá", "pt"), ("Merhaba", "tr"), ("Jambo", "sw"), ("Hi", "en"),
     ("سلام", "ur"), ("Danke schön", "de"), ("Quem é você?", "pt"), ("Salaam", None)],
)  # fmt: skip
def test_small_talk_tells_its_language(message: str, language: str | None) -> None:
    card = match_card(message)
    assert card is not None
    assert card.language == language


@pytest.mark.parametrize("message", QUESTIONS)
def test_one_more_word_makes_it_a_question(message: str) -> None:
    assert match_card(message) is None


@pytest.mark.parametrize("kind", ["greeting", "abilities"])
def test_cards_that_may_meet_a_person_in_need_name_the_emergency_number(kind: str) -> None:
    assert "emergency number" in Assessor.load().text(f"card_{kind}")


ADDRESSED = {
    "greeting": ["there", "all", "everyone", "galen", "doctor", "doc", "again"],
    "thanks": ["galen", "doctor", "doc", "you"],
}
"""The single words that may follow and still ask for nothing."""

TEXTS = [*QUESTIONS, *(message for messages in SMALL_TALK.values() for message in messages)]
REAL_WORDS = sorted({word for text in TEXTS for word in text.split() if word.isalnum()})


@pytest.mark.parametrize(("kind", "word"), [(kind, word) for kind, words in ADDRESSED.items() for word in words])
def test_small_talk_may_say_whom_it_is_for(kind: str, word: str) -> None:
    assert _kind(f"{SMALL_TALK[kind][0]} {word}") == kind
    assert _kind(f"{SMALL_TALK[kind][0]}, {word.upper()}!") == kind


@pytest.mark.parametrize("kind", SMALL_TALK)
@given(word=st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=30) | st.sampled_from(REAL_WORDS))
def test_no_word_behind_small_talk_is_swallowed(kind: str, word: str) -> None:
    known = match_card(f"{SMALL_TALK[kind][0]} {word}")
    assert known is None or match_card(word) is not None or fold(word) in ADDRESSED.get(kind, ())


@given(st.text(max_size=200))
def test_no_text_breaks_it(message: str) -> None:
    match_card(message)
