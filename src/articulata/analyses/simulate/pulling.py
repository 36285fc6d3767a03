"""Can a part be pulled out, and what stands in its way: a question to the interference domain.

The part is moved along a straight way, nothing else moves, no forces act; the first contact on the
way is found by conservative advancement, and told by the features that meet. World axes, metres.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from articulata.domains.assemble import build
from articulata.domains.protocols import POSE, InterferenceModel
from articulata.errors import NameNotFound, SimulationError
from articulata.geometry.arrays import Array
from articulata.kinematics.assembly.assembling import assemble
from articulata.world.model import World
from articulata.world.paths import resolve

NEAR = 1e-5
"""Distance (m) within which features count as the ones that meet first."""

BACK = 1e-7
"""How far (m) a part is taken back from a first contact to name what meets there."""


@dataclass(frozen=True, slots=True)
class Removal:
    """How far a part can be pulled along ``way`` (m, 3 numbers).

    ``free`` (m) is how far it comes, all the way when ``out``. ``by`` is the body that stops it,
    ``where`` the features that meet, the part's own first, ``point`` (m) the place.
    """

    part: str
    way: tuple[float, float, float]
    free: float
    by: str | None = None
    where: tuple[str, str] | None = None
    point: tuple[float, float, float] | None = None

    @property
    def out(self) -> bool:
        """Whether nothing is in the way."""
        return self.by is None

    def __str__(self) -> str:
        """Return the answer as a sentence."""
        if self.where is None:
            return f"{self.part} comes out"
        return f"{self.part} stops after {self.free:.4g} m: {' meets '.join(self.where)}"


def pull(world: World, part: str, way: npt.ArrayLike, *, without: Iterable[str] = ()) -> Removal:
    """Return how far ``part``, a body or a component, can be pulled along ``way`` (m).

    ``without`` names parts that are not there any more. Parts that touch from the start stop at
    once; leave some clearance in guides. NameNotFound for an unknown part.
    """
    return _Rack(world).pull(part, _vector(way), list(without))


def removals(world: World, parts: Sequence[str], way: npt.ArrayLike) -> tuple[Removal, ...]:
    """Return the pulls of ``parts`` in an order in which they come out one by one.

    What comes out is gone when the next is tried; those that stay in to the end come last, with
    what stops them then.
    """
    rack, direction = _Rack(world), _vector(way)
    left = list(parts)
    order: list[Removal] = []
    while left:
        tried = {part: rack.pull(part, direction, [p.part for p in order]) for part in left}
        free = next((part for part in left if tried[part].out), None)
        if free is None:
            return (*order, *tried.values())
        order.append(tried[free])
        left.remove(free)
    return tuple(order)


def _vector(way: npt.ArrayLike) -> Array:
    found = np.asarray(way, dtype=np.float64)
    if found.shape != (3,) or not np.all(np.isfinite(found)) or not np.any(found):
        raise SimulationError(
            f"the way is three finite numbers in m, as in (0, 0, 0.3), not {way!r}"
        )
    return found


class _Rack:
    """A world's bodies where they stand, and who may touch whom."""

    def __init__(self, world: World) -> None:
        models = build(assemble(world), ("geometric", "interference"))
        self.model = cast("InterferenceModel", models["interference"])
        self.world = models.world
        self.poses = np.asarray(models.start()[POSE], np.float64)
        self.names = tuple(self.world.bodies)

    def bodies(self, part: str) -> set[str]:
        """Return the bodies of a part."""
        it = resolve(self.world, part)
        if it.quantity is not None or it.kind not in ("body", "component", "figure"):
            raise NameNotFound(f"'{part}' names a {it.kind}, not a body or a component")
        if it.kind == "body":
            return {it.id}
        return {name for name in self.names if name.startswith(f"{it.id}.")}

    def pull(self, part: str, way: Array, without: Sequence[str]) -> Removal:
        """Return how far ``part`` comes."""
        mine = self.bodies(part)
        gone = set().union(*(self.bodies(each) for each in without)) - mine
        moving = np.array([name in mine for name in self.names])
        pairs = [(a, b) for a, b in self._tested(mine) if a not in gone and b not in gone]
        length = float(np.linalg.norm(way))
        given = (float(way[0]), float(way[1]), float(way[2]))

        def motion(share: float) -> Array:
            poses = self.poses.copy()
            poses[moving, :3] += share * way
            return poses

        bounds = np.zeros((len(self.names), 2))
        bounds[moving, 0] = length
        first = self.model.first_contact(motion, (0.0, 1.0), bounds, pairs)
        if first is None:
            return Removal(part, given, length)
        pair = (first.body_A, first.body_B)
        met = self.model.contacts(motion(first.time - BACK / length), NEAR, pair)
        swapped = first.body_A not in mine
        by = first.body_A if swapped else first.body_B
        if not met:
            own = first.body_B if swapped else first.body_A
            return Removal(part, given, first.time * length, by, (own, by))
        # Of several places the one whose normal lies along the way is what stops the part.
        best = max(met, key=lambda each: abs(float(each.normal @ way)))
        a, b = f"{best.body_A}.{best.feature_A}", f"{best.body_B}.{best.feature_B}"
        x, y, z = best.points.mean(axis=0).tolist()
        own_first = (a, b) if best.body_A in mine else (b, a)
        return Removal(part, given, first.time * length, by, own_first, (x, y, z))

    def _tested(self, mine: set[str]) -> list[tuple[str, str]]:
        """Return the pairs of a part's bodies with others that are tested, ignored ones left out.

        Bodies joined by hinges are tested too: a hinge does not keep a part from being blocked.
        """
        ignored = self.world.ignored
        untested = set(self.model.untested)
        solid = [
            name
            for name, body in self.world.bodies.items()
            if body.shape is not None and name not in untested
        ]
        return [
            (a, b)
            for a in solid
            if a in mine
            for b in solid
            if b not in mine and frozenset((a, b)) not in ignored
        ]
