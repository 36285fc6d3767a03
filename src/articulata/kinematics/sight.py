"""Lines of sight: what of a room stands between two points."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.convex_pieces.piece_table import piece_table
from articulata.geometry.shapes import Capsule
from articulata.kernels.contacts.pieces import MEETS, Standing, standing
from articulata.kinematics.clash import TOO_MANY, Obstacle, stand_at

_GRAIN = 1024
"""Lines a thread takes at a time."""

_DEPTH = 1e-9
"""m. A line that only touches a thing is not hidden by it."""


class Sight:
    """A room made ready for any number of lines of sight."""

    def __init__(self, room: Iterable[Obstacle]) -> None:
        self.room = tuple(room)
        # a capsule of hardly any radius is two corners: they are put to the ends of each line
        self._table = piece_table(
            [Capsule(1e-12, 1.0), *(each.shape for each in self.room)], surfaces=True
        )
        if self._table.untested:
            name = self.room[self._table.untested[0] - 1].name
            raise KinematicsError(TOO_MANY.format(name))
        arrays = self._table.arrays
        self._now = standing(arrays)
        for i in range(1, len(arrays.kind)):
            stand_at(arrays, i, self.room[int(arrays.body[i]) - 1].X_WS, self._now)
        meets = MEETS[arrays.kind[0], arrays.kind]
        self._others = np.array([i for i in range(1, len(arrays.kind)) if meets[i]], np.int64)

    def hidden_by(self, eye: npt.ArrayLike, points: npt.ArrayLike) -> IntArray:
        """Return which thing first hides ``points`` (*batch, 3) from ``eye`` (*batch, 3), or -1.

        Numbers into ``room``. A thing that the line only touches hides nothing.
        """
        from articulata.kernels.contacts.sight_lines import hidden
        from articulata.kernels.lanes.host import spread

        a, b = np.broadcast_arrays(np.asarray(eye, float), np.asarray(points, float))
        if a.shape[-1:] != (3,) or not (np.isfinite(a).all() and np.isfinite(b).all()):
            raise KinematicsError("eyes and points are places (*batch, 3) of finite numbers in m")
        ends = np.ascontiguousarray(np.stack([a.reshape(-1, 3), b.reshape(-1, 3)], 1))
        found = np.empty(len(ends), np.int64)

        def work(begin: int, end: int) -> None:
            now = Standing(*(part.copy() for part in self._now))
            hidden(self._table.arrays, now, 0, self._others, ends, _DEPTH, found, begin, end)

        spread(work, len(ends), grain=_GRAIN)
        body = np.append(self._table.arrays.body[self._others] - 1, -1)
        return np.asarray(body[found].reshape(a.shape[:-1]), np.int64)

    def sees(self, eye: npt.ArrayLike, points: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return which ``points`` (*batch, 3) nothing hides from ``eye`` (*batch, 3)."""
        return np.asarray(self.hidden_by(eye, points) < 0)


def line_of_sight(eye: npt.ArrayLike, point: npt.ArrayLike, room: Iterable[Obstacle]) -> str | None:
    """Return the name of what first hides one ``point`` (3,) from ``eye`` (3,), None if nothing."""
    sight = Sight(room)
    found: Array = np.asarray(sight.hidden_by(eye, point))
    if found.ndim:
        raise KinematicsError("line_of_sight takes one eye and one point; Sight takes many")
    number = int(found)
    return None if number < 0 else sight.room[number].name
