"""An exercise in a real browser: figures come, move and leave, and the panel tells of each."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from articulata.records.networked import NetworkedLook, Reception
from articulata.report.viewer.exercise_viewer import (
    ExerciseNews,
    ExerciseViewer,
    Placed,
    TakingPart,
)
from articulata.sessions.join.exercise_frames import body_of
from articulata.sessions.join.join_request import formation

pytestmark = pytest.mark.browser


def _news(names: list[str]) -> ExerciseNews:
    reception = Reception(30.0, 9000.0, 0.125, 0.02, 0.0725, (0.03, np.radians(2.0)))
    figures = [TakingPart(NetworkedLook(each, "", "kneeling"), "7:9", reception) for each in names]
    return ExerciseNews("DIS 7, exercise 3", figures, (1.0, 100.0), (240.0, 88_000.0), ("a flood",))


def test_eight_in_formation_come_move_and_leave(chromium: Browser) -> None:
    body = body_of("person(1.75 m)")
    wishes: list[tuple[str, object]] = []
    places = formation("wedge", 8, 2.0)
    names = [f"soldier {k + 1}" for k in range(8)]
    with ExerciseViewer(
        np.array((0.0, 1.0, 0.0)), lambda *wish: wishes.append(wish), motions=("wave", "walk")
    ) as viewer:
        placed = {}
        for k, (name, (ahead, left)) in enumerate(zip(names, places.tolist(), strict=True)):
            X = np.eye(4)
            X[:3, 3] = left, 1.0, ahead
            placed[k] = Placed(body.tracked.rest, X)
            viewer.show(k, body.figure, placed[k], name=name, tint=k)
        with contextlib.closing(chromium.new_page(viewport={"width": 1280, "height": 800})) as page:
            said: list[str] = []
            page.on(
                "console", lambda each: said.append(each.text) if each.type == "error" else None
            )
            page.goto(viewer.address)
            viewer.tell(_news(names))
            expect(page.get_by_text("soldier 3, kneeling")).to_be_visible()
            page.wait_for_timeout(1500)  # the scene is drawn behind the panel
            row = page.get_by_role("row").filter(has_text="soldier 3")
            expect(row).to_contain_text("12 %")
            expect(row).to_contain_text("3, 2")
            expect(page.get_by_text("a flood")).to_be_visible()
            before = page.screenshot()
            moved = placed[0].X_WF.copy()
            moved[1, 3] += 1.0
            viewer.draw({0: Placed(placed[0].q, moved)})
            page.wait_for_timeout(500)
            assert page.screenshot() != before
            before = page.screenshot()
            viewer.drop(0)
            page.wait_for_timeout(500)
            assert page.screenshot() != before
            viewer.tell(_news(names[:7]))
            expect(page.get_by_text("soldier 8")).to_have_count(0)
            page.get_by_role("button", name="Perform").click()
            page.wait_for_timeout(300)
            assert wishes == [("perform", "wave")]
            assert viewer.failure is None
            assert said == []
