"""A headless Chromium for the browser tests, with nothing of its own going to the network."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

PATIENCE = 120_000
"""How long (ms) a page may take to do what is asked: pages share the machine with other work."""

expect.set_options(timeout=PATIENCE)

ROOT = Path(__file__).parents[2]

QUIET = [
    "--no-sandbox",  # Chromium refuses to run as root with its sandbox
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",  # small /dev/shm in containers
    "--use-angle=swiftshader",  # WebGL without a graphics card
    "--enable-unsafe-swiftshader",
]


COARSE = {"device_scale_factor": 0.5}
"""What pages are opened with: the processor draws them, a quarter of the points is a quarter of its
work. Places on a page and its words are the same."""


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """The Chromium that `make test` found or installed; a test that needs it fails without it."""
    found = subprocess.run(
        [ROOT / "scripts" / "find-tool", "chromium"], capture_output=True, text=True, check=False
    )
    if found.returncode != 0:
        pytest.fail(found.stderr)
    return found.stdout.splitlines()[0]


@pytest.fixture(scope="session")
def chromium(chromium_path: str) -> Iterator[Browser]:
    """A running headless browser; each test opens its own page or context."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path, args=QUIET)
        opened, page_of = browser.new_context, browser.new_page

        def new_context(**given: Any) -> BrowserContext:
            context = opened(**COARSE | given)
            context.set_default_timeout(PATIENCE)
            return context

        def new_page(**given: Any) -> Page:
            page = page_of(**COARSE | given)
            page.set_default_timeout(PATIENCE)
            return page

        browser.new_context, browser.new_page = new_context, new_page  # type: ignore[method-assign] # pages wait long enough
        yield browser
        browser.close()


@pytest.fixture(autouse=True)
def _no_page_is_left_open(chromium: Browser) -> Iterator[None]:
    """A page left open connects itself again to the next viewer on its port, as a second client."""
    before = chromium.contexts
    yield
    left = [each for each in chromium.contexts if each not in before]
    for each in left:  # it would be drawn on to the end of all tests
        each.close()
    assert left == []
