"""What the dynamic domain knows of a world: masses, rows, coordinates, forces as arrays.

A body's reference point is its mass centre C; that of a body whose motion is prescribed is the
origin of its own frame, where controls give the acceleration. World axes W, SI units, radians.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from articulata.domains.dynamic.couplings import GEAR, MOTOR, owners, rows_with_couplings
from articulata.domains.dynamic.guided import (
    guided_bodies,
    guiding_drives,
    loosened,
)
from articulata.domains.protocols import GeometricModel
from articulata.errors import ModelError
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.quaternion import q_to_matrix
from articulata.kinematics.assembly.hinge_rows import Rows
from articulata.kinematics.coordinates import Coordinates, coordinates_of
from articulata.world.model import Body, Drive, Force, Hinge, World
from articulata.world.values import ZERO

FREE, FIXED, PRESCRIBED = 0, 1, 2

POSITION = "dynamic.position"
ORIENTATION = "dynamic.orientation"
VELOCITY = "dynamic.velocity"
RATE = "dynamic.rate"
COORDINATE = "dynamic.coordinate"
BEYOND = 1e60
"""Places and velocities (m, m/s, rad/s) whose products leave the range of numbers."""


@dataclass(frozen=True, slots=True)
class Mechanism:
    """The bodies and hinges of a world as arrays.

    ``kind`` (n,) is FREE, FIXED or PRESCRIBED; ``mass`` (n,), ``inertia`` (n, 3, 3) about C in
    body axes, ``center`` (n + 1, 3) the reference point in the body's frame (the world last),
    ``gravity`` (n, 3). ``hinge_a`` (hinges,) is each hinge's body A and ``hinge_point``
    (hinges, 3) its hinge point there, from the reference point in A's axes. After the bodies come
    rows of what forces integrate, as the velocity of a body that is FIXED. The owners of rows of
    couplings (``couplings``) are the last of the hinges. ``drives`` lists the world's controls.
    """

    world: World
    index: Mapping[str, int]
    kind: IntArray
    mass: Array
    inertia: Array
    center: Array
    gravity: Array
    hinges: tuple[Hinge, ...]
    hinge_a: IntArray
    hinge_point: Array
    rows: Rows
    coordinates: Coordinates
    drives: tuple[Drive, ...]

    @property
    def bodies(self) -> tuple[str, ...]:
        """Ids of the bodies in order, then names of what forces integrate."""
        return tuple(self.index)

    @property
    def joints(self) -> tuple[Hinge, ...]:
        """The hinges without the owners of rows of couplings."""
        return self.hinges[: len(self.world.hinges)]

    def hinge_arms(self, motion: Motion) -> Array:
        """Return the vectors (hinges, 3) in W from A's reference points to the hinge points."""
        return np.asarray(np.einsum("nij,nj->ni", motion.R[self.hinge_a], self.hinge_point))

    def row_hinge(self, row: int) -> Hinge:
        """Return the hinge that a row belongs to."""
        return self.hinges[int(self.rows.owner[row])]


def motion_kind(body: Body, prescribed: bool) -> int:
    """Return how a body moves; one that has no dynamics and no control stays where it is."""
    if prescribed or body.motion == "prescribed":
        return PRESCRIBED
    if body.motion == "fixed" or not body.dynamic:
        return FIXED
    return FREE


