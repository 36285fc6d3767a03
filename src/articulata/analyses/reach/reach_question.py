"""The question put: which points and objects of a room people can touch, and from where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, TypeAlias

import numpy as np
import shapely

from articulata.analyses.reach.building_codes.rule_tables import rules_of
from articulata.analyses.reach.cohorts.populations import means_of
from articulata.analyses.reach.cohorts.shares import PERSON, Crowd
from articulata.analyses.reach.mapping import Told, mapped
from articulata.analyses.reach.one_person.body import Capability
from articulata.analyses.reach.one_person.posture_costs import Criterion
from articulata.analyses.reach.points.aligning import check_aligned
from articulata.analyses.reach.points.search import Progress
from articulata.analyses.reach.room_tiles import lattice_of
from articulata.analyses.reach.study import Reacher, Study
from articulata.analyses.reach.surroundings.room import Room
from articulata.analyses.reach.ways.footprints import USUAL
from articulata.domains.comfort.displacement import FORMS, Discomfort
from articulata.errors import NameNotFound, WorldError
from articulata.geometry.arrays import Array
from articulata.kinematics.figure import Figure
from articulata.kinematics.library import figure
from articulata.kinematics.world_figure import narrowed
from articulata.records.reach_maps import ReachMap
from articulata.world.document import Document
from articulata.world.model import World
from articulata.world.paths import hint
from articulata.world.requests.choices import FigureChoice
from articulata.world.requests.reach import (
    FINGERTIP,
    POSTURES,
    Aligned,
    Effort,
    Grid,
    Population,
    ReachQuestion,
    Thing,
    Watched,
    path_of,
)
from articulata.world.requests.request import Request, asked_at
from articulata.world.requests.ways_to_move import Means
from articulata.world.unfit_arguments import not_taken
from articulata.world.values import NOWHERE

Who: TypeAlias = Figure | Population | str

MOST = 50_000_000
"""Points of a map at most."""

GRID = 0.05
"""m from one point of the grid to the next."""


def reach(
    asked: Request | World,
    *,
    person: Who | None = None,
    mobility: Means | Sequence[Means] = USUAL,
    capability: Capability | None = None,
    objects: Sequence[Thing] = (),
    operate: Sequence[str] = (),
    watch: Sequence[str | Watched] = (),
    surfaces: Sequence[str] = (),
    grid: float | None = GRID,
    floor: str = "",
    door: str = "",
    rules: Sequence[str] = (),
    forces: Mapping[str, float] = MappingProxyType({}),
    postures: int = POSTURES,
    seed: int = 0,
    remedies: bool = True,
    thorough: bool = False,
    progress: Progress | None = None,
    told: Told | None = None,
) -> ReachMap:
    """Return what people can reach in a room.

    A ``Request`` says all of it; its own words go before what is given here. Of a ``World``
    ``person`` (a figure, the name of one in the library, or a population) is asked about by each
    ``mobility``; ``objects`` are paths of features or bodies, ``Aligned`` where the hand is to
    point somewhere; ``operate`` handles of what moves on a hinge, ``watch`` what is to be seen,
    ``surfaces`` bodies of whose upper surface the share that is reached is asked;
    ``grid`` (m) is how far points of the map are apart, None for no map. ``floor`` and ``door``
    name a body or feature; without them those called ``floor`` and ``door`` are taken. ``rules``
    are laid on the room beside bodies: "ada_2010", or files of the same columns; ``forces`` (N by
    handle) tell them what it takes to operate things. The most comfortable of ``postures`` is taken
    at each place, from starts that ``seed`` spreads. ``thorough`` searches what a map misses once
    more, finely. ``told`` hears the verdicts on objects, which come before the map;
    ``progress(done, total)`` counts points. Raise WorldError for a room without a floor and
    NameNotFound for objects that are not there.
    """
    if isinstance(asked, Request):
        study, objects, grid = study_of(asked, capability)
        crowds = crowds_of(asked, capability)
        question = _asked(asked)
    elif not isinstance(asked, World):
        raise not_taken("reach", "a world or a request", asked)
    else:
        ways = (mobility,) if isinstance(mobility, Means | str) else mobility
        for way in ways:
            if not isinstance(way, Means):
                raise WorldError(
                    f"nobody moves by {way!r}; give mobility=art.OnFoot(), art.Walker(0.4), "
                    "art.Wheelchair(seat=0.5), or several of them"
                )
        who, crowds = _who(person, ways, capability or Capability())
        people = [Reacher(who, way, capability or Capability()) for way in ways]
        study = Study(asked, people, floor=floor, door=door, postures=postures, seed=seed)
        for name, given in {
            "objects": objects, "operate": operate, "watch": watch, "rules": rules,
            "surfaces": surfaces,
        }.items():  # fmt: skip
            if isinstance(given, str):
                raise WorldError(f"{name} are several; give {name}=[{given!r}]")
        question = ReachQuestion(
            (),
            operate=tuple(operate),
            watch=tuple(Watched(each) if isinstance(each, str) else each for each in watch),
            forces=tuple(Effort(path, force) for path, force in forces.items()),
            rules=tuple(rules),
            surfaces=tuple(surfaces),
        )
    with asked_at(asked.span if isinstance(asked, Request) else NOWHERE):
        points = _points(study, objects, grid, question)
    return mapped(
        study, points, grid or 0.0, objects,
        rules=question.rules, remedies=remedies, thorough=thorough, progress=progress, told=told,
        crowds=crowds, operate=question.operate, watch=question.watch,
        forces={each.path: each.force for each in question.forces},
        surfaces=tuple(dict.fromkeys(question.surfaces)),
    )  # fmt: skip


def begun(request: Request) -> None:
    """Raise what a request to reach is refused for before anything is searched."""
    _points(*study_of(request), _asked(request))


def _asked(request: Request) -> ReachQuestion:
    if not isinstance(request.question, ReachQuestion):
        raise WorldError(f"'{request.name}' is no request to reach, but to {request.kind}")
    return request.question


def _points(
    study: Study, objects: Sequence[Thing], grid: float | None, question: ReachQuestion
) -> Array:
    """Return the points of a map (n, 3) in W; refuse what cannot be asked in the study's room."""
    if grid is not None:
        Grid(grid, study.floor)
    _check(study, objects)
    study.operating(question.operate)
    study.surfacing(question.surfaces)
    for each in question.watch:
        study.room.point(each.path)
    for name in question.rules:
        rules_of(name)
    _check_forces(study, question)
    return grid_of(study.room, grid) if grid is not None else np.empty((0, 3))


