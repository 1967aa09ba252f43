"""Judges the evidence as a set: correct, ambiguous or incorrect, with the features that say so."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from rag.kind import Kind
from rag.question import heading_kinds, question_kinds
from rag.thresholds import GateModel
from rag.types import Grade, GradeLabel, Query, Retrieval

__all__ = ["grade", "label_of", "probability"]

_HEADINGS = 3
"""Best passages whose section may answer the question's type."""

_NUMBER = re.compile(
    r"\bhow (?:much|many|often|big|common|likely)\b|\b(?:dose|dosage|mg|mcg|ml|cost|costs|price|percent(?:age)?|rate"
    r"|average|prevalence|statistics|number of|what age)\b|%",
    re.IGNORECASE,
)
"""Asks for a number: near misses ask for one that no passage gives."""


def grade(retrieval: Retrieval, query: Query, model: GateModel) -> Grade:
    """The grade of what was retrieved. A feature that does not exist (no vectors, no topics) is left out, not zero.

    Features: `dense`, the best cosine; `coverage` and `first`, the share of the question's topics that the best
    covering and the first passage hold, by rarity; `concept`, that share of what the lexicon knows; `missing`, the
    weight of the rarest topic that no passage of the evidence holds, and `unknown`, the share of those that the whole
    corpus lacks; `section`, whether a section of the asked type is among the best; `number`, whether a number is
    asked for; `margin` and `reference` as in `Retrieval`.
    """
    features: dict[str, float] = {}
    cosines = [e.scores.dense for e in retrieval.evidence if e.scores.dense is not None]
    if cosines:
        features["dense"] = max(cosines)
    if retrieval.topics and retrieval.evidence:
        features |= _of_topics(retrieval)
        kinds = {kind for kind in question_kinds(query.focus or query.text, query.language) if kind is not Kind.ANY}
        sections = (heading_kinds(e.chunk.heading) for e in retrieval.evidence[:_HEADINGS])
        features["section"] = float(any(kinds & section for section in sections))
        features["number"] = float(bool(_NUMBER.search(query.text)))
    if retrieval.margin is not None:
        features["margin"] = retrieval.margin
    if retrieval.carried is not None:
        features["reference"] = float(retrieval.carried)
    label = label_of(features, model) if retrieval.evidence else GradeLabel.INCORRECT
    return Grade(label=label, features=features)


def _of_topics(retrieval: Retrieval) -> dict[str, float]:
    topics, coverage = retrieval.topics, retrieval.coverage
    total = sum(topic.weight for topic in topics)
    concepts = [topic for topic in topics if topic.concept]
    of_concepts = sum(topic.weight for topic in concepts)
    held = [
        sum(topic.weight for topic in concepts if topic.held[n]) / of_concepts if of_concepts else 0.0
        for n in range(len(retrieval.evidence))
    ]
    return {
        "coverage": max(coverage),
        "first": coverage[0],
        "concept": max(held),
        "missing": max((topic.weight for topic in topics if not any(topic.held)), default=0.0),
        "unknown": sum(topic.weight for topic in topics if not topic.known) / total,
    }


def label_of(features: Mapping[str, float], model: GateModel) -> GradeLabel:
    """The label of a set with these features.

    An exact reference decides alone: a passage whose heading carries it is the answer, without one there is none.
    Where question and corpus share no words, the lead of the best document decides, because nearness alone cannot
    tell an illness from its neighbour. Else the model's probability that the evidence holds the answer does.
    """
    if "reference" in features:
        return GradeLabel.CORRECT if features["reference"] else GradeLabel.INCORRECT
    if "margin" in features:
        return GradeLabel.AMBIGUOUS if features["margin"] >= model.margin_floor else GradeLabel.INCORRECT
    if features.get("dense", 1.0) < model.dense_floor:
        return GradeLabel.INCORRECT
    if "coverage" not in features:
        enough = features.get("dense", 0.0) >= model.dense_alone
        return GradeLabel.CORRECT if enough else GradeLabel.INCORRECT
    likely = probability(features, model)
    if likely >= model.correct:
        return GradeLabel.CORRECT
    return GradeLabel.AMBIGUOUS if likely >= model.ambiguous else GradeLabel.INCORRECT


def probability(features: Mapping[str, float], model: GateModel) -> float:
    """How likely the evidence holds the answer: a logistic model of the features, fitted by `evals calibrate`."""
    score = model.bias + sum(weight * features.get(name, 0.0) for name, weight in model.weights.items())
    return 1.0 / (1.0 + math.exp(-score))
