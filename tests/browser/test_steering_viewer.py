"""A run under way in the viewer: followed, ordered about, an edit undone. Chromium is the judge."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.sync_api import Browser, expect

from articulata.errors import ArticulataError
from articulata.records.events import Event
from articulata.report.viewer.motion_sources import Motion
from articulata.report.viewer.server import Viewer
from browser.motions import swinging, until

pytestmark = pytest.mark.browser


def first(frames: int) -> Motion:
    """The beginning of a motion."""
    whole = swinging()
    return replace(
        whole,
        times=whole.times[:frames],
        poses=whole.poses[:frames],
        arrows=(),
        events=tuple(e for e in whole.events if e.time <= whole.times[frames - 1]),
        series=None,
    )


def test_a_run_is_followed_and_ordered_about(chromium: Browser) -> None:
    heard: list[str] = []

    def order(text: str) -> None:
        if text == "brake":
            raise ArticulataError("there is no order 'brake'; did you mean 'break'?")
        heard.append(text)

    with Viewer(order=order) as viewer:
        viewer.offer(("rise", "sit"))
        viewer.follow(first(20))
        page = chromium.new_page(viewport={"width": 900, "height": 700})
        try:
            page.goto(viewer.address)
            expect(page.get_by_text("frame 20 of 20")).to_be_visible()
            page.wait_for_timeout(1500)  # what is changed while the page still fills is set back
            viewer.follow(first(60))
            expect(page.get_by_text("frame 60 of 60")).to_be_visible()
            expect(page.get_by_role("button", name="2 s \u00b7 impact")).to_have_count(1)
            page.get_by_text("One cycle", exact=True).click()
            until(lambda: heard == ["step"], page)
            line = page.locator("xpath=//*[text()='Order']/following::input[1]")
            line.fill("break hip")
            page.wait_for_timeout(500)  # the line is sent a moment after the last key
            page.get_by_role("button", name="Give the order").click()
            until(lambda: heard == ["step", "break hip"], page)
            page.get_by_role("button", name="Start the sequence").click()
            until(lambda: heard[2:] == ["start rise"], page)
            page.wait_for_timeout(1000)
            line.fill("brake")
            page.wait_for_timeout(500)
            page.get_by_role("button", name="Give the order").click()
            expect(page.get_by_text("did you mean 'break'?")).to_be_visible()
            # who looks back is left where he is
            page.get_by_text("|<", exact=True).click()
            expect(page.get_by_text("frame 1 of 60")).to_be_visible()
            viewer.follow(first(100))
            expect(page.get_by_text("frame 1 of 100")).to_be_visible()
        finally:
            page.close()


def test_an_edit_is_undone_and_both_runs_can_be_chosen(chromium: Browser) -> None:
    asked: list[tuple[str, int]] = []
    with Viewer(undo=lambda motion, number: asked.append((motion.title, number))) as viewer:
        events = (Event(2.0, "impact"), Event(5.0, "edit", ("hip",), story="Hinge hip ends."))
        viewer.show(replace(swinging("first"), events=events), playing=False)
        page = chromium.new_page(viewport={"width": 900, "height": 700})
        try:
            page.goto(viewer.address)
            page.get_by_role("tab", name="Events (2)").click()
            undo = page.get_by_role("button", name="Undo this edit and run on")
            page.get_by_role("button", name="2 s \u00b7 impact").click()
            expect(undo).to_have_count(0)
            page.get_by_role("button", name="5 s \u00b7 edit hip").click()
            undo.click()
            until(lambda: asked == [("first", 1)], page)
            viewer.add(replace(swinging("undone"), events=()))
            box = page.locator("xpath=//*[text()='Run']/following::input[1]")
            expect(box).to_have_value("undone")
            box.click()
            page.get_by_role("option", name="first", exact=True).click()
            expect(page.get_by_role("tab", name="Events (2)")).to_be_visible()
        finally:
            page.close()