def mechanism(world: World, geometry: GeometricModel, before: Mechanism | None = None) -> Mechanism:
    """Return the arrays of ``world``; ModelError names the body or hinge that cannot be used.

    ``before`` is the mechanism that an edit has changed: what is as it was is taken from there.
    """
    memories = _memories(world)
    if memories or (before is not None and len(before.index) > len(before.world.bodies)):
        before = None
    index = {name: number for number, name in enumerate((*world.bodies, *memories))}
    drives = (*world.drives.values(), *guiding_drives(world))
    same = before is not None and before.world.bodies is world.bodies and before.drives == drives
    if same and before is not None:
        kind, mass, inertia, center = before.kind, before.mass, before.inertia, before.center
    else:
        kind, mass, inertia, center = _bodies(world, geometry, before)
        if memories:
            k = len(memories)
            kind, mass = np.append(kind, np.full(k, FIXED)), np.append(mass, np.zeros(k))
            inertia = np.concatenate([inertia, np.tile(np.eye(3), (k, 1, 1))])
            center = np.concatenate([center, np.zeros((k, 3))])
    hinges = (*loosened(world), *owners(world))
    known = _kept(before, index, hinges, center)
    if known is None:
        for hinge in hinges:
            _check_hinge(hinge, index)
        known = _hinges(world, hinges, index, center)
    pulled = same and before is not None and before.world.gravity == world.gravity
    gravity = before.gravity if pulled and before is not None else _gravity(world)
    return Mechanism(world, index, kind, mass, inertia, center, gravity, hinges, *known, drives)


def _bodies(
    world: World, geometry: GeometricModel, before: Mechanism | None
) -> tuple[IntArray, Array, Array, Array]:
    """Return kind, mass, inertia and mass centre of every body, the world's last.

    Those of bodies that an edit has left as they were are taken from ``before``.
    """
    _check_links(world)
    driven, bodies = _driven(world) | guided_bodies(world), list(world.bodies.values())
    n = len(bodies)
    drives = (*world.drives.values(), *guiding_drives(world))
    kept_drives = before is not None and before.drives == drives
    if before is not None and kept_drives and tuple(before.index) == tuple(world.bodies):
        then = before.world.bodies
        fresh = [
            k for k, (a, b) in enumerate(zip(then.values(), bodies, strict=True)) if a is not b
        ]
        kind, mass = before.kind.copy(), before.mass.copy()
        inertia, center = before.inertia.copy(), before.center.copy()
        kind[fresh], mass[fresh], inertia[fresh], center[fresh] = 0, 0.0, np.eye(3), 0.0
    else:
        kind, mass, inertia = np.zeros(n, np.int64), np.zeros(n), np.tile(np.eye(3), (n, 1, 1))
        center, fresh = np.zeros((n + 1, 3)), list(range(n))
    if before is not None and kept_drives and len(fresh) == n:
        then, place = before.world.bodies, before.index
        old = [place[b.id] if then.get(b.id) is b else -1 for b in bodies]
        now = np.array([k for k, number in enumerate(old) if number >= 0], np.int64)
        kept = np.array([number for number in old if number >= 0], np.int64)
        kind[now], mass[now], inertia[now] = (
            before.kind[kept],
            before.mass[kept],
            before.inertia[kept],
        )
        center[now] = before.center[kept]
        fresh = [k for k, number in enumerate(old) if number < 0]
    _check_starts([bodies[k] for k in fresh])
    for number in fresh:
        body = bodies[number]
        kind[number] = motion_kind(body, body.id in driven)
        if kind[number] == FREE:
            known = geometry.mass_properties(body.id)
            mass[number], inertia[number] = known.mass, known.inertia
            center[number] = known.center
        elif kind[number] == FIXED:
            center[number] = geometry.center(body.id)
    return kind, mass, inertia, center


def _check_links(world: World) -> None:
    """Raise ModelError for a figure of which a moving link has no mass."""
    for node in world.figures.values():
        for id, joint in node.carriers.items() if not node.guided else ():
            body = world.bodies.get(id)
            if joint and body is not None and not body.dynamic:
                raise ModelError(
                    f"{node.span}: figure '{node.id}' cannot move by forces: its link '{id}' is "
                    f"moved by joint '{joint}' and has no mass; give it one (in its table, or as "
                    "<inertial> of its URDF), or let the figure follow its motions alone: "
                    "domains: (geometric, interference, kinematic)"
                )


def _gravity(world: World) -> Array:
    """Return what pulls each body (n, 3)."""
    own = [world.gravity if b.gravity is None else b.gravity for b in world.bodies.values()]
    own += [ZERO] * len(_memories(world))
    return np.array(own, dtype=float).reshape(-1, 3)


