"""What a model is sent: the prompt files, and the evidence and question in bounded sections.

Nothing about the person goes in but the question. The files' hash stands in the receipt.
"""

from __future__ import annotations

import datetime
import hashlib
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from rag.text import fold_space, split_sentences
from rag.types import Evidence, Prompt
from rag.untrusted import disarm

__all__ = ["Messages", "estimate_tokens", "messages_of", "prompt_hash"]

_FILES = ("answer.md", "policy.toml", "user.md")


@dataclass(frozen=True, kw_only=True)
class Messages:
    """The two messages of a request, how many passages went in, and how much in them was made harmless."""

    system: str
    user: str
    passages: int
    neutralised: int


def estimate_tokens(text: str) -> int:
    """About how many tokens a model makes of a text: a third of its UTF-8 bytes, which errs to the high side.

    Models differ and bring no tokenizer; English is nearer to a quarter, Chinese and Thai are near a third.
    """
    return -(-len(text.encode("utf-8", "replace")) // 3)


@lru_cache(maxsize=1)
def prompt_hash() -> str:
    """Twelve hexadecimal digits over the prompt files."""
    return hashlib.sha256("\0".join(_read(name) for name in _FILES).encode()).hexdigest()[:12]


def messages_of(prompt: Prompt, context_tokens: int, today: datetime.date) -> Messages:
    """The messages for a prompt; its passages take at most about `context_tokens` tokens.

    The best passages are chosen first and no sentence is cut; they are put best first, next best last, and so on
    towards the middle, which models read least.
    """
    policy = _policy()
    rules = [policy["risk"][prompt.risk.name], policy["collection"].get(prompt.collection, "")]
    chosen, neutralised = _sections(prompt.evidence, context_tokens)
    question = disarm(prompt.asked or prompt.question, drop=False)
    return Messages(
        system=_read("answer.md").format(
            subject=policy["subject"].get(prompt.collection, policy["subject"]["health"]),
            date=today.isoformat(),
            language=prompt.answered_in,
            policy="\n".join(rule for rule in rules if rule),
        ),
        user=_read("user.md").format(passages="\n".join(_edges_first(chosen)), question=question.text),
        passages=len(chosen),
        neutralised=neutralised + question.changed,
    )


@lru_cache(maxsize=8)
def _read(name: str) -> str:
    return resources.files("rag.prompts").joinpath(name).read_text(encoding="utf-8").strip()


@lru_cache(maxsize=1)
def _policy() -> dict[str, dict[str, str]]:
    return tomllib.loads(_read("policy.toml"))


def _sections(evidence: Sequence[Evidence], budget: int) -> tuple[list[str], int]:
    """The passages as sections, best first, as long as the budget lasts; the first has at least one sentence."""
    chosen: list[str] = []
    neutralised = 0
    for n, item in enumerate(evidence, start=1):
        body = disarm(item.chunk.text)
        text = _whole_sentences(body.text, budget, at_least_one=not chosen)
        if not text:
            break
        neutralised += body.changed
        head, changed = _head(n, item)
        neutralised += changed
        budget -= estimate_tokens(text) + estimate_tokens(head)
        chosen.append(f"{head}\n{text}\n</passage>")
    return chosen, neutralised


def _head(n: int, item: Evidence) -> tuple[str, int]:
    chunk = item.chunk
    told = {"title": chunk.title, "heading": chunk.heading, "from": chunk.organization, "date": chunk.version_date}
    safe = {name: disarm(fold_space(value)) for name, value in told.items() if value}
    attributes = "".join(f' {name}="{_attribute(value.text)}"' for name, value in safe.items())
    return f'<passage n="{n}"{attributes}>', sum(value.changed for value in safe.values())


def _attribute(value: str) -> str:
    return value.replace('"', "'").replace("<", "‹").replace(">", "›")


def _whole_sentences(text: str, budget: int, *, at_least_one: bool) -> str:
    """As much of a text as the budget holds, cut between sentences."""
    if estimate_tokens(text) <= budget:
        return text
    end = 0
    for sentence in split_sentences(text):
        stop = text.index(sentence, end) + len(sentence)
        if estimate_tokens(text[:stop]) > budget and not (at_least_one and end == 0):
            break
        end = stop
    return text[:end]


def _edges_first(sections: Sequence[str]) -> list[str]:
    """1, 3, 5, … 6, 4, 2: the best at both ends."""
    return [*sections[::2], *sections[1::2][::-1]]
