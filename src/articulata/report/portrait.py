"""A picture of a figure in a posture, drawn without a screen."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array
from articulata.geometry.rotation import Rotation
from articulata.kinematics.figure import Figure
from articulata.kinematics.link import MeshFile
from articulata.kinematics.skeleton import bones
from articulata.report.colors import Color
from articulata.report.drawn_scene import Item, Scene
from articulata.report.drawn_surfaces import Surface, ball, surface_of
from articulata.report.picture import picture, view_of
from articulata.world.unfit_arguments import not_taken

BONE: Color = (214, 200, 178)
SIDES: dict[str, Color] = {"left": (92, 143, 190), "right": (203, 124, 92)}
"""Bones of a left and of a right side are told apart."""


def portrait(
    figure: Figure,
    q: npt.ArrayLike | None = None,
    *,
    up: npt.ArrayLike = (0.0, 1.0, 0.0),
    front: npt.ArrayLike = (0.0, 0.0, 1.0),
    azimuth: float = 0.42,
    elevation: float = 0.2,
    height: int = 360,
) -> npt.NDArray[np.uint8]:
    """Return a picture (height, width, 3) of the figure in posture ``q`` (dof,), sRGB bytes.

    Without ``q`` the posture is neutral. ``up`` points against gravity in W, the eye stands in
    direction ``front``, turned by ``azimuth`` about ``up`` and raised by ``elevation``, rad.
    Links without shapes are drawn as bones. Meshes that lie in files are left out.
    """
    if not isinstance(figure, Figure):
        raise not_taken("portrait", 'a figure, such as art.figure("person")', figure)
    posture = figure.neutral if q is None else np.asarray(q, float)
    if posture.shape != (figure.dof,):
        raise KinematicsError(
            f"a portrait shows one posture of {figure.dof} values, not an array {posture.shape}"
        )
    scene = _scene(figure, posture, _unit(up, "up"), _unit(front, "front"))
    view = view_of(scene, azimuth=azimuth, elevation=elevation)
    return picture(scene, 0, view, height)


def _unit(given: npt.ArrayLike, what: str) -> Array:
    v = np.asarray(given, float)
    size = float(np.linalg.norm(v)) if v.shape == (3,) else 0.0
    if not (np.isfinite(size) and size > 0.0):
        raise KinematicsError(f"'{what}' is a direction, three numbers, not {given!r}")
    return np.asarray(v / size)


def _scene(figure: Figure, q: Array, up: Array, front: Array) -> Scene:
    X = np.concatenate([figure.base[None], figure.poses(q)])
    order = ("", *(joint.name for joint in figure.joints))
    poses = np.empty((1, len(order), 7))
    poses[0, :, :3] = X[:, :3, 3]
    poses[0, :, 3:] = Rotation.from_matrix(X[:, :3, :3]).to_quaternion()
    surfaces: list[Surface] = []
    items: list[Item] = []
    corners: list[Array] = []
    for number, (name, parts) in enumerate(bones(figure, q).items()):
        for part in parts:
            if isinstance(part.shape, MeshFile):
                continue
            surface = _moved(surface_of(part.shape), part.X_LS)
            items.append(Item(name, len(surfaces), _color(name)))
            surfaces.append(surface)
            corners.append(surface.vertices @ X[number, :3, :3].T + X[number, :3, 3])
    if not items:
        raise KinematicsError(f"figure '{figure.name}' has nothing to be seen")
    points = np.concatenate(corners)
    low, high = points.min(axis=0), points.max(axis=0)
    side = np.cross(up, front)
    ahead = np.cross(side, up)
    size = float(np.linalg.norm(ahead))
    if size < 1e-9:
        raise KinematicsError("'front' must not point along 'up'")
    surfaces.append(ball(1e-6))
    return Scene(
        order,
        tuple(items),
        (),
        tuple(surfaces),
        len(surfaces) - 1,
        np.zeros(1),
        poses,
        np.ones((1, len(order)), np.bool_),
        np.ones((1, 0), np.bool_),
        up,
        np.asarray(ahead / size),
        0.5 * (low + high),
        max(0.5 * float(np.linalg.norm(high - low)), 1e-9),
        float((points @ up).min()),
    )


def _moved(surface: Surface, X: Array) -> Surface:
    R = X[:3, :3]
    return Surface(surface.vertices @ R.T + X[:3, 3], surface.normals @ R.T, surface.triangles)


def _color(name: str) -> Color:
    for side, color in SIDES.items():
        if name.startswith((f"{side} ", f"{side}_", f"{side[0]}_")):
            return color
    return BONE
