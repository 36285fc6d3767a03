"""What the poses of a world must meet: demands of joins and placements, and a first placement.

World axes, metres, radians. A gap of a direction row counts at an arm of one metre.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from articulata.errors import AssemblyError, NameNotFound
from articulata.geometry.arrays import Array, BoolArray
from articulata.kinematics.assembly.gap_closing import TRIES, Solution, Start, Upright, close
from articulata.kinematics.assembly.hinge_rows import Join, poses_to_arrays, rows_of
from articulata.kinematics.assembly.propagation import freedom, propagate
from articulata.kinematics.assembly.scalar_rows import PLANE, POINT, ScalarRow, scalar_rows
from articulata.world.body_features import feature_of
from articulata.world.hinges import WELD, Z
from articulata.world.model import Body, FeatureRef, Hinge, World
from articulata.world.values import ZERO, Pose, Span, Vector3

_HOLD_POINT = tuple(ScalarRow(POINT, ZERO, ZERO, ZERO, float(k)) for k in range(3))


@dataclass(frozen=True, slots=True)
class Demand:
    """One thing to be met: a join or one entry of a ``place`` statement, and its rows.

    ``wish``: the angle (rad) or travel (m) that is asked for of a hinge.
    """

    name: str
    span: Span
    join: Join
    hinge: Hinge | None = None
    wish: float | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """All demands on the bodies' poses; ``held`` (bodies + 1,) marks what must not move."""

    demands: tuple[Demand, ...]
    held: BoolArray
    positions: Array
    R: Array
    scale: float


def feature_frame(body: Body, name: str) -> Pose:
    """Return ``X_BF`` of a feature; the shape's own places need not be declared."""
    try:
        return feature_of(body, name).pose
    except NameNotFound as error:
        raise AssemblyError(f"{body.span}: {error}") from None


def join_of(hinge: Hinge, index: Mapping[str, int]) -> Join:
    """Return a hinge's rows between two bodies by their numbers."""
    for body in (hinge.body_a, hinge.body_b):
        if body not in index:
            raise AssemblyError(
                f"{hinge.span}: hinge '{hinge.id}' joins '{body}', which is not a body of the "
                "world; join two bodies that exist or remove the hinge",
                (hinge.id,),
            )
    a, b = index[hinge.body_a], index[hinge.body_b]
    return scalar_rows(hinge.kind.rows), a, hinge.frame_a, b, hinge.frame_b


def arrays_of(world: World) -> tuple[Array, Array]:
    """Return positions (n + 1, 3) and axes (n + 1, 3, 3) of all bodies and the world."""
    return poses_to_arrays([*(body.pose for body in world.bodies.values()), Pose()])


def pose_problem(world: World) -> Problem:
    """Return what the poses must meet, from a first placement of all bodies."""
    index = {name: number for number, name in enumerate(world.bodies)}
    bodies = list(world.bodies.values())
    hinges = list(world.hinges.values())
    numbers = {hinge.id: number for number, hinge in enumerate(hinges)}
    positions, R = arrays_of(world)
    held = np.array([b.placed or b.motion == "fixed" for b in bodies] + [True], dtype=bool)
    demands = [Demand(h.id, h.span, join_of(h, index), h) for h in hinges]
    wanted: dict[int, dict[str, float]] = {}
    aimed: dict[int, list[tuple[Vector3, Vector3]]] = {}
    framed: list[int] = []
    for placement in world.placements:
        for ref, pose in placement.frames:
            body, frame = _located(world, ref)
            rows = scalar_rows(WELD.rows)
            demands.append(
                Demand(f"place {ref}", placement.span, (rows, index[body.id], frame, -1, pose))
            )
            _put_frame(index[body.id], frame, pose, positions, R)
            framed.append(index[body.id])
        for ref, point in placement.points:
            body, frame = _located(world, ref)
            at = (_HOLD_POINT, index[body.id], Pose(frame.position), -1, Pose(point))
            demands.append(Demand(f"place {ref}", placement.span, at))
            aimed.setdefault(index[body.id], []).append((frame.position, point))
        for name, value in placement.coordinates:
            number, coordinate = _coordinate(name, hinges, numbers)
            wanted.setdefault(number, {})[coordinate] = value
            demands.append(_coordinate_demand(hinges[number], coordinate, value, index))
    for number, pairs in aimed.items():
        if number not in framed:
            _put_points(pairs, number, positions, R)
    roots = [n for n in range(len(bodies)) if held[n]]
    roots += [n for n in [*framed, *aimed] if n not in roots]
    order = sorted(range(len(bodies)), key=lambda n: bodies[n].motion != "prescribed")
    strays = propagate(hinges, index, [len(bodies), *roots], order, positions, R, wanted)
    held[list(strays)] = True
    scale = max(1.0, float(np.max(np.abs(positions), initial=0.0)))
    return Problem(tuple(demands), held, positions, R, scale)


