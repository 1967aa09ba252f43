"""Tells whether a matched phrase is meant now: scope windows for negation, past, education and the like.

A scope is data: frames that cover what follows (`before`), frames that cover what stands just ahead of them (`after`),
look-alikes that are no frame (`never`), and words that end the cover (`breaks`). What the words are is the
language's; how far they reach is decided here. When in doubt a phrase is *not* covered: a false alarm costs
patience, a miss may cost a life.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from safety.board import Board, Finds, Match, PatternIndex, Text
from safety.patterns import Pattern

__all__ = ["KINDS", "Scope", "Scopes"]

# How many words before a phrase may name its owner: "my really bad chest pain".
_OWNER = 3

KINDS = ("negated", "past", "third_person", "education", "hypothetical", "product", "unclear")


@dataclass(frozen=True, kw_only=True)
class Scope:
    """One kind of scope. `reach` and `reach_back` are how many words may stand between frame and phrase."""

    before: tuple[Pattern, ...] = ()
    lists: tuple[Pattern, ...] = ()  # frames before a list ("denies fever, cough"): no comma ends their cover
    after: tuple[Pattern, ...] = ()
    never: tuple[Pattern, ...] = ()
    breaks: tuple[Pattern, ...] = ()
    cancels: tuple[Pattern, ...] = ()
    joins: frozenset[str] = frozenset()
    reach: int = 6
    reach_back: int = 2
    breaks_inside: bool = False
    stops_at_comma: bool = False
    leads_clause: bool = False  # "Last year, I …": a comma right behind the frame does not end its cover

    def patterns(self) -> tuple[Pattern, ...]:
        return self.before + self.lists + self.after + self.never + self.breaks + self.cancels


class Scopes:
    """All scopes of one text, found once and asked for every matched phrase."""

    def __init__(
        self, scopes: Mapping[str, Scope], index: PatternIndex, board: Board, matches: Iterable[Match]
    ) -> None:
        """`matches` are the phrases that will be asked for: frames are looked for in their sentences and the next."""
        self._text = board.text
        sentences = {board.text.words.sentences[match.start] for match in matches}
        found = index.on(board, within=board.sentences(sentences | {number + 1 for number in sentences}))
        self._frames = {kind: _Frames(scope, found) for kind, scope in scopes.items()}

    def covering(self, match: Match, kinds: tuple[str, ...]) -> str | None:
        """The first of `kinds` that covers the phrase, or None: the phrase is meant here and now."""
        for kind in kinds:
            frames = self._frames.get(kind)
            if frames is not None and frames.cover(match, self._text):
                return kind
        return None


class _Frames:
    def __init__(self, scope: Scope, found: Finds) -> None:
        def spans(patterns: tuple[Pattern, ...]) -> list[Match]:
            return [match for pattern in patterns for match in found.of(pattern)]

        never = spans(scope.never)
        self._scope = scope
        self._before = [s for s in spans(scope.before) if not any(_overlap(s, n) for n in never)]
        self._lists = [s for s in spans(scope.lists) if not any(_overlap(s, n) for n in never)]
        self._after = [s for s in spans(scope.after) if not any(_overlap(s, n) for n in never)]
        self._breaks = spans(scope.breaks)
        # "never again" is no "again".
        self._cancels = [s for s in spans(scope.cancels) if not any(_overlap(s, n) for n in never)]

    def cover(self, match: Match, text: Text) -> bool:
        sentence = text.words.sentences[match.start]
        if any(self._speaks_to(c, match, text) for c in self._cancels):
            return False
        return any(
            text.words.sentences[s.start] == sentence and self._reaches_forward(s, match, text)
            for s in (*self._before, *self._lists)
        ) or any(text.words.sentences[s.start] == sentence and self._reaches_back(s, match, text) for s in self._after)

    def _speaks_to(self, cancel: Match, match: Match, text: Text) -> bool:
        """ "Is vomiting blood serious? I just did": what ends the cover may follow in the next sentence."""
        words = text.words
        return words.turns[cancel.start] == words.turns[match.start] and (
            0 <= words.sentences[cancel.start] - words.sentences[match.start] <= 1
        )

    def _reaches_forward(self, frame: Match, match: Match, text: Text) -> bool:
        # A frame may share its last word with the phrase ("had | had a heart attack"), but must begin first; where
        # the phrase itself is searched for breaks, it may also stand in a gap ("an [essay about] overdose").
        ahead = frame.start < match.start and -1 <= match.start - frame.end <= self._scope.reach
        inside = self._scope.breaks_inside and match.start <= frame.start and frame.end < match.end
        around = frame.start <= match.start and frame.end > match.end and text.words.begins(frame.start)
        if not (ahead or inside or around):
            return False
        stop = match.end if self._scope.breaks_inside else match.start
        # A frame around the phrase ("is … dangerous") is itself searched: "is my chest pain dangerous" is no quiz.
        begin = frame.end if frame.end <= match.start else frame.start
        if any(begin <= b.start < stop for b in self._breaks):
            return False
        return not self._scope.stops_at_comma or frame in self._lists or self._joined(frame.end, match, text)

    def _reaches_back(self, frame: Match, match: Match, text: Text) -> bool:
        if not (frame.end > match.end and frame.start - match.end <= self._scope.reach_back):
            return False
        # "my chest pain treatment failed" speaks of a person, whatever follows.
        begin = match.start - _OWNER if self._scope.breaks_inside else match.end
        return not any(begin <= b.start < frame.start for b in self._breaks) and (
            not self._scope.stops_at_comma or not any(text.words.commas[match.end : frame.start])
        )

    def _joined(self, start: int, match: Match, text: Text) -> bool:
        """ "no fever, cough or chest pain" is one list; "no sleep, chest pain" is not."""
        first = start + 1 if self._scope.leads_clause else start
        commas = sum(text.words.commas[first : match.start + 1])
        if not commas:
            return True
        # The closing "or" may follow the phrase: "no chest pain, cough or rash" covers its second item too.
        ahead = range(start, min(match.end + 4, len(text.words)))
        sentence = text.words.sentences[match.start]
        return any(text.words.texts[i] in self._scope.joins for i in ahead if text.words.sentences[i] == sentence)


def _overlap(a: Match, b: Match) -> bool:
    return a.start < b.end and b.start < a.end
