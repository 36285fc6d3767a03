"""What share of a population reaches objects, person by person.

What share of a population reaches each point of a map.

People who are alike reach alike. A few of them are chosen so that everybody is like one: each of
these is searched for point by point, and speaks for those who are nearest to her. Some of the
others are searched for as well, to tell how many labels that gets wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from articulata.analyses.reach.cohorts.parallel_people import Tally, abreast
from articulata.analyses.reach.cohorts.populations import interval, measures_of, names_of
from articulata.analyses.reach.one_person.body import Capability, body_of
from articulata.analyses.reach.one_person.envelope import Envelope
from articulata.analyses.reach.points.aligning import held
from articulata.analyses.reach.points.labelling import labels_alone, labels_of
from articulata.analyses.reach.points.search import Case
from articulata.analyses.reach.points.surface_shares import Surface, labels_on, share, surface_of
from articulata.analyses.reach.surroundings.moved_overlaps import depth
from articulata.analyses.reach.surroundings.room import Room
from articulata.analyses.reach.ways.footprints import footprint_of
from articulata.analyses.reach.ways.standing_places import Places, places_of
from articulata.geometry.arrays import Array, IntArray
from articulata.kinematics.library import figure
from articulata.records.reach_shares import (
    ACCESSIBLE,
    NOT_FOUND,
    PROVED,
    ReachShare,
    ShareMap,
    SurfaceShare,
)
from articulata.world.requests.reach import Aligned, Population, Thing, path_of
from articulata.world.requests.ways_to_move import Means

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
        places = self._places.get(body.footprint) or places_of(room, body.footprint, body.hips)
        self._places[body.footprint] = places
        envelope = Envelope(body, self._postures, self._seed)
        return Case(room, body, envelope, places, footprint.name)


def shares_of(
    room: Room,
    crowds: Sequence[Crowd],
    objects: Sequence[Thing],
    surfaces: Sequence[str] = (),
    *,
    postures: int,
    seed: int,
    counted: Counted | None = None,
) -> tuple[ReachShare | SurfaceShare, ...]:
    """Return what share of each population reaches each object, and of surfaces how much.

    Everybody is made to measure and searched for by herself, coarsely first, then finely: nothing
    is taken from one to the other.
    """
    if not objects and not surfaces:
        return ()
    asked = Asked(
        objects,
        np.array([room.point(path_of(each)) for each in objects]).reshape(-1, 3),
        [surface_of(room, path) for path in surfaces],
    )
    names = names_of([(c.population, footprint_of(c.means).name) for c in crowds])
    total = sum(crowd.population.count for crowd in crowds)
    done = 0
    found: list[ReachShare | SurfaceShare] = []
    for name, crowd in zip(names, crowds, strict=True):
        maker = Maker(room, crowd, postures, seed)
        answers = _answers(maker, asked, measures_of(crowd.population, seed), counted, done, total)
        done += crowd.population.count
        labels = np.stack([each for each, _ in answers])
        for number, path in enumerate(path_of(each) for each in objects):
            mine = labels[:, number]
            reached = int((mine == ACCESSIBLE).sum())
            low, high = interval(reached, len(mine))
            found.append(
                ReachShare(path, name, len(mine), reached, int((mine == PROVED).sum()), low, high)
            )
        for number, surface in enumerate(asked.surfaces):
            parts = np.stack([of_surfaces[number] for _, of_surfaces in answers])
            found.append(_surface_share(surface, name, parts))
    return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What everybody is asked about: ``objects`` at ``points`` (n, 3) in G, and ``surfaces``."""

    objects: Sequence[Thing]
    points: Array
    surfaces: Sequence[Surface]


def _answers(
    maker: Maker,
    asked: Asked,
    people: Sequence[Mapping[str, float]],
    counted: Counted | None,
    done: int,
    total: int,
) -> list[tuple[IntArray, Array]]:
    """Return each person's labels (objects,), and shares (surfaces, 2) in and out of reach."""
    tally = Tally(len(people), None if counted is None else lambda n: counted(done + n, total))

    def answer(number: int) -> tuple[IntArray, Array]:
        case = maker.case(people[number])
        labels = _labels(case, asked.objects, asked.points)
        on = [labels_on(case, each) for each in asked.surfaces]
        parts = [[share(each, kind) for kind in (ACCESSIBLE, PROVED)] for each in on]
        tally.count(number, 1)
        return labels, np.array(parts).reshape(-1, 2)

    return abreast(answer, range(len(people)), tally, apart=True)


def _labels(case: Case, objects: Sequence[Thing], points: Array) -> IntArray:
    """Return the labels of objects at ``points`` (n, 3) in G for one person."""
    found = labels_alone(case, points).label
    for k, thing in enumerate(objects):
        if isinstance(thing, Aligned) and found[k] == ACCESSIBLE:
            q = held(case, points[k], thing).q
            found[k] = NOT_FOUND if q is None else ACCESSIBLE
    return found


