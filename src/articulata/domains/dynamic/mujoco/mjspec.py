"""A world as a MuJoCo model, made where its bodies stand: bodies, joints, loops, shapes.

Every joint coordinate is zero at that place. Masses and inertias are ours, not MuJoCo's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from articulata.domains.dynamic.contact.laws import Contact
from articulata.domains.dynamic.contact.pair_laws import Surface, between
from articulata.domains.dynamic.contact.touches import body_pairs
from articulata.domains.dynamic.couplings import frictions, strict
from articulata.domains.dynamic.mechanism import (
    COORDINATE,
    FIXED,
    FREE,
    ORIENTATION,
    PRESCRIBED,
    Mechanism,
)
from articulata.domains.dynamic.mujoco.geoms import IMPACT, add_shape, contact_spring
from articulata.errors import MissingExtra, ModelError
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.quaternion import q_to_matrix
from articulata.kinematics.assembly.assembling import quaternions_of
from articulata.world.model import Coupling, Hinge
from articulata.world.values import Vector3


@dataclass(frozen=True, slots=True)
class Scene:
    """A compiled model (``mujoco.MjModel``) and what its numbers mean.

    ``body`` (n,) is MuJoCo's number of each of our bodies; ``hinge_of`` names, for each of our
    bodies, the hinge on which it hangs in the tree; ``loops`` are closed by equality constraints,
    in order, each with the numbers of its constraints; ``hulls`` are bodies whose shape is
    approximated.
    """

    model: Any
    body: IntArray
    hinge_of: dict[int, Hinge]
    loops: tuple[tuple[Hinge, tuple[int, ...]], ...]
    hulls: tuple[str, ...]


def load() -> Any:
    """Return the module ``mujoco``; MissingExtra where it is not installed."""
    try:
        import mujoco
    except ImportError:
        raise MissingExtra(
            "the method mujoco needs the package mujoco; install it with: "
            "pip install 'articulata[mujoco]'"
        ) from None
    return mujoco


def build_scene(
    parts: Mechanism,
    arrays: dict[str, Array],
    step: float,
    integrator: str,
    contact: Contact | None,
) -> Scene:
    """Return the scene of a mechanism with its bodies where ``arrays`` has them.

    ``contact`` says which bodies may touch and what those do that say nothing; None: none touch.
    ModelError where MuJoCo cannot hold the world: prescribed motion, hinges without a joint.
    """
    bodies = list(parts.world.bodies.values())
    for number, body in enumerate(bodies):
        if parts.kind[number] == PRESCRIBED:
            raise ModelError(
                f"{body.span}: the motion of '{body.id}' is prescribed, which MuJoCo cannot hold; "
                "drive it by a force or torque, or simulate by another method"
            )
    spec = _settings(parts.world.gravity, step, integrator, touching=contact is not None)
    fixed = frozenset(np.flatnonzero(parts.kind == FIXED).tolist())
    mass = dict(enumerate(parts.mass.tolist()))
    branches, left = spanning_tree(parts.joints, parts.index, fixed, mass)
    R = q_to_matrix(arrays[ORIENTATION]).reshape(-1, 3, 3)
    origin = arrays["dynamic.position"] - np.einsum("nij,nj->ni", R, parts.center[:-1])
    holders: dict[int, Any] = {GROUND: spec.worldbody}
    hulls = []
    for branch in branches:
        number, body = branch.body, bodies[branch.body]
        holder = holders[branch.parent].add_body(name=body.id)
        holders[number] = holder
        at, turn = np.zeros(3), np.eye(3)
        if branch.parent != GROUND:
            at, turn = origin[branch.parent], R[branch.parent]
        holder.pos = turn.T @ (origin[number] - at)
        holder.quat = quaternions_of((turn.T @ R[number])[None])[0]
        if parts.kind[number] == FREE:
            _weigh(parts, number, holder)
            _hang(spec, parts, branch, holder, R, arrays[COORDINATE], step)
        surface = between(parts.world, body, body, contact or Contact())
        if add_shape(spec, holder, body, surface, step):
            hulls.append(body.id)
    loops = tuple((hinge, _close(spec, parts, hinge, R, step)) for hinge in left)
    for gear in strict(parts.world):
        _gear(spec, parts, branches, gear, step)
    if contact is not None:
        _ignore(spec, parts, contact, step)
    try:
        model = spec.compile()
    except ValueError as error:
        raise ModelError(f"MuJoCo cannot hold world '{parts.world.name}': {error}") from error
    numbers = np.array([model.body(body.id).id for body in bodies], dtype=np.int64)
    hinge_of = {b.body: b.hinge for b in branches if b.hinge is not None}
    return Scene(model, numbers, hinge_of, loops, tuple(hulls))


def _settings(gravity: Vector3, step: float, integrator: str, *, touching: bool) -> Any:
    """Return a specification without bodies."""
    mujoco = load()
    spec = mujoco.MjSpec()
    spec.option.timestep = step
    spec.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
    spec.option.gravity = list(gravity)
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10.0
    spec.compiler.balanceinertia = False
    spec.compiler.boundmass = 0.0
    spec.compiler.degree = False
    if not touching:
        spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    return spec


def _weigh(parts: Mechanism, number: int, holder: Any) -> None:
    J = parts.inertia[number]
    holder.explicitinertial = True
    holder.mass = float(parts.mass[number])
    holder.ipos = parts.center[number]
    holder.fullinertia = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]


def _hinge_frames(parts: Mechanism, hinge: Hinge, R: Array) -> tuple[Array, Array]:
    """Return the axes in W of the hinge's frames on A and B, (3, 3) each."""
    a, b = parts.index[hinge.body_a], parts.index[hinge.body_b]
    R_a, R_b = (frame.matrix()[:3, :3] for frame in (hinge.frame_a, hinge.frame_b))
    return R[a] @ R_a, R[b] @ R_b


