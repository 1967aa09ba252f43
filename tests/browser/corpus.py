"""A small corpus for the service under test: two documents, and one that tries to break the page."""

from __future__ import annotations

from pathlib import Path

__all__ = ["HOSTILE_TITLE", "write_corpus"]

HOSTILE_TITLE = "<img src=x onerror=window.__pwned=1>"

_FRONT = """---
title: {title}
organization: {organization}
url: {url}
{date}lang: en
topic: {topic}
doc_type: patient_information
hierarchy_rank: 2
licence: "Own words, Apache-2.0"
---
"""

_DIABETES = """# Type 2 diabetes

## What it is

Type 2 diabetes is a long-term condition in which the level of glucose in the blood is too high. The body does not use
insulin well, or does not make enough of it.

## Early signs

The early signs of type 2 diabetes often come on slowly, and some people notice none of them.

Early signs of type 2 diabetes include:

- feeling very thirsty
- passing urine more often, mostly at night
- feeling more tired than usual
- losing weight without trying

A blood test shows whether a person has type 2 diabetes.
"""

_STROKE = """# Stroke

## Warning signs

The warning signs of a stroke appear suddenly. The warning signs of a stroke are a face that droops on one side, an arm
that cannot be lifted, and speech that is slurred.

## What to do

A stroke is an emergency. Call an ambulance at once.
"""

_HOSTILE = """# Zanthic fever

## Symptoms of zanthic fever

The symptoms of zanthic fever are a green tongue and <script>window.__pwned=1</script> purple ears. The symptoms of
zanthic fever last for three days [x](javascript:alert(1)) and then pass.

Zanthic fever is treated with rest, as https://zanthic.example/page explains.
"""


def write_corpus(folder: Path) -> None:
    """Writes the collection "health" into `folder`."""
    health = folder / "health"
    health.mkdir(parents=True)
    for name, title, organization, url, date, text in (
        ("diabetes", "Type 2 diabetes", "World Health Organization", "https://www.who.int/x", "2026-03-14", _DIABETES),
        ("stroke", "Stroke", "healthdirect Australia", "https://www.healthdirect.gov.au/stroke", None, _STROKE),
        ("zanthic", f'"{HOSTILE_TITLE}"', "Zanthic <b>Institute</b>", "https://zanthic.example/page", None, _HOSTILE),
    ):
        dated = f"version_date: {date}\n" if date else ""
        front = _FRONT.format(title=title, organization=organization, url=url, topic=name, date=dated)
        (health / f"{name}.md").write_text(front + text, encoding="utf-8")
