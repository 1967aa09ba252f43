"""Answers without a model: the best sentences of the evidence, quoted word for word, each with its marker.

    question → topic (`extractive_topic`) and type (`rag.question`)
    passages on that topic → units (`extractive_passage`) → scored (`extractive_score`)
    → chosen without repeats and put in order (`extractive_draft`)

The first sentence names the topic and answers the type; then what else answers it; last, when to get help.
Where no passage supports the question there is no answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import replace

from rag.kind import Kind
from rag.providers.extractive_draft import Draft, as_sentences, first_step, in_order
from rag.providers.extractive_law import compose_law
from rag.providers.extractive_passage import Unit, read_units
from rag.providers.extractive_qualifier import Qualifiers
from rag.providers.extractive_score import (
    FOCUS_SHARE,
    MIN_FIT,
    Asked,
    Scored,
    defines,
    help_value,
    opening_bonus,
    opens_aside,
    says_help,
    scored_units,
    section_fit,
    tells_the_reverse,
    told,
)
from rag.providers.extractive_topic import find_topic
from rag.question import question_kinds
from rag.types import LAW_COLLECTION, Evidence, Prompt, Sentence
from rag.words import content_stems, words

__all__ = ["Extractive", "compose"]

# Set by reading the answers to the thirty questions of evals/goldens/extractive, 2026-11-30.
_MAX_BETWEEN = 4  # sentences between a definition and "Other symptoms include"
_MAX_UNITS = 7  # sentences and lists
_MAX_STEPS = 9  # the same for first aid, whose steps belong together
_CONTRAST = re.compile(r"(?:however|but|yet|nevertheless|nonetheless|still,|on the other hand|even so|unless)\b", re.I)
_WITH_HELP = frozenset({Kind.SYMPTOMS, Kind.TREATMENT, Kind.CAUSES, Kind.SELF_CARE, Kind.COMPLICATIONS})


class Extractive:
    """A generator that quotes: `compose` and, behind it, the disclaimer. Needs no model and no network.

    `say` gives a fixed sentence of ours by key and language.
    """

    name = "extractive"
    model = "extractive-1"

    def __init__(self, say: Callable[[str, str], str]) -> None:
        self._say = say

    async def stream(self, prompt: Prompt, _deadline: float = math.inf) -> AsyncGenerator[Sentence, None]:
        """The sentences of the answer and the disclaimer; nothing where the evidence does not support one."""
        law = prompt.collection == LAW_COLLECTION
        sentences = compose_law(prompt) if law else compose(prompt)
        if not sentences:
            return
        if prompt.translated:
            yield Sentence(text=self._say("source_language", prompt.language), cited=False)
            sentences = (replace(sentences[0], lead="\n\n"), *sentences[1:])
        for sentence in sentences:
            yield sentence
        key = "disclaimer_law" if law else "disclaimer"
        yield Sentence(text=self._say(key, prompt.language), lead="\n\n", cited=False)


def compose(prompt: Prompt, *, max_words: int = 180) -> tuple[Sentence, ...]:
    """The answer to `prompt.question` in sentences of its evidence, at most `max_words` words, or ().

    A comparison is answered by what the sources say of one thing and then of the other, or of both at once.
    """
    if not prompt.sides:
        return _compose(prompt, max_words)
    return _side_by_side(prompt, max_words) or _of_both(prompt, max_words)


def _of_both(prompt: Prompt, max_words: int) -> tuple[Sentence, ...]:
    """What the sources say of both sides of a comparison at once; () where no sentence names both."""
    sides = [content_stems(words(side)) for side in prompt.sides]
    answer = _compose(prompt, max_words)
    said: list[set[str]] = []
    for sentence in answer:
        stems = content_stems(words(sentence.text))
        if sentence.lead.endswith("- ") and said:
            said[-1] |= stems  # an item of the list that the sentence before opens
        else:
            said.append(set(stems))
    return answer if any(all(side <= stems for side in sides) for stems in said) else ()


def _side_by_side(prompt: Prompt, max_words: int) -> tuple[Sentence, ...]:
    """A paragraph on each side of a comparison; () where the sources say nothing of one."""
    kinds = [kind for kind in question_kinds(prompt.question) if kind not in (Kind.DIFFERENCE, Kind.ANY)]
    asked = kinds[0].value if kinds else "what is"
    paragraphs: list[tuple[Sentence, ...]] = []
    for side in prompt.sides:
        alone = replace(prompt, question=f"{asked} {side}?", focus="", sides=())
        said = {sentence.text for paragraph in paragraphs for sentence in paragraph}
        paragraph = _compose(alone, max_words // len(prompt.sides))
        if not paragraph or paragraph[0].text in said:
            return ()
        rest = (sentence for sentence in paragraph[1:] if sentence.text not in said)
        paragraphs.append((replace(paragraph[0], lead="\n\n" if paragraphs else ""), *rest))
    return tuple(sentence for paragraph in paragraphs for sentence in paragraph)


def _compose(prompt: Prompt, max_words: int) -> tuple[Sentence, ...]:
    qualifiers = Qualifiers.of(prompt)
    topic = find_topic(prompt, qualifiers)
    if topic is None:
        return ()
    asked = Asked.of(prompt, topic)
    if asked.is_unanswered:
        return ()
    units = [unit for number in topic.passages for unit in _units(prompt.evidence[number], number, asked, qualifiers)]
    scored = scored_units(units, asked)
    if asked.kinds[0] is Kind.FIRST_AID and not asked.focus:
        scored = _as_told(scored, prompt.evidence)
    draft = Draft(max_words=max_words, topic=topic.stems)
    opening = _open(draft, [each for each in scored if asked.speaks_of_people(each.unit)], units, asked)
    if not opening:
        return ()
    contrasts = _contrasts(units)
    for unit in opening:
        if (limit := contrasts.get(id(unit))) is not None:
            draft.add(limit)
    help_unit = _help(units, asked) if asked.kinds[0] in _WITH_HELP else None
    reserve = help_unit.length if help_unit is not None else 0
    for n in range(1, len(asked.kinds)):
        _add_first(draft, [each for each in scored if each.fits[n] >= MIN_FIT], reserve)
    most = _MAX_STEPS if asked.kinds[0] is Kind.FIRST_AID else _MAX_UNITS
    _fill(draft, scored, most - (help_unit is not None), reserve, contrasts)
    if help_unit is not None and not _has_help(draft.units, help_unit, asked):
        draft.add(help_unit)
    _continue(draft, units, opening, asked, most)
    if asked.kinds[0] is Kind.FIRST_AID and Kind.FIRST_AID in opening[0].section:
        opening = [first_step(draft.sources, opening[0], topic, prompt.evidence)]
    ordered = in_order(draft.units, opening, help_unit, topic, prompt.evidence)
    return as_sentences(ordered, prompt.evidence, topic, max_words)


def _as_told(scored: Sequence[Scored], evidence: Sequence[Evidence]) -> list[Scored]:
    """Steps of first aid in the order of their document, which is that of doing them; then what else answers."""
    steps = [each for each in scored if Kind.FIRST_AID in each.unit.section]
    best = min((each.unit.passage for each in steps), default=-1)
    document = evidence[best].chunk.doc_id
    own = [each for each in steps if evidence[each.unit.passage].chunk.doc_id == document]
    own.sort(key=lambda each: (evidence[each.unit.passage].chunk.ordinal, each.unit.position))
    return [*own, *(each for each in scored if each not in own)]


def _units(evidence: Evidence, number: int, asked: Asked, qualifiers: Qualifiers) -> list[Unit]:
    """The units of a passage; where its title names another subject, those that speak of the asked one and type."""
    units = read_units(evidence, number)
    if asked.kinds[0] is Kind.DIFFERENCE:
        units = [unit for unit in units if qualifiers.compares((unit.text, *unit.items))]
    if not qualifiers.is_bound(evidence.chunk):
        return units
    return [
        unit
        for unit in units
        if qualifiers.supports(evidence.chunk, (unit.text, *unit.items))
        and any(unit.has_cue(Kind.WHAT if kind is Kind.ANY else kind) for kind in asked.kinds)
    ]


def _open(draft: Draft, scored: Sequence[Scored], units: Sequence[Unit], asked: Asked) -> list[Unit]:
    """Adds the direct answer, the best unit for the main type that names the topic, and returns it.

    Where the answer takes the topic's name from the title of its passage ("This condition …", "Treatment
    may …"), the definition comes before it.
    """
    for n, kind in enumerate(asked.kinds):
        opening = _open_by_definition(draft, scored, units, asked, n)
        if opening:
            return opening
        fitting = [each for each in scored if each.names and each.fits[n] >= MIN_FIT]
        if asked.needs_focus:
            fitting = [each for each in fitting if each.focus >= FOCUS_SHARE]
        if kind is not Kind.FIRST_AID or asked.focus:
            fitting.sort(key=lambda each: -(each.score + opening_bonus(each, kind, asked)))
        titled = [unit for unit in units if unit.by_title and section_fit(unit, kind) >= 1.0]
        is_best = bool(titled) and titled[0].passage == asked.topic.passages[0]
        if titled and not asked.is_for_people and (is_best or not fitting or section_fit(fitting[0].unit, kind) < 1.0):
            definition = _definition(units, asked)  # then "This condition …" of the record whose title is the question
            if definition is not None and draft.add(definition):
                return [definition, *(unit for unit in titled[:1] if draft.add(unit))]
        for each in fitting:
            if draft.add(each.unit):
                return [each.unit]
    if pair := _leaning_answer(units, asked):
        return pair if all(draft.add(unit) for unit in pair) else []
    definition = _definition(units, asked)
    answers = [*_by_title(units, asked), *(each.unit for each in scored)]
    if definition is None or not answers or not asked.is_plain or not draft.add(definition):
        return []
    return next(([definition, answer] for answer in answers if draft.add(answer)), [])


def _leaning_answer(units: Sequence[Unit], asked: Asked) -> list[Unit]:
    """A sentence that names the topic and the next, which answers and leans on it ("It usually spreads …")."""
    kind = asked.kinds[0]
    if not asked.is_plain or kind in (Kind.ANY, Kind.WHAT, Kind.AMOUNT):
        return []
    for unit in units:
        before = unit.after
        if before is None or not unit.dangling or not unit.has_cue(kind) or asked.other_people(unit):
            continue
        if tells_the_reverse(unit, kind, asked.topic):
            continue
        if not before.dangling and asked.topic.is_named_in(before.stems) and unit.section <= {Kind.WHAT, kind}:
            return [before, unit]
    return []


def _open_by_definition(
    draft: Draft, scored: Sequence[Scored], units: Sequence[Unit], asked: Asked, n: int
) -> list[Unit]:
    """What the topic is, and then "The first symptom is …", where this answers better than what names the topic.

    "Other symptoms" come with what stands between them and the definition.
    """
    best = max((each.fits[n] for each in scored if each.names), default=0.0)
    for each in sorted(scored, key=lambda each: opens_aside(each.unit)):
        if each.names or each.fits[n] <= best:
            continue
        mine = [unit for unit in units if unit.passage == each.unit.passage]
        definition = _definition(mine, asked)
        if definition is None:
            continue
        between = [unit for unit in mine if definition.position < unit.position < each.unit.position]
        chain = between if opens_aside(each.unit) and len(between) <= _MAX_BETWEEN else []
        if draft.add(definition):
            return [definition, *(unit for unit in (*chain, each.unit) if draft.add(unit))]
    return []


def _by_title(units: Sequence[Unit], asked: Asked) -> list[Unit]:
    """The sentences that answer the type and whose "this condition" is the title of their passage."""
    return [unit for unit in units if unit.by_title and _in_section(unit, asked)]


def _in_section(unit: Unit, asked: Asked) -> bool:
    return any(section_fit(unit, kind) for kind in asked.kinds)


def _definition(units: Sequence[Unit], asked: Asked) -> Unit | None:
    """The sentence that says what the topic is, to open an answer that goes on with "this condition"."""
    for unit in units:
        if not unit.dangling and defines(unit, asked.topic):
            return unit
    return None


def _help(units: Sequence[Unit], asked: Asked) -> Unit | None:
    """The sentence that says when to get help for the topic: an emergency before a doctor's visit."""
    best: tuple[float, Unit] | None = None
    for unit in units:
        if unit.items or unit.dangling or asked.other_people(unit) or not says_help(unit, asked):
            continue
        value = help_value(unit, asked)
        if best is None or value > best[0]:
            best = (value, unit)
    return best[1] if best is not None else None


