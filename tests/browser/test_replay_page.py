"""The replay page opens from a folder, offline, and plays: Chromium is the judge."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

import recorded
from articulata.records.header import Header
from articulata.records.recorder import Recorder
from articulata.records.state import Frame
from articulata.report.page import recording_page
from articulata.report.page.recording_page import page as page_of

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "run.html"
    path.write_text(page_of(recorded.swing(121)), "utf-8")
    return path


def _listened(page: Page, path: Path, heard: list[str]) -> Page:
    """Open ``path`` in an empty page that writes down what it complains of and what it requests."""
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on(
        "request",
        lambda request: None if request.url == path.as_uri() else heard.append(request.url),
    )
    page.goto(path.as_uri())
    until(page, "Number(document.body.dataset.drawn) > 0")
    return page


@pytest.fixture
def opened(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """Opens a page offline; at the end nothing was requested and nothing was complained of."""
    contexts: list[BrowserContext] = []
    heard: list[str] = []

    def open_page(path: Path, **options: object) -> Page:
        context = chromium.new_context(offline=True, **options)  # type: ignore[arg-type]  # Playwright's own options
        contexts.append(context)
        return _listened(context.new_page(), path, heard)

    yield open_page
    for context in contexts:
        context.close()
    assert heard == []


@pytest.fixture(scope="module")
def only_page(chromium: Browser, file: Path) -> Iterator[Page]:
    """One page of the run for all that begins at rest: it is long in the making."""
    heard: list[str] = []
    context = chromium.new_context(offline=True, viewport={"width": 900, "height": 600})
    yield _listened(context.new_page(), file, heard)
    context.close()
    assert heard == []


@pytest.fixture
def page(only_page: Page) -> Page:
    """The page as it opens, at rest on its first frame."""
    only_page.mouse.move(2, 2)
    only_page.evaluate(AT_REST)
    until(only_page, "!dirty")
    return only_page


AT_REST = """() => {
  document.activeElement.blur();
  for (const each of document.querySelectorAll("#log > li:has(.why) > button")) each.click();
  $("series").selectedIndex = 0;
  plot.choose(0);
  setLoop(true);
  setSpeed(SPEEDS.indexOf(1));
  fit();
  pause();
  show(times[0], 0);
}"""


def until(page: Page, condition: str) -> None:
    """Wait for ``condition``; the page's own policy forbids Playwright to wait inside it."""
    deadline = time.monotonic() + 30
    while not page.evaluate(condition):
        assert time.monotonic() < deadline, f"never came true: {condition}"
        page.wait_for_timeout(30)


def shown(page: Page, number: int) -> None:
    """Show frame ``number`` and wait until it is drawn."""
    page.evaluate(f"pause(); show(times[{number}], {number})")
    until(page, "!dirty")


def frame(page: Page) -> int:
    return int(page.evaluate("document.body.dataset.frame"))


def canvas(page: Page) -> bytes:
    return page.locator("#view").screenshot()


def still(page: Page) -> None:
    """Stop, and wait until what was asked for is drawn."""
    page.evaluate("pause()")
    until(page, "!dirty")


@pytest.mark.parametrize("own", [recording_page.SCRIPTS, ("front.js",)])
def test_scripts_of_a_page_name_nothing_twice(own: tuple[str, ...]) -> None:
    folder = Path(recording_page.__file__).parent
    text = "\n".join((folder / name).read_text("utf-8") for name in recording_page.COMMON + own)
    names = re.findall(r"^(?:function|const|let|class) +(\w+)", text, re.MULTILINE)
    assert len(names) > 40
    assert [name for name in set(names) if names.count(name) > 1] == []


def test_it_plays_and_what_is_seen_changes(opened: Callable[..., Page], file: Path) -> None:
    page = opened(file)
    until(page, "Number(document.body.dataset.frame) > 3")
    page.locator("#play").click()
    until(page, "!playing && !dirty")
    held = frame(page)
    before = canvas(page)
    page.wait_for_timeout(300)
    assert frame(page) == held
    page.locator("#play").click()
    until(page, f"Number(document.body.dataset.frame) > {held + 3}")
    assert canvas(page) != before


