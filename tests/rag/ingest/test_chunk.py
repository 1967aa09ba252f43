from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rag.ingest.chunk import chunk_document
from rag.ingest.records import Document, Section
from rag.text import split_sentences


def words(text):
    """A tokenizer: one token per word."""
    return len(text.split())


def characters(text):
    """A tokenizer for scripts without spaces: one token per character."""
    return sum(not char.isspace() for char in text)


def document(*sections, ids=None):
    """A document of (heading, text) pairs."""
    return Document(
        doc_id="d",
        title="Title",
        organization="WHO",
        sections=tuple(Section(heading=heading, text=text) for heading, text in sections),
        given_chunk_ids=ids or (None,) * len(sections),
        origin="t.md",
    )


def sentences(count, length=10, name="w"):
    """`count` sentences of `length` words, each with its own number."""
    return [" ".join([f"{name}{n}", *["word"] * (length - 2), "end."]).capitalize() for n in range(count)]


def prose(count, length=10, name="w"):
    return " ".join(sentences(count, length, name))


# --- sizes ---


def test_long_prose_is_cut_into_whole_sentences_near_the_target():
    pieces = chunk_document(document(("Signs", prose(200))), words)
    assert [piece.ordinal for piece in pieces] == list(range(len(pieces)))
    assert all(200 <= words(piece.text) <= 400 for piece in pieces)
    assert {piece.heading for piece in pieces} == {"Signs"}
    known = set(sentences(200))
    assert all(sentence in known for piece in pieces for sentence in split_sentences(piece.text))
    assert not any(piece.split_sentence for piece in pieces)


def test_the_token_count_is_not_below_the_real_one():
    for piece in chunk_document(document(("", prose(300, 7))), words):
        assert words(piece.text) <= piece.tokens <= 400


def test_what_fits_is_one_piece():
    [piece] = chunk_document(document(("", prose(40))), words)
    assert (piece.text, piece.tokens) == (prose(40), 400)


def test_no_text_is_no_piece():
    assert chunk_document(document(), words) == ()
    assert chunk_document(document(("A", "  \n ")), words) == ()


def test_neighbours_share_their_border_sentences():
    pieces = chunk_document(document(("", prose(100))), words)
    for left, right in pairwise(pieces):
        shared = [s for s in split_sentences(right.text) if s in split_sentences(left.text)]
        assert 1 <= len(shared) <= 4
        assert left.text.endswith(" ".join(shared))
        assert right.text.startswith(" ".join(shared))


def test_decimals_and_doses_survive():
    text = " ".join(f"Give {n}.5 mg or 2.5mg/kg of it every 0.5 h." for n in range(200))
    pieces = chunk_document(document(("", text)), words)
    assert len(pieces) > 3
    for piece in pieces:
        assert piece.text.startswith("Give ")
        assert piece.text.endswith("every 0.5 h.")


@pytest.mark.parametrize(
    "sentence", ["每天吃0.5毫克的药，然后休息。", "यह दवा दिन में दो बार लें।", "هل هذا خطير؟ ", "یہ دوا لیں۔ "]
)
def test_other_scripts_are_cut_at_their_own_stops(sentence):
    text = sentence * 150
    pieces = chunk_document(document(("", text)), characters)
    assert len(pieces) > 2
    for piece in pieces:
        assert characters(piece.text) <= 400
        assert piece.text.endswith(sentence.strip())
        assert piece.text.startswith(sentence.strip())


# --- sections ---


def test_sections_of_their_own_size_stay_apart():
    pieces = chunk_document(document(("Signs", prose(10)), ("Causes", prose(8)), ("Care", prose(6))), words)
    assert [(piece.heading, words(piece.text)) for piece in pieces] == [("Signs", 100), ("Causes", 80), ("Care", 60)]


def test_short_sections_are_kept_with_the_siblings_that_follow():
    sections = [("Asthma › Signs", "Wheezing."), ("Asthma › Causes?", "Many."), ("Asthma › Care", prose(18))]
    [piece, other] = chunk_document(document(*sections, ("Flu", prose(9))), words)
    assert piece.heading == "Asthma"
    assert piece.text == f"Signs:\nWheezing.\nCauses?\nMany.\nCare:\n{prose(18)}"
    assert other.heading == "Flu"


def test_a_short_introduction_is_kept_with_its_first_part():
    [piece, _] = chunk_document(document(("A", "Intro."), ("A › B", prose(10)), ("C", prose(20))), words)
    assert (piece.heading, piece.text) == ("A", f"Intro.\nB:\n{prose(10)}")


def test_sections_under_different_parents_are_never_merged():
    pieces = chunk_document(document(("A › B", "Short."), ("C › D", "Short."), ("E", prose(30))), words)
    assert [piece.heading for piece in pieces] == ["A › B", "C › D", "E"]


def test_a_document_below_the_minimum_is_one_piece():
    [piece] = chunk_document(document(("", "Intro."), ("Signs", prose(7)), ("Care", prose(7))), words)
    assert piece.heading == ""
    assert piece.text == f"Intro.\nSigns:\n{prose(7)}\nCare:\n{prose(7)}"


def test_a_piece_stays_on_one_legal_provision():
    sections = [
        ("CHAPTER I › Article 1: Scope", "Short."),
        ("CHAPTER I › Article 2", "Shorter."),
        ("Recital 3", "Why."),
    ]
    pieces = chunk_document(document(*sections, ("Article 4", prose(90))), words)
    assert [piece.heading for piece in pieces[:3]] == [heading for heading, _ in sections]
    assert {piece.heading for piece in pieces[3:]} == {"Article 4"}


