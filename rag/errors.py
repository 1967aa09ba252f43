"""The errors of the core, split by what the caller does next.

RagError
├── ProviderError          a provider failed; `retryable` says whether asking again can help
│   ├── ProviderTimeout    it did not answer in time
│   ├── ProviderBusy       it serves no request at present
│   ├── ProviderRejected   it answered no, and will again
│   ├── ProviderTooLarge   it takes less context than it was given
│   ├── ProviderUnusable   it answered, with nothing that can be used
│   └── NoProviderLeft     every configured provider failed
├── StoreError             the database cannot serve
│   ├── SchemaTooNew       the file was written by a newer Galen
│   ├── CorpusMissing      no such collection or version
│   ├── StoreBusy          another process holds what is needed
│   └── EmbedderMismatch   vectors of another model
├── IngestError            a document could not be taken in
│   ├── PermanentError     the input must change
│   └── TransientError     trying again can help
├── LexiconError           a table of the lexicon cannot be used
└── WebSourceError         the list of trusted web publishers cannot be used
"""

from __future__ import annotations

from enum import StrEnum

__all__ = [
    "CorpusMissing",
    "EmbedderMismatch",
    "ErrorKind",
    "IngestError",
    "LexiconError",
    "NoProviderLeft",
    "PermanentError",
    "ProviderBusy",
    "ProviderError",
    "ProviderRejected",
    "ProviderTimeout",
    "ProviderTooLarge",
    "ProviderUnusable",
    "RagError",
    "SchemaTooNew",
    "StoreBusy",
    "StoreError",
    "TransientError",
    "WebSourceError",
]


class RagError(Exception):
    """Any failure of the core. The message is written for an operator and never holds a person's words."""


class ErrorKind(StrEnum):
    """What went wrong with a provider, as health and receipts name it. One meaning each."""

    FAILED = "failed"  # in a way that has no name here
    UNREACHABLE = "unreachable"
    FIRST_TOKEN_TIMEOUT = "first_token_timeout"
    IDLE_TIMEOUT = "idle_timeout"
    DEADLINE = "deadline"  # the turn's time was up
    UNAUTHORIZED = "unauthorized"
    PAYMENT_REQUIRED = "payment_required"
    MODEL_UNAVAILABLE = "model_unavailable"  # unknown, or switched off
    RATE_LIMITED = "rate_limited"
    TOO_LARGE = "too_large"
    REJECTED = "rejected"
    UNAVAILABLE = "unavailable"  # the provider's own fault
    CUT = "cut"  # the stream ended without saying so
    MALFORMED = "malformed"
    EMPTY = "empty"
    REASONING_ONLY = "reasoning_only"
    CIRCUIT_OPEN = "circuit_open"  # not asked, since it failed lately


class ProviderError(RagError):
    """A provider failed. `retry_after` is how many seconds it wants to be left alone, None where it does not say."""

    retryable = False

    def __init__(
        self, message: str = "", *, kind: ErrorKind = ErrorKind.FAILED, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.kind, self.retry_after = kind, retry_after


class ProviderTimeout(ProviderError):
    """The provider did not answer in time."""

    retryable = True


class ProviderBusy(ProviderError):
    """The provider serves no request at present: too many of them, or out of order."""

    retryable = True


class ProviderRejected(ProviderError):
    """The provider refused, and would again."""


class ProviderTooLarge(ProviderError):
    """The provider takes less context than it was given."""


class ProviderUnusable(ProviderError):
    """The provider answered, with nothing that can be used: empty, reasoning alone, cut, not in its own form."""


class NoProviderLeft(ProviderError):
    """Every configured provider failed."""


class StoreError(RagError):
    """The database cannot serve."""


class SchemaTooNew(StoreError):
    """The database was written by a newer Galen than this one."""


class CorpusMissing(StoreError):
    """No such collection, or no such corpus version in it."""


class StoreBusy(StoreError):
    """Another process holds the lock that is needed."""


class EmbedderMismatch(StoreError):
    """The stored vectors belong to another model than the one that asks."""


class IngestError(RagError):
    """A document could not be taken in."""


class PermanentError(IngestError):
    """The input must change before it can be taken in."""


class TransientError(IngestError):
    """Trying again can help."""


class LexiconError(RagError):
    """A table of the lexicon cannot be used. The message names file, term and field."""


class WebSourceError(RagError):
    """The list of trusted web publishers cannot be used. The message names file, row and field."""
