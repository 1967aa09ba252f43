"""The page as a person meets it: what can be done on it and what is to be seen. Every wait has a limit."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

from selenium.webdriver import Chrome
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

__all__ = ["Page"]

PATIENCE_SECONDS = 20
RESULTS = Path(__file__).resolve().parents[2] / "test-results"


class Page:
    def __init__(self, driver: Chrome, url: str) -> None:
        self.driver, self.url = driver, url

    # -- opening

    def open(self, *, width: int = 1280, height: int = 900, phone: bool = False, dark: bool = False) -> Page:
        """Loads the page afresh, in a window of this size."""
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)
        self.cdp("Emulation.setTouchEmulationEnabled", enabled=phone)
        self.cdp(
            "Emulation.setEmulatedMedia",
            features=[
                {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                {"name": "prefers-reduced-motion", "value": "reduce"},
            ],
        )
        self.driver.get(self.url)
        self.until(lambda: self.text("#health"), "the health line")
        return self

    def cdp(self, command: str, **arguments: Any) -> Any:
        return self.driver.execute_cdp_cmd(command, arguments)

    # -- doing

    def ask(self, question: str) -> None:
        box = self.find("#question")
        box.send_keys(question)
        self.find("#send").click()

    def click(self, selector: str) -> None:
        """Scrolls to the first that matches, as far as needed, and clicks it."""
        self.until(lambda: self.all(selector), selector)
        self.run("arguments[0].scrollIntoView({ block: 'nearest' })", self.find(selector))
        self.find(selector).click()

    def press(self, *keys: str) -> None:
        ActionChains(self.driver).send_keys(*keys).perform()

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def run_module(self, script: str, *arguments: Any) -> Any:
        """Runs an async function body, which may import the page's modules, and gives back what it returns."""
        wrapped = f"""
            const [done, parameters] = [arguments[arguments.length - 1], [...arguments].slice(0, -1)];
            (async () => {{ {script} }})().then((value) => done([value]), (error) => done({{failed: String(error)}}));
        """
        result = self.driver.execute_async_script(wrapped, *arguments)
        assert isinstance(result, list), result
        return result[0]

    # -- seeing

    def find(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        """The text of all that match, hidden or not."""
        return str(
            self.run(
                "return Array.from(document.querySelectorAll(arguments[0]), (e) => e.textContent).join('\\n')", selector
            )
        )

    @property
    def answer(self) -> str:
        return self.text(".turn:last-child .answer")

    @property
    def state(self) -> str:
        return self.text(".turn:last-child .state")

    @property
    def focus(self) -> str:
        """The focused element as tag, id and class."""
        return str(self.run("const e = document.activeElement; return `${e.localName}#${e.id}.${e.className}`"))

    def until(self, seen: Callable[[], Any], what: str) -> Any:
        wait = WebDriverWait(self.driver, PATIENCE_SECONDS, poll_frequency=0.05)
        return wait.until(lambda _: seen(), f"waited for {what}")

    def until_in(self, selector: str, words: str) -> None:
        self.until(lambda: words in self.text(selector), f"{words!r} in {selector}")

    def until_ended(self) -> None:
        """Waits until the last turn is over, well or not."""
        over = "return !!document.querySelector('.turn') && !document.querySelector('.working, #send[hidden]')"
        self.until(lambda: self.run(over), "the end of the turn")

    def screenshot(self, name: str, *, whole: bool = False) -> None:
        """Saves the window, or the whole page, under test-results/."""
        RESULTS.mkdir(exist_ok=True)
        taken = self.cdp("Page.captureScreenshot", captureBeyondViewport=whole)
        (RESULTS / f"{name}.png").write_bytes(base64.b64decode(taken["data"]))

    def complaints(self) -> list[str]:
        """What the browser's console says of broken rules and scripts; a failed request is not among it."""
        entries: list[dict[str, str]] = self.driver.get_log("browser")  # type: ignore[no-untyped-call]
        return [entry["message"] for entry in entries if entry["source"] != "network"]
