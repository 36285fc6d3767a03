"""Cameras: what a lens and a sensor see of the world.

C is the camera's frame: its origin is the nodal point, through which all rays pass, it looks along
-z, x is to the right of the picture and y up, as in VRML97 and glTF. M is the frame of the mount.
Metres, radians.

Which distances a lens shows sharply follows from the thin lens: a point out of focus becomes a disc
on the sensor; it looks sharp while the disc is no greater than the circle of confusion, usually the
sensor's diagonal / 1500. Distances are from the nodal point.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from articulata.errors import GeometryError
from articulata.geometry.arrays import Array, BoolArray, Float64
from articulata.geometry.shapes import Mesh

FULL_FRAME: Final = (0.036, 0.024)
"""Width and height of a sensor of 35 mm film, m (ISO 1007)."""


@dataclass(frozen=True, slots=True)
class Lens:
    """A lens with its sensor: a pinhole at the nodal point.

    ``focal_length`` m (35 mm usual), ``sensor`` its width and height in m. ``nodal`` (m) is how far
    the nodal point lies in front of the mount, along the view.
    """

    focal_length: float = 0.035
    sensor: tuple[float, float] = FULL_FRAME
    nodal: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.focal_length) and self.focal_length > 0.0):
            raise GeometryError(
                f"a lens has a focal length in m, more than 0; not {self.focal_length}"
            )
        if len(self.sensor) != 2 or not all(math.isfinite(a) and a > 0.0 for a in self.sensor):
            raise GeometryError(f"a sensor is a width and a height in m, not {self.sensor}")
        if not math.isfinite(self.nodal):
            raise GeometryError(f"the nodal point is at a finite distance in m, not {self.nodal}")

    @property
    def field_of_view(self) -> tuple[float, float]:
        """The angles of view across and upwards, rad."""
        width, height = self.sensor
        focal = 2.0 * self.focal_length
        return 2.0 * math.atan(width / focal), 2.0 * math.atan(height / focal)


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """A camera: a ``lens`` at ``X_LM`` (4, 4), the pose of its mount on what carries it."""

    lens: Lens = Lens()
    X_LM: Array = field(default_factory=lambda: np.eye(4))

    def __post_init__(self) -> None:
        X = np.array(self.X_LM, float)
        if X.shape != (4, 4) or not np.isfinite(X).all():
            raise GeometryError(f"a mount is a pose (4, 4) of finite numbers, not {X.shape}")
        X.flags.writeable = False
        object.__setattr__(self, "X_LM", X)

    @property
    def X_LC(self) -> Array:
        """The pose (4, 4) of the camera, its nodal point, on what carries it."""
        forward = np.eye(4)
        forward[2, 3] = -self.lens.nodal
        return np.asarray(self.X_LM @ forward)

    def view(self, X_WL: npt.ArrayLike) -> Float64[Array, "*batch 4 4"]:
        """Return ``X_WC`` for poses (*batch, 4, 4) of what carries it."""
        return np.asarray(np.asarray(X_WL, float) @ self.X_LC)

    def carrier(self, X_WC: npt.ArrayLike) -> Float64[Array, "*batch 4 4"]:
        """Return where what carries it must be, (*batch, 4, 4), for views (*batch, 4, 4)."""
        return np.asarray(np.asarray(X_WC, float) @ np.linalg.inv(self.X_LC))

    def project(self, points: npt.ArrayLike, X_WC: npt.ArrayLike) -> Float64[Array, "*batch 2"]:
        """Return where ``points`` (*batch, 3) in W come to lie in the picture.

        -1 to 1 across and upwards are the edges of the sensor; beyond them a point is out of the
        picture. NaN for points beside or behind the nodal point.
        """
        p = _in_camera(points, X_WC)
        ahead = -p[..., 2]
        half = 0.5 * np.array(self.lens.sensor)
        with np.errstate(divide="ignore", invalid="ignore"):
            place = self.lens.focal_length * p[..., :2] / ahead[..., None] / half
        return np.asarray(np.where((ahead > 0.0)[..., None], place, np.nan))

    def sees(self, points: npt.ArrayLike, X_WC: npt.ArrayLike) -> BoolArray:
        """Return which ``points`` (*batch, 3) in W are in the picture, whatever stands between."""
        place = self.project(points, X_WC)
        return np.asarray((np.abs(place) <= 1.0).all(-1))

    def directions(self, places: npt.ArrayLike) -> Float64[Array, "*batch 3"]:
        """Return unit directions in C of ``places`` (*batch, 2) in the picture: -1 to 1."""
        given = np.asarray(places, float)
        half = 0.5 * np.array(self.lens.sensor)
        far = np.full((*given.shape[:-1], 1), -self.lens.focal_length)
        ray = np.concatenate([given * half, far], -1)
        return np.asarray(ray / np.linalg.norm(ray, axis=-1, keepdims=True))

    def frustum(self, near: float, far: float) -> Mesh:
        """Return what it sees between two distances (m) along the view, as a shape in C."""
        if not 0.0 < near < far < math.inf:
            raise GeometryError(
                f"a seen space lies between two distances in m, 0 < near < far; not {near}, {far}"
            )
        corners = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
        half = 0.5 * np.array(self.lens.sensor) / self.lens.focal_length
        ends = [np.column_stack([d * corners * half, np.full(4, -d)]) for d in (near, far)]
        faces = [
            (0, 1, 2), (0, 2, 3), (5, 4, 7), (5, 7, 6),
            (4, 5, 1), (4, 1, 0), (5, 6, 2), (5, 2, 1),
            (6, 7, 3), (6, 3, 2), (7, 4, 0), (7, 0, 3),
        ]  # fmt: skip
        return Mesh(np.concatenate(ends), faces)


def look_at(
    place: npt.ArrayLike, target: npt.ArrayLike, up: npt.ArrayLike = (0.0, 1.0, 0.0)
) -> Float64[Array, "*batch 4 4"]:
    """Return ``X_WC`` (*batch, 4, 4) at ``place`` (*batch, 3) that looks at ``target`` (*batch, 3).

    ``up`` (3,) points upwards in the picture as far as it can. Where the view is along it, the
    picture's top is towards the axis of W that is most across. Raise GeometryError where place and
    target are one point.
    """
    eye, to = np.broadcast_arrays(np.asarray(place, float), np.asarray(target, float))
    back = eye - to
    length = np.linalg.norm(back, axis=-1, keepdims=True)
    if not np.isfinite(back).all() or (length == 0.0).any():
        raise GeometryError("a camera looks at another point than its own, at finite places in m")
    z = back / length
    top = np.asarray(up, float)
    if top.shape[-1:] != (3,) or not (np.isfinite(top).all() and top.any(-1).all()):
        raise GeometryError(f"'up' is a direction (3,) that is not all zero, not {up!r}")
    above = np.broadcast_to(top, z.shape)
    x = np.cross(above, z)
    size = np.linalg.norm(x, axis=-1, keepdims=True)
    spare = np.eye(3)[np.argmin(np.abs(z), axis=-1)]
    other = np.cross(spare, z)
    x = np.where(size > 1e-9 * np.linalg.norm(above, axis=-1, keepdims=True), x, other)
    x = x / np.linalg.norm(x, axis=-1, keepdims=True)
    X = np.zeros((*z.shape[:-1], 4, 4))
    X[..., :3, 0], X[..., :3, 1], X[..., :3, 2], X[..., :3, 3] = x, np.cross(z, x), z, eye
    X[..., 3, 3] = 1.0
    return X


def _in_camera(points: npt.ArrayLike, X_WC: npt.ArrayLike) -> Array:
    p, X = np.asarray(points, float), np.asarray(X_WC, float)
    if p.shape[-1:] != (3,) or X.shape[-2:] != (4, 4):
        raise GeometryError(
            f"a camera sees places (*batch, 3) from poses (*batch, 4, 4), not {p.shape} from "
            f"{X.shape}"
        )
    if not (np.isfinite(p).all() and np.isfinite(X).all()):
        raise GeometryError("a place or a pose of a camera holds NaN or inf; give finite numbers")
    return np.asarray(np.einsum("...ji,...j->...i", X[..., :3, :3], p - X[..., :3, 3]))


CIRCLE: Final = 1.0 / 1500.0
"""The circle of confusion as a share of the sensor's diagonal."""


def sharp_range(
    lens: Lens, focus: float, iris: float, *, circle: float | None = None
) -> tuple[float, float]:
    """Return the nearest and the farthest distance (m) that look sharp; the latter may be inf.

    ``focus`` (m) is the distance that is in focus, farther than the focal length; ``iris`` the
    f-number, ``circle`` (m) the circle of confusion. From the hyperfocal distance
    ``H = f^2 / (N c) + f``.
    """
    f = lens.focal_length
    if not focus > f:
        raise GeometryError(
            f"a lens of {1e3 * f:g} mm focuses farther off than that, not at {1e3 * focus:g} mm"
        )
    if not (math.isfinite(iris) and iris > 0.0):
        raise GeometryError(f"an iris is an f-number above 0, not {iris}")
    c = CIRCLE * math.hypot(*lens.sensor) if circle is None else circle
    hyperfocal = f * f / (iris * c) + f
    if math.isinf(focus):
        return hyperfocal, math.inf
    near = focus * (hyperfocal - f) / (hyperfocal + focus - 2.0 * f)
    far = focus * (hyperfocal - f) / (hyperfocal - focus) if focus < hyperfocal else math.inf
    return near, far