def _check(study: Study, objects: Sequence[Thing]) -> None:
    """Refuse objects that are not there, and directions of hands that nobody can be asked for."""
    paths = [path_of(each) for each in objects]
    for path in paths:
        study.room.point(path)
        if paths.count(path) > 1:
            raise WorldError(f"'{path}' is asked about twice; remove one of the two")
    for each in objects:
        if isinstance(each, Aligned):
            for body in study.bodies.values():
                check_aligned(body, each)


def _check_forces(study: Study, question: ReachQuestion) -> None:
    """Refuse forces that are no positive numbers of N, or of what is not operated."""
    for each in question.forces:
        path, force = each.path, each.force
        study.room.point(path)
        if not isinstance(force, int | float):
            raise WorldError(f"'{path}' is operated with a number of N, not {force!r}")
        if not 0.0 < force < np.inf:
            raise WorldError(f"'{path}' is operated with more than 0 N, not {force:g} N")
        if path not in question.operate:
            raise WorldError(
                f"a force is told for '{path}', which is not operated"
                f"{hint(path, question.operate)}; add it to operate"
            )


def _who(
    person: Who | None, ways: Sequence[Means], capability: Capability
) -> tuple[Figure, tuple[Crowd, ...]]:
    """Return the figure a map is made for, and the populations that are asked about."""
    if isinstance(person, Population):
        crowds = tuple(Crowd(person, way, capability) for way in ways)
        return figure(PERSON, "", **means_of(person)), crowds
    return person if isinstance(person, Figure) else figure(person or PERSON), ()


