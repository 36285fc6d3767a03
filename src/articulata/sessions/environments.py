"""Worlds as environments of reinforcement learning: how episodes begin, go on and end.

The class that Gymnasium drives is made when it is first asked for (extra ``gym``).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from articulata.analyses.simulate.matching import KINDS as WORDS
from articulata.analyses.simulate.run_question import Question
from articulata.analyses.simulate.run_question import asked as question_asked
from articulata.analyses.simulate.sensing import Moment
from articulata.errors import MissingExtra, NameNotFound, SimulationError, WorldError
from articulata.records.events import KINDS, Event
from articulata.sessions.simulation import asked
from articulata.world.document import Document, read
from articulata.world.edits.force_edits import SetPlacements, placements_without
from articulata.world.edits.value_edits import SetProperty
from articulata.world.model import Placement, World
from articulata.world.paths import hint, resolve
from articulata.world.requests.request import MOST_STEPS, Request
from articulata.world.unfit_arguments import not_taken

Drawn: TypeAlias = "tuple[float, float] | Callable[[np.random.Generator], float]"
"""A range that a number is drawn from evenly, or a function that draws it."""

End: TypeAlias = "str | Callable[[Moment], bool]"
"""A kind of event that ends an episode, or a function that says whether it has ended."""

Bounds: TypeAlias = "tuple[float, float] | Mapping[str, tuple[float, float]]"


def environment(
    world: World | Request | str | os.PathLike[str],
    *,
    reward: Callable[[Moment], float] | None = None,
    ends: Sequence[End] = (),
    observations: Sequence[str] | None = None,
    bounds: Bounds = (-np.inf, np.inf),
    scatter: Mapping[str, Drawn] | None = None,
    **run: Any,
) -> Any:
    """Return a ``gymnasium.Env`` of a world, a request to simulate it, or their file.

    An action holds the numbers of all controllers in the order of the world's controls, an
    observation what the paths ``observations`` name: coordinates and rates of hinges where nothing
    is said. Both are float64 in SI units; ``bounds`` are those of the actions, or of each
    controller's by its name. ``reward`` is a function of the ``Moment`` that a step has come to,
    with the events of the step. An episode terminates by one of ``ends``, a function of the moment
    or a kind of event ("contact"), or by a clause ``on ...: stop``; it is truncated at ``until``
    (s). ``scatter`` says what each episode draws anew: parameters of the world, coordinates of
    hinges ("pole.angle"), or properties ("pole.density"). ``run`` are ``until``, ``step`` (s, the
    length of a step), ``method``, ``domains`` and ``contact`` of ``simulate``, and ``record`` to
    keep each episode for ``recording()``. SimulationError for hinges that no controller drives.
    """
    try:
        from articulata.sessions.gymnasium_world import WorldEnvironment
    except ModuleNotFoundError as error:
        if error.name != "gymnasium":
            raise
        raise MissingExtra(
            "an environment needs the package gymnasium; install it with: "
            "pip install 'articulata[gym]'"
        ) from None
    episodes = episodes_of(world, scatter or {}, run)
    _acted_on(episodes.question.world)
    return WorldEnvironment(episodes, reward, tuple(map(_ending, ends)), observations, bounds)


def _acted_on(world: World) -> None:
    """Raise SimulationError where hinges move and no action could tell them how."""
    hinges = [each.id for each in world.hinges.values() if each.kind.coordinates]
    if world.drives or not hinges:
        return
    of = (each for each in world.couplings.values() if len(each.terms) == 1 and not each.friction)
    driven = [each.hinges[0] for each in of]
    driven += [each.hinge for each in world.forces.values() if each.hinge is not None]
    acting = "; its motors and servos act by themselves" if driven else ""
    raise SimulationError(
        f"world '{world.name}' has no controller, so that an action would have no numbers{acting}: "
        f"write '{(driven or hinges)[0]} driven by push' into its structure, in place of a motor "
        "or servo, and an action is that moment or force"
    )


@dataclass(frozen=True, slots=True)
class Episodes:
    """How episodes begin: the ``question`` of each, and what is drawn for it.

    ``until`` (s) is the end of each, None where there is none.
    """

    question: Question
    request: Request | None
    scatter: Mapping[str, Drawn]
    until: float | None
    record: bool

    def drawn(self, rng: np.random.Generator, given: Mapping[str, float]) -> Question:
        """Return the question of another episode; ``given`` numbers are not drawn."""
        values = {name: _number(name, how, rng) for name, how in self.scatter.items()}
        values |= {name: float(value) for name, value in given.items()}
        if not values:
            return self.question
        return replace(self.question, world=self._changed(values))

    def _changed(self, values: Mapping[str, float]) -> World:
        """Return the world with these parameters, coordinates of hinges and properties."""
        world, known = self.question.world, self.parameters
        own = {name: value for name, value in values.items() if name in known}
        if own:
            assert self.request is not None
            assert isinstance(self.request.document, Document)
            world = with_parameters(self.request.document, self.request.world, known, own)
        coordinates = dict[str, float]()
        for name, value in values.items():
            if name in own:
                continue
            hinge = _coordinate(world, name)
            if hinge is None:
                world = world.edit([SetProperty(name, value)])
            else:
                coordinates[hinge] = value
        return _placed(world, coordinates) if coordinates else world

    @property
    def parameters(self) -> dict[str, float | None]:
        """The parameters of the world's text in SI units, as the request gives them."""
        request = self.request
        if request is None or not isinstance(request.document, Document):
            return {}
        known = request.document.parameters(request.world)
        return known | dict(zip(known, request.arguments, strict=False))