def _has_help(units: Sequence[Unit], best: Unit, asked: Asked) -> bool:
    """Whether the answer says already, as well as `best` would, when to get help."""
    least = help_value(best, asked)
    return any(says_help(unit, asked) and help_value(unit, asked) >= least for unit in units)


def _add_first(draft: Draft, scored: Sequence[Scored], reserve: int) -> None:
    """Adds the best unit that can be added, so that the second part of a question is answered too."""
    if any(each.unit is source for each in scored for source in draft.sources):
        return
    any(draft.add(each.unit, reserve) for each in scored)


def _fill(draft: Draft, scored: Sequence[Scored], most: int, reserve: int, contrasts: Mapping[int, Unit]) -> None:
    """Adds the best units that say something new, up to `most`, leaving `reserve` words free; none without what
    limits it."""
    for each in scored:
        if len(draft.units) >= most:
            return
        limit = contrasts.get(id(each.unit))
        if draft.add(each.unit, reserve + (limit.length if limit is not None else 0)) and limit is not None:
            draft.add(limit, reserve)


def _contrasts(units: Sequence[Unit]) -> dict[int, Unit]:
    """By the identity of a unit the next one, where that takes it back or limits it ("However, the virus can …")."""
    return {id(unit.after): unit for unit in units if unit.after is not None and _CONTRAST.match(unit.text)}


def _continue(draft: Draft, units: Sequence[Unit], opening: Sequence[Unit], asked: Asked, most: int) -> None:
    """Adds sentences that lean on a quoted one directly before them: on the opening, or on the type themselves."""
    for unit in units:
        if len(draft.units) >= most:
            return
        leans = unit.dangling and any(quoted is unit.after for quoted in draft.sources)
        if leans and (told(unit, asked) or any(unit.after is each for each in opening)):
            draft.add(unit)
