"""Assembly: every body of a world put where all joins and placements are met at once.

First the mechanism is hung together outwards from what is placed (``propagation``); then all
gaps are closed together by damped Gauss-Newton steps of least size, loops included. Bodies that
are placed or fixed keep their poses; a group without any keeps its first body where it is. Joins
that cannot all be met are named, as few as make the conflict.

World axes, metres, radians. A gap of a direction row counts at an arm of one metre.

The fewest joins that make a conflict, by a deletion filter (Chinneck 2008, section 6.1): each
demand is left out in turn; where the rest still cannot be met it was not needed for the conflict.
What remains is a conflict of which every member is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from articulata.errors import AssemblyError
from articulata.geometry.arrays import Array
from articulata.kinematics.assembly.demands import (
    Demand,
    Problem,
    arrays_of,
    join_of,
    pose_problem,
    solve,
)
from articulata.kinematics.assembly.gap_closing import Solution
from articulata.kinematics.assembly.hinge_rows import evaluate, rows_of
from articulata.world.masses import lacks_dynamics
from articulata.world.model import Body, Placement, World
from articulata.world.unfit_arguments import not_taken
from articulata.world.values import NOWHERE, Pose, Quaternion

MOST_TRIED = 60
"""Demands tried one by one; a larger set is first cut down in halves."""


FILTER_TRIES = 3
"""Starts for each trial of the filter."""

SEEN = 1e-9
"""m. Ends of a hinge that stand farther apart are told."""


def conflict(world: World, problem: Problem, solution: Solution) -> AssemblyError:
    """Return the error that names the demands in conflict and the gap left."""
    chosen = smallest_conflict(problem, solution)
    demands = [problem.demands[n] for n in chosen]
    left = solve(problem, chosen, tries=FILTER_TRIES)
    gap = float(np.max(left.gap, initial=0.0))
    names = tuple(demand.name for demand in demands)
    lines = [f"  {demand.name}{_where(demand.span)}{_wish(demand, left)}" for demand in demands]
    held = sorted(
        {
            name
            for number, name in enumerate(world.bodies)
            if problem.held[number]
            and any(number in (demand.join[1], demand.join[3]) for demand in demands)
        }
    )
    fixed = f" while {', '.join(held)} stay{'s' if len(held) == 1 else ''} in place" if held else ""
    what = "this join cannot be met" if len(names) == 1 else "these joins cannot all be met"
    message = (
        f"world '{world.name}' cannot be assembled: {what}{fixed}; a gap of {gap:.3g} m is left\n"
        + "\n".join(lines)
        + _still(world, held)
        + "\nChange the lengths or the places of the hinge points, or take one of them away."
    )
    return AssemblyError(message, names)


def _still(world: World, held: Iterable[str]) -> str:
    """Return a line about bodies that stay in place for want of a word."""
    names = [each for each in held if lacks_dynamics(world.bodies[each])]
    if not names:
        return ""
    types = ", ".join(f"'{each}'" for each in dict.fromkeys(world.bodies[n].type for n in names))
    return f"\nOf these {', '.join(names)} would move if 'dynamics' stood in {types}."


def _wish(demand: Demand, left: Solution) -> str:
    """Return what a demand asks for, and what at the least gap where all of them pull."""
    _, a, frame_a, b, frame_b = demand.join
    at_a, at_b = _standing(left, a, frame_a), _standing(left, b, frame_b)
    if demand.hinge is not None:
        apart = float(np.linalg.norm(at_a[0] - at_b[0])) > SEEN
        return f": its ends stand at {_point(at_a[0])} and {_point(at_b[0])}" if apart else ""
    if demand.wish is None:
        return f": {_point(at_b[0])} asked, {_point(at_a[0])} at the least gap"
    if demand.name.endswith(".travel"):
        travel = float((at_a[0] - at_b[0]) @ at_b[1][:, 2])
        return f": {demand.wish:.6g} m asked, {travel:.6g} m at the least gap"
    along, across = at_a[1][:, 0] @ at_b[1][:, 0], at_a[1][:, 0] @ at_b[1][:, 1]
    angle = np.degrees(np.arctan2(across, along))
    return f": {np.degrees(demand.wish):.6g} deg asked, {angle:.6g} deg at the least gap"


def _standing(left: Solution, body: int, frame: Pose) -> tuple[Array, Array]:
    """Return position (3,) and axes (3, 3) in W of a frame of a body."""
    X_BF, R = frame.matrix(), left.R[body]
    return left.positions[body] + R @ X_BF[:3, 3], R @ X_BF[:3, :3]


def _point(p: Array) -> str:
    return f"({', '.join(f'{round(x, 9) + 0.0:.6g}' for x in p.tolist())}) m"


def _where(span: object) -> str:
    return "" if span == NOWHERE else f"  ({span})"


def smallest_conflict(problem: Problem, solution: Solution) -> list[int]:
    """Return numbers of demands that cannot be met together, every one of them needed."""
    order = np.argsort(solution.gap)
    # At the best compromise only demands in the conflict keep a gap: try those alone first.
    pulled = [int(n) for n in order if solution.gap[n] > 1e-9 * solution.gap.max()]
    kept = sorted(pulled)
    if solve(problem, kept, tries=FILTER_TRIES).met:
        kept = list(range(len(problem.demands)))
    block = max(1, len(kept) // 8) if len(kept) > MOST_TRIED else 1
    while True:
        position = 0
        while position < len(kept):
            without = kept[:position] + kept[position + block :]
            if without and not solve(problem, without, tries=FILTER_TRIES).met:
                kept = without
            else:
                position += block
        if block == 1:
            return kept
        block = max(1, block // 4)


HALF_TURN = np.pi * (1.0 - 1e-12)
"""Angles (rad) from here on are not told by where bodies stand."""


# Places beyond all numbers leave gaps that are not met, which is told: no warnings besides.
@np.errstate(over="ignore", invalid="ignore")
def assemble(world: World) -> World:
    """Return ``world`` with every body where its joins and placements want it.

    Raises AssemblyError, which names the joins in conflict and the gap that is left.
    """
    if not isinstance(world, World):
        raise not_taken("assemble", "a world", world)
    problem = pose_problem(world)
    if not problem.demands:
        return world
    solution = solve(problem)
    if not solution.met:
        raise conflict(world, problem, solution)
    return with_poses(world, solution.positions, solution.R)


def gaps(world: World) -> Mapping[str, float]:
    """Return the largest gap (m) of every hinge of ``world`` as its bodies stand."""
    index = {name: number for number, name in enumerate(world.bodies)}
    hinges = list(world.hinges.values())
    positions, R = arrays_of(world)
    rows = rows_of([join_of(hinge, index) for hinge in hinges])
    size = np.abs(evaluate(rows, positions, R).gap)
    worst = np.zeros(len(hinges))
    np.maximum.at(worst, rows.owner, size)
    return {hinge.id: float(gap) for hinge, gap in zip(hinges, worst, strict=True)}


def with_poses(world: World, positions: Array, R: Array) -> World:
    """Return ``world`` with its bodies at these poses; bodies that did not move are shared."""
    bodies: dict[str, Body] = {}
    quaternions = quaternions_of(R)
    before, turned = arrays_of(world)
    moved = np.any(np.abs(positions - before) > 0, axis=1)
    moved |= np.max(np.abs(R - turned), axis=(1, 2)) > 4e-16
    for number, (name, body) in enumerate(world.bodies.items()):
        if moved[number]:
            x, y, z = positions[number].tolist()
            orientation: Quaternion = tuple(quaternions[number].tolist())
            body = replace(body, pose=Pose((x, y, z), orientation))
        bodies[name] = body
    return replace(world, bodies=MappingProxyType(bodies), placements=_turns_asked(world))


def _turns_asked(world: World) -> tuple[Placement, ...]:
    """Return what poses do not tell of the placements: angles beyond half a turn, and rates."""
    wanted = [each for placement in world.placements for each in placement.coordinates]
    beyond = tuple(
        (name, value)
        for name, value in wanted
        if abs(value) > HALF_TURN and not name.endswith(".travel") and _turns(world, name)
    )
    rates = tuple(each for placement in world.placements for each in placement.rates)
    return (Placement("", (), (), beyond, rates=rates),) if beyond or rates else ()


def _turns(world: World, name: str) -> bool:
    """Tell whether a coordinate, named alone or after its hinge, is an angle."""
    hinge = world.hinges.get(name)
    return hinge is None or "angle" in hinge.kind.coordinates


def quaternions_of(R: Array) -> Array:
    """Return unit quaternions (n, 4), w first and w >= 0, of rotation matrices (n, 3, 3)."""
    # Shepperd 1978: start from the largest component, which cannot lose digits.
    xx, yy, zz = R[:, 0, 0], R[:, 1, 1], R[:, 2, 2]
    squares = np.stack([1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz], 1)
    largest = np.argmax(squares, axis=1)
    wx, wy, wz = R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]
    xy, xz, yz = R[:, 0, 1] + R[:, 1, 0], R[:, 0, 2] + R[:, 2, 0], R[:, 1, 2] + R[:, 2, 1]
    tables = np.stack(
        [
            np.stack([squares[:, 0], wx, wy, wz], 1),
            np.stack([wx, squares[:, 1], xy, xz], 1),
            np.stack([wy, xy, squares[:, 2], yz], 1),
            np.stack([wz, xz, yz, squares[:, 3]], 1),
        ],
        axis=1,
    )
    q = tables[np.arange(len(R)), largest]
    q = q / np.linalg.norm(q, axis=1, keepdims=True)
    return np.asarray(np.where(q[:, :1] < 0, -q, q))
