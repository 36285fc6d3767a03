"""A figure in a real browser: sliders, drags, branches, words."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from articulata.formats.urdf.urdf_figure import read_urdf
from articulata.report.viewer.figures.viewer import FigureViewer
from browser.motions import choose, on_screen
from unit.report.viewer.test_figures import DESK, puma

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def viewer() -> Iterator[FigureViewer]:
    with FigureViewer() as opened:
        yield opened


@pytest.fixture(scope="module")
def page(chromium: Browser, viewer: FigureViewer) -> Iterator[Page]:
    """One page for all: it is long in the making without a graphics card."""
    page = chromium.new_page(viewport={"width": 1000, "height": 900})
    requests: list[str] = []
    problems: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
    viewer.show(puma())
    page.goto(viewer.address)
    expect(page.get_by_text("waist [deg]")).to_be_visible()
    page.wait_for_timeout(1500)  # a control changed while the page is still filling is set back
    yield page
    page.close()
    local = (viewer.address, "data:", "blob:", viewer.address.replace("http", "ws"))
    assert [url for url in requests if not url.startswith(local)] == []
    assert problems == []


def until(holds: Callable[[], bool], page: Page, seconds: float = 60.0) -> None:
    for _ in range(int(seconds / 0.1)):
        if holds():
            return
        page.wait_for_timeout(100)
    assert holds()


def value_of(page: Page, joint: str) -> float:
    box = page.locator(f"xpath=//*[text()='{joint}']/following::input[@type='text'][1]")
    return float(box.input_value())


def test_a_number_typed_beside_a_slider_turns_the_joint(page: Page, viewer: FigureViewer) -> None:
    box = page.locator("xpath=//*[text()='waist [deg]']/following::input[@type='text'][1]")
    box.fill("45")
    box.press("Enter")
    until(lambda: viewer.scene is not None and abs(viewer.scene.q[0] - np.pi / 4) < 1e-9, page)


def test_all_of_the_figure_is_seen_above_the_panels_of_a_phone(chromium: Browser) -> None:
    with FigureViewer() as viewer:
        viewer.show(puma())
        page = chromium.new_page(viewport={"width": 390, "height": 844}, has_touch=True)
        try:
            page.goto(viewer.address)
            expect(page.get_by_text("waist [deg]")).to_be_visible()
            sheet = page.get_by_text("Articulata", exact=True).bounding_box()
            assert sheet is not None

            def seen() -> bool:
                if viewer.scene is None or not viewer.clients:
                    return False
                joints = viewer.scene.figure.poses(viewer.scene.q)[:, :3, 3]
                at = [on_screen(page, viewer.clients, each) for each in joints]
                return all(0 < x < 390 and 0 < y < sheet["y"] for x, y in at)

            until(seen, page)
        finally:
            page.close()


def test_a_named_posture_moves_the_sliders_and_branches_are_listed(
    page: Page, viewer: FigureViewer
) -> None:
    choose(page, "Named", "ready")
    until(lambda: abs(value_of(page, "elbow [deg]") - np.degrees(0.3)) < 0.06, page)
    choose(page, "Show", "in place")
    expect(page.get_by_text("elbow down, wrist flipped").first).to_be_visible()
    assert viewer.scene is not None
    before = viewer.scene.q.copy()
    number = next(
        n for n, each in enumerate(viewer.scene.branches) if np.abs(each.q - before).max() > 0.1
    )
    page.locator("button", has_text=str(number + 1)).first.click()
    until(lambda: viewer.scene is not None and np.abs(viewer.scene.q - before).max() > 0.1, page)
    assert viewer.scene is not None
    np.testing.assert_allclose(
        viewer.scene.figure.landmark(viewer.scene.q, "hand"),
        viewer.scene.figure.landmark(before, "hand"),
        atol=1e-9,
    )


def test_dragging_the_handle_in_the_scene_moves_the_figure(
    page: Page, viewer: FigureViewer
) -> None:
    # another test may have left it anywhere
    viewer.wish("posture", "ready")
    until(lambda: abs(value_of(page, "elbow [deg]") - np.degrees(0.3)) < 0.06, page)
    page.wait_for_timeout(1500)
    assert viewer.scene is not None
    X, before = viewer.scene.targets["hand"], viewer.scene.q.copy()
    # The arrows are thin and differ in how far their tips are: try along each.
    for axis in (0, 1, 2):
        for along in (0.05, 0.09, 0.13, 0.17):
            x, y = on_screen(page, viewer.clients, X[:3, 3] + along * X[:3, axis])
            page.mouse.move(x, y, steps=3)
            page.mouse.down()
            page.mouse.move(x + 25, y - 25, steps=5)
            page.mouse.up()
            page.wait_for_timeout(300)
            if np.abs(viewer.scene.q - before).max() > 1e-2:
                return
    pytest.fail("no drag reached the figure")


def test_a_target_out_of_reach_is_explained(page: Page, viewer: FigureViewer) -> None:
    assert viewer.scene is not None
    far = viewer.scene.targets["hand"].copy()
    far[:3, 3] = 3.0, 0.0, 1.0
    viewer.wish("target:hand", far)
    expect(page.get_by_text("Not reached; this is the nearest posture.")).to_be_visible()
    expect(page.get_by_text("too far")).to_be_visible()


@pytest.mark.slow
def test_a_busy_page_hears_of_another_figure_without_an_error(
    page: Page, viewer: FigureViewer
) -> None:
    # it finds in one batch what was changed and that it left; its console is looked at above
    for figure, joint, told in (
        (read_urdf(DESK), "waist", "Joints (5)"),
        (puma(), read_urdf(DESK).names[0], "waist [deg]"),
    ):
        page.evaluate(
            "setTimeout(() => { const end = performance.now() + 2500;"
            " while (performance.now() < end); }, 10)"
        )
        time.sleep(0.2)
        for k in range(10):
            viewer.wish(f"joint:{joint}", 0.05 * k + 0.01)
            time.sleep(0.05)
        viewer.show(figure)
        time.sleep(0.3)
        expect(page.get_by_text(told)).to_be_visible()
    expect(page.get_by_text("Joints (5)")).to_have_count(0)
