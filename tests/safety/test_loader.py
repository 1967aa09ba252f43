"""A table that is not clear stops the start, with file, rule and field."""

from __future__ import annotations

from pathlib import Path

import pytest

from safety.board import Board, Lexicon, PatternIndex, Text
from safety.normalize import Spelling, normalize
from safety.notation import PatternError, parse
from safety.rules import RuleTableError, load_table
from safety.texts import load_helplines, load_texts

RULE = """
language = "en"
version = "1"
reviewed_by = ""

[[rule]]
id = "cardiac.pain"
class = "R5"
family = "cardiac"
any = ["chest pain"]
scope = ["negated"]
notice = "cardiac"
source = { organisation = "NHS", url = "https://www.nhs.uk" }
matches = ["a", "b", "c", "d", "e", "f"]
passes = ["a", "b", "c", "d", "e", "f"]
"""


def load(tmp_path: Path, text: str) -> None:
    path = tmp_path / "xx.toml"
    path.write_text(text, encoding="utf-8")
    load_table(path)


def test_a_small_table_loads(tmp_path: Path) -> None:
    load(tmp_path, RULE)


@pytest.mark.parametrize(
    ("old", "new", "where", "field"),
    [
        ('language = "en"', "", "table", "language"),
        ('version = "1"', "version = 1", "table", "version"),
        ('class = "R5"', 'class = "R9"', "cardiac.pain", "class"),
        ('id = "cardiac.pain"', 'id = "pain"', "pain", "id"),
        ('notice = "cardiac"', "", "cardiac.pain", "notice"),
        ('any = ["chest pain"]', "", "cardiac.pain", "all"),
        ('any = ["chest pain"]', 'any = "chest pain"', "cardiac.pain", "any"),
        ('any = ["chest pain"]', 'any = ["(chest pain"]', "cardiac.pain", "any"),
        ('any = ["chest pain"]', 'any = ["@nothing pain"]', "cardiac.pain", "any"),
        ('any = ["chest pain"]', 'any = ["~4 pain"]', "cardiac.pain", "any"),
        ('any = ["chest pain"]', 'any = ["chest ~99 pain"]', "cardiac.pain", "any"),
        ('any = ["chest pain"]', 'any = ["{temp>38mo}"]', "cardiac.pain", "any"),
        ('any = ["chest pain"]', 'any = ["[chest]"]', "cardiac.pain", "any"),
        ('scope = ["negated"]', 'scope = ["dreamt"]', "cardiac.pain", "scope"),
        ('scope = ["negated"]', 'mood = "x"', "cardiac.pain", "mood"),
        ('scope = ["negated"]', 'lines = ["pizza"]', "cardiac.pain", "lines"),
        ('scope = ["negated"]', 'refuse = "yes"', "cardiac.pain", "refuse"),
        ('url = "https://www.nhs.uk"', 'url = "nhs"', "cardiac.pain", "source"),
        ('matches = ["a", "b", "c", "d", "e", "f"]', 'matches = ["a"]', "cardiac.pain", "matches"),
        ("[[rule]]", "[scope.dreamt]\nreach = 1\nreach_back = 1\n[[rule]]", "scope.dreamt", "scope"),
        ("[[rule]]", "[scope.past]\nreach = 99\nreach_back = 1\n[[rule]]", "scope.past", "reach"),
        ("[[rule]]", "[[rule", "table", "toml"),
    ],
)
def test_the_error_names_file_rule_and_field(tmp_path: Path, old: str, new: str, where: str, field: str) -> None:
    assert old in RULE
    with pytest.raises(RuleTableError) as caught:
        load(tmp_path, RULE.replace(old, new, 1))
    assert (caught.value.file, caught.value.where, caught.value.field) == ("xx.toml", where, field)


def test_an_id_is_used_once(tmp_path: Path) -> None:
    with pytest.raises(RuleTableError, match="is used twice"):
        load(tmp_path, RULE + RULE[RULE.index("[[rule]]") :])


def test_a_set_that_names_itself_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RuleTableError, match="nested too deeply"):
        load(tmp_path, RULE.replace("[[rule]]", '[sets]\na = ["@a"]\n[[rule]]').replace('"chest pain"', '"@a pain"'))


@pytest.mark.parametrize(
    ("pattern", "text", "hits"),
    [
        ("chest pain", "bad chest pain", True),
        ("chest pain", "chest. pain", False),
        ("chest pain", "painchest", False),
        ("(chest|rib) [bone] pain", "rib bone pain", True),
        ("bleed*", "it was bleeding", True),
        ("pain ~2 chest", "pain in my chest", True),
        ("pain ~2 chest", "pain in my left chest", False),
        ("^ help $", "help!", True),
        ("^ help $", "help me", False),
        ("{n>=10} pills", "12 pills", True),
        ("{n>=10} pills", "9 pills", False),
        ("{n>=50<=89} percent", "82 percent", True),
        ("{n>=50<=89} percent", "95 percent", False),
        ("{n>=50<=89} percent", "3 percent", False),
        ("a b|c d", "c d", True),
        ("胸痛", "昨日から胸痛です", True),
        ("胸が~3痛*", "胸がとても痛い", True),
        ("ถูกงูกัด", "ผมถูกงูกัดครับ", True),
        ("सीने में दर्द", "मुझे सीने में दर्द है", True),
        ("нечем дышать", "Мне НЕЧЕМ дышать", True),
        ("어지러*", "너무 어지러워요", True),
    ],
)
def test_the_notation_reads_as_documented(pattern: str, text: str, hits: bool) -> None:
    from safety.numbers import Units, read_quantities

    words = normalize([text], Spelling())
    parsed = parse(pattern, {})
    lexicon = Lexicon([parsed])
    index = PatternIndex([parsed], lexicon)
    board = Board(Text(words, read_quantities(words, Units())), lexicon)
    assert bool(index.on(board).of(parsed)) is hits


@pytest.mark.parametrize("pattern", ["", "()", "a)", "[a", "a | ", "{x>1}", "@", "a*b*", "~0 a", "{age<3}"])
def test_a_pattern_that_cannot_be_read_is_refused(pattern: str) -> None:
    with pytest.raises(PatternError):
        parse(pattern, {})


def test_texts_and_helplines_are_checked_too(tmp_path: Path) -> None:
    path = tmp_path / "en.toml"
    path.write_text('language = "en"\nversion = "1"\nreviewed_by = ""\n', encoding="utf-8")
    with pytest.raises(RuleTableError, match="sentences: banner: is missing"):
        load_texts(path)
    path.write_text('[country.US]\nemergency = "911"\n', encoding="utf-8")
    with pytest.raises(RuleTableError, match=r"country\.US: source: is missing"):
        load_helplines(path)
    path.write_text('[country.usa]\nemergency = "911"\nsource = "x"\n', encoding="utf-8")
    with pytest.raises(RuleTableError, match="two capital letters"):
        load_helplines(path)