def _located(world: World, ref: FeatureRef) -> tuple[Body, Pose]:
    body = world.bodies.get(ref.body)
    if body is None:
        raise AssemblyError(f"cannot place '{ref}': there is no body '{ref.body}'")
    return body, feature_frame(body, ref.feature)


def _coordinate(name: str, hinges: Sequence[Hinge], numbers: Mapping[str, int]) -> tuple[int, str]:
    """Return hinge number and coordinate of "<hinge>" or "<hinge>.<coordinate>"."""
    stem, _, last = name.rpartition(".")
    if name in numbers:
        stem, last = name, ""
    if stem in numbers:
        kind = hinges[numbers[stem]].kind
        if not last and kind.coordinates:
            return numbers[stem], kind.coordinates[0]
        if last in kind.coordinates:
            return numbers[stem], last
        free = ", ".join(kind.coordinates) or "none"
        raise AssemblyError(
            f"cannot set '{name}': a {kind.name} hinge's coordinates are: {free}", (stem,)
        )
    raise AssemblyError(f"cannot set '{name}': no hinge has that name")


def _coordinate_demand(
    hinge: Hinge, coordinate: str, value: float, index: Mapping[str, int]
) -> Demand:
    """Return the demand that a hinge's angle (rad) or travel (m) has ``value``."""
    if coordinate == "travel":
        row = ScalarRow(PLANE, ZERO, (0.0, 0.0, value), Z, 0.0)
    else:
        across = (-float(np.sin(value)), float(np.cos(value)), 0.0)
        row = ScalarRow(PLANE, (1.0, 0.0, 0.0), ZERO, across, 0.0)
    a, b = index[hinge.body_a], index[hinge.body_b]
    name = f"place {hinge.id}.{coordinate}"
    return Demand(name, hinge.span, ((row,), a, hinge.frame_a, b, hinge.frame_b), wish=value)


def _put_frame(number: int, frame: Pose, pose: Pose, positions: Array, R: Array) -> None:
    """Move a body so that its feature ``frame`` (X_BF) is at ``pose`` (X_WF)."""
    X = pose.matrix() @ np.linalg.inv(frame.matrix())
    positions[number], R[number] = X[:3, 3], X[:3, :3]


def _put_points(
    pairs: Sequence[tuple[Vector3, Vector3]], number: int, positions: Array, R: Array
) -> None:
    """Move a body so that its points come to places in W, turning it only if it must."""
    own, places = np.array([p for p, _ in pairs]), np.array([p for _, p in pairs])
    if len(pairs) > 1:
        flat, goal = own - own.mean(0), places - places.mean(0)
        apart = float(np.max(np.abs(flat @ R[number].T - goal)))
        if apart > 1e-13 * max(1.0, float(np.max(np.abs(goal)))):
            # Wahba's problem (Markley 1988), with the present axes as a faint preference.
            U, _, Vt = np.linalg.svd(goal.T @ flat + 1e-9 * float(np.sum(flat**2)) * R[number])
            R[number] = U @ np.diag([1.0, 1.0, np.linalg.det(U @ Vt)]) @ Vt
    positions[number] = (places - own @ R[number].T).mean(0)


def axes_to_agree(hinge: Hinge | None) -> Upright:
    """Return which axes of the hinge's frames must point the same way, not opposite ways."""
    if hinge is None:
        return (False, False)
    kind = freedom(hinge.kind.rows, hinge.kind.parameters)
    return (kind.axis, kind.turn)


def solve(problem: Problem, chosen: Sequence[int] | None = None, *, tries: int = TRIES) -> Solution:
    """Close all gaps of the ``chosen`` demands (all when None) together."""
    numbers = range(len(problem.demands)) if chosen is None else chosen
    demands = [problem.demands[n] for n in numbers]
    rows = rows_of([demand.join for demand in demands])
    upright = [axes_to_agree(demand.hinge) for demand in demands]
    start = Start(problem.positions, problem.R, problem.held, problem.scale)
    return close(start, rows, upright, tries=tries)
