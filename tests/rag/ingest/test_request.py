"""Names and defaults that nothing could carry are refused before anything is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.errors import PermanentError
from rag.ingest.records import Defaults
from rag.ingest.run import IngestRequest, ingest
from rag.store import Store
from tests.corpora import write_documents
from tests.fakes.embedder import HashEmbedder
from tests.rag.ingest.basics import BASICS


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"collection": ""}, r"The collection '' is no name: use 1 to 64 of A-Z a-z 0-9"),
        ({"collection": "../up"}, r"The collection '\.\./up' is no name"),
        ({"collection": "x" * 65}, "The collection"),
        ({"collection": "health\n"}, "The collection"),
        ({"source": " "}, "The source ' ' is no name: use 1 to 100 characters without a slash"),
        ({"source": "a/b"}, "The source 'a/b'"),
        ({"source": "x" * 101}, "The source"),
        ({"corpus_version": ""}, "The corpus version ''"),
        ({"corpus_version": "a\x1b[2J"}, "The corpus version"),
        ({"defaults": Defaults(version_date="spring")}, "version_date: 'spring' is no date: use YYYY"),
        ({"defaults": Defaults(lang="English please")}, "lang: 'English please' is no language tag: use one such as"),
        ({"defaults": Defaults(lang="")}, "lang: is empty: use one such as 'en'"),
    ],
)
def test_names_and_defaults_that_nothing_could_carry_are_refused(
    store: Store, tmp_path: Path, change: dict[str, object], sentence: str
) -> None:
    folder = write_documents(tmp_path / "docs", BASICS)
    request = {"path": folder, "collection": "health", "source": "test", **change}
    with pytest.raises(PermanentError, match=sentence):
        ingest(store, HashEmbedder(), IngestRequest(**request))  # type: ignore[arg-type]
    assert store.corpus.collections() == ()


def test_names_in_any_script_and_every_form_of_date_are_accepted(store: Store, tmp_path: Path) -> None:
    folder = write_documents(tmp_path / "docs", BASICS)
    request = IngestRequest(
        path=folder,
        collection="Health_2.x-a",
        source="指南 (2026)",
        corpus_version="été 1",
        defaults=Defaults(version_date="2026-11", lang="pt-BR"),
    )
    assert ingest(store, HashEmbedder(), request).corpus_version == "été 1"
