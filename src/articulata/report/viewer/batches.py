"""Bodies of one shape in one message: batches of meshes on a viser server.

Cuboids share one mesh whatever their sizes, and so do balls and cylinders: each is stretched.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.geometry.shapes import Cuboid, Cylinder, Mesh, Shape, Sphere
from articulata.report.drawn_surfaces import surface_of

Poses: TypeAlias = npt.NDArray[np.float32]
Size: TypeAlias = tuple[float, float, float]
FINE = 500_000
"""Triangles of a mesh beyond which it is drawn with the corners that it has: edges are no broader
than its triangles, and to keep them sharp takes seconds and gigabytes."""
STILL = (1.0, 0.0, 0.0, 0.0)


class Batch:
    """The bodies ``members`` (numbers) of one shape, drawn as one mesh in many places.

    ``sizes`` (members, 3) stretch it along its x, y and z. ``casts``: they throw shadows.
    ``picked`` is told, in another thread, the number of a body that is clicked.
    """

    def __init__(
        self,
        scene: Any,
        name: str,
        members: IntArray,
        shape: Shape,
        sizes: Array,
        colors: IntArray,
        *,
        shaded: bool = True,
        casts: bool = True,
        picked: Callable[[int], None] | None = None,
    ) -> None:
        self.members = members
        count = len(members)
        self.sizes = np.asarray(sizes, np.float32)
        self.vertices, self.triangles = mesh_of(shape)
        self.handle = scene.add_batched_meshes_simple(
            name,
            self.vertices,
            self.triangles,
            batched_wxyzs=np.tile(STILL, (count, 1)).astype(np.float32),
            batched_positions=np.zeros((count, 3), np.float32),
            batched_scales=self.sizes,
            batched_colors=np.asarray(colors, np.uint8),
            # A closed solid seen from outside throws its shadow by its far side, which leaves no
            # stripes on the near one.
            side="double" if isinstance(shape, Mesh) or not shaded else "front",
            lod="off",
            receive_shadow=shaded,
            cast_shadow=casts,
        )
        if picked is not None:
            self.handle.on_click(lambda event: picked(int(members[event.instance_index or 0])))
        self._there = np.ones(count, bool)
        self._here = np.full((count, 7), np.nan, np.float32)

    def draw(self, poses: Poses, present: BoolArray) -> None:
        """Move every body to its row of ``poses`` (bodies, 7), where it is ``present``."""
        here, there = poses[self.members], present[self.members]
        if not np.array_equal(here, self._here):
            self._here = here
            _send(self.handle, here[:, :3].copy(), here[:, 3:].copy())
        if not np.array_equal(there, self._there):
            self.handle.batched_scales = self.sizes * there[:, None].astype(np.float32)
            self._there = there

    @property
    def boxes(self) -> Array:
        """The least and the greatest coordinates of each body in its own frame, (members, 2, 3)."""
        ends = np.stack([np.min(self.vertices, axis=0), np.max(self.vertices, axis=0)])
        return np.asarray(ends * self.sizes[:, None, :], np.float64)

    @property
    def opacity(self) -> float | None:
        """How much of what lies behind is hidden, from 0 to 1; None: all of it."""
        value: float | None = self.handle.opacity
        return value

    @opacity.setter
    def opacity(self, value: float | None) -> None:
        if self.handle.opacity != value:
            self.handle.opacity = value

    def remove(self) -> None:
        """Take the mesh away."""
        self.handle.remove()


def drawable(poses: Array) -> tuple[Poses, BoolArray]:
    """Return poses (bodies, 7) as a browser takes them, and which bodies are there.

    What is not there is NaN among ``poses``, which a browser cannot draw.
    """
    present = ~np.isnan(poses[:, 0])
    return np.where(present[:, None], poses, (0.0, 0.0, 0.0, *STILL)).astype(np.float32), present


def stretched(shape: Shape) -> tuple[Shape, Size]:
    """Return the shape whose mesh is drawn for ``shape``, and how it is stretched along x, y, z."""
    if isinstance(shape, Cuboid):
        return Cuboid(1.0, 1.0, 1.0), (shape.x, shape.y, shape.z)
    if isinstance(shape, Sphere):
        return Sphere(1.0), (shape.radius,) * 3
    if isinstance(shape, Cylinder):
        return Cylinder(1.0, 1.0), (shape.radius, shape.radius, shape.length)
    return shape, (1.0, 1.0, 1.0)


@lru_cache(maxsize=512)
def mesh_of(shape: Shape) -> tuple[Array, IntArray]:
    """Return vertices (n, 3) and triangles (m, 3), corners apart where an edge is to be seen.

    The browser takes the mean of the normals that meet in a vertex: so round is round, and what
    is no edge of the solid is none in the picture.
    """
    if isinstance(shape, Mesh) and len(shape.faces) > FINE:
        return shape.vertices, shape.faces  # the server makes its own copies
    surface = surface_of(shape)
    return surface.vertices.astype(np.float32), surface.triangles.astype(np.uint32)


def _send(handle: Any, positions: Poses, wxyzs: Poses) -> None:
    """Set places and turns of a batch in one message.

    viser sends a message for each property that is set; its own way to queue one is used where it
    is there, which halves what a moving scene costs.
    """
    from viser import _messages

    impl = handle._impl
    impl.props.batched_positions[:] = positions
    impl.props.batched_wxyzs[:] = wxyzs
    impl.api._queue_scene_message(
        _messages.SceneNodeUpdateMessage(
            impl.name, {"batched_positions": positions, "batched_wxyzs": wxyzs}
        )
    )