def study_of(
    request: Request, capability: Capability | None = None
) -> tuple[Study, tuple[Thing, ...], float | None]:
    """Return what a request asks, ready to be answered, its objects, and its grid (m) if any."""
    question = _asked(request)
    world = request.elaborate()
    own = _able(question, capability)
    figures: dict[FigureChoice | Population, Figure] = {}
    for each in question.people:
        if each.figure not in figures:
            with asked_at(each.span):
                figures[each.figure] = _figure(request, world, each.figure)
    for person in figures.values():
        narrowed(person, question.limits)
        _check_weights(question, person)
    people = list(
        {
            (p.figure, p.means): Reacher(
                figures[p.figure], p.means, own, _said(p.figure), isinstance(p.figure, Population)
            )
            for p in question.people
        }.values()
    )
    grids = [each for each in question.points if isinstance(each, Grid)]
    named = tuple(each for each in question.points if isinstance(each, str))
    if len(grids) + len(named) < len(question.points):
        raise WorldError(
            f"reach {request.name}: a point in numbers has no name for a verdict; name a "
            "feature there, or ask for a grid"
        )
    floor = ""
    if grids:
        body = world.bodies.get(grids[0].path)
        floor = grids[0].path if body is not None and body.shape is not None else ""
    with asked_at(request.span):
        study = Study(
            world,
            people,
            floor=floor,
            door=question.approach or "",
            postures=question.comfort.postures,
            seed=question.seed,
        )
    known = {path_of(each) for each in question.objects}
    objects = (*question.objects, *(path for path in dict.fromkeys(named) if path not in known))
    return study, objects, grids[0].spacing if grids else None


def crowds_of(request: Request, capability: Capability | None = None) -> tuple[Crowd, ...]:
    """Return the populations that a request asks about."""
    question = _asked(request)
    own = _able(question, capability)
    return tuple(
        Crowd(each.figure, each.means, own)
        for each in question.people
        if isinstance(each.figure, Population)
    )


def _able(question: ReachQuestion, capability: Capability | None) -> Capability:
    """Return what a request's people are able to; its words go before ``capability``."""
    given = capability or Capability()
    limits = {each.joint: (each.low, each.high) for each in question.limits}
    lean = given.lean if question.lean is None else question.lean
    return Capability(
        lean,
        {**(given.limits or {}), **limits},
        question.hands,
        _comfort(question, given),
        question.touch if question.touch != FINGERTIP else given.touch,
        question.load or given.load,
        (*given.conditions, *question.conditions),
    )


def _comfort(question: ReachQuestion, given: Capability) -> Criterion | None:
    """Return what is comfortable to a request's people: by its words, if it has any about it."""
    form, weights = question.comfort.form, {each.joint: each.weight for each in question.weights}
    if form == "range" and not weights:
        return given.comfort
    return Discomfort(next(each for each in FORMS if each == form), weights)


def _check_weights(question: ReachQuestion, person: Figure) -> None:
    """Refuse weights of joints that the figure does not have."""
    for each in question.weights:
        if each.joint not in person.names:
            with asked_at(each.span):
                raise NameNotFound(
                    f"figure '{person.name}' has no joint '{each.joint}' that moves"
                    f"{hint(each.joint, person.names)}"
                )


_UNITLESS: Final = ("sex", "percentile", "age", "child")
"""Numbers of a person that are no lengths, beside the weight."""


def _said(choice: FigureChoice | Population) -> str:
    if isinstance(choice, Population):
        return f"the mean of {choice.who}"
    values = []
    for place, (name, value) in enumerate(choice.arguments):
        said = f"{value:g}" if isinstance(value, float) else value
        if choice.name == PERSON and isinstance(value, float):
            of = name or ("height", "weight", "sex")[min(place, 2)]
            said += " kg" if of == "weight" else "" if of in _UNITLESS else " m"
        values.append(
            f"{name}: {said}" if name and value not in ("woman", "man", "child") else said
        )
    return f"{choice.name}({', '.join(values)})" if values else choice.name


def _figure(request: Request, world: World, choice: FigureChoice | Population) -> Figure:
    if isinstance(choice, Population):
        return figure(PERSON, "", **means_of(choice))
    if choice.component:
        return figure(world, choice.name)
    document = request.document
    if isinstance(document, Document) and choice.name in document.figures:
        return figure(document, choice.name, *choice.positional, **choice.named)
    return figure(choice.name, "", *choice.positional, **choice.named)


def grid_of(room: Room, step: float) -> Array:
    """Return points (n, 3) in W, ``step`` m apart: above the floor, up to ``TOP``."""
    lattice = lattice_of(room, step)
    columns, rows, levels = lattice.counts
    if columns * rows * levels > MOST:
        raise WorldError(
            f"a grid of {step:g} m has {columns} x {rows} x {levels} points over this floor, more "
            f"than {MOST:,} for one map; take a wider one, or a store: articulata reach FILE "
            "--store FOLDER"
        )
    found = lattice.points()
    inside = shapely.contains_xy(room.floor, found[:, 0], found[:, 1])
    return room.out(found[inside])
