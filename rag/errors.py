"""The errors of the core, split by what the caller does next.

RagError
├── ProviderError          a provider failed; `retryable` says whether asking again can help
│   ├── ProviderTimeout    it did not answer in time
│   ├── ProviderBusy       it serves no request at present
│   ├── ProviderRejected   it answered no, and will again
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

__all__ = [
    "CorpusMissing",
    "EmbedderMismatch",
    "IngestError",
    "LexiconError",
    "NoProviderLeft",
    "PermanentError",
    "ProviderBusy",
    "ProviderError",
    "ProviderRejected",
    "ProviderTimeout",
    "RagError",
    "SchemaTooNew",
    "StoreBusy",
    "StoreError",
    "TransientError",
    "WebSourceError",
]


class RagError(Exception):
    """Any failure of the core. The message is written for an operator and never holds a person's words."""


class ProviderError(RagError):
    """A provider failed."""

    retryable = False


class ProviderTimeout(ProviderError):
    """The provider did not answer in time."""

    retryable = True


class ProviderBusy(ProviderError):
    """The provider serves no request at present: too many of them, or out of order."""

    retryable = True


class ProviderRejected(ProviderError):
    """The provider refused, and would again."""


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
