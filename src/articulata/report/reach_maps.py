"""The map of a room: slices at some heights, one row of pictures for each way to move.

A slice is a picture of points, rows from far to near, colours by label.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from articulata.geometry.arrays import Array, IntArray
from articulata.records.reach_maps import Outline, ReachMap
from articulata.records.reach_shares import ACCESSIBLE, NOT_FOUND, PROVED, SAID
from articulata.report.plots import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLORS = {
    ACCESSIBLE: (96, 168, 220),
    PROVED: (194, 65, 12),
    NOT_FOUND: (240, 208, 112),
}
"""Blue is reached, orange is proved out of reach, yellow is not found: told apart by all eyes."""

EMPTY = (240, 242, 245)


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Where the points of a grid are: ``cell`` (n, 3) level, row and column of each.

    ``heights`` (levels,) m above the floor; ``low`` (2,) the corner of the first cell in
    the ground frame, m; rows go along its y.
    """

    cell: IntArray
    heights: Array
    shape: tuple[int, int]
    low: Array
    step: float

    def levels(self, values: Array, empty: float = -1.0) -> Array:
        """Return values (n,) by level, row and column; ``empty`` where there is no point."""
        found = np.full((len(self.heights), *self.shape), empty)
        found[self.cell[:, 0], self.cell[:, 1], self.cell[:, 2]] = values
        return found

    def nearest(self, height: float) -> int:
        """Return the level nearest to a height."""
        return int(np.argmin(np.abs(self.heights - height)))


def layout_of(reached: ReachMap) -> Layout | None:
    """Return how a map's points lie; None for a map without a grid."""
    if not len(reached.points) or reached.step <= 0.0:
        return None
    p = (reached.points - reached.X_WG[:3, 3]) @ reached.X_WG[:3, :3]
    low = p.min(axis=0)
    number = np.round((p - low) / reached.step).astype(np.int64)
    columns, rows, levels = (number.max(axis=0) + 1).tolist()
    return Layout(
        number[:, [2, 1, 0]],
        low[2] + reached.step * np.arange(levels),
        (rows, columns),
        low[:2] - 0.5 * reached.step,
        reached.step,
    )


NOBODY, EVERYBODY = (250, 246, 236), (0, 103, 168)
"""Colours of points that nobody and everybody reaches."""


def share_colors(shares: Array) -> npt.NDArray[np.uint8]:
    """Return colours (*batch, 3) of shares (*batch,) of people, 0 to 1."""
    t = np.clip(shares, 0.0, 1.0)[..., None]
    mixed = (1.0 - t) * np.array(NOBODY) + t * np.array(EVERYBODY)
    return np.asarray(np.round(mixed).astype(np.uint8))


def shares_picture(shares: Array) -> npt.NDArray[np.uint8]:
    """Return shares (rows, columns), -1 where there is none, as an image, the far row first."""
    image = share_colors(shares)
    image[shares < 0.0] = EMPTY
    return np.asarray(image[::-1])


def picture(labels: Array) -> npt.NDArray[np.uint8]:
    """Return labels (rows, columns), -1 where there is none, as an image with the far row first."""
    image = np.empty((*labels.shape, 3), np.uint8)
    image[:] = EMPTY
    for label, color in COLORS.items():
        image[labels == label] = color
    return image[::-1]


HEIGHTS = (0.4, 0.75, 1.1, 1.4, 1.8)
"""m. Heights of the slices: near the floor, a table, a switch, shelves."""


@dataclass(frozen=True, slots=True, eq=False)
class _Row:
    """A row of pictures: one for each height that is drawn, and the words beside them."""

    pictures: list[npt.NDArray[np.uint8]]
    words: str


