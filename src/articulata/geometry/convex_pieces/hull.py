"""One piece of a shape, with the names of its features. Body axes B, metres."""

from __future__ import annotations

from dataclasses import dataclass

from articulata.geometry.arrays import Array, IntArray

HIDDEN = "inside"
"""Name of the faces along which a solid is cut into convex pieces."""


@dataclass(frozen=True, slots=True, eq=False)
class Hull:
    """A convex piece: arrays as in ``kernels.contacts.pieces`` and the names of its features.

    ``edges`` (e, 4); ``normals`` (f, 3) with the corners of each face in ``rings``. Names of
    corners, edges and faces stand in the order of the arrays; round pieces: rims, wall, caps.
    ``deviation`` (m) is how far faces may lie off the exact ones. Of a piece that holds more than
    there is, ``core`` are corners, in the same order, of what is there at least to within that.
    """

    kind: int
    vertices: Array
    corner_names: tuple[str, ...]
    edge_names: tuple[str, ...]
    face_names: tuple[str, ...]
    edges: IntArray
    normals: Array
    rings: tuple[tuple[int, ...], ...]
    radius: float = 0.0
    axis: tuple[float, float, float] = (0.0, 0.0, 0.0)
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)
    deviation: float = 0.0
    core: Array | None = None
