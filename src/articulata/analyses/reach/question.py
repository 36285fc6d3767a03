"""The question: which points and objects of a room can a person touch, from where, and how?"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from articulata.analyses.reach.body import Body, Capability, body_of
from articulata.analyses.reach.envelope import TOLERANCE, Envelope
from articulata.analyses.reach.mobility import USUAL, Mobility
from articulata.analyses.reach.places import Places, places_of
from articulata.analyses.reach.room import Room, room_of
from articulata.analyses.reach.search import Case, Labels, Progress
from articulata.analyses.reach.verdicts import mended, verdict_of
from articulata.errors import WorldError
from articulata.geometry.arrays import Array
from articulata.kinematics.figure import Figure
from articulata.kinematics.library import figure
from articulata.records.reach import ReachMap, ReachPart, Verdict
from articulata.world.model import World

GRID = 0.05
"""m from one point of the grid to the next."""

TOP = 2.2
"""m above the floor up to which a grid goes."""

PERSON = "human_upper_body"
"""Who reaches where nobody is named."""


class Study:
    """A person in a room, ready to be asked again after something has moved.

    Envelopes of reach are kept: another place of a shelf costs no inverse kinematics.
    """

    def __init__(
        self,
        world: World,
        *,
        person: Figure | str | None = None,
        mobility: Mobility | Sequence[Mobility] = USUAL,
        capability: Capability | None = None,
        floor: str = "",
        door: str = "",
    ) -> None:
        self.world = world
        self.person = person if isinstance(person, Figure) else figure(person or PERSON)
        self.capability = capability or Capability()
        ways = (mobility,) if isinstance(mobility, Mobility) else tuple(mobility)
        if not ways:
            raise WorldError(
                "nobody moves: give mobility=, for instance articulata.OnFoot() or Wheelchair()"
            )
        names = [each.name for each in ways]
        for name in names:
            if names.count(name) > 1:
                raise WorldError(f"two ways to move are called '{name}'; give one a kind of its own")
        self.floor, self.door = floor, door or _door(world)
        self.bodies = {each.name: body_of(self.person, each, self.capability) for each in ways}
        self.envelopes = {name: Envelope(body) for name, body in self.bodies.items()}
        self.room = self._room(world)
        self._cases: dict[str, Case] = {}
        self._places: dict[str, tuple[Hashable, Places]] = {}

    def moved(self, world: World) -> None:
        """Take another state of the world: something has been moved."""
        self.room = self._room(world)
        self.world = world
        self._cases = {}

    def case(self, mobility: str) -> Case:
        """Return the person with one way to move in the room as it is."""
        found = self._cases.get(mobility)
        if found is None:
            found = self._cases[mobility] = self._case(mobility, self.room)
        return found

    def verdicts(self, objects: Sequence[str], *, remedies: bool = True) -> tuple[Verdict, ...]:
        """Return the verdict on each object by each way to move."""
        found = []
        for path in objects:
            for name in self.bodies:
                verdict = verdict_of(self.case(name), path)
                if remedies:
                    verdict = mended(
                        self.case(name), verdict, lambda room, n=name: self._case(n, room), self.door
                    )
                found.append(verdict)
        return tuple(found)

    def part(self, mobility: str, points: Array, progress: Progress | None = None) -> ReachPart:
        """Return the labels of points (n, 3) in W by one way to move."""
        case = self.case(mobility)
        found = case.label(self.room.into(points), progress)
        return _part(case, found)

    def grid(self, step: float) -> Array:
        """Return points (n, 3) in W: those of a grid over the floor."""
        return grid_of(self.room, step)

    # ---- inside

    def _room(self, world: World) -> Room:
        return room_of(world, floor=self.floor, door=self.door)

    def _case(self, mobility: str, room: Room) -> Case:
        body = self.bodies[mobility]
        key = blocking(room, body)
        kept = self._places.get(mobility)
        if kept is None or kept[0] != key:
            kept = key, places_of(room, body.mobility, body.hips)
            if room is self.room:
                self._places[mobility] = kept
        return Case(room, body, self.envelopes[mobility], kept[1])


def reach(
    world: World,
    *,
    person: Figure | str | None = None,
    mobility: Mobility | Sequence[Mobility] = USUAL,
    capability: Capability | None = None,
    objects: Sequence[str] = (),
    grid: float | None = GRID,
    floor: str = "",
    door: str = "",
    remedies: bool = True,
    progress: Progress | None = None,
) -> ReachMap:
    """Return what a person can reach in a room, by each way to move.

    ``person`` is a figure or the name of one in the library; ``objects`` are paths of features
    or bodies; ``grid`` (m) is how far points of the map are apart, None for no map. ``floor`` and
    ``door`` name a body or feature; without them those called ``floor`` and ``door`` are taken.
    ``progress(done, total)`` counts points and objects. Raise WorldError for a room without a floor
    and NameNotFound for objects that are not there.
    """
    if grid is not None and not (np.isfinite(grid) and grid >= 0.01):
        raise WorldError(f"the points of a grid are at least 1 cm apart, not {grid} m")
    study = Study(
        world, person=person, mobility=mobility, capability=capability, floor=floor, door=door
    )
    for path in objects:
        study.room.point(path)
    points = study.grid(grid) if grid is not None else np.empty((0, 3))
    total = len(points) * len(study.bodies)
    parts = {}
    for number, name in enumerate(study.bodies):
        before = number * len(points)

        def heard(done: int, whole: int, before: int = before) -> None:
            if progress is not None:
                progress(before + len(points) - whole + done, total)

        parts[name] = study.part(name, points, heard)
    return made(study, points, grid or 0.0, parts, study.verdicts(objects, remedies=remedies))


def made(
    study: Study,
    points: Array,
    step: float,
    parts: dict[str, ReachPart],
    verdicts: tuple[Verdict, ...],
) -> ReachMap:
    """Return a study's answers as a record."""
    body: Body = next(iter(study.bodies.values()))
    return ReachMap(
        study.world.name,
        study.person.name,
        points,
        step,
        study.room.X_WG,
        body.figure.names,
        study.capability.hands,
        parts,
        verdicts,
        _settings(study),
    )


