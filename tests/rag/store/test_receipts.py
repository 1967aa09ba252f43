from __future__ import annotations

from typing import Any

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
