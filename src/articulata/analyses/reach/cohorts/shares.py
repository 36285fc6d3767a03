"""What share of a population reaches objects, person by person."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from articulata.analyses.reach.cohorts.abreast import Tally, abreast
from articulata.analyses.reach.cohorts.populations import interval, measures_of, names_of
from articulata.analyses.reach.one_person.bare_reach import COARSE
from articulata.analyses.reach.one_person.body import Capability, body_of
from articulata.analyses.reach.one_person.envelope import Envelope
from articulata.analyses.reach.points.aligning import held
from articulata.analyses.reach.points.labelling import labels_alone, labels_of
from articulata.analyses.reach.points.search import Case
from articulata.analyses.reach.surroundings.room import Room
from articulata.analyses.reach.ways.footprints import footprint_of
from articulata.analyses.reach.ways.places import Places, places_of
from articulata.geometry.arrays import Array, IntArray
from articulata.kinematics.library import figure
from articulata.records.labels import ACCESSIBLE, NOT_FOUND, PROVED
from articulata.records.reach_shares import ReachShare
from articulata.world.requests.reach import Aligned, Means, Population, Thing, path_of

PERSON = "person"
"""The figure that is made to measure."""

Counted = Callable[[int, int], None]
"""Who hears how many people of how many are done."""


@dataclass(frozen=True, slots=True, eq=False)
class Crowd:
    """A population with a way to move, and what its people are able to."""

    population: Population
    means: Means
    capability: Capability


class Maker:
    """Makes the people of a population to measure, in a room."""

    def __init__(self, room: Room, crowd: Crowd, postures: int, seed: int) -> None:
        self._room, self._crowd = room, crowd
        self._postures, self._seed = postures, seed
        self._places: dict[Any, Places] = {}

    def case(self, measures: Mapping[str, float]) -> Case:
        """Return who has these measures, ready to be asked about."""
        crowd, room = self._crowd, self._room
        footprint = footprint_of(crowd.means)
        body = body_of(figure(PERSON, "", **measures), footprint, crowd.capability)
        # who sits in a chair takes the same room as any other
        key = tuple((part.low, part.high) for part in footprint.parts(body.hips))
        places = self._places.get(key) or places_of(room, footprint, body.hips)
        self._places[key] = places
        envelope = Envelope(body, self._postures, self._seed)
        return Case(room, body, envelope, places, footprint.name)


def shares_of(
    room: Room,
    crowds: Sequence[Crowd],
    objects: Sequence[Thing],
    *,
    postures: int,
    seed: int,
    counted: Counted | None = None,
) -> tuple[ReachShare, ...]:
    """Return what share of each population reaches each object.

    Everybody is made to measure and searched for by herself, coarsely first, then finely: nothing
    is taken from one to the other.
    """
    if not objects:
        return ()
    points = np.stack([room.point(path_of(each)) for each in objects])
    names = names_of([(c.population, footprint_of(c.means).name) for c in crowds])
    total = sum(crowd.population.count for crowd in crowds)
    done = 0
    found = []
    for name, crowd in zip(names, crowds, strict=True):
        labels = _labels(room, crowd, objects, points, postures, seed, counted, done, total)
        done += crowd.population.count
        for number, path in enumerate(path_of(each) for each in objects):
            mine = labels[:, number]
            reached = int((mine == ACCESSIBLE).sum())
            low, high = interval(reached, len(mine))
            found.append(
                ReachShare(path, name, len(mine), reached, int((mine == PROVED).sum()), low, high)
            )
    return tuple(found)


def _labels(
    room: Room,
    crowd: Crowd,
    objects: Sequence[Thing],
    points: Array,
    postures: int,
    seed: int,
    counted: Counted | None,
    done: int,
    total: int,
) -> IntArray:
    """Return the labels (people, objects) of a population."""
    maker = Maker(room, crowd, postures, seed)
    people = measures_of(crowd.population, seed)
    tally = Tally(len(people), None if counted is None else lambda n: counted(done + n, total))

    def label(number: int) -> IntArray:
        case = maker.case(people[number])
        found = labels_of(case, points, None, COARSE).label
        missed = np.flatnonzero(found == NOT_FOUND)
        if len(missed):
            found[missed] = labels_alone(case, points[missed]).label
        for k, thing in enumerate(objects):
            if isinstance(thing, Aligned) and found[k] == ACCESSIBLE:
                q = held(case, points[k], thing).q
                found[k] = NOT_FOUND if q is None else ACCESSIBLE
        tally.count(number, 1)
        return found

    return np.stack(abreast(label, range(len(people)), tally, apart=True))