def memory_name(force: Force) -> str:
    """Return the name of the row in which a force's integral stands."""
    return f"{force.id}.integral"


def _memories(world: World) -> tuple[str, ...]:
    return tuple(memory_name(each) for each in world.forces.values() if each.integral)


def _hinges(
    world: World, hinges: Sequence[Hinge], index: Mapping[str, int], center: Array
) -> tuple[IntArray, Array, Rows, Coordinates]:
    """Return bodies A and points of hinges there, their rows and their coordinates."""
    hinge_a = np.array([index[hinge.body_a] for hinge in hinges], dtype=np.int64)
    points = np.array([h.frame_a.position for h in hinges], dtype=float).reshape(-1, 3)
    return (
        hinge_a,
        points - center[hinge_a],
        rows_with_couplings(world, hinges, index, center),
        coordinates_of(hinges, index, center),
    )


def _kept(
    before: Mechanism | None,
    index: Mapping[str, int],
    hinges: tuple[Hinge, ...],
    center: Array,
) -> tuple[IntArray, Array, Rows, Coordinates] | None:
    """Return the same of hinges most of which were there; None where hardly one was.

    What was there keeps its numbers bit for bit, under the new numbers of bodies and hinges.
    """
    if before is None or not before.hinges:
        return None
    body = np.array([index.get(name, -1) for name in before.world.bodies], np.int64)
    there = np.flatnonzero(body >= 0)
    moved = np.ones(len(body), bool)
    moved[there] = np.any(before.center[there] != center[body[there]], axis=1)
    stays = ~moved
    if stays.all() and np.array_equal(body, np.arange(len(index))) and hinges == before.hinges:
        return before.hinge_a, before.hinge_point, before.rows, before.coordinates
    if before.world.couplings or any(hinge.kind.name in (MOTOR, GEAR) for hinge in hinges):
        return None
    place = {id(hinge): number for number, hinge in enumerate(before.hinges)}
    gone = {
        name for name, still in zip(before.world.bodies, stays.tolist(), strict=True) if not still
    }
    numbers = np.full(len(before.hinges), -1, np.int64)
    fresh = []
    for new, hinge in enumerate(hinges):
        old = place.get(id(hinge), -1)
        if old < 0 or (gone and (hinge.body_a in gone or hinge.body_b in gone)):
            fresh.append(new)
        else:
            numbers[old] = new
    if len(fresh) > len(hinges) // 2:
        return None
    for new in fresh:
        _check_hinge(hinges[new], index)
    kept = numbers >= 0
    rows, coordinates = before.rows.among(numbers), before.coordinates.among(numbers)
    if not np.array_equal(body, np.arange(len(index))):
        rows = replace(rows, body_a=body[rows.body_a], body_b=body[rows.body_b])
        turned = coordinates
        coordinates = replace(turned, body_a=body[turned.body_a], body_b=body[turned.body_b])
    hinge_a, points = np.zeros(len(hinges), np.int64), np.zeros((len(hinges), 3))
    hinge_a[numbers[kept]] = body[before.hinge_a[kept]]
    points[numbers[kept]] = before.hinge_point[kept]
    if fresh:
        number = np.array(fresh, np.int64)
        more = _hinges(before.world, [hinges[k] for k in fresh], index, center)
        hinge_a[number], points[number] = more[0], more[1]
        rows = rows.joined(replace(more[2], owner=number[more[2].owner]))
        coordinates = coordinates.joined(replace(more[3], hinge=number[more[3].hinge]))
    return hinge_a, points, rows, coordinates


def _driven(world: World) -> frozenset[str]:
    """Return the bodies whose acceleration a control gives."""
    driven: dict[str, Drive] = {}
    for drive in world.drives.values():
        if drive.kind != "acceleration":
            continue
        if drive.target not in world.bodies:
            raise ModelError(
                f"{drive.span}: control '{drive.id}' moves '{drive.target}', which is not a body"
            )
        other = driven.setdefault(drive.target, drive)
        if other is not drive:
            raise ModelError(
                f"{drive.span}: controls '{other.id}' and '{drive.id}' both prescribe the motion "
                f"of '{drive.target}'; keep one of them"
            )
    return frozenset(driven)


