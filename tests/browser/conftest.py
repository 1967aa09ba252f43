"""A real Chromium, and two servers for it: the service itself, and a fake for what the service seldom does.

All tests here carry the marker `browser`; `scripts/test-browser` runs them and installs what they need. A missing
browser is a failure, not a skip.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service

from tests.browser.corpus import write_corpus
from tests.browser.fake_server import FakeServer, fake_server
from tests.browser.page import Page

ROOT = Path(__file__).resolve().parents[2]
BROWSER, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
START_SECONDS = 60


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    for program in (BROWSER, DRIVER):
        if not program.exists():
            pytest.fail(f"{program} is missing: run scripts/test-browser, which installs it")
    options = ChromeOptions()
    options.binary_location = str(BROWSER)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for flag in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-quic",
        "--no-first-run",
        "--no-proxy-server",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        f"--user-data-dir={tmp_path_factory.mktemp('chromium')}",
    ):
        options.add_argument(flag)
    driver = Chrome(options=options, service=Service(str(DRIVER)))
    driver.set_script_timeout(30)
    try:
        yield driver
    finally:
        driver.quit()


@pytest.fixture(scope="session")
def _fake() -> Iterator[FakeServer]:
    with fake_server() as fake:
        yield fake


@pytest.fixture
def fake(_fake: FakeServer) -> FakeServer:
    _fake.reset()
    return _fake


@pytest.fixture
def page(chromium: Chrome, fake: FakeServer) -> Iterator[Page]:
    """The page, open, served by the fake."""
    yield from _opened(chromium, fake.url)


@pytest.fixture
def real_page(chromium: Chrome, service: str) -> Iterator[Page]:
    """The page, open, served by the service itself."""
    yield from _opened(chromium, service)


def _opened(driver: Chrome, url: str) -> Iterator[Page]:
    page = Page(driver, url)
    page.cdp("Storage.clearDataForOrigin", origin=url, storageTypes="local_storage")
    yield page.open()
    complaints = page.complaints()
    driver.get("about:blank")
    assert not complaints


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The service over a small corpus of its own, ready; gives its address."""
    folder = tmp_path_factory.mktemp("service")
    write_corpus(folder / "corpus")
    port = _free_port()
    environment = {
        **{name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG", "VIRTUAL_ENV")},
        "DB_PATH": str(folder / "galen.db"),
        "CACHE_DIR": str(folder / "cache"),
        "CORPUS_DIR": str(folder / "corpus"),
        "EMBEDDER": "none",
    }
    command = [sys.executable, "-m", "scripts.cli", "serve", "--host", "127.0.0.1", "--port", str(port)]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
    try:
        _wait_until_ready(process, f"http://127.0.0.1:{port}", folder / "log")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port


def _wait_until_ready(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            with direct.open(f"{url}/api/health", timeout=5):
                return
        except urllib.error.HTTPError as exc:  # 503: not ready yet
            exc.close()
        except OSError:
            pass
        time.sleep(0.1)
    pytest.fail(f"The service did not become ready. It said:\n{log.read_text()[-4000:]}")
