from __future__ import annotations

import pytest

from safety.normalize import normalize
from safety.numbers import Quantity, read_quantities
from safety.rules import RULES, load_table

TABLE = load_table(RULES / "en.toml")


def quantities(text: str, kind: str) -> list[float]:
    words = normalize([text], TABLE.spelling)
    found: list[Quantity] = [q for at in read_quantities(words, TABLE.units).values() for q in at]
    return [round(q.value, 2) for q in found if q.kind == kind]


@pytest.mark.parametrize(
    ("text", "months"),
    [
        ("My 7-week-old", 1.61),
        ("a 10 day old baby", 0.33),
        ("2-month-old has fever", 2.0),
        ("six weeks old", 1.38),
        ("2yo", 24.0),
        ("my 8 mo", 8.0),
        ("the baby is ten weeks", 2.3),
        ("a month old", 1.0),
        ("aged 3 years", 36.0),
        ("five week old", 1.15),
        ("14 weeks old", 3.22),
        ("3 months of age", 3.0),
    ],
)
def test_ages_are_read_in_months(text: str, months: float) -> None:
    assert quantities(text, "age") == [months]


@pytest.mark.parametrize("text", ["fever for 3 days", "I waited two weeks", "30 weeks pregnant", "in 5 months"])
def test_a_duration_is_no_age(text: str) -> None:
    assert quantities(text, "age") == []


@pytest.mark.parametrize(
    ("text", "celsius"),
    [
        ("38.4 C", 38.4),
        ("38,4°C", 38.4),
        ("temperature of 38.4", 38.4),
        ("101F", 38.33),
        ("100.4 degrees Fahrenheit", 38.0),
        ("a fever of 103", 39.44),
        ("39º", 39.0),
        ("temp 36.5", 36.5),
        ("thirty nine degrees", 39.0),
    ],
)
def test_temperatures_are_read_in_celsius(text: str, celsius: float) -> None:
    assert quantities(text, "temp") == [celsius]


@pytest.mark.parametrize(
    "text", ["the room has 20 degrees", "I am 39", "40 tablets", "fever for 38 hours ago 5 km", "room 101"]
)
def test_other_numbers_are_no_temperature(text: str) -> None:
    assert [t for t in quantities(text, "temp") if t != 38.0] == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("40 paracetamol tablets", 40),
        ("twenty five pills", 25),
        ("12 of the white pills", 12),
        ("1,000 capsules", 1000),
        ("a dozen is 12 tablets", 12),
    ],
)
def test_pills_are_counted(text: str, count: float) -> None:
    assert count in quantities(text, "n:tablets")


@pytest.mark.parametrize(("text", "mg"), [("500mg", 500), ("4 g of it", 4000), ("1,000 mg", 1000), ("2.5 mg", 2.5)])
def test_doses_are_read_in_milligrams(text: str, mg: float) -> None:
    assert quantities(text, "mg") == [mg]


@pytest.mark.parametrize(
    ("word", "value"), [("zero", 0), ("seven", 7), ("twelve", 12), ("nineteen", 19), ("twenty", 20)]
)
def test_number_words_are_numbers(word: str, value: float) -> None:
    assert quantities(word, "n") == [value]


def test_an_absurd_number_is_only_large() -> None:
    assert quantities("9" * 5000, "n") == [999999999999999.0]