def _hang(
    spec: Any,
    parts: Mechanism,
    branch: Branch,
    holder: Any,
    R: Array,
    coordinate: Array,
    step: float,
) -> None:
    """Add the joints of a body; axes and places in its own frame."""
    if branch.floating:
        holder.add_freejoint()
        return
    hinge = branch.hinge
    if hinge is None:
        return
    import mujoco

    child_is_a = parts.index[hinge.body_a] == branch.body
    H_a, H_b = _hinge_frames(parts, hinge, R)
    place = (hinge.frame_a if child_is_a else hinge.frame_b).position
    kinds = mujoco.mjtJoint
    known = {BALL: kinds.mjJNT_BALL, TURN: kinds.mjJNT_HINGE}
    made: list[Any] = []
    for joint in tree_joints(hinge, child_is_a):
        added = holder.add_joint()
        added.name = f"{hinge.id}/{len(made)}"
        added.type = known.get(joint.kind, kinds.mjJNT_SLIDE)
        added.pos = place
        added.axis = R[branch.body].T @ (H_a if joint.frame == "a" else H_b)[:, joint.axis]
        made.append(added)
    for each in frictions(parts.world):
        if each.friction is None or each.hinges[0] != hinge.id:
            continue
        if each.limit is not None:
            raise _no_speed(each)
        if each.friction.by_load:
            raise ModelError(
                f"{each.span}: MuJoCo does not know what hinge '{hinge.id}' bears; take DOP853 or "
                "RK4, or dry friction without a coefficient"
            )
        made[0].frictionloss = each.friction.dry
    _limit(parts, hinge, made, coordinate, 1.0 if child_is_a else -1.0, step)
    if hinge.kind.name == "screw":
        _couple(spec, hinge, [joint.name for joint in made], child_is_a, step)


