"""Rooms that tests scan: exact boxes, and what a scanner would make of them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import trimesh

from articulata.geometry.arrays import Array, IntArray

Box = tuple[tuple[float, float, float], tuple[float, float, float]]


@dataclass
class KnownRoom:
    """A room from (0, 0, 0) to ``size`` m; furniture as boxes from corner to corner.

    ``door`` is (from, to, height) m along x in the wall at y = 0.
    """

    size: tuple[float, float, float]
    boxes: list[Box]
    door: tuple[float, float, float] | None = None
    ceiling: bool = True
    extra: list[Box] = field(default_factory=list)

    def surface(self, edge: float) -> tuple[Array, IntArray]:
        """Return the triangles that are seen from within, none longer than ``edge`` m."""
        x, y, z = self.size
        sheets = [_sheet((0, 0, 0), (x, 0, 0), (0, y, 0))]
        if self.door is None:
            sheets.append(_sheet((0, 0, 0), (x, 0, 0), (0, 0, z)))
        else:
            a, b, head = self.door
            sheets += [
                _sheet((0, 0, 0), (a, 0, 0), (0, 0, z)),
                _sheet((b, 0, 0), (x - b, 0, 0), (0, 0, z)),
                _sheet((a, 0, head), (b - a, 0, 0), (0, 0, z - head)),
                _sheet((a, -0.8, 0), (b - a, 0, 0), (0, 0.8, 0)),
            ]
        sheets += [
            _sheet((0, y, 0), (x, 0, 0), (0, 0, z)),
            _sheet((0, 0, 0), (0, y, 0), (0, 0, z)),
            _sheet((x, 0, 0), (0, y, 0), (0, 0, z)),
        ]
        if self.ceiling:
            sheets.append(_sheet((0, 0, z), (x, 0, 0), (0, y, 0)))
        for low, high in [*self.boxes, *self.extra]:
            mesh = trimesh.creation.box(bounds=[low, high])
            sheets.append((np.array(mesh.vertices), np.array(mesh.faces)))
        made = [trimesh.remesh.subdivide_to_size(V, F, edge, max_iter=20) for V, F in sheets]
        starts = np.cumsum([0, *(len(V) for V, _ in made)])
        V = np.vstack([V for V, _ in made])
        F = np.vstack([F + start for (_, F), start in zip(made, starts[:-1], strict=True)])
        middle = V[F].mean(axis=1)
        hidden = np.zeros(len(F), bool)
        for low, high in [*self.boxes, *self.extra]:  # floor and walls that furniture covers
            a, b = np.array(low) - 1e-6, np.array(high) + 1e-6
            flat = np.ptp(V[F], axis=1)
            for k in range(3):
                for side in (0.0, self.size[k]):
                    on = (flat[:, k] < 1e-9) & (np.abs(middle[:, k] - side) < 1e-9)
                    hidden |= on & ((middle > a) & (middle < b)).all(axis=1)
        return V, F[~hidden]


def _sheet(
    at: tuple[float, ...], a: tuple[float, ...], b: tuple[float, ...]
) -> tuple[Array, IntArray]:
    p, u, v = (np.array(each, float) for each in (at, a, b))
    return np.array([p, p + u, p + u + v, p + v]), np.array([[0, 1, 2], [0, 2, 3]])


def scanned(
    room: KnownRoom,
    rng: np.random.Generator,
    *,
    up: str = "z",
    unit: float = 1.0,
    tilt: float = 0.0,
    noise: float = 0.0,
    holes: int = 0,
    edge: float = 0.06,
) -> tuple[Array, IntArray]:
    """Return a scan: noisy, with round holes of 10 to 30 cm, each triangle by itself, turned."""
    V, F = room.surface(edge)
    V = V + rng.normal(0.0, noise, V.shape) if noise else V
    middle = V[F].mean(axis=1)
    for _ in range(holes):
        at = middle[rng.integers(len(middle))]
        far = np.linalg.norm(middle - at, axis=1) > rng.uniform(0.05, 0.15)
        F, middle = F[far], middle[far]
    V = V[F].reshape(-1, 3)
    F = np.arange(len(V)).reshape(-1, 3)
    turn = trimesh.transformations.rotation_matrix(np.radians(tilt), [*rng.normal(size=2), 0.0])[
        :3, :3
    ]
    V = V @ turn.T + rng.uniform(-3.0, 3.0, 3)
    k = "xyz".index(up[-1])
    sign = -1.0 if up[0] == "-" else 1.0
    z = sign * np.eye(3)[k]
    x = np.eye(3)[(k + 1) % 3]
    R = np.column_stack([x, np.cross(z, x), z])
    return V @ R.T / unit, F
