"""What a question asks for: its type ("symptoms", "treatment"), and which sections and words answer a type.

Rules on the words alone, no model; English first, with a small table of cues for five more languages. Knows
nothing of evidence or of answers.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from rag.text import fold

__all__ = [
    "Kind",
    "heading_kinds",
    "is_yes_no",
    "question_kinds",
    "sentence_has_cue",
]


class Kind(StrEnum):
    """The type of a question, and of a section or sentence that answers it."""

    WHAT = "what"
    SYMPTOMS = "symptoms"
    CAUSES = "causes"
    RISK = "risk"
    TREATMENT = "treatment"
    FIRST_AID = "first aid"
    SELF_CARE = "self-care"
    DIAGNOSIS = "diagnosis"
    PREVENTION = "prevention"
    HELP = "help"
    OUTLOOK = "outlook"
    COMPLICATIONS = "complications"
    DURATION = "duration"
    CONTAGION = "contagion"
    SEVERITY = "severity"
    DIFFERENCE = "difference"
    FREQUENCY = "frequency"
    GENETICS = "genetics"
    INHERITANCE = "inheritance"
    STAGES = "stages"
    RESEARCH = "research"
    AMOUNT = "amount"
    DONTS = "don'ts"
    ANY = "any"


# --- types ------------------------------------------------------------------------------------------------

_WHO = r"(?:i|you|we|one|people|someone|somebody|parents|doctors?|they|a person|adults?|anyone)"
_CARER = (
    r"(?:friend|family|parent|carer|helper|relative|bystander|partner|colleague|teacher|someone|somebody"
    r"|i|you|we|one)"
)

# In order of precedence: the first that matches is the main type of the question.
_QUESTION_RULES: tuple[tuple[Kind, str], ...] = (
    (
        Kind.AMOUNT,
        r"\b(?:how (?:many|much)\b.*\b(?:mg|mcg|ml|milligrams?|micrograms?|grams?|tablets?|pills?|doses?"
        r"|drops|cost)"
        r"|dos(?:e|es|age|ing) of|(?:right|usual|normal|maximum|max|daily|recommended) dos(?:e|age)"
        r"|what dos(?:e|age)"
        r"|price of|how much .*\bcosts?)\b",
    ),
    (
        Kind.DONTS,
        r"\bwhat (?:(?:should|must|can|do|may)(?:n't| not)?|mustn't|ought)\b"
        r"(?= (?:\w+ )?(?:not|never) |(?<=n't)|(?<=not))"
        r"(?: \w+){0,4} (?:do|avoid doing)\b|\b(?:not|never) to do\b",
    ),
    (Kind.RESEARCH, r"\b(?:research|clinical trials?|studies being done)\b"),
    (Kind.GENETICS, r"\b(?:genetic changes|which genes?|what genes?|gene mutations?)\b"),
    (
        Kind.INHERITANCE,
        r"\b(?:inherited|inherit|hereditary|genetic|run(?:s|ning)? in (?:the |my )?famil|passed (?:on|down)"
        r"|pass(?:ing)? .*\bto (?:my|their|your|our|the) (?:child|kid|bab|son|daughter))",
    ),
    (Kind.STAGES, r"\b(?:stages?|staging)\b"),
    (
        Kind.CONTAGION,
        r"\b(?:contagious|infectious|transmitted|catch(?:ing)? .* (?:from|off)|spread(?:s"
        r"|ing)?\b(?! the news)"
        r"|pass(?:ing|ed)? (?:it|this|them|.*) (?:on|to)\b)",
    ),
    (
        Kind.SEVERITY,
        r"^(?:(?:and|but|so|or|also)\W{1,3})?(?:is|are|can|how)\b.*"
        r"\b(?:dangerous|serious|deadly|fatal|life[- ]threatening|harmful"
        r"|kill)\b(?! ill)",
    ),
    (Kind.DIFFERENCE, r"\b(?:differen(?:ce|t|ces)|differs?|tell .* apart|distinguish|versus|vs)\b"),
    (
        Kind.DURATION,
        r"\b(?:how long (?:does|do|will|is|are|can|before|until|should)|last(?:s|ing)?|go(?:es)? away)\b",
    ),
    (
        Kind.COMPLICATIONS,
        r"\b(?:complications?|lead to|long[- ]term (?:effects?|damage)|untreated|not treated)\b",
    ),
    (
        Kind.OUTLOOK,
        r"\b(?:outlook|prognosis|life expectancy|survival|survive|recover(?:y|ed)?|get better"
        r"|how long .*\blive\b|(?:be|is|are|can)\b.*\b(?:cured|curable|fatal|deadly|cure for))\b",
    ),
    (
        Kind.FREQUENCY,
        r"\b(?:how (?:common|rare|frequent|often does|many (?:people|men|women|children|adults|babies|cases))"
        r"|prevalence|incidence|is .* (?:common|rare)\b)",
    ),
    (
        Kind.HELP,
        r"\b(?:when (?:should|do|does|would|must|is|to|can|are)\b.*\b(?:doctors?|gp|hospital|ambulance"
        r"|emergency|help"
        r"|urgent|nurse|worr(?:y|ied)|serious|dangerous|a&e|911|999|112|medical|checked|seen|midwife)"
        r"|(?:call|phone|ring|dial) (?:for )?(?:an ambulance|911|999|112|the emergency)"
        r"|(?:need|needs|see|seek|go to|call|contact|visit) (?:to (?:see|call) )?(?:an? |the |my |any )?"
        r"(?:urgent |medical |emergency )?(?:doctor|gp|hospital|ambulance|emergency|help|nurse|professional"
        r"|care)"
        r"|who (?:can|should|do|could) (?:i|we|you|they) (?:call|contact|ring|phone|speak|talk|turn)"
        r"|be (?:worried|concerned)|red flags?|an emergency)\b",
    ),
    (
        Kind.SYMPTOMS,
        r"\b(?:symptoms?|(?:warning |early |first )?signs?(?! up)|feels? like|looks? like|look for"
        r"|notice[ds]?"
        rf"|how (?:can|do|does|would|could|will|should|might) (?:{_WHO})"
        r" (?:tell|know|recogni[sz]e|spot|notice|realise)"
        r"|shows? (?:itself|themselves|up)|show itself|recogni[sz]ed?|spotted|what happens (?:when|if"
        r"|during))\b",
    ),
    (
        Kind.PREVENTION,
        r"\b(?:prevent(?:ed|ion|ing|s)?|avoid(?:ed|ing)?|protect(?:ed|ing|ion)?|stop (?:getting|having"
        r"|it from|them from"
        r"|myself|the spread)|keep(?:ing)? from|(?:lower|reduce|cut|decrease|minimi[sz]e)\w*\b.*\b(?:risks?"
        r"|chances?"
        r"|odds|likelihood)|(?:risks?|chances?)\b.*\b(?:be |is |are )?(?:reduced|lowered|cut)"
        r"|(?:bring|get|keep|push)\b.*\b(?:down|under control)|without (?:tablets|pills|medicines?"
        r"|medication|drugs)"
        r"|vaccin\w+|ward off|fewer|less often|lower (?:my|your|the|their|our|high)|reduce (?:my|your|the"
        r"|their|our|high))\b",
    ),
    (
        Kind.DIAGNOSIS,
        r"\b(?:diagnos\w+|test(?:s|ed|ing)?|exams?|examined|scans?|screen(?:ing|ed)?|find out (?:if|whether)"
        r"|detect\w*"
        r"|confirm\w*|check for|checked for|measured?)\b",
    ),
    (Kind.SELF_CARE, r"^what to do for\b"),
    (
        Kind.FIRST_AID,
        r"\b(?:first[- ]aid|(?:how|what)\b.*\b(?:on the spot|right away|straight away|immediately)"
        r"|how (?:do|can|should|to)\b(?: \w+){0,2} (?:do|give|perform|use|stop(?! (?:getting|having)))\b"
        r"|"
        r"what (?:should|must|can|do|to|could|would)\b(?:(?!\b(?:eat|drink)\b).)*?\b(?:do"
        r"|done)\b(?! (?:for|about)"
        rf" it at home)|{_CARER}s? (?:\w+ )?(?:support|help|comfort|assist|look after|care for))\b",
    ),
    (
        Kind.TREATMENT,
        r"\b(?:treat(?:s|ed|ing|ments?|able)?|cur(?:e|es|ed|able)|therap(?:y|ies)|medicines?|medications?"
        r"|drugs?|surgery"
        r"|remed(?:y|ies)|get rid of|what (?:actually |really )?helps?|helps? with|relie(?:f|ve\w*)|manag\w+"
        r"|ease[sd]?"
        r"|soothe|deal with|cope|fix(?:ed)?|options|antibiotics|painkillers?|tablets?|at home|taken? for"
        r"|what(?:'s|s| is| are) (?:good|best) for|works? for)\b",
    ),
    (
        Kind.RISK,
        r"\b(?:at (?:higher |high |more |increased |most )?risk|risk factors?|who (?:gets|can get"
        r"|is (?:most |more )?likely)|more likely)\b",
    ),
    (
        Kind.CAUSES,
        r"\b(?:caus(?:e|es|ed|ing)|why|reasons?|triggers?|triggered|set(?:s)? off|bring(?:s)? on|brought on"
        r"|come from"
        r"|comes from|due to|lead up to|what (?:\w+ )?(?:can |could )?makes?|mak(?:e|es|ing) .*\bworse"
        r"|how (?:do|does|can|did) \w+ (?:\w+ ){0,3}(?:get|catch|happen|spread|develop)|behind"
        r"|happen(?:s)?|increase(?:s)?|raise(?:s)?)\b",
    ),
    (
        Kind.SELF_CARE,
        r"\b(?:self[- ]care|live with|living with|look(?:ing)? after|care of|diet|eat|foods?|exercises?"
        r"|lifestyle|considerations?)\b",
    ),
    (
        Kind.WHAT,
        r"\b(?:what(?:'s|’s| does .* (?:mean|stand for)| is| are| was| exactly| do you mean| does .* mean"
        r"|s)\b|tell me (?:more )?about"
        r"|explain"
        r"|define|definition|meaning of|describe|information (?:on|about)|overview|types? of|kinds? of)",
    ),
)

_HEADING_RULES: tuple[tuple[Kind, str], ...] = (
    (
        Kind.WHAT,
        r"what (?:it )?(?:is|are)\b|^(?:overview|about|definition|introduction|summary|description)\b"
        r"|key facts",
    ),
    (Kind.SYMPTOMS, r"symptom|\bsigns?\b|\bwarning\b|\bfeels? like"),
    (Kind.CAUSES, r"\bcauses?\b|\bwhy\b|trigger|\bspread|transmi"),
    (Kind.RISK, r"\brisks?\b"),
    (Kind.TREATMENT, r"treat|\btherap|medicines?\b|medications?\b|\bmanag|surgery"),
    (Kind.FIRST_AID, r"what to do\b(?! for)|first aid|\bdo now\b|immediate"),
    (
        Kind.SELF_CARE,
        r"what to do for|self-care|self care|living with|lifestyle|at home|\bdiet\b|considerations",
    ),
    (Kind.DIAGNOSIS, r"diagnos|\btests?\b|\bexams?\b|screening|detect"),
    (Kind.PREVENTION, r"prevent|avoid|vaccin|protect"),
    (Kind.HELP, r"when to|get(?:ting)? help|emergency|see a doctor|medical help|seek"),
    (Kind.CONTAGION, r"spread|transmi|contagious"),
    (Kind.DURATION, r"how long"),
    (Kind.OUTLOOK, r"outlook|prognosis|recovery|life expectancy|survival"),
    (Kind.COMPLICATIONS, r"complication|long-term"),
    (Kind.FREQUENCY, r"how many|how common|frequency|statistics|prevalence|epidemiolog|affected by"),
    (Kind.GENETICS, r"genetic changes|\bgenes?\b"),
    (Kind.INHERITANCE, r"inherit|inheritance"),
    (Kind.STAGES, r"\bstag(?:es?|ing)\b"),
    (Kind.RESEARCH, r"research|clinical trials"),
)

_SENTENCE_RULES: dict[Kind, str] = {
    Kind.WHAT: r"\b(?:is|are|means|refers to|describes|stands for|called|known as)\b",
    Kind.SYMPTOMS: r"\b(?:symptoms?|signs?|feels?|may notice|can cause|may cause)\b",
    Kind.CAUSES: r"\b(?:caus(?:e|es|ed|ing)|due to|results? (?:from|when)|resulting from|triggers?"
    r"|happens? (?:when|because)"
    r"|occurs? (?:when|because|if)|develops? (?:when|because)|comes? from|linked to|spread\w*"
    r"|risk factors?|(?:factors|things|conditions|habits) that"
    r"|more likely|mutations?|leads? to|brings? on)\b",
    Kind.RISK: (
        r"\b(?:risk|more likely|more common|most common (?:in|among)|chance|susceptible|prone|anyone can"
        r"|more often)\b"
    ),
    Kind.TREATMENT: r"\b(?:treat\w*|therap\w+|medicines?|medications?|drugs?|surgery|antibiotics?|cure[ds]?"
    r"|reliev\w+"
    r"|ease[sd]?|painkillers?|manag\w+|prescribed|injections?|tablets?|inhalers?|transplant\w*|chemotherapy"
    r"|antivirals?|rehabilitation)\b",
    Kind.FIRST_AID: (
        r"\b(?:call|emergency number|ambulance|first aid|should|must|press|place|apply|stay with|do not"
        r"|give[ns]?)\b"
    ),
    Kind.SELF_CARE: r"\b(?:eat\w*|diet|exercis\w+|rest\w*|fluids|avoid\w*|weight|lifestyle|sleep\w*|active"
    r"|habits?|food"
    r"|drink\w*|smok\w+|can help|ease[sd]?)\b",
    Kind.DIAGNOSIS: r"\b(?:diagnos\w+|tests?|tested|scans?|exam\w*|biops\w+|x-rays?|ultrasound|confirm\w*"
    r"|screening"
    r"|detect\w*|imaging|mri|ct)\b",
    Kind.DONTS: r"(?:^|[;,] (?:and )?)(?:do not|don['’]t|never)\b|\b(?:should|must) (?:not|never)\b",
    Kind.PREVENTION: (
        r"\b(?:prevent\w*|(?:lower|reduc)\w*|avoid\w*|vaccin\w*|protect\w*|helps? to stop|keep\w* from"
        r"|stop)\b"
    ),
    Kind.HELP: r"\b(?:emergency|doctors?|urgent\w*|ambulance|seek|medical (?:help|care|advice|attention)|911"
    r"|999|112"
    r"|hospital|get help|health professional|crisis line|immediate)\b",
    Kind.OUTLOOK: r"\b(?:prognosis|outlook|recover\w*|surviv\w+|life expectancy|lifespan|life span"
    r"|go(?:es)? away|cure[ds]?"
    r"|curable|fatal|death|die[sd]?|gets? better|improves?|mortality|progress\w*|disabilit\w+|worsens?)\b",
    Kind.DURATION: r"\b(?:lasts?|lasting|go(?:es)? away|clears? up|heals?|chronic|lifelong"
    r"|long-term condition"
    r"|(?:hours|days|weeks|months|years)\b(?! (?:old|of age|or older|or younger|or over|or under)))\b",
    Kind.SEVERITY: r"\b(?:life-threatening|serious\w*|dangerous|deadly|fatal|death|die[sd]?"
    r"|emergency(?! (?:number|services|department))|severe|kill|harm\w*"
    r"|mild)\b",
    Kind.DIFFERENCE: r"\b(?:differ\w*|unlike|compared|whereas|while|rather than|not the same)\b",
    Kind.CONTAGION: r"\b(?:contagious|infectious|spread\w*|pass(?:ed|es)? (?:it |them )?(?:on|from|to)"
    r"|transmit\w*|infected"
    r"|caught|catch|person to person)\b",
    Kind.COMPLICATIONS: (
        r"\b(?:complications?|leads? to|damage[sd]?|failure|result in|untreated|over time|raises? the risk)\b"
    ),
    Kind.FREQUENCY: r"\b(?:common|rare|prevalence|incidence|percent|estimated|frequen\w+|affects (?:about|an"
    r"|up|more|\d)|in every"
    r"|out of|\d[\d,.]* (?:people|individuals|children|newborns|births|cases|million|americans|adults|males"
    r"|females)"
    r"|1 in|one in|million|occurs in|unknown|families)\b|\d\s?%",
    Kind.GENETICS: r"\b(?:genes?|mutat\w+|chromosomes?|genetic|deletion\w*|variants?)\b",
    Kind.INHERITANCE: r"\b(?:inherit\w*|autosomal|recessive|dominant|x-linked|runs? in families|sporadic"
    r"|passed|family history"
    r"|hereditary|genes?|de novo|mitochondrial pattern)\b",
    Kind.STAGES: r"\b(?:stages?|staging)\b",
    Kind.RESEARCH: r"\b(?:research\w*|clinical trials?|stud(?:y|ies)|investigat\w+|supports?)\b",
    Kind.AMOUNT: r"\d",
}

# Cues of the same types in questions and headings of other languages, on folded text.
_FOREIGN_RULES: dict[str, tuple[tuple[Kind, str], ...]] = {
    "es": (
        (Kind.SYMPTOMS, r"sintoma|senales|signos"),
        (Kind.PREVENTION, r"preven|evitar|reducir el riesgo"),
        (Kind.DIAGNOSIS, r"diagnos"),
        (Kind.HELP, r"cuando (?:debo|hay|acudir|ir|llamar|buscar)|urgencia|emergencia"),
        (Kind.FIRST_AID, r"que (?:hacer|hago|debo hacer)|primeros auxilios"),
        (Kind.TREATMENT, r"trata|cura|medicamento|remedio"),
        (Kind.CAUSES, r"causa|por que|provoca|desencadena|factores de riesgo"),
        (Kind.OUTLOOK, r"pronostico|cuanto dura"),
        (Kind.INHERITANCE, r"heredit|hereda"),
        (Kind.WHAT, r"que es|que son|que significa"),
    ),
    "fr": (
        (Kind.SYMPTOMS, r"symptome|signes"),
        (Kind.PREVENTION, r"preven|eviter|reduire le risque"),
        (Kind.DIAGNOSIS, r"diagnos|depist"),
        (Kind.HELP, r"quand (?:faut|dois|doit|consulter|appeler|aller)|urgence"),
        (Kind.FIRST_AID, r"que (?:faire|dois-je faire)|premiers secours|gestes"),
        (Kind.TREATMENT, r"traite|soign|guerir|medicament|remede"),
        (Kind.CAUSES, r"cause|pourquoi|provoque|declenche|facteurs de risque"),
        (Kind.OUTLOOK, r"pronostic|combien de temps"),
        (Kind.INHERITANCE, r"heredit"),
        (Kind.WHAT, r"qu['’]est-ce|c['’]est quoi|definition"),
    ),
    "de": (
        (Kind.SYMPTOMS, r"symptom|anzeichen|beschwerden|erkenn"),
        (Kind.PREVENTION, r"vorbeug|verhinder|vermeid|risiko (?:senken|verringern)|schutz"),
        (Kind.DIAGNOSIS, r"diagnos|festgestellt|untersuch"),
        (Kind.HELP, r"wann (?:muss|soll|zum|ist|sollte)|notfall|notruf"),
        (Kind.FIRST_AID, r"was (?:tun|soll|muss|kann) |erste hilfe"),
        (Kind.TREATMENT, r"behand|heil|medikament|hilft gegen|therapie"),
        (Kind.CAUSES, r"ursache|warum|wodurch|ausloser|lost .* aus|entsteht|risikofaktor"),
        (Kind.OUTLOOK, r"prognose|verlauf|wie lange"),
        (Kind.INHERITANCE, r"erblich|vererb"),
        (Kind.WHAT, r"was ist|was sind|was bedeutet|uberblick"),
    ),
    "it": (
        (Kind.SYMPTOMS, r"sintom|segni|segnali"),
        (Kind.PREVENTION, r"preven|evitare|ridurre il rischio"),
        (Kind.DIAGNOSIS, r"diagnos"),
        (Kind.HELP, r"quando (?:devo|bisogna|andare|chiamare|rivolgersi)|emergenza|urgenz"),
        (Kind.FIRST_AID, r"cosa (?:fare|devo fare)|primo soccorso"),
        (Kind.TREATMENT, r"cura|tratta|terapi|farmac|rimedi"),
        (Kind.CAUSES, r"caus|perche|provoca|scatena|fattori di rischio"),
        (Kind.OUTLOOK, r"prognosi|quanto dura"),
        (Kind.INHERITANCE, r"ereditari"),
        (Kind.WHAT, r"cos['’]?e\b|che cos|cosa sono|cosa significa"),
    ),
    "pt": (
        (Kind.SYMPTOMS, r"sintoma|sinais"),
        (Kind.PREVENTION, r"preven|evitar|reduzir o risco"),
        (Kind.DIAGNOSIS, r"diagnos"),
        (Kind.HELP, r"quando (?:devo|procurar|ir|ligar|chamar)|emergencia|urgencia"),
        (Kind.FIRST_AID, r"o que (?:fazer|devo fazer)|primeiros socorros"),
        (Kind.TREATMENT, r"trata|cura|medicamento|remedio"),
        (Kind.CAUSES, r"causa|por ?que|provoca|desencadeia|fatores de risco"),
        (Kind.OUTLOOK, r"prognostico|quanto tempo"),
        (Kind.INHERITANCE, r"heredit|herda"),
        (Kind.WHAT, r"o que (?:e|sao|significa)"),
    ),
}

_QUESTIONS = tuple((kind, re.compile(rule)) for kind, rule in _QUESTION_RULES)
_HEADINGS = tuple((kind, re.compile(rule)) for kind, rule in _HEADING_RULES)
_SENTENCES = {kind: re.compile(rule, re.IGNORECASE) for kind, rule in _SENTENCE_RULES.items()}
_FOREIGN = {
    language: tuple((kind, re.compile(rule)) for kind, rule in rules) for language, rules in _FOREIGN_RULES.items()
}
# "What are the symptoms of hereditary …": said so plainly that no word of the name may tell otherwise.
_PLAIN = re.compile(
    r"what (?:is|are) the (?:\w+ )?(symptoms?|signs?|treatments?|causes?|stages?|complications?|outlook"
    r"|prognosis)"
    r" (?:of|for)\b"
)
_PLAIN_KINDS = {
    "symp": Kind.SYMPTOMS,
    "sign": Kind.SYMPTOMS,
    "trea": Kind.TREATMENT,
    "caus": Kind.CAUSES,
    "stag": Kind.STAGES,
    "comp": Kind.COMPLICATIONS,
    "outl": Kind.OUTLOOK,
    "prog": Kind.OUTLOOK,
}
_SECOND_PART = re.compile(r"\band (?:how|what|why|when|which|who|can|is|are|does|do|should|will)\b|[?].+[?]|[;]")
_YES_NO = re.compile(
    r"(?:(?:and|but|so|or|also|ok|okay)\W+)?"
    r"(?!(?:is|are) there (?:any|some))(?:is|are|can|could|does|do|did|will|would|should|has|have|may|was"
    r"|were|am)\b"
)
_READ_CHARS = 1000  # patterns with ".*" take quadratic time
_MAX_KINDS = 2  # an answer of 180 words holds two types well, not three


def question_kinds(question: str, language: str = "en") -> tuple[Kind, ...]:
    """The types asked for, the main one first; `(Kind.ANY,)` when the words do not tell.

    A second type counts only where the question has a second part ("What is it, and how is it treated?").
    """
    text = fold(question[:_READ_CHARS]).replace("’", "'")
    base = language.partition("-")[0].lower()
    rules = _QUESTIONS if base == "en" else _FOREIGN.get(base, ())
    plain = _PLAIN.match(text) if base == "en" else None
    if plain is not None and not _SECOND_PART.search(text):
        return (_PLAIN_KINDS[plain[1][:4]],)
    found = [kind for kind, pattern in rules if pattern.search(text)]
    if found and found[0] is Kind.CAUSES and is_yes_no(question):
        found = []  # "Can anxiety cause chest pain?" asks for a verdict, not for causes
    if not found:
        return (Kind.ANY,)
    if base == "en" and Kind.WHAT in found[1:] and not re.match(r"what\W*(?:is|are|s)\b (?!the\b)", text):
        found.remove(Kind.WHAT)
    if len(found) > 1 and not _SECOND_PART.search(text):
        return tuple(found[:1])
    places = {kind: match.start() for kind, pattern in rules if (match := pattern.search(text))}
    return tuple(sorted(found[:_MAX_KINDS], key=lambda kind: places[kind]))


@lru_cache(maxsize=4096)
def heading_kinds(heading: str, language: str = "en") -> frozenset[Kind]:
    """The types that a section under `heading` answers; the last part of a path that tells decides."""
    base = language.partition("-")[0].lower()
    rules = _HEADINGS + _FOREIGN.get(base, ())
    for part in reversed(heading.split(" › ")):
        text = fold(part).strip()
        found = {kind for kind, pattern in rules if pattern.search(text)}
        if len(found) > 1:
            found.discard(Kind.WHAT)  # "What are the treatments for …"
        if found:
            return frozenset(found)
    return frozenset()


def sentence_has_cue(sentence: str, kind: Kind) -> bool:
    """Whether an English sentence has words that answer a question of this type."""
    pattern = _SENTENCES.get(kind)
    return pattern is not None and pattern.search(sentence) is not None


def is_yes_no(question: str) -> bool:
    """Whether an English question asks for a yes or no ("Is asthma contagious?")."""
    return _YES_NO.match(fold(question).lstrip(" ¿\"'“‘")) is not None
