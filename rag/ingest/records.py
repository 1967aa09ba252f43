"""The values that ingest reads, and the rules that a field of a record must keep.

    raw mapping + Defaults → Provenance → Document(sections) → pieces (`rag.ingest.chunk`)

A record that breaks a rule becomes a `BadRecord` that names file, line and field; the others go on.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date
from functools import cached_property
from hashlib import sha256
from urllib.parse import urlsplit

from rag.ingest.clean import clean_line, clean_text
from rag.text import fold, fold_space

__all__ = [
    "DEFAULT_RANK",
    "HEADING_SEPARATOR",
    "BadRecord",
    "Defaults",
    "Document",
    "FieldError",
    "Limits",
    "Provenance",
    "Raw",
    "Repeated",
    "Section",
    "check_defaults",
    "derived_doc_id",
    "optional_line",
    "parse_provenance",
    "required_line",
    "required_text",
    "same_words",
]

HEADING_SEPARATOR = " › "
LOWEST_RANK = 9
DEFAULT_RANK = 5


@dataclass(frozen=True, kw_only=True)
class Section:
    """A stretch of text under one heading; `heading` is the path of headings joined with " › ", "" at the
    top.
    """

    heading: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """Where a document comes from, validated. Dates are ISO 8601 (year, month or day); rank 1 is most binding.

    `version_date` is the source's own date, `date_seen` the day on which someone read it.
    """

    organization: str
    url: str | None = None
    version_date: str | None = None
    lang: str = "en"
    topic: str = ""
    licence: str = ""
    jurisdiction: str | None = None
    doc_type: str | None = None
    hierarchy_rank: int = DEFAULT_RANK
    effective_from: str | None = None
    date_seen: str | None = None


@dataclass(frozen=True, kw_only=True)
class Document:
    """One document, ready to be chunked. `given_chunk_ids` holds one id or None per section.

    `origin` says where it was read ("who.jsonl:12") and takes no part in its identity.
    """

    doc_id: str
    title: str
    organization: str
    url: str | None = None
    version_date: str | None = None
    lang: str = "en"
    topic: str = ""
    licence: str = ""
    jurisdiction: str | None = None
    doc_type: str | None = None
    hierarchy_rank: int = DEFAULT_RANK
    effective_from: str | None = None
    date_seen: str | None = None
    sections: tuple[Section, ...]
    given_chunk_ids: tuple[str | None, ...]
    origin: str

    @classmethod
    def of(
        cls,
        provenance: Provenance,
        *,
        doc_id: str,
        title: str,
        sections: tuple[Section, ...],
        origin: str,
        given_chunk_ids: tuple[str | None, ...] | None = None,
    ) -> Document:
        """A document with the fields of `provenance`; without `given_chunk_ids` no section has one."""
        ids = given_chunk_ids if given_chunk_ids is not None else (None,) * len(sections)
        return cls(
            doc_id=doc_id,
            title=title,
            sections=sections,
            given_chunk_ids=ids,
            origin=origin,
            **vars(provenance),
        )

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 over everything but `origin`: equal hash, nothing to do.

        A field that came later counts only where it is given, so that documents without it stay as they are.
        """
        content = asdict(self)
        del content["origin"]
        if self.date_seen is None:
            del content["date_seen"]
        canonical = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return sha256(canonical.encode()).hexdigest()

    @cached_property
    def identity_hash(self) -> str:
        """SHA-256 over title and text without case, width and spacing: equal hash, the same words twice."""
        words = " ".join([self.title, *(section.text for section in self.sections)])
        return sha256(same_words(words).encode()).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """A passage that its document has already, in the same words under the same heading: it is left out."""

    doc_id: str
    origin: str


@dataclass(frozen=True, kw_only=True)
class BadRecord:
    """A record that could not be taken in, and why. `line` and `field` are None where there is none to name."""

    file: str
    line: int | None = None
    field: str | None = None
    reason: str

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{where}: {self.reason}" if self.field is None else f"{where}: field {self.field!r}: {self.reason}"


@dataclass(frozen=True, kw_only=True)
class Defaults:
    """What fills the gaps of a record."""

    organization: str | None = None
    licence: str | None = None
    version_date: str | None = None
    lang: str = "en"
    topic: str = ""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one read may take. `max_file_bytes` counts what a file holds once it is decompressed."""

    max_file_bytes: int = 2 * 1024**3
    max_record_chars: int = 2_000_000
    max_records: int = 2_000_000


class FieldError(ValueError):
    """A field breaks its rule. Caught where file and line are known; it never leaves the readers."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


# --- fields -------------------------------------------------------------------------------------------------

Raw = Mapping[str, object]

_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")
_LANGUAGE = re.compile(r"([A-Za-z]{2,3})((?:[-_][A-Za-z0-9]{2,8})*)")
_LANGUAGE_FORM = "use one such as 'en' or 'pt-BR'"
LINE_CHARS = 1_000
"""Characters of a title, an organisation or another field of one line: receipts and pages show it whole."""

_SLUG_CHARS = 60


