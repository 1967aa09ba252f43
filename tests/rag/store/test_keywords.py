from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag.references import find_references
from rag.store import Store
from rag.store.check import check_corpus
from rag.store.keywords import MAX_TERMS, POSTINGS_BUDGET, search_form
from tests.corpora import document, ingest_path, write_documents
from tests.fakes.embedder import HashEmbedder

DOCUMENTS = {
    "covid": document(
        "COVID-19", ("Symptoms", "COVID-19 can cause fever and a cough. What's more, it can cause chest pain.")
    ),
    "ibuprofen-zh": document("布洛芬", ("用法", "布洛芬退烧剂量每次400毫克。"), lang="zh"),
    "headache-ja": document("頭痛", ("症状", "頭痛は頭の痛みです。薬を飲む前に相談してください。"), lang="ja"),
    "fever-hi": document("बुखार", ("लक्षण", "बुखार में शरीर का तापमान बढ़ जाता है।"), lang="hi"),
    "dose": document(
        "Pain relief", ("Strengths", "Tablets of 400 mg and of 0.5 mg/kg exist. NSAIDs can hurt the stomach.")
    ),
    "wait-th": document("ไข้", ("อาการ", "ไข้หวัดใหญ่ทำให้มีไข้สูงและปวดเมื่อยตามตัว"), lang="th"),
    "gdpr-9": document(
        "GDPR Article 9: Special categories",
        ("Article 9(2)(a): consent", "Processing is allowed with explicit consent. See Article 89(1)."),
        ("Article 9(2)(h): care", "Processing is allowed where it is needed for medical care."),
    ),
    "ehds-9": document("EHDS Article 9: Information", ("Article 9(2): logs", "Accesses are shown for three years.")),
    "fievre": document("Fièvre", ("Symptômes", "La fièvre est une élévation de la température."), lang="fr"),
}


def found(store: Store, text: str) -> list[str]:
    view = store.views.get("health")
    hits = store.keywords.search(text, 10, view.keys, view.indexed)
    chunks = store.corpus.chunks([key for key, _ in hits])
    return [chunks[key].doc_id for key, _ in hits]


@pytest.fixture
def filled(store: Store, embedder: HashEmbedder, tmp_path: Path) -> Store:
    ingest_path(store, embedder, write_documents(tmp_path / "docs", DOCUMENTS))
    return store


@pytest.mark.parametrize(
    ("text", "doc"),
    [
        ("COVID-19", "covid"),
        ("what's covid-19?", "covid"),
        ("chest pain?", "covid"),
        ('"chest" AND (pain OR NOT fever) NEAR/2 *', "covid"),
        ("0.5 mg/kg", "dose"),
        ("400mg tablet", "dose"),
        ("400 mg tablets", "dose"),
        ("NSAID", "dose"),
        ("布洛芬", "ibuprofen-zh"),
        ("退烧", "ibuprofen-zh"),
        ("頭痛", "headache-ja"),
        ("बुखार", "fever-hi"),
        ("fievre", "fievre"),
        ("ปวดเมื่อย", "wait-th"),
        ("ไข้หวัดใหญ่", "wait-th"),
    ],
)
def test_peoples_words_find_what_they_mean(filled: Store, text: str, doc: str) -> None:
    assert found(filled, text)[0] == doc


@pytest.mark.parametrize(
    "text", ["", " ", "*", '"', "AND", "NOT", "- - -", "\x00", "🙂", "col:umn", "a*b^2", "{x} : y"]
)
def test_odd_words_are_never_an_error(filled: Store, text: str) -> None:
    found(filled, text)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=200))
def test_no_text_is_syntax(filled: Store, text: str) -> None:
    found(filled, text)


