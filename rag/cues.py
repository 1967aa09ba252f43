"""The words that tell a type: in questions, in headings and in sentences, and in five more languages than English.

Tables alone; `question` reads them.
"""

from __future__ import annotations

import re

from rag.kind import Kind

__all__ = ["FOREIGN", "HEADINGS", "QUESTIONS", "SENTENCES", "SUBJECTS", "Cues"]

Cues = tuple[tuple[Kind, re.Pattern[str]], ...]


def _cues(*rules: tuple[Kind, str]) -> Cues:
    return tuple((kind, re.compile(rule)) for kind, rule in rules)


_WHO = r"(?:i|you|we|one|people|someone|somebody|parents|doctors?|they|a person|adults?|anyone)"
_CARER = (
    r"(?:friend|family|parent|carer|helper|relative|bystander|partner|colleague|teacher|someone|somebody"
    r"|i|you|we|one)"
)

# In order of precedence: the first that matches is the main type of the question.
QUESTIONS = _cues(
    (
        Kind.AMOUNT,
        r"\b(?:how (?:many|much)\b.*\b(?:mg|mcg|ml|milligrams?|micrograms?|grams?|tablets?|pills?|doses?|drops"
        r"|cost)|dos(?:e|es|age|ing) of|(?:right|usual|normal|maximum|max|daily|recommended) dos(?:e|age)"
        r"|what dos(?:e|age)|price of|how much .*\bcosts?"
        r"|how (?:many|much)\b.*\b(?:(?:a|per|each|every) (?:day|night|week)|should (?:i|we|he|she|they|you)))\b",
    ),
    (
        Kind.DONTS,
        r"\bwhat (?:(?:should|must|can|do|may)(?:n't| not)?|mustn't|ought)\b(?= (?:\w+ )?(?:not|never) "
        r"|(?<=n't)|(?<=not))(?: \w+){0,4} (?:do|avoid doing)\b|\b(?:not|never) to do\b",
    ),
    (Kind.SIDE_EFFECTS, r"\b(?:side[- ]effects?|adverse (?:effects?|reactions?|events?))\b"),
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
        r"\b(?:contagious|infectious|transmitted|catch(?:ing)? .* (?:from|off)|spread(?:s|ing)?\b(?! the news)"
        r"|pass(?:ing|ed)? (?:it|this|them|.*) (?:on|to)\b)",
    ),
    (
        Kind.SEVERITY,
        r"^(?:(?:and|but|so|or|also)\W{1,3})?(?:is|are|can|how)\b.*\b(?:dangerous|serious|deadly|fatal"
        r"|life[- ]threatening|harmful|kill|die (?:from|of))\b(?! ill)",
    ),
    (Kind.DIFFERENCE, r"\b(?:differen(?:ce|t|ces)|differs?|tell .* apart|distinguish|versus|vs)\b"),
    (Kind.DURATION, r"\b(?:how long (?:does|do|will|is|are|can|before|until|should)|last(?:s|ing)?|go(?:es)? away)\b"),
    (Kind.COMPLICATIONS, r"\b(?:complications?|lead to|long[- ]term (?:effects?|damage)|untreated|not treated)\b"),
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
        r"|emergency|help|urgent|nurse|worr(?:y|ied)|serious|dangerous|a&e|911|999|112|medical|checked|seen"
        r"|midwife)|(?:call|phone|ring|dial) (?:for )?(?:an ambulance|911|999|112|the emergency)"
        r"|(?:need|needs|see|seek|go to|call|contact|visit) (?:to (?:see|call) )?(?:an? |the |my "
        r"|any )?(?:urgent |medical |emergency )?(?:doctor|gp|hospital|ambulance|emergency|help|nurse"
        r"|professional|care)"
        r"|who (?:can|should|do|could) (?:i|we|you|they) (?:call|contact|ring|phone|speak|talk|turn)"
        r"|be (?:worried|concerned)|red flags?|an emergency)\b",
    ),
    (
        Kind.SYMPTOMS,
        r"\b(?:symptoms?|(?:warning |early |first )?signs?(?! up)|feels? like|looks? like|look for|notice[ds]?"
        rf"|how (?:can|do|does|would|could|will|should|might) (?:{_WHO}) (?:tell|know|recogni[sz]e|spot|notice"
        r"|realise)|shows? (?:itself|themselves|up)|show itself|recogni[sz]ed?|spotted"
        r"|what happens (?:when|if|during))\b",
    ),
    (
        Kind.PREVENTION,
        r"\b(?:prevent(?:ed|ion|ing|s)?|avoid(?:ed|ing)?|protect(?:ed|ing|ion)?"
        r"|stop (?:getting|having|it from|them from|myself|the spread)|keep(?:ing)? from"
        r"|(?:lower|reduce|cut|decrease|minimi[sz]e)\w*\b.*\b(?:risks?|chances?|odds|likelihood)"
        r"|(?:risks?|chances?)\b.*\b(?:be |is |are )?(?:reduced|lowered|cut)"
        r"|(?:bring|get|keep|push)\b.*\b(?:down|under control)"
        r"|without (?:tablets|pills|medicines?|medication|drugs)|vaccin\w+|ward off|fewer|less often"
        r"|lower (?:my|your|the|their|our|high)|reduce (?:my|your|the|their|our|high))\b",
    ),
    (
        Kind.DIAGNOSIS,
        r"\b(?:diagnos\w+|test(?:s|ed|ing)?|exams?|examined|scans?|screen(?:ing|ed)?|find out (?:if|whether)"
        r"|detect\w*|confirm\w*|check for|checked for|measured?)\b",
    ),
    (Kind.SELF_CARE, r"^what to do for\b"),
    (
        Kind.FIRST_AID,
        r"\b(?:first[- ]aid|(?:how|what)\b.*\b(?:on the spot|right away|straight away|immediately)"
        r"|how (?:do|can|should|to)\b(?: \w+){0,2} (?:do|give|perform|use|stop(?! (?:getting|having)))\b"
        r"|what (?:should|must|can|do|to|could|would)\b(?:(?!\b(?:eat|drink)\b).)*?\b(?:do|done)\b(?! (?:for"
        rf"|about) it at home)|{_CARER}s? (?:\w+ )?(?:support|help|comfort|assist|look after|care for))\b",
    ),
    (
        Kind.TREATMENT,
        r"\b(?:treat(?:s|ed|ing|ments?|able)?|cur(?:e|es|ed|able)|therap(?:y|ies)|medicines?|medications?"
        r"|drugs?|surgery|remed(?:y|ies)|get rid of|what (?:actually |really )?helps?|helps? with"
        r"|relie(?:f|ve\w*)|manag\w+|ease[sd]?|soothe|deal with|cope|fix(?:ed)?|options|antibiotics"
        r"|painkillers?|tablets?|at home|taken? for|what(?:'s|s| is| are) (?:good|best) for|works? for)\b",
    ),
    (
        Kind.RISK,
        r"\b(?:at (?:higher |high |more |increased |most )?risk|risk factors?"
        r"|who (?:gets|can get|is (?:most |more )?likely)|more likely)\b",
    ),
    (
        Kind.CAUSES,
        r"\b(?:caus(?:e|es|ed|ing)|why|reasons?|triggers?|triggered|set(?:s)? off|bring(?:s)? on|brought on"
        r"|come from|comes from|due to|lead up to|what (?:\w+ )?(?:can |could )?makes?"
        r"|mak(?:e|es|ing) .*\bworse"
        r"|how (?:do|does|can|did) \w+ (?:\w+ ){0,3}(?:get|catch|happen|spread|develop)|behind"
        r"|happen(?:s)?(?! (?:in|during|at) an? )"
        r"|increase(?:s)?|raise(?:s)?)\b",
    ),
    (
        Kind.SELF_CARE,
        r"\b(?:self[- ]care|live with|living with|look(?:ing)? after|care of|diet|eat|foods?|exercises?"
        r"|lifestyle|considerations?)\b",
    ),
    (
        Kind.WHAT,
        r"\b(?:what(?:'s|’s| does .* (?:mean|stand for)| is| are| was| exactly| do you mean| does .* mean|s)\b"
        r"|tell me (?:more )?about|explain|define|definition|meaning of|describe|information (?:on|about)"
        r"|overview|types? of|kinds? of|what happens (?:in|at) an? )",
    ),
)

