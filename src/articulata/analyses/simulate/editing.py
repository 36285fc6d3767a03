"""A running simulation's world edited: models, state, and what the edit cost.

The edits of one instant are one transaction. Bodies that stay keep place and velocity; what is
joined is met by an impact that adds no energy; the rest of a change in energy is work that the
editor's hand has done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from articulata.analyses.simulate.following import Following, following
from articulata.analyses.simulate.reacting import Decision
from articulata.domains.assemble import Models
from articulata.domains.dynamic.channels import booked
from articulata.domains.dynamic.equations import hinge_rows_named
from articulata.domains.dynamic.mechanism import FIXED, FREE, RATE, VELOCITY
from articulata.domains.dynamic.model import DynamicModel
from articulata.domains.geometric import GeometricModel
from articulata.errors import ArticulataError, NameNotFound, SimulationError, WorldError
from articulata.geometry.arrays import Array
from articulata.records.events import Event, Value
from articulata.records.state import State
from articulata.world.edits.transaction import Edit, Transaction, show
from articulata.world.edits.values import puts
from articulata.world.model import World

if TYPE_CHECKING:
    from articulata.domains.dynamic.mujoco.backend import MujocoModel

Mover: TypeAlias = "DynamicModel | Following | MujocoModel"

MOTIONS = ("x", "y", "z", "wx", "wy", "wz")
"""A free body's columns of ``A x = b``: its accelerations, and its rows of Newton and Euler."""


@dataclass(frozen=True, slots=True)
class Edited:
    """A simulation right after an edit, and what is told of it."""

    models: Models
    mover: Mover
    state: State
    values: Mapping[str, Value]
    story: str


def edited(models: Models, mover: Mover, state: State, decision: Decision, gone: Gone) -> Edited:
    """Return the simulation after ``decision``; SimulationError changes nothing."""
    edits = decision.edits
    edit = edits[0] if len(edits) == 1 else Transaction(edits)
    if isinstance(mover, Following):
        now, moved = models.having(geometric=mover.geometry), None
    else:
        # what MuJoCo moves is edited by our own equations, and handed to it anew
        moved = mover if isinstance(mover, DynamicModel) else mover.inner
        now = models.having(dynamic=moved)
    try:
        after = now.apply(edit)
        arrays = now.carry(state, edit)
    except (WorldError, NameNotFound) as error:
        told = gone.said_of(edits) or f": {error}"
        raise SimulationError(f"{_asked(decision)} at t = {state.time:.9g} s{told}") from error
    differences = _differences(models.world, after.world)
    gone.note(differences, state.time, _asked(decision))
    values: dict[str, Value] = {"edits": float(len(edits)), "what": tuple(show(e) for e in edits)}
    values |= differences
    if moved is None or isinstance(mover, Following):
        return _followed(after, arrays, values)
    fresh = after["dynamic"]
    assert isinstance(fresh, DynamicModel)
    before = moved.observe(state)
    try:
        carried, impulses = fresh.join(arrays, edit)
    except ArticulataError as error:
        raise SimulationError(f"{_asked(decision)} at t = {state.time:.9g} s: {error}") from error
    free = fresh.observe(arrays)["dynamic.energy"][0] if impulses else None
    found = fresh.observe(carried)
    kinetic = float(found["dynamic.energy"][0])
    lost = 0.0 if free is None else float(free) - kinetic
    carried = _booked(carried, before["dynamic.energy"], found["dynamic.energy"], lost)
    values |= _energies(before, found, lost)
    values |= {f"impulse of {name}": impulse for name, impulse in impulses.items()}
    values |= _missed(edit, moved, state, fresh, arrays, carried)
    values |= _equations(moved, state, fresh, carried)
    carried = fresh.after_edit(state, carried)
    facts = MappingProxyType(values)
    if isinstance(mover, DynamicModel):
        return Edited(after, fresh, carried, facts, _story(values))
    resumed, begun = mover.resumed(fresh, carried)
    story = f"{_story(values)} MuJoCo's model is made anew where the bodies are."
    return Edited(after, resumed, begun, facts, story)


def _asked(decision: Decision) -> str:
    who = ", ".join(decision.by)
    return f"{who} ({decision.span})" if decision.span.line else who


def _followed(after: Models, state: State, values: dict[str, Value]) -> Edited:
    geometric = after["geometric"]
    assert isinstance(geometric, GeometricModel)
    mover = following(after, geometric)
    arrays = {**mover.start(), **state.arrays}
    mover_state = State(state.time, mover.consistent(arrays), state.version)
    return Edited(after, mover, mover_state, MappingProxyType(values), _story(values))


