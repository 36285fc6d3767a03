"""The leaves of a building's doors, which are left out so that people can pass.

A leaf is a surface that fills most of its outline, with the rails and stiles around it: a glass
door is a pane within a ring. Frame, threshold and lining stay. All is in the door's own axes: x
over its width, y through the wall, z up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from articulata.geometry.arrays import Array, IntArray

FILLS: Final = 0.5
"""Share of a door's width and height that its leaves fill at least."""
SOLID: Final = 0.4
"""Share of its outline that a leaf or its pane covers at least; frames cover up to 0.3."""
NARROW: Final = 0.2
"""Share of a door's width that a leaf or its pane has at least; less is a post or a handle."""
RAIL: Final = 0.05
"""m that the lower rail of a leaf is high at least; a frame has a threshold, or nothing."""
MEETS: Final = 1e-3
"""m to which outlines agree."""
PLANE: Final = 0.02
"""m to which two leaves that swing lie in one plane; panels that slide lie behind each other."""
DRAWN: Final = "leaf of a door (it stands open as it is drawn)"
CLOSED: Final = "way through a door (no leaf that swings was found: it stays closed)"


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A connected surface of a door: its triangles, its corners (3,) m, what share it covers."""

    mine: IntArray
    low: Array
    high: Array
    filled: float

    def holds(self, other: _Part) -> bool:
        """Return whether the outline of another lies within, and both share a depth."""
        inside = np.all(self.low[::2] <= other.low[::2] + MEETS) and np.all(
            self.high[::2] >= other.high[::2] - MEETS
        )
        return bool(inside and self.low[1] <= other.high[1] and other.low[1] <= self.high[1])


def open_door(
    local: Array, faces: IntArray, sizes: Sequence[float], operation: str
) -> tuple[IntArray, str]:
    """Return the triangles of a door without its leaves, and what is told of that.

    ``local`` (n, 3) m are its vertices along its own axes. ``sizes`` (m, 0: not told) are its
    width and height, ``operation`` is IFC's word for how it opens.
    """
    if not len(faces):
        return faces, CLOSED
    span = np.ptp(local[np.unique(faces)], axis=0)
    across = span[0] < FILLS * span[1]
    if across:  # drawn along the other axis
        local, span = local[:, [1, 0, 2]], span[[1, 0, 2]]
    width, height = (
        told if FILLS * own <= told <= 2.0 * own else own
        for told, own in zip(sizes, span[::2], strict=True)
    )
    parts = _parts(local, faces)
    leaves = _leaves(parts, float(width), float(height), "" if across else operation)
    if not leaves:
        turned = span[1] > FILLS * span[0] and operation != "REVOLVING"
        return faces, DRAWN if turned else CLOSED
    low = np.min([each.low for each in leaves], axis=0)
    high = np.max([each.high for each in leaves], axis=0)
    # panes, handles and hinges lie within the outline
    gone = np.zeros(len(faces), bool)
    for each in parts:
        inside = (each.low >= low - MEETS) & (each.high <= high + MEETS)
        gone[each.mine] = inside[0] and inside[2]
    clear = sum(float(each.high[0] - each.low[0]) for each in leaves)
    if len(leaves) > 1:
        return faces[~gone], f"leaves of a double door (they stand open, {clear:.2f} m clear)"
    side = {"SINGLE_SWING_LEFT": ", hinged left", "SINGLE_SWING_RIGHT": ", hinged right"}
    return (
        faces[~gone],
        f"leaf of a door (it stands open, {clear:.2f} m clear{side.get(operation, '')})",
    )


def _parts(local: Array, faces: IntArray) -> list[_Part]:
    group = _connected(faces, len(local))[faces[:, 0]]
    a, b, c = (local[faces[:, k]] for k in range(3))
    facing = 0.25 * np.abs(np.cross(b - a, c - a)[:, 1])  # a leaf has two faces
    found = []
    for number in np.unique(group):
        mine = np.flatnonzero(group == number)
        corners = local[np.unique(faces[mine])]
        low, high = corners.min(axis=0), corners.max(axis=0)
        outline = max(float(np.prod((high - low)[::2])), 1e-9)
        found.append(_Part(mine, low, high, float(facing[mine].sum()) / outline))
    return found


def _leaves(parts: list[_Part], width: float, height: float, operation: str) -> list[_Part]:
    """Return the leaf of a door, or both; none of what slides, folds or revolves."""
    found: list[_Part] = []
    for pane in parts:
        size = pane.high - pane.low
        if pane.filled < SOLID or size[2] < FILLS * height or size[0] < NARROW * width:
            continue
        rings = [
            each
            for each in parts
            if each.holds(pane)
            and pane.low[2] - each.low[2] > RAIL
            and each.high[0] - each.low[0] <= width + MEETS
        ]
        found.append(
            min(rings, key=lambda each: float(np.prod((each.high - each.low)[::2])), default=pane)
        )
    found = [
        each
        for k, each in enumerate(found)
        if not any(
            other.holds(each) and (n < k or not each.holds(other))
            for n, other in enumerate(found)
            if n != k
        )
    ]
    found.sort(key=lambda each: float(each.low[0]))
    filled = sum(float(each.high[0] - each.low[0]) for each in found)
    if operation == "REVOLVING" or len(found) not in (1, 2) or filled < FILLS * width:
        return []
    if len(found) == 2:
        left, right = found
        apart = abs(left.low[1] + left.high[1] - right.low[1] - right.high[1]) / 2.0
        if apart > PLANE or left.high[0] > right.low[0] + PLANE:
            return []
        if operation.startswith("SINGLE_SWING"):  # the other one is fixed
            return [left if operation.endswith("LEFT") else right]
    return found


def _connected(faces: IntArray, count: int) -> IntArray:
    """Return for each of ``count`` vertices the number of the surface it belongs to."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ends = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]]])
    graph = coo_array((np.ones(len(ends), bool), ends.T), shape=(count, count))
    return np.asarray(connected_components(graph, directed=False)[1], np.int64)