HEADINGS = _cues(
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
    (Kind.SELF_CARE, r"what to do for|self-care|self care|living with|lifestyle|at home|\bdiet\b|considerations"),
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
    (Kind.SIDE_EFFECTS, r"side[- ]effects?|adverse"),
)

_SENTENCE_RULES: dict[Kind, str] = {
    Kind.WHAT: r"\b(?:is|are|means|refers to|describes|stands for|called|known as)\b",
    Kind.SYMPTOMS: r"\b(?:symptoms?|signs?|feels?|may notice|can cause|may cause)\b",
    Kind.CAUSES: (
        r"\b(?:caus(?:e|es|ed|ing)|due to|results? (?:from|when)|resulting from|triggers?"
        r"|happens? (?:when|because)|occurs? (?:when|because|if)|develops? (?:when|because)|comes? from"
        r"|linked to|spread\w*|risk factors?|(?:factors|things|conditions|habits) that|more likely|mutations?"
        r"|leads? to|brings? on)\b"
    ),
    Kind.RISK: (
        r"\b(?:risk|more likely|more common|most common (?:in|among)|chance|susceptible|prone|anyone can"
        r"|more often)\b"
    ),
    Kind.TREATMENT: (
        r"\b(?:treat\w*|therap\w+|medicines?|medications?|drugs?|surgery|antibiotics?|cure[ds]?|reliev\w+"
        r"|ease[sd]?|painkillers?|manag\w+|prescribed|injections?|tablets?|inhalers?|transplant\w*"
        r"|chemotherapy|antivirals?|rehabilitation)\b"
    ),
    Kind.FIRST_AID: (
        r"\b(?:call|emergency number|ambulance|first aid|should|must|press|place|apply|stay with|do not"
        r"|give[ns]?)\b"
    ),
    Kind.SELF_CARE: (
        r"\b(?:eat\w*|diet|exercis\w+|rest\w*|fluids|avoid\w*|weight|lifestyle|sleep\w*|active|habits?|food"
        r"|drink\w*|smok\w+|can help|ease[sd]?)\b"
    ),
    Kind.DIAGNOSIS: (
        r"\b(?:diagnos\w+|tests?|tested|scans?|exam\w*|biops\w+|x-rays?|ultrasound|confirm\w*|screening"
        r"|detect\w*|imaging|mri|ct)\b"
    ),
    Kind.DONTS: r"(?:^|[;,] (?:and )?)(?:do not|don['’]t|never)\b|\b(?:should|must) (?:not|never)\b",
    Kind.PREVENTION: (
        r"\b(?:prevent\w*|(?:lower|reduc)\w*|avoid\w*|vaccin\w*|protect\w*|helps? to stop|keep\w* from|stop)\b"
    ),
    Kind.HELP: (
        r"\b(?:emergency|doctors?|urgent\w*|ambulance|seek|medical (?:help|care|advice|attention)|911|999|112"
        r"|hospital|get help|health professional|crisis line|immediate"
        r"|(?:let|tell|ask|contact|see) (?:your|a|the) (?:health ?care )?(?:provider|nurse|pharmacist))\b"
    ),
    Kind.OUTLOOK: (
        r"\b(?:prognosis|outlook|recover\w*|surviv\w+|life expectancy|lifespan|life span|go(?:es)? away"
        r"|cure[ds]?|curable|fatal|death|die[sd]?|gets? better|improves?|mortality|progress(?:es|ion)"
        r"|worsens?)\b"
    ),
    Kind.DURATION: (
        r"\b(?:lasts?|lasting|go(?:es)? away|clears? up|heals?|(?:is|are|be|becomes?) (?:an? )?(?:\w+ )?chronic"
        r"|lifelong|long-term condition"
        r"|(?:hours|days|weeks|months|years)\b(?! (?:old|of age|(?:or|and) (?:older|younger|over|under))))\b"
    ),
    Kind.SEVERITY: (
        r"\b(?:life-threatening|serious\w*|dangerous|deadly|fatal|death|die[sd]?"
        r"|emergency(?! (?:number|services|department))|(?<!less )severe|kill|harm(?:s|ed|ful)?|mild)\b"
    ),
    Kind.DIFFERENCE: r"\b(?:differ\w*|unlike|compared|whereas|while|rather than|not the same)\b",
    Kind.CONTAGION: (
        r"\b(?:contagious|infectious|spread\w*|pass(?:ed|es)? (?:it |them )?(?:on|from|to)|transmit\w*"
        r"|caught|catch)\b"
    ),
    Kind.COMPLICATIONS: (
        r"\b(?:complications?|leads? to|damage[sd]?|failure|result in|untreated|over time|raises? the risk)\b"
    ),
    Kind.FREQUENCY: (
        r"\b(?:common|rare|prevalence|incidence|percent|estimated|frequen\w+|affects (?:about|an|up|more|\d)"
        r"|in every|out of"
        r"|\d[\d,.]* (?:people|individuals|children|newborns|births|cases|million|americans|adults|males"
        r"|females)|1 in|one in|million|occurs in|unknown|families)\b|\d\s?%"
    ),
    Kind.GENETICS: r"\b(?:genes?|mutat\w+|chromosomes?|genetic|deletion\w*|variants?)\b",
    Kind.INHERITANCE: (
        r"\b(?:inherit\w*|autosomal|recessive|dominant|x-linked|runs? in families|sporadic|passed"
        r"|family history|hereditary|genes?|de novo|mitochondrial pattern)\b"
    ),
    Kind.STAGES: r"\b(?:stages?|staging)\b",
    Kind.RESEARCH: r"\b(?:research\w*|clinical trials?|stud(?:y|ies)|investigat\w+|supports?)\b",
    Kind.SIDE_EFFECTS: r"\b(?:side[- ]effects?|adverse|(?:can|may|might) (?:also )?(?:cause|lead to)|reactions?)\b",
    Kind.AMOUNT: (
        r"\d[\d.,]*[ -]?(?:mg|mcg|µg|g|kg|ml|l|iu|units?|milligrams?|micrograms?|grams?|litres?|liters?|ounces?|cups?"
        r"|glass(?:es)?|tablets?|pills?|drops|doses|drinks|servings|spoons?|teaspoons?|times|hours|minutes|percent|%)"
        r"|[$£€]\s?\d"
    ),
}
SENTENCES = {kind: re.compile(rule, re.IGNORECASE) for kind, rule in _SENTENCE_RULES.items()}

