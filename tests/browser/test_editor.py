"""Somebody edits a world in Chromium: what is wrong is underlined, the picture follows."""

from __future__ import annotations

import http.client
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from articulata.report.viewer.editor import EditorServer
from articulata.sessions.editing import Editing

pytestmark = pytest.mark.browser

TEXT = """primitive ball {
  properties: (density: 1000)
  geometry: sphere(10 cm)
  dynamics
}

world drop {
  components b: ball
  structure { place b by b.center at (0, 25 cm, 0) }
}
"""


BOX_OF_36 = """() => [...document.querySelectorAll('.constant-numeric')]
    .find((each) => each.textContent === '36').getBoundingClientRect().toJSON()"""


@pytest.fixture
def server() -> Iterator[EditorServer]:
    with EditorServer() as opened:
        yield opened
        opened.viewer.check()


def until(true: Callable[[], bool], page: Page) -> None:
    """Wait for something that a page does not show; what it asks for is done meanwhile."""
    end = time.monotonic() + 120.0
    while not true():
        assert time.monotonic() < end
        page.wait_for_timeout(20)


def height(server: EditorServer) -> float:
    """Return how high the ball of the picture is at the start, in m."""
    motion = getattr(server.viewer, "_motion", None)
    return -1.0 if motion is None else float(motion.poses[0, 0, 1])


def test_a_text_is_edited_beside_its_picture(
    chromium: Browser, server: EditorServer, tmp_path: Path
) -> None:
    file = tmp_path / "drop.art"
    file.write_bytes(TEXT.replace("\n", "\r\n").encode())
    editing = Editing(file, server)
    page = chromium.new_page(viewport={"width": 1280, "height": 800})
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    # the picture is that of the viewer, whose own tests look at it
    page.route(f"{server.viewer.address}/", lambda route: route.fulfill(body="<title>p</title>"))
    try:
        page.goto(server.address)
        text, saved = page.get_by_label("Text of the world"), page.locator("#saved")
        expect(text).to_have_value(TEXT)
        expect(saved).to_have_text("saved")
        expect(page.locator(".keyword-control", has_text="world")).to_be_visible()
        until(lambda: height(server) == pytest.approx(0.25), page)
        # a number is turned up by keys, by ten and by one
        at = TEXT.index("25 cm") + 1
        text.evaluate("(node, at) => { node.focus(); node.setSelectionRange(at, at); }", at)
        page.keyboard.press("Control+Shift+ArrowUp")
        page.keyboard.press("Control+ArrowUp")
        expect(text).to_have_value(TEXT.replace("25 cm", "36 cm"))
        until(lambda: height(server) == pytest.approx(0.36), page)
        expect(saved).to_have_text("not saved yet")
        # drawn by the mouse; one undoing takes all of it back
        expect(page.locator(".constant-numeric", has_text="36")).to_be_visible()
        # found and measured by one call: each answer draws the line anew
        box = page.evaluate(BOX_OF_36)
        page.keyboard.down("Alt")
        page.mouse.move(box["x"] + 4, box["y"] + 6)
        page.mouse.down()
        page.mouse.move(box["x"] + 44, box["y"] + 6, steps=4)
        page.mouse.up()
        page.keyboard.up("Alt")
        expect(text).to_have_value(TEXT.replace("25 cm", "40 cm"))
        until(lambda: height(server) == pytest.approx(0.4), page)
        page.keyboard.press("Control+z")
        expect(text).to_have_value(TEXT.replace("25 cm", "36 cm"))
        until(lambda: height(server) == pytest.approx(0.36), page)
        page.keyboard.press("Control+s")
        expect(saved).to_have_text("saved")
        assert file.read_bytes() == TEXT.replace("25 cm", "36 cm").replace("\n", "\r\n").encode()
        # a mistake is underlined, told, found again; the picture stays
        text.fill(TEXT.replace("b: ball", "b: bal"))
        expect(page.locator(".mark")).to_have_text("bal")
        page.locator(".mark").hover(force=True)
        expect(page.get_by_role("tooltip")).to_contain_text("did you mean 'ball'")
        page.keyboard.press("Control+End")
        page.get_by_role("button", name="8:17").click()
        assert text.evaluate("node => node.selectionStart") == TEXT.index("b: ball") + 3
        assert height(server) == pytest.approx(0.36)
        # the word is completed from the cursor on
        page.keyboard.press("ControlOrMeta+Delete")
        page.keyboard.type("ba")
        page.keyboard.press("Control+Space")
        expect(page.get_by_role("option", name="ball", exact=False).first).to_be_visible()
        page.keyboard.press("Enter")
        expect(text).to_have_value(TEXT)
        expect(page.locator(".mark")).to_have_count(0)
        # somebody else writes to the file: nothing is written over unasked
        file.write_text("# theirs\n")
        expect(page.get_by_role("alert")).to_contain_text("changed by another program")
        page.keyboard.press("Control+s")
        expect(page.get_by_role("button", name="Take its text")).to_be_visible()
        assert file.read_text() == "# theirs\n"
        page.get_by_role("button", name="Write my text over it").click()
        expect(saved).to_have_text("saved")
        assert file.read_text() == TEXT
        # where nothing is unsaved, what somebody else wrote is taken
        file.write_text(TEXT.replace("25 cm", "55 cm"))
        expect(text).to_have_value(TEXT.replace("25 cm", "55 cm"))
        until(lambda: height(server) == pytest.approx(0.55), page)
        # left unsaved, the page asks
        leaving = "dispatchEvent(new Event('beforeunload', {cancelable: true}))"
        assert page.evaluate(leaving) is True
        text.press("x")
        assert page.evaluate(leaving) is False
        assert not wrong
    finally:
        page.close()
        editing.close()


def test_on_a_phone_keys_are_seen_whole_and_text_keeps_off_its_line_numbers(
    chromium: Browser, server: EditorServer, tmp_path: Path
) -> None:
    file = tmp_path / "drop.art"
    file.write_text(TEXT)
    editing = Editing(file, server)
    page = chromium.new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    page.route(f"{server.viewer.address}/", lambda route: route.fulfill(body="<title>p</title>"))
    try:
        page.goto(server.address)
        expect(page.get_by_label("Text of the world")).to_have_value(TEXT)
        page.get_by_text("Keys", exact=True).click()
        box = page.locator("#keys dl").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        # the number's own box hides what is scrolled under it, and ends a letter after the number
        apart = page.evaluate(
            """() => {
                const of = getComputedStyle(document.querySelector('.line'), '::before');
                const line = getComputedStyle(document.querySelector('.line'));
                return [of.width, of.paddingRight, line.paddingLeft].map(parseFloat);
            }"""
        )
        assert apart[0] + apart[1] == pytest.approx(apart[2], abs=0.1)
        assert apart[1] > 5
    finally:
        page.close()
        editing.close()


def test_pages_of_other_sites_are_refused(server: EditorServer) -> None:
    port = int(server.address.split(":")[2].split("/")[0])
    for path, headers, status in (
        ("/edit", {}, 200),
        ("/edit", {"Host": "elsewhere.invalid"}, 403),
        ("/flow", {"Origin": "http://elsewhere.invalid"}, 403),
    ):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("GET", path, headers=headers)
        assert connection.getresponse().status == status
        connection.close()
