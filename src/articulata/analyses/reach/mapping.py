"""The answers of a study: a map of points, verdicts on objects and what else was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from articulata.analyses.reach.building_codes.rules import findings_of, nothing_to_look_at
from articulata.analyses.reach.cohorts.parallel_people import Tally
from articulata.analyses.reach.cohorts.populations import provenance_of
from articulata.analyses.reach.cohorts.shares import Crowd, share_maps_of, shares_of
from articulata.analyses.reach.one_person.bounds import TOLERANCE
from articulata.analyses.reach.one_person.posture_costs import told_of
from articulata.analyses.reach.points.labelling import labels_on_grid, search_again
from articulata.analyses.reach.points.search import Case, Labels, Progress
from articulata.analyses.reach.study import Study, by_object
from articulata.analyses.reach.surroundings.moved_overlaps import depth
from articulata.analyses.reach.surroundings.room import Room
from articulata.geometry.arrays import Array
from articulata.records.reach_maps import Outline, ReachMap, ReachPart
from articulata.records.reach_shares import ReachShare, ShareMap, SurfaceReach, SurfaceShare
from articulata.records.reach_verdicts import RuleFinding, Verdict
from articulata.records.uses import Operation, Sighting
from articulata.world.requests.reach import Thing, Watched, path_of

Answer: TypeAlias = (
    Verdict | ReachShare | Operation | Sighting | ShareMap | SurfaceReach | SurfaceShare
)

NOTHING_ASKED = (
    "nothing is asked about; add objects: and features in the room, points: grid 5 cm in floor "
    "for a map, or rules: ada_2010"
)

Told: TypeAlias = Callable[[Sequence[Answer]], None]
"""Who hears verdicts and shares as soon as they are known."""


def mapped(
    study: Study,
    points: Array,
    step: float,
    objects: Sequence[Thing],
    *,
    rules: Sequence[str] = (),
    remedies: bool = True,
    thorough: bool = False,
    progress: Progress | None = None,
    told: Told | None = None,
    crowds: Sequence[Crowd] = (),
    operate: Sequence[str] = (),
    watch: Sequence[Watched] = (),
    forces: Mapping[str, float] = MappingProxyType({}),
    surfaces: Sequence[str] = (),
) -> ReachMap:
    """Return a study's answers about points (n, 3) in W and objects, as a record.

    Verdicts on objects come first, and shares of populations (``crowds``): ``told`` hears them
    before the map is done.
    """
    study.rules = tuple(rules)
    into = study.room.into(points)
    tally = Tally(
        len(study.names),
        None if progress is None else lambda done: progress(done, len(points) * len(study.names)),
    )
    paths = [path_of(each) for each in objects]
    efforts = {**dict.fromkeys(operate), **forces}
    made: list[list[Any]] = []  # what each of the works made, by person
    findings: list[RuleFinding] = []

    def judged(by_person: list[list[Verdict]]) -> None:
        tell(by_person)
        findings.extend(_findings(study, paths, rules, efforts))  # while the others go on

    def tell(by_person: list[Any]) -> None:
        made.append(by_person)
        if told is not None and (answers := by_object(by_person)):
            told(answers)

    study.in_turn(
        [
            study.judging(objects, remedies=remedies),
            study.operating(operate),
            study.watching(watch),
            study.surfacing(surfaces),
            _labelled(study, into, step, thorough, tally),
            study.noted,
        ],
        [judged, tell, tell, tell, made.append, made.append],
        tally,
        apart=True,
    )
    verdicts, operations, sightings, surfaced = map(by_object, made[:4])
    parts, noted = made[4:]
    shares, share_maps = _shared(study, crowds, objects, surfaces, into, progress, told)
    named = dict(zip(study.names, parts, strict=True))
    notes = [*study.notes(paths, noted), *_notes(study, paths, rules, efforts)]
    if not (len(points) or objects or efforts or watch or rules or surfaces):
        notes.append(NOTHING_ASKED)
    found = record(study, points, step, named, verdicts, notes, findings)
    drawn = {"people": [provenance_of(each.population) for each in crowds]} if crowds else {}
    return replace(
        found,
        shares=tuple(each for each in shares if isinstance(each, ReachShare)),
        surfaces=surfaced,
        surface_shares=tuple(each for each in shares if isinstance(each, SurfaceShare)),
        share_maps=share_maps,
        operations=operations,
        sightings=sightings,
        settings={**found.settings, **drawn},
    )


def _shared(
    study: Study,
    crowds: Sequence[Crowd],
    objects: Sequence[Thing],
    surfaces: Sequence[str],
    points: Array,
    progress: Progress | None,
    told: Told | None,
) -> tuple[tuple[ReachShare | SurfaceShare, ...], tuple[ShareMap, ...]]:
    """Return populations' shares of objects, surfaces and points (n, 3) in G, and tell them."""
    if not crowds:
        return (), ()
    room, postures, seed = study.room, study.postures, study.seed
    shares = shares_of(
        room, crowds, objects, surfaces, postures=postures, seed=seed, counted=progress
    )
    if told is not None and shares:
        told(shares)
    if not len(points):
        return shares, ()
    maps = share_maps_of(room, crowds, points, postures=postures, seed=seed, counted=progress)
    if told is not None:
        told(maps)
    return shares, maps