_SOME = (
    r"(?:(?:the|an?|other|additional|common|early|earliest|late|later|main|first|most|typical|usual|some|many|possible"
    r"|warning|exact|known|only|there (?:is|are)|no|several|various|large number of|key|major|initial) )*"
)
_TRY = r"(?:you can|for relief,) try\b"
_SUBJECT_RULES: dict[Kind, str] = {
    Kind.SYMPTOMS: rf"{_SOME}(?:symptoms?|signs?)\b|(?:[^,.]{{3,40}}, )?you (?:may|might) (?:have|feel|notice)\b",
    Kind.CAUSES: rf"{_SOME}(?:causes?|triggers?|reasons?)\b",
    Kind.RISK: rf"{_SOME}risk factors?\b|anyone can (?:get|have|develop)\b",
    Kind.TREATMENT: rf"{_SOME}(?:treatments?|therapy|therapies|medicines?|medications?|antibiotics)\b|{_TRY}",
    Kind.DURATION: rf"{_SOME}(?:symptoms?|attacks?|episodes?|it)\b.*\blasts?\b",
    Kind.FIRST_AID: rf"{_TRY}|there is no (?:sure |certain )?way to\b",
    Kind.SELF_CARE: rf"{_TRY}|there is no (?:sure |certain )?way to\b",
    Kind.DIAGNOSIS: rf"{_SOME}(?:diagnosis|tests?)\b|(?:your )?doctors? (?:can |may |will |use)",
    Kind.SIDE_EFFECTS: rf"{_SOME}(?:side[- ]effects?|adverse)\b",
    Kind.COMPLICATIONS: rf"{_SOME}complications?\b",
    Kind.PREVENTION: r"prevention\b|to (?:prevent|lower|reduce)\b|the best (?:way|protection)\b|there is a vaccine\b",
}
SUBJECTS = {kind: re.compile(rule, re.IGNORECASE) for kind, rule in _SUBJECT_RULES.items()}
"""Sentences whose subject is the type itself."""