def _booked(state: State, before: Array, after: Array, lost: float) -> State:
    """Return ``state`` with the energy lost in joining booked as dissipated, the rest as work."""
    total = 3
    gained = float(after[total] - before[total])
    books = booked(state.arrays, gained + lost, np.array([0.0, 0.0, 0.0, lost]))
    return replace(state, arrays={**state.arrays, **books})


def _energies(
    before: Mapping[str, Array], after: Mapping[str, Array], lost: float
) -> dict[str, Value]:
    return {
        "kinetic_before": float(before["dynamic.energy"][0]),
        "kinetic_after": float(after["dynamic.energy"][0]),
        "energy_before": float(before["dynamic.energy"][3]),
        "energy_after": float(after["dynamic.energy"][3]),
        "energy_lost": lost,
        "momentum_before": tuple(before["dynamic.momentum"].tolist()),
        "momentum_after": tuple(after["dynamic.momentum"].tolist()),
    }


def _missed(
    edit: Edit, before: DynamicModel, then: State, after: DynamicModel, asked: State, now: State
) -> dict[str, Value]:
    """Return the velocities that an edit asks for and hinges do not leave, and what they leave."""
    found: dict[str, Value] = {}
    for name, put in puts(after.world, edit).items():
        number, old = after.parts.index[name], before.parts.index.get(name)
        for letter, channel, said in (("v", VELOCITY, put.velocity), ("w", RATE, put.rate)):
            if said is None or after.parts.kind[number] != FREE:
                continue
            wanted, left = asked.arrays[channel][number], now.arrays[channel][number]
            close = 1e-9 * (1.0 + float(np.max(np.abs(wanted))))
            kept = old is not None and np.allclose(
                wanted, then.arrays[channel][old], rtol=0.0, atol=close
            )
            if not kept and not np.allclose(wanted, left, rtol=0.0, atol=close):
                found[f"asked {letter} of {name}"] = tuple(wanted.tolist())
                found[f"left {letter} of {name}"] = tuple(left.tolist())
    return found


def _differences(before: World, after: World) -> dict[str, Value]:
    """Return which nodes an edit has added and taken away, by their ids."""
    found: dict[str, Value] = {}
    for what, gone, come in (
        ("hinges", "hinges_broken", "hinges_made"),
        ("bodies", "bodies_removed", "bodies_added"),
        ("forces", "forces_removed", "forces_added"),
        ("drives", "drives_removed", "drives_added"),
    ):
        old, new = getattr(before, what), getattr(after, what)
        if old is new or old.keys() == new.keys():
            continue
        lost = tuple(name for name in old if name not in new)
        made = tuple(name for name in new if name not in old)
        if lost:
            found[gone] = lost
        if made:
            found[come] = made
    ignored = sorted(" with ".join(sorted(pair)) for pair in after.ignored - before.ignored)
    if ignored:
        found["left_out"] = tuple(ignored)
    broken = [before.hinges[name] for name in found.get("hinges_broken", ())]  # type: ignore[union-attr, index] # names of hinges
    if broken:
        parted = [str(ref) for hinge in broken for pair in hinge.matching for ref in pair]
        found["features_parted"] = tuple(dict.fromkeys(parted))
    return found


def _equations(
    before: DynamicModel, then: State, after: DynamicModel, now: State
) -> dict[str, Value]:
    """Return how ``A x = b`` has changed: its size, its rank, and its rows and columns by name."""
    found: dict[str, Value] = {}
    rows: dict[str, tuple[str, ...]] = {}
    columns: dict[str, tuple[str, ...]] = {}
    for end, one, other in (("removed", before, after), ("added", after, before)):
        known = other.world.hinges
        hinges = [k for k, hinge in enumerate(one.parts.hinges) if hinge.id not in known]
        bodies = [
            body
            for body in one.parts.index.keys() - other.parts.index.keys()
            if one.parts.kind[one.parts.index[body]] != FIXED
        ]
        bodies.sort(key=one.parts.index.__getitem__)
        named = hinge_rows_named(one.parts, hinges)
        motions = tuple(f"{body} {letter}" for body in bodies for letter in MOTIONS)
        rows[end] = (*motions, *named)
        columns[end] = (*motions, *named)
    for end in ("removed", "added"):
        found[f"rows_{end}"] = rows[end]
        found[f"columns_{end}"] = columns[end]
    for end, model, state in (("before", before, then), ("after", after, now)):
        motions_of_all = 6 * int(np.sum(model.parts.kind != FIXED))
        found[f"unknowns_{end}"] = float(motions_of_all + len(model.parts.rows))
        found[f"hinge_rows_{end}"] = float(len(model.parts.rows))
        found[f"rank_{end}"] = float(motions_of_all + model.rank(state))
    return found


