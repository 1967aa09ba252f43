"""Tells which sentences can be quoted, and which of them lean on the one before."""

from __future__ import annotations

import re

__all__ = ["dangles", "is_navigation", "is_question", "means_title", "quotable"]

_MIN_WORDS = 4  # "Yes." and "Not known." say nothing without their question
_MAX_WORDS = 55  # longer "sentences" in web text are lists that lost their line breaks (MedQuAD, 2026-11-30)

_DANGLING = re.compile(
    r"(?:it|its|it's|it’s|this|these|they|them|their|he|she|his|her|him|that|those|however|also|but|such"
    r"|therefore|thus|hence|so|and|or|yet|in addition|additionally|moreover|furthermore|besides|instead"
    r"|otherwise|then|as a result|because of (?:this|that|these)|for (?:this|that|these) (?:reasons?|purpose)"
    r"|for example|for instance|in (?:this|these|that|those|such|some|all|both|other|either|many)"
    r"(?: of these)? (?:cases?|situations?)|in contrast|by contrast|on the other hand|similarly|likewise"
    r"|consequently|meanwhile|nevertheless|nonetheless|even so|the (?:latter|former|following|above)|both"
    r"|neither|either|in turn|that is|if so|if not|the same|here|another|others?\b(?! \w+)"
    r"|(?:first|second|third|next|still|there|no|yes),|secondly|thirdly|finally|lastly|afterwards?"
    r")(?![\w’'-])",
    re.IGNORECASE,
)
_DANGLING_FOREIGN = re.compile(
    r"(?:esto|esta|estos|estas|ello|ellos|ellas|sin embargo|además|por (?:eso|ello|lo tanto|tanto)|también"
    r"|pero|il|ils|elle|elles|ce|cela|ceci|cette|ces|cependant|toutefois|aussi|mais|donc|de plus|en outre"
    r"|par conséquent|es|er|sie|dies|diese|dieser|dieses|jedoch|auch|aber|daher|deshalb|außerdem|darum"
    r"|zudem|questo|questa|questi|queste|esso|essi|tuttavia|inoltre|anche|ma|quindi|perciò|pertanto|ele|ela"
    r"|eles|elas|isto|isso|este|estes|essa|essas|no entanto|além disso|mas|portanto)(?![\w’'-])",
    re.IGNORECASE,
)
_LEANS_EARLY = re.compile(
    r"(?:[\w’'-]+ ){1,5}(?:therefore|thus|consequently)\b|(?:[\w’'-]+ ){1,3}(?:these|this|those"
    r"|such)\b(?! (?:time|point|as|way)\b)",
    re.IGNORECASE,
)
_LEANS_ON_NOUN = re.compile(  # "Many are medicines", "Often they have", "In adults, it"
    r"(?:many|some|most|few|several|all|none|each|one|two|three)(?: of (?:them|these|those))?"
    r" (?:is|are|was|were|can|may|might|must|should|will|does?|have|has|uses?|needs?|also|causes?|helps?|requires?"
    r"|includes?|works?|involves?|affects?)\b"
    r"|(?:often|eventually|usually|sometimes|typically|generally|in general|over time|at first|in time|later|soon"
    r"|unfortunately|fortunately|rarely|initially|currently|for now|until then|without (?:it|them)),?"
    r"(?: though,)? (?:since )?(?:it|they|he|she|these|this|some|many|both)\b"
    r"|(?:in|for|at|by|with|during|from|after|before|to)(?: [\w’'-]+){1,4}, (?:it|they|he|she)\b"
    r"|(?:if|when|because|since|although|while|as|once|until|unless|after|before) (?:they|he|she|it|this|these)\b"
    r"|the (?:exact )?causes? (?:is|are|can|may|might)\b"
    r"|in particular\b|specifically\b|more specifically\b|unfortunately, since\b",
    re.IGNORECASE,
)
_THIS_TOPIC = re.compile(
    r"(?:this|the) (?:condition|disorder|disease|syndrome|illness)\b|(?:this|the) (?:type|form) of\b"
    r"|the (?:exact )?causes? (?:is|are|can|may|might)\b",
    re.IGNORECASE,
)
_NAVIGATION = re.compile(
    r"\b(?:see also|see the|click|watch the|learn more|read more|more information|more about"
    r"|visit (?:the|our|this|nih|www|http)|links? (?:to (?:the|our|more)|below)|web ?sites?"
    r"|(?:web|our|this|next|see) ?page|page \d|www|https?|pdq|this summary|the table|table below"
    r"|(?:listed|described|shown) (?:below|above)|sections? (?:on|of this|called|titled)|medlineplus"
    r"|phenotype ontology|orphanet|omim|genereviews"
    r"|genetests|pubmed|genetic testing registry|these resources|resources? (?:address|page|list|section)"
    r"|health topics|see (?:a|this|our) (?:chart|graphic|list|table)"
    r"|last (?:updated|reviewed)|back to top|copyright|for details|brackets?|esc button"
    r"|fact ?sheet|brochure|toll[- ]free|hotline at|e-?mail|to find a|diagram|(?:this|the) (?:picture|image)"
    r"|illustration|animation|video|figure shows|frequently asked|question\b.*\bask|nih|ninds|nhlbi|niddk|summaries"
    r"|glossary|the following (?:summary|list of)|clinicaltrials\.gov|medical dictionary|note:|key points"
    r"|get tips|more on(?=:)|(?:a|the) fraction|frequency of a sign|information on frequency|wallet card)\b",
    re.IGNORECASE,
)
_END = re.compile(r"[.!…。！．।॥۔]['\"”’»)\]]*$")
_GLUED = re.compile(  # a capital function word inside a sentence: what stood before it lost its line break
    r"[a-z,)\]] (?:The|If|You|Your|This|These|It|Doctors|Other|Some|Most|When|For|There|They|Many|Certain"
    r"|Although|In|See"
    r"|What|How|Who|Why|To|Because|Talk|Avoid)\s[a-z]"
)
_GLUED_COLON = re.compile(r"[a-z]:[A-Z][a-z]")
_COLON_CAPITAL = re.compile(r"[a-z)]: [A-Z]")  # "… include: Water pills: They …"
_LOST_NUMBER = re.compile(r"[a-z] \d")  # "One glass is: 1 cup of tea 2 cups of water"
_FRAGMENT = re.compile(  # "A test to show whether …", "Medicines to prevent …": what a list was made of
    r"(?:An? (?!\w+(?:s|ed) )(?:[\w-]+ ){1,3}(?:of (?:[\w-]+ ){1,2})?|[A-Z][a-z]+(?: [a-z]+)?s )to (?!be )[a-z]+ "
)
_CLAUSE = re.compile(r"\b(?:whether|how|what|where|that|which|who|if|when|because|so|as)\b.*")
_FINITE = re.compile(
    r"\b(?:is|are|was|were|can|may|might|must|should|will|would|do|does|has|have|had|includes?|helps?|needs?|uses?"
    r"|depends?|works?|exists?)\b"
)
_CAPITAL_INSIDE = re.compile(r"[a-z)] [A-Z][a-z]+ [a-z]")


