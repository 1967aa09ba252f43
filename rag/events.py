"""The events of a turn, defined once. Each wire in `app.wire` encodes them; a JSON answer is a fold over them.

Order: start, risk?, (card | sources? delta*), receipt, then exactly one of done or error; status may stand anywhere
between start and receipt. A turn that the database does not take ends with error alone, without a receipt.
"""

from __future__ import annotations

from dataclasses import dataclass

from rag.receipt import Receipt
from rag.types import Citation, Evidence, Status

__all__ = [
    "CardShown",
    "Delta",
    "Done",
    "Event",
    "Failed",
    "ReceiptReady",
    "RiskFound",
    "SourcesFound",
    "Stage",
    "Started",
]


@dataclass(frozen=True, kw_only=True)
class Started:
    """Sent before retrieval. `ignored` lists request keys that were not understood (names only)."""

    id: str
    collection: str
    corpus_version: str | None
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Stage:
    """What is being done now: "retrieving", "answering"."""

    stage: str


@dataclass(frozen=True, kw_only=True)
class RiskFound:
    """R2 and above. At R4/R5 `text` is the banner and `steps` what to do; else a short notice."""

    risk_class: str
    rule_ids: tuple[str, ...]
    banner: bool
    text: str
    numbers: dict[str, str]
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SourcesFound:
    """The numbered evidence that the answer may cite: marker n is evidence[n-1]."""

    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, kw_only=True)
class Delta:
    """A reviewed piece of the answer; never taken back."""

    text: str


@dataclass(frozen=True, kw_only=True)
class CardShown:
    kind: str
    text: str


@dataclass(frozen=True, kw_only=True)
class ReceiptReady:
    receipt: Receipt


@dataclass(frozen=True, kw_only=True)
class Done:
    status: Status
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Failed:
    """The turn could not be finished. `code` is stable, `message` says what to do and holds no one's words."""

    code: str
    message: str
    retryable: bool = True


Event = Started | Stage | RiskFound | SourcesFound | Delta | CardShown | ReceiptReady | Done | Failed
