"""What an earlier turn leaves behind: an emergency does not end because the next message is "ok".

The rule, from the safe side:
1. Suicide and self-harm stay for the rest of the conversation. "ok" or "just kidding" do not clear them: they keep R5,
   with the calm words and the crisis line instead of the whole banner. A phrase that says help has arrived (`resolved`
   in the table: "I am safe now, my sister is with me"), or a plain change of subject, lowers them to R3; the crisis
   line stays.
2. Every other R4/R5 stays until such a phrase, or until the person plainly changes the subject: asks something of
   at least `_QUESTION_WORDS` words that refers to nothing said before ("it", "he", "still", "the pain") and, in the
   first message after the alarm, does not speak of themselves at all. Then it ends, and does not come back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from safety.board import Finds, Text
from safety.patterns import Pattern
from safety.rules import Conversation
from safety.types import FiredRule, RiskClass

__all__ = ["AFTER_CRISIS", "BESIDE_CRISIS", "Talk", "carried", "read_talk"]

# The notice of a crisis that help has reached.
AFTER_CRISIS = "crisis_after"
# The notice beside the answer to a question on another subject.
BESIDE_CRISIS = "distress"
_LASTING = "suicide"
# A change of subject is a sentence, not "what now?" or "should I wait?". Set by judgement, not measured.
_QUESTION_WORDS = 5


@dataclass(frozen=True, slots=True)
class Talk:
    """What one turn says about the turns before it."""

    resolves: bool
    changes_subject: bool
    speaks_of_self: bool


def read_talk(turn: int, text: Text, phrases: Conversation, found: Finds) -> Talk:
    """How a turn relates to the conversation, from the phrases found in it."""
    words = text.words

    def said(patterns: tuple[Pattern, ...]) -> bool:
        return any(words.turns[m.start] == turn for p in patterns for m in found.of(p))

    positions = [i for i, t in enumerate(words.turns) if t == turn]
    asks = said(phrases.asks) or any(words.sentences[i] in words.asks for i in positions)
    return Talk(
        resolves=said(phrases.resolved),
        changes_subject=asks and len(positions) >= _QUESTION_WORDS and not said(phrases.back),
        speaks_of_self=said(phrases.personal),
    )


def carried(fired: Sequence[Sequence[FiredRule]], talk: Sequence[Talk]) -> tuple[FiredRule, ...]:
    """The rules that earlier turns leave standing in the last one. Both arguments hold one item per turn."""
    held: dict[str, FiredRule] = {}
    since = 0
    for turn, (rules, said) in enumerate(zip(fired, talk, strict=True)):
        last = turn == len(talk) - 1
        alarms = [rule for rule in rules if rule.risk_class >= RiskClass.R4]
        if not alarms:
            held = _after(held, said, first=since == 0)
        since += 1
        if alarms and not last:
            held |= {rule.id: replace(rule, calm=rule.calm or rule.family == _LASTING) for rule in alarms}
            since = 0
    return tuple(held.values())


def _after(held: Mapping[str, FiredRule], said: Talk, *, first: bool) -> dict[str, FiredRule]:
    """What stands of `held` after a turn without an alarm of its own."""
    if said.resolves or (said.changes_subject and not (first and said.speaks_of_self)):
        notice = AFTER_CRISIS if said.resolves else BESIDE_CRISIS
        return {
            id_: replace(rule, risk_class=RiskClass.R3, notice=notice)
            for id_, rule in held.items()
            if rule.family == _LASTING
        }
    return dict(held)
