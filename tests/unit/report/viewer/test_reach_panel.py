"""The panel of reach: what of the cloud is drawn."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import numpy as np
import pytest

from articulata.records.labels import NOT_FOUND
from articulata.records.reach import ReachMap, ReachPart
from articulata.report.viewer.panels.reach import ALL, EVERY, ReachPanel
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
        return bool(up[panel._shown()].tolist() == 4 * [heights[name]])

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
        _until(lambda: len(panel._shown()) == len(up), viewer)
