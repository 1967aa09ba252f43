"""Quantities in words: ages, temperatures, counts of pills, milligrams. All units come from the language's table.

Normal form: ages in months, temperatures in degrees Celsius, doses in milligrams.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from safety.normalize import Words

__all__ = ["MONTHS", "Quantity", "Units", "read_quantities"]

# Months per unit of age. A week is 7/30.44 of a month, so "12 weeks" is below three months and "14 weeks" above.
MONTHS: Mapping[str, float] = {"d": 1 / 30.44, "wk": 7 / 30.44, "mo": 1.0, "y": 12.0}

# A bare "38.4" or "101" is a temperature only inside what a thermometer shows for a living person, and only
# beside a word that says so. Values outside are room temperatures, doses, prices.
_CELSIUS = (34.0, 43.0)
_FAHRENHEIT = (93.0, 110.0)
# "a fever, measured twice, of 39": how far the word "fever" may stand from its number. Measured 2026-11-30 on 635
# alarms: 2 missed at 2 words, 1 at 3, none at 5 or 8; no false alarm among 683 calm sentences at any of these.
_NEAR = 5
_CJK = frozenset("〇一二三四五六七八九十百千两兩")


@dataclass(frozen=True, kw_only=True)
class Units:
    """The words of a language that make a number a quantity."""

    age: Mapping[str, str] = field(default_factory=dict)  # word -> "d", "wk", "mo", "y"
    age_after: frozenset[str] = frozenset()  # "old", "baby": said after number and unit
    age_before: frozenset[str] = frozenset()  # "aged", "newborn", "son": said before number and unit
    age_short: Mapping[str, str] = field(default_factory=dict)  # "yo", "mo": unit and "old" in one
    fever: frozenset[str] = frozenset()
    celsius: frozenset[str] = frozenset()
    fahrenheit: frozenset[str] = frozenset()
    degrees: frozenset[str] = frozenset()
    mass: Mapping[str, float] = field(default_factory=dict)  # word -> milligrams
    counts: Mapping[str, frozenset[str]] = field(default_factory=dict)  # "tablets" -> its words
    ones: frozenset[str] = frozenset()  # "a", "an" before a unit of time


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number from word `start` up to, not including, word `end`. `kind` is n, age, temp, mg or n:<unit>."""

    kind: str
    value: float
    start: int
    end: int


def read_quantities(words: Words, units: Units) -> dict[int, list[Quantity]]:
    """All quantities, by the position of their first word. Every number is at least an "n"."""
    found: dict[int, list[Quantity]] = {}
    position = 0
    while position < len(words):
        number = _number_at(words, position, units)
        if number is None:
            position += 1
            continue
        value, end = number
        if words.values[position] is not None:
            found.setdefault(position, []).append(Quantity("n", value, position, end))
        for quantity in (
            _age(words, position, end, value, units),
            _temperature(words, position, end, value, units),
            _mass(words, position, end, value, units),
            *_counts(words, position, end, value, units),
        ):
            if quantity is not None:
                found.setdefault(position, []).append(quantity)
        position = end
    return found


def _number_at(words: Words, i: int, units: Units) -> tuple[float, int] | None:
    value = words.values[i]
    if value is None:
        if words.texts[i] in units.ones and _word(words, i + 1) in units.age:
            return 1.0, i + 1
        return None
    if words.texts[i] in _CJK:
        return _cjk_number(words, i)
    follower = words.values[i + 1] if i + 1 < len(words) else None
    # "twenty five" written in words; "20 5" in digits stays two numbers.
    tens_in_words = 20 <= value <= 90 and value % 10 == 0 and not words.texts[i][0].isdigit()
    if tens_in_words and follower is not None and 0 < follower < 10 and not words.texts[i + 1][0].isdigit():
        return value + follower, i + 2
    return value, i + 1