def parse_provenance(raw: Raw, defaults: Defaults) -> Provenance:
    """The provenance of a record, gaps filled from `defaults`. Raises FieldError."""
    organization = optional_line(raw, "organization") or defaults.organization
    if not organization:
        raise FieldError("organization", "is missing: add it to the record or give --organization")
    return Provenance(
        organization=organization,
        url=_url(raw),
        version_date=_date(raw, "version_date") or defaults.version_date,
        lang=_language(raw) or defaults.lang,
        topic=optional_line(raw, "topic") or defaults.topic,
        licence=optional_line(raw, "licence") or defaults.licence or "",
        jurisdiction=optional_line(raw, "jurisdiction"),
        doc_type=optional_line(raw, "doc_type"),
        hierarchy_rank=_rank(raw),
        effective_from=_date(raw, "effective_from"),
        date_seen=_date(raw, "date_seen"),
    )


def check_defaults(defaults: Defaults) -> None:
    """Raises FieldError for a default that a record would be refused for."""
    _date({"version_date": defaults.version_date}, "version_date")
    if _language({"lang": defaults.lang}) is None:
        raise FieldError("lang", f"is empty: {_LANGUAGE_FORM}")


def required_text(raw: Raw, field: str) -> str:
    """A field of running text, cleaned. Raises FieldError when it is missing, empty or no string."""
    return _required(raw, field, clean_text(_string(raw, field) or ""))


def required_line(raw: Raw, field: str) -> str:
    """A field that is one line, cleaned. Raises FieldError when it is missing, empty, too long or no string."""
    return _required(raw, field, _line(raw, field))


def optional_line(raw: Raw, field: str) -> str | None:
    """A field that is one line, cleaned, or None. Raises FieldError when it is too long or no string."""
    return _line(raw, field) or None


def _line(raw: Raw, field: str) -> str:
    line = clean_line(_string(raw, field) or "")
    if len(line) > LINE_CHARS:
        raise FieldError(field, f"has {len(line):,} characters; a line has at most {LINE_CHARS:,}")
    return line


def same_words(text: str) -> str:
    """A text without case, width and spacing: what is equal then are the same words twice."""
    return fold_space(unicodedata.normalize("NFKC", text).casefold())


def derived_doc_id(title: str, provenance: Provenance) -> str:
    """A readable id that stays equal as long as organisation, title and url do, in any script."""
    words = re.findall(r"[a-z0-9]+", fold(f"{provenance.organization} {title}"))
    key = "\n".join([provenance.organization, title, provenance.url or ""])
    slug = "-".join(words)[:_SLUG_CHARS].strip("-")
    return f"{slug or 'doc'}-{sha256(key.encode()).hexdigest()[:10]}"


def _required(raw: Raw, field: str, value: str) -> str:
    if not value:
        raise FieldError(field, "is missing" if raw.get(field) is None else "is empty")
    return value


def _string(raw: Raw, field: str) -> str | None:
    value = raw.get(field)
    if value is None or isinstance(value, str):
        return value
    if field == "doc_id" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise FieldError(field, f"must be a string, not {_kind(value)}")


def _kind(value: object) -> str:
    """The JSON name of a value's type, with its article."""
    names = {
        bool: "a boolean",
        int: "a number",
        float: "a number",
        list: "a list",
        dict: "an object",
        str: "a string",
    }
    return names.get(type(value), type(value).__name__)


def _date(raw: Raw, field: str) -> str | None:
    value = raw.get(field)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)  # a year
    text = optional_line({field: value}, field)
    if text is None:
        return None
    match = _DATE.fullmatch(text)
    try:
        if match is None:
            raise ValueError
        date(int(match[1]), int(match[2] or 1), int(match[3] or 1))
    except ValueError:
        raise FieldError(field, f"{text[:40]!r} is no date: use YYYY, YYYY-MM or YYYY-MM-DD") from None
    return text


def _url(raw: Raw) -> str | None:
    text = optional_line(raw, "url")
    if text is None:
        return None
    try:
        parts = urlsplit(text)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and " " not in text
    except ValueError:  # a broken IPv6 host
        usable = False
    if not usable:
        raise FieldError("url", f"{text[:80]!r} is no http or https address")
    return text


def _language(raw: Raw) -> str | None:
    text = optional_line(raw, "lang")
    if text is None:
        return None
    match = _LANGUAGE.fullmatch(text)
    if match is None:
        raise FieldError("lang", f"{text[:40]!r} is no language tag: {_LANGUAGE_FORM}")
    return match[1].lower() + match[2].replace("_", "-")


def _rank(raw: Raw) -> int:
    value = raw.get("hierarchy_rank")
    if value is None:
        return DEFAULT_RANK
    if not isinstance(value, int) or isinstance(value, bool):
        shown = repr(value[:40]) if isinstance(value, str) else _kind(value)
        raise FieldError("hierarchy_rank", f"must be a whole number from 1 to {LOWEST_RANK}, not {shown}")
    if not 1 <= value <= LOWEST_RANK:
        raise FieldError("hierarchy_rank", f"must be from 1 to {LOWEST_RANK}, not {value}")
    return value
