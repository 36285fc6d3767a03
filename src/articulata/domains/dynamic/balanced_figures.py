"""Figures that keep their balance: which joints are their ankles and hips, and what they stand on.

What bounds their moments is ``kernels.multibody.balance_moments``; here is the table that it reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from articulata.domains.dynamic.mechanism import FREE, Mechanism, Motion, motion_of, start_arrays
from articulata.errors import ModelError
from articulata.geometry.arrays import Array
from articulata.geometry.convex_pieces.piece_table import piece_table
from articulata.kernels.contacts.pieces import POLYTOPE
from articulata.kernels.multibody import balance_moments as law
from articulata.world.figures.nodes import FigureNode, balancing
from articulata.world.model import BALANCE_HIGH, BALANCE_LOW, Force, Hinge

SOLE = 5e-3
"""What of a foot is higher than this (m) over its lowest point is no part of its sole."""


@dataclass(frozen=True, slots=True, eq=False)
class BalanceTable:
    """The table of a figure's balance, and where the moments of its hinges stand among signals.

    ``pair`` are two of its bodies.
    """

    table: Array
    slots: Mapping[str, int]
    pair: tuple[int, int]

    @property
    def signals(self) -> int:
        """How many signals there are."""
        return law.SIGNALS * int(self.table[law.LEGS])

    def from_signal(self, first: int) -> Array:
        """Return the table with its signals from ``first`` on."""
        return np.concatenate([[float(first)], self.table[1:]])

    def bounded(self, force: Force, motion: Motion) -> Force:
        """Return a force whose program has numbers for its bounds (N m)."""
        slot = self.slots.get(force.hinge or "")
        two = (-np.inf, np.inf) if slot is None else _signals(self, motion)[slot : slot + 2]
        known = dict(zip((BALANCE_LOW, BALANCE_HIGH), map(float, two), strict=True))
        program = (("push", known[op]) if op in known else (op, x) for op, x in force.program)
        return replace(force, program=tuple(program))


@lru_cache(maxsize=2)
def _signals(of: BalanceTable, motion: Motion) -> Array:
    state, signal = np.zeros((len(motion.R), 13)), np.zeros(of.signals)
    state[:, :3], state[:, 7:10] = motion.positions, motion.v
    law.bound_moments(of.table, state, np.ascontiguousarray(motion.R.reshape(-1, 9)), signal)
    return signal


def keeps_balance(force: Force) -> bool:
    """Tell whether a moment reads what keeps its figure's balance."""
    return any(name in (BALANCE_LOW, BALANCE_HIGH) for name, _ in force.program)


def balance_tables(parts: Mechanism) -> dict[str, BalanceTable]:
    """Return what bounds the moments that keep a balance, by the names of the forces."""
    found: dict[str, BalanceTable] = {}
    made: dict[str, BalanceTable] = {}
    for force in filter(keeps_balance, parts.world.forces.values()):
        nodes = parts.world.figures.values()
        node = next((each for each in nodes if force.hinge in each.joined), None)
        if node is None:
            raise ModelError(f"{force.span}: '{force.id}' keeps a balance; '{force.hinge}' is no "
                             "joint of a figure with a table")  # fmt: skip
        if node.id not in made:
            made[node.id] = _Figure(parts, node, force).balance()
        found[force.id] = made[node.id]
    return found