def _limit(
    parts: Mechanism, hinge: Hinge, joints: list[Any], coordinate: Array, sign: float, step: float
) -> None:
    """Give joints the limits of their hinge, counted from where the coordinate is now."""
    import mujoco

    now = dict(zip(parts.coordinates.labels, coordinate.tolist(), strict=True))
    for name, pair in zip(hinge.kind.coordinates, hinge.limits, strict=False):
        turning = name == "angle"
        for joint in joints:
            if (joint.type == mujoco.mjtJoint.mjJNT_HINGE) == turning:
                ends = [sign * (end - now[f"{hinge.id}.{name}"]) for end in pair]
                joint.limited = mujoco.mjtLimited.mjLIMITED_TRUE
                joint.range = sorted(ends)
                joint.solref_limit = [2.0 * step, 1.0]
                joint.solimp_limit = [0.9999, 0.99999, 1e-6, 0.5, 2.0]


def _couple(spec: Any, hinge: Hinge, names: list[str], child_is_a: bool, step: float) -> None:
    """Tie a screw's travel to its turn."""
    import mujoco

    slide, turn = names if child_is_a else names[::-1]
    rise = dict(hinge.kind.parameters)["lead"] / (2.0 * np.pi)
    tie = spec.add_equality()
    tie.type = mujoco.mjtEq.mjEQ_JOINT
    tie.name1, tie.name2 = slide, turn
    tie.objtype = mujoco.mjtObj.mjOBJ_JOINT
    _stiffen(tie, step)
    tie.data[:5] = [0.0, rise, 0.0, 0.0, 0.0]


def _no_speed(motor: Coupling) -> ModelError:
    return ModelError(
        f"{motor.span}: MuJoCo cannot hold the speed of '{motor.id}', whatever torque it takes; "
        "give the motor a torque as well, or simulate by another method"
    )


def _gear(
    spec: Any, parts: Mechanism, branches: Sequence[Branch], gear: Coupling, step: float
) -> None:
    """Tie the joints of two hinges; ModelError where MuJoCo has no such joints or ties."""
    import mujoco

    if len(gear.terms) == 1:
        raise _no_speed(gear)
    if gear.law is not None:
        raise ModelError(
            f"{gear.span}: MuJoCo has no cam '{gear.id}'; simulate this world by another method"
        )
    names, factors = [], []
    for (label, factor), id in zip(gear.terms, gear.hinges, strict=True):
        branch = next((b for b in branches if b.hinge is not None and b.hinge.id == id), None)
        if branch is None or branch.hinge is None:
            raise ModelError(
                f"{gear.span}: the hinge '{id}' of gear '{gear.id}' closes a loop, where MuJoCo "
                "has no joint that a gear could tie; simulate this world by another method"
            )
        child_is_a = parts.index[branch.hinge.body_a] == branch.body
        wanted = TURN if label.endswith(".angle") else SLIDE
        kinds = [joint.kind for joint in tree_joints(branch.hinge, child_is_a)]
        names.append(f"{id}/{kinds.index(wanted)}")
        factors.append(factor if child_is_a else -factor)
    tie = spec.add_equality()
    tie.type = mujoco.mjtEq.mjEQ_JOINT
    tie.name1, tie.name2 = names[1], names[0]
    tie.objtype = mujoco.mjtObj.mjOBJ_JOINT
    _stiffen(tie, step)
    tie.data[:5] = [0.0, -factors[0] / factors[1], 0.0, 0.0, 0.0]


def _close(spec: Any, parts: Mechanism, hinge: Hinge, R: Array, step: float) -> tuple[int, ...]:
    """Add the equality constraints of a hinge that closes a loop; return their numbers."""
    import mujoco

    point = np.array(hinge.frame_a.position)
    axis = hinge.frame_a.matrix()[:3, 2]
    name = hinge.kind.name
    places = [point] if name != "revolute" else [point, point + axis * _arm(parts, hinge)]
    rows = []
    for place in places:
        tie = spec.add_equality()
        tie.name1, tie.name2 = hinge.body_a, hinge.body_b
        tie.objtype = mujoco.mjtObj.mjOBJ_BODY
        _stiffen(tie, step)
        if name == "weld":
            tie.type = mujoco.mjtEq.mjEQ_WELD
            tie.data[:] = [*place, *np.zeros(7), 1.0]
        else:
            tie.type = mujoco.mjtEq.mjEQ_CONNECT
            tie.data[:3] = place
        rows.append(len(spec.equalities) - 1)
    return tuple(rows)


