"""Postures of a figure on a floor, told free or striking from a field of the room's distances.

The answers are those of ``Clash.free``: what the field does not decide is asked of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.kernels.contacts.pieces import HALF_SPACE, POLYTOPE, Pieces
from articulata.kinematics.clash import Clash

CELL = 0.04
"""m. Edge of a field's cells, where they do not become more than ``MOST``."""

MOST = 1_500_000
"""Cells of a field."""

SAMPLE = 0.12
"""m. About how far apart the middles of balls are that hold a piece together."""

_GRAIN = 2048


class RoomField:
    """Distances to what stands still about a figure, for as many figures as move in the room.

    ``low`` and ``high`` (3,) are the corners of where they move, m. Fields are made when first
    asked for, one for each set of things that is tested against.
    """

    def __init__(self, low: Array, high: Array) -> None:
        self.corner = np.asarray(low, float)
        size = np.asarray(high, float) - self.corner
        self.cell = max(CELL, float(np.prod(size) / MOST) ** (1.0 / 3.0))
        self.shape = tuple(np.maximum(np.ceil(size / self.cell), 1).astype(int).tolist())
        self._fields: dict[tuple[bytes, ...], npt.NDArray[np.float32]] = {}

    def of(self, clash: Clash, pieces: IntArray) -> npt.NDArray[np.float32]:
        """Return the field (nx, ny, nz, 2) of some pieces that stand still."""
        from articulata.kernels.chains.clearance.distance_fields import FAR, near_cuboid

        tested = clash.tested
        arrays, still = tested.pieces, tested.still
        # whether a piece is its cuboid counts as well: a ball in a box fills less of it
        solid = [_cuboid(arrays, int(j)) for j in pieces]
        parts = (arrays.box[pieces], still.box[pieces], still.turn[pieces], np.array(solid))
        key = tuple(part.tobytes() for part in parts)
        found = self._fields.get(key)
        if found is None:
            found = np.full((*self.shape, 2), FAR, np.float32)
            for j, whole in zip(pieces, solid, strict=True):
                near_cuboid(
                    still.box[j].copy(), still.turn[j].copy(), arrays.box[j, 3:].copy(),
                    whole, self.corner, self.cell, found,
                )  # fmt: skip
            self._fields[key] = found
        return found


class ClashField:
    """Asks ``clash`` about postures at many places of a floor, by ``field`` where it decides.

    The figure's first three coordinates move it along x and y of the ground and turn it about z.
    """

    def __init__(self, clash: Clash, field: RoomField) -> None:
        self._clash = clash
        from articulata.kernels.chains.clearance.distance_fields import Balls, Fields

        tree, arrays, kept, moving, _, numbers = clash.tested
        matrix = numbers[moving:]
        mine = np.flatnonzero((matrix >= 0).any(axis=0))
        sets = [np.flatnonzero(matrix[:, i] >= 0) + moving for i in mine]
        # a plane has no end, and the figure against itself no field
        self.useful = bool(len(mine)) and not (
            any((arrays.kind[each] == HALF_SPACE).any() for each in sets)
            or (numbers[:moving] >= 0).any()
        )
        if not self.useful:
            return
        self._tree, self._kept = tree, kept
        self._links = np.ascontiguousarray(arrays.body[mine])
        rows = [np.array(list(_samples(arrays, int(i)))).reshape(-1, 5) for i in mine]
        starts = np.cumsum([0, *(len(each) for each in rows)]).astype(np.int64)
        whole = np.ascontiguousarray(arrays.ball[mine])
        self._balls = Balls(whole, starts, np.concatenate(rows))
        known = {each.tobytes(): each for each in sets}
        fields = np.stack([field.of(clash, each) for each in known.values()])
        of = np.array([list(known).index(each.tobytes()) for each in sets], np.int64)
        self._fields = Fields(fields, of, field.corner, field.cell)

    def frames(self, q: Array) -> Array:
        """Return the poses (n, pieces, 12) of the links of postures (n, dof) at place 0."""
        from articulata.kernels.chains.clearance.distance_fields import link_frames
        from articulata.kernels.lanes.host import spread

        values, _ = self._clash.figure.values(q)
        few = np.ascontiguousarray(values[:, self._kept])
        out = np.empty((len(few), len(self._links), 12))
        spread(
            lambda begin, end: link_frames(self._tree, few, self._links, out, begin, end),
            len(few),
            grain=_GRAIN,
        )
        return out

    def free(
        self, frames: Array, row: IntArray, base: Array, whole: Callable[[IntArray], Array]
    ) -> BoolArray:
        """Return which postures strike nothing: those of ``row`` (n,) moved to ``base`` (n, 3).

        ``whole`` makes postures (k, dof), with their bases, of numbers (k,) of them.
        """
        from articulata.kernels.chains.clearance.distance_fields import FREE, OPEN, judge
        from articulata.kernels.lanes.host import spread

        said = np.empty(len(row), np.int8)
        rows, bases = np.ascontiguousarray(row), np.ascontiguousarray(base)
        spread(
            lambda begin, end: judge(
                frames, rows, bases, self._balls, self._fields, said, begin, end
            ),
            len(rows),
            grain=_GRAIN,
        )
        free: BoolArray = said == FREE
        open_ = np.flatnonzero(said == OPEN)
        if len(open_):
            free[open_] = self._clash.free(whole(open_))
        return free


def _cuboid(arrays: Pieces, i: int) -> bool:
    """Return whether piece i is the cuboid that holds it."""
    from articulata.kernels.chains.clearance.nearest_pairs import cuboid

    return bool(cuboid(arrays, i))


def _samples(arrays: Pieces, i: int) -> Iterator[tuple[float, float, float, float, float]]:
    """Yield balls that hold piece i together: middle, radius, and that of a ball within it."""
    first, last = arrays.vertex_start[i : i + 2]
    radius = float(arrays.radius[i])
    if arrays.kind[i] == POLYTOPE and last - first == 2 and radius > 0.0:
        a, b = arrays.vertices[first:last]
        length = float(np.linalg.norm(b - a))
        count = max(1, round(length / (0.5 * SAMPLE)))
        beside = float(np.hypot(radius, 0.5 * length / count))
        for share in np.linspace(0.0, 1.0, count + 1):
            x, y, z = a + share * (b - a)
            yield x, y, z, beside, radius
        return
    middle, half = arrays.box[i, :3], arrays.box[i, 3:]
    counts = np.maximum(np.round(2.0 * half / SAMPLE), 1).astype(int)
    part = half / counts
    solid = _cuboid(arrays, i)
    for cell in np.ndindex(*counts):
        away = (2 * np.array(cell) + 1 - counts) * part
        x, y, z = middle + away
        core = float((half - np.abs(away)).min()) if solid else -1.0
        yield x, y, z, float(np.linalg.norm(part)), core