def test_the_scene_is_drawn_with_colour_shadow_and_grid(page: Page) -> None:
    counts = page.evaluate(
        """() => {
          painter.draw(colors, looks);
          const gl = painter.gl, w = gl.drawingBufferWidth, h = gl.drawingBufferHeight;
          const data = new Uint8Array(4 * w * h);
          gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, data);
          let red = 0, grey = 0, paper = 0;
          for (let i = 0; i < data.length; i += 4) {
            const [r, g, b] = data.subarray(i, i + 3);
            if (r > 90 && r > 1.8 * b) red++;
            else if (r > 244 && b > 244) paper++;
            else if (Math.abs(r - b) < 30 && r < 215 && r > 120) grey++;
          }
          return { red, grey, paper, all: w * h };
        }"""
    )
    assert counts["red"] > 0.002 * counts["all"]
    assert counts["grey"] > 0.001 * counts["all"]
    assert counts["paper"] > 0.3 * counts["all"]


def test_keys_step_and_jump(page: Page) -> None:
    page.keyboard.press("Home")
    for key, expected in (
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("Shift+ArrowRight", 11),
        (".", 60),
        ("End", 120),
        (",", 60),
        ("Home", 0),
    ):
        page.keyboard.press(key)
        until(page, f"document.body.dataset.frame === '{expected}'")
    page.keyboard.press("+")
    assert page.locator("#speed").input_value() == "2"
    page.keyboard.press("l")
    assert page.locator("#loop").get_attribute("aria-pressed") == "false"


def test_without_loop_it_stops_at_the_end(page: Page) -> None:
    page.evaluate("setLoop(false); show(5.9); play()")
    until(page, "document.body.dataset.frame === '120' && !playing")


def test_slider_events_and_story(page: Page) -> None:
    page.evaluate("play()")
    page.locator("#log button").click()
    until(page, "document.body.dataset.frame === '60'")
    assert "3.0" in page.locator("#clock").inner_text()
    assert page.locator("#story").inner_text() == "p.rod[3].bottom hit p.anchor"
    assert page.locator("#marks button").count() == 1
    why = page.locator("#log .why")
    assert "newton" in why.inner_text()
    assert "2.5 N s" in why.inner_text()
    assert "chain.art, line 31" in why.inner_text()
    page.locator("#log > li > button").click()
    assert why.count() == 0
    page.locator("#time").fill("30")
    until(page, "document.body.dataset.frame === '30'")


def test_a_mark_tells_its_story_and_leads_to_the_event(page: Page) -> None:
    assert not page.locator("#tip").is_visible()
    page.locator("#marks button").hover()
    until(page, "!document.getElementById('tip').hidden")
    assert "p.rod[3].bottom hit p.anchor" in page.locator("#tip").inner_text()
    page.locator("#marks button").click()
    until(page, "document.body.dataset.frame === '60'")
    assert page.locator("#log .why").count() == 1


def test_forces_are_drawn_on_demand(page: Page) -> None:
    before = canvas(page)
    button = page.get_by_role("button", name="Hinge forces")
    button.click()
    until(page, "!dirty")
    assert button.get_attribute("aria-pressed") == "true"
    assert page.evaluate("painter.arrows.drawn") == 3
    assert canvas(page) != before
    button.click()
    until(page, "!dirty && painter.arrows.drawn === 0")


def test_the_hand_on_the_time_line_finds_the_event(page: Page) -> None:
    # 121 frames over 6 s: none but the event's own is nearer to it than 24 ms
    assert page.evaluate("happenings.near(3.02, 0.024)") == 3.0
    assert page.evaluate("happenings.near(3.05, 0.024)") is None


