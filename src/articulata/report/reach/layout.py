"""A map's points as pictures: level by level, rows from far to near, colours by label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from articulata.geometry.arrays import Array, IntArray
from articulata.records.labels import ACCESSIBLE, NOT_FOUND, PROVED
from articulata.records.reach import ReachMap

COLORS = {
    ACCESSIBLE: (64, 160, 92),
    PROVED: (196, 84, 72),
    NOT_FOUND: (226, 178, 74),
}
"""Green is reached, red is proved out of reach, yellow is not found."""

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


NOBODY, EVERYBODY = (250, 246, 236), (22, 110, 84)
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
