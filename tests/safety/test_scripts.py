"""One word, many ways to write it: scripts, accents, keyboards, digits."""

from __future__ import annotations

import pytest

from safety.board import Board, Lexicon, PatternIndex, Text
from safety.normalize import Spelling, fold, normalize
from safety.notation import PatternError, parse
from safety.numbers import Units, read_quantities


def finds(pattern: str, text: str, *, numbers: dict[str, float] | None = None) -> bool:
    words = normalize([text], Spelling(numbers=numbers or {}))
    parsed = parse(pattern, {})
    lexicon = Lexicon([parsed])
    index = PatternIndex([parsed], lexicon)
    board = Board(Text(words, read_quantities(words, Units())), lexicon)
    return bool(index.on(board).of(parsed))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("İNTİHAR", "intihar"),  # Turkish dotted capital
        ("acı", "aci"),  # dotless
        ("oddychać", "oddychac"),
        ("ŁÓDŹ", "lodz"),
        ("køre", "kore"),
        ("أنا", "انا"),
        ("قلبى", "قلبي"),
        ("سكتة", "سكته"),
        ("کمر", "كمر"),  # Persian and Urdu kaf
        ("مُدَّة", "مده"),  # harakat
        ("صـــدر", "صدر"),  # tatweel
        ("ज़हर", "जहर"),  # nukta
        ("साँस", "सांस"),  # chandrabindu
        ("পড়ে", "পডে"),
        ("ｆｕｌｌ", "full"),
        ("й", "и"),
    ],
)
def test_two_ways_to_write_a_word_are_one(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize("digits", ["38.5", "٣٨٫٥", "۳۸٫۵", "३८.५", "৩৮.৫", "๓๘.๕", "３８．５", "38,5"])
def test_digits_of_every_script_are_numbers(digits: str) -> None:
    assert normalize([digits], Spelling()).values == [38.5]


@pytest.mark.parametrize(
    ("text", "found"), [("bỏng nặng", True), ("bong nang", True), ("BỎNG NẶNG", True), ("bóng nặng", False)]
)
def test_an_accent_that_is_written_must_be_the_right_one(text: str, found: bool) -> None:
    assert finds("bỏng nặng", text) is found


def test_a_pattern_without_accents_takes_any() -> None:
    assert finds("respire", "respiré")
    assert finds("respir*", "RESPIRÓ")


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("胸が痛", "朝から胸が痛くて"),
        ("숨을 ~3 못 쉬", "숨을못쉬겠어요"),
        ("숨을못쉬", "숨을 못 쉬어요"),
        ("หายใจ ~4 ไม่ออก", "แม่หายใจไม่ออก"),
        ("胸痛 ~6 出汗", "胸痛，出汗，左臂麻木"),
    ],
)
def test_scripts_without_spaces_are_read_by_character(pattern: str, text: str) -> None:
    assert finds(pattern, text)


@pytest.mark.parametrize(
    ("text", "value"),
    [("四十片", 40), ("吃了二十三颗", 23), ("十二錠", 12), ("百錠", 100), ("两百片", 200), ("五片", 5)],
)
def test_chinese_number_words_are_put_together(text: str, value: float) -> None:
    numbers = dict(zip("一二两三四五六七八九十百", (1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 100), strict=True))
    assert finds(f"{{n={value}}} (片|颗|錠)", text, numbers=numbers)


@pytest.mark.parametrize(("text", "found"), [("amemeza", True), ("nikameza", True), ("meza", True), ("mesa", False)])
def test_an_infix_is_found_inside_a_word(text: str, found: bool) -> None:
    assert finds("*meza* ~2 sumu", f"{text} kidogo sumu") is found
    assert finds("(x|*meza*)", text) is found


@pytest.mark.parametrize("pattern", ["*me*", "*meza", "*a b*"])
def test_an_infix_that_is_no_infix_is_refused(pattern: str) -> None:
    with pytest.raises(PatternError):
        parse(pattern, {})


def test_an_elision_stands_between_two_words() -> None:
    assert normalize(["j’ai mal à l'oreille"], Spelling(elision=True)).texts == ["j", "ai", "mal", "a", "l", "oreille"]


def test_a_phrase_does_not_leave_its_sentence() -> None:
    assert not finds("chest ~4 pain", "It is my chest. Pain is in the leg")
    assert not finds("胸 ~9 痛", "胸很好。头痛")
    assert finds("chest ~4 pain $", "chest with some pain. What now")


def test_the_shortest_match_is_taken() -> None:
    words = normalize(["no pain no pain"], Spelling())
    parsed = parse("no ~4 pain", {})
    lexicon = Lexicon([parsed])
    index = PatternIndex([parsed], lexicon)
    board = Board(Text(words, {}), lexicon)
    assert [(m.start, m.end) for m in index.on(board).of(parsed)] == [(0, 2), (2, 4)]
