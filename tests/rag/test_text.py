import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.text import fold, is_list_item, is_provision, is_provision_path, sentence_spans, split_sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ["Dr. Kim gave 0.5 mg, i.e. 2.5mg/kg, vs. Mr. Jones.", "See Fig. 2.", "The answer is no.", "Stop then."],
        ["She lives in the U.S.", "The rule is from the U.S. Department of Health.", "J. Doe agreed."],
        ["Take vitamin D.", "Vitamin D helps.", "No. 5 is approx. 10 cm long."],
        ["1. Take one tablet.", "2. Rest."],
        ["Give it every 0.5 h.", "Then wait."],
        ["Wait...", "What?", 'He said "Stop!"', "(It was late.)", "Next…", "The end."],
        ["The shot uses mRNA.", "mRNA breaks down quickly.", "eGFR is low."],
        ["It was shown before.[1]", "It holds."],
        ["Am 3. März kam er.", "Nehmen Sie ca. 5 mg, z.B. Ibuprofen."],
        ["यह दवा लें।", "डॉ. शर्मा से मिलें।"],
        ["هل هذا خطير؟", "نعم.", "اذهب الآن."],
        ["یہ دوا لیں۔", "آرام کریں۔"],
    ],
)
def test_sentences_end_where_a_reader_ends_them(sentences):
    assert split_sentences(" ".join(sentences)) == sentences


def test_scripts_without_spaces_are_split_at_their_own_stops():
    assert split_sentences("发烧怎么办？多喝水。每次0.5毫克！") == ["发烧怎么办？", "多喝水。", "每次0.5毫克！"]
    assert split_sentences("休む｡水を飲む。") == ["休む｡", "水を飲む。"]


def test_bullets_and_table_rows_are_sentences_of_their_own():
    text = "Signs:\n- fever\n- a rash. It itches\n| a. B | 2 |\n| c | 3 |"
    assert split_sentences(text) == ["Signs:", "- fever", "- a rash.", "It itches", "| a. B | 2 |", "| c | 3 |"]


def test_a_wrapped_line_goes_on():
    text = "This sentence is so long that somebody wrapped it\nonto a second line. Here is another."
    assert split_sentences(text) == [text[:-17].rstrip(), "Here is another."]


def test_an_enumerator_on_a_line_of_its_own_stays_with_its_text():
    assert split_sentences("It does not apply:\n(a)\nin the course of work;\n(b)\nat home.") == [
        "It does not apply:",
        "(a)\nin the course of work;",
        "(b)\nat home.",
    ]


@given(st.text(alphabet=st.sampled_from("aA1.!?。।؟ \n-|(\"'[])”é म"), max_size=200) | st.text(max_size=200))
def test_nothing_but_white_space_is_lost_between_sentences(text):
    end_before = 0
    for start, end in sentence_spans(text):
        assert text[end_before:start].strip() == ""
        assert text[start:end].strip() == text[start:end] != ""
        end_before = end
    assert text[end_before:].strip() == ""


@pytest.mark.parametrize(
    "unit", [".", ". ", "a.", "\n", " ", "[1]", "a.b.", '."', "- a\n", "(a)\n", "A. ", "x" * 50, "क" * 39 + "-. "]
)
def test_hostile_repetition_comes_to_an_end(unit):
    """A pattern that backtracks would take hours on these."""
    text = unit * (200_000 // len(unit))
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


def test_fold_removes_accents_but_not_letters():
    assert fold("Ménière STRASSE ß ﬁ İ") == "meniere strasse ss fi i"
    assert fold("हिन्दी がん 한국어") == "हिन्दी がん 한국어"
    assert fold("مُحَمَّد") == "محمد"


@given(st.text(max_size=80))
def test_fold_is_stable(text):
    assert fold(fold(text)) == fold(text)


def test_list_items_are_recognised():
    assert all(map(is_list_item, ["- a", "* a", "• a", "2. a", "(a) b", "iv) c", "  - nested"]))
    assert not any(map(is_list_item, ["-5 degrees", "2.5 mg", "a word", "(often) seen"]))


def test_provisions_are_headings_not_sentences():
    headings = ["Article 9", "CHAPTER III", "Section 2: Scope", "Recital 26", "Artikel 5", "Article 9 – Health data"]
    headings += [
        "Article 9(2)(h): health or social care",
        "Schedule 1, paragraph 3: public health",
        "Article 53(1)",
        "Recital 35: health data",
    ]
    headings += ["Schedule 1, paragraph 3: public health", "Section 2, part 1"]
    sentences = ["Article 9 applies to data.", "Section 2 of the Act says", "Part of the body", "Title insurance"]
    sentences += ["Article 9(2)(h) allows processing."]
    assert all(map(is_provision, headings))
    assert not any(map(is_provision, sentences))
    assert is_provision_path("CHAPTER III › Rights › Access")
    assert not is_provision_path("Symptoms › Early signs")