def grid_of(room: Room, step: float) -> Array:
    """Return points (n, 3) in W, ``step`` m apart: above the floor, up to ``TOP``."""
    x0, y0, x1, y1 = room.floor.bounds
    if (x1 - x0) * (y1 - y0) * TOP / step**3 > 5e7:
        raise WorldError(
            f"a grid of {step:g} m over a floor of {x1 - x0:g} m by {y1 - y0:g} m has more than 50 "
            "million points; take a wider one"
        )
    axes = [
        np.arange(low + 0.5 * step, high, step)
        for low, high in ((x0, x1), (y0, y1))
    ]
    heights = room.level + np.arange(step, TOP + 1e-9, step)
    found = np.stack(np.meshgrid(*axes, heights, indexing="ij"), axis=-1).reshape(-1, 3)
    import shapely

    inside = shapely.contains_xy(room.floor, found[:, 0], found[:, 1])
    return room.out(found[inside])


def blocking(room: Room, body: Body) -> Hashable:
    """Return what decides where a base can stand: the solids that the device could meet."""
    top = room.level + max(part.high for part in body.mobility.parts(body.hips))
    met = [s for s in room.solids if s.outer[:, 2].min() < top]
    door = None if room.door is None else room.door.tobytes()
    return door, room.floor.wkb, tuple(solid.outer.tobytes() for solid in met)


def _door(world: World) -> str:
    for body in world.bodies.values():
        if body.id.rpartition(".")[2] == "door":
            return body.id
    return ""


def _part(case: Case, found: Labels) -> ReachPart:
    used, row = np.unique(found.row[found.row >= 0], return_inverse=True)
    rows = np.full(len(found.row), -1)
    rows[found.row >= 0] = row
    free = case.places.free
    stand = float(np.mean([area.area for area in free])) if free else 0.0
    return ReachPart(
        case.body.mobility.name,
        found.label,
        found.reason,
        found.hand,
        found.base,
        rows,
        found.cost,
        case.envelope.postures[used],
        stand,
    )


def _settings(study: Study) -> dict[str, Any]:
    lean = {n: study.capability.lean_for(b.mobility) for n, b in study.bodies.items()}
    return {
        "tolerance": TOLERANCE,
        "floor": study.room.floor_body,
        "door": study.door,
        "hips": {name: body.hips for name, body in study.bodies.items()},
        "lean": lean,
        "mobility": {n: repr(b.mobility) for n, b in study.bodies.items()},
    }


