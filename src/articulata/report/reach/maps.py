"""The map of a room: slices at some heights, one row of pictures for each way to move."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from articulata.records.labels import ACCESSIBLE, LABELS, NOT_FOUND, PROVED
from articulata.records.reach import ReachMap
from articulata.report.plots import drawing
from articulata.report.reach.layout import COLORS, layout_of, picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HEIGHTS = (0.4, 0.75, 1.1, 1.4, 1.8)
"""m. Heights of the slices: near the floor, a table, a switch, shelves."""


def map_figure(reached: ReachMap) -> Figure:
    """Return the map as a figure: green reached, red proved out of reach, yellow not found."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    layout = layout_of(reached)
    with drawing():
        if layout is None:
            figure = Figure(figsize=(5.0, 1.0))
            figure.text(0.5, 0.5, "no map was asked for", ha="center")
            return figure
        chosen = sorted({layout.nearest(height) for height in HEIGHTS})
        parts = list(reached.parts.values())
        figure = Figure(figsize=(2.3 * len(chosen) + 0.6, 2.0 * len(parts) + 0.8))
        axes = figure.subplots(len(parts), len(chosen), squeeze=False)
        rows, columns = layout.shape
        x0, y0 = layout.low
        extent = (x0, x0 + columns * layout.step, y0, y0 + rows * layout.step)
        for number, (line, part) in enumerate(zip(axes, parts, strict=True)):
            levels = layout.levels(np.asarray(part.label, float))
            for axis, level in zip(line, chosen, strict=True):
                axis.imshow(picture(levels[level]), extent=extent, interpolation="nearest")
                for outline in reached.plan:
                    cut = outline.low <= layout.heights[level] <= outline.high
                    axis.fill(
                        *outline.corners.T,
                        fill=False,
                        edgecolor="#2b3440",
                        linewidth=1.1 if cut else 0.5,
                        alpha=1.0 if cut else 0.35,
                    )
                axis.set_xlim(extent[:2])
                axis.set_ylim(extent[2:])
                axis.set_xticks([])
                axis.set_yticks([])
                if number == 0:
                    axis.set_title(f"{layout.heights[level]:.2f} m", fontsize=9)
            line[0].set_ylabel(f"{part.mobility}\n{part.share(ACCESSIBLE):.0%} reached", fontsize=8)
        figure.legend(
            handles=[
                Patch(color="#{:02x}{:02x}{:02x}".format(*COLORS[k]), label=LABELS[k])
                for k in (ACCESSIBLE, NOT_FOUND, PROVED)
            ],
            loc="lower center", ncols=3,
        )  # fmt: skip
        figure.subplots_adjust(
            left=0.09, right=0.99, top=0.94, bottom=0.08, wspace=0.04, hspace=0.05
        )
    return figure
