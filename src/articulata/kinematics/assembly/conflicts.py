"""Joins that cannot all be met: the fewest that make the conflict, and how to say so.

A deletion filter (Chinneck 2008, section 6.1): each demand is left out in turn; where the rest
still cannot be met it was not needed for the conflict. What remains is a conflict of which every
member is needed.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from articulata.errors import AssemblyError
from articulata.geometry.arrays import Array
from articulata.kinematics.assembly.demands import Demand, Problem, solve
from articulata.kinematics.assembly.gap_closing import Solution
from articulata.world.masses import lacks_dynamics
from articulata.world.model import World
from articulata.world.values import NOWHERE, Pose

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