def _stiffen(tie: Any, step: float) -> None:
    """Make a constraint as hard as the step bears."""
    tie.solref = [2.0 * step, 1.0]
    tie.solimp = [0.9999, 0.99999, 1e-6, 0.5, 2.0]


def _arm(parts: Mechanism, hinge: Hinge) -> float:
    """Return a length of the order of the body's size (m)."""
    a = parts.index[hinge.body_a]
    mass, J = parts.mass[a], parts.inertia[a]
    return float(np.sqrt(np.trace(J) / mass)) if mass > 0 else 1.0


def _ignore(spec: Any, parts: Mechanism, contact: Contact, step: float) -> None:
    """Leave out what the world leaves out, and pair the others' materials."""
    names = parts.bodies
    meeting = {(names[a], names[b]) for a, b in body_pairs(parts.world, parts, contact.within)}
    solid = [body.id for body in parts.world.bodies.values() if body.shape is not None]
    for pair in combinations(solid, 2):
        if pair not in meeting:
            left_out = spec.add_exclude()
            left_out.bodyname1, left_out.bodyname2 = pair
    add_pairs(spec, parts, meeting, contact, step)


# ---- what two materials do to each other, as MuJoCo's contact pairs
#
# MuJoCo has one coefficient for rest and sliding and none that follows the speed: taken are those
# of a body that just begins to slide, and of an impact at 1 m/s. Of two shapes it takes the greater
# friction, where ours is the mean of both or what the world says of the pair.


def add_pairs(
    spec: Any, parts: Mechanism, meeting: set[tuple[str, str]], contact: Contact, step: float
) -> None:
    """Add a contact pair for every two shapes that do another thing than each with its like."""
    bodies = parts.world.bodies
    own = {name: _felt(between(parts.world, b, b, contact)) for name, b in bodies.items()}
    geoms: dict[str, list[str]] = {}
    for geom in spec.geoms:
        geoms.setdefault(geom.name.rpartition("/")[0], []).append(geom.name)
    for one, other in sorted(meeting):
        felt = _felt(between(parts.world, bodies[one], bodies[other], contact))
        if felt == own[one] == own[other]:
            continue
        friction, restitution = felt
        for first in geoms.get(one, ()):
            for second in geoms.get(other, ()):
                pair = spec.add_pair()
                pair.geomname1, pair.geomname2 = first, second
                pair.friction = [friction, friction, 0.0, 0.0, 0.0]
                pair.solref = contact_spring(restitution, step)
                pair.solimp = [0.95, 0.99, 1e-4, 0.5, 2.0]


def _felt(surface: Surface) -> tuple[float, float]:
    """Return friction and restitution as MuJoCo takes them."""
    return surface.sliding(0.0), surface.bounce(IMPACT)


# ---- which hinges make the tree that MuJoCo's joints need, and which close its loops
#
# MuJoCo moves bodies in joint coordinates along a tree and holds loops by soft constraints. The
# tree takes the hinges that only joints can express; loops are closed by welds, pins or balls.


GROUND = -1
"""Number of the world, on which every fixed body stands."""

SLIDE, TURN, BALL = "slide", "turn", "ball"

JOINTS: dict[str, tuple[tuple[str, int], ...]] = {
    "revolute": ((TURN, 2),),
    "prismatic": ((SLIDE, 2),),
    "cylindrical": ((SLIDE, 2), (TURN, 2)),
    "screw": ((SLIDE, 2), (TURN, 2)),
    "ball.and.socket": ((BALL, 2),),
    "planar": ((SLIDE, 0), (SLIDE, 1), (TURN, 2)),
    "weld": (),
}
"""Joints of a hinge from body B outwards to A: kind and axis (x, y, z) of B's hinge frame.

A universal hinge is two turns, about x of B's frame and z of A's; see ``tree_joints``.
"""

