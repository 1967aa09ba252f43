"""Whatever a document, a model or an error says, the page shows it as text."""

from __future__ import annotations

import pytest

from tests.browser.facts import HOSTILE
from tests.browser.page import Page

pytestmark = pytest.mark.browser

FOREIGN = """
    const own = new Set(["/static/icon.svg", "/static/app.js"]);
    const foreign = "img, script, svg, iframe, object, b, i, form, base, meta[http-equiv]";
    const strange = [...document.querySelectorAll(foreign)].filter(
      (e) => !own.has(e.getAttribute("src")) && e.id !== "composer",
    );
    const links = [...document.querySelectorAll("[href], [src]")].map((e) => e.href || e.src);
    const names = [...document.querySelectorAll("*")].flatMap((e) => e.getAttributeNames());
    return {
      pwned: window.__pwned ?? null,
      strange: strange.map((e) => e.outerHTML),
      links: links.filter((href) => !/^(https?:|tel:)/.test(href)),
      handlers: names.filter((name) => name.startsWith("on")),
    };
"""
CLEAN: dict[str, object] = {"pwned": None, "strange": [], "links": [], "handlers": []}


def test_hostile_texts_are_shown_as_text(page: Page) -> None:
    page.ask("hostile")
    page.until_ended()
    page.run("for (const details of document.querySelectorAll('details')) details.open = true")
    assert page.answer.startswith(f"{HOSTILE} [x](javascript:alert(1)) <script>window.__pwned=1</script> 1")
    for selector in (".emergency-text", ".steps li", ".source[data-n='1'] .title"):
        assert page.text(selector) == HOSTILE
    assert "javascript:alert(1)" in page.text(".numbers")
    assert page.text(".source[data-n='1'] .origin").startswith("<b>org</b>")
    assert page.run(FOREIGN) == CLEAN
    page.screenshot("hostile")


def test_a_hostile_passage_is_shown_as_text_and_gets_no_link(page: Page) -> None:
    page.ask("hostile")
    page.until_ended()
    page.click(".marker[data-n='1']")
    page.until_in("#panel", "<script>")
    assert page.text("#panel-title") == HOSTILE
    assert "[x](javascript:alert(1))" in page.text(".passage")
    assert page.all("#panel a") == [], "javascript: is no address"
    assert page.run(FOREIGN) == CLEAN
    page.click("#panel-close")
    page.click(".marker[data-n='2']")
    page.until_in("#panel", "first line")
    assert page.find("#panel a").get_attribute("href") == "https://evil.example/%22onclick=%22x"
    assert page.run(FOREIGN) == CLEAN


def test_a_hostile_error_is_shown_as_text(page: Page) -> None:
    page.ask("hostile error")
    page.until_ended()
    assert HOSTILE in page.text(".problem")
    assert page.run(FOREIGN) == CLEAN


def test_a_hostile_question_is_shown_as_text(page: Page) -> None:
    page.ask(HOSTILE)
    page.until_ended()
    assert page.text(".question") == HOSTILE
    assert page.run(FOREIGN) == CLEAN
