"""Exact references in a text: provisions of law, recitals, FHIR resources and profiles, ICD-10 and ATC codes.

A reference is written in many ways ("Article 9(2)(a)", "Art. 9 Abs. 2 lit. a DSGVO", "第9条第2款") and has one token
per level, which the keyword index holds for passages and a question is searched by. Reads a text in linear time.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = [
    "OF_REGULATIONS",
    "Reference",
    "asks_whole",
    "find_references",
    "headed_references",
    "index_tokens",
    "named_regulation",
    "readings",
]


@dataclass(frozen=True, kw_only=True)
class Reference:
    """What is referred to. `regulation` is "gdpr", "ehds" or None where the text does not name it.

    `kind` is "article", "recital", "annex", "chapter", "section", "schedule", "rule" (a numbered regulation of a UK
    instrument), "principle", "standard", "code" (ICD-10, ATC), "resource" (FHIR), "profile" (UK Core) or "record"
    (a synthetic patient); `path` goes from the whole to the part: ("9", "2", "a") for Article 9(2)(a), ("e11", "9") for
    E11.9.
    """

    kind: str
    path: tuple[str, ...]
    regulation: str | None = None

    @property
    def token(self) -> str:
        """One index term. The last letter keeps the stemmer off it, the ones between keep levels apart."""
        return f"ref{self.regulation or ''}{self.kind}{'x'.join(self.path)}q"

    def levels(self) -> Iterator[Reference]:
        """This reference, then what it is a part of: Article 9(2)(a), Article 9(2), Article 9."""
        for depth in range(len(self.path), 0, -1):
            if self.path[depth - 1]:
                yield Reference(kind=self.kind, path=self.path[:depth], regulation=self.regulation)

    def of(self, regulation: str | None) -> Reference:
        return Reference(kind=self.kind, path=self.path, regulation=regulation)


# --- regulations --------------------------------------------------------------------------------------------------

_REGULATIONS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "ehds",
        re.compile(
            r"(?<![a-z])(ehds|eeds|2025/327|european health data space|europäische[nrs]? (?:gesundheitsdaten)?raum\w*"
            r"|espace européen des données de santé|espacio europeo de datos (?:de salud|sanitarios)"
            r"|spazio europeo dei dati sanitari|espaço europeu de dados de saúde"
            r"|europese ruimte voor gezondheidsgegevens|europejsk\w+ przestrze\w+ danych dotyczących zdrowia)(?![a-z])",
            re.IGNORECASE,
        ),
    ),
    (
        "gdpr",
        re.compile(
            r"(?<![a-z])(gdpr|dsgvo|ds-gvo|rgpd|rodo|2016/679|general data protection regulation"
            r"|datenschutz-?\s?grundverordnung|règlement général sur la protection des données"
            r"|reglamento general de protección de datos|regolamento generale sulla protezione dei dati"
            r"|regulamento geral (?:sobre a|de) proteção de dados|algemene verordening gegevensbescherming"
            r"|rozporządzeni\w+ o ochronie danych)(?![a-z])|(?-i:\bAVG\b)",
            re.IGNORECASE,
        ),
    ),
)


def named_regulation(text: str) -> str | None:
    """The regulation that a text names, "gdpr" or "ehds"; None for neither or both."""
    found = [name for name, pattern in _REGULATIONS if pattern.search(text)]
    return found[0] if len(found) == 1 else None


_SUBJECTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "ehds",
        re.compile(
            r"\b(secondary use|primary use|health data access bod|data permit|health data (?:holder|user)"
            r"|ehr system|wellness app|myhealth@eu|healthdata@eu|electronic health data|digital health authorit"
            r"|health data space)",
            re.IGNORECASE,
        ),
    ),
    (
        "gdpr",
        re.compile(
            r"\b(data protection officer|dpo|dpia|impact assessment|data subjects?|controllers?|processors?"
            r"|special categor|lawful(?:ness)?|personal data breach|codes? of conduct|binding corporate rules"
            r"|supervisory authorit|profiling|portability|erasure)",
            re.IGNORECASE,
        ),
    ),
)
"""Terms of one regulation, by which a provision without a name is told."""


_OTHER_LAW = re.compile(
    r"\b(?:acts?|directive|convention|charter|treaty|constitution|code|echr|tfeu|teu|nis\s?2|hipaa|mdr|ivdr|dsa|dma|dga|"
    r"eprivacy|bdsg|stgb|bgb|sgb|ccpa|pipl|lgpd|ki-vo|ai-vo|kvkk|gesetz|richtlinie|grundgesetz|loi|directiva|ley|"
    r"constitución|legge|direttiva|costituzione|lei|diretiva|wet|richtlijn|ustawa|dyrektywa|konstytucj\w+)\b"
    r"|\b(?:regulation|verordnung|règlement) \((?:eu|ec|ue|eg)\) (?:no |nr\.? )?\d",
    re.IGNORECASE,
)
"""Names of other laws, whose articles are none of ours whatever their number."""


def readings(reference: Reference, text: str) -> tuple[Reference, ...]:
    """What a reference of a question may mean: itself, or, where the text names no regulation for a provision, that
    provision of the regulation whose terms are used, or else of the GDPR first, then of any."""
    if reference.regulation is not None or reference.kind not in OF_REGULATIONS:
        return (reference,)
    if _OTHER_LAW.search(text):
        return (reference.of("other"),)
    spoken = next((name for name, subjects in _SUBJECTS if subjects.search(text)), None)
    return (reference.of(spoken),) if spoken else (reference.of("gdpr"), reference)


_BESIDE_A_PROFILE = re.compile(r"\b(?:uk|core|fhir|hl7|profiles?|resources?|the|an?|what|is|explain|about)\b|\W", re.I)


def asks_whole(references: Sequence[Sequence[Reference]], text: str) -> bool:
    """Whether a question asks for whole provisions and nothing smaller, or for a profile and nothing of it."""
    asked = [reading for readings in references for reading in readings]
    if not asked or any(len(reading.path) > 1 for reading in asked):
        return False
    if all(reading.kind in _NAMES for reading in asked):
        return True
    left = _BESIDE_A_PROFILE.sub("", text).casefold().removeprefix("ukcore")
    return all(reading.path[0] == left for reading in asked)


# --- provisions ---------------------------------------------------------------------------------------------------

_KINDS: tuple[tuple[str, str], ...] = (
    (
        "article",
        r"articles?|artikeln?|artikels|artículos?|articulos?|articol[oi]|artigos?|artyku[łl]\w*|art|arts|статья|статьи"
        r"|ст|madde|điều|المادة|مادة|अनुच्छेद|অনুচ্ছেদ|آرٹیکل|kifungu cha|kifungu|มาตรา|ข้อ",
    ),
    ("recital", r"recitals?|erwägungsgr[uü]nde?|erwägungsgrundes|considérants?|considerandos?|considerandi|overwegingen"
                r"|overweging|motyw\w*|rec"),
    ("annex", r"annex|anhang|annexe|anexo|allegato|bijlage|załącznik|приложение|附件|附属書"),
    ("chapter", r"chapter|kapitel|chapitre|capítulo|capitolo|hoofdstuk|rozdział"),
    ("section", r"section|sec|s(?=\.\s?\d)|s(?=\d{2,3}(?!\w))"),
    ("schedule", r"schedule|sch"),
    ("rule", r"regulation|reg(?=s?\.?\s\d)"),
    ("principle", r"principle"),
    ("standard", r"(?:data security )?standard"),
)  # fmt: skip
_NAMES = tuple(kind for kind, _ in _KINDS)
OF_REGULATIONS = frozenset(["article", "recital", "annex", "chapter"])
"""Kinds whose numbers mean something only with a law."""
_WHOLE = frozenset(["recital", "chapter", "principle", "standard"])
"""Kinds that have no parts to refer to."""

_ROMAN = r"[IVX]{1,6}"
_HEAD = re.compile(
    "|".join(
        rf"(?P<{kind}>(?<!\w)(?:{words})\.?\s{{0,2}}\(?(?P<{kind}_n>\d{{1,3}}[a-z]?(?!\w)"
        + (rf"|(?-i:{_ROMAN})(?!\w)" if kind in ("annex", "chapter") else "")
        + r")(?:\.?o\b|\.(?=\s[a-z]))?\)?)"
        for kind, words in _KINDS
    )
    + r"|(?P<cjk>第\s{0,2}(?P<cjk_n>\d{1,3})\s{0,2}条)|(?P<korean>(?:제\s{0,2})?(?P<korean_n>\d{1,3})\s{0,2}조)"
    + r"|(?P<bare>(?<![\w(./-])(?P<bare_n>\d{1,3}[a-z]?)(?=\(\d{1,2}[a-z]?\)(?:\([a-z]{1,2}\)|(?![\w(]))))",
    re.IGNORECASE,
)
_PARAGRAPH = (
    r"paragraphs?|paragraphe|paragrafo|paras?|par|absatz|abs|§|apartado|comma|n\.?\s?[º°o]|número|nr|no|lid|ustęp|ust"
    r"|points?(?=\s\(?\d)|al(?=\.?\s?\d)|пункт|часть|ч|п(?=\.?\s?\d)|fıkra|khoản|الفقرة"
)
_POINT = (
    r"points?|litera|lit|lettera|letter|lett|letra|buchstaben?|buchst|alínea|al|onder|sub|punkt|pkt|подпункт|пп|bent"
    r"|điểm|النقطة"
)
_TAIL = re.compile(
    rf"\s{{0,2}}[,.]?\s{{0,2}}(?:"
    rf"\(\s?(?P<p1>\d{{1,2}}[a-z]?)\s?\)|\.(?P<p2>\d{{1,2}})(?![\d.]*\d)|(?P<p6>\d{{1,2}})\s(?P<x6>[a-z])(?!\w)|(?-i:(?P<r>[IVX]{{1,4}}))(?=\s[a-z]\))"
    rf"|(?:{_PARAGRAPH})\.?\s{{0,2}}\(?(?P<p3>\d{{1,2}}[a-z]?)\)?(?!\w)"
    rf"|第?\s?(?P<p4>\d{{1,2}})\s?[款項项]|제?\s?(?P<p5>\d{{1,2}})\s?항"
    rf"|[(（]\s?(?P<x1>[a-z]{{1,2}}|[ivx]{{1,4}})\s?[)）]\s?[项号項]?|\.(?P<x2>[a-z])(?!\w)\)?"
    rf"|(?:{_POINT})\.?\s{{0,2}}\(?(?P<x3>[a-z]{{1,2}})\)?(?!\w)|第?\s?(?P<x4>[a-z])\s?[项号項]|(?P<x5>[a-z])\)(?!\w)|(?<=\))(?P<x7>[a-z])(?!\w)"
    rf"|(?P<o>first|second|third|fourth|fifth|sixth|seventh)\s(?:sub)?para(?:graph)?(?!\w))",
    re.IGNORECASE,
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")
# "point (a) of Article 9(2)", "paragraph 2 of Article 9", "Absatz 2 des Artikels 9", "letra a) del artículo 9"
_OF = r"\s(?:of|in|under|to|des|der|von|de|del|della|dell['’]|do|da|van)(?:\s(?:the|l['’]))?\s{0,2}$"
_BEFORE_POINT = re.compile(rf"(?<!\w)(?:{_POINT})\.?\s{{0,2}}\(?(?P<x>[a-z]{{1,2}})\)?{_OF}", re.IGNORECASE)
_BEFORE_PARAGRAPH = re.compile(rf"(?<!\w)(?:{_PARAGRAPH})\.?\s{{0,2}}\(?(?P<p>\d{{1,2}}[a-z]?)\)?{_OF}", re.IGNORECASE)
_ROMANS = {"I": 1, "II": 2, "III": 3, "IV": 4, "V": 5, "VI": 6, "VII": 7, "VIII": 8, "IX": 9, "X": 10}
_LOOK_BACK = 40  # characters before "Article" that may name a point of it
_LOOK_AHEAD = 70  # characters behind the number that may hold paragraph and point


_AND = re.compile(
    r"\s{0,2}(?:(?P<comma>,)|,?\s?(?:and|und|et|y|ed|e|or|oder|ou|o|en|of|i|lub|&)(?=\s)|(?P<range>–|-|to|bis|à|al|tot|do))"
    r"\s{0,2}(?P<n>\d{1,3})(?![\w/.)]|\s?(?:days?|hours?|years?|months?|weeks?|tage?|jahre?|%))",
    re.IGNORECASE,
)
_PLURAL = re.compile(
    r"articles|arts|artikeln|artículos|articoli|artigos|artykuły|artykułów|recitals|considérants", re.I
)
_RANGE = 15  # "Articles 15 to 22": a longer range names no provision


def _provisions(text: str) -> Iterator[tuple[int, Reference]]:
    for head in _HEAD.finditer(text):
        kind = next(k for k in (*_NAMES, "cjk", "korean", "bare") if head[k])
        number, end = head[f"{kind}_n"].lower(), head.end()
        parts: list[str] = []
        if kind not in _WHOLE:
            parts, end = _parts(text, head)
        if kind in ("cjk", "korean", "bare"):
            kind = "article"
        yield head.start(), Reference(kind=kind, path=(number, *parts))
        for more in _further(text, end, number, plural=bool(_PLURAL.match(head[0]))):
            yield head.start(), Reference(kind=kind, path=(more,))


def _further(text: str, at: int, first: str, *, plural: bool) -> Iterator[str]:
    """The other numbers of "Articles 13 and 14", "Articles 15, 16 and 17", "recitals 51 to 53"."""
    last = first
    while (found := _AND.match(text, at)) is not None:
        if found["comma"] and not plural:
            return
        if found["range"] and last.isdigit() and 0 < int(found["n"]) - int(last) <= _RANGE:
            yield from map(str, range(int(last) + 1, int(found["n"])))
        elif found["range"]:
            return
        yield found["n"]
        last, at = found["n"], found.end()


def _parts(text: str, head: re.Match[str]) -> tuple[list[str], int]:
    """Paragraph, point and sub-point of an article, from what stands behind its number or, in full words, before it;
    and where that ends."""
    at, end = head.end(), min(len(text), head.end() + _LOOK_AHEAD)
    paragraph = point = part = ""
    while (tail := _TAIL.match(text, at, end)) is not None:
        groups = {name[0]: value for name, value in tail.groupdict().items() if value}
        if "o" in groups:
            groups["p"] = str(_ORDINALS.index(groups["o"].lower()) + 1)
        if "r" in groups:
            groups["p"] = str(_ROMANS[groups["r"].upper()]) if groups["r"].upper() in _ROMANS else ""
        if ("p" in groups and (paragraph or point)) or ("x" in groups and part):
            break
        paragraph = groups.get("p", paragraph)
        if "x" in groups:
            point, part = (point, groups["x"]) if point else (groups["x"], "")
        at = tail.end()
    before = text[max(0, head.start() - _LOOK_BACK) : head.start()]
    if not point and (found := _BEFORE_POINT.search(before)):
        point = found["x"]
    if not paragraph and (found := _BEFORE_PARAGRAPH.search(before)):
        paragraph = found["p"]
    path = [paragraph, point, part] if point else [paragraph]  # an article of one paragraph can have points
    while path and not path[-1]:
        path.pop()
    return [step.lower() for step in path], at


# --- codes and profiles -------------------------------------------------------------------------------------------

_ATC = re.compile(r"\b([A-DG-HJLMNPRSV]\d{2}[A-Z]{2}\d{2})\b")
_ICD = re.compile(r"\b([A-TV-Z]\d{2})(?:\.(\d{1,4}))?\b(?![.\w-])")
_PROFILE = re.compile(r"\buk\s?core[-\s]{0,2}([a-z]{4,40})", re.IGNORECASE)


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_RECORD = re.compile(r"\bsyn[-\s]?(\d{3})\b", re.IGNORECASE)
_RESOURCES = _names(
    "Account ActivityDefinition AdverseEvent AllergyIntolerance Appointment AppointmentResponse AuditEvent Basic "
    "Binary BodyStructure Bundle CapabilityStatement CarePlan CareTeam ChargeItem Claim ClaimResponse "
    "ClinicalImpression CodeSystem Communication CommunicationRequest Composition ConceptMap Condition Consent "
    "Contract Coverage DetectedIssue Device DeviceMetric DeviceRequest DeviceUseStatement DiagnosticReport "
    "DocumentManifest DocumentReference Encounter Endpoint EpisodeOfCare FamilyMemberHistory Flag Goal Group "
    "GuidanceResponse HealthcareService ImagingStudy Immunization ImplementationGuide List Location Measure "
    "MeasureReport Medication MedicationAdministration MedicationDispense MedicationKnowledge MedicationRequest "
    "MedicationStatement MessageDefinition MessageHeader NamingSystem NutritionOrder Observation OperationOutcome "
    "Organization Parameters Patient PlanDefinition Practitioner PractitionerRole Procedure Provenance "
    "Questionnaire QuestionnaireResponse RelatedPerson RequestGroup ResearchStudy ResearchSubject RiskAssessment "
    "Schedule SearchParameter ServiceRequest Slot Specimen StructureDefinition Subscription Substance Task "
    "ValueSet VisionPrescription"
)
"""FHIR R4 resource types of health records (HL7 FHIR 4.0.1, https://hl7.org/fhir/R4/resourcelist.html)."""
_SPACED = {re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower(): name.lower() for name in _RESOURCES}
_RESOURCE = re.compile(
    r"\bfhir(?:\s(?:r4|r5|stu3))?\s(?P<after>NAMES)\b|\b(?P<before>NAMES)\s(?:fhir\s)?(?:resource|profile)s?\b".replace(
        "NAMES", "|".join(sorted({re.escape(n) for n in (*_SPACED, *_SPACED.values())}, key=len, reverse=True))
    ),
    re.IGNORECASE,
)


def _codes(text: str) -> Iterator[tuple[int, Reference]]:
    for match in _ATC.finditer(text):
        yield match.start(), Reference(kind="code", path=(match[1].lower(),))
    for match in _ICD.finditer(text):
        yield match.start(), Reference(kind="code", path=tuple(part.lower() for part in match.groups() if part))
    for match in _PROFILE.finditer(text):
        yield match.start(), Reference(kind="profile", path=(match[1].lower(),))
    for match in _RECORD.finditer(text):
        yield match.start(), Reference(kind="record", path=(match[1],))
    for match in _RESOURCE.finditer(text):
        name = (match["after"] or match["before"]).lower()
        yield match.start(), Reference(kind="resource", path=(_SPACED.get(name, name),))


# --- both ---------------------------------------------------------------------------------------------------------


def find_references(text: str, regulation: str | None = None) -> tuple[Reference, ...]:
    """The references of a text, each once, in order. A provision is of the regulation that the text names (the
    nearest, where it names two), else of `regulation`: a passage's title tells what its headings are of."""
    text = _plain_digits(unicodedata.normalize("NFKC", text))
    named = [(match.start(), name) for name, pattern in _REGULATIONS for match in pattern.finditer(text)]
    found = [
        (at, ref.of(_nearest(named, at) or regulation) if ref.kind in OF_REGULATIONS else ref)
        for at, ref in _provisions(text)
    ]
    found += _codes(text)
    return tuple(dict.fromkeys(ref for _, ref in sorted(found, key=lambda pair: pair[0])))


def _nearest(named: list[tuple[int, str]], at: int) -> str | None:
    """The regulation named nearest to a place; texts that name one very often are read at their first 50 places."""
    return min(((abs(place - at), name) for place, name in named[:50]), default=(0, None))[1]


def headed_references(title: str, heading: str) -> tuple[tuple[Reference, ...], tuple[Reference, ...]]:
    """The references of a passage's title and of its heading path. What a title or a part of the path opens with is of
    the title's own regulation, whatever other it names: "EHDS Article 65: Relationship with … Regulation 2016/679"."""
    of_title = find_references(title)
    opening = of_title[0].regulation if of_title else None
    own = opening or named_regulation(title) or named_regulation(heading)
    of_heading: dict[Reference, None] = {}
    for part in heading.split(" › "):
        for place, reference in enumerate(find_references(part, own)):
            opens = not place and reference.kind in OF_REGULATIONS and _HEAD.match(part)
            of_heading[reference.of(own) if opens and own else reference] = None
    return of_title, tuple(of_heading)


def index_tokens(references: Sequence[Reference]) -> str:
    """The tokens that a passage is found by: those of every level, with and without the regulation's name."""
    tokens: dict[str, None] = {}
    for reference in references:
        for level in reference.levels():
            tokens[level.token] = None
            tokens[level.of(None).token] = None
    return " ".join(tokens)


def _plain_digits(text: str) -> str:
    """Digits of every script as 0 to 9, for "المادة ٩" and "अनुच्छेद ९"."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.digit(c)) if c.isdigit() and not c.isascii() else c for c in text)
