import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.ingest.clean import break_inline_lists, clean_line, clean_text, plain_markdown


@pytest.mark.parametrize(
    ("dirty", "clean"),
    [
        ("e\u0301", "é"),
        ("ﬁnd ﬂow oﬃce", "find flow office"),
        ("a\x00b\x07c", "abc"),
        ("a\u200bb\ufeffc\u202ed\u2066e", "abcde"),
        ("a\ud800b", "ab"),
        ("hid\U000e0041\U000e0042den", "hidden"),
        ("a\r\nb\rc\u2028d", "a\nb\nc\nd"),
        ("a   b\u00a0\u00a0c", "a b c"),
        ("a \n\n\n\n b", "a\n\n b"),
        ("a\tb", "a\tb"),
        ("  a  ", "a"),
        ("a\u200db می\u200cخواهم", "ab می\u200cخواهم"),
    ],
)
def test_clean_text(dirty, clean):
    assert clean_text(dirty) == clean


@given(st.text(max_size=200))
def test_cleaning_twice_changes_nothing(text):
    once = clean_text(text)
    assert clean_text(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert "\n\n\n" not in once
    assert "\x00" not in once


def test_clean_line_is_one_line():
    assert clean_line(" Heart\n  attack\t") == "Heart attack"


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        ("Signs include: - fever - rash", "Signs include:\n- fever\n- rash"),
        ("Symptoms are - Sore throat - Cough Call a doctor.", "Symptoms are\n- Sore throat\n- Cough Call a doctor."),
        ("Key Points - One is this. - Two is that.", "Key Points\n- One is this.\n- Two is that."),
        ("A: - one - two B: - three - four", "A:\n- one\n- two\nB:\n- three\n- four"),
        (
            "Children can have: - a rash - nausea Adults may instead have - pain - chills",
            "Children can have:\n- a rash\n- nausea\nAdults may instead have\n- pain\n- chills",
        ),
        (
            "Children can have: - pain in the Achilles tendon - nausea It goes away. Others have: - pain - chills",
            "Children can have:\n- pain in the Achilles tendon\n- nausea\nIt goes away. Others have:\n- pain\n- chills",
        ),
    ],
)
def test_lists_in_a_line_get_lines(line, broken):
    assert break_inline_lists(line) == broken


@pytest.mark.parametrize(
    "line",
    [
        "The muscles - the ones you move - get weak.",
        "Take 5 - 10 mg, or 90% - 95% of it.",
        "One dash only: - here",
        "well-known follow-up",
        "- already\n- a list",
    ],
)
def test_what_is_no_list_stays(line):
    assert break_inline_lists(line) == line


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        ("See [the page](https://example.org/a_(b)) now", "See the page now"),
        ("![chart](http://169.254.169.254/x.png)Text", "Text"),
        ("[![badge](a.svg)](b) x", " x"),
        ("a <b>bold</b> <a href='x'>word</a><br>next", "a bold word\nnext"),
        ("p <0.05 and x <a and b> y", "p <0.05 and x <a and b> y"),
        ("<script>alert(1)</script>ok<!-- gone\nstill -->!", "ok!"),
        ("**Strong** and *soft* and __both__", "Strong and soft and both"),
        ("5 * 3 * 2 and snake_case_name", "5 * 3 * 2 and snake_case_name"),
        ("[ref]: https://example.org\nText [label][ref]", "\nText label"),
        ("A &amp; B&nbsp;C", "A & B\u00a0C"),
    ],
)
def test_plain_markdown(source, plain):
    assert plain_markdown(source) == plain


@pytest.mark.parametrize(
    "unit", ["[", "](", "[](", "<", "<a ", "<a =", "*", "**a ", "_a", "<!--", "<script>", "![a](", " - "]
)
def test_hostile_markdown_comes_to_an_end(unit):
    """A pattern that backtracks would take hours on these."""
    text = unit * (100_000 // len(unit))
    assert len(clean_text(break_inline_lists(plain_markdown(text)))) <= 2 * len(text)