def test_strengths_and_unspaced_scripts_have_one_form() -> None:
    assert search_form("400 mg") == search_form("400mg") == search_form("４００ mg")
    assert search_form("布洛芬").split() == ["布洛", "洛芬"]
    assert search_form("痛").split() == ["痛"]
    assert search_form("in 2 grams of") == "in 2 grams of"


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("Art. 9 Abs. 2 lit. h DSGVO", ["gdpr-9 Article 9(2)(h): care"]),
        ("Article 9(2)", [
            "gdpr-9 Article 9(2)(a): consent", "gdpr-9 Article 9(2)(h): care", "ehds-9 Article 9(2): logs",
        ]),
        ("Article 9 of the EHDS", ["ehds-9 Article 9(2): logs"]),
        ("Article 89(1) GDPR", []),  # mentioned in a text, carried by no heading
        ("Article 9(2)(i) GDPR", []),
    ],
)  # fmt: skip
def test_a_heading_carries_its_reference(filled: Store, text: str, headings: list[str]) -> None:
    view = filled.views.get("health")
    [reference] = find_references(text)
    keys = filled.keywords.carrying(reference, view.keys)
    chunks = filled.corpus.chunks(keys)
    assert sorted(f"{chunks[key].doc_id} {chunks[key].heading}" for key in keys) == sorted(headings)


def test_a_mentioned_reference_is_a_word_of_the_text(filled: Store) -> None:
    [reference] = find_references("Article 89(1) GDPR")
    assert found(filled, reference.token) == ["gdpr-9"]


def test_an_index_of_another_form_is_built_anew_at_start(filled: Store, embedder: HashEmbedder) -> None:
    path, before = filled.db.path, found(filled, "chest pain")
    with filled.db.write() as connection:
        connection.execute("INSERT INTO chunks_fts (chunks_fts) VALUES ('delete-all')")
        connection.execute("UPDATE derived SET form = 1 WHERE name = 'keywords'")
    assert found(filled, "chest pain") == []
    again = Store(path, embedder.info)
    assert found(again, "chest pain") == before
    assert not again.keywords.bring_up_to_date()
    assert check_corpus(again.db) == ()
    again.close()


def test_a_question_of_common_words_keeps_its_rare_ones(store: Store) -> None:
    counts = {"the": 20_000, "of": 18_000, "pain": 900, "sciatica": 12, "unknown": 0}
    store.keywords._frequency = counts.__getitem__  # type: ignore[assignment]
    store.keywords._counted_at = 24_000
    kept = store.keywords.within_budget(list(counts), 24_000)
    assert kept == ["sciatica", "pain"]


def test_the_posting_budget_bounds_a_long_question(store: Store) -> None:
    counts = {f"w{n}": 2_000 for n in range(MAX_TERMS)}
    store.keywords._frequency = counts.__getitem__  # type: ignore[assignment]
    store.keywords._counted_at = 24_000
    kept = store.keywords.within_budget(list(counts), 24_000)
    assert sum(counts[term] for term in kept) <= POSTINGS_BUDGET


def test_when_all_words_are_common_the_two_rarest_stay(store: Store) -> None:
    counts = {"the": 4_500, "of": 1_600, "and": 1_300}
    store.keywords._frequency = counts.__getitem__  # type: ignore[assignment]
    store.keywords._counted_at = 10_000
    assert store.keywords.within_budget(list(counts), 10_000) == ["and", "of"]


def test_rows_of_other_collections_never_crowd_out_a_hit(store: Store, embedder: HashEmbedder, tmp_path: Path) -> None:
    crowd = {f"c{n}": document(f"Rash {n}", ("Rash", f"A rash rash rash rash number {n}.")) for n in range(60)}
    ingest_path(store, embedder, write_documents(tmp_path / "crowd", crowd), collection="other")
    own = {"own": document("Skin", ("About", "Somewhere in this long text about skin there is one rash to be found."))}
    ingest_path(store, embedder, write_documents(tmp_path / "own", own))
    assert found(store, "rash") == ["own"]


def test_a_limit_is_kept_and_scores_fall(filled: Store) -> None:
    view = filled.views.get("health")
    hits = filled.keywords.search("fever pain cause", 2, view.keys, view.indexed)
    assert len(hits) == 2
    assert hits[0][1] >= hits[1][1] > 0
    assert filled.keywords.search("fever", 5, np.array([], np.int64), view.indexed) == []
