"""A figure as triangles that follow its links: a person and the device they move with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.constructed import tessellate
from articulata.kinematics.figure import Figure
from articulata.kinematics.link import MeshFile


@dataclass(frozen=True, slots=True, eq=False)
class Skin:
    """Triangles of links: ``vertices`` (n, 3) in their links, ``link`` (n,) numbers of joints."""

    vertices: Array
    link: IntArray
    triangles: IntArray

    def at(self, poses: Array, X_WG: Array) -> Array:
        """Return the vertices (n, 3) in W for poses (joints, 4, 4) in the ground frame."""
        X = X_WG @ poses[self.link]
        return np.asarray(np.einsum("nij,nj->ni", X[:, :3, :3], self.vertices) + X[:, :3, 3])


def skins_of(figure: Figure) -> tuple[Skin, Skin]:
    """Return the skins of a person and of the device they move with."""
    found: tuple[list[tuple[int, Array, IntArray]], list[tuple[int, Array, IntArray]]] = ([], [])
    for number, joint in enumerate(figure.joints):
        link = figure.links[joint.name]
        for part in link.visuals or link.collisions:
            if isinstance(part.shape, MeshFile):
                continue
            made = tessellate(part.shape, 12)
            p = np.asarray(made.vertices) @ part.X_LS[:3, :3].T + part.X_LS[:3, 3]
            found[link.name == "device"].append((number, p, np.asarray(made.triangles)))
    return _skin(found[0]), _skin(found[1])


def _skin(rows: list[tuple[int, Array, IntArray]]) -> Skin:
    starts = np.cumsum([0, *(len(p) for _, p, _ in rows)])
    return Skin(
        np.concatenate([np.empty((0, 3)), *(p for _, p, _ in rows)]),
        np.concatenate([np.empty(0, np.int64), *(np.full(len(p), n) for n, p, _ in rows)]),
        np.concatenate(
            [
                np.empty((0, 3), np.int64),
                *(t + start for (_, _, t), start in zip(rows, starts, strict=False)),
            ]
        ),
    )
