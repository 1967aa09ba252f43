from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rag.fusion import reciprocal_rank_fusion
from rag.protocols import FloatMatrix
from rag.references import find_references
from rag.retrieve import Retrieval, Retriever
from rag.store import Store, View
from rag.thresholds import Fusion
from rag.types import Filters, Query
from tests.corpora import document, ingest_path, qa_records, write_documents, write_jsonl
from tests.fakes.embedder import HashEmbedder
from tests.fakes.evidence import passage

FUSION = Fusion(dense=1.0, keyword=1.0, dense_rewritten=1.0, keyword_rewritten=1.0, k=60)

DOCUMENTS = {
    "asthma": document("Asthma", ("Symptoms", "Asthma causes wheezing and a cough."), topic="lungs"),
    "bronchitis": document("Bronchitis", ("Symptoms", "Bronchitis causes a cough with mucus."), topic="lungs"),
    "gout": document(
        "Gout", ("Causes", "Gout comes from uric acid crystals."), topic="joints", organization="Joint Trust"
    ),
    "gicht": document("Gicht", ("Ursachen", "Gicht entsteht durch Harnsäure."), topic="joints", lang="de"),
    "eczema": document("Eczema", ("Symptoms", "Eczema makes skin itchy and dry."), topic="skin"),
}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Searching changes nothing, so one database does for all."""
    folder = tmp_path_factory.mktemp("retrieve")
    store = Store(folder / "galen.db", HashEmbedder().info)
    ingest_path(store, HashEmbedder(), write_documents(folder / "docs", DOCUMENTS))
    yield store
    store.close()


@pytest.fixture
def view(filled: Store) -> View:
    return filled.views.get("health")


@pytest.fixture
def retriever(filled: Store) -> Retriever:
    return Retriever(store=filled, fusion=FUSION)


def vector_of(text: str) -> FloatMatrix:
    return HashEmbedder().embed([text], "query")[0]


def found(retrieval: Retrieval) -> list[str]:
    return [e.chunk.doc_id for e in retrieval.evidence]


def test_both_legs_are_fused_by_rank_with_their_weights(filled: Store, view: View) -> None:
    text = "what causes a cough"
    vector = vector_of(text)
    fusion = Fusion(dense=3.0, keyword=0.5, dense_rewritten=1.0, keyword_rewritten=1.0, k=20)
    retrieval = Retriever(store=filled, fusion=fusion).search(view, Query(text=text), (vector,))
    assert view.index is not None
    legs = {
        "dense": [key for key, _ in view.index.search(vector, 50)],
        "keyword": [key for key, _ in filled.keywords.search(text, 50, view.keys, view.indexed)],
    }
    expected = reciprocal_rank_fusion(legs, {"dense": 3.0, "keyword": 0.5}, 20)
    assert {e.chunk.id: e.scores.fused for e in retrieval.evidence} == expected
    assert [e.scores.fused for e in retrieval.evidence] == sorted(expected.values(), reverse=True)


def test_every_score_keeps_its_name_and_scale(retriever: Retriever, view: View) -> None:
    first = retriever.search(view, Query(text="wheezing"), (vector_of("wheezing"),)).evidence[0]
    assert first.chunk.doc_id == "asthma"
    assert first.scores.fused == pytest.approx(1 / 61 + 1 / 61)
    assert first.scores.dense is not None
    assert 0.2 < first.scores.dense < 1
    assert first.scores.keyword is not None
    assert first.scores.keyword > 0
    assert first.scores.rerank is None


def test_a_passage_that_only_the_vector_leg_ranked_has_no_keyword_score(retriever: Retriever, view: View) -> None:
    scores = {
        e.chunk.doc_id: e.scores
        for e in retriever.search(view, Query(text="wheezing"), (vector_of("wheezing"),)).evidence
    }
    assert scores["eczema"].keyword is None
    assert scores["eczema"].dense is not None


def test_a_passage_that_only_the_keyword_leg_ranked_gets_its_cosine(filled: Store, view: View) -> None:
    retriever = Retriever(
        store=filled, fusion=Fusion(dense=0.1, keyword=1.0, dense_rewritten=1.0, keyword_rewritten=1.0, k=60), _pool=1
    )
    vector = vector_of("itchy dry skin")  # the one candidate of the vector leg is eczema
    first = retriever.search(view, Query(text="uric acid"), (vector,), 1).evidence[0]
    assert first.chunk.doc_id == "gout"
    assert view.index is not None
    assert first.scores.dense == pytest.approx(view.index.cosines(vector, [first.chunk.id])[first.chunk.id])


def test_ties_are_broken_by_chunk_id_and_not_by_the_order_of_rows(store: Store, tmp_path: Path) -> None:
    """Two passages of the same fused score: each is first in one leg and not in the other."""
    records = [
        {"doc_id": "b", "question": "Gout", "answer": "Gout comes from uric acid.", "organization": "Test"},
        {"doc_id": "a", "question": "Eczema", "answer": "Eczema makes skin itchy.", "organization": "Test"},
    ]
    ingest_path(store, HashEmbedder(), write_jsonl(tmp_path / "qa.jsonl", records))
    retriever = Retriever(store=store, fusion=FUSION, _pool=1)
    view = store.views.get("health")
    for words, meaning in (("uric acid", "itchy skin"), ("itchy skin", "uric acid")):
        retrieval = retriever.search(view, Query(text=words), (vector_of(meaning),), 1)
        assert found(retrieval) == ["a"]


def test_without_a_vector_keywords_go_on_alone_and_that_is_said(retriever: Retriever, view: View) -> None:
    heavy = replace(
        retriever, fusion=Fusion(dense=1.0, keyword=0.0, dense_rewritten=1.0, keyword_rewritten=1.0, k=60)
    )  # a weight between two legs
    retrieval = heavy.search(view, Query(text="wheezing cough"), ())
    assert retrieval.degraded == ("vectors",)
    assert found(retrieval) == ["asthma", "bronchitis"]
    assert {e.scores.dense for e in retrieval.evidence} == {None}
    assert [e.scores.fused for e in retrieval.evidence] == pytest.approx([1 / 61, 1 / 62])


def test_a_collection_without_vectors_is_searched_by_keyword(tmp_path: Path) -> None:
    store = Store(tmp_path / "plain.db", HashEmbedder().info)
    ingest_path(store, None, write_documents(tmp_path / "docs", DOCUMENTS), keyword_only=True)
    view = store.views.get("health")
    retrieval = Retriever(store=store, fusion=FUSION).search(view, Query(text="wheezing"), (vector_of("wheezing"),))
    assert (found(retrieval), retrieval.degraded) == (["asthma"], ("vectors",))
    store.close()


def test_with_vectors_nothing_is_degraded(retriever: Retriever, view: View) -> None:
    assert retriever.search(view, Query(text="wheezing"), (vector_of("wheezing"),)).degraded == ()


def test_without_hybrid_only_the_vectors_rank(retriever: Retriever, view: View) -> None:
    vector = (vector_of("itchy dry skin"),)
    dense_only = replace(retriever, hybrid=False).search(view, Query(text="uric acid crystals"), vector)
    assert found(dense_only)[0] == "eczema"
    assert {e.scores.keyword for e in dense_only.evidence} == {None}


def test_without_hybrid_and_without_a_vector_the_keyword_leg_takes_over(retriever: Retriever, view: View) -> None:
    retrieval = replace(retriever, hybrid=False).search(view, Query(text="uric acid"), ())
    assert (found(retrieval), retrieval.degraded) == (["gout"], ("vectors",))


def test_the_limit_is_top_k_unless_given(retriever: Retriever, view: View) -> None:
    vector = (vector_of("cough"),)
    assert len(replace(retriever, top_k=2).search(view, Query(text="cough"), vector).evidence) == 2
    assert len(replace(retriever, top_k=2).search(view, Query(text="cough"), vector, 4).evidence) == 4


@pytest.mark.parametrize("with_vector", [True, False])
@pytest.mark.parametrize(
    ("filters", "allowed"),
    [
        (Filters(languages=("de",)), {"gicht"}),
        (Filters(topics=("lungs",)), {"asthma", "bronchitis"}),
        (Filters(organizations=("Joint Trust",)), {"gout"}),
        (Filters(topics=("joints", "skin"), languages=("en",)), {"gout", "eczema"}),
        (Filters(topics=("nothing of that name",)), set()),
    ],
)
def test_filters_hold_in_both_legs(
    retriever: Retriever, view: View, filters: Filters, allowed: set[str], with_vector: bool
) -> None:
    text = "cough wheezing uric acid Harnsäure itchy"
    query = Query(text=text, filters=filters)
    retrieval = retriever.search(view, query, (vector_of(text),) if with_vector else ())
    assert set(found(retrieval)) == allowed


def test_the_same_search_gives_the_same_result_every_time(store: Store, embedder: HashEmbedder, tmp_path: Path) -> None:
    ingest_path(store, embedder, write_jsonl(tmp_path / "qa.jsonl", qa_records(60)))
    view = store.views.get("health")
    retriever = Retriever(store=store, fusion=FUSION)
    query, vector = Query(text="symptoms of Syndrome tired rashes"), vector_of("symptoms of Syndrome tired rashes")
    runs = [retriever.search(view, query, (vector,)) for _ in range(4)]
    assert runs[1:] == runs[:-1]
    assert len(set(found(runs[0]))) == 6


@pytest.mark.parametrize("text", ["", "?", "OR NOT NEAR", '"', "0.5 mg/kg", "zzqx"])
def test_a_question_without_known_words_finds_what_is_near_in_meaning_or_nothing(
    retriever: Retriever, view: View, text: str
) -> None:
    assert len(retriever.search(view, Query(text=text), (vector_of(text),)).evidence) == 5
    assert retriever.search(view, Query(text=text), ()).evidence == ()


def test_a_passage_whose_title_is_the_question_comes_first(store: Store, tmp_path: Path) -> None:
    records = [
        {"doc_id": f"d{n}", "question": title, "answer": f"Gout treatment text {n}.", "organization": "Test"}
        for n, title in enumerate(["Gout and its treatment", "What are the treatments for Gout ?", "Gout treatments"])
    ]
    ingest_path(store, HashEmbedder(), write_jsonl(tmp_path / "qa.jsonl", records))
    view, retriever = store.views.get("health"), Retriever(store=store, fusion=FUSION)
    asked = "what are the treatments for gout?"
    for vectors in ((), (vector_of("Gout and its treatment Gout treatment text 0."),)):
        assert found(retriever.search(view, Query(text=asked), vectors))[0] == "d1"
    assert retriever.search(view, Query(text=asked), ()).carried is None


# --- coverage


def test_coverage_is_the_share_of_the_terms_weighted_by_rarity(retriever: Retriever, view: View) -> None:
    retrieval = retriever.search(view, Query(text="itchy cough"), ())
    rows = view.indexed
    itchy, cough = (math.log((rows - df + 0.5) / (df + 0.5)) for df in (1, 2))
    assert rows == 5
    assert dict(zip(found(retrieval), retrieval.coverage, strict=True)) == pytest.approx(
        {"eczema": itchy / (itchy + cough), "asthma": cough / (itchy + cough), "bronchitis": cough / (itchy + cough)}
    )


def test_a_word_that_no_passage_has_counts_as_the_rarest(retriever: Retriever, view: View) -> None:
    known = max(retriever.search(view, Query(text="wheezing"), ()).coverage)
    with_stranger = max(retriever.search(view, Query(text="wheezing zzqx"), ()).coverage)
    assert known == 1.0
    assert with_stranger < 0.5


def test_the_title_counts_for_coverage(retriever: Retriever, view: View) -> None:
    retrieval = retriever.search(view, Query(text="bronchitis mucus"), ())
    assert (found(retrieval)[0], retrieval.coverage[0]) == ("bronchitis", pytest.approx(1.0))


def test_the_heading_counts_for_coverage(store: Store, tmp_path: Path) -> None:
    answer = {"answer": "It goes away.", "organization": "Test"}
    records = [{"doc_id": "a", "question": "Zorblax", **answer}, {"doc_id": "b", "question": "Other", **answer}]
    records += [{"doc_id": f"c{n}", "question": f"Thing {n}", **answer, "answer": f"Text {n}."} for n in range(4)]
    ingest_path(store, HashEmbedder(), write_jsonl(tmp_path / "qa.jsonl", records))
    retrieval = Retriever(store=store, fusion=FUSION).search(store.views.get("health"), Query(text="zorblax"), ())
    assert (found(retrieval)[0], retrieval.coverage[0]) == ("a", pytest.approx(1.0))


def test_words_of_the_question_s_type_are_no_topic(retriever: Retriever, view: View) -> None:
    plain = retriever.search(view, Query(text="wheezing"), (vector_of("x"),))
    wordy = retriever.search(view, Query(text="What are the symptoms of wheezing, doctor?"), (vector_of("x"),))
    by_document = [dict(zip(found(r), r.coverage, strict=True)) for r in (plain, wordy)]
    assert by_document[0] == by_document[1]
    assert retriever.search(view, Query(text="what are the symptoms"), (vector_of("x"),)).coverage == ()


def test_words_that_most_passages_have_weigh_nothing(store: Store, tmp_path: Path) -> None:
    ingest_path(store, HashEmbedder(), write_jsonl(tmp_path / "qa.jsonl", qa_records(8)))
    retriever, view = Retriever(store=store, fusion=FUSION), store.views.get("health")
    assert retriever.search(view, Query(text="rashes"), (vector_of("rashes"),)).coverage == ()
    covered = retriever.search(view, Query(text="rashes mark3"), (vector_of("rashes mark3"),))
    assert dict(zip(found(covered), covered.coverage, strict=True))["qa-00003"] == 1.0


# --- other languages


def test_across_languages_words_rank_nothing_and_cover_nothing(retriever: Retriever, view: View) -> None:
    """A French question shares only accidents with an English corpus ("pain" is bread)."""
    query = Query(text="uric acid crystals", language="fr")
    retrieval = retriever.search(view, query, (vector_of("itchy dry skin"),))
    assert found(retrieval)[0] == "eczema"
    assert {e.scores.keyword for e in retrieval.evidence} == {None}
    assert retrieval.coverage == ()


def test_a_language_of_the_corpus_is_searched_by_its_words(retriever: Retriever, view: View) -> None:
    retrieval = retriever.search(view, Query(text="Harnsäure", language="de"), (vector_of("itchy dry skin"),))
    assert {e.chunk.doc_id: e.scores.keyword is not None for e in retrieval.evidence}["gicht"]
    assert retrieval.coverage


def test_without_vectors_words_are_all_there_is_in_any_language(retriever: Retriever, view: View) -> None:
    retrieval = retriever.search(view, Query(text="uric acid", language="fr"), ())
    assert (found(retrieval), retrieval.coverage) == (["gout"], ())


# --- exact references


@pytest.fixture
def law(store: Store, tmp_path: Path) -> Store:
    article = document(
        "GDPR Article 9: Special categories",
        ("Article 9(1): the rule", "Processing of health data is prohibited."),
        ("Article 9(2)(a): consent", "Processing is allowed with explicit consent."),
        ("Article 9(2)(h): care", "Processing is allowed where medical care needs it."),
        ("Article 9(4): national law", "Member States may add conditions (a) for health data."),
    )
    ingest_path(store, HashEmbedder(), write_documents(tmp_path / "law", {"gdpr-9": article}))
    return store


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("9(2)(h)", "Article 9(2)(h): care"),
        ("9(4)", "Article 9(4): national law"),
        ("9(4)(a)", "Article 9(4): national law"),  # its points have no headings
        ("9(2)(z)", None),  # other points of the paragraph have
        ("9(7)", None),
        ("99", None),
    ],
)
def test_the_passage_of_an_asked_provision_comes_first(law: Store, text: str, heading: str | None) -> None:
    references = tuple((reference,) for reference in find_references(f"GDPR Article {text}"))
    query = Query(text="medical consent conditions", references=references)
    found = Retriever(store=law, fusion=FUSION).search(law.views.get("health"), query, ())
    assert found.carried == (heading is not None)
    if heading:
        assert found.evidence[0].chunk.heading == heading


GDPR_URL = "https://eur-lex.europa.eu/eli/reg/2016/679/oj/eng"


@pytest.mark.parametrize(
    ("question", "title", "heading", "url", "carried"),
    [
        (
            "Article 9(2)(h) GDPR",
            "General Data Protection Regulation",
            "Article 9 › Article 9(2)(h)",
            "https://x.eu",
            True,
        ),
        ("Article 9 GDPR", "L_2016119EN", "CHAPTER II › Article 9", GDPR_URL, True),
        ("Article 9(2)(h) GDPR", "L_2016119EN", "CHAPTER II › Article 9", GDPR_URL, False),
        ("Article 9 GDPR", "Regulation (EU) 2019/881", "Article 9", "https://eur-lex.europa.eu/2019/881", False),
        ("Article 9 GDPR", "European Health Data Space", "Article 9", "https://x.eu", False),
        ("Article 9 GDPR", "About the GDPR", "History", "https://x.eu", False),
        ("UKCore-Patient", "UKCore-Patient", "", "https://fhir.hl7.org.uk", True),
    ],
)
def test_a_passage_from_elsewhere_carries_a_provision_of_the_law_that_it_names(
    law: Store, question: str, title: str, heading: str, url: str, carried: bool
) -> None:
    page = passage("Some text.", title=title, heading=heading, url=url, web=True)
    query = Query(text=question, references=tuple((reference,) for reference in find_references(question)))
    judged = Retriever(store=law, fusion=FUSION).judge(law.views.get("health"), query, (page,))
    assert judged.carried == carried


def test_passages_from_elsewhere_are_judged_by_what_they_hold(retriever: Retriever, view: View) -> None:
    pages = (passage("Zorblax heals a quillbike."), passage("Nothing of it."))
    judged = retriever.judge(view, Query(text="zorblax quillbike"), pages)
    assert judged.coverage == (1.0, 0.0)
    assert all(topic.known for topic in judged.topics)
    assert judged.carried is None
    assert retriever.judge(view, Query(text="zorblax quillbike"), ()).coverage == ()


def test_a_translated_question_is_ranked_by_its_english_words_first(filled: Store, view: View) -> None:
    fusion = Fusion(dense=4.0, keyword=1.0, dense_rewritten=1.0, keyword_rewritten=1.0, k=20)
    vectors = (vector_of("uric acid crystals"), vector_of("itchy dry skin"))
    for by, first in (("lexicon", "gout"), ("translated", "eczema")):
        query = Query(text="zzq", language="pl", rewritten="zzqq", rewritten_by=(by,))
        assert found(Retriever(store=filled, fusion=fusion).search(view, query, vectors))[0] == first


@pytest.mark.parametrize("with_vectors", [True, False])
def test_both_sides_of_a_comparison_come_first_in_turn(retriever: Retriever, view: View, with_vectors: bool) -> None:
    text = "a cough with wheezing mucus: eczema or gout?"
    plain = Query(text=text)
    sides = Query(text=text, compares=True, side_queries=("eczema itchy skin", "gout uric acid"))
    vectors = [vector_of(t) for t in sides.searched] if with_vectors else []
    assert found(retriever.search(view, plain, vectors[:1]))[:2] != ["eczema", "gout"]
    assert found(retriever.search(view, sides, vectors))[:2] == ["eczema", "gout"]


def test_first_aid_is_found_from_its_first_step_on(tmp_path: Path) -> None:
    """A section in two passages, of which the question finds the second: its first steps come with it."""
    store = Store(tmp_path / "galen.db", HashEmbedder().info)
    first = "Press firmly on the wound. Call the emergency number. " + "Keep the person calm and warm. " * 60
    steps = f"{first}\n\n{'Tie a tourniquet above the knee. ' * 60}"
    documents = {
        "bleeding": document("Bleeding", ("What to do now", steps)),
        "knots": document("Knots", ("Notes", "Tie a rope above the knee of the mast.")),
    }
    ingest_path(store, HashEmbedder(), write_documents(tmp_path / "docs", documents))
    query = Query(text="tie a tourniquet above the knee")
    retriever = Retriever(store=store, fusion=FUSION, top_k=3)
    evidence = retriever.search(store.views.get("health"), query, (vector_of(query.text),)).evidence
    assert [(e.chunk.doc_id, e.chunk.ordinal) for e in evidence] == [("bleeding", 2), ("bleeding", 0), ("bleeding", 1)]
    store.close()