class _Figure:
    """A figure as it stands at the start."""

    def __init__(self, parts: Mechanism, node: FigureNode, force: Force) -> None:
        self.parts = parts
        self.start = motion_of(start_arrays(parts))
        self.told = f"{force.span}: '{node.id}'"
        hinges = [parts.world.hinges[id] for id in node.joined]
        self.ankles = [each for each in hinges if balancing("ankle", each.id)]
        acting = {each.hinge for each in parts.world.forces.values() if keeps_balance(each)}
        self.hips = [each for each in hinges if each.id in acting and balancing("hip", each.id)]
        if not self.ankles:
            raise ModelError(f"{self.told} keeps its balance by ankles and has no joint with "
                             "'ankle' in its name")  # fmt: skip
        pull = parts.gravity[parts.index[self.ankles[0].body_a]]
        self.strength = float(np.linalg.norm(pull))
        if self.strength == 0.0:
            raise ModelError(f"{self.told} keeps its balance where nothing pulls it down; "
                             "write gravity: (0, -9.81, 0)")  # fmt: skip
        self.up = -pull / self.strength

    def balance(self) -> BalanceTable:
        """Return the table and the places of its signals."""
        legs = list(self._legs())
        feet = [foot for foot, _ in legs]
        ends = [end for _, own in legs for each in own for end in (each.body_a, each.body_b)]
        every = self._reached(end for end in ends if end not in feet)
        records: list[list[float]] = []
        slots: dict[str, int] = {}
        thighs: list[Hinge] = []
        for number, (foot, ankles) in enumerate(legs):
            sole = self._sole(foot)
            ankle = max(ankles, key=lambda each: np.ptp(sole @ self._ahead(each)))
            way = sole @ self._ahead(ankle)
            tips = (sole[np.argmin(way)], sole[np.argmax(way)])
            R, p = self.start.R[self.parts.index[foot]], self._place(foot)
            own = [float(self.parts.index[foot]), *(self.up @ R)]
            own += [x for tip in tips for x in ((tip - p) @ R).tolist()]
            hip = self._hip(foot, ankle, every)
            records.append([*own, *self._joint(ankle, foot), *self._joint(hip, foot)])
            slots[ankle.id] = law.SIGNALS * number
            if hip is not None:
                slots[hip.id] = law.SIGNALS * number + 2
                thighs.append(hip)
        below = self._reached(feet, {each.id for each in thighs}) if thighs else every
        above = [body for body in every if body not in below]
        bodies = [*above, *(body for body in every if body in below)]
        numbered = [self.parts.index[body] for body in bodies]
        masses = [(float(k), float(self.parts.mass[k])) for k in numbered]
        head = [0.0, float(len(legs)), float(len(above)), float(len(bodies))]
        numbers = [*head, *self.up, self.strength, *np.ravel(records), *np.ravel(masses)]
        pair = self.parts.index[feet[0]], self.parts.index[next(iter(every))]
        return BalanceTable(np.array(numbers, float), slots, pair)

    def _place(self, body: str) -> Array:
        return np.asarray(self.start.positions[self.parts.index[body]])

    def _legs(self) -> Iterator[tuple[str, list[Hinge]]]:
        """Yield the foot of each leg and the hinges of its ankle."""
        left = list(self.ankles)
        while left:
            joined, ends = [left.pop(0)], dict[str, None]()
            for _ in self.ankles:
                ends = dict.fromkeys(end for each in joined for end in (each.body_a, each.body_b))
                more = [each for each in left if each.body_a in ends or each.body_b in ends]
                joined += more
                left = [each for each in left if each not in more]
            shaped = [end for end in ends if self.parts.world.bodies[end].shape is not None]
            if not shaped:
                raise ModelError(
                    f"{self.told}: no foot at '{joined[0].id}' has a shape to stand on"
                )
            yield min(shaped, key=lambda end: (self._sole(end) @ self.up).min()), joined

    def _sole(self, body: str) -> Array:
        """Return the points (n, 3) of the sole of a foot at the start, world axes (m)."""
        arrays = piece_table([self.parts.world.bodies[body].shape]).arrays
        points, radii = [], []
        for k, kind in enumerate(arrays.kind.tolist()):
            corners = arrays.vertices[arrays.vertex_start[k] : arrays.vertex_start[k + 1]]
            if kind != POLYTOPE:
                signs = np.array(np.meshgrid(*[(-1.0, 1.0)] * 3)).reshape(3, -1).T
                corners = arrays.box[k, :3] + signs * arrays.box[k, 3:]
            points.append(corners)
            radii += [arrays.radius[k] if kind == POLYTOPE else 0.0] * len(corners)
        k = self.parts.index[body]
        R, p = self.start.R[k], self.start.positions[k]
        at = p + (np.concatenate(points) - self.parts.center[k]) @ R.T
        at = at - np.outer(radii, self.up)
        high = at @ self.up
        return np.asarray(at[high < high.min() + SOLE])

    def _axis(self, hinge: Hinge) -> tuple[Array, Array, int]:
        """Return a hinge's axis and point in its body B, and the number of that body."""
        of = self.parts.coordinates
        k = of.labels.index(f"{hinge.id}.angle")
        return of.R_B[k][:, 2], of.p_B[k], int(of.body_b[k])

    def _ahead(self, hinge: Hinge) -> Array:
        axis, _, body = self._axis(hinge)
        return np.cross(self.up, self.start.R[body] @ axis)

    def _joint(self, hinge: Hinge | None, foot: str) -> list[float]:
        if hinge is None:
            return [0.0] * (law.LEG_WIDTH - law.HIP)
        axis, point, body = self._axis(hinge)
        side = 1.0 if foot in self._reached([hinge.body_a], {hinge.id}) else -1.0
        return [float(body), *axis.tolist(), *point.tolist(), side]

    def _hip(self, foot: str, ankle: Hinge, every: Iterable[str]) -> Hinge | None:
        """Return the hinge of a leg's hip that turns as its ankle does, None where it has none."""
        weight = self._mass(every)
        own = [
            each
            for each in self.hips
            if self._mass(self._reached([foot], {each.id})) < 0.5 * weight
        ]
        d = self._ahead(ankle)
        return max(own, key=lambda each: abs(float(self._ahead(each) @ d)), default=None)

    def _mass(self, bodies: Iterable[str]) -> float:
        index, mass = self.parts.index, self.parts.mass
        free = [index[body] for body in bodies if self.parts.kind[index[body]] == FREE]
        return float(mass[free].sum())

    def _reached(self, bodies: Iterable[str], without: Iterable[str] = ()) -> dict[str, None]:
        """Return what moves and hangs on ``bodies``, these too, by hinges but some, in order."""
        found = dict.fromkeys(bodies)
        count = 0
        while count < len(found):
            count = len(found)
            for hinge in self.parts.world.hinges.values():
                for one, other in ((hinge.body_a, hinge.body_b), (hinge.body_b, hinge.body_a)):
                    free = self.parts.kind[self.parts.index[other]] == FREE
                    if one in found and free and hinge.id not in without:
                        found[other] = None
        return found
