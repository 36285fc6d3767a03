"""A running simulation's world edited: models, state, and what the edit cost.

The edits of one instant are one transaction. Bodies that stay keep place and velocity; what is
joined is met by an impact that adds no energy; the rest of a change in energy is work that the
editor's hand has done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from articulata.analyses.simulate.reacting import Decision
from articulata.domains.assemble import Models
from articulata.domains.protocols import Motion
from articulata.errors import ArticulataError, NameNotFound, SimulationError, WorldError
from articulata.records.events import Event, Value
from articulata.records.state import State
from articulata.world.edits.transaction import Edit, Transaction, show
from articulata.world.model import World
from articulata.world.values import Span


@dataclass(frozen=True, slots=True)
class Edited:
    """A simulation right after an edit, and what is told of it."""

    models: Models
    mover: Motion
    state: State
    values: Mapping[str, Value]
    story: str


def edited(models: Models, mover: Motion, state: State, decision: Decision, gone: Gone) -> Edited:
    """Return the simulation after ``decision``; SimulationError changes nothing."""
    edits = decision.edits
    edit = edits[0] if len(edits) == 1 else Transaction(edits)
    at = f"{_asked(decision, decision.span)} at t = {state.time:.9g} s"
    try:
        after, carried = models.transfer(edit, state)
    except (WorldError, NameNotFound) as error:
        told = gone.said_of(edits) or f": {error}"
        raise SimulationError(f"{at}{told}") from error
    differences = _differences(models.world, after.world)
    gone.note(differences, state.time, _asked(decision, decision.span.without_folder()))
    try:
        moved = mover.after(after, state, carried, edit)
    except ArticulataError as error:
        raise SimulationError(f"{at}: {error}") from error
    values: dict[str, Value] = {"edits": float(len(edits)), "what": tuple(show(e) for e in edits)}
    values |= {**differences, **moved.values}
    facts, story = MappingProxyType(values), f"{_story(values)}{moved.note}"
    return Edited(after, moved.motion, moved.state, facts, story)


def _asked(decision: Decision, span: Span) -> str:
    who = ", ".join(decision.by)
    return f"{who} ({span})" if span.line else who


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
    if "forces_removed" in values or "forces_added" in values:
        story += _gone_with(values)
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


def _gone_with(values: Mapping[str, Value]) -> str:
    """Return how much energy left or entered with what an edit takes away or adds."""
    known = [values.get(name) for name in ("energy_before", "energy_after", "energy_lost")]
    before, after, lost = (each if isinstance(each, float) else 0.0 for each in known)
    gone = before - after - lost
    if abs(gone) <= 1e-9 * max(abs(before), abs(after)):
        return ""
    return f" {abs(gone):.6g} J of energy {'went' if gone > 0.0 else 'came'} with that."


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
