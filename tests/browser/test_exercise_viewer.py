"""An exercise in a real browser: figures come, move and leave, and the panel tells of each."""

from __future__ import annotations

import contextlib
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from articulata.network.exercise_port import ExerciseAddress
from articulata.records.networked import NetworkedLook, Reception
from articulata.report.viewer.exercise_viewer import (
    OUR_EYES,
    ExerciseNews,
    ExerciseViewer,
    Placed,
    TakingPart,
)
from articulata.report.viewer.panels.script_panel import signals_first
from articulata.sessions.join.exercise_frames import body_of
from articulata.sessions.join.join_request import JoinAsked, formation, joining
from articulata.sessions.join.join_session import JoinWish

pytestmark = pytest.mark.browser


def _news(names: list[str]) -> ExerciseNews:
    reception = Reception(30.0, 9000.0, 0.125, 0.02, 0.0725, (0.03, np.radians(2.0)))
    figures = [TakingPart(NetworkedLook(each, "", "kneeling"), "7:9", reception) for each in names]
    return ExerciseNews("DIS 7, exercise 3", figures, (1.0, 100.0), (240.0, 88_000.0), ("a flood",))


@pytest.mark.parametrize("count", [3, pytest.param(8, marks=pytest.mark.slow)])
def test_all_in_formation_come_move_and_leave(chromium: Browser, count: int) -> None:
    body = body_of("person(1.75 m)")
    wishes: list[tuple[str, object]] = []
    places = formation("wedge", count, 2.0)
    names = [f"soldier {k + 1}" for k in range(count)]
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
            viewer.tell(_news(names[:-1]))
            expect(page.get_by_text(names[-1])).to_have_count(0)
            page.get_by_role("button", name="Perform").click()
            page.wait_for_timeout(300)
            assert wishes == [("perform", "walk")]
            assert viewer.failure is None
            assert said == []


class _Quiet:
    def say(self, text: str) -> None:
        pass


@pytest.mark.slow
def test_three_viewers_show_eight_scripted_soldiers_in_formation(
    chromium: Browser, tmp_path: Path
) -> None:
    """One program has the soldiers, two watch; a signal by a key is seen in all of them."""
    where = ExerciseAddress.of("127.255.255.255:3979")
    soldiers = JoinAsked(
        JoinWish(9, where, seconds=900.0, protocol="poses"), "soldier", count=8, formation="wedge",
        motions=("signal_wedge",),
    )  # fmt: skip
    watchers = [
        JoinAsked(JoinWish(9, where, seconds=900.0, protocol="poses"), count=0) for _ in range(2)
    ]
    with contextlib.ExitStack() as around:
        sessions = [around.enter_context(joining(each, _Quiet())) for each in (soldiers, *watchers)]
        threads = [threading.Thread(target=each.run, daemon=True) for each in sessions]
        for thread in threads:
            thread.start()

        def end() -> None:
            for each in sessions:
                each.ask("end")
            for thread in threads:
                thread.join(60.0)

        around.callback(end)
        deadline = time.monotonic() + 300.0  # kernels may be compiled first
        while any(len(each._met) < 8 for each in sessions[1:]):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        pages = []
        for session in sessions:
            page = around.enter_context(
                contextlib.closing(chromium.new_page(viewport={"width": 1280, "height": 800}))
            )
            page.goto(session.viewer.address)
            pages.append(page)
        for number, page in enumerate(pages):
            for soldier in range(1, 9):
                expect(page.get_by_role("cell", name=f"soldier {soldier}")).to_be_visible()
            page.wait_for_timeout(3000)
            before = page.screenshot(path=str(tmp_path / f"viewer{number}.png"))
            page.wait_for_timeout(2000)
            assert page.screenshot() != before
        # where they stand is where the formation says, in each program
        places = formation("wedge", 8)
        for session in sessions[1:]:
            shown = session._shown(time.monotonic())
            assert len(shown) == 8
            found = np.array([placed.X_WF[:3, 3] for _, placed in sorted(shown.items())])
            apart = np.linalg.norm(found[:, None] - found[None], axis=2)
            meant = np.linalg.norm(places[:, None] - places[None], axis=2)
            np.testing.assert_allclose(apart, meant, atol=5e-3)
        pages[0].keyboard.press("Alt+a")
        first = signals_first(sessions[0].ours[0].offered)[0]
        deadline = time.monotonic() + 60.0
        while (doing := sessions[0].ours[0].doing(time.monotonic())) is None or doing[0] != first:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert [each.viewer.failure for each in sessions] == [None] * 3


def test_the_exercise_is_seen_with_our_figure_s_eyes(chromium: Browser) -> None:
    body = body_of("person(1.75 m)")
    placed = {}
    for k, ahead in enumerate((0.0, 3.0)):
        X = np.eye(4)
        X[:3, 3] = 0.0, 0.0, ahead
        placed[k] = Placed(body.tracked.rest, X)
    with ExerciseViewer(np.array((0.0, 1.0, 0.0)), lambda *_: None, ours=0) as viewer:
        for k, each in placed.items():
            viewer.show(k, body.figure, each, name=f"soldier {k}")
        with contextlib.closing(chromium.new_page(viewport={"width": 1280, "height": 800})) as page:
            page.goto(viewer.address)
            expect(page.get_by_text("Nobody yet.")).to_be_hidden()
            page.wait_for_timeout(1500)
            assert viewer._view is not None
            viewer._view.value = OUR_EYES
            deadline = time.monotonic() + 60.0
            eyes = body.figure.landmark(body.tracked.rest, "eyes")
            while True:
                viewer.draw(placed)
                cameras = [each.camera for each in viewer.clients.values()]
                if cameras and np.linalg.norm(cameras[0].position - eyes[:3, 3]) < 0.05:
                    break
                assert time.monotonic() < deadline
                time.sleep(0.1)
            gaze = cameras[0].look_at - cameras[0].position
            assert gaze @ (0.0, 0.0, 1.0) > 0.95 * np.linalg.norm(gaze)
