"""What the pipeline says in its own words: emergency and notice, deferral, failure. No one's words are in them."""

from __future__ import annotations

from rag.events import Failed, RiskFound
from rag.trace import Trace
from rag.types import Turn
from safety.assess import Assessor
from safety.types import RiskAssessment, RiskClass

__all__ = ["deferral", "failure", "risk_event"]


def risk_event(assessment: RiskAssessment, country: str | None, assessor: Assessor) -> RiskFound:
    """At R4 and R5 the banner with numbers and steps, below it a short notice."""
    if assessment.risk_class >= RiskClass.R4:
        emergency = assessor.emergency_text(assessment, country)
        text, numbers, steps = emergency.banner, emergency.numbers, emergency.steps
    else:
        text, numbers, steps = assessor.notice(assessment), {}, ()
    return RiskFound(
        risk_class=assessment.risk_class.name,
        rule_ids=assessment.rule_ids,
        banner=assessment.banner,
        text=text,
        numbers=numbers,
        steps=steps,
    )


def deferral(turn: Turn, trace: Trace) -> str:
    """Says what was searched and what to do instead, in none of the person's words."""
    assert trace.view is not None
    version = trace.view.version
    ways = {("vector", "keyword"): "by meaning and by keyword", ("vector",): "by meaning"}
    how = ways.get(trace.legs, "by keyword only")
    nearest = list(dict.fromkeys(e.chunk.title for e in trace.evidence))[:3]
    lines = [
        f"I did not find enough in my sources to answer this safely, so I will not guess. I searched the "
        f"{turn.collection!r} collection (version {version.corpus_version}, {version.chunks:,} passages) {how}, "
        f"without filters."
    ]
    if "margin" in trace.features:
        lines.append("My sources are in another language than the question; asking in English may find more.")
    if nearest:
        lines.append("The nearest topics in it are: " + "; ".join(nearest) + ".")
    lines.append(
        "A pharmacist, nurse or doctor can answer for your own case. If you feel very unwell or are worried about "
        "someone's safety, call your local emergency number."
    )
    return "\n\n".join(lines)


def failure(error: str | None) -> Failed:
    """The terminal event of a turn that could not be finished."""
    messages = {
        "corpus_missing": "This collection has nothing published yet: ingest documents into it, or choose another.",
        "provider_failed": "The answer could not be written just now. Please ask again in a moment.",
    }
    return Failed(
        code=error or "internal",
        message=messages.get(error or "", "Something went wrong on our side. Please ask again."),
        retryable=error != "corpus_missing",
    )