def _surface_share(surface: Surface, people: str, parts: Array) -> SurfaceShare:
    """Return the mean of shares ``parts`` (people, 2) of a surface, with its interval."""
    reached, excluded = parts.mean(axis=0).tolist()
    spread = float(parts[:, 0].std(ddof=1)) if len(parts) > 1 else 1.0
    about = float(stdtrit(max(len(parts) - 1, 1), 0.975)) * spread / np.sqrt(len(parts))
    low, high = max(reached - about, 0.0), min(reached + about, 1.0)
    return SurfaceShare(
        surface.path, people, len(parts), surface.area, reached, excluded, low, high
    )


SPEAKERS = 16
"""So many people of a population are searched for point by point at most."""

CHECKED = 2
"""So many of the others as well."""

ROUNDS = 30
"""How many times those who are alike are gathered anew at most."""


def share_maps_of(
    room: Room,
    crowds: Sequence[Crowd],
    points: Array,
    *,
    postures: int,
    seed: int,
    counted: Counted | None = None,
    speakers: int = SPEAKERS,
) -> tuple[ShareMap, ...]:
    """Return what share of each population reaches each of points (n, 3) in G.

    ``counted`` hears how many of those who are searched for are done.
    """
    names = names_of([(c.population, footprint_of(c.means).name) for c in crowds])
    depths = depth(room, points)
    drawn = [measures_of(crowd.population, seed) for crowd in crowds]
    chosen = [speakers_of(people, speakers, seed) for people in drawn]
    total = sum(len(who) + len(_others(speaks, who)) for who, speaks in chosen)
    done = 0
    found = []
    for name, crowd, people, (who, speaks) in zip(names, crowds, drawn, chosen, strict=True):
        others = _others(speaks, who)
        asked = [people[number] for number in (*who.tolist(), *others.tolist())]
        labels = _labels_of_points(
            Maker(room, crowd, postures, seed), asked, points, depths, counted, done, total
        )
        done += len(asked)
        own = labels[: len(who)]
        weight = np.bincount(speaks, minlength=len(who)) / len(people)
        checked = labels[len(who) :] == ACCESSIBLE
        said = own[speaks[others]] == ACCESSIBLE
        found.append(
            ShareMap(
                name,
                len(people),
                len(who),
                weight @ (own == ACCESSIBLE),
                weight @ (own == PROVED),
                len(others),
                float((checked != said).mean()) if len(others) else 0.0,
            )
        )
    return tuple(found)


def _labels_of_points(
    maker: Maker,
    people: Sequence[Mapping[str, float]],
    points: Array,
    depths: Array,
    counted: Counted | None,
    done: int,
    total: int,
) -> NDArray[np.int8]:
    """Return the labels (people, points) of those who are searched for point by point."""
    tally = Tally(len(people), None if counted is None else lambda n: counted(done + n, total))

    def label(number: int) -> NDArray[np.int8]:
        labels = labels_of(maker.case(people[number]), points, None, depths).label
        tally.count(number, 1)
        return labels.astype(np.int8)

    return np.stack(abreast(label, range(len(people)), tally, apart=True))


def speakers_of(
    people: Sequence[Mapping[str, float]], most: int, seed: int
) -> tuple[IntArray, IntArray]:
    """Return who speaks (k,), numbers into ``people``, and for each of these (n,) which of k.

    Who is alike is told by the lengths of their bodies, m. Of each gathering she speaks who is
    nearest to its middle.
    """
    names = [name for name in people[0] if name not in ("weight", "sex")]
    lengths = np.array([[each[name] for name in names] for each in people])
    if len(people) <= most:
        return np.arange(len(people)), np.arange(len(people))
    # first those who are far from each other, then the middles of who is near them
    middle = lengths.mean(axis=0)
    first = [int(_away(lengths, middle[None])[:, 0].argmin())]
    while len(first) < most:
        first.append(int(_away(lengths, lengths[first]).min(axis=1).argmax()))
    middles = lengths[first]
    near = _away(lengths, middles).argmin(axis=1)
    for _ in range(ROUNDS):
        middles = np.stack(
            [lengths[near == k].mean(axis=0) if (near == k).any() else middles[k]
             for k in range(most)]
        )  # fmt: skip
        again = _away(lengths, middles).argmin(axis=1)
        if (again == near).all():
            break
        near = again
    kept = np.unique(near)
    who = []
    for k in kept.tolist():
        mine = np.flatnonzero(near == k)
        who.append(int(mine[_away(lengths[mine], middles[k][None])[:, 0].argmin()]))
    return np.array(who), np.searchsorted(kept, near)


def _others(speaks: IntArray, who: IntArray) -> IntArray:
    """Return who is searched for to tell what is wrong: spread over those who do not speak."""
    rest = np.setdiff1d(np.arange(len(speaks)), who)
    few = min(CHECKED, len(rest))
    return rest[np.linspace(0, len(rest) - 1, few).astype(int)] if few else rest


def _away(a: Array, b: Array) -> Array:
    return np.asarray(np.linalg.norm(a[:, None] - b[None], axis=2))