def map_figure(reached: ReachMap) -> Figure:
    """Return the map as a figure: blue reached, orange proved out of reach, yellow not found.

    Shares of populations follow, from white (nobody) to blue (everybody).
    """
    from matplotlib.figure import Figure

    layout = layout_of(reached)
    with drawing():
        if layout is None:
            figure = Figure(figsize=(5.0, 1.0))
            figure.text(0.5, 0.5, "no map was asked for", ha="center")
            return figure
        chosen = sorted({layout.nearest(height) for height in HEIGHTS})
        told = _rows(reached, layout, chosen)
        figure = Figure(figsize=(2.3 * len(chosen) + 0.6, 2.0 * len(told) + 0.8))
        # one pair of axes for all pictures: each has its own corner
        axis = figure.add_axes((0.09, 0.08, 0.9, 0.86))
        axis.set_axis_off()
        _draw(axis, layout, reached.plan, chosen, told)
        _explain(figure, reached)
    return figure


def _rows(reached: ReachMap, layout: Layout, chosen: list[int]) -> list[_Row]:
    """Return a row for each way to move, then one for each population."""
    rows = [
        _Row(
            [picture(level) for level in layout.levels(np.asarray(part.label, float))[chosen]],
            f"{part.mobility}\n{part.share(ACCESSIBLE):.0%} reached",
        )
        for part in reached.parts.values()
    ]
    rows += [
        _Row(
            [shares_picture(level) for level in layout.levels(each.reached)[chosen]],
            f"{each.count} {each.people}\n{each.reached.mean():.0%} reached",
        )
        for each in reached.share_maps
    ]
    return rows


def _draw(
    axis: Axes, layout: Layout, plan: tuple[Outline, ...], chosen: list[int], told: list[_Row]
) -> None:
    """Draw rows of pictures one below the other, with the heights above and words at the left."""
    rows, columns = layout.shape
    wide, high = columns * layout.step, rows * layout.step
    gap = 0.04 * wide
    for number, row in enumerate(told):
        y = -number * (high + gap)
        for count, level in enumerate(chosen):
            x = count * (wide + gap)
            axis.imshow(
                row.pictures[count], extent=(x, x + wide, y, y + high), interpolation="nearest"
            )
            _draw_plan(axis, layout, plan, level, (x, y))
            if number == 0:
                axis.text(
                    x + 0.5 * wide, y + high + gap, f"{layout.heights[level]:.2f} m",
                    ha="center", va="bottom", fontsize=9,
                )  # fmt: skip
        axis.text(-gap, y + 0.5 * high, row.words, rotation=90, ha="right", va="center", fontsize=8)
    axis.set_xlim(0.0, len(chosen) * (wide + gap) - gap)
    axis.set_ylim(-(len(told) - 1) * (high + gap), high)


def _draw_plan(
    axis: Axes,
    layout: Layout,
    plan: tuple[Outline, ...],
    level: int,
    corner: tuple[float, float],
) -> None:
    """Draw what stands in the room over a picture at ``corner``: what its height cuts is darker."""
    from matplotlib.collections import PolyCollection
    from matplotlib.patches import Rectangle

    rows, columns = layout.shape
    frame = Rectangle(corner, columns * layout.step, rows * layout.step, transform=axis.transData)
    height = layout.heights[level]
    for cut in (False, True):
        outlines = [
            each.corners - layout.low + corner
            for each in plan
            if bool(each.low <= height <= each.high) == cut
        ]
        drawn = PolyCollection(
            outlines,
            facecolors="none",
            edgecolors="#2b3440",
            linewidths=1.1 if cut else 0.5,
            alpha=1.0 if cut else 0.35,
        )
        axis.add_collection(drawn, autolim=False)
        drawn.set_clip_path(frame)  # what is clipped before is clipped to the axes instead


def _explain(figure: Figure, reached: ReachMap) -> None:
    """Say below the pictures what their colours mean."""
    from matplotlib.patches import Patch

    marks = [(COLORS[k], SAID[k]) for k in (ACCESSIBLE, NOT_FOUND, PROVED) if reached.parts]
    if reached.share_maps:
        for t in (0.0, 0.5, 1.0):
            r, g, b = share_colors(np.array(t)).tolist()
            marks.append(((r, g, b), f"{t:.0%}"))
    figure.legend(
        handles=[
            Patch(color="#{:02x}{:02x}{:02x}".format(*color), label=words) for color, words in marks
        ],
        loc="lower center",
        ncols=len(marks),
    )
