"""The panel of reach: what of the cloud is drawn."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np
import pytest

from articulata.geometry.arrays import Array
from articulata.records.reach_maps import ReachMap, ReachPart
from articulata.records.reach_shares import ACCESSIBLE, NOT_FOUND, PROVED, ShareMap, SurfaceReach
from articulata.records.reach_verdicts import ReachReason, Remedy, Verdict
from articulata.records.uses import Operation
from articulata.report.viewer.panels.reach_cloud import ALL, cloud_over
from articulata.report.viewer.panels.reach_moving import ReachServices
from articulata.report.viewer.panels.reach_panel import EVERY, ReachPanel
from articulata.report.viewer.panels.reach_words import (
    PARTLY,
    REMEDIES,
    SURFACES,
    answers,
    cloud_of,
    point_lines,
    table,
    verdicts_of,
)
from articulata.report.viewer.server import Viewer


def panel_of(step: float, level: float) -> ReachPanel:
    """Return the panel of four points that nobody reaches at each of three heights."""
    x, y, z = np.meshgrid([0.0, step], [0.0, step], level + step * np.arange(1, 4))
    points = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
    count = len(points)
    part = ReachPart(
        "on foot",
        label=np.full(count, NOT_FOUND),
        reason=np.zeros(count, np.int64),
        hand=np.zeros(count, np.int64),
        base=np.full((count, 3), np.nan),
        row=np.zeros(count, np.int64),
        cost=np.zeros(count),
        postures=np.zeros((0, 3)),
    )
    reached = ReachMap(
        "room", "anna", points, step, np.eye(4), (), (), {part.mobility: part}, verdicts=()
    )
    # nobody is drawn where nobody reaches: the figure is not asked for
    return ReachPanel(reached, {part.mobility: cast(Any, None)}, np.zeros((0, 7)), ())


ON_FOOT, CHAIR = "on foot", "manual wheelchair"


class Session:
    """A session that hears what is moved: the table with what stands on it."""

    def __init__(self) -> None:
        self.moved: list[tuple[str, tuple[str, ...], list[float]]] = []
        self.stood: list[str] = []

    def services(self) -> ReachServices:
        return ReachServices(
            self._move,
            lambda body: (body, "cup") if body == "table" else (body,),
            lambda who, _: self.stood.append(who),
            lambda *_: None,
            lambda: "saved",
        )

    def _move(self, who: str, bodies: tuple[str, ...], p: Array) -> int:
        self.moved.append((who, bodies, p.tolist()))
        return len(self.moved)


def verdict(who: str, z: float, label: int = PROVED) -> Verdict:
    """Return that nobody reaches the shelf at a height."""
    reason = ReachReason.TOO_HIGH if label == PROVED else ReachReason.GAVE_UP
    return Verdict("shelf.front", who, label, reason, np.array([0.0, 0.0, z]))


def panel_of_bodies(session: Session) -> ReachPanel:
    """Return the panel of a shelf that two people do not reach, above a table, behind a door."""
    points = panel_of(0.05, 1.0).reached
    part = next(iter(points.parts.values()))
    opened = np.array([[[1.0, 2.0, 0.0, 1.0, 0.0, 0.0, 0.0]]])
    operation = Operation(
        "leaf.handle", ON_FOOT, "pin", ACCESSIBLE, 1.0, 0.0, 1.0, True, bodies=("leaf",),
        q=np.full((1, 3), np.nan), poses=opened,
    )  # fmt: skip
    reached = replace(
        points,
        parts={ON_FOOT: part, CHAIR: replace(part, mobility=CHAIR)},
        verdicts=(verdict(ON_FOOT, 1.1), verdict(CHAIR, 1.1, NOT_FOUND)),
        operations=(operation,),
    )
    poses = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (3, 1))
    panel = ReachPanel(
        reached, {ON_FOOT: cast(Any, None), CHAIR: cast(Any, None)}, poses,
        ("table", "cup", "leaf"), ("table",), ("leaf",), session.services(),
    )  # fmt: skip
    # nobody is drawn: the figures are not asked for
    panel._skins = {ON_FOOT: cast(Any, ()), CHAIR: cast(Any, ())}
    return panel


def _until(true: Callable[[], bool], viewer: Viewer) -> None:
    end = time.monotonic() + 10.0
    while not true():
        viewer.check()
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("step", "level", "named"),
    [
        (0.05, 0.0, ("0.05 m", "0.10 m", "0.15 m")),
        (0.025, 0.0, ("0.025 m", "0.050 m", "0.075 m")),
        (0.05, 0.123, ("0.173 m", "0.223 m", "0.273 m")),
    ],
)
def test_a_height_of_the_cloud_shows_its_points(
    step: float, level: float, named: tuple[str, ...]
) -> None:
    panel = panel_of(step, level)
    up = panel.reached.points[:, 2]
    heights = dict(zip(named, np.unique(up), strict=True))

    def shows(name: str) -> bool:
        return bool(up[panel.cloud.shown(panel.reached, ON_FOOT)].tolist() == 4 * [heights[name]])

    with Viewer() as viewer:
        viewer.attach(panel)
        viewer.wish("Reach", "cloud", ALL)
        # a click cuts the cloud at the height of the point
        viewer.wish("Reach", "point", int(np.argmax(up)))
        _until(lambda: shows(named[-1]), viewer)
        assert panel._level.value == named[-1]
        assert panel._level.options == (EVERY, *named)
        for name in named:
            viewer.wish("Reach", "height", name)
            _until(partial(shows, name), viewer)
        viewer.wish("Reach", "height", EVERY)
        _until(lambda: len(panel.cloud.shown(panel.reached, ON_FOOT)) == len(up), viewer)


def test_what_is_looked_at_follows_who_and_what_is_found_again() -> None:
    panel = panel_of_bodies(Session())
    with Viewer() as viewer:
        viewer.attach(panel)
        # the first object is looked at at once, the cloud cut at its height
        _until(lambda: _says(panel, "**shelf.front**: out of reach: too high"), viewer)
        assert panel._level.value == "1.10 m"
        viewer.wish("Reach", "who", CHAIR)
        _until(lambda: _says(panel, "**shelf.front**: not found"), viewer)
        viewer.wish("Reach", "verdicts", (verdict(CHAIR, 1.15),))
        _until(lambda: _says(panel, "**shelf.front**: out of reach: too high"), viewer)
        assert panel._level.value == "1.15 m"
        # but a height that was chosen stays
        viewer.wish("Reach", "height", "1.05 m")
        viewer.wish("Reach", "verdicts", (verdict(CHAIR, 1.1, NOT_FOUND),))
        _until(lambda: _says(panel, "**shelf.front**: not found"), viewer)
        assert panel.cloud.height == pytest.approx(1.05)


def test_a_remedy_is_told_unless_something_was_moved_since() -> None:
    session = Session()
    panel = panel_of_bodies(session)
    mended = replace(verdict(ON_FOOT, 1.1), remedy=Remedy("lower", "shelf", 0.15))
    with Viewer() as viewer:
        viewer.attach(panel)
        for count in (1, 2):
            viewer.wish("Reach", "drag:table", np.eye(4))
            _until(lambda count=count: len(session.moved) == count, viewer)  # type: ignore[misc]
        viewer.wish("Reach", f"remedy:{ON_FOOT}:shelf.front", (1, mended))
        viewer.wish("Reach", "coming", frozenset({REMEDIES}))
        _until(lambda: panel._coming == {REMEDIES}, viewer)
        assert "lower" not in panel._table.content
        assert "<b>Searching</b>: remedies.</div>" in panel._search.content
        viewer.wish("Reach", f"remedy:{ON_FOOT}:shelf.front", (2, mended))
        _until(
            lambda: _says(panel, "**shelf.front**: out of reach: too high; lower 'shelf'"), viewer
        )
        assert "lower &#x27;shelf&#x27; by 15 cm" in panel._table.content


def test_what_is_moved_goes_by_millimetres_and_is_taken_back() -> None:
    session = Session()
    panel = panel_of_bodies(session)
    mover = panel._mover
    assert mover is not None
    with Viewer() as viewer:
        viewer.attach(panel)

        def drag(x: float) -> None:
            count = len(session.moved)
            X = np.eye(4)
            X[0, 3] = x
            viewer.wish("Reach", "drag:table", X)
            _until(lambda: len(session.moved) > count, viewer)

        drag(0.1)
        drag(0.12349)
        assert session.moved[-1] == (ON_FOOT, ("table", "cup"), [0.123, 0.0, 0.0])
        np.testing.assert_allclose(mover.poses[:, 0], [0.123, 0.123, 0.0], atol=1e-12)
        # all that is told is of before until it is found again
        assert panel._coming == answers(panel.reached)
        assert "Searching" in panel._search.content
        assert "opacity" in panel._table.content
        viewer.wish("Reach", "coming", frozenset({cloud_of(ON_FOOT), verdicts_of(CHAIR)}))
        _until(lambda: "opacity" not in panel._table.content, viewer)
        viewer.wish("Reach", "coming", frozenset())
        _until(lambda: not panel._search.visible, viewer)
        # a drag is taken back as a whole
        viewer.wish("Reach", "released", "table")
        drag(0.5)
        for x in (0.123, 0.0):
            viewer.wish("Reach", "undo", True)
            _until(partial(_at, mover.poses, x), viewer)
            assert session.moved[-1][2] == pytest.approx([x, 0.0, 0.0])
        assert not mover._undo.visible


def _says(panel: ReachPanel, words: str) -> bool:
    return hasattr(panel, "_said") and str(panel._said.content).startswith(words)


def test_shares_of_people_are_marked_as_of_before_where_something_was_moved() -> None:
    panel = panel_of_bodies(Session())
    shares = np.ones(len(panel.reached.points))
    crowd = ShareMap("people", 8, 8, shares, 1.0 - shares, 0, 0.0)
    panel.reached = replace(panel.reached, share_maps=(crowd,))
    before = "of before anything was moved"
    with Viewer() as viewer:
        viewer.attach(panel)
        viewer.wish("Reach", "crowd", "people")
        _until(lambda: panel.cloud.crowd is crowd and "everybody" in panel._legend.content, viewer)
        viewer.wish("Reach", "point", 0)
        _until(lambda: _says(panel, "**Point**"), viewer)
        assert before not in panel._legend.content + panel._said.content
        viewer.wish("Reach", "drag:table", np.eye(4))
        _until(lambda: before in panel._legend.content, viewer)
        viewer.wish("Reach", "point", 1)
        _until(lambda: f"8 people: 100% reach it ({before})" in panel._said.content, viewer)
        viewer.wish("Reach", "undo", True)
        _until(lambda: before not in panel._legend.content, viewer)


def _at(poses: Array, x: float) -> bool:
    return bool(np.allclose(poses[:, 0], [x, x, 0.0]))


def test_a_door_that_is_operated_is_drawn_though_walls_are_hidden(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = Session()
    panel = panel_of_bodies(session)
    drawn: list[Array | None] = []
    monkeypatch.setattr(panel, "_person", lambda q, *_: drawn.append(q))
    with Viewer() as viewer:
        viewer.attach(panel)
        _until(lambda: viewer._moved is not None and bool(np.isnan(viewer._moved[2, 0])), viewer)
        viewer.wish("Reach", "operate", "leaf.handle")
        _until(lambda: viewer._moved is not None and viewer._moved[2, 1] == 2.0, viewer)
        assert drawn[-1] is not None
        assert panel._look.value == "nothing"
        viewer.wish("Reach", "operate", "nothing")
        _until(lambda: viewer._moved is not None and bool(np.isnan(viewer._moved[2, 0])), viewer)
        assert drawn[-1] is None


def test_who_is_to_be_moved_is_stood_into_the_room(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session()
    panel = panel_of_bodies(session)
    with Viewer() as viewer:
        viewer.attach(panel)
        viewer.wish("Reach", "hold", "the person")
        _until(lambda: session.stood == [ON_FOOT], viewer)
        # what is reached from there is asked again where something moved, or for another person
        drawn: list[Array | None] = []
        monkeypatch.setattr(panel, "_person", lambda q, *_: drawn.append(q))
        viewer.wish("Reach", "stands", (np.zeros(3), "**From here**"))
        _until(lambda: len(drawn) == 1, viewer)
        assert panel._look.value == "nothing"
        viewer.wish("Reach", "verdicts", (verdict(ON_FOOT, 1.15),))
        viewer.wish("Reach", "who", CHAIR)
        _until(lambda: session.stood == [ON_FOOT, ON_FOOT, CHAIR], viewer)


def test_surfaces_are_told_and_renewed_and_scores_said() -> None:
    session = Session()
    panel = panel_of_bodies(session)
    shelf = SurfaceReach("shelf", ON_FOOT, 0.5, 60, 0.4, 0.1)
    whole = replace(verdict(ON_FOOT, 1.1, ACCESSIBLE), scores={"rula": 3.0, "reba": 2.0})
    panel.reached = replace(panel.reached, surfaces=(shelf,), verdicts=(whole,))
    assert SURFACES in answers(panel.reached)
    told = table(panel.reached, ON_FOOT, frozenset())
    assert f"{PARTLY}</b>surface of <b>shelf</b>" in told
    assert "40% of 0.5 m² reached, 10% proved out of reach" in told
    assert "opacity" in table(panel.reached, ON_FOOT, frozenset({SURFACES}))
    assert whole.scales == "RULA 3, REBA 2"
    with Viewer() as viewer:
        viewer.attach(panel)
        viewer.wish("Reach", "uses:surfaces", (replace(shelf, reached=0.9),))
        _until(lambda: panel.reached.surfaces[0].reached == 0.9, viewer)


def test_a_point_that_is_not_found_has_no_reason_and_dots_leave_the_room_to_be_seen() -> None:
    reached = panel_of(0.05, 0.9).reached
    (part,) = reached.parts.values()
    part.label[1] = PROVED
    part.reason[:2] = int(ReachReason.TOO_HIGH)
    assert list(point_lines(reached, 0, changed=False))[1] == "- on foot: not found"
    assert list(point_lines(reached, 1, changed=False))[1] == "- on foot: out of reach: too high"
    cloud = cloud_over(reached)
    cloud.choose("1.00 m")
    dots = cloud.layer(reached, "on foot", pale=False)
    # seen from 15 degrees above the layer, most of what is behind it is seen
    covered = np.pi / 4 * dots.size**2 / (reached.step**2 * np.sin(np.radians(15.0)))
    assert covered < 0.15


def test_amid_points_of_one_label_one_in_four_is_drawn() -> None:
    at = np.stack(np.meshgrid(np.arange(10), np.arange(8), indexing="ij"), axis=-1).reshape(-1, 2)
    points = np.column_stack([0.05 * at, np.full(len(at), 1.0)])
    whole = panel_of(0.05, 0.9).reached
    (part,) = whole.parts.values()
    label = np.where(at[:, 0] < 6, ACCESSIBLE, PROVED)
    named = {"on foot": replace(part, label=label)}
    reached = replace(whole, points=points, step=0.05, X_WG=np.eye(4), parts=named)
    cloud = cloud_over(reached)
    everywhere = cloud.layer(reached, "on foot", pale=False)
    assert len(everywhere.places) == 80
    cloud.choose("1.00 m")
    drawn = cloud.layer(reached, "on foot", pale=False).places
    # 4 x 6 and 2 x 6 points have four neighbours of their label; of these 2 x 3 and 1 x 3 stay
    assert len(drawn) == 80 - 36 + 9
    edge = points[(at[:, 0] == 5) | (at[:, 0] == 6)]
    assert all((drawn == each).all(axis=1).any() for each in edge)
