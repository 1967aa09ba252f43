from __future__ import annotations

from pathlib import Path

from evals.suites.gate_report import Decided, deferral, draw


def _decided(answerable: bool, opens: bool) -> Decided:
    return Decided(stratum="x", answerable=answerable, opens=opens, confidence=float(opens))


def test_deferral_counts_what_was_deferred_rightly_of_both() -> None:
    decided = [_decided(True, True), _decided(True, False), _decided(False, False), _decided(False, True)]
    assert [d.right for d in decided] == [True, False, True, False]
    assert deferral(decided) == ((1, 2), (1, 2))
    assert deferral([]) == ((0, 0), (0, 0))


def test_the_curve_is_drawn_as_a_png(tmp_path: Path) -> None:
    draw(tmp_path / "risk.png", {"a gate": ([0.5, 1.0], [0.0, 0.25])})
    assert (tmp_path / "risk.png").read_bytes().startswith(b"\x89PNG")
