"""What the pipeline says in its own words: emergency and notice, deferral, failure. No one's words are in them."""

from __future__ import annotations

from collections.abc import Sequence

from rag.events import Failed, RiskFound
from rag.trace import Trace
from rag.types import COMMENTARY_RANK, LAW_COLLECTION, Turn
from safety.assess import Assessor
from safety.types import RiskAssessment, RiskClass

__all__ = ["deferral", "difference", "failure", "risk_event", "source_notes"]


def risk_event(assessment: RiskAssessment, country: str | None, assessor: Assessor) -> RiskFound:
    """In an emergency or a crisis the banner or the calm words with the numbers, else a short notice."""
    if assessment.risk_class >= RiskClass.R4 or assessment.crisis_line:
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


def deferral(turn: Turn, trace: Trace, assessor: Assessor) -> str:
    """Says what was searched and what to do instead, in none of the person's words."""
    assert trace.view is not None
    assert trace.query is not None
    language = turn.language or trace.query.language

    def say(key: str, **names: str) -> str:
        return assessor.text(key, language=language).format(**names)

    version = trace.view.version
    ways = {("vector", "keyword"): "how_both", ("vector",): "how_meaning"}
    nearest = list(dict.fromkeys(e.chunk.title for e in trace.evidence if not e.chunk.web))[:3]
    lines = [
        say(
            "deferral",
            collection=repr(turn.collection),
            version=version.corpus_version,
            passages=f"{version.chunks:,}",
            how=say(ways.get(trace.legs, "how_keyword")),
        )
    ]
    if "margin" in trace.features:
        lines.append(say("deferral_language"))
    if "web_asked" in trace.steps:
        lines.append(say("deferral_web"))
    if nearest:
        lines.append(say("deferral_topics", topics="; ".join(nearest)))
    lines.append(say("deferral_advice_law" if turn.collection == LAW_COLLECTION else "deferral_advice"))
    return "\n\n".join(lines)


def source_notes(turn: Turn, trace: Trace, assessor: Assessor) -> str:
    """Behind an answer, which of its sources are web pages and which are comments; "" where it cites neither."""
    assert trace.query is not None
    cited = {n: e.chunk for n, e in enumerate(trace.evidence, start=1) if n in trace.used}
    groups = {
        "web_note": [n for n, chunk in cited.items() if chunk.web],
        "low_rank_note": [n for n, chunk in cited.items() if chunk.hierarchy_rank >= COMMENTARY_RANK],
    }
    language = turn.language or trace.query.language
    return "".join(
        "\n\n" + assessor.text(key, language=language).format(markers=_markers(group))
        for key, group in groups.items()
        if group
    )


def difference(turn: Turn, trace: Trace, markers: Sequence[int], assessor: Assessor) -> str:
    """Behind a sentence, that the sources with these markers do not agree on it."""
    assert trace.query is not None
    said = assessor.text("sources_differ", language=turn.language or trace.query.language)
    return f" ({said.format(markers=_markers(markers))})"


def _markers(numbers: Sequence[int]) -> str:
    return " ".join(f"[{n}]" for n in sorted(set(numbers)))


_FAILURES = {"corpus_missing": "failed_missing", "provider_failed": "failed_provider"}


def failure(error: str | None, language: str | None, assessor: Assessor) -> Failed:
    """The terminal event of a turn that could not be finished."""
    return Failed(
        code=error or "internal",
        message=assessor.text(_FAILURES.get(error or "", "failed_internal"), language=language),
        retryable=error != "corpus_missing",
    )
