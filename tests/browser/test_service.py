"""The page and the service itself, over a real connection and a small corpus."""

from __future__ import annotations

import re

import pytest

from tests.browser.corpus import HOSTILE_TITLE
from tests.browser.page import Page
from tests.browser.test_hostile import CLEAN, FOREIGN

pytestmark = pytest.mark.browser


def test_a_question_is_answered_from_a_passage_that_opens(real_page: Page) -> None:
    page = real_page
    assert re.fullmatch(
        r"Collection version [\d.-]+, \d+ passages; search by keyword only at the moment\.", page.text("#health")
    )
    page.ask("What are the early signs of type 2 diabetes?")
    page.until_ended()
    assert page.state.startswith("Answered from 1 of ")
    assert "feeling very thirsty" in page.answer
    page.click(".marker")
    page.until_in("#panel .passage", "passing urine more often")
    assert page.text("#panel-title") == "Type 2 diabetes"
    assert "2026-03-14" in page.text("#panel")
    page.click("#panel-close")
    page.screenshot("service")


def test_the_receipt_can_be_fetched_by_the_id_shown(real_page: Page) -> None:
    page = real_page
    page.ask("What are the warning signs of a stroke?")
    page.until_ended()
    shown = page.text(".receipt code")
    assert re.fullmatch("[0-9a-f]{32}", shown)
    href = page.find(".receipt a").get_attribute("href")
    kept = page.run_module("const r = await fetch(parameters[0]); return [r.status, await r.json()]", href)
    assert kept[0] == 200
    assert (kept[1]["id"], kept[1]["status"]) == (shown, "answered")
    assert "stroke" not in str({key: value for key, value in kept[1].items() if key != "retrieved_sources"})


def test_a_hostile_document_is_shown_as_text(real_page: Page) -> None:
    page = real_page
    page.ask("What are the symptoms of zanthic fever?")
    page.until_ended()
    assert "green tongue" in page.answer
    page.click(".marker")
    page.until_in("#panel .passage", "zanthic fever")
    assert page.text("#panel-title") == HOSTILE_TITLE
    assert page.find("#panel a").get_attribute("href") == "https://zanthic.example/page"
    assert page.run(FOREIGN) == CLEAN


def test_an_emergency_shows_the_number_of_the_country(real_page: Page) -> None:
    page = real_page
    page.run("const c = document.querySelector('#country'); c.value = 'DE'; c.dispatchEvent(new Event('change'))")
    page.ask("I have crushing chest pain going down my left arm")
    page.until_ended()
    assert "tel:112" in [a.get_attribute("href") for a in page.all(".emergency a")]
    assert page.all(".steps li")
    assert page.answer == ""
    page.screenshot("service-emergency")


def test_a_question_beyond_the_sources_is_deferred(real_page: Page) -> None:
    page = real_page
    page.ask("What is the capital of Peru?")
    page.until_ended()
    assert page.state == "Not enough in the sources to answer"
    assert "I will not guess" in page.answer


def test_a_second_question_carries_the_first(real_page: Page) -> None:
    page = real_page
    page.ask("hello")
    page.until_ended()
    page.ask("What are the warning signs of a stroke?")
    page.until_ended()
    assert "face that droops" in page.answer
    assert len(page.all(".turn")) == 2
