"""The viewer in a real browser: it loads, moves, steps, plots, and asks nobody but itself."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from articulata.geometry.shapes import Cuboid, HalfSpace
from articulata.report.accounts import Account
from articulata.report.viewer.motion_sources import Look, Motion
from articulata.report.viewer.server import Viewer
from browser.motions import on_screen, swinging, until

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def viewer() -> Iterator[Viewer]:
    with Viewer() as opened:
        yield opened


@pytest.fixture(scope="module")
def only_page(chromium: Browser, viewer: Viewer) -> Iterator[Page]:
    """One page for all: it is long in the making without a graphics card."""
    page = chromium.new_page(viewport={"width": 900, "height": 600})
    requests: list[str] = []
    problems: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
    viewer.show(swinging(), playing=False)
    page.goto(viewer.address)
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    yield page
    page.close()
    local = (viewer.address, "data:", "blob:", viewer.address.replace("http", "ws"))
    assert [url for url in requests if not url.startswith(local)] == []
    assert problems == []


@pytest.fixture
def page(only_page: Page, viewer: Viewer) -> Page:
    """The page with a motion at its start; another was shown before, so that this one is new."""
    whole = swinging()
    viewer.check()  # who fails to draw shows nothing new
    viewer.show(
        replace(whole, times=whole.times[:7], poses=whole.poses[:7], events=(), arrows=()),
        playing=False,
    )
    expect(only_page.get_by_text("frame 1 of 7")).to_be_visible()
    viewer.show(whole, playing=False)
    expect(only_page.get_by_text("frame 1 of 200")).to_be_visible()
    only_page.wait_for_timeout(300)
    return only_page


def picture(page: Page) -> bytes:
    return page.locator("canvas").first.screenshot()


def test_playing_moves_the_picture(page: Page, viewer: Viewer) -> None:
    page.wait_for_timeout(1500)
    before, drawn = picture(page), viewer.frames_drawn
    page.get_by_role("button", name="Play", exact=True).click()
    until(lambda: viewer.frames_drawn >= drawn + 30, page)
    until(lambda: picture(page) != before, page)
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_stepping_shows_the_next_frame(page: Page) -> None:
    expect(page.get_by_text("frame 1 of 200")).to_be_visible()
    page.get_by_text(">", exact=True).click()
    expect(page.get_by_text("frame 2 of 200")).to_be_visible()
    page.get_by_text(">|", exact=True).click()
    expect(page.get_by_text("frame 200 of 200")).to_be_visible()


def test_keys_alone_play_step_and_turn_the_view(page: Page, viewer: Viewer) -> None:
    assert page.title() == "swing - Articulata"
    for key, frame in (("n", 2), ("Shift+N", 12), ("b", 11), (".", 41), ("End", 200), ("Home", 1)):
        page.keyboard.press(key)
        expect(page.get_by_text(f"frame {frame} of 200")).to_be_visible()
    page.keyboard.press("t")
    expect(page.get_by_role("checkbox", name="Names", exact=True)).to_be_checked()
    page.keyboard.press("t")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    (client,) = viewer.clients.values()
    page.keyboard.press("3")  # from above, and y is up
    until(lambda: client.camera.position[1] - client.camera.look_at[1] > 1.0, page)
    page.keyboard.press("f")


def test_a_click_on_a_body_tells_its_name_and_where_it_is(page: Page, viewer: Viewer) -> None:
    motion = swinging()
    page.wait_for_timeout(1500)
    at = on_screen(page, viewer.clients, motion.poses[0, 1, :3] + (0.0, -0.3, 0.0))
    page.mouse.click(*at)
    told = page.get_by_text("x 0 m, y -1.5 m, z 0 m")
    expect(told).to_be_visible()
    expect(told).to_contain_text("rod")
    expect(told).to_contain_text("not turned")
    page.keyboard.press("End")  # it is told of what is seen
    degrees = np.degrees(0.9 * np.sin(2 * 9.95))
    expect(page.get_by_text(f"turned {degrees:.1f}\u00b0 about (0, 0, 1)")).to_be_visible()
    page.keyboard.press("Home")
    page.mouse.click(*at)
    expect(page.get_by_text("x 0 m, y -1.5 m")).to_be_hidden()


def test_keys_are_listed_and_a_picture_is_saved(page: Page) -> None:
    page.keyboard.press("Shift+?")
    views = page.get_by_text("View from the front, the right, above")
    expect(views).to_be_visible()
    page.keyboard.press("Escape")
    expect(views).to_be_hidden()
    with page.expect_download() as saved:
        page.keyboard.press("p")
    assert saved.value.suggested_filename == "swing.png"
    image = Image.open(saved.value.path())
    assert image.mode == "RGB"
    assert len(image.getcolors(1 << 20) or ()) > 20


def test_controls_are_light_for_who_asks_for_nothing(page: Page) -> None:
    expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", "light")


def test_all_of_the_scene_is_seen_on_a_phone_dark_as_preferred_and_it_plays(
    chromium: Browser, viewer: Viewer
) -> None:
    motion = swinging("on a phone")
    viewer.show(motion, playing=False)
    before = set(viewer.clients)
    page = chromium.new_page(
        viewport={"width": 390, "height": 844}, has_touch=True, color_scheme="dark"
    )
    try:
        page.goto(viewer.address)
        expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", "dark")
        until(lambda: len(set(viewer.clients) - before) == 1, page)
        (mine,) = set(viewer.clients) - before
        clients = {mine: viewer.clients[mine]}
        camera, ends = clients[mine].camera, ((0.0, 1.5, 0.0), (0.0, -1.5, 0.0))

        def seen() -> bool:
            at = [
                on_screen(page, clients, motion.poses[k, 1, :3] + end)
                for k in (0, 8, 23)
                for end in ends
            ]
            return all(0 < x < 390 and 0 < y < 345 for x, y in at)

        until(lambda: camera.update_timestamp > 0.0 and seen(), page)
        play = page.get_by_role("button", name="Play", exact=True)
        sheet = play.bounding_box()
        assert sheet is not None
        assert sheet["y"] > 345  # the panel lies below
        play.tap()
        expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
        expect(page.get_by_text("frame 1 of 200")).to_be_hidden()
        # the phone is laid on its side, then stood up again: each time the view fits anew
        stood = tuple(camera.position)
        page.set_viewport_size({"width": 844, "height": 390})
        until(lambda: camera.aspect > 1.0 and tuple(camera.position) != stood, page)
        page.set_viewport_size({"width": 390, "height": 844})
        until(lambda: camera.aspect < 0.7 and seen(), page)
    finally:
        page.close()


def test_the_next_event_is_shown_with_its_story(page: Page) -> None:
    page.get_by_text("next", exact=True).click()
    expect(page.get_by_text("rod hits the stop").first).to_be_visible()
    expect(page.get_by_text("frame 41 of 200")).to_be_visible()


def test_events_are_listed_and_each_tells_why(page: Page, viewer: Viewer) -> None:
    explained = replace(
        swinging(),
        explain=lambda number: Account(
            swinging().events[number],
            (("law", "Newton"), ("energy", "3 \u2192 1 J")),
            (0,) if number else (),
        ),
    )
    viewer.show(explained, playing=False)
    page.wait_for_timeout(500)
    page.get_by_role("tab", name="Events (2)").click()
    expect(page.get_by_role("button", name="2 s \u00b7 impact")).to_be_visible()
    page.get_by_role("button", name="5 s \u00b7 break").click()
    expect(page.get_by_text("frame 101 of 200")).to_be_visible()
    expect(page.get_by_text("Why: break")).to_be_visible()
    expect(page.get_by_text("3 \u2192 1 J")).to_be_visible()
    expect(page.get_by_text("2 s: rod hits the stop")).to_be_visible()


def test_the_hand_on_the_time_line_finds_events(page: Page, viewer: Viewer) -> None:
    box = page.locator("xpath=//*[text()='Time']/following::input[@type='text'][1]")
    page.wait_for_timeout(500)
    box.fill("2.02")
    box.press("Enter")
    expect(page.get_by_text("t = 2 s")).to_be_visible()
    expect(page.get_by_text("rod hits the stop").first).to_be_visible()


def test_a_quantity_is_plotted_and_a_wrong_name_explained(page: Page) -> None:
    page.get_by_role("button", name="Plot it", exact=True).click()
    expect(page.get_by_text("swing.angle [rad]").first).to_be_visible()
    expect(page.locator(".u-legend .now").first).to_be_hidden()
    page.locator("xpath=//*[text()='By name']/following::input[1]").fill("swing.angel")
    page.keyboard.press("Tab")
    expect(page.get_by_text("there is no quantity 'swing.angel'")).to_be_visible()


def test_frames_and_forces_are_drawn_on_demand(page: Page) -> None:
    page.wait_for_timeout(1500)
    before = picture(page)
    page.get_by_role("checkbox", name="Hinge forces", exact=True).check(force=True)
    until(lambda: picture(page) != before, page)
    with_forces = picture(page)
    page.get_by_role("checkbox", name="Frames", exact=True).check(force=True)
    until(lambda: picture(page) != with_forces, page)


def test_another_motion_replaces_the_first_and_messages_stay(page: Page, viewer: Viewer) -> None:
    page.wait_for_timeout(1500)
    before = picture(page)
    viewer.show(swinging(color=(40, 90, 220)), playing=False)
    viewer.say("**the file cannot be read**")
    expect(page.get_by_text("the file cannot be read")).to_be_visible()
    until(lambda: picture(page) != before, page)
    expect(page.get_by_role("button", name="Play", exact=True)).to_have_count(1)


def test_a_file_that_changes_is_shown_again(page: Page, viewer: Viewer, tmp_path: Path) -> None:
    from articulata.errors import WorldError
    from articulata.sessions.watch import watch

    path = tmp_path / "world.art"
    path.write_text("first")
    made: list[str] = []

    def make(source: Path) -> Motion:
        text = source.read_text()
        made.append(text)
        if text == "broken":
            raise WorldError("line 3: 'prmitive' is no keyword")
        return swinging(text)

    end = threading.Event()
    thread = threading.Thread(target=watch, args=(viewer, path, make), kwargs={"ended": end.is_set})
    thread.start()
    try:
        until(lambda: made == ["first"], page)
        expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
        path.write_text("broken")
        expect(page.get_by_text("'prmitive' is no keyword")).to_be_visible()
        expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
        path.write_text("repaired")
        expect(page.get_by_text("'prmitive' is no keyword")).to_be_hidden()
        assert made == ["first", "broken", "repaired"]
    finally:
        end.set()
        thread.join(60)
        assert not thread.is_alive()


def test_an_endless_floor_is_drawn_as_the_ground(page: Page, viewer: Viewer) -> None:
    motion = swinging()
    looks = (Look("floor", HalfSpace(), (150, 150, 150)), *motion.looks)
    floor = np.zeros((200, 1, 7))
    floor[:, :, 1], floor[:, :, 3] = -4.0, 1.0
    poses = np.concatenate([floor, motion.poses], axis=1)[:150]
    viewer.show(
        replace(motion, looks=looks, times=motion.times[:150], poses=poses, arrows=()),
        playing=False,
    )
    expect(page.get_by_text("frame 1 of 150")).to_be_visible()
    page.get_by_text(">", exact=True).click()
    expect(page.get_by_text("frame 2 of 150")).to_be_visible()


def test_a_page_of_another_site_cannot_reach_the_viewer(
    chromium: Browser, viewer: Viewer, tmp_path: Path
) -> None:
    """The page is opened as a file and at another port: neither is the viewer's own."""
    (tmp_path / "evil.html").write_text("<!DOCTYPE html><title>elsewhere</title>")
    import viser

    socket, protocol = viewer.address.replace("http", "ws"), f"viser-v{viser.__version__}"
    reach = f"""async () => {{
      const socket = new WebSocket("{socket}", "{protocol}");
      const opened = await new Promise((done) => {{
        socket.onmessage = () => done("answered");
        socket.onclose = () => done("refused");
      }});
      const read = await fetch("{viewer.address}").then(() => "read", () => "refused");
      return [opened, read];
    }}"""
    with Viewer() as another:
        page = chromium.new_page()
        try:
            page.goto(f"{another.address}/")
            assert page.evaluate(reach) == ["refused", "refused"]
            page.goto((tmp_path / "evil.html").as_uri())
            assert page.evaluate(reach) == ["refused", "refused"]
            # the same words in its own page are answered, so it is the site that counts
            page.goto(viewer.address)
            assert page.evaluate(reach) == ["answered", "read"]
        finally:
            page.close()