CLOSING = {"ball.and.socket": 3, "revolute": 2, "weld": 1}
"""Hinges that can close a loop, the ones best left for it first."""


@dataclass(frozen=True, slots=True)
class Joint:
    """One joint of a body on its parent: ``frame`` "a" or "b" says on which side ``axis`` lies."""

    kind: str
    frame: str
    axis: int


@dataclass(frozen=True, slots=True)
class Branch:
    """A body and how it hangs: ``hinge`` None where it floats or stands on the ground."""

    body: int
    parent: int
    hinge: Hinge | None
    floating: bool


def tree_joints(hinge: Hinge, child_is_a: bool) -> tuple[Joint, ...]:
    """Return the joints of a hinge from the parent to the child."""
    name = hinge.kind.name
    if name == "universal":
        outward: tuple[Joint, ...] = (Joint(TURN, "b", 0), Joint(TURN, "a", 2))
    else:
        outward = tuple(Joint(kind, "b", axis) for kind, axis in JOINTS[name])
    return outward if child_is_a else outward[::-1]


def spanning_tree(
    hinges: Iterable[Hinge],
    index: Mapping[str, int],
    fixed: frozenset[int],
    mass: Mapping[int, float],
) -> tuple[tuple[Branch, ...], tuple[Hinge, ...]]:
    """Return the branches, parents first, and the hinges left over to close loops.

    Every fixed body stands on the ground; a group without one floats with its heaviest body.
    ModelError where MuJoCo has no joint for a hinge, or none to close a loop with.
    """
    known = list(hinges)
    for hinge in known:
        if hinge.kind.name not in JOINTS and hinge.kind.name != "universal":
            raise ModelError(
                f"{hinge.span}: MuJoCo has no joint for the hinge '{hinge.id}' "
                f"({hinge.kind.name}); simulate this world by another method"
            )
    group = {number: number for number in index.values()}
    group[GROUND] = GROUND

    def root(number: int) -> int:
        while group[number] != number:
            number = group[number]
        return number

    for number in fixed:
        group[root(number)] = root(GROUND)
    chosen: dict[int, list[Hinge]] = {number: [] for number in group}
    left = []
    for hinge in sorted(known, key=lambda h: CLOSING.get(h.kind.name, 0)):
        a, b = root(index[hinge.body_a]), root(index[hinge.body_b])
        if a != b:
            group[a] = b
            chosen[index[hinge.body_a]].append(hinge)
            chosen[index[hinge.body_b]].append(hinge)
        elif hinge.kind.name in CLOSING:
            left.append(hinge)
        elif not {index[hinge.body_a], index[hinge.body_b]} <= fixed:
            raise ModelError(
                f"{hinge.span}: the hinge '{hinge.id}' ({hinge.kind.name}) closes a loop, which "
                "MuJoCo does with balls, pins and welds only; simulate this world by another method"
            )
    return _branches(index, fixed, mass, chosen), tuple(left)


def _branches(
    index: Mapping[str, int],
    fixed: frozenset[int],
    mass: Mapping[int, float],
    chosen: Mapping[int, list[Hinge]],
) -> tuple[Branch, ...]:
    branches: list[Branch] = []
    placed: set[int] = set()
    heaviest = sorted(
        index.values(), key=lambda number: (number not in fixed, -mass.get(number, 0))
    )
    for first in heaviest:
        if first in placed:
            continue
        branches.append(Branch(first, GROUND, None, floating=first not in fixed))
        placed.add(first)
        waiting = [first]
        while waiting:
            parent = waiting.pop(0)
            for hinge in chosen[parent]:
                a, b = index[hinge.body_a], index[hinge.body_b]
                child = b if a == parent else a
                if child not in placed and child not in fixed:
                    placed.add(child)
                    branches.append(Branch(child, parent, hinge, floating=False))
                    waiting.append(child)
    return tuple(branches)
