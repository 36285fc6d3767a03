"""Sessions of an exercise: two of them see each other's figures as they are."""

from __future__ import annotations

import math
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from articulata.errors import ArticulataError
from articulata.network.exercise_port import ExerciseAddress
from articulata.report.viewer.exercise_viewer import ExerciseNews, Placed
from articulata.sessions.join.exercise_frames import Ground, body_of
from articulata.sessions.join.join_request import (
    JoinAsked,
    Scripted,
    formation,
    join_asked,
    joining,
    origin_of,
)
from articulata.sessions.join.join_session import JoinResult, JoinSession, JoinWish


class Listener:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, text: str) -> None:
        self.lines.append(text)


class Page:
    """Stands for the viewer: what is shown, by keys."""

    def __init__(self, up: object, ask: object, **_: object) -> None:
        self.address, self.failure = "nowhere", None
        self.shown: dict[Any, str] = {}
        self.left: list[Any] = []
        self.pictures: list[dict[Any, Placed]] = []
        self.news: list[ExerciseNews] = []

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def show(
        self, key: Any, figure: object, placed: Placed, *, name: str = "", tint: int = 0
    ) -> None:
        self.shown[key] = name

    def drop(self, key: Any) -> None:
        self.left.append(key)

    def draw(self, figures: dict[Any, Placed]) -> None:
        self.pictures.append(dict(figures))

    def tell(self, news: ExerciseNews) -> None:
        self.news.append(news)


def _wish(port: int, seconds: float, **more: Any) -> JoinWish:
    where = ExerciseAddress.of(f"127.255.255.255:{port}")
    return JoinWish(7, where, seconds=seconds, rate=60.0, **more)


@pytest.fixture(scope="module")
def body() -> Any:
    return body_of("person(1.75 m)")


BOTH = pytest.mark.parametrize(
    ("joints", "protocol"), [("arms", "dis"), ("all", "dis"), ("all", "poses")]
)


@BOTH
def test_each_sees_the_figures_of_the_other(body: Any, joints: str, protocol: str) -> None:
    port = 3976 + len(joints) + len(protocol)
    X = np.eye(4)
    X[:3, 3] = 1.5, 0.0, -2.0
    motions = ("signal_halt",) if joints == "arms" else ("walk",)
    anna = Scripted("anna", "", body, X, motions, time.monotonic())
    pages: list[Page] = []

    def page(*given: Any, **named: Any) -> Page:
        pages.append(Page(*given, **named))
        return pages[-1]

    def ending() -> None:
        """End one after the other once enough was seen, however busy the machine is."""
        end = time.monotonic() + 60.0
        while time.monotonic() < end and not (pages and pages[0].left):
            shown = pages and len(pages[0].pictures) > 40 and pages[0].shown
            if shown and any(each.figures for each in pages[0].news):
                sending.ask("end")
            time.sleep(0.02)
        watching.ask("end")

    told = Listener()
    watching = JoinSession(_wish(port, 70.0, protocol=protocol), (), told, viewer=page)
    wish = _wish(port, 70.0, headless=True, joints=joints, protocol=protocol)
    sending = JoinSession(wish, (anna,), Listener())
    ender = threading.Thread(target=ending)
    ender.start()
    other = threading.Thread(target=sending.run)
    other.start()
    result = watching.run()
    other.join()
    ender.join()
    (seen,) = pages
    (key,) = seen.shown
    assert seen.shown[key] == "anna"
    assert seen.left == [key]
    assert result.others == (f"anna ({key})",)
    assert any("has joined" in line for line in told.lines)
    assert any("has left" in line for line in told.lines)
    stance = "walking" if joints == "all" else "standing"
    told_of = [each.figures[0] for each in seen.news if each.figures]
    assert told_of[-1].look.stance == stance
    assert any(key in each for each in seen.pictures)