def test_a_camera_sees_what_stands_before_it(page: Page, viewer: Viewer) -> None:
    red = Look("red", Cuboid(1.0, 1.0, 1.0), (200, 30, 30))
    blue = Look("blue", Cuboid(1.0, 1.0, 1.0), (30, 60, 200))
    poses = np.zeros((1, 2, 7))
    poses[:, :, 3] = 1.0
    poses[0, 1, 0] = 2.0
    viewer.show(Motion("two", (red, blue), np.zeros(1), poses, (0.0, 1.0, 0.0)))
    expect(page.get_by_role("button", name="Play", exact=True)).to_have_count(0)
    X_WC = np.eye(4)
    X_WC[:3, 3] = (1.0, 0.0, 5.0)  # looks along -z: red to the left, blue to the right
    pictures: list[object] = []
    asking = threading.Thread(
        target=lambda: pictures.append(viewer.picture(X_WC, 0.8, (120, 80), timeout=30.0))
    )
    asking.start()
    until(lambda: bool(pictures), page)
    asking.join(60)
    (seen,) = pictures
    assert isinstance(seen, np.ndarray)
    assert seen.shape == (80, 120, 3)
    left, right = seen[40, 31].astype(int), seen[40, 88].astype(int)
    assert left[0] > left[2] + 40
    assert right[2] > right[0] + 40
