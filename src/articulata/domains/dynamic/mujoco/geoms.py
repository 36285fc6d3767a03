"""Shapes as MuJoCo's geoms: primitives as they are, everything else as its convex hull.

What MuJoCo's contacts tell of each body: when it first lay in another, and how deep.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from articulata.domains.dynamic.contact.pair_laws import Surface
from articulata.domains.dynamic.mechanism import FREE, Mechanism
from articulata.errors import ModelError
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.parts import parts_of
from articulata.geometry.shapes import (
    CONSTRUCTED,
    Capsule,
    Cuboid,
    Cylinder,
    HalfSpace,
    Mesh,
    Primitive,
    Sphere,
    Union,
)
from articulata.geometry.solids import kernel_for
from articulata.geometry.tessellation import primitive_triangles
from articulata.kinematics.assembly.assembling import quaternions_of
from articulata.records.events import Event
from articulata.world.model import Body

SEGMENTS = 48
"""Sides of a circle in a hull."""

IMPACT = 1.0
"""Speed of approach (m/s) at which a restitution that follows the speed is taken."""


def add_shape(spec: Any, holder: Any, body: Body, surface: Surface, step: float) -> bool:
    """Add the geoms of ``body`` to MuJoCo's body ``holder``; return whether a hull stands in.

    ``surface`` is that of two such bodies in touch.
    """
    import mujoco

    if body.shape is None:
        return False
    kinds = mujoco.mjtGeom
    hull = False
    whole = _only_joined(body.shape)
    parts = [(p.shape, p.X_BS) for p in parts_of(body.shape)] if whole else []
    for shape, X_BS in parts:
        geom = _add_geom(holder, body, X_BS, surface, step)
        match shape:
            case Cuboid(x, y, z):
                geom.type, geom.size = kinds.mjGEOM_BOX, [x / 2, y / 2, z / 2]
            case Sphere(radius):
                geom.type, geom.size = kinds.mjGEOM_SPHERE, [radius, 0, 0]
            case Cylinder(radius, length):
                geom.type, geom.size = kinds.mjGEOM_CYLINDER, [radius, length / 2, 0]
            case Capsule(radius, length):
                geom.type, geom.size = kinds.mjGEOM_CAPSULE, [radius, length / 2, 0]
            case HalfSpace():
                _add_plane(geom, body, X_BS)
            case _:
                hull = True
                _add_hull(spec, geom, f"{body.id}/{len(spec.meshes)}", _corners(shape))
    if not whole:
        hull = True
        geom = _add_geom(holder, body, np.eye(4), surface, step)
        corners = kernel_for(body.shape).tessellate(body.shape, SEGMENTS).vertices
        _add_hull(spec, geom, f"{body.id}/{len(spec.meshes)}", corners)
    return hull


def _only_joined(shape: Any) -> bool:
    """Return whether a shape is made of its parts by union alone."""
    if isinstance(shape, CONSTRUCTED):
        return isinstance(shape, Union) and all(_only_joined(part) for part in shape.parts)
    inner = getattr(shape, "shape", None)
    return inner is None or _only_joined(inner)


def _corners(shape: Primitive | Mesh) -> Array:
    if isinstance(shape, Mesh):
        return shape.vertices
    return primitive_triangles(shape, SEGMENTS)[0]


def _add_geom(holder: Any, body: Body, X_BS: Array, surface: Surface, step: float) -> Any:
    geom = holder.add_geom()
    geom.name = f"{body.id}/{len(holder.geoms)}"
    geom.pos = X_BS[:3, 3]
    geom.quat = quaternions_of(X_BS[None, :3, :3])[0]
    geom.friction = [surface.sliding(0.0), 0.0, 0.0]
    geom.solref = contact_spring(surface.bounce(IMPACT), step)
    geom.solimp = [0.95, 0.99, 1e-4, 0.5, 2.0]
    return geom


def contact_spring(restitution: float, step: float) -> list[float]:
    """Return MuJoCo's ``solref``: a spring as stiff as ``step`` bears, damped for ``restitution``.

    A mass on a spring with damping ratio z comes back with ``exp(-pi z / sqrt(1 - z^2))`` of its
    speed; MuJoCo takes stiffness and damping as negative numbers.
    """
    frequency = 2.0 * math.pi / (20.0 * step)
    if restitution <= 0.0:
        ratio = 1.0
    else:
        decay = math.log(min(restitution, 1.0))
        ratio = -decay / math.hypot(math.pi, decay)
    return [-(frequency**2), -2.0 * ratio * frequency]


def _add_plane(geom: Any, body: Body, X_BS: Array) -> None:
    import mujoco

    if body.motion != "fixed":
        raise ModelError(
            f"{body.span}: body '{body.id}' is endless and moves; MuJoCo's planes stand still: "
            "fix the body or give it another shape"
        )
    # MuJoCo's plane has its normal along z, ours along y
    turn = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
    geom.quat = quaternions_of((X_BS[:3, :3] @ turn)[None])[0]
    geom.type, geom.size = mujoco.mjtGeom.mjGEOM_PLANE, [0, 0, 1]


def _add_hull(spec: Any, geom: Any, name: str, corners: Array) -> None:
    import mujoco

    mesh = spec.add_mesh(name=name)
    mesh.uservert = np.asarray(corners, np.float64).ravel()
    mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
    geom.type, geom.meshname = mujoco.mjtGeom.mjGEOM_MESH, name


Pair: TypeAlias = tuple[int, int]
"""Two of our bodies by number, the smaller first."""

TOUCHED = "mujoco.touched"
"""When each body first lay in another (n,), in s; NaN before."""

DEPTH = "mujoco.depth"
"""How deep each body lay in others at most since the frame before (n,), in m."""


@dataclass(frozen=True)
class Touching:
    """Reads MuJoCo's contacts for our bodies: ``body`` (n,) are MuJoCo's numbers of them."""

    model: Any
    body: IntArray
    contacts: bool

    @cached_property
    def possible(self) -> bool:
        """Whether anything can touch."""
        return self.contacts and int(self.model.ngeom) > 1

    @cached_property
    def _of_geom(self) -> IntArray:
        """Our body's number of each of MuJoCo's geoms."""
        ours = np.full(int(self.model.nbody), -1, dtype=np.int64)
        ours[self.body] = np.arange(len(self.body))
        return np.asarray(ours[self.model.geom_bodyid])

    def begin(self) -> dict[str, Array]:
        """Return the arrays before anything touched."""
        n = len(self.body)
        return {TOUCHED: np.full(n, np.nan), DEPTH: np.zeros(n)}

    def look(self, data: Any, time: float, touched: Array, depth: Array) -> None:
        """Note the contacts that MuJoCo found at ``time`` (s) in ``touched`` and ``depth``."""
        if not data.ncon:
            return
        contact = data.contact
        within = np.flatnonzero(contact.dist < 0.0)
        for side in range(2):
            numbers = self._of_geom[contact.geom[within, side]]
            known = numbers >= 0
            np.maximum.at(depth, numbers[known], -contact.dist[within][known])
            fresh = numbers[known]
            touched[fresh[np.isnan(touched[fresh])]] = time

    def pairs(self, data: Any) -> frozenset[Pair]:
        """Return the pairs of our bodies of which one lies in the other."""
        if not data.ncon:
            return frozenset()
        contact = data.contact
        within = contact.geom[contact.dist < 0.0]
        sides = np.sort(self._of_geom[within], axis=1)
        return frozenset((a, b) for a, b in sides.tolist() if a >= 0)


def told(
    parts: Mechanism, known: frozenset[Pair], met: frozenset[Pair], time: float
) -> tuple[Event, ...]:
    """Return the events of pairs that have met or left each other by ``time`` (s)."""
    found = []
    for pair in sorted(known ^ met):
        # a body that rests comes second
        one, other = pair if parts.kind[pair[0]] == FREE else pair[::-1]
        who = parts.bodies[one], parts.bodies[other]
        kind, does = ("contact", "touches") if pair in met else ("separation", "leaves")
        story = f"{who[0]} {does} {who[1]}, in the step of MuJoCo that ends here."
        span = parts.world.bodies[who[0]].span
        found.append(Event(time, kind, who, who, {}, story, span))
    return tuple(found)
