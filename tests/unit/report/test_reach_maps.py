"""The map of a room as a picture: what stands in it is drawn over every slice."""

from __future__ import annotations

from matplotlib.collections import PolyCollection

import articulata as art
from articulata.report.reach_maps import HEIGHTS, layout_of, map_figure
from rooms import document


def test_outlines_are_drawn_and_what_a_height_cuts_is_darker() -> None:
    reached = art.reach(
        document().world("room"), person="human_upper_body", mobility=art.OnFoot(), grid=0.3
    )
    layout = layout_of(reached)
    assert layout is not None
    chosen = sorted({layout.nearest(height) for height in HEIGHTS})
    (axis,) = map_figure(reached).axes
    drawn = [each for each in axis.collections if isinstance(each, PolyCollection)]
    counts = [len(each.get_paths()) for each in drawn]
    expected = []
    for level in chosen:
        z = float(layout.heights[level])
        cut = sum(each.low <= z <= each.high for each in reached.plan)
        expected += [len(reached.plan) - cut, cut]
    assert counts == expected
    assert min(counts[1::2]) > 0
    faint, dark = drawn[:2]
    assert faint.get_alpha() < dark.get_alpha()