# Cues of the same types in questions and headings of other languages, on folded text, in order of precedence.
_FOREIGN_RULES: dict[Kind, dict[str, str]] = {
    Kind.SYMPTOMS: {
        "es": r"sintoma|senales|signos",
        "fr": r"symptome|signes",
        "de": r"symptom|anzeichen|beschwerden|erkenn",
        "it": r"sintom|segni|segnali",
        "pt": r"sintoma|sinais",
    },
    Kind.PREVENTION: {
        "es": r"preven|evitar|reducir el riesgo",
        "fr": r"preven|eviter|reduire le risque",
        "de": r"vorbeug|verhinder|vermeid|risiko (?:senken|verringern)|schutz",
        "it": r"preven|evitare|ridurre il rischio",
        "pt": r"preven|evitar|reduzir o risco",
    },
    Kind.DIAGNOSIS: {
        "es": r"diagnos",
        "fr": r"diagnos|depist",
        "de": r"diagnos|festgestellt|untersuch",
        "it": r"diagnos",
        "pt": r"diagnos",
    },
    Kind.HELP: {
        "es": r"cuando (?:debo|hay|acudir|ir|llamar|buscar)|urgencia|emergencia",
        "fr": r"quand (?:faut|dois|doit|consulter|appeler|aller)|urgence",
        "de": r"wann (?:muss|soll|zum|ist|sollte)|notfall|notruf",
        "it": r"quando (?:devo|bisogna|andare|chiamare|rivolgersi)|emergenza|urgenz",
        "pt": r"quando (?:devo|procurar|ir|ligar|chamar)|emergencia|urgencia",
    },
    Kind.FIRST_AID: {
        "es": r"que (?:hacer|hago|debo hacer)|primeros auxilios",
        "fr": r"que (?:faire|dois-je faire)|premiers secours|gestes",
        "de": r"was (?:tun|soll|muss|kann) |erste hilfe",
        "it": r"cosa (?:fare|devo fare)|primo soccorso",
        "pt": r"o que (?:fazer|devo fazer)|primeiros socorros",
    },
    Kind.TREATMENT: {
        "es": r"trata|cura|medicamento|remedio",
        "fr": r"traite|soign|guerir|medicament|remede",
        "de": r"behand|heil|medikament|hilft gegen|therapie",
        "it": r"cura|tratta|terapi|farmac|rimedi",
        "pt": r"trata|cura|medicamento|remedio",
    },
    Kind.CAUSES: {
        "es": r"causa|por que|provoca|desencadena|factores de riesgo",
        "fr": r"cause|pourquoi|provoque|declenche|facteurs de risque",
        "de": r"ursache|warum|wodurch|ausloser|lost .* aus|entsteht|risikofaktor",
        "it": r"caus|perche|provoca|scatena|fattori di rischio",
        "pt": r"causa|por ?que|provoca|desencadeia|fatores de risco",
    },
    Kind.OUTLOOK: {
        "es": r"pronostico|cuanto dura",
        "fr": r"pronostic|combien de temps",
        "de": r"prognose|verlauf|wie lange",
        "it": r"prognosi|quanto dura",
        "pt": r"prognostico|quanto tempo",
    },
    Kind.INHERITANCE: {
        "es": r"heredit|hereda",
        "fr": r"heredit",
        "de": r"erblich|vererb",
        "it": r"ereditari",
        "pt": r"heredit|herda",
    },
    Kind.WHAT: {
        "es": r"que es|que son|que significa",
        "fr": r"qu['’]est-ce|c['’]est quoi|definition",
        "de": r"was ist|was sind|was bedeutet|uberblick",
        "it": r"cos['’]?e\b|che cos|cosa sono|cosa significa",
        "pt": r"o que (?:e|sao|significa)",
    },
}
FOREIGN = {
    language: _cues(*((kind, rules[language]) for kind, rules in _FOREIGN_RULES.items()))
    for language in ("es", "fr", "de", "it", "pt")
}