_TOLD = (
    ("hinges_broken", "Hinge {} ends", "Hinges {} end"),
    ("hinges_made", "Hinge {} holds from now on", "Hinges {} hold from now on"),
    ("bodies_removed", "Body {} leaves the world", "Bodies {} leave the world"),
    ("bodies_added", "Body {} enters the world", "Bodies {} enter the world"),
    ("forces_removed", "Force {} ends", "Forces {} end"),
    ("forces_added", "Force {} acts from now on", "Forces {} act from now on"),
)


def _story(values: Mapping[str, Value]) -> str:
    """Return what an edit did in a sentence or two."""
    parts = []
    for name, one, several in _TOLD:
        names = values.get(name)
        if isinstance(names, tuple) and names:
            form = one if len(names) == 1 else several
            parts.append(form.format(", ".join(str(each) for each in names)))
    if not parts:
        what = values["what"]
        assert isinstance(what, tuple)
        parts = ["; ".join(str(each) for each in what)]
    story = f"{'. '.join(parts)}."
    left_out = values.get("left_out")
    if isinstance(left_out, tuple) and "hinges_broken" in values:
        pairs = ", ".join(str(each) for each in left_out)
        story += f" Never tested for contact from now on: {pairs}."
    lost = values.get("energy_lost", 0.0)
    if isinstance(lost, float) and lost > 0.0:
        story += f" Joining took {lost:.6g} J of kinetic energy."
    for key, left in values.items():
        if key.startswith("left ") and isinstance(left, tuple) and key != "left_out":
            asked = values[f"asked {key.removeprefix('left ')}"]
            assert isinstance(asked, tuple)
            story += (
                f" The hinges leave {key.removeprefix('left ')} at {_numbers(left)}; "
                f"{_numbers(asked)} was asked for."
            )
    if "rank_before" in values:
        story += (
            f" The equations have {values['unknowns_after']:.0f} unknowns and rank "
            f"{values['rank_after']:.0f}, before {values['unknowns_before']:.0f} and "
            f"{values['rank_before']:.0f}."
        )
    return story


def _numbers(values: tuple[object, ...]) -> str:
    return "(" + ", ".join(f"{float(each):.6g}" for each in values) + ")"  # type: ignore[arg-type] # three numbers


class Gone:
    """What edits have taken away, when and for whom: what a later edit may ask for in vain."""

    def __init__(self) -> None:
        self.told: dict[str, str] = {}

    def note(self, values: Mapping[str, Value], time: float, by: str) -> None:
        """Note what an edit with these ``values`` has taken away."""
        for key, what, verb in (
            ("hinges_broken", "hinge", "broken"),
            ("bodies_removed", "body", "removed"),
        ):
            names = values.get(key, ())
            assert isinstance(names, tuple)
            for name in names:
                told = f"{what} '{name}' was {verb} before, at t = {time:.9g} s by {by}"
                self.told[str(name)] = told
                if what == "hinge":
                    parted = values.get("features_parted", ())
                    assert isinstance(parted, tuple)
                    self.told |= {str(feature): told for feature in parted}

    def said_of(self, edits: Sequence[Edit]) -> str:
        """Return what is known of the names that ``edits`` use, as the end of a message."""
        for edit in edits:
            path = str(getattr(edit, "path", ""))
            for name, told in self.told.items():
                if path and (name == path or name.endswith(f".{path}")):
                    return f": {told}"
        return ""


def edit_event(
    time: float, decision: Decision, made: Edited, asked: int, causes: Sequence[int]
) -> Event:
    """Return the event that tells of an edit."""
    names: list[str] = []
    for key, *_ in _TOLD:
        value = made.values.get(key)
        if isinstance(value, tuple):
            names += [str(each) for each in value]
    if not names:
        names = [_subject(edit, made.mover.world) for edit in decision.edits]
    values: dict[str, Value] = {
        **made.values,
        "by": decision.by,
        "asked": float(asked),
        "causes": tuple(float(each) for each in causes),
    }
    story = f"{made.story} Asked for by {', '.join(decision.by)}."
    who = tuple(dict.fromkeys(names))
    return Event(time, "edit", who, (), MappingProxyType(values), story, decision.span)


def _subject(edit: Edit, world: World) -> str:
    try:
        return edit.subject(world)
    except (NameNotFound, WorldError):
        return str(getattr(edit, "path", type(edit).__name__))
