"""Quantities plotted beside the scene, with a dot where the viewer stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from articulata.errors import ArticulataError
from articulata.geometry.arrays import Array, IntArray
from articulata.report.viewer.conversation import Leaving
from articulata.report.viewer.motion_sources import Motion

COLORS = ("#1f6feb", "#d1242f", "#1a7f37", "#9a6700", "#8250df", "#0a7d91")
MOST_POINTS = 1500
MOST_CURVES = 6
MOST_LINES = 60
"""Events marked in a chart: with more, evenly chosen ones."""

EVENTS = "#c2410c70"


class Plot:
    """A chart of up to six curves in a viser panel; the newest curves stay."""

    def __init__(self, gui: Any) -> None:
        self._gui = gui
        self._motion: Motion | None = None
        self._paths: list[str] = []
        self._chart: Any = None
        self._leaving = Leaving()
        self._data: tuple[Array, ...] = ()
        self._marks: tuple[Array, ...] = ()
        self._room = 0.0, 1.0
        self._shown = -1

    @property
    def paths(self) -> tuple[str, ...]:
        """The quantities plotted now."""
        return tuple(self._paths)

    def show(self, motion: Motion, paths: Sequence[str]) -> None:
        """Plot ``paths`` of ``motion``, as far as it has them: the first where there are many.

        A single frame is no curve.
        """
        self._motion = motion
        for path in paths if len(motion.times) > 1 else ():
            if self._curves() >= MOST_CURVES:
                break
            self.add(path)

    def extend(self, motion: Motion) -> None:
        """Go on with the curves as far as ``motion`` now goes."""
        self._motion = motion
        self._rebuild()

    def add(self, path: str) -> str:
        """Add the curves of ``path``; return what is wrong with it, or nothing."""
        if self._motion is None or self._motion.series is None:
            return "There is nothing to plot: this world has not been simulated."
        try:
            values, _ = self._motion.series(path)
        except ArticulataError as error:
            return str(error)
        if values.ndim > 2 or (values.ndim == 2 and values.shape[1] > MOST_CURVES):
            return f"'{path}' has too many components to plot; name one, for instance '{path}.x'."
        if path in self._paths:
            return ""
        self._paths.append(path)
        while len(self._paths) > 1 and self._curves() > MOST_CURVES:
            self._paths.pop(0)
        self._rebuild()
        return ""

    def clear(self) -> None:
        """Remove every curve."""
        self._paths = []
        self._rebuild()

    def mark(self, time: float) -> None:
        """Put the dots at ``time`` (s), as near as the curves go."""
        if self._chart is None:
            return
        here = int(np.argmin(np.abs(self._data[0] - time)))
        if here == self._shown:
            return
        self._shown = here
        dots = tuple(_only(curve, here) for curve in self._data[1:])
        self._chart.data = self._data + self._marks + dots

    def _curves(self) -> int:
        return sum(len(_columns(self._series(path)[0])) for path in self._paths)

    def _series(self, path: str) -> tuple[Array, str]:
        assert self._motion is not None
        assert self._motion.series is not None
        return self._motion.series(path)

    def _rebuild(self) -> None:
        series = self._fill() if self._motion is not None and self._paths else ()
        if self._chart is not None:
            self._leaving.put([self._chart])
            self._chart, self._shown = None, -1
        if not series:
            return
        low, high = self._room
        self._chart = self._gui.add_uplot(
            self._data + self._marks + tuple(_only(curve, 0) for curve in self._data[1:]),
            series,
            height=260,
            scales={"x": {"time": False}, "y": {"auto": False, "range": (low, high)}},
            legend={"show": True},
        )

    def _fill(self) -> tuple[dict[str, object], ...]:
        """Fill the curves and return how each is drawn."""
        motion = self._motion
        assert motion is not None
        chosen = _thinned(len(motion.times))
        x, lines = with_lines(np.asarray(motion.times[chosen], float), _moments(motion))
        data: list[Array] = [x]
        series: list[dict[str, object]] = [{"label": "t [s]"}]
        for path in self._paths:
            values, unit = self._series(path)
            for suffix, column in _columns(values):
                color = COLORS[(len(data) - 1) % len(COLORS)]
                label = f"{path}{suffix} [{unit}]" if unit else f"{path}{suffix}"
                data.append(np.interp(x, motion.times[chosen], np.asarray(column[chosen], float)))
                series.append({"label": label, "stroke": color, "width": 1.5})
        self._data = tuple(data)
        dots = [
            {
                "label": "now",
                "class": "now",  # the page's head leaves it out of the legend
                "stroke": s["stroke"],
                "width": 0,
                "points": {"show": True, "size": 9, "fill": s["stroke"]},
                "auto": False,
            }
            for s in series[1:]
        ]
        low, high = _range(self._data[1:])
        # A level curve would fill the chart with its rounding errors.
        margin = max(0.05 * (high - low), 1e-6 * max(abs(low), abs(high)), 1e-12)
        self._room = low - margin, high + margin
        self._marks = ()
        if motion.events:
            self._marks = (low - margin + lines * (high - low + 2 * margin),)
            series.append({"label": "events", "stroke": EVENTS, "width": 1})
        return tuple(series + dots)


def with_lines(times: Array, moments: Array) -> tuple[Array, Array]:
    """Return times (m,) with three more for each of ``moments``, and upright lines there.

    The lines (m,) go from 0 to 1 and back at a moment and stay at 0, the chart's edge, between.
    """
    x = np.concatenate([times, np.repeat(moments, 3)])
    up = np.concatenate([np.zeros(len(times)), np.tile([0.0, 1.0, 0.0], len(moments))])
    order = np.argsort(x, kind="stable")
    return x[order], up[order]


def _moments(motion: Motion) -> Array:
    """Return the times of the events that are marked, evenly chosen where there are many."""
    start, end = motion.times[0], motion.times[-1]
    times = np.unique([event.time for event in motion.events if start <= event.time <= end])
    return (
        np.asarray(times[np.unique(np.linspace(0, len(times) - 1, MOST_LINES).astype(int))])
        if len(times)
        else times
    )


def _range(curves: Sequence[Array]) -> tuple[float, float]:
    """Return the least and largest value; 0 and 1 where nothing is known."""
    known = np.concatenate([curve[np.isfinite(curve)] for curve in curves])
    return (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)


def _thinned(count: int) -> IntArray:
    return np.unique(np.linspace(0, count - 1, min(count, MOST_POINTS)).astype(np.int64))


def _columns(values: Array) -> list[tuple[str, Array]]:
    if values.ndim == 1:
        return [("", values)]
    names = (
        ("x", "y", "z") if values.shape[1] == 3 else tuple(str(k) for k in range(values.shape[1]))
    )
    return [(f".{name}", values[:, k]) for k, name in enumerate(names)]


def _only(curve: Array, index: int) -> Array:
    dots = np.full_like(curve, np.nan)
    dots[index] = curve[index]
    return dots
