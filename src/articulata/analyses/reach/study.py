"""A study: people in a room, ready to be asked again after something has moved."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from articulata.analyses.reach.body import Body, Capability, body_of
from articulata.analyses.reach.envelope import COARSE, Envelope
from articulata.analyses.reach.footprints import footprint_of
from articulata.analyses.reach.mechanisms import mechanism_of
from articulata.analyses.reach.notes import notes_of, outside
from articulata.analyses.reach.operating import operated
from articulata.analyses.reach.places import Places, places_of
from articulata.analyses.reach.room import Room, room_of
from articulata.analyses.reach.search import Case
from articulata.analyses.reach.sighting import seen
from articulata.analyses.reach.verdicts import mended, verdict_of
from articulata.errors import WorldError
from articulata.kernels.lanes.host import thread_count
from articulata.kinematics.figure import Figure
from articulata.records.reach import Verdict
from articulata.records.uses import Operation, Sighting
from articulata.world.model import World
from articulata.world.requests.reach import POSTURES, Means, Watched

S = TypeVar("S")
T = TypeVar("T")

MOST_POSTURES = 200
"""Of so many postures at most the best is taken."""


@dataclass(frozen=True, slots=True, eq=False)
class Reacher:
    """Who reaches: a figure, the means by which they move, and what they are able to.

    ``said`` is how a text names the figure, with its parameters in SI.
    """

    figure: Figure
    means: Means
    capability: Capability
    said: str = ""


class Study:
    """People in a room. Envelopes are kept: a shelf that moves costs no inverse kinematics.

    ``names`` are what the people are called: by how they move, and by their figures where these
    differ. Of ``postures`` from starts spread by ``seed`` the most comfortable one is taken.
    """

    def __init__(
        self,
        world: World,
        people: Sequence[Reacher],
        *,
        floor: str = "",
        door: str = "",
        postures: int = POSTURES,
        seed: int = 0,
    ) -> None:
        if not people:
            raise WorldError(
                "nobody reaches: name at least one person and one way to move, for instance "
                "mobility=OnFoot()"
            )
        if not 1 <= postures <= MOST_POSTURES:
            raise WorldError(
                f"the best of {postures} postures cannot be taken; take the best of 1 to "
                f"{MOST_POSTURES} ({POSTURES} where nothing is said)"
            )
        self.world = world
        self.people = tuple(people)
        self.postures, self.seed = postures, seed
        self.floor, self.door = floor, door or _door(world)
        self.room = self._room(world)
        made = [body_of(p.figure, footprint_of(p.means), p.capability) for p in people]
        self.names = _names(people, made)
        self.bodies: dict[str, Body] = dict(zip(self.names, made, strict=True))
        self.envelopes = {n: Envelope(body, postures, seed) for n, body in self.bodies.items()}
        self._cases: dict[str, Case] = {}
        self._before: dict[str, Case] = {}
        self._places: dict[str, tuple[Hashable, Places]] = {}

    def moved(self, world: World) -> None:
        """Take another state of the world: something has been moved."""
        self.room = self._room(world)
        self.world = world
        self._before.update(self._cases)
        self._cases = {}

    def case(self, name: str) -> Case:
        """Return one of the people in the room as it is."""
        found = self._cases.get(name)
        if found is None:
            found = self._cases[name] = self._case(name, self.room)
        return found

    def verdicts(
        self, objects: Sequence[str], *, remedies: bool = True, who: Sequence[str] | None = None
    ) -> tuple[Verdict, ...]:
        """Return the verdict on each object for each of the people, or for those of ``who``."""

        def about(name: str) -> list[Verdict]:
            case = self.case(name)
            heights = [float(self.room.point(path)[2]) - self.room.level for path in objects]
            case.envelope.levels(heights, COARSE)
            found = [verdict_of(case, path) for path in objects]
            return [self.mended(each) for each in found] if remedies else found

        by_person = self.abreast(about, who or self.names)
        return tuple(each for of_object in zip(*by_person, strict=True) for each in of_object)

    def operations(self, handles: Sequence[str]) -> tuple[Operation, ...]:
        """Return for each handle and each of the people whether they move what it is on."""
        things = [mechanism_of(self.room, path) for path in handles]
        heights = [float(thing.handle[0, 2]) - self.room.level for thing in things]

        def about(name: str) -> list[Operation]:
            case = self.case(name)
            case.envelope.levels(heights, COARSE)
            return [operated(case, thing) for thing in things]

        by_person = self.abreast(about)
        return tuple(each for of_thing in zip(*by_person, strict=True) for each in of_thing)

    def sightings(self, watched: Sequence[Watched]) -> tuple[Sighting, ...]:
        """Return for each thing and each of the people whether they see it."""
        by_person = self.abreast(
            lambda name: [seen(self.case(name), each.path, each.within) for each in watched]
        )
        return tuple(each for of_thing in zip(*by_person, strict=True) for each in of_thing)

    def abreast(self, work: Callable[[str], T], who: Sequence[str] = ()) -> list[T]:
        """Return what ``work`` makes of each of the people, or of ``who``; several at a time."""
        return abreast(work, tuple(who) or self.names)

    def notes(self, objects: Sequence[str] = ()) -> tuple[str, ...]:
        """Return what else is to be known of the people, the room and the objects."""
        found = [
            each for name, body in self.bodies.items() for each in notes_of(self.room, name, body)
        ]
        return (*found, *outside(self.room, objects))

    def mended(self, verdict: Verdict) -> Verdict:
        """Return a verdict with the smallest change that would mend it."""
        name = verdict.mobility
        return mended(self.case(name), verdict, lambda room: self._case(name, room), self.door)

    # ---- inside

    def _room(self, world: World) -> Room:
        return room_of(world, floor=self.floor, door=self.door)

    def _case(self, name: str, room: Room) -> Case:
        body = self.bodies[name]
        key = blocking(room, body)
        kept = self._places.get(name)
        if kept is None or kept[0] != key:
            kept = key, places_of(room, body.footprint, body.hips)
            if room is self.room:
                self._places[name] = kept
        like = self._cases.get(name) or self._before.get(name)
        return Case(room, body, self.envelopes[name], kept[1], name, like)


def blocking(room: Room, body: Body) -> Hashable:
    """Return what decides where a base can stand: the solids that the device could meet."""
    top = room.level + max(part.high for part in body.footprint.parts(body.hips))
    met = [s for s in room.solids if s.outer[:, 2].min() < top]
    door = None if room.door is None else room.door.tobytes()
    return door, room.floor.wkb, tuple(solid.outer.tobytes() for solid in met)


def _names(people: Sequence[Reacher], bodies: Sequence[Body]) -> tuple[str, ...]:
    several = len({id(p.figure) for p in people}) > 1 and len({p.figure.name for p in people}) > 1
    found: list[str] = []
    for person, body in zip(people, bodies, strict=True):
        name = body.footprint.name
        if several:
            name = f"{person.figure.name} {name}"
        number, first = 1, name
        while name in found:
            number += 1
            name = f"{first} {number}"
        found.append(name)
    return tuple(found)


def _door(world: World) -> str:
    for body in world.bodies.values():
        if body.id.rpartition(".")[2] == "door":
            return body.id
    return ""


def abreast(work: Callable[[S], T], items: Sequence[S]) -> list[T]:
    """Return what ``work`` makes of each item; as many at a time as there are threads."""
    workers = min(thread_count(), len(items))
    if workers <= 1:
        return [work(each) for each in items]
    # threads of their own: those that kernels are spread over wait for nobody
    with ThreadPoolExecutor(workers, thread_name_prefix="people") as pool:
        return list(pool.map(work, items))