@BOTH
@pytest.mark.parametrize("paced", [(60, 1.0, 0.01), (15, 4.0, 0.02)])
def test_pictures_are_what_was_done_at_one_instant(
    body: Any,
    joints: str,
    protocol: str,
    paced: tuple[int, float, float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two sessions on a clock of the test: pictures a second, and deg and m that they are off."""
    (rate, turn, place), now = paced, 1000.0
    monkeypatch.setattr("articulata.network.exercise_port.time.monotonic", lambda: now)
    X = np.eye(4)
    X[:3, 3] = 1.5, 0.0, -2.0
    motion = "signal_halt" if joints == "arms" else "walk"
    anna = Scripted("anna", "", body, X, (motion,), now)
    seen = Page(None, None)
    watching = JoinSession(_wish(3994, 9.0, protocol=protocol), (), Listener())
    watching.viewer = seen
    wish = _wish(3994, 9.0, headless=True, joints=joints, protocol=protocol)
    sending = JoinSession(wish, (anna,), Listener())
    off, far = [], []
    with watching.port, sending.port:
        for _ in range(round(2.5 * rate)):
            now += 1.0 / rate
            before = sending.port.traffic.sent
            sending._picture(now)
            if sending.port.traffic.sent > before:
                watching.exercise.hear(watching.port.hear(20.0))
            now += 0.004
            watching._picture(now)
            (key,) = seen.shown
            picture = seen.pictures[-1][key]
            q, X_WF = anna.at(watching.exercise.figures.clock(key, now))
            off.append(float(np.abs(picture.q - q).max()))
            far.append(float(np.linalg.norm((picture.X_WF - X_WF)[:3, 3])))
            np.testing.assert_allclose(picture.X_WF[:3, :3], X_WF[:3, :3], atol=1e-5)
    # from half a second on: a figure appears as it is when its first packet comes
    assert max(off[rate // 2 :]) < math.radians(turn)
    assert max(far[rate // 2 :]) < place


def test_what_is_sent_and_heard_of_a_posture_is_the_same(body: Any) -> None:
    ground = Ground.at(origin_of("48.1, 11.5, 520"), np.asarray(body.figure.up))
    rng = np.random.default_rng(0)
    q = body.figure.lower + rng.random(body.figure.dof) * (body.figure.upper - body.figure.lower)
    X_WF = np.eye(4)
    X_WF[:3, 3] = 12.0, 1.0, -30.0
    sent = body.sent(ground, 0.0, q, X_WF)
    from articulata.kernels.heard_figures import WIDTH
    from articulata.network.dis.human_parts import COLUMNS

    angles = np.full(WIDTH, np.nan)
    angles[[COLUMNS[name] for name in sent.joints]] = sent.angles
    untold = np.full(WIDTH, np.nan)
    two = np.array([angles, untold]), np.array([sent.p_EB] * 2), np.array([sent.R_EB] * 2)
    again, X = body.heard(ground, "walking", np.array([0.0, 0.31]), *two)
    np.testing.assert_allclose(again[0], q)
    np.testing.assert_allclose(X, [X_WF] * 2, atol=1e-8)
    np.testing.assert_allclose(again[1], body.stances.posture("walking", np.array(0.31)))


def test_who_comes_later_and_stands_where_somebody_is_steps_aside(
    body: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = Scripted("one", "", body, np.eye(4), ("wave",), 0.0)
    there = Scripted("two", "", body, np.eye(4), ("wave",), 0.0)
    first = JoinSession(_wish(3991, 2.0, headless=True), (here,), Listener())
    second = JoinSession(_wish(3991, 1.2, headless=True, aside=True), (there,), Listener())
    began, hear = time.monotonic(), second._hear_until

    def answered(due: float) -> None:
        first.exercise.hear(first.port.hear(2.0, 0.01))
        first._picture(began + 2.0)
        hear(time.monotonic() + 0.1)

    with first.port:
        first._picture(began)  # nobody else is there yet
        with second.port:
            monkeypatch.setattr(second, "_hear_until", answered)
            second._step_aside(time.monotonic() + 0.5)
    assert np.linalg.norm(there.X_W0[:3, 3] - here.X_W0[:3, 3]) == pytest.approx(1.4)


def test_formations_have_the_shapes_of_their_names() -> None:
    wedge, vee = formation("wedge", 5, 2.0), formation("vee", 5, 2.0)
    np.testing.assert_array_equal(wedge[:, 0], -vee[:, 0])
    assert sorted(wedge[:, 1]) == [-4.0, -2.0, 0.0, 2.0, 4.0]
    assert (formation("line", 6, 1.0)[:, 0] == 0.0).all()
    assert (formation("column", 6, 1.0)[:, 1] == 0.0).all()
    np.testing.assert_array_equal(np.diff(formation("echelon_left", 4, 1.0), axis=0), [[-1, 1]] * 3)
    for name in ("line", "column", "wedge", "vee", "echelon_left", "echelon_right"):
        p = formation(name, 8, 1.5)
        apart = np.linalg.norm(p[:, None] - p[None], axis=2) + 9.0 * np.eye(8)
        assert apart.min() >= 1.5


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (lambda: JoinAsked(JoinWish(headless=True, seconds=0.1), formation="heap"), "formations"),
        (lambda: JoinAsked(JoinWish(headless=True, seconds=0.1), count=500), "0 to 160"),
        (lambda: JoinAsked(JoinWish(headless=True, seconds=0.1), motions=("wvae",)), "wave"),
        (lambda: JoinAsked(JoinWish(0)), "1 to 255"),
        (lambda: JoinAsked(JoinWish(version=4)), "5, 6 or 7"),
        (lambda: JoinAsked(JoinWish(joints="legs")), "arms or all"),
        (lambda: JoinAsked(JoinWish(protocol="hla")), "--protocol is dis or poses"),
        (lambda: JoinAsked(JoinWish(bound=1.0)), "0.02 to 5 deg"),
        (lambda: JoinAsked(JoinWish(budget=10.0)), "200 bytes a second or more"),
        (lambda: JoinAsked(JoinWish(), source="emulator", count=0), "no --from"),
    ],
)
def test_what_cannot_be_is_told(asked: Any, why: str) -> None:
    with pytest.raises(ArticulataError, match=why):
        join_asked(asked(), Listener())


def test_a_live_person_is_sent_as_he_moves(tmp_path: Path) -> None:
    wish = _wish(3993, 90.0, headless=True)
    asked = JoinAsked(
        wish, "live", source="emulator", calibrate="none", motions=("signal_halt",), out=tmp_path
    )
    watching = JoinSession(_wish(3993, 90.0, headless=True), (), Listener())
    found: list[JoinResult] = []
    thread = threading.Thread(target=lambda: found.append(watching.run()))
    thread.start()
    with joining(asked, Listener()) as session:
        other = threading.Thread(target=session.run)
        other.start()
        deadline = time.monotonic() + 80.0
        while watching.exercise.heard < 50 and time.monotonic() < deadline:
            time.sleep(0.05)
        session.ask("end")
        other.join()
    watching.ask("end")
    thread.join()
    assert [each.split(" ")[0] for each in found[0].others] == ["live"]
    assert watching.exercise.heard >= 50
    assert list(tmp_path.glob("*.artrun"))