def test_the_plot_follows_the_choice_and_shows_the_recorded_number(page: Page) -> None:
    before = page.locator("#plot").screenshot()
    names = page.locator("#series option").all_inner_texts()
    assert names[0] == "dynamic.energy (J)"
    page.locator("#series").select_option(label="p.rod[3].center (m)")
    shown(page, 40)
    assert page.locator("#plot").screenshot() != before
    x, y, _ = recorded.swing(121).series("rod[3].center")[40]
    readings = page.locator("#values b").all_inner_texts()
    assert [
        float(text.split()[0].replace("\u2212", "-")) for text in readings[:2]
    ] == pytest.approx([x, y], rel=1e-4)


def test_the_view_turns_moves_zooms_and_fits_again(page: Page) -> None:
    pictures = [canvas(page)]
    box = page.locator("#view").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def drag(modifier: str | None) -> None:
        if modifier:
            page.keyboard.down(modifier)
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 60, y + 25, steps=3)
        page.mouse.up()
        if modifier:
            page.keyboard.up(modifier)

    for act in (lambda: drag(None), lambda: drag("Shift"), lambda: page.mouse.wheel(0, -200)):
        act()
        until(page, "!dirty")
        pictures.append(canvas(page))
        assert pictures[-1] != pictures[-2]
    page.locator("#fit").click()
    page.mouse.move(2, 2)
    page.wait_for_timeout(150)
    again = page.evaluate("[camera.azimuth, camera.elevation, camera.fitted]")
    assert again == [0.45, 0.22, True]


def test_a_click_on_a_body_tells_its_name_and_where_it_is(page: Page) -> None:
    shown(page, 40)
    pose = page.evaluate(
        """() => {
          const pose = new Float32Array(7);
          const index = recording.bodies.findIndex((b) => b.name === "p.rod[2]");
          poseAt(recording, index, 40, times[40], pose);
          return [...pose];
        }"""
    )
    # where the middle of the rod is on the page, by the camera's own matrix
    at = page.evaluate(
        """(p) => {
          const m = camera.matrix(), box = document.getElementById("view").getBoundingClientRect();
          const [x, y, w] = [0, 1, 3].map(
            (r) => m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r]
          );
          return [
            box.left + (box.width * (1 + x / w)) / 2, box.top + (box.height * (1 - y / w)) / 2
          ];
        }""",
        pose[:3],
    )
    told = page.locator("#picked")
    assert told.is_hidden()
    page.mouse.click(*at)
    assert told.is_visible()
    text = told.inner_text().replace("\u2212", "-")
    assert text.startswith("p.rod[2] x ")
    numbers = [float(part.split()[1]) for part in text.removeprefix("p.rod[2] ").split(", ")[:3]]
    assert numbers == pytest.approx(pose[:3], abs=1e-4)
    degrees = 2 * np.degrees(np.arctan2(np.linalg.norm(pose[4:]), abs(pose[3])))
    assert f"turned {degrees:.1f}\u00b0" in text
    shown(page, 0)
    assert told.inner_text() != text
    page.mouse.click(*at)
    page.mouse.click(5, 300)  # the ground has no name
    assert told.is_hidden()


def test_keys_turn_the_view_and_save_a_picture(page: Page) -> None:
    for key, up in (("1", 0.0), ("3", 0.997)):
        page.keyboard.press(key)
        until(page, "!dirty")
        seen = page.evaluate("dot3(camera.direction, camera.up)")
        assert seen == pytest.approx(up, abs=2e-3)
    with page.expect_download() as saved:
        page.keyboard.press("p")
    assert Path(saved.value.path()).read_bytes()[:4] == b"\x89PNG"
    assert saved.value.suggested_filename.endswith(".png")


