"""What an earlier turn leaves behind: an emergency does not end because the next message is "ok".

The rule, from the safe side:
1. Suicide and self-harm stay for the rest of the conversation. "ok" or "just kidding" do not clear them: they keep R5,
   with the calm words and the crisis line instead of the whole banner. A phrase that says help has arrived (`resolved`
   in the table: "I am safe now, my sister is with me"), or a plain change of subject, lowers them to R3; the crisis
   line stays.
2. Every other R4/R5 stays until such a phrase, or until the person plainly changes the subject: asks something of
   at least `_QUESTION_WORDS` words that refers to nothing said before ("it", "he", "still", "the pain") and, in the
   first message after the alarm, does not speak of themselves at all. Then it ends, and does not come back.
3. "Just kidding" ends nothing by itself. After it a question counts as another subject more easily ("what are flu
   symptoms?"), as long as it is not about the person and takes up no word of the alarm.
4. A question about the emergency itself ("what are the signs of a heart attack?" after chest pain) is no other subject.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from safety.board import Finds, Match, Text
from safety.normalize import Words, pieces
from safety.patterns import Pattern
from safety.rules import Conversation
from safety.types import FiredRule, RiskClass

__all__ = ["AFTER_CRISIS", "BESIDE_CRISIS", "Talk", "carried", "read_talk"]

# The notice of a crisis that help has reached.
AFTER_CRISIS = "crisis_after"
# The notice beside the answer to a question on another subject.
BESIDE_CRISIS = "distress"
_LASTING = "suicide"
# A change of subject is a sentence, not "what now?" or "should I wait?". After "just kidding" the name of an illness
# with "symptoms" is enough, and a long question may hold one small word that could refer back ("is it ok to eat eggs
# every day?"). Set by judgement, not measured.
_QUESTION_WORDS, _NAMING_WORDS, _LONG_NAMING_WORDS, _LONG_WORDS = 5, 2, 6, 8

# How people take back what they said. The words of all languages stand together: "jk" is written in all of them.
_TAKEN_BACK = (
    "jk", "just kidding", "only kidding", "was kidding", "am kidding", "just joking", "only joking", "was joking",
    "am joking", "was a joke", "just a joke", "only a joke", "made it up", "made that up", "did not mean it",
    "era broma", "es broma", "era una broma", "es una broma", "solo bromeaba", "estaba bromeando", "estoy bromeando",
    "je rigole", "je rigolais", "je plaisante", "je plaisantais", "était une blague", "juste une blague", "pour rire",
    "era brincadeira", "foi brincadeira", "é brincadeira", "estava brincando", "estou brincando", "tô brincando",
    "só brincando", "scherzavo", "sto scherzando", "stavo scherzando", "era uno scherzo", "è uno scherzo",
    "nur Spaß", "nur ein Spaß", "war ein Scherz", "nur ein Scherz", "nur Scherz", "war ein Witz", "nur gescherzt",
    "grapje", "geintje", "was een grap", "maar een grap", "żartowałem", "żartowałam", "żartuję", "to był żart",
    "tylko żart", "шучу", "пошутил", "пошутила", "шутка", "я шутил", "я шутила", "şaka yaptım", "şaka yapıyordum",
    "şakaydı", "sadece şaka", "كنت أمزح", "أمزح", "بمزح", "بهزر", "كنت بهزر", "كانت مزحة", "मज़ाक कर रहा",
    "मज़ाक कर रही", "मज़ाक था", "mazak kar raha", "mazak kar rahi", "mazak tha", "majak kar raha", "مذاق کر رہا",
    "مذاق کر رہی", "مذاق تھا", "মজা করছিলাম", "ঠাট্টা করছিলাম", "মজা করেছি", "开玩笑的", "開玩笑的", "开个玩笑", "開個玩笑",
    "开玩笑而已", "開玩笑而已", "只是开玩笑", "只是開玩笑", "逗你的", "逗你玩", "冗談です", "冗談でした", "冗談だよ",
    "冗談だった", "농담이에요", "농담이야", "농담이었", "농담입니다", "장난이었", "장난이에요", "장난이야", "ล้อเล่น",
    "พูดเล่น", "đùa thôi", "nói đùa", "đùa đấy", "natania", "nilitania", "utani tu", "ilikuwa utani",
)  # fmt: skip
# "I am not joking" takes nothing back: a word shortly before, or letters just before where words are not set apart.
_NOT = frozenset({
    "not", "no", "never", "nicht", "kein", "keine", "ne", "pas", "non", "nao", "nie", "не", "geen", "niet", "لا", "مش",
    "ليس", "ما", "مو", "नहीं", "نہیں", "না", "khong",
})  # fmt: skip
_NOT_SOLID = ("不是", "不在", "没", "沒", "ไม่ได้", "ไม่")
# A word for symptoms refers back ("what are the symptoms?") unless the question names whose they are.
_SYMPTOMS = (
    "symptom", "sign", "sintom", "síntoma", "symptôm", "objaw", "симптом", "признак", "belirti", "أعراض", "الأعراض",
    "लक्षण", "lakshan", "علامات", "علامت", "লক্ষণ", "উপসর্গ", "症状", "症狀", "증상", "อาการ", "triệu chứng", "dalili",
)  # fmt: skip
_COPULAS = (("ما", "هي"), ("ما", "هو"))


@dataclass(frozen=True, slots=True)
class Talk:
    """What one turn says about the turns before it.

    `refers` are its words that may refer back, those for symptoms apart in `names_symptoms`; `words` are all its words,
    `length` is how many they are without the words of `takes_back`.
    """

    resolves: bool
    changes_subject: bool
    speaks_of_self: bool
    takes_back: bool = False
    asks: bool = False
    names_symptoms: bool = False
    refers: frozenset[str] = frozenset()
    words: str = ""
    length: int = 0


def read_talk(turn: int, text: Text, phrases: Conversation, found: Finds) -> Talk:
    """How a turn relates to the conversation, from the phrases found in it."""
    words = text.words
    positions = [i for i, t in enumerate(words.turns) if t == turn]
    joke = {i for match in _taken_back(words, positions) for i in range(match.start, match.end)}

    def said(patterns: tuple[Pattern, ...]) -> list[Match]:
        matches = (m for p in patterns for m in found.of(p) if words.turns[m.start] == turn)
        return [m for m in matches if not joke.issuperset(range(m.start, m.end))]

    back = {" ".join(words.texts[m.start : m.end]) for m in said(phrases.back) if not _is_copula(words, m)}
    asks = bool(said(phrases.asks)) or any(words.sentences[i] in words.asks for i in positions)
    symptoms = {each for each in back if each.startswith(_SYMPTOM_STEMS)}
    all_words = f" {' '.join(words.texts[i] for i in positions)} "
    return Talk(
        resolves=bool(said(phrases.resolved)),
        changes_subject=asks and len(positions) - len(joke) >= _QUESTION_WORDS and not back,
        speaks_of_self=bool(said(phrases.personal)),
        takes_back=bool(joke),
        asks=asks,
        names_symptoms=any(f" {stem}" in all_words for stem in _SYMPTOM_STEMS),
        refers=frozenset(back - symptoms),
        words=all_words,
        length=len(positions) - len(joke),
    )


def carried(fired: Sequence[Sequence[FiredRule]], talk: Sequence[Talk]) -> tuple[FiredRule, ...]:
    """The rules that earlier turns leave standing in the last one. Both arguments hold one item per turn."""
    held: dict[str, FiredRule] = {}
    alarm = ""  # the words of the turns that raised what is held
    since = 0
    taken_back = False
    for turn, (rules, said) in enumerate(zip(fired, talk, strict=True)):
        last = turn == len(talk) - 1
        alarms = [rule for rule in rules if rule.risk_class >= RiskClass.R4]
        if not alarms:
            taken_back = taken_back or said.takes_back
            related = bool({rule.family for rule in rules} & {rule.family for rule in held.values()})
            leaves = not related and (
                (said.changes_subject and not (since == 0 and said.speaks_of_self))
                or (taken_back and _asks_aside(said, alarm))
            )
            held = _after(held, said, leaves=leaves)
        since += 1
        if alarms and not last:
            # An alarm whose words stand partly in the turn before is heard again in this one, "just kidding" or not.
            taken_back = (taken_back or said.takes_back) and all(rule.id in held for rule in alarms)
            held |= {rule.id: replace(rule, calm=rule.calm or rule.family == _LASTING) for rule in alarms}
            alarm += said.words
            since = 0
    return tuple(held.values())


def _asks_aside(said: Talk, alarm: str) -> bool:
    """Whether a turn asks about something else than what the person has taken back. `alarm`: the words of that."""
    if not said.asks or said.speaks_of_self or any(f" {word} " in alarm for word in said.refers):
        return False
    if said.names_symptoms:
        least = _LONG_NAMING_WORDS if said.refers else _NAMING_WORDS
    else:
        least = _LONG_WORDS if said.refers else _QUESTION_WORDS
    return said.length >= least and len(said.refers) <= 1


def _after(held: Mapping[str, FiredRule], said: Talk, *, leaves: bool) -> dict[str, FiredRule]:
    """What stands of `held` after a turn without an alarm of its own. `leaves`: for another subject."""
    if said.resolves or leaves:
        notice = AFTER_CRISIS if said.resolves else BESIDE_CRISIS
        return {
            id_: replace(rule, risk_class=RiskClass.R3, notice=notice)
            for id_, rule in held.items()
            if rule.family == _LASTING
        }
    return dict(held)


def _taken_back(words: Words, positions: Sequence[int]) -> Iterator[Match]:
    """Where a turn takes something back; "I am not joking" does not."""
    for at in positions:
        for phrase in _PHRASES.get(words.texts[at], ()):
            end = at + len(phrase)
            if tuple(words.texts[at:end]) != phrase or end > positions[-1] + 1:
                continue
            before = words.texts[max(positions[0], at - 6) : at]
            if _NOT.isdisjoint(before[-2:]) and not "".join(before).endswith(_NOT_SOLID):
                yield Match(at, end)


def _bare(text: str) -> tuple[str, ...]:
    return tuple(word for kind, word, _ in pieces(text) if kind in ("word", "solid"))


def _by_first_word(phrases: Sequence[str]) -> dict[str, list[tuple[str, ...]]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in map(_bare, phrases):
        found.setdefault(phrase[0], []).append(phrase)
    return found


def _is_copula(words: Words, match: Match) -> bool:
    """Arabic "what are" is "what they": the pronoun there refers to nothing."""
    return match.start > 0 and (words.texts[match.start - 1], words.texts[match.start]) in _COPULAS


_PHRASES = _by_first_word(_TAKEN_BACK)
_SYMPTOM_STEMS = tuple(" ".join(_bare(stem)) for stem in _SYMPTOMS)
