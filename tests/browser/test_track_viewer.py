"""A tracked figure in a real browser: it moves, the panel tells, buttons are wishes."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from articulata.analyses.track.tracked_person import TrackedBody, tracked_body
from articulata.kinematics.library import figure
from articulata.records.samples import DeviceReport
from articulata.records.tracking import Recognised, SensorHealth, TrackedPosture
from articulata.report.viewer.panels.track_panel import TrackNews
from articulata.report.viewer.track_viewer import TrackViewer

pytestmark = pytest.mark.browser


class Opened:
    def __init__(self) -> None:
        self.body: TrackedBody = tracked_body(figure("human_upper_body"))
        self.wishes: list[tuple[str, object]] = []
        self.viewer = TrackViewer(
            self.body.figure, self.body.rest, lambda *wish: self.wishes.append(wish)
        )

    def posture(self, elbow: float) -> TrackedPosture:
        q = self.body.figure.vector({"r_elbow_flexion": elbow}, self.body.rest)
        solved = np.zeros((2, 11))
        solved[:, :7] = q[self.body.columns]
        solved[0, 10] = 1 << 3
        joints = tuple(arm.joints for arm in self.body.arms.each)
        return TrackedPosture(0.0, q, np.array((1.0, 0, 0, 0, 0, 0, 0)), solved, joints)


@pytest.fixture
def opened() -> Iterator[Opened]:
    made = Opened()
    with made.viewer:
        yield made


def test_the_panel_tells_and_asks(chromium: Browser, opened: Opened) -> None:
    page: Page = chromium.new_page(viewport={"width": 1000, "height": 1100})
    page.goto(opened.viewer.address)
    expect(page.get_by_text("Calibrate")).to_be_visible(timeout=60_000)
    posture = opened.posture(np.radians(-12.3))
    for _ in range(20):
        opened.viewer.follow(posture, time.monotonic())
        page.wait_for_timeout(20)
    opened.viewer.tell(
        TrackNews(
            posture,
            ("right arm", "left arm"),
            posture.joints,
            (SensorHealth(2, "r_upper_arm", 30.0, 0.01, 0.0, "silent"),),
            (
                DeviceReport(
                    "fastrak", 99, 3, damaged={"fixed bytes missing": 2}, trouble="it is gone"
                ),
            ),
            opened.viewer.latency(),
            "arms hanging, thumbs forward: 3",
            "take-001.artrun: 5 frames",
            Recognised("echelon_left", 0.97, 0.1, True),
        )
    )
    for text in (
        "-12.3 !", "beyond its limits", "silent", "2 r upper arm", "it is gone", "echelon left",
        "fixed bytes missing", "arms hanging, thumbs forward: 3", "take-001.artrun",
    ):  # fmt: skip
        expect(page.get_by_text(text).first).to_be_visible(timeout=60_000)
    beyond = page.get_by_text("-12.3 !").first.bounding_box()
    assert beyond is not None
    assert beyond["height"] < 24  # on one line
    page.get_by_role("button", name="Mark").click()
    page.get_by_role("button", name="Calibrate").click()
    for _ in range(600):
        if len(opened.wishes) >= 2:
            break
        page.wait_for_timeout(100)
    assert opened.wishes == [("mark", None), ("calibrate", None)]
    assert opened.viewer.drawn > 0
    assert opened.viewer.failure is None
    page.close()