def test_a_key_saves_the_run_as_a_film_of_its_length(
    opened: Callable[..., Page], file: Path
) -> None:
    page = opened(file, viewport={"width": 640, "height": 480})
    still(page)
    page.locator("#speed").select_option("4")  # 12 s in 3 s
    with page.expect_download() as saved:
        page.keyboard.press("v")
        until(page, "playing && !loop")
        expect(page.locator("#film")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#film")).to_have_attribute("aria-pressed", "false")
    assert page.evaluate("frame === last && loop")
    made = Path(saved.value.path()).read_bytes()
    head = {"mp4": made[4:8] == b"ftyp", "webm": made[:4] == b"\x1a\x45\xdf\xa3"}
    assert head[saved.value.suggested_filename.rpartition(".")[2]]
    assert len(made) > 10_000


def test_it_is_printed_with_its_picture_and_without_its_buttons(
    opened: Callable[..., Page], file: Path
) -> None:
    page = opened(file, viewport={"width": 900, "height": 600}, color_scheme="dark")
    still(page)
    assert max(page.evaluate("colors.paper")) < 0.2
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert min(page.evaluate("colors.paper")) == 1.0  # white paper from a dark screen
    page.emulate_media(media="print")
    until(page, "document.getElementById('printed').naturalWidth > 100")
    assert page.locator("#printed").is_visible()
    for name in ("#view", "#play", "#print"):
        assert page.locator(name).is_hidden()
    assert page.locator("#log button").is_visible()
    page.emulate_media(media="screen", color_scheme="dark")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert max(page.evaluate("colors.paper")) < 0.2


def test_it_fits_a_phone(opened: Callable[..., Page], file: Path) -> None:
    page = opened(file, viewport={"width": 360, "height": 740}, has_touch=True)
    still(page)
    # as long as joints are often called
    page.evaluate("document.querySelector('#values span').textContent = 'person.l_'.repeat(9)")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for name in ("#play", "#time", "#speed", "#loop", "#view"):
        assert page.locator(name).is_visible()
    smallest = page.evaluate(
        "Math.min(...[...document.querySelectorAll('footer > button')].map((b) => b.offsetHeight))"
    )
    assert smallest >= 34


def test_a_body_that_comes_and_goes_and_names_that_look_like_markup(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    world = recorded.chain(2)
    recorder = Recorder(Header(world))
    for number, rods in enumerate((2, 2, 1, 1)):
        part = recorded.chain(rods)
        recorder.layout(recorded.channels(part))
        recorder.frame(recorded.frame(part, 0.1 * number))
    path = tmp_path / "gone.html"
    path.write_text(page_of(recorder.recording(), title="</script><b>&"), "utf-8")
    page = opened(path, reduced_motion="reduce")
    assert page.locator("h1").inner_text() == "</script><b>&"
    count = "painter.groups.reduce((n, g) => n + g.drawn, 0)"
    shown(page, 0)
    both = page.evaluate(count)
    shown(page, 2)
    assert page.evaluate(count) == both - 2  # the rod and its joint


def test_one_frame_is_a_page_too(opened: Callable[..., Page], tmp_path: Path) -> None:
    world = recorded.chain(1)
    recorder = Recorder(Header(world))
    recorder.layout(recorded.channels(world))
    recorder.frame(recorded.frame(world, 0.0))
    path = tmp_path / "one.html"
    path.write_text(page_of(recorder.recording()), "utf-8")
    page = opened(path)
    page.locator("#play").click()
    assert frame(page) == 0


def test_a_thousand_bodies_are_drawn(opened: Callable[..., Page], tmp_path: Path) -> None:
    world = recorded.chain(999)
    recorder = Recorder(Header(world))
    recorder.layout(recorded.channels(world)[4:5])
    for number in range(3):
        pose = recorded.frame(world, 0.1 * number).arrays["geometric.pose"]
        recorder.frame(Frame(0.1 * number, {"geometric.pose": np.asarray(pose)}))
    path = tmp_path / "many.html"
    path.write_text(page_of(recorder.recording()), "utf-8")
    page = opened(path)
    assert page.evaluate("painter.groups.reduce((n, g) => n + g.drawn, 0)") == 1000 + 999
