"""The parts of the page that take pieces: whatever the cut, the whole comes out."""

from __future__ import annotations

import re

import pytest

from app.main import WEB
from tests.browser.page import Page

pytestmark = pytest.mark.browser

PARSE = """
    const { EventParser } = await import("/static/sse.js");
    const told = (pieces) => {
      const parser = new EventParser();
      return JSON.stringify(pieces.flatMap((piece) => parser.feed(piece)));
    };
    const [text] = parameters;
    const whole = told([text]);
    const differing = [];
    for (let i = 0; i <= text.length; i++)
      for (let j = i; j <= text.length; j++)
        if (told([text.slice(0, i), text.slice(i, j), text.slice(j)]) !== whole) differing.push([i, j]);
    return { events: JSON.parse(whole), differing };
"""

SHOW = """
    const { Answer } = await import("/static/answer.js");
    const make = (n) => (n < 4 ? Object.assign(document.createElement("button"), { textContent: `«${n}»` }) : null);
    const shown = (pieces) => {
      const element = document.createElement("div");
      const answer = new Answer(element, make);
      for (const piece of pieces) answer.add(piece);
      answer.finish();
      element.normalize();
      return new XMLSerializer().serializeToString(element).replace(/ (xmlns|dir)="[^"]*"/g, "");
    };
    const [text] = parameters;
    const whole = shown([text]);
    const differing = [];
    for (let i = 0; i <= text.length; i++)
      for (let j = i; j <= text.length; j++)
        if (shown([text.slice(0, i), text.slice(i, j), text.slice(j)]) !== whole) differing.push([i, j]);
    if (shown([...text]) !== whole) differing.push("characters");
    if (shown(text.split("")) !== whole) differing.push("code units");
    return { whole, differing };
"""


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_a_stream_cut_anywhere_gives_the_same_events(page: Page, end: str) -> None:
    lines = ["\ufeff: hb", "", "event: delta", "data: a", "data:b", "", "id: 7", "data", "", ": hb", "", "event: x", ""]
    text = end.join([*lines, "data: last", "", "data: never ended"])
    result = page.run_module(PARSE, text)
    assert result["differing"] == []
    assert result["events"] == [
        {"name": "delta", "data": "a\nb"},
        {"name": "message", "data": ""},
        {"name": "message", "data": "last"},
    ]


def test_an_answer_cut_anywhere_looks_the_same(page: Page) -> None:
    text = "\n- é one [1][3]\n- t-wo [9]\n\n-5 °C 👩‍⚕️ [2]\nline [x] [12\n* b\n\n\nEnd [1234] - [1]."
    result = page.run_module(SHOW, text)
    assert result["differing"] == []
    assert result["whole"] == (
        "<div><ul><li>é one <button>«1»</button><button>«3»</button></li><li>t-wo [9]</li></ul>"
        "<p>-5 °C 👩‍⚕️ <button>«2»</button>\nline [x] [12</p><ul><li>b</li></ul>"
        "<p>End [1234] - <button>«1»</button>.</p></div>"
    )


@pytest.mark.parametrize(
    "text", ["", "-", "- ", "[", "[1", "\n\n", "a\n-", "a [", "[]", "- [1]\n- ", "  b", "1. x\n2. y"]
)
def test_short_ends_are_shown_in_the_end(page: Page, text: str) -> None:
    result = page.run_module(SHOW, text)
    assert result["differing"] == []
    shown = re.sub("<[^>]*>|«|»", "", result["whole"])
    assert shown.split() == re.sub(r"\[(1)\]|^- ", r"\1", text, flags=re.M).split()


def test_nothing_shown_is_ever_taken_back(page: Page) -> None:
    shrunk = page.run_module(
        """
        const { Answer } = await import("/static/answer.js");
        const element = document.createElement("div");
        const answer = new Answer(element, (n) => (n < 4 ? document.createElement("button") : null));
        let [before, shrunk] = ["", []];
        for (const unit of parameters[0].split("")) {
          answer.add(unit);
          if (!element.textContent.startsWith(before)) shrunk.push(element.textContent);
          before = element.textContent;
        }
        return shrunk;
        """,
        "One [1][3] two [9] [x].\n- a 😀\n- b [2]\n\nEnd - [1",
    )
    assert shrunk == []


def test_no_source_of_the_page_makes_markup_from_text() -> None:
    sinks = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|ContextualFragment|DOMParser|eval\(")
    scripts = sorted(WEB.rglob("*.js"))
    assert len(scripts) > 5
    assert [path.name for path in scripts if sinks.search(path.read_text())] == []


def test_the_page_holds_nothing_inline_and_nothing_from_elsewhere() -> None:
    html = (WEB / "index.html").read_text()
    assert not re.search(r"<style|<script(?![^>]* src=)|\sstyle=|\son\w+=", html)
    for path in WEB.rglob("*"):
        text = path.read_text().replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"(src|href)=\"(https?:)?//|@import|url\(", text), path.name
