"""Reach in the viewer: a point clicked, a shelf dragged, its place saved. Chromium judges."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

import articulata as art
from articulata.report.viewer.server import Viewer
from articulata.sessions.reaching import attached
from articulata.sessions.requests import request_in
from browser.motions import until
from rooms import TEXT

pytestmark = pytest.mark.browser


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
            # the shelf goes up by 40 cm: the chair reaches it no more
            X = np.eye(4)
            X[:3, 3] = -0.6, 1.5, 0.15
            viewer.wish("Reach", "drag:shelf", X)
            expect(
                page.get_by_text("not found: ").or_(page.get_by_text("inaccessible: ")).first
            ).to_be_visible()
            page.get_by_role("button", name="Save new places to the text").click()
            until(lambda: "1.5 m" in file.read_text(), page)
            again = art.reach(request_in(art.read(file), "reach"), remedies=False)
            assert not again.verdict("shelf.front", "manual wheelchair").accessible
        finally:
            page.close()
            reaching.close()
        viewer.check()
