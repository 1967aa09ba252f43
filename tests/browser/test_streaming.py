"""Asking, and what a stream can do: arrive slowly, in splinters, or not to its end."""

from __future__ import annotations

import time

import pytest
from selenium.webdriver.common.keys import Keys

from tests.browser.facts import VERSION
from tests.browser.fake_server import FakeServer
from tests.browser.page import Page
from tests.browser.scripts import WORLD

pytestmark = pytest.mark.browser


def test_the_answer_is_shown_while_it_arrives(page: Page, fake: FakeServer) -> None:
    page.ask("slow")
    page.until(lambda: "First part." in page.answer, "the first part")
    assert "Second part." not in page.answer
    assert page.state == "Writing the answer…"
    assert page.find("#stop").is_displayed()
    fake.release()
    page.until(lambda: "Second part." in page.answer, "the second part")
    assert "Third part." not in page.answer
    fake.release()
    page.until_ended()
    assert page.answer == "First part. 1Second part. 3Third part. 1"
    assert page.state == "Answered from 2 of 3 passages found"


def test_nothing_moves_while_the_answer_grows(page: Page, fake: FakeServer) -> None:
    page.run(
        """
        window.shifts = [];
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts.push(entry.value);
        }).observe({ type: "layout-shift" });
        """
    )
    page.ask("slow")
    page.until(lambda: "First part." in page.answer, "the first part")
    top = page.find(".answer").rect["y"]
    time.sleep(0.6)  # a shift within half a second of a click counts as wanted
    fake.release()
    fake.release()
    page.until_ended()
    time.sleep(0.2)
    assert page.find(".answer").rect["y"] == top
    assert page.run("return window.shifts") == []


def test_paragraphs_bullets_and_markers(page: Page) -> None:
    page.ask("answer")
    page.until_ended()
    assert [e.tag_name for e in page.all(".answer > *")] == ["p", "ul", "p"]
    assert [e.text for e in page.all(".answer li")] == [
        "feeling thirsty often 1",
        "passing more urine, mostly at night 13",
        "losing weight without trying 3",
    ]
    assert page.find(".marker").get_attribute("aria-label") == "Source 1: Type 2 diabetes"


def test_markers_and_bullets_in_pieces_lose_nothing(page: Page) -> None:
    page.ask("pieces")
    page.until_ended()
    assert page.run("return [...document.querySelectorAll('.answer > *')].map((e) => e.textContent)") == [
        "One 13 and [99] and [x]",
        "a pointb",
        "End.",
    ]
    assert [e.text for e in page.all(".marker")] == ["1", "3"]


def test_characters_split_over_network_pieces_stay_whole(page: Page) -> None:
    page.ask("bytes")
    page.until_ended()
    assert page.answer == WORLD


def test_comments_unknown_events_and_all_line_ends_are_understood(page: Page) -> None:
    page.ask("heartbeats")
    page.until_ended()
    assert page.answer == "two data lines"


@pytest.mark.parametrize("how", ["cut", "cut inside", "end early"])
def test_a_broken_stream_is_called_incomplete_and_can_be_asked_again(page: Page, fake: FakeServer, how: str) -> None:
    page.ask(how)
    page.until(lambda: "Only this arrives." in page.answer, "the part that arrives")
    fake.release()
    page.until_ended()
    assert page.state == "Incomplete"
    problem = page.find(".problem")
    assert problem.get_attribute("role") == "alert"
    assert "before the answer was complete. What is shown above is only a part." in problem.text
    assert page.text(".sources .title").startswith("Type 2 diabetes"), "the part names its sources"
    page.click(".problem button")
    page.until(lambda: len(fake.bodies) == 2, "the second request")
    assert fake.bodies[1]["messages"] == [{"role": "user", "content": how}], "the broken turn is not remembered"
    assert len(page.all(".turn")) == 1
    fake.release()
    page.until_ended()


def test_a_silent_connection_is_given_up(page: Page, fake: FakeServer) -> None:
    page.run("const real = setTimeout; window.setTimeout = (f, ms) => real(f, ms === 45000 ? 300 : ms)")
    page.ask("slow")
    page.until_ended()
    assert "The connection went silent. What is shown above is only a part." in page.text(".problem")
    fake.release()
    fake.release()


def test_an_error_event_shows_its_message(page: Page) -> None:
    page.ask("error")
    page.until_ended()
    assert page.state == "Not answered"
    assert "The answer could not be written just now." in page.text(".problem")
    assert "failed on our side" in page.text(".receipt-status")
    page.screenshot("error")


