"""What is shown around an answer: sources, receipt, emergencies, notices, deferrals."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.keys import Keys

from tests.browser.facts import RECEIPT_ID, VERSION
from tests.browser.fake_server import FakeServer
from tests.browser.page import Page

pytestmark = pytest.mark.browser


def test_each_marker_opens_its_own_source(page: Page, fake: FakeServer) -> None:
    page.ask("answer")
    page.until_ended()
    for n, title in ((1, "Type 2 diabetes"), (3, "Diabetes: questions and answers")):
        page.click(f".marker[data-n='{n}']")
        page.until_in("#panel", f"Passage {n}, first line.")
        assert page.text("#panel-title") == title
        assert page.text("#panel-number") == f"Source {n}"
        assert fake.paths[-1] == f"/api/chunks/health%2Fdoc-{n}%23{n}?corpus_version={VERSION}"
        if n == 3:
            page.screenshot("panel")
        page.press(Keys.ESCAPE)
        page.until(lambda: not page.find("#panel").is_displayed(), "the panel to close")
        assert page.run("return document.activeElement.dataset.n") == str(n)
        assert page.run("return document.activeElement.className") == "marker"


def test_the_panel_shows_the_passage_and_where_it_is_from(page: Page) -> None:
    page.ask("answer")
    page.until_ended()
    page.click(".source[data-n='1']")
    page.until_in("#panel", "first line")
    shown = page.find("#panel-body").text
    assert "Passage 1, first line.\n- a point of passage 1\n- another point" in shown
    for words in (
        "Symptoms › Early signs",
        "World Health Organization",
        "2026-03-14",
        "Source seen\n2026-11-28",
        "CC BY-NC-SA 3.0",
        "cosine 0.87",
    ):
        assert words in shown
    link = page.find("#panel-body a")
    assert link.get_attribute("href") == "https://www.who.int/page-1"
    assert (link.get_attribute("rel"), link.get_attribute("target")) == ("noopener noreferrer nofollow", "_blank")
    page.click("#panel-close")
    assert page.run("return document.activeElement.className") == "source"
    page.click(".source[data-n='3']")
    page.until_in("#panel", "Passage 3, first line.")
    assert "Source seen" not in page.find("#panel-body").text


def test_used_and_unused_sources_stand_apart_under_the_numbers_of_the_text(page: Page) -> None:
    page.ask("answer")
    page.until_ended()
    assert [e.text for e in page.all(".sources > .source-list .number")] == ["Source\n1", "Source\n3"]
    rest = page.find(".rest")
    assert rest.text == "Found, but not used in the answer (1)"
    rest.find_element("css selector", "summary").click()
    assert "date not given" in rest.text
    assert "healthdirect Australia" in rest.text


def test_a_passage_that_is_gone_says_so(page: Page) -> None:
    page.ask("answer")
    page.until_ended()
    page.run("const real = fetch; window.fetch = (url, more) => real(url.replace('doc-1', 'gone'), more)")
    page.click(".marker[data-n='1']")
    page.until_in("#panel", "There is no passage with this id in that version.")


def test_the_receipt_tells_how_the_answer_was_made(page: Page, fake: FakeServer) -> None:
    page.ask("answer")
    page.until_ended()
    page.click(".receipt summary")
    shown = page.find(".receipt").text
    for words in (
        "Answered from passages of the collection",
        "R0 (general information)",
        f"health, version {VERSION}",
        "extractive · extractive-1",
        "intfloat/multilingual-e5-small",
        "100 % (share of sentences supported by their passages, checked by rules, not by a person)",
        "assess 1.2 ms · embed 14 ms",
        RECEIPT_ID,
    ):
        assert words in shown
    page.screenshot("receipt")
    assert page.find(".receipt a").get_attribute("href") == f"{fake.url}/api/receipts/{RECEIPT_ID}"
    page.cdp("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    page.click(".receipt button")
    page.until(lambda: page.text(".copied"), "a word about copying")
    assert page.text(".copied") in ("Copied", "Selected: press Ctrl+C")


def test_an_emergency_comes_first_with_numbers_to_call(page: Page) -> None:
    page.ask("emergency")
    page.until_ended()
    banner = page.find(".emergency")
    assert banner.get_attribute("role") == "alert"
    assert page.text(".emergency-text") == "This may be a heart attack. Call 112 now. Do not drive yourself."
    assert [a.get_attribute("href") for a in page.all(".emergency a")] == ["tel:112", "tel:116123", "tel:08001110111"]
    assert "send HELLO to 741741" in banner.text
    steps = [e.text for e in page.all(".steps li")]
    assert steps == ["Sit down and rest.", "Loosen tight clothes.", "Do not eat or drink."]
    assert banner.rect["y"] < page.find(".answer").rect["y"]
    assert page.state == "Signs of an emergency"
    assert "only fixed advice was shown" in page.text(".receipt-status")
    assert not page.all(".numbers-hint")
    page.screenshot("emergency")


def test_without_a_number_the_banner_points_to_the_country_choice(page: Page) -> None:
    page.ask("no number")
    page.until_ended()
    assert page.all(".emergency a") == []
    assert "your local emergency number" in page.find(".emergency").text
    assert "choose it below the question box" in page.text(".numbers-hint")
    page.run("document.querySelector('#country').value = 'TV'")
    page.ask("no number")
    page.until_ended()
    assert not page.all(".turn:last-child .numbers-hint"), "the country was chosen, and its numbers are not known"


def test_a_notice_is_calm_and_the_answer_follows(page: Page) -> None:
    page.ask("notice")
    page.until_ended()
    assert not page.all(".emergency")
    assert "ask your midwife" in page.text(".notice")
    assert page.find(".notice").rect["y"] < page.find(".answer").rect["y"]
    assert "Some medicines are not safe" in page.answer
    page.screenshot("notice")


def test_a_deferral_says_so_and_shows_what_came_nearest(page: Page) -> None:
    page.ask("deferral")
    page.until_ended()
    assert page.state == "Not enough in the sources to answer"
    assert "I did not find enough" in page.answer
    assert page.text(".rest summary") == "Nearest passages found (3)"
    assert not page.all(".sources > h3")
    shown = page.text(".receipt")
    for words in ("were not enough", "incorrect (dense below floor)", "query embedding", "no sentence to check"):
        assert words in shown


@pytest.mark.parametrize(
    ("question", "state", "sentence"),
    [("refusal", "Not answered", "must not serve"), ("hello", "A short fixed reply", "no sources were needed")],
)
def test_other_endings_are_named(page: Page, question: str, state: str, sentence: str) -> None:
    page.ask(question)
    page.until_ended()
    assert page.state == state
    assert sentence in page.text(".receipt-status")
    assert not page.all(".sources")