def _cjk_number(words: Words, i: int) -> tuple[float, int]:
    """四十二 is 4 x 10 + 2: digits multiply the ten, hundred or thousand behind them."""
    total, digit = 0.0, 0.0
    while i < len(words) and words.texts[i] in _CJK and (value := words.values[i]) is not None:
        if value >= 10:
            total += (digit or 1.0) * value
            digit = 0.0
        else:
            digit = digit * 10 + value
        i += 1
    return total + digit, i


def _word(words: Words, i: int) -> str:
    return words.texts[i] if 0 <= i < len(words) else ""


def _age(words: Words, start: int, end: int, value: float, units: Units) -> Quantity | None:
    unit_word = _word(words, end)
    if (short := units.age_short.get(unit_word)) is not None:
        return Quantity("age", value * MONTHS[short], start, end + 1)
    if (unit := units.age.get(unit_word)) is None:
        return None
    after = _word(words, end + 1)
    if after in units.age_after:
        return Quantity("age", value * MONTHS[unit], start, end + 2)
    # "baby is ten weeks", "newborn, 9 days": a person up to two words before, and no "for 3 days" between.
    if not units.age_before.isdisjoint({_word(words, start - 1), _word(words, start - 2)}) and (
        start == 0 or words.sentences[start - 1] == words.sentences[start]
    ):
        return Quantity("age", value * MONTHS[unit], start, end + 1)
    return None


def _temperature(words: Words, start: int, end: int, value: float, units: Units) -> Quantity | None:
    stop = end
    while _word(words, stop) in units.degrees:
        stop += 1
    unit = _word(words, stop)
    if unit in units.celsius and _CELSIUS[0] <= value <= _CELSIUS[1]:
        return Quantity("temp", value, start, stop + 1)
    if unit in units.fahrenheit and _FAHRENHEIT[0] <= value <= _FAHRENHEIT[1]:
        return Quantity("temp", (value - 32) / 1.8, start, stop + 1)
    near = words.texts[max(0, start - _NEAR) : stop + _NEAR]
    said = not units.fever.isdisjoint(near) or _reading_of_a_child(words, start, end, value, units)
    if stop == end and not said and not _reading_of_the_ill(words, start, value):
        return None
    if unit in units.age or unit in units.mass or any(unit in names for names in units.counts.values()):
        return None
    if _CELSIUS[0] <= value <= _CELSIUS[1]:
        return Quantity("temp", value, start, stop)
    if _FAHRENHEIT[0] <= value <= _FAHRENHEIT[1]:
        return Quantity("temp", (value - 32) / 1.8, start, stop)
    return None


def _reading_of_a_child(words: Words, start: int, end: int, value: float, units: Units) -> bool:
    """ "baby, 7 weeks, 38.9": a decimal that closes the sentence beside a child is what the thermometer said."""
    closes = words.ends(end) or words.commas[end]
    ages = units.age_before | units.age_after
    reads = 37.5 <= value <= 42.5 or 99.5 <= value <= 107
    return closes and value % 1 != 0 and reads and not ages.isdisjoint(words.texts[max(0, start - 2 * _NEAR) : start])


def _reading_of_the_ill(words: Words, start: int, value: float) -> bool:
    """ "shaking, 39.8, skin blotchy": a decimal that opens a sentence or its part."""
    return (words.begins(start) or words.commas[start]) and value % 1 != 0 and 38.0 <= value <= 41.9


def _mass(words: Words, start: int, end: int, value: float, units: Units) -> Quantity | None:
    factor = units.mass.get(_word(words, end))
    return None if factor is None else Quantity("mg", value * factor, start, end + 1)


def _counts(words: Words, start: int, end: int, value: float, units: Units) -> list[Quantity]:
    """ "40 tablets", "40 paracetamol tablets", "40 of the white pills": a unit up to three words on."""
    found = []
    for name, unit_words in units.counts.items():
        for i in range(end, min(end + 4, len(words))):
            if words.texts[i] in unit_words and words.sentences[i] == words.sentences[start]:
                found.append(Quantity(f"n:{name}", value, start, i + 1))
                break
            if words.values[i] is not None:
                break
    return found
