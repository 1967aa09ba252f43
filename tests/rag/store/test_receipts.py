from __future__ import annotations

from typing import Any

import pytest

from rag.errors import StoreError
from rag.store import Store


def body(turn_id: str, status: str = "answered") -> dict[str, Any]:
    return {"id": turn_id, "status": status}


def test_a_turn_is_running_until_its_receipt_is_written(store: Store) -> None:
    store.receipts.open("t1", "health")
    assert store.receipts.get("t1") == {"id": "t1", "status": "running"}
    store.receipts.close(body("t1"))
    assert store.receipts.get("t1") == body("t1")
    assert store.receipts.get("t2") is None


def test_turns_that_a_crash_left_open_become_interrupted_receipts_once(store: Store) -> None:
    store.receipts.open("t1", "health")
    store.receipts.open("t2", "health")
    store.receipts.close(body("t2"))
    assert store.receipts.interrupt_open(lambda turn_id, _: body(turn_id, "interrupted")) == 1
    assert store.receipts.get("t1") == body("t1", "interrupted")
    assert store.receipts.get("t2") == body("t2")
    assert store.receipts.interrupt_open(lambda turn_id, _: body(turn_id, "interrupted")) == 0


def test_the_real_receipt_replaces_one_that_a_second_server_closed_as_interrupted(store: Store) -> None:
    store.receipts.open("t1", "health")
    store.receipts.interrupt_open(lambda turn_id, _: body(turn_id, "interrupted"))
    store.receipts.close(body("t1"))
    assert store.receipts.get("t1") == body("t1")
    assert store.db.read().execute("SELECT status FROM answer_receipts").fetchall() == [("answered",)]


def test_any_other_receipt_is_never_replaced(store: Store) -> None:
    store.receipts.close(body("t1"))
    with pytest.raises(StoreError, match="'t1' has a receipt already"):
        store.receipts.close(body("t1", "card"))
    assert store.receipts.get("t1") == body("t1")