def test_given_chunks_keep_their_ids_and_borders():
    pieces = chunk_document(document(("", "One."), ("", prose(50)), ("", "Three."), ids=("a", "b", None)), words)
    assert [piece.given_chunk_id for piece in pieces] == ["a", "b", "b#2", None]
    assert pieces[0].text == "One."


# --- lists and tables ---


def test_a_list_keeps_its_lead_in_and_each_further_piece_repeats_it():
    items = [f"- item {n} " + "word " * 15 + "end" for n in range(60)]
    text = prose(25) + "\n\nCall a doctor for:\n" + "\n".join(items) + "\n\n" + prose(5, name="z")
    pieces = chunk_document(document(("", text)), words)
    with_items = [piece for piece in pieces if "- item" in piece.text]
    assert len(with_items) > 2
    for piece in with_items:
        assert words(piece.text) <= 400
        assert piece.text.count("Call a doctor for:\n- item") == 1
    assert "Call a doctor for:\n- item 0" in with_items[0].text
    assert "- item 1 " in with_items[0].text
    for number in range(60):
        assert any(f"\n- item {number} " in piece.text for piece in with_items)


def test_a_table_repeats_its_head():
    rows = [f"| drug {n} | {n}.5 mg. Twice | {'word ' * 12}|" for n in range(60)]
    text = "| Drug | Dose | Note |\n|---|---|---|\n" + "\n".join(rows)
    pieces = chunk_document(document(("", text)), words)
    assert len(pieces) > 2
    for piece in pieces:
        assert piece.text.startswith("| Drug | Dose | Note |\n|---|---|---|\n| drug ")
        assert all(line.startswith("|") and line.endswith("|") for line in piece.text.splitlines())
    assert [row for row in rows if not any(row in piece.text for piece in pieces)] == []


# --- sentences above the maximum ---


def test_a_huge_sentence_is_split_at_its_seams_and_marked():
    text = "; ".join("clause " + "word " * 48 + "end" for _ in range(40)) + "."
    pieces = chunk_document(document(("", "Before it. " + text)), words)
    assert all(words(piece.text) <= 400 for piece in pieces)
    assert all(piece.text[-1] in ";." for piece in pieces)
    assert any(piece.split_sentence for piece in pieces)
    joined = " ".join(piece.text for piece in pieces)
    assert joined.split() == ("Before it. " + text).split()


def test_a_number_stays_with_its_unit_when_a_sentence_must_be_split():
    text = " ".join("take 0.5 mg" for _ in range(500))
    for piece in chunk_document(document(("", text)), words):
        assert not piece.text.endswith("0.5")
        assert not piece.text.startswith("mg")


def test_text_without_any_seam_is_split_between_characters():
    text = "药" * 5000
    pieces = chunk_document(document(("", text)), characters)
    assert "".join(piece.text for piece in pieces) == text
    assert all(characters(piece.text) <= 400 for piece in pieces)


def test_a_huge_text_is_cut():
    """Quadratic work on these would take hours."""
    assert chunk_document(document(("", "a" * 300_000)), lambda text: len(text) // 4)
    assert chunk_document(document(("", "word " * 60_000)), words)
    assert chunk_document(document(("", "- a b c\n" * 30_000)), words)


# --- properties ---

SENTENCE = st.sampled_from(
    [
        "Take 0.5 mg daily.",
        "Is it safe?",
        "多喝水。",
        "- rest",
        "1. Call now",
        "| a | b |",
        "Signs include:",
        "Word " * 45 + "end.",
    ]
)
TEXT = st.lists(st.tuples(SENTENCE, st.sampled_from([" ", "\n", "\n\n"])), max_size=60).map(
    lambda parts: "".join(sentence + gap for sentence, gap in parts).strip()
)
HEADING = st.sampled_from(["", "A", "A › B", "A › C", "Article 1", "D"])


@given(st.lists(st.tuples(HEADING, TEXT), max_size=6))
@example([("", "Word " * 45 + "end." + " - rest " + "Word " * 45 + "end.")])
def test_pieces_cover_every_sentence_in_order_and_are_the_same_each_time(sections):
    source = document(*sections)
    pieces = chunk_document(source, words, target=60, maximum=80, minimum=40)
    assert pieces == chunk_document(source, words, target=60, maximum=80, minimum=40)
    assert all(0 < words(piece.text) <= 80 for piece in pieces)
    at = found = 0
    for _, text in sections:
        for sentence in split_sentences(text):
            too_long = words(sentence) >= 80  # one token is kept for the join
            for part in sentence.split() if too_long else [sentence]:
                here = pieces[at].text.find(part, found)
                while here < 0:
                    at, found = at + 1, 0
                    here = pieces[at].text.find(part)
                found = here + len(part)
            assert not too_long or pieces[at].split_sentence


def test_a_split_sentence_is_not_cut_after_a_lone_dash():
    text = "Word " * 45 + "end." + " - rest " + "Word " * 45 + "end."
    pieces = chunk_document(document(("", text)), words, target=60, maximum=80, minimum=40)
    assert len(pieces) > 1
    assert not any(piece.text.endswith("-") for piece in pieces)