def _labelled(
    study: Study, points: Array, step: float, thorough: bool, tally: Tally
) -> Callable[[str], ReachPart]:
    """Return what labels points (n, 3) in G, ``step`` m apart, for one of the people.

    ``tally`` counts how many points of each of them are labelled.
    """
    depths = depth(study.room, points)

    def part(name: str) -> ReachPart:
        number = study.names.index(name)

        def heard(done: int, whole: int) -> None:
            tally.count(number, len(points) - whole + done)

        case = study.case(name)
        found = labels_on_grid(case, points, step, heard, depths)
        if thorough:
            search_again(case, points, found)
        return _part(case, found)

    return part


def _findings(
    study: Study,
    objects: Sequence[str],
    rules: Sequence[str],
    forces: Mapping[str, float | None],
) -> Iterator[RuleFinding]:
    for name in rules:
        yield from findings_of(study.room, name, objects, study.door, forces)


def _notes(
    study: Study,
    objects: Sequence[str],
    rules: Sequence[str],
    forces: Mapping[str, float | None],
) -> Iterator[str]:
    """Give what rules do not look at in this room."""
    if not rules and any(each is not None for each in forces.values()):
        yield "forces are told and no rules that ask for them; add rules: ada_2010"
    for name in rules:
        yield from nothing_to_look_at(study.room, name, objects, forces)


def record(
    study: Study,
    points: Array,
    step: float,
    parts: dict[str, ReachPart],
    verdicts: tuple[Verdict, ...],
    notes: Sequence[str],
    findings: Sequence[RuleFinding],
) -> ReachMap:
    """Return a study's answers as a record."""
    first = study.bodies[study.names[0]]
    people = dict.fromkeys(each.said or each.figure.name for each in study.people)
    return ReachMap(
        study.world.name,
        ", ".join(people),
        points,
        step,
        study.room.X_WG,
        first.figure.names,
        tuple(first.arms),
        parts,
        verdicts,
        _settings(study, notes),
        tuple(_plan(study.room)),
        tuple(findings),
    )


def part_of(study: Study, name: str, points: Array, step: float) -> ReachPart:
    """Return the map of one of the people for points (n, 3) in W, ``step`` m apart."""
    case = study.case(name)
    return _part(case, labels_on_grid(case, study.room.into(points), step))


def _part(case: Case, found: Labels) -> ReachPart:
    free = case.places.free
    return ReachPart(
        case.name,
        found.label,
        found.reason,
        found.hand,
        found.base,
        found.row,
        found.cost,
        found.postures,
        float(np.mean([area.area for area in free])) if free else 0.0,
    )


def _plan(room: Room) -> Iterator[Outline]:
    for solid in room.solids:
        hull = solid.outline
        if hull.geom_type == "Polygon":
            low, high = float(solid.outer[:, 2].min()), float(solid.outer[:, 2].max())
            yield Outline(solid.body, np.asarray(hull.exterior.coords)[:-1], low, high)


def _settings(study: Study, notes: Sequence[str]) -> dict[str, Any]:
    people = zip(study.names, study.people, strict=True)
    able = {name: each.capability for name, each in people}
    return {
        "notes": list(notes),
        "tolerance": TOLERANCE,
        "postures": study.postures,
        "seed": study.seed,
        "floor": study.room.floor_body,
        "door": study.door,
        "hips": {name: body.hips for name, body in study.bodies.items()},
        "lean": {name: body.lean for name, body in study.bodies.items()},
        "limits": {
            name: {joint: list(ends) for joint, ends in (each.limits or {}).items()}
            for name, each in able.items()
        },
        "hands": {name: list(each.hands) for name, each in able.items()},
        "touch": {name: each.touch for name, each in able.items()},
        "load": {name: each.load for name, each in able.items()},
        "conditions": {name: list(each.conditions) for name, each in able.items()},
        "comfort": {name: told_of(each.comfort) for name, each in able.items()},
        "mobility": {n: b.footprint.size for n, b in study.bodies.items()},
    }