def with_parameters(
    document: Document, name: str, known: Mapping[str, float | None], own: Mapping[str, float]
) -> World:
    """Return a document's world with ``own`` parameters, and the ``known`` ones before them."""
    both = {each: value for each, value in known.items() if value is not None} | dict(own)
    names = list(both)
    last = max(map(names.index, own))  # those after it are left to the text
    return document.world(name, **{each: both[each] for each in names[: last + 1]})


def episodes_of(
    world: World | Request | str | os.PathLike[str],
    scatter: Mapping[str, Drawn],
    run: Mapping[str, Any],
) -> Episodes:
    """Return how episodes of ``world`` begin, checked; SimulationError for what cannot be."""
    known = ("until", "step", "method", "domains", "contact", "record")
    for name in run:
        if name not in known:
            raise SimulationError(f"an environment takes no '{name}'{hint(name, known)}")
    if isinstance(world, str | os.PathLike):
        world = asked(read(Path(world)), "")
    if not isinstance(world, World | Request):
        raise not_taken("environment", "a world, a request or a file", world)
    request = world if isinstance(world, Request) else None
    until = run.get("until", None if request is None else request.until)
    domains = run.get("domains")
    given: dict[str, Any] = {name: run.get(name) for name in ("step", "method", "contact")}
    question = question_asked(
        world,
        until=0.0 if until is None else until,
        domains=None if domains is None else tuple(domains),
        **given,
    )
    if until is None:
        question = replace(question, until=MOST_STEPS * question.step)
    return Episodes(question, request, dict(scatter), until, bool(run.get("record", False)))


def told(event: Event) -> dict[str, Any]:
    """Return an event in plain values, as ``info["events"]`` holds it."""
    return {
        "kind": event.kind,
        "time": event.time,
        "who": event.who,
        "where": event.where,
        "values": dict(event.values),
        "story": event.story,
    }


def _ending(end: End) -> Callable[[Moment], bool]:
    if callable(end):
        return end
    kinds = WORDS.get(end, frozenset({end}))
    if end not in WORDS and end not in KINDS:
        known = tuple(dict.fromkeys((*WORDS, *KINDS)))
        raise SimulationError(f"no event is of the kind {end!r}{hint(str(end), known)}")
    return lambda moment: any(event.kind in kinds for event in moment.events)


def _number(name: str, how: Drawn, rng: np.random.Generator) -> float:
    if callable(how):
        return float(how(rng))
    low, high = how if isinstance(how, tuple | list) and len(how) == 2 else (np.nan, np.nan)
    if not (np.isfinite(low) and np.isfinite(high) and low <= high):
        raise SimulationError(
            f"scatter of '{name}' is {how!r}; give (lowest, highest), or a function of a generator"
        )
    return float(rng.uniform(low, high))


def _coordinate(world: World, name: str) -> str | None:
    """Return "hinge.coordinate" where ``name`` is one, None where it is none."""
    try:
        found = resolve(world, name)
    except NameNotFound:
        return None
    if found.kind != "hinge":
        return None
    if found.quantity not in world.hinges[found.id].kind.coordinates:
        raise WorldError(
            f"'{name}' cannot be drawn; draw a coordinate of the hinge, as its angle. For a rate "
            "give the world a parameter and place by it: place arm by arm.rate = spin"
        )
    return f"{found.id}.{found.quantity}"


def _placed(world: World, coordinates: Mapping[str, float]) -> World:
    """Return ``world`` with these coordinates (rad, m) of hinges asked for, others as they were."""
    if any(any(body.velocity) or any(body.rate) for body in world.bodies.values()):
        raise WorldError(
            f"world '{world.name}' starts with velocities, which belong to the places of its text; "
            "give it a parameter and place by that: world w(lean: angle = 0) { ... }"
        )
    hinges = [name.rpartition(".")[0] for name in coordinates]
    kept = placements_without(world.placements, (), hinges)
    asked_for = Placement("", coordinates=tuple(coordinates.items()))
    return world.edit([SetPlacements((*kept, asked_for))])
