"""What the board finds is what trying every place one after the other finds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from safety.board import Board, Lexicon, PatternIndex, Text
from safety.normalize import Spelling, Words, normalize
from safety.notation import parse
from safety.numbers import Units, read_quantities
from safety.patterns import Capture, Choice, Edge, Gap, Part, Pattern, Word

STOPS = frozenset({"not"})
PATTERNS = [
    "ab", "ab cd", "ab ~3 cd", "(ab|cd) ~2 (ef|ab cd)", "[ab] cd", "[ab] [cd] ef", "^ ab [cd]", "ab (cd|ef) $",
    "(ab cd|ab cd ef|ab ef) [gh]", "{n>=3} ab", "(ab|{n}) ~1 cd", "(^ ab|cd) ef", "ab*", "(ab|[cd] ef) gh",
    "ab ~24 cd ~2 ef", "(ab ~2 cd|gh) ~8 (ef [ab]|cd)", "cd ({n>=2}|ab) ~3 [not] ef", "*abc* cd",
]  # fmt: skip
WORDS = st.sampled_from(["ab", "ab", "cd", "cd", "ef", "gh", "not", "abcd", "zz", "1", "4", ".", ","])


def ends(parts: tuple[Part, ...], i: int, text: Text) -> Iterator[int]:
    """Where parts that begin at word `i` may end, step by step."""
    if not parts:
        yield i
        return
    part, rest, words = parts[0], parts[1:], text.words
    if isinstance(part, Word):
        if i < len(words) and is_word(part, words.texts[i]):
            yield from ends(rest, i + 1, text)
    elif isinstance(part, Gap):
        for step in range(part.limit + 1):
            yield from ends(rest, i + step, text)
            if i + step >= len(words) or words.texts[i + step] in text.gap_stops:
                break
    elif isinstance(part, Choice):
        for option in (*part.options, *([()] if part.optional else [])):
            yield from ends((*option, *rest), i, text)
    elif isinstance(part, Capture):
        for quantity in text.quantities.get(i, ()):
            if part.holds(quantity):
                yield from ends(rest, quantity.end, text)
    elif isinstance(part, Edge) and i == (0 if part.first else len(words)):
        yield from ends(rest, i, text)


def is_word(word: Word, text: str) -> bool:
    return (
        any(text == own for own, _ in word.texts)
        or any(text.startswith(stem) for stem, _ in word.stems)
        or any(infix in text for infix in word.infixes)
    )


def sentences(words: Words) -> Iterator[tuple[int, Words]]:
    columns = (words.texts, words.marks, words.values, words.sentences, words.turns, words.commas)
    for number in dict.fromkeys(words.sentences):
        own = [i for i, sentence in enumerate(words.sentences) if sentence == number]
        yield own[0], Words(*([column[i] for i in own] for column in columns))


def naive(pattern: Pattern, words: Words) -> list[tuple[int, int]]:
    found = []
    for first, own in sentences(words):
        text = Text(own, read_quantities(own, Units()), STOPS)
        for i in range(len(own)):
            if reached := [end for end in ends(pattern.parts, i, text) if end > i]:
                found.append((first + i, first + min(reached)))
    return found


def on_board(pattern: Pattern, words: Words) -> list[tuple[int, int]]:
    lexicon = Lexicon([pattern])
    board = Board(Text(words, read_quantities(words, Units()), STOPS), lexicon)
    return [tuple(match) for match in PatternIndex([pattern], lexicon).on(board).of(pattern)]


@pytest.mark.parametrize("source", PATTERNS)
@given(said=st.lists(WORDS, max_size=24))
def test_the_board_finds_what_trying_every_place_finds(source: str, said: list[str]) -> None:
    words = normalize([" ".join(said)], Spelling())
    assert on_board(parse(source, {}), words) == naive(parse(source, {}), words)


@pytest.mark.parametrize("source", PATTERNS)
@given(said=st.lists(WORDS, max_size=16), before=st.integers(0, 700))
def test_where_in_a_text_it_stands_makes_no_difference(source: str, said: list[str], before: int) -> None:
    """Words are filtered by blocks of places, which go round in long texts."""
    pattern = parse(source, {})
    alone = on_board(pattern, normalize([" ".join(said)], Spelling()))
    words = normalize([" ".join(["zz"] * before + [".", *said])], Spelling())
    assert on_board(pattern, words) == [(start + before, end + before) for start, end in alone]


def test_a_pattern_whose_words_stand_far_apart_is_not_possible() -> None:
    pattern = parse("ab ~2 cd", {})
    lexicon = Lexicon([pattern])
    index = PatternIndex([pattern], lexicon)

    def possible(text: str) -> bool:
        words = normalize([text], Spelling())
        return pattern in index.on(Board(Text(words, {}), lexicon)).possible

    assert possible("ab zz cd")
    assert not possible("ab" + " zz" * 40 + " cd")
    assert not possible("ab zz zz")
    assert not possible("")


def test_a_quantity_of_any_length_is_found() -> None:
    pattern = parse("{n>=3} ab", {})
    words = normalize(["四" * 61 + " ab"], Spelling(numbers={"四": 4.0}))
    assert on_board(pattern, words) == [(0, 62)]


def test_alternatives_that_begin_alike_are_looked_at_once() -> None:
    pattern = parse("(ab cd|ab ef|ab ef|gh)", {})
    assert [len(part.options) for part in pattern.parts if isinstance(part, Choice)] == [2]
    for text, found in (("ab cd", True), ("ab ef", True), ("gh", True), ("ab gh cd", True), ("ab", False)):
        assert bool(on_board(pattern, normalize([text], Spelling()))) is found
