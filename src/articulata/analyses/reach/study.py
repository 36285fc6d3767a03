"""A study: people in a room, ready to be asked again after something has moved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from numbers import Integral
from typing import Any, Final, TypeVar

from articulata.analyses.reach.building_codes.ramps import sloped
from articulata.analyses.reach.cohorts.parallel_people import Tally, in_turn, may_part
from articulata.analyses.reach.notes import (
    door_within,
    in_other_units,
    joined_triangles,
    notes_of,
    open_surfaces,
    other_floor,
    outside,
    uneven_floor,
    walls_on_the_floor,
    without_room,
)
from articulata.analyses.reach.objects.operating import operated
from articulata.analyses.reach.objects.sighting import seen
from articulata.analyses.reach.objects.verdicts import Heed, mended, verdict_of
from articulata.analyses.reach.one_person.bare_reach import COARSE
from articulata.analyses.reach.one_person.body import Body, Capability, body_of
from articulata.analyses.reach.one_person.conditions import HAND, rows_of
from articulata.analyses.reach.one_person.envelope import Envelope
from articulata.analyses.reach.one_person.posture_costs import joints_at_limits, scores_of
from articulata.analyses.reach.points.arm_paths import with_arm_path
from articulata.analyses.reach.points.search import Case
from articulata.analyses.reach.points.surface_shares import surface_of, surface_reach
from articulata.analyses.reach.surroundings.furniture import in_text
from articulata.analyses.reach.surroundings.mechanisms import mechanism_of
from articulata.analyses.reach.surroundings.room import Room, room_of
from articulata.analyses.reach.ways.footprints import footprint_of
from articulata.analyses.reach.ways.standing_places import Places, places_of
from articulata.errors import AssemblyError, WorldError
from articulata.kernels.lanes.host import thread_count
from articulata.kinematics.assembly.assembling import assemble
from articulata.kinematics.figure import Figure
from articulata.records.reach_shares import SurfaceReach
from articulata.records.reach_verdicts import Verdict
from articulata.records.uses import Operation, Sighting
from articulata.world.model import World
from articulata.world.requests.reach import POSTURES, Thing, Watched, path_of
from articulata.world.requests.ways_to_move import Means

T = TypeVar("T")

UNLOADED: Final = "; its strength counts where something is held; 'hands:' says which hand is used"
"""What is said of a condition that weakens a joint and does not narrow it."""
MOST_POSTURES = 200
"""Of so many postures at most the best is taken."""


@dataclass(frozen=True, slots=True, eq=False)
class Reacher:
    """Who reaches: a figure, the means by which they move, and what they are able to.

    ``said`` is how a text names the figure, with its parameters in SI; the figure may be the
    ``mean`` of a population.
    """

    figure: Figure
    means: Means
    capability: Capability
    said: str = ""
    mean: bool = False


class Study:
    """People in a room. Envelopes are kept: a shelf that moves costs no inverse kinematics.

    ``names`` are what the people are called: by how they move, and by their figures where these
    differ. Bodies stand where their joins want them. Of ``postures`` from starts spread by ``seed``
    the most comfortable one is taken. ``rules`` are the building codes that a ramp keeps.
    """

    rules: tuple[str, ...] = ()

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
        best_of: object = postures
        if not (isinstance(best_of, Integral) and 1 <= postures <= MOST_POSTURES):
            raise WorldError(
                f"the best of {postures!r} postures cannot be taken; take the best of 1 to "
                f"{MOST_POSTURES} ({POSTURES} where nothing is said)"
            )
        begun: object = seed
        if not (isinstance(begun, Integral) and seed >= 0):
            raise WorldError(f"a seed is a whole number, 0 or more, not {seed!r}; give seed=0")
        self._written = world
        with suppress(AssemblyError):  # hinges that cannot close stay as they are placed
            world = assemble(world)
        self.world = world
        self.people = tuple(people)
        self.postures, self.seed = postures, seed
        self.floor, self.door = floor, door or _door(world)
        self.room = self._room(world)
        made = [body_of(p.figure, footprint_of(p.means), p.capability) for p in people]
        self.names = _names(people, made)
        self.bodies: dict[str, Body] = dict(zip(self.names, made, strict=True))
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
        self,
        objects: Sequence[Thing],
        *,
        remedies: bool = True,
        who: Sequence[str] | None = None,
        paths: bool = True,
    ) -> tuple[Verdict, ...]:
        """Return the verdict on each object for each of the people, or for those of ``who``.

        Remedies and the arms' ``paths`` are left out where they are not wanted.
        """
        judging = self.judging(objects, remedies=remedies, paths=paths)
        return by_object(self.abreast(judging, who or self.names))

    def operations(self, handles: Sequence[str]) -> tuple[Operation, ...]:
        """Return for each handle and each of the people whether they move what it is on."""
        return by_object(self.abreast(self.operating(handles)))

    def sightings(self, watched: Sequence[Watched]) -> tuple[Sighting, ...]:
        """Return for each thing and each of the people whether they see it."""
        return by_object(self.abreast(self.watching(watched)))

    def surfaces(self, paths: Sequence[str]) -> tuple[SurfaceReach, ...]:
        """Return how much of each surface each of the people reaches."""
        return by_object(self.abreast(self.surfacing(paths)))

    def judging(
        self, objects: Sequence[Thing], *, remedies: bool = True, paths: bool = True
    ) -> Callable[[str], list[Verdict]]:
        """Return what makes the verdicts on objects for one of the people."""
        heights = [float(self.room.point(path_of(each))[2]) - self.room.level for each in objects]

        def about(name: str) -> list[Verdict]:
            case = self.case(name)
            case.envelope.levels(heights, COARSE)
            found = [verdict_of(case, each) for each in objects]
            found = [_scored(case, with_arm_path(case, each) if paths else each) for each in found]
            return [self.mended(each) for each in found] if remedies else found

        return about

    def operating(self, handles: Sequence[str]) -> Callable[[str], list[Operation]]:
        """Return what tells of one of the people whether they move what handles are on."""
        things = [mechanism_of(self.room, path) for path in handles]
        heights = [float(thing.handle[0, 2]) - self.room.level for thing in things]

        def about(name: str) -> list[Operation]:
            case = self.case(name)
            case.envelope.levels(heights, COARSE)
            return [operated(case, thing) for thing in things]

        return about

    def surfacing(self, surfaces: Sequence[str]) -> Callable[[str], list[SurfaceReach]]:
        """Return what tells how much of the upper surfaces of bodies one of the people reaches."""
        found = [surface_of(self.room, path) for path in surfaces]
        return lambda name: [surface_reach(self.case(name), each) for each in found]

    def watching(self, watched: Sequence[Watched]) -> Callable[[str], list[Sighting]]:
        """Return what tells of one of the people whether they see things."""
        return lambda name: [seen(self.case(name), each.path, each.within) for each in watched]

    def abreast(self, work: Callable[[str], T], who: Sequence[str] = ()) -> list[T]:
        """Return what ``work`` makes of each of the people, or of ``who``; several at a time."""
        found: list[T] = []
        self.in_turn([work], [found.extend], who=who)
        return found

    def in_turn(
        self,
        works: Sequence[Callable[[str], Any]],
        heard: Sequence[Callable[[list[Any]], object]],
        tally: Tally | None = None,
        *,
        who: Sequence[str] = (),
        apart: bool = False,
    ) -> None:
        """Do all ``works`` for each of the people, or of ``who``, as ``in_turn`` does.

        Those who share an envelope come one after the other: what is found for one is there for
        the next. In processes they do where no process has more to do than another by it.
        """
        names = tuple(who) or self.names
        groups: dict[Hashable, list[str]] = {}
        for name in names:
            groups.setdefault(id(self.envelopes[name].bare), []).append(name)
        each = -(-len(names) // thread_count())
        if apart and may_part() and max(map(len, groups.values())) > each:
            groups = {name: [name] for name in names}  # a process each, though none shares

        def of_group(work: Callable[[str], Any]) -> Callable[[list[str]], dict[str, Any]]:
            return lambda group: {name: work(name) for name in group}

        def in_order(hear: Callable[[list[Any]], object]) -> Callable[[list[Any]], object]:
            def told(found: list[dict[str, Any]]) -> None:
                every = {name: each for group in found for name, each in group.items()}
                hear([every[name] for name in names])

            return told

        in_turn(
            [of_group(work) for work in works],
            list(groups.values()),
            [in_order(hear) for hear in heard],
            tally,
            apart=apart,
        )

    def noted(self, name: str) -> tuple[str, ...]:
        """Return what else is to be known of one of the people."""
        notes = notes_of(self.room, name, self.bodies[name])
        person = self.people[self.names.index(name)].capability
        left = (
            f"{name}, {told}: {row}"
            + ("" if person.load or row.strength == 1.0 or row.joint == HAND else UNLOADED)
            for told in person.conditions
            for row in rows_of(told)
        )
        return *notes, *left, *without_room(self.case(name), self.door)

    def notes(
        self, objects: Sequence[str] = (), noted: Iterable[Sequence[str]] = ()
    ) -> tuple[str, ...]:
        """Return what else is to be known: of the people what is ``noted``, room and objects."""
        noted = noted or map(self.noted, self.names)
        return (
            *other_floor(self.room), *uneven_floor(self.room), *door_within(self.room),
            *walls_on_the_floor(self.room), *chain.from_iterable(noted),
            *outside(self.room, objects), *open_surfaces(self.room), *in_other_units(self.room),
            *joined_triangles(self.room),
        )  # fmt: skip

    def mended(self, verdict: Verdict, heed: Heed = lambda: None) -> Verdict:
        """Return a verdict with the smallest change that would mend it; ``heed`` may end that."""
        name, case = verdict.mobility, self.case(verdict.mobility)
        found = mended(case, verdict, lambda room: self._case(name, room), self.door, heed)
        if found.remedy is None:
            return found
        remedy = sloped(self.room, found.remedy, self.rules) if self.rules else found.remedy
        return replace(
            found, remedy=replace(remedy, write=in_text(self.room, remedy, self._written))
        )

    # ---- inside

    @cached_property
    def envelopes(self) -> dict[str, Envelope]:
        """By person; made when first asked for. Those of the same person share what they can."""
        found: dict[str, Envelope] = {}
        for name, person in zip(self.names, self.people, strict=True):
            body = self.bodies[name]
            same = (
                found[other]
                for other, each in zip(found, self.people, strict=False)
                if each.figure is person.figure and each.capability == person.capability
            )
            like = next((each for each in same if each.bare.like(body)), None)
            found[name] = Envelope(body, self.postures, self.seed, like)
        return found

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


def _scored(case: Case, verdict: Verdict) -> Verdict:
    """Return a verdict with what its posture costs in comfort, by several criteria."""
    if verdict.q is None:
        return verdict
    body, hand = case.body, verdict.hand
    arm = body.columns[hand].tolist()
    seated = body.footprint.seat is not None
    scores = scores_of(
        body.figure, body.comfort, arm, hand, verdict.q, seated=seated, load=body.load
    )
    at_limit = joints_at_limits(body.figure, arm, verdict.q)
    return replace(verdict, scores=scores, at_limit=at_limit)


def by_object(by_person: Sequence[Sequence[T]]) -> tuple[T, ...]:
    """Return answers, person by person, in the order of what they are about."""
    return tuple(each for of_one in zip(*by_person, strict=True) for each in of_one)


def blocking(room: Room, body: Body) -> Hashable:
    """Return what decides where a base can stand: the solids that the device could meet."""
    top = room.level + max(part.high for part in body.footprint.parts(body.hips))
    met = [s for s in room.solids if s.outer[:, 2].min() < top]
    door = None if room.door is None else room.door.tobytes()
    return door, room.floor.wkb, tuple(solid.outer.tobytes() for solid in met)


def _names(people: Sequence[Reacher], bodies: Sequence[Body]) -> tuple[str, ...]:
    alike = Counter(name for name, _ in {(p.figure.name, id(p.figure)) for p in people})
    # figures of one name are told apart by their parameters
    called = [
        p.said if p.mean or (p.said and alike[p.figure.name] > 1) else p.figure.name for p in people
    ]
    several = len(set(called)) > 1
    found: list[str] = []
    for figure, body in zip(called, bodies, strict=True):
        name = body.footprint.name
        if several:
            name = f"{figure} {name}"
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
