"""A pose in the viewer: a hand is dragged and followed, the objectives are told. In Chromium."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

import articulata as art
from articulata.analyses.pose.pose_question import search_of
from articulata.analyses.pose.pose_request import asked_of
from articulata.report.front_tables import body_poses
from articulata.report.viewer.motion_sources import motion_of
from articulata.report.viewer.panels.pose_panel import PosePanel
from articulata.report.viewer.server import Viewer
from articulata.sessions.pose_files import LivePose, places_of
from browser.motions import choose, on_screen, until

pytestmark = pytest.mark.browser

TEXT = """
world cell {
  gravity: (0, -9.81, 0)
  components { anna: human_upper_body }
  structure { place anna by anna.base at (0, 1 m, 0); place anna by properties: (fixed) }
}
pose touch {
  figure: anna
  world: cell
  place: "right hand" at (-0.2 m, 1.25 m, 0.4 m)
  minimise: discomfort, torque
  move: "trunk and right arm"
}
"""


def test_a_dragged_hand_is_followed_and_the_objective_shown(
    chromium: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "cell.art"
    file.write_text(TEXT)
    asked = asked_of(art.read(file).requests[0])
    search = search_of(asked, points=12)
    front = search.final()
    live = LivePose(asked, search)
    panel = PosePanel(front, body_poses(asked.world, front), places_of(asked), live)
    with Viewer() as viewer:
        viewer.show(motion_of(asked.world))
        viewer.attach(panel)
        page = chromium.new_page(viewport={"width": 1000, "height": 800})
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        try:
            page.goto(viewer.address)
            expect(page.get_by_text("Chosen by knee").first).to_be_visible()
            page.wait_for_timeout(1500)
            choose(page, "Choose by", "best torque")
            until(lambda: panel.front.chosen == front.ranked("torque")[0], page, 20.0)
            expect(page.get_by_text("order of importance: torque").first).to_be_visible()
            least = f"{front.utopia[1]:.4g}"
            expect(page.get_by_role("cell", name=least).first).to_be_visible()
            page.get_by_label("Drag hand and elbow").check()
            page.wait_for_timeout(1500)
            before = live.place("right hand")
            for axis, along in ((a, d) for a in (1, 0, 2) for d in (0.06, 0.1, 0.14, 0.18)):
                tip = before + along * np.eye(3)[axis]
                x, y = on_screen(page, viewer.clients, tip)
                page.mouse.move(x, y, steps=3)
                page.mouse.down()
                page.mouse.move(x + 20, y - 20, steps=6)
                page.wait_for_timeout(500)
                held = live.place("right hand")
                page.mouse.up()
                if np.linalg.norm(held - before) > 0.01:
                    break
            assert np.linalg.norm(held - before) > 0.01, "no drag reached the hand"
            expect(page.get_by_text("Live").first).to_be_visible()
            # it was followed: the hand is where the handle was let go, the posture meets it
            page.wait_for_timeout(1000)
            wanted = live.wanted("right hand")
            until(
                lambda: bool(np.linalg.norm(live.place("right hand") - wanted) < 1e-6), page, 20.0
            )
            assert np.linalg.norm(wanted - before) > 0.01
        finally:
            page.close()
        viewer.check()
    assert problems == []
