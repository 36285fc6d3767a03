"""What share of a population reaches each point of a map.

People who are alike reach alike. A few of them are chosen so that everybody is like one: each of
these is searched for point by point, and speaks for those who are nearest to her. Some of the
others are searched for as well, to tell how many labels that gets wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from articulata.analyses.reach.cohorts.abreast import Tally, abreast
from articulata.analyses.reach.cohorts.populations import measures_of, names_of
from articulata.analyses.reach.cohorts.shares import Counted, Crowd, Maker
from articulata.analyses.reach.points.labelling import labels_of
from articulata.analyses.reach.surroundings.inside import depth
from articulata.analyses.reach.surroundings.room import Room
from articulata.analyses.reach.ways.footprints import footprint_of
from articulata.geometry.arrays import Array, IntArray
from articulata.records.reach_shares import ACCESSIBLE, PROVED, ShareMap

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
        labels = _labels(
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


def _labels(
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
