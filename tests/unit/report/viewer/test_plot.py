from __future__ import annotations

from typing import Any

import numpy as np

from articulata.geometry.arrays import Array
from articulata.report.viewer.motion_sources import Look, Motion
from articulata.report.viewer.plot import MOST_CURVES, Plot


class Chart:
    """Stands for a chart in the browser: holds what it was given."""

    def __init__(self, data: object, series: Any) -> None:
        self.data, self.series = data, series

    def remove(self) -> None:
        """Leave the panel."""


class Gui:
    """Stands for the viewer's panel."""

    def __init__(self) -> None:
        self.chart: Chart | None = None

    def add_uplot(self, data: object, series: Any, **_: object) -> Chart:
        self.chart = Chart(data, series)
        return self.chart


def with_series(count: int = 8) -> tuple[Motion, tuple[str, ...]]:
    times = np.linspace(0.0, 1.0, 5)
    poses = np.zeros((5, 1, 7))
    poses[:, 0, 3] = 1.0

    def series(path: str) -> tuple[Array, str]:
        return np.full(5, float(path[1:])), "J"

    motion = Motion("m", (Look("b", None, (0, 0, 0)),), times, poses, (0, 0, 1), series=series)
    return motion, tuple(f"e{k}" for k in range(count))


def labels(gui: Gui) -> list[str]:
    assert gui.chart is not None
    return [each["label"] for each in gui.chart.series]


def test_what_is_shown_unasked_keeps_the_first_curves() -> None:
    gui = Gui()
    motion, paths = with_series()
    Plot(gui).show(motion, paths)
    shown = [label for label in labels(gui) if label.startswith("e") and "[J]" in label]
    assert shown == [f"e{k} [J]" for k in range(MOST_CURVES)]


def test_what_is_asked_for_pushes_the_oldest_curve_out() -> None:
    gui = Gui()
    motion, paths = with_series()
    plot = Plot(gui)
    plot.show(motion, paths)
    assert plot.add("e7") == ""
    shown = [label for label in labels(gui) if label.startswith("e") and "[J]" in label]
    assert shown == [f"e{k} [J]" for k in (1, 2, 3, 4, 5, 7)]
