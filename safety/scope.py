"""Tells whether a matched phrase is meant now: scope windows for negation, past, education and the like.

A scope is data: frames that cover what follows (`before`), frames that cover what stands just ahead of them (`after`),
look-alikes that are no frame (`never`), and words that end the cover (`breaks`). What the words are is the
language's; how far they reach is decided here. When in doubt a phrase is *not* covered: a false alarm costs
patience, a miss may cost a life.
"""

from __future__ import annotations

from bisect import bisect_left
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
        sentences = {board.text.words.sentences[match.start] for match in matches}
        found = index.on(board, within=board.sentences(sentences | {number + 1 for number in sentences}))
        self._known: dict[tuple[Match, tuple[str, ...]], str | None] = {}
        frames = {kind: _Frames(scope, found, board.text) for kind, scope in scopes.items()}
        self._frames = {kind: own for kind, own in frames.items() if own}

    def covering(self, match: Match, kinds: tuple[str, ...]) -> str | None:
        """The first of `kinds` that covers the phrase, or None: the phrase is meant here and now."""
        key = (match, kinds)
        if key not in self._known:
            self._known[key] = self._covering(match, kinds)
        return self._known[key]

    def _covering(self, match: Match, kinds: tuple[str, ...]) -> str | None:
        return next((kind for kind in kinds if kind in self._frames and self._frames[kind].cover(match)), None)


class _Frames:
    """The frames of one kind in a text, by sentence."""

    def __init__(self, scope: Scope, found: Finds, text: Text) -> None:
        def spans(patterns: tuple[Pattern, ...]) -> list[Match]:
            return [match for pattern in patterns if pattern in found.possible for match in found.of(pattern)]

        self._scope = scope
        self._text = text
        self._known: dict[Match, bool] = {}
        cancels, before, lists = spans(scope.cancels), spans(scope.before), spans(scope.lists)
        after = spans(scope.after)
        never = spans(scope.never) if cancels or before or lists or after else []
        self._lists = {s for s in lists if not any(_overlap(s, n) for n in never)}
        self._ahead = self._by_sentence([*before, *lists], never)
        self._behind = self._by_sentence(after, never)
        # "never again" is no "again".
        self._cancels = self._by_sentence(cancels, never)
        self._breaks = sorted(match.start for match in spans(scope.breaks)) if self._ahead or self._behind else []

    def _by_sentence(self, frames: list[Match], never: list[Match]) -> dict[int, list[Match]]:
        found: dict[int, list[Match]] = {}
        for frame in frames:
            if not any(_overlap(frame, n) for n in never):
                found.setdefault(self._text.words.sentences[frame.start], []).append(frame)
        return found

    def __bool__(self) -> bool:
        return bool(self._ahead or self._behind)

    def cover(self, match: Match) -> bool:
        """Whether a phrase is covered; many rules ask for the same one."""
        known = self._known.get(match)
        if known is None:
            known = self._known[match] = self._cover(match)
        return known

    def _cover(self, match: Match) -> bool:
        sentence = self._text.words.sentences[match.start]
        ahead, behind = self._ahead.get(sentence, ()), self._behind.get(sentence, ())
        if not (ahead or behind):
            return False
        # "Is vomiting blood serious? I just did": what ends the cover may follow in the next sentence.
        if sentence in self._cancels:
            return False
        turns = self._text.words.turns
        if any(turns[c.start] == turns[match.start] for c in self._cancels.get(sentence + 1, ())):
            return False
        return any(self._reaches_forward(s, match, self._text) for s in ahead) or any(
            self._reaches_back(s, match, self._text) for s in behind
        )

    def _breaks_within(self, begin: int, stop: int) -> bool:
        at = bisect_left(self._breaks, begin)
        return at < len(self._breaks) and self._breaks[at] < stop

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
        if self._breaks_within(begin, stop):
            return False
        return not self._scope.stops_at_comma or frame in self._lists or self._joined(frame.end, match, text)

    def _reaches_back(self, frame: Match, match: Match, text: Text) -> bool:
        if not (frame.end > match.end and frame.start - match.end <= self._scope.reach_back):
            return False
        # "my chest pain treatment failed" speaks of a person, whatever follows.
        begin = match.start - _OWNER if self._scope.breaks_inside else match.end
        return not self._breaks_within(begin, frame.start) and (
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