def test_a_refused_question_shows_the_reason_and_can_be_edited(page: Page, fake: FakeServer) -> None:
    page.ask("problem")
    page.until_ended()
    assert "is longer than 20,000 characters: shorten it" in page.text(".problem")
    page.ask("hello")
    page.until_ended()
    assert [m["content"] for m in fake.bodies[1]["messages"]] == ["hello"], "a refused question is not sent again"
    page.find(".problem button").click()
    assert page.find("#question").get_attribute("value") == "problem"
    assert len(page.all(".turn")) == 1


def test_a_busy_service_shows_its_detail_and_a_retry(page: Page) -> None:
    page.ask("busy")
    page.until_ended()
    assert "Too much to do at the moment." in page.text(".problem")
    assert page.find(".problem button").text == "Ask again"


def test_stop_ends_the_answer_and_keeps_what_was_shown(page: Page, fake: FakeServer) -> None:
    page.ask("slow")
    page.until(lambda: "First part." in page.answer, "the first part")
    page.find("#stop").click()
    page.until_ended()
    assert "You stopped this answer." in page.text(".problem")
    assert page.answer == "First part. 1"
    fake.release()
    fake.release()
    page.until(fake.left.is_set, "the server to notice")
    page.click(".receipt summary")
    page.until_in(".receipt", "Stopped: the answer was ended")


def test_the_conversation_is_sent_along_and_can_be_started_anew(page: Page, fake: FakeServer) -> None:
    page.ask("hello")
    page.until_ended()
    page.ask("emergency")
    page.until_ended()
    page.ask("answer")
    page.until_ended()
    sent = [(m["role"], m["content"][:24]) for m in fake.bodies[2]["messages"]]
    assert sent == [
        ("user", "hello"),
        ("assistant", "Hello. What would you li"),
        ("user", "emergency"),
        ("assistant", "This may be a heart atta"),
        ("user", "answer"),
    ]
    page.find("#new").click()
    assert page.all(".turn") == []
    assert page.find("#welcome").is_displayed()
    assert page.focus.startswith("textarea")
    page.ask("hello")
    page.until_ended()
    assert len(fake.bodies[3]["messages"]) == 1
    assert page.run("return localStorage.length + sessionStorage.length") == 0, "nothing said is kept anywhere"


def test_a_new_conversation_leaves_the_running_answer(page: Page, fake: FakeServer) -> None:
    page.ask("slow")
    page.until(lambda: "First part." in page.answer, "the first part")
    page.find("#new").click()
    fake.release()
    fake.release()
    page.ask("hello")
    page.until_ended()
    assert page.text(".answer") == "Hello. What would you like to know?"


def test_an_example_asks_itself(page: Page, fake: FakeServer) -> None:
    assert len(page.all(".example")) == 4
    page.click(".example")
    page.until_ended()
    assert fake.bodies[0] == {
        "messages": [{"role": "user", "content": "What are the early signs of type 2 diabetes?"}],
        "stream": True,
    }
    assert not page.find("#welcome").is_displayed()


def test_enter_asks_and_shift_enter_starts_a_line(page: Page, fake: FakeServer) -> None:
    box = page.find("#question")
    box.send_keys(Keys.ENTER)
    height = box.size["height"]
    box.send_keys("one", Keys.SHIFT, Keys.ENTER, Keys.NULL, "two")
    assert box.get_attribute("value") == "one\ntwo"
    assert box.size["height"] > height
    box.send_keys(Keys.ENTER)
    page.until_ended()
    assert [body["messages"][0]["content"] for body in fake.bodies] == ["one\ntwo"]
    assert box.get_attribute("value") == ""


def test_the_country_is_sent_and_remembered_in_this_browser(page: Page, fake: FakeServer) -> None:
    page.run("const c = document.querySelector('#country'); c.value = 'DE'; c.dispatchEvent(new Event('change'))")
    page.open()
    assert page.run("return document.querySelector('#country').selectedOptions[0].text") == "Germany"
    page.ask("hello")
    page.until_ended()
    assert fake.bodies[0]["countryCode"] == "DE"
    page.run("const c = document.querySelector('#country'); c.value = ''; c.dispatchEvent(new Event('change'))")
    assert page.run("return localStorage.length") == 0


def test_the_health_line_says_what_answers(page: Page, fake: FakeServer) -> None:
    assert page.text("#health") == f"Collection version {VERSION}, 1,234 passages."
    fake.health["corpus"]["health"]["vectors"] = False
    page.open()
    assert "search by keyword only at the moment" in page.text("#health")
    fake.health = {"ready": False, "corpus": {}}
    page.open()
    assert "nothing can be answered" in page.text("#health")