def quotable(sentence: str) -> bool:
    """Whether a sentence is whole, tells something and is no navigation."""
    length = len(sentence.split())
    if not sentence.isascii() and length <= 3 and sentence[-1:] in "。！．":
        length = len(sentence) // 2  # scripts without spaces
    return (
        _MIN_WORDS <= length <= _MAX_WORDS
        and not sentence[0].islower()
        and sentence[0] not in ",;:)(]*|"
        and _END.search(sentence) is not None
        and sentence.count("(") == sentence.count(")")
        and sentence.count('"') % 2 == 0
        and not is_navigation(sentence)
        and not _GLUED.search(sentence)
        and not _lost_list(sentence)
        and not _GLUED_COLON.search(sentence)
        and not _is_fragment(sentence)
    )


def _lost_list(sentence: str) -> bool:
    """Whether a list was glued into this sentence: "These include: Aspirin to clot Nitroglycerin to …"."""
    head, colon, rest = sentence.partition(": ")
    if (
        sentence.count(" - ") > 1
        or ". - " in sentence
        or _COLON_CAPITAL.search(rest)
        or (rest[:1].isdigit() and _LOST_NUMBER.search(rest))
    ):
        return True
    return bool(colon) and bool(rest) and rest[0].isupper() and len(head) > 0 and bool(_CAPITAL_INSIDE.search(rest))


def _is_fragment(sentence: str) -> bool:
    """Whether a text has no verb of its own: "A medicine to lower the fever."."""
    return _FRAGMENT.match(sentence) is not None and not _FINITE.search(_CLAUSE.sub("", sentence))


_POINTS_BACK = re.compile(
    r"\b(?:these|those) (?:signs|symptoms|problems|conditions|causes|factors|changes|medicines|drugs|tests"
    r"|treatments)\b(?! (?:are|include|may include)\b)",
    re.IGNORECASE,
)


def dangles(sentence: str, lang: str) -> bool:
    """Whether a sentence opens with what another one has named."""
    opening = sentence.lstrip("\"'“‘«(")
    if not lang.lower().startswith("en") and _DANGLING_FOREIGN.match(opening):
        return True
    if any(rule.match(opening) for rule in (_DANGLING, _LEANS_EARLY, _LEANS_ON_NOUN)):
        return True
    return _POINTS_BACK.search(sentence) is not None


def is_question(sentence: str) -> bool:
    """Whether a sentence ends with a question mark."""
    return sentence.rstrip("\"'”’») ")[-1:] in {"?", "？", "؟"}


def is_navigation(text: str) -> bool:
    """Whether a text speaks of its page, or of others."""
    return _NAVIGATION.search(text) is not None


def means_title(sentence: str) -> bool:
    """Whether a sentence opens with "This condition …"."""
    return _THIS_TOPIC.match(sentence) is not None
