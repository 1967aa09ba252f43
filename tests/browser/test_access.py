"""The page on a small screen, in the dark, by keyboard alone, and to a screen reader."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.keys import Keys

from tests.browser.fake_server import FakeServer
from tests.browser.page import Page

pytestmark = pytest.mark.browser

OVERFLOW = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"

ON_TOP = """
    const box = document.activeElement.getBoundingClientRect();
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return document.activeElement.contains(top);
"""

CONTRAST = """
    const channel = (v) => ((v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    const colour = (text) => (text.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
    const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const ground = (e) => {
      const [r, g, b, a = 1] = colour(getComputedStyle(e).backgroundColor);
      if (a === 1) return [r, g, b];
      const under = e.parentElement ? ground(e.parentElement) : [255, 255, 255];
      return [r, g, b].map((v, i) => v * a + under[i] * (1 - a));
    };
    const pale = [];
    for (const e of document.querySelectorAll("body *")) {
      const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
      if (!own || !e.checkVisibility() || e.closest(".hidden, .skip, option")) continue;
      const [a, b] = [light(colour(getComputedStyle(e).color)), light(ground(e))];
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (ratio < 4.5) pale.push(`${e.className || e.localName} ${ratio.toFixed(2)}`);
    }
    return pale;
"""


def test_a_phone_shows_everything_without_scrolling_sideways(page: Page) -> None:
    page.open(width=360, height=740, phone=True)
    assert page.run(OVERFLOW) == 0
    composer = page.find("#composer").rect
    assert composer["y"] + composer["height"] <= 740, "the question box is on the screen from the start"
    page.screenshot("phone-welcome")
    page.ask("answer")
    page.until_ended()
    assert page.run(OVERFLOW) == 0
    page.screenshot("phone-answer")
    assert page.run("return document.querySelector('#composer').getBoundingClientRect().bottom") <= 740
    page.run("for (const details of document.querySelectorAll('details')) details.open = true")
    assert page.run(OVERFLOW) == 0
    page.click(".marker[data-n='3']")
    page.until_in("#panel", "first line")
    assert page.run(OVERFLOW) == 0
    page.screenshot("phone-panel")
    page.click("#panel-close")
    page.ask("emergency")
    page.until_ended()
    assert page.run(OVERFLOW) == 0
    page.screenshot("phone-emergency")


def test_a_page_enlarged_fourfold_still_fits(page: Page) -> None:
    page.open(width=320, height=256)
    page.ask("hostile")
    page.until_ended()
    page.run("for (const details of document.querySelectorAll('details')) details.open = true")
    assert page.run(OVERFLOW) == 0


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_is_dark_or_light_enough(page: Page, dark: bool) -> None:
    page.open(dark=dark)
    assert page.run(CONTRAST) == []
    for question in ("answer", "emergency", "notice", "error"):
        page.ask(question)
        page.until_ended()
    page.run("for (const details of document.querySelectorAll('details')) details.open = true")
    assert page.run(CONTRAST) == []
    page.click(".marker[data-n='1']")
    page.until_in("#panel", "first line")
    assert page.run(CONTRAST) == []


@pytest.mark.parametrize("dark", [False, True])
def test_the_system_chooses_light_or_dark(page: Page, dark: bool) -> None:
    page.open(dark=dark)
    red = int(str(page.run("return getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]")))
    assert red < 60 if dark else red > 200
    page.ask("answer")
    page.until_ended()
    page.screenshot("dark" if dark else "light")


def test_everything_can_be_done_by_keyboard(page: Page) -> None:
    page.press(Keys.TAB)
    assert page.focus == "a#.skip"
    page.press(Keys.ENTER)
    assert page.focus.startswith("textarea#question")
    page.press("answer", Keys.ENTER)
    page.until_ended()
    assert page.focus.startswith("textarea#question"), "the focus stays where the person left it"
    _tab_to(page, "button#.marker", backwards=True)
    assert page.run("return getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.press(Keys.ENTER)
    page.until_in("#panel", "first line")
    for _ in range(5):
        page.press(Keys.TAB)
        assert page.run("return document.activeElement === document.body || !!document.activeElement.closest('#panel')")
    page.press(Keys.ESCAPE)
    page.until(lambda: not page.find("#panel").is_displayed(), "the panel to close")
    assert page.focus == "button#.marker"
    _tab_to(page, "summary")
    page.press(Keys.TAB)
    assert page.run("return document.activeElement.textContent") == "Receipt"
    page.press(Keys.ENTER)
    page.until(lambda: page.find(".receipt dl").is_displayed(), "the receipt")
    for _ in range(2):
        page.press(Keys.TAB)
        assert page.run(ON_TOP), f"{page.focus} has the focus and must not hide behind the question box"


def test_the_stop_button_takes_over_the_focus(page: Page, fake: FakeServer) -> None:
    page.press(Keys.TAB, Keys.ENTER)
    page.press("slow", Keys.TAB)
    assert page.focus.startswith("button#send")
    page.press(Keys.ENTER)
    page.until(lambda: page.focus.startswith("button#stop"), "the focus on Stop")
    page.press(Keys.ENTER)
    page.until_ended()
    assert page.focus.startswith("textarea#question")
    fake.release()


def test_a_screen_reader_finds_names_and_live_parts(page: Page) -> None:
    page.ask("emergency")
    page.until_ended()
    page.ask("answer")
    page.until_ended()
    assert page.find(".turn:last-child .answer").get_attribute("aria-live") == "polite"
    assert page.find(".turn:last-child .state").get_attribute("role") == "status"
    nodes = page.cdp("Accessibility.getFullAXTree")["nodes"]
    roles = {"button", "textbox", "combobox", "link", "dialog", "article", "region"}
    unnamed = [
        node["role"]["value"]
        for node in nodes
        if not node.get("ignored") and node["role"]["value"] in roles and not node["name"]["value"]
    ]
    assert unnamed == []
    headings = "return [...document.querySelectorAll('h1, h2, h3')].filter((e) => e.checkVisibility())"
    levels = page.run(f"{headings}.map((e) => e.localName)")
    assert levels[0] == "h1"
    assert levels.count("h1") == 1


def test_motion_stops_when_unwanted(page: Page, fake: FakeServer) -> None:
    page.ask("slow")
    page.until(lambda: page.all(".working"), "work")
    assert page.run("return getComputedStyle(document.querySelector('.working'), '::before').animationName") == "none"
    fake.release()
    fake.release()
    page.until_ended()


def _tab_to(page: Page, target: str, *, backwards: bool = False) -> None:
    for _ in range(20):
        page.press(*([Keys.SHIFT, Keys.TAB, Keys.NULL] if backwards else [Keys.TAB]))
        if page.focus.startswith(target):
            return
    pytest.fail(f"{target} cannot be reached: the focus is on {page.focus}")
