"""The page of reach on a phone: nothing is wider than the window. Chromium judges."""

from __future__ import annotations

from itertools import combinations

import pytest
from playwright.sync_api import Browser, Locator, expect
from shapely import Polygon, box

import articulata as art
from articulata.records.reach_maps import ReachMap
from articulata.report.reach_document import document
from rooms import TEXT

pytestmark = pytest.mark.browser

ROOM = TEXT.replace(
    "objects: counter", "surfaces: shelf\n  watch: counter.front\n  objects: counter"
)


@pytest.fixture(scope="module")
def reached() -> ReachMap:
    return art.reach(art.parse(ROOM.format(shelf=1.4)).requests[0], remedies=False)


def test_the_page_is_as_wide_as_a_phone_and_tells_whose_a_verdict_is(
    chromium: Browser, reached: ReachMap
) -> None:
    # places are often called as long as this
    long = document(reached).replace("shelf.front", f"{'upper_' * 12}shelf.front")
    page = chromium.new_page(viewport={"width": 375, "height": 700})
    try:
        page.set_content(long)
        for width in (320, 375, 600):
            page.set_viewport_size({"width": width, "height": 700})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        wide = "[...document.querySelectorAll('th, td')].filter(e => e.scrollWidth > e.clientWidth)"
        assert page.evaluate(f"{wide}.length") == 0
        # below each other, each under the one it is about
        cell = page.locator("tr", has_text="counter.front").first.locator("td")
        first, second = cell.nth(0), cell.nth(1)
        assert _says_above(first) == '"on foot"'
        assert _says_above(second) == '"manual wheelchair"'
        above, below = first.bounding_box(), second.bounding_box()
        assert above is not None
        assert below is not None
        assert below["y"] >= above["y"] + above["height"]
        # a wider window has a table with a head
        expect(page.locator("thead").first).to_be_hidden()
        page.set_viewport_size({"width": 1000, "height": 700})
        expect(page.locator("thead").first).to_be_visible()
        assert _says_above(first) == "none"
    finally:
        page.close()


def test_the_plan_names_what_stands_in_it_once_and_nothing_overlaps(
    chromium: Browser, reached: ReachMap
) -> None:
    page = chromium.new_page(viewport={"width": 1000, "height": 700})
    try:
        page.set_content(document(reached))
        for width in (1000, 375):
            page.set_viewport_size({"width": width, "height": 700})
            page.wait_for_timeout(200)
            names = page.locator(".plan span")
            assert {"counter", "shelf"} <= {*names.all_text_contents()}
            plan = _box(page.locator("#map"))
            boxes = [_box(names.nth(k)) for k in range(names.count())]
            assert all(plan.contains(each) for each in boxes)
            assert not any(one.intersects(two) for one, two in combinations(boxes, 2))
    finally:
        page.close()


def _box(shown: Locator) -> Polygon:
    found = shown.bounding_box()
    assert found is not None
    return box(found["x"], found["y"], found["x"] + found["width"], found["y"] + found["height"])


def _says_above(cell: Locator) -> str:
    return str(cell.evaluate("e => getComputedStyle(e, '::before').content"))
