"""`GET /api/chunks/{chunk_id}`: the passage behind a marker, also when its document is gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from tests.app.service import DOCUMENTS, Service, ask, check_problem, publish, running
from tests.corpora import document, ingest_path, write_jsonl

ODD_IDS = ["odd:1#2", "a/b/c", "a%2Fb", "100%", "fièvre 発熱 🤒", "a?b=c&d", "../x", "a//b", "+ +", "x/"]


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("odd")
    with running(folder, documents={}) as service:
        records = [
            {
                "doc_id": f"doc-{n}",
                "chunk_id": name,
                "doc_title": f"Title {n}",
                "organization": "Test Institute",
                "text": f"Passage number {n} of this test.",
            }
            for n, name in enumerate(ODD_IDS)
        ]
        ingest_path(
            service.store, service.components.embedder, write_jsonl(folder / "odd.jsonl", records), corpus_version="v1"
        )
        yield service


def get(client: httpx.Client, chunk_id: str, **parameters: str) -> httpx.Response:
    return client.get(f"/api/chunks/{quote(chunk_id, safe='')}", params=parameters)


@pytest.mark.parametrize("chunk_id", ODD_IDS)
def test_any_id_opens_its_passage_when_it_is_percent_encoded(odd: Service, chunk_id: str) -> None:
    (stored,) = (
        row[0]
        for row in odd.store.db.read().execute(
            "SELECT chunk_id FROM chunks JOIN documents d ON d.id = document WHERE d.title = ?",
            (f"Title {ODD_IDS.index(chunk_id)}",),
        ).fetchall()
    )  # fmt: skip
    assert stored == chunk_id, "the reader changed the id: the test proves nothing"
    with odd.client() as client:
        answer = get(client, chunk_id)
        assert answer.status_code == 200, answer.text
        assert answer.json()["chunk_id"] == chunk_id
        assert answer.json()["text"] == f"Passage number {ODD_IDS.index(chunk_id)} of this test."
        assert get(client, chunk_id, corpus_version="v1").json() == answer.json()


def test_a_passage_has_its_provenance_and_no_key_of_the_database(client: httpx.Client) -> None:
    citation = ask(client)[-1].data["citations"][0]
    passage = get(client, citation["chunk_id"]).json()
    assert {key: passage[key] for key in ("title", "organization", "url", "version_date")} == {
        key: citation[key] for key in ("title", "organization", "url", "version_date")
    }
    assert passage["corpus_version"] == "v1"
    assert passage["licence"] == "CC0 1.0"
    assert passage["text"]
    assert "id" not in passage


def test_a_passage_says_when_its_source_was_seen_where_that_is_known(tmp_path: Path) -> None:
    texts = {
        "gout": document("Gout", ("Causes", "Gout comes from uric acid crystals."), date_seen="2026-11-30"),
        "asthma": document("Asthma", ("Symptoms", "The symptoms of asthma are wheezing and a cough.")),
    }
    with running(tmp_path, documents=texts) as service, service.client() as client:
        seen = {
            passage["doc_id"]: passage["date_seen"]
            for (name,) in service.store.db.read().execute("SELECT chunk_id FROM chunks").fetchall()
            for passage in [get(client, name).json()]
        }
    assert seen == {"gout": "2026-11-30", "asthma": None}


@pytest.mark.parametrize("chunk_id", ["no-such", "", "%", "a\x00b", "x" * 5_000, "' OR 1=1 --", "\ud7ff"])
def test_an_unknown_passage_is_a_404_that_does_not_repeat_its_id(client: httpx.Client, chunk_id: str) -> None:
    body = check_problem(get(client, chunk_id), 404, "passage_missing")
    assert "no-such" not in str(body)


def test_a_passage_is_not_found_in_a_version_that_did_not_have_it(client: httpx.Client) -> None:
    name = ask(client)[-1].data["citations"][0]["chunk_id"]
    check_problem(get(client, name, corpus_version="v0"), 404, "passage_missing")


def test_a_removed_passage_still_opens_and_a_changed_one_opens_as_it_was_cited(tmp_path: Path) -> None:
    with running(tmp_path) as service, service.client() as client:
        cited: dict[str, Any] = ask(client)[-1].data["citations"][0]
        before = get(client, cited["chunk_id"]).json()
        rest = {name: text for name, text in DOCUMENTS.items() if name != "quorvane"}
        publish(service.store, tmp_path / "documents", rest, version="v2")
        assert get(client, cited["chunk_id"]).json() == before
        assert get(client, cited["chunk_id"], corpus_version="v1").json() == before
        check_problem(get(client, cited["chunk_id"], corpus_version="v2"), 404, "passage_missing")
        changed = {**rest, "quorvane": document("Quorvane fever", ("Symptoms", "Quorvane fever has a green rash."))}
        publish(service.store, tmp_path / "documents", changed, version="v3")
        assert get(client, cited["chunk_id"], corpus_version="v1").json()["text"] == before["text"]
        events = ask(client)
        receipt = next(event.data for event in events if event.name == "receipt")
        assert receipt["corpus_version"] == "v3"
        new = next(source for source in receipt["retrieved_sources"] if source["doc_id"] == "quorvane")
        assert "green" in get(client, new["chunk_id"], corpus_version="v3").json()["text"]
