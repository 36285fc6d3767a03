"""Assembly: every body of a world put where all joins and placements are met at once.

First the mechanism is hung together outwards from what is placed (``propagation``); then all
gaps are closed together by damped Gauss-Newton steps of least size, loops included. Bodies that
are placed or fixed keep their poses; a group without any keeps its first body where it is. Joins
that cannot all be met are named, as few as make the conflict.

World axes, metres, radians. A gap of a direction row counts at an arm of one metre.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from articulata.geometry.arrays import Array
from articulata.kinematics.assembly.conflicts import conflict
from articulata.kinematics.assembly.demands import arrays_of, join_of, pose_problem, solve
from articulata.kinematics.assembly.hinge_rows import evaluate, rows_of
from articulata.world.model import Body, Placement, World
from articulata.world.unfit_arguments import not_taken
from articulata.world.values import Pose, Quaternion

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
