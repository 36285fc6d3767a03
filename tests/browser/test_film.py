"""Film in a real browser: both views move with a replayed device, and the page tells the truth."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import articulata as art
from articulata.report.viewer.theatre import Theatre
from articulata.sessions.film.film_files import setting_in
from articulata.sessions.film.flying import Flight

pytestmark = pytest.mark.browser

expect.set_options(timeout=60_000)

ROOM = Path(str(files("articulata.world.library") / "rooms" / "museum.art"))


@pytest.fixture(scope="module")
def flight() -> Iterator[Flight]:
    setting = setting_in(ROOM)
    with Theatre(setting.question.camera.lens) as theatre:
        opened = Flight(setting, theatre)
        opened.start()
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def page(chromium: Browser, flight: Flight) -> Iterator[Page]:
    """One page for all, of few pixels: two views are long in the making without a graphics card."""
    page = chromium.new_page(viewport={"width": 780, "height": 480}, device_scale_factor=0.5)
    requests: list[str] = []
    problems: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
    page.goto(flight.theatre.address)
    until(lambda: len(flight.theatre.server.get_clients()) == 2, page)
    yield page
    page.close()
    base = flight.theatre.address.removesuffix("/film")
    local = (base, base.replace("http", "ws"), "data:", "blob:")
    assert [url for url in requests if not url.startswith(local)] == []
    assert problems == []


def until(
    holds: Callable[[], bool], page: Page, seconds: float = 180.0, said: object = None
) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, said
        page.wait_for_timeout(100)


def picture(page: Page, frame: str) -> bytes:
    return page.locator(f"#{frame}").screenshot(timeout=90_000)


def drawn(page: Page, count: int) -> Callable[[], bool]:
    """Whether the camera's view has drawn ``count`` pictures of something new from now on."""
    begun = page.evaluate("film.count")
    return lambda: bool(page.evaluate("film.count") >= begun + count)


def test_both_views_move_while_a_replayed_mouse_plays(page: Page, flight: Flight) -> None:
    until(lambda: page.evaluate("film.count") > 0, page)
    assert page.evaluate("SOFTWARE")
    for name in ("camera", "main"):  # smoothed edges would cost half as much again
        until(lambda each=name: page.evaluate(f"views.{each}.renderer !== null"), page)
        context = f"views.{name}.renderer.getContext().getContextAttributes()"
        assert not page.evaluate(context)["antialias"]
    before = picture(page, "camera"), picture(page, "main")
    playing = threading.Event()

    def play() -> None:
        """There and back, so that the arm never stands at its end."""
        for count in itertools.count():
            if playing.wait(0.02):
                return
            way = 1.0 if count % 200 < 100 else -1.0
            flight.theatre.wishes.put("report", (0.6 * way, 0.0, -0.4 * way, 0.0, 0.0, 0.0))

    thread = threading.Thread(target=play)
    start = flight.pilot.X_WC[:3, 3].copy()
    more = drawn(page, 3)

    def moved() -> bool:
        return float(np.linalg.norm(flight.pilot.X_WC[:3, 3] - start)) > 0.1

    thread.start()
    # how many a second is a matter of the machine; that the page counts them is not: it plays until
    # the page has drawn some, which it would not do of what rests
    until(lambda: more() and moved(), page)
    playing.set()
    thread.join(30)
    until(lambda: picture(page, "camera") != before[0], page)
    until(lambda: picture(page, "main") != before[1], page)
    assert flight.failure is None


@pytest.mark.slow
def test_zoom_and_another_camera_change_the_picture(page: Page, flight: Flight) -> None:
    before = picture(page, "camera")
    page.keyboard.press("r")
    until(lambda: flight.optics.lens.focal_length > 0.03, page)
    until(lambda: "mm, focus" in page.locator("#sharp").inner_text(), page)
    until(lambda: picture(page, "camera") != before, page)
    zoomed = picture(page, "camera")
    page.locator("#eye").select_option(index=2)
    until(lambda: flight.eye == 2, page)
    until(lambda: picture(page, "camera") != zoomed, page)
    page.locator("#eye").select_option(index=0)
    until(lambda: flight.eye == 0, page)
    page.locator("#eye").blur()


@pytest.mark.slow
def test_the_camera_s_client_looks_where_the_camera_looks(page: Page, flight: Flight) -> None:
    from articulata.report.viewer.serving import path_of

    server = flight.theatre.server
    fov = flight.optics.lens.field_of_view[1]

    said: list[object] = []

    def looks() -> bool:
        cameras = [
            c.camera for n, c in server.get_clients().items() if path_of(server, n) == "/camera"
        ]
        X = flight.pilot.X_WC
        said[:] = [X, fov]
        for camera in cameras:
            ahead = np.asarray(camera.look_at) - np.asarray(camera.position)
            there = np.abs(np.asarray(camera.position) - X[:3, 3]).max() < 1e-3
            along = ahead @ -X[:3, 2] > 0.9999 * np.linalg.norm(ahead)
            said.append((camera.position, camera.look_at, camera.fov))
            if there and along and camera.fov == pytest.approx(fov, abs=1e-3):
                return True
        return False

    until(looks, page, said=said)


@pytest.mark.slow
def test_keys_fly_and_the_page_s_verdict_is_the_api_s(page: Page, flight: Flight) -> None:
    page.locator("#record").click()
    until(lambda: flight.doing == "recording", page)
    start = flight.pilot.X_WC[:3, 3].copy()
    page.keyboard.down("a")  # back the way it came: the arm may be at its end
    until(lambda: float(np.linalg.norm(flight.pilot.X_WC[:3, 3] - start)) > 0.05, page)
    page.keyboard.up("a")
    page.locator("#record").click()
    until(lambda: flight.move is not None, page)
    assert flight.move is not None
    # the same move, much faster than the robot can
    fast = art.CameraMove(flight.move.X_WC, flight.move.rate * 8, 100)
    assert fast.rate == Fraction(200)
    flight.take_up(fast)
    page.locator("#judge").click()
    until(lambda: flight.made is not None, page)
    assert flight.setting.carrier is not None
    verdict = art.judge(fast, flight.setting.carrier)
    words = ("follows", "too fast", "not reached", "strikes")
    due = [[a, b, words[state], why] for a, b, state, why in verdict.spans()]
    until(lambda: page.evaluate("film.latest().spans") == due, page)
    assert not verdict.follows
    assert page.evaluate("film.latest().first") == 100


def test_on_a_phone_the_views_stand_one_below_the_other(chromium: Browser, flight: Flight) -> None:
    page = chromium.new_page(
        viewport={"width": 390, "height": 844}, is_mobile=True, color_scheme="dark"
    )
    for view in ("view", "camera"):  # where they stand is asked, not what they show
        page.route(f"**/{view}*", lambda each: each.fulfill(body="", content_type="text/html"))
    try:
        page.goto(flight.theatre.address, wait_until="domcontentloaded")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        boxes = [
            page.locator(f"#{each}").bounding_box() for each in ("picture", "main", "controls")
        ]
        assert [box["width"] > 350 for box in boxes if box] == [True, True, True]
        tops = [box["y"] for box in boxes if box]
        assert tops == sorted(tops)
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert paper == "rgb(20, 24, 31)"
    finally:
        page.close()