def _check_hinge(hinge: Hinge, index: Mapping[str, int]) -> None:
    for body in (hinge.body_a, hinge.body_b):
        if body not in index:
            raise ModelError(
                f"{hinge.span}: hinge '{hinge.id}' joins '{body}', which is not a body of the "
                "world; join two bodies that exist or remove the hinge"
            )
    if hinge.body_a == hinge.body_b:
        raise ModelError(
            f"{hinge.span}: hinge '{hinge.id}' joins '{hinge.body_a}' to itself; "
            "join two different bodies"
        )


def _check_starts(bodies: list[Body]) -> None:
    for body in bodies:
        told = (*body.pose.position, *body.pose.orientation, *body.velocity, *body.rate)
        if not all(abs(number) < BEYOND for number in told):
            raise ModelError(
                f"{body.span}: body '{body.id}' starts at a place or velocity that cannot be "
                f"computed with; give numbers below {BEYOND:g} "
                f"(pose {body.pose.position}, velocity {body.velocity}, rate {body.rate})"
            )


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """Reference points, axes and velocities in W: (n + 1, ...), the world last.

    ``turned`` (coordinates,) are hinge angles to continue from, None to begin with. With ``rates``
    (coordinates,) both are those of this motion.
    """

    positions: Array
    R: Array
    v: Array
    w: Array
    turned: Array | None = None
    rates: Array | None = None


def motion_of(arrays: Mapping[str, Array]) -> Motion:
    """Return the motion that the arrays of a state hold."""
    zero = np.zeros((1, 3))
    orientation = arrays[ORIENTATION]
    R = np.concatenate([q_to_matrix(orientation).reshape(-1, 3, 3), np.eye(3)[None]])
    return Motion(
        np.concatenate([arrays[POSITION], zero]),
        R,
        np.concatenate([arrays[VELOCITY], zero]),
        np.concatenate([arrays[RATE], zero]),
        arrays.get(COORDINATE),
    )


_NO_BODY = Body("", "", None, {}, {}, motion="fixed")
"""What stands for the memory of a force."""


def start_arrays(parts: Mechanism, chosen: IntArray | None = None) -> dict[str, Array]:
    """Return position, orientation, velocity and rate of all bodies as the world has them.

    Or of those numbered in ``chosen``.
    """
    bodies, center, kind = list(parts.world.bodies.values()), parts.center[:-1], parts.kind
    bodies += [_NO_BODY] * (len(kind) - len(bodies))
    if chosen is not None:
        bodies, center, kind = [bodies[k] for k in chosen.tolist()], center[chosen], kind[chosen]
    q = np.array([b.pose.orientation for b in bodies], dtype=float).reshape(-1, 4)
    q = q / np.linalg.norm(q, axis=1, keepdims=True)
    arm = np.einsum("nij,nj->ni", q_to_matrix(q), center)
    origin = np.array([b.pose.position for b in bodies], dtype=float).reshape(-1, 3)
    v = np.array([b.velocity for b in bodies], dtype=float).reshape(-1, 3)
    w = np.array([b.rate for b in bodies], dtype=float).reshape(-1, 3)
    still = kind == FIXED
    v, w = np.where(still[:, None], 0.0, v), np.where(still[:, None], 0.0, w)
    if np.any(w):
        v = v + np.cross(w, arm)
    return {POSITION: origin + arm, ORIENTATION: q, VELOCITY: v, RATE: w}


def poses_of(parts: Mechanism, arrays: Mapping[str, Array]) -> Array:
    """Return ``geometric.pose`` (n, 7) of the bodies' own frames."""
    q = arrays[ORIENTATION]
    arm = np.einsum("nij,nj->ni", q_to_matrix(q).reshape(-1, 3, 3), parts.center[:-1])
    return np.concatenate([arrays[POSITION] - arm, q], axis=1)
