"""Reach in the viewer: a point clicked, a shelf dragged, its place saved. Chromium judges."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, expect

import articulata as art
from articulata.records.reach_shares import ShareMap
from articulata.report.viewer.server import Viewer
from articulata.sessions.given_files import request_in
from articulata.sessions.reach.live_study import TITLE, attached
from articulata.world.world_files import shipped
from browser.motions import choose, on_screen, until
from rooms import PANEL, SCAN, TEXT

pytestmark = pytest.mark.browser

HIGH = 1.55
"""m; nobody in a wheelchair reaches a shelf as high as that."""


def test_a_dragged_shelf_flips_its_verdict_and_is_saved(chromium: Browser, tmp_path: Path) -> None:
    file = tmp_path / "room.art"
    file.write_text(TEXT.format(shelf=1.1).replace("human_upper_body on foot, ", ""))
    request = request_in(art.read(file), "reach")
    reached = art.reach(request)
    assert reached.verdict("shelf.front", "manual wheelchair").accessible
    with Viewer() as viewer:
        reaching = attached(viewer, request, reached, file)
        page = chromium.new_page(viewport={"width": 1000, "height": 800})
        try:
            page.goto(viewer.address)
            expect(page.get_by_text("shelf.front", exact=True).first).to_be_visible()
            page.wait_for_timeout(2000)
            # a click on the cloud says who reaches the point, and draws how
            box = page.locator("canvas").first.bounding_box()
            assert box is not None
            middle = (box["x"] + 0.4 * box["width"], box["y"] + 0.5 * box["height"])
            for away in range(0, 200, 20):
                page.mouse.click(middle[0] + away, middle[1])
                page.wait_for_timeout(700)
                if page.get_by_text("manual wheelchair: ").count():
                    break
            expect(page.get_by_text("manual wheelchair: ").first).to_be_visible()
            # the point clicked is reached in the picture: by the posture that is drawn
            panel = reaching.panel
            assert panel is not None
            assert panel.chosen is not None
            assert panel.q is not None
            figure = next(iter(panel.figures.values()))
            tips = [figure.landmark(panel.q, f"{side}_middle_distal_tip")[:3, 3] for side in "rl"]
            goal = np.array([panel.chosen[0], -panel.chosen[2], panel.chosen[1]])
            assert min(float(np.linalg.norm(tip - goal)) for tip in tips) < 1.1e-3
            # the cloud is cut there, so that the person in it is seen
            level = page.locator("xpath=//*[text()='At']/following::input[1]")
            expect(level).to_have_value(f"{panel.chosen[1]:.2f} m")
            # the mouse drags the shelf up by its arrow: the chair reaches it no more
            choose(page, "Move", "shelf")
            page.wait_for_timeout(1500)
            up = np.array([0.0, 1.0, 0.0])
            for along in 2 * (0.15, 0.25, 0.35, 0.45, 0.55):
                place = np.array([-0.6, reaching.world.bodies["shelf"].pose.position[1], 0.15])
                x, y = on_screen(page, viewer.clients, place + along * up)
                page.mouse.move(x, y, steps=3)
                page.mouse.down()
                page.mouse.move(
                    *on_screen(page, viewer.clients, place + (along + 0.5) * up), steps=8
                )
                page.mouse.up()
                page.wait_for_timeout(500)
                if reaching.world.bodies["shelf"].pose.position[1] > HIGH:
                    break
            height = reaching.world.bodies["shelf"].pose.position[1]
            assert height > HIGH, "no drag reached the shelf"
            expect(
                page.get_by_text("not found: ").or_(page.get_by_text("out of reach: ")).first
            ).to_be_visible()
            # what would mend it is told when nothing has moved for a while
            expect(page.get_by_text("lower 'shelf' by").first).to_be_visible()
            before = file.read_text()
            page.get_by_role("button", name="Save new places to the text").click()
            until(lambda: file.read_text() != before, page, 20.0)
            again = art.reach(request_in(art.read(file), "reach"), remedies=False)
            verdict = again.verdict("shelf.front", "manual wheelchair")
            assert not verdict.accessible
            assert verdict.point[1] == pytest.approx(height + 0.02, abs=0.01)
        finally:
            page.close()
            reaching.close()
        viewer.check()


@pytest.mark.slow
def test_a_place_clicked_on_a_scan_is_named_and_saved(chromium: Browser, tmp_path: Path) -> None:
    (tmp_path / "panel.obj").write_text(SCAN)
    file = tmp_path / "room.art"
    file.write_text(PANEL)
    request = request_in(art.read(file), "reach")
    with Viewer() as viewer:
        reaching = attached(viewer, request, art.reach(request), file)
        page = chromium.new_page(viewport={"width": 1000, "height": 800})
        panel = reaching.panel
        assert panel is not None
        try:
            page.goto(viewer.address)
            expect(page.get_by_text("Move", exact=True).first).to_be_visible()
            page.wait_for_timeout(2000)
            page.locator("xpath=//*[text()='Name']/following::input[1]").fill("dial")
            page.wait_for_timeout(1000)
            dial = np.array([0.2, 1.3, -1.3])
            page.mouse.click(*on_screen(page, viewer.clients, dial))
            expect(page.get_by_text("on foot: reached").first).to_be_visible()
            # the person that is drawn has a fingertip where the mouse was
            assert panel.q is not None
            figure = panel.figures["on foot"]
            tips = [figure.landmark(panel.q, f"{side}_middle_distal_tip")[:3, 3] for side in "rl"]
            assert min(float(np.linalg.norm(tip - (0.2, 1.3, 1.3))) for tip in tips) < 0.02
            page.get_by_role("button", name="Save new places to the text").click()
            until(lambda: "dial" in file.read_text(), page, 20.0)
            again = art.reach(request_in(art.read(file), "reach"))
            assert again.objects == ("panel.dial",)
            np.testing.assert_allclose(again.verdicts[0].point, dial, atol=0.02)
            assert again.verdicts[0].accessible
        finally:
            page.close()
            reaching.close()
        viewer.check()


@pytest.mark.slow
def test_what_moves_things_is_found_without_scrolling(chromium: Browser) -> None:
    text = shipped(Path("kitchen")).read_text()
    for left_out in (
        "  points: grid 5 cm in floor\n",
        " person(1.70 m, woman) with walker,",
        ", person(1.70 m, woman) on power_chair",
    ):
        assert left_out in text
        text = text.replace(left_out, "")
    request = art.parse(text).requests[0]
    reached = art.reach(request, remedies=False)
    assert len(reached.objects) == 9
    with Viewer() as viewer:
        reaching = attached(viewer, request, reached)
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        try:
            page.goto(viewer.address)
            move = page.locator("xpath=//*[text()='Move']/following::input[1]")
            save = page.get_by_role("button", name="Save new places to the text")
            undo = page.get_by_role("button", name="Undo the last move")
            expect(save).to_be_visible()
            until(lambda: _at_once(move) and _at_once(save), page)  # the panel moves in first
            # nor do they go away when something has moved
            x, y, z = reaching.world.bodies["table"].pose.position
            X = np.eye(4)
            X[:3, 3] = x, y, z - 0.1
            viewer.wish(TITLE, "drag:table", X)
            expect(undo).to_be_visible()
            until(lambda: all(_at_once(each) for each in (move, undo, save)), page)
        finally:
            page.close()
            reaching.close()
        viewer.check()


def _at_once(control: Locator) -> bool:
    """Whether a control is on the screen, and nothing lies over it."""
    box = control.bounding_box()
    assert box is not None
    middle = [box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"]]
    return bool(control.evaluate("(e, at) => e.contains(document.elementFromPoint(...at))", middle))


DRAWER = """
primitive block(w: length, h: length, d: length) {
  properties: (fixed)
  geometry: cuboid(w, h, d) where { front: (0, 0, 0.5*d + 1 cm); handle: (0, 0.5*h + 1 cm, 1 cm) }
}
world room {
  gravity: (0, -9.81, 0)
  components {
    floor: block(3 m, 10 cm, 3 m)
    cupboard: block(60 cm, 40 cm, 50 cm)
    drawer: block(50 cm, 20 cm, 2 cm)
  }
  structure {
    place floor by floor.center at (0, -5 cm, 0)
    place cupboard by cupboard.center at (0, 70 cm, -1.25 m)
    place drawer by drawer.center at (0, 70 cm, -99 cm)
    join drawer to cupboard with slider(axis: z) as rail matching (center, front)
      limits (0, 40 cm)
  }
}
reach room {
  person: human_upper_body on foot
  points: grid 60 cm in floor
  operate: drawer.handle
}
"""


@pytest.mark.slow
def test_a_drawer_is_drawn_open_and_a_cloud_shows_shares(chromium: Browser) -> None:
    request = art.parse(DRAWER).requests[0]
    reached = art.reach(request)
    assert reached.operations[0].accessible
    shares = np.linspace(0.0, 1.0, len(reached.points))
    shown = ShareMap("people, on foot", 10, 10, shares, 1.0 - shares, 0, 0.0)
    with Viewer() as viewer:
        reaching = attached(viewer, request, replace(reached, share_maps=(shown,)))
        page = chromium.new_page(viewport={"width": 1000, "height": 800})
        panel = reaching.panel
        assert panel is not None
        try:
            page.goto(viewer.address)
            expect(page.get_by_text("Operate", exact=True).first).to_be_visible()
            choose(page, "Operate", "drawer.handle")
            until(lambda: panel.q is not None, page, 20.0)
            shut = np.array(panel.q)
            expect(page.get_by_text("operated with the").first).to_be_visible()
            page.get_by_role("slider").first.focus()
            page.keyboard.press("End")
            until(lambda: not np.array_equal(shut, np.array(panel.q)), page, 20.0)
            # the hand has come 40 cm into the room, along the ground frame's -y
            tips = [
                panel.figures["on foot"].landmark(
                    q, f"{reached.operations[0].hand[0]}_middle_distal_tip"
                )
                for q in (shut, np.array(panel.q))
            ]
            assert abs(tips[1][1, 3] - tips[0][1, 3]) == pytest.approx(0.4, abs=3e-3)
            choose(page, "Cloud of", "people, on foot")
            expect(page.get_by_text("on average 50.0% of them reach").first).to_be_visible()
        finally:
            page.close()
            reaching.close()
        viewer.check()
