"""A floor of a few rules in two languages, quick to build, for tests of what the floor does with any rules."""

from __future__ import annotations

from pathlib import Path

from safety.assess import Assessor
from safety.rules import RuleTable, load_table
from safety.texts import TEXTS, load_helplines, load_texts

__all__ = ["small_floor"]

HEAD = 'language = "{language}"\nversion = "1"\nreviewed_by = ""\n'
RULE = """
[[rule]]
id = "{id}"
class = "{risk}"
family = "{family}"
{lists}
scope = ["negated", "past"]
notice = "{notice}"
source = "general_nhs"
matches = ["a", "b", "c"]
passes = ["a", "b", "c"]
"""
ENGLISH = (
    HEAD.format(language="en")
    + """
[spelling.expand]
"he'll" = "he will"
[scope.negated]
before = ["no"]
reach = 3
reach_back = 0
[scope.past]
before = ["last year"]
after = ["last year"]
reach = 9
reach_back = 9
[scope.unclear]
before = ["had"]
reach = 3
reach_back = 0
[units]
age_after = ["old"]
[units.age]
months = "mo"
[patient]
facts = ["@pregnant", "@young"]
pregnant = "pregnant"
age = "{months} months old"
[sets]
pregnant = ["pregnant", "expecting"]
young = ["{age<3mo}", "newborn"]
"""
)
RULES = [
    ("cardiac.pain", "R5", "cardiac", 'any = ["chest pain"]', "cardiac"),
    ("pregnancy.bleeding", "R4", "pregnancy", 'all = ["@pregnant"]\nany = ["bleeding"]', "pregnancy"),
    ("infant_fever.young", "R4", "infant_fever", 'all = ["@young", "fever"]', "infant_fever"),
    ("refusal.forged", "R0", "refusal", 'any = ["forge a prescription"]\nrefuse = true', "refuse_forgery"),
    ("choking.throat", "R5", "choking", 'any = ["choking"]\nunless = ["dog"]', "choking"),
    ("suicide.jump", "R5", "suicide", 'any = ["he will jump"]', "suicide"),
    ("suicide.intent", "R5", "suicide", 'any = ["kill myself"]\nlines = ["crisis"]', "suicide"),
]
SPANISH = [
    ("cardiac.pain_es", "R5", "cardiac", 'any = ["dolor ~3 pecho"]', "cardiac"),
    ("everyday.anaemia_es", "R2", "everyday", 'any = ["anemia"]', "see_clinician"),
]


def table(folder: Path, language: str, head: str, rules: list[tuple[str, str, str, str, str]]) -> RuleTable:
    body = "".join(
        RULE.format(id=id_, risk=risk, family=family, lists=lists, notice=notice)
        for id_, risk, family, lists, notice in rules
    )
    path = folder / f"{language}.toml"
    path.write_text(head + body, encoding="utf-8")
    return load_table(path)


def small_floor(folder: Path) -> Assessor:
    """The floor; `folder` is where its tables are written."""
    tables = {
        "en": table(folder, "en", ENGLISH, RULES),
        "es": table(folder, "es", HEAD.format(language="es"), SPANISH),
    }
    texts = {name: load_texts(TEXTS / f"{name}.toml") for name in ("en", "es")}
    return Assessor(tables, texts, load_helplines())
