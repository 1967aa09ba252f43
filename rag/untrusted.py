"""Text from outside that a program will read: documents, pages and questions are data, whatever they say to a machine.

Pure. `instructs_machines` tells a page that should not be quoted at all; `disarm` makes a text harmless as a section of
a prompt: what looks like a boundary of ours or of a chat template loses its brackets, and a sentence that speaks to the
program goes. Both are counted. Instructions are recognised in English only; a section's bounds hold in any language.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag.text import fold, fold_space, sentence_spans

__all__ = ["Disarmed", "disarm", "instructs_machines"]

_OVERRIDE = (
    r"\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:previous|prior|above|earlier|preceding|system)\b.{0,20}"
    r"\b(?:instructions?|prompts?|messages?|rules?)\b"
)
_PROMPT = r"\b(?:reveal|print|repeat|ignore|your)\b.{0,20}\bsystem prompt\b"
_ROLE = r"\byou are (?:now )?(?:an? )?(?:helpful )?(?:ai (?:assistant|agent|language model)|language model|chatbot)\b"
_TEMPLATE = r"<\|?(?:im_start|system)\|?>"
_TO_MACHINES = re.compile(  # pages on artificial intelligence speak of prompts and models too, but not to them
    "|".join([_OVERRIDE, _PROMPT, _ROLE, _TEMPLATE])
)
_TO_A_MODEL = re.compile(  # in a passage or a question; too much for a whole page to be dropped for
    "|".join([
        _TO_MACHINES.pattern,
        r"\b(?:ignore|disregard|forget)\b.{0,20}\b(?:all|any|every|the|these|those|your)\b.{0,20}"
        r"\b(?:instructions?|prompts?|rules|guidelines)\b",
        r"\b(?:answer|respond|reply|output|return)\b.{0,20}\b(?:in|as|with|only|using)\b.{0,12}\b(?:json|xml|yaml|base64)\b",
        r"\b(?:new|updated|real|secret) (?:system )?instructions?\s?:",
        r"\byou (?:are|have been) (?:now )?(?:in )?(?:developer mode|jailbroken|unrestricted|dan)\b",
        r"\b(?:act|pretend|behave|roleplay) as (?:if )?(?:you|an? (?:unrestricted|uncensored|evil|different))\b",
        r"\b(?:do not|don't|never|stop) (?:cite|citing|use markers|follow (?:the|your) (?:rules|instructions))\b",
        r"\b(?:print|output|repeat|reveal|show|translate)\b.{0,30}\b(?:your|the|these|above) (?:\w+ ){0,2}"
        r"(?:instructions|prompt|rules)\b",
    ])
)  # fmt: skip

_SECTION = (
    r"passages?|question|patient(?:[\s_-]{0,3}(?:context|profile))?|policy|sources?|system|assistant|developer|user"
)
# A bracket, one of our names and a bounded rest: linear on any text.
_BOUNDARY = re.compile(rf"<\s{{0,4}}(/?\s{{0,4}}(?:{_SECTION})[^<>\n]{{0,120}})>?", re.IGNORECASE)
_TOKEN = re.compile(
    r"<\|([^|<>\n]{1,40})\|>|\[(/?INST)\]|<<(/?SYS)>>|<(/?(?:start|end)_of_turn)>|</?(s)>", re.IGNORECASE
)
_SPEAKER = re.compile(r"^[ \t#>*_]{0,6}((?:system|assistant|developer)\b[ *_]{0,3}):", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Disarmed:
    """A text that can stand in a section of a prompt, and how much had to be changed for it."""

    text: str
    changed: int


def instructs_machines(text: str) -> bool:
    """Whether a text speaks to the program that reads it. A page that does is not quoted at all."""
    return _TO_MACHINES.search(fold_space(fold(text))) is not None


def disarm(text: str, *, drop: bool = True) -> Disarmed:
    """The text without forged boundaries and, with `drop`, without sentences that instruct the model.

    An instruction that is spread over two sentences takes both. Where `drop` is False they stay, counted: a person may
    ask about such words, and what they ask must not be lost.
    """
    changed = 0
    for pattern in (_BOUNDARY, _TOKEN):
        text, found = pattern.subn(lambda match: f"({next(filter(None, match.groups()), '').strip()})", text)
        changed += found
    text, found = _SPEAKER.subn(r"\1 -", text)
    spans = sentence_spans(text)
    ordered = _instructing([text[start:end] for start, end in spans])
    if drop:
        for n in sorted(ordered, reverse=True):
            text = text[: spans[n][0]].rstrip(" ") + " " + text[spans[n][1] :].lstrip(" ")
    return Disarmed(text=text.strip() if ordered and drop else text, changed=changed + found + len(ordered))


def _instructing(sentences: list[str]) -> set[int]:
    """The places of the sentences that, alone or with the next one, speak to the model."""
    folded = [fold_space(fold(sentence)) for sentence in sentences]
    alone = {n for n, sentence in enumerate(folded) if _TO_A_MODEL.search(sentence)}
    pairs = {
        n
        for n in range(len(folded) - 1)
        if n not in alone and n + 1 not in alone and _TO_A_MODEL.search(f"{folded[n]} {folded[n + 1]}")
    }
    return alone | {place for n in pairs for place in (n, n + 1)}
