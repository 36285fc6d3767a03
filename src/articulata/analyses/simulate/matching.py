"""Which events an ``on`` clause waits for, and what it does then as edits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from articulata.analyses.simulate.crossings import Read, margin, ready, show
from articulata.analyses.simulate.sensing import Moment
from articulata.errors import NameNotFound, SimulationError
from articulata.geometry.arrays import Array
from articulata.records.events import Event
from articulata.world.edits.figure_edits import RemoveFigure
from articulata.world.edits.force_edits import Heed, Ignore
from articulata.world.edits.motion_edits import StartMotion
from articulata.world.edits.structure_edits import (
    MakeHinge,
    RemoveBody,
    RemoveComponent,
    broken,
)
from articulata.world.edits.transaction import Edit
from articulata.world.edits.value_edits import Place, SetProperty
from articulata.world.hinges import WELD
from articulata.world.model import Hinge, World
from articulata.world.paths import known, resolve, resolve_body, resolve_hinge
from articulata.world.requests.request import Action, OptionValue, Rule
from articulata.world.single_frames import compose, inverse
from articulata.world.values import Pose, Span, vector_of

KINDS: dict[str, frozenset[str]] = {
    "contact": frozenset({"contact", "impact", "settled"}),
    "impact": frozenset({"impact", "settled"}),
    "separation": frozenset({"separation"}),
    "settled": frozenset({"settled"}),
    "stick": frozenset({"stick"}),
    "slip": frozenset({"slip"}),
    "limit": frozenset({"limit", "settled"}),
    "saturation": frozenset({"saturation"}),
    "regulation": frozenset({"regulation"}),
    "break": frozenset({"break", "edit"}),
}
"""The kinds of event that the words of a clause stand for: to touch is to strike or to rest on."""

ABOUT_HINGES = ("break", "limit", "saturation", "regulation")
"""Those of them that name a hinge."""

EVENT_WORDS = {
    "impulse": "impulse",
    "speed": "approach_speed",
    "angular_impulse": "impulse",
    "rate": "approach_speed",
    "force": "force",
    "moment": "moment",
}
"""What a clause may ask of the event itself, by the name the event's values have."""


TURNING = ("angular_impulse", "rate")
"""Those of them that are about an angle: of a hinge that reaches a limit of it."""

STROKES = ("impulse", "speed", *TURNING)
"""Those that are zero where nothing struck, or where what struck was of the other sort."""


def title(rule: Rule) -> str:
    """Return a clause's event as a text would write it: "on contact(rod, floor)"."""
    if rule.event == "condition":
        return f"on {show(rule.operands)}"
    if rule.event == "time":
        return f"on time {show(rule.operands[0])} s"
    listed = ", ".join(str(each) for each in rule.operands)
    text = f"on {rule.event} {listed}" if rule.event in ABOUT_HINGES else (
        f"on {rule.event}({listed})"
    )  # fmt: skip
    return text if rule.given is None else f"{text} with {show(rule.given)}"


def waits_for(rule: Rule, event: Event, moment: Moment) -> bool:
    """Tell whether ``event`` is what the clause waits for."""
    if event.kind not in KINDS.get(rule.event, ()):
        return False
    if rule.event in ABOUT_HINGES:
        if not _is_hinge(rule, event, moment.world):
            return False
    else:
        places = frozenset(event.where)
        if not all(
            any(_is_place(str(operand), body, places, moment.world) for body in event.who)
            for operand in rule.operands
        ):
            return False
    read = _reader(event, moment)
    if rule.given is None:
        return True
    return margin(rule.given, lambda side: ready(side, lambda path: lambda _: read(path))(None)) > 0


def _is_place(operand: str, body: str, places: frozenset[str], world: World) -> bool:
    """Tell whether ``operand`` is a body, one that holds it, or a feature that took part."""
    if operand == body or body.startswith(f"{operand}."):
        return True
    own = [place for place in places if place.startswith(f"{body}.")]
    # The ground's only face may be called its surface.
    names = {operand, f"{operand[:-7]}top"} if operand.endswith(".surface") else {operand}
    if any(place == name or place.endswith(f".{name}") for place in own for name in names):
        return True
    found = known(world, operand)
    if found is None:
        return False
    if found.kind == "feature":
        return found.id == body and f"{body}.{found.feature}" in places
    return found.kind in ("body", "component", "figure") and (
        found.id == body or body.startswith(f"{found.id}.")
    )


def _is_hinge(rule: Rule, event: Event, world: World) -> bool:
    broken = event.values.get("hinges_broken", ()) if event.kind == "edit" else event.who
    assert isinstance(broken, tuple)
    name = str(rule.operands[0])
    if any(each == name or str(each).endswith(f".{name}") for each in broken):
        return True
    # A hinge that is still there may be named by a feature it matches.
    try:
        return resolve_hinge(world, name) in broken
    except NameNotFound:
        met = event.values.get("features_parted", ())
        assert isinstance(met, tuple)
        return any(each == name or str(each).endswith(f".{name}") for each in met)


def _reader(event: Event, moment: Moment) -> Read:
    def read(path: str) -> Array | float:
        name = EVENT_WORDS.get(path)
        turns = event.values.get("coordinate") == "angle"
        if path in STROKES and turns != (path in TURNING):
            return 0.0
        value = None if name is None else event.values.get(name)
        if isinstance(value, float | int):
            return float(value)
        if path in STROKES:
            return 0.0
        return moment.value(path)

    return read


POINTED = ("revolute", "ball.and.socket", "universal")
"""Kinds of hinge that hold a point of each body at one of the other and let both turn."""

Said = dict[str, dict[str, Array]]
"""The velocities that a clause has given to bodies so far, by "v" and "w"."""


def edits_of(action: Action, moment: Moment, said: Said) -> Iterator[Edit]:
    """Yield what an action of a clause does at ``moment``; "stop" does nothing to the world."""
    world = moment.world
    if action.edits:
        yield from action.edits
    elif action.verb == "break":
        yield broken(world, str(action.operands[0]))
    elif action.verb == "remove":
        yield from _removed(world, action)
    elif action.verb == "set":
        yield _set(action, moment, said)
    elif action.verb in ("ignore", "heed"):
        kind = Ignore if action.verb == "ignore" else Heed
        for first in _bodies(world, action.operands[0], action.span):
            for second in _bodies(world, action.operands[1], action.span):
                if first != second:
                    yield kind(first, second)
    elif action.verb == "weld":
        yield _weld(action, moment)
    elif action.verb == "start":
        yield StartMotion(str(action.operands[0]), moment.time)
    elif action.verb == "place":
        yield from _placed(action, moment)


def _set(action: Action, moment: Moment, said: Said) -> Edit:
    """Return what sets a property, or a velocity at this instant."""
    path, value = str(action.operands[0]), action.operands[1]
    owner, _, name = path.rpartition(".")
    if name == "strength":
        assert isinstance(value, tuple)
        return SetProperty(path, tuple(None if each == -1.0 else each for each in value))
    if name not in ("v", "w") or not owner:
        return SetProperty(path, value)
    body = resolve_body(moment.world, owner)
    now = said.get(body)
    if now is None:
        now = {each: np.asarray(moment.value(f"{body}.{each}")) for each in ("v", "w")}
        said[body] = now
    turn = np.array(value, dtype=float) - now["w"]
    now[name] = np.array(value, dtype=float)
    center = "mass_center" if "dynamic.position" in moment.state.arrays else "center"
    at = np.asarray(moment.value(f"{body}.{center}"))
    held = _held_at(moment, body) if name == "w" and "v said" not in now else None
    if held is not None:
        now["v"] = now["v"] + np.cross(turn, at - held)
    now[f"{name} said"] = now[name]
    arm = at - moment.value(f"{body}.origin")
    # An edit gives the velocity of the body frame's origin; the text means that of its centre.
    origin = now["v"] - np.cross(now["w"], arm)
    return Place(body, velocity=vector_of(origin), rate=vector_of(now["w"]))


def _held_at(moment: Moment, body: str) -> Array | None:
    """Return the point in W (m) that a hinge holds of ``body``: about it the body is to turn.

    That of a hinge on what stands still, or of the only such hinge; None where there is none.
    """
    found = [
        (other, frame)
        for hinge in moment.world.hinges.values()
        for here, other, frame in (
            (hinge.body_a, hinge.body_b, hinge.frame_a),
            (hinge.body_b, hinge.body_a, hinge.frame_b),
        )
        if here == body and hinge.kind.name in POINTED
    ]
    still = [each for each in found if moment.world.bodies[each[0]].motion == "fixed"]
    chosen = still or found
    if len(chosen) != 1:
        return None
    return np.array(compose(moment.pose(body), chosen[0][1]).position)


def _bodies(world: World, path: OptionValue, span: Span) -> tuple[str, ...]:
    """Return the bodies that a path names: one, or all of a component."""
    try:
        found = resolve(world, str(path))
    except NameNotFound as error:
        raise SimulationError(f"{span}: {error}") from None
    if found.kind in ("component", "figure"):
        within = tuple(name for name in world.bodies if name.startswith(f"{found.id}."))
        if within:
            return within
    return (resolve_body(world, str(path)),)


def _removed(world: World, action: Action) -> Iterator[Edit]:
    """Yield the edits that take away what an action names: a figure as a whole."""
    path = str(action.operands[0])
    bodies = _bodies(world, path, action.span)
    within = set(bodies)
    for node in world.figures.values():
        if node.carriers and within.issuperset(node.carriers):
            yield RemoveFigure(node.id)
            within.difference_update(node.carriers)
    yield from (RemoveBody(body) for body in bodies if body in within)
    yield from _emptied(world, path)


def _emptied(world: World, path: str) -> Iterator[Edit]:
    """Yield the edits that take away the components of ``path``, the inner ones first."""
    found = resolve(world, path)
    if found.kind == "component":
        figures = {node.id for node in world.figures.values() if node.carriers}
        inner = [
            name
            for name in world.components
            if name.startswith(f"{found.id}.") and name not in figures
        ]
        yield from (RemoveComponent(name) for name in reversed((found.id, *inner)))


def _weld(action: Action, moment: Moment) -> Edit:
    """Return the join of two bodies as they stand to each other at ``moment``."""
    name, one, other = (str(each) for each in action.operands[:3])
    a, b = (resolve_body(moment.world, each) for each in (one, other))
    X_BA = compose(inverse(moment.pose(b)), moment.pose(a))
    force, moment_borne = action.operands[3:] or (-1.0, -1.0)
    strength = tuple(None if each == -1.0 else each for each in (force, moment_borne))
    hinge = Hinge(name, WELD, a, b, (), Pose(), X_BA, (), strength, action.span)  # type: ignore[arg-type] # two numbers
    return MakeHinge(hinge)


def _placed(action: Action, moment: Moment) -> Iterator[Edit]:
    """Yield the edits that move a component, as it stands, so that a feature is at a point."""
    path, feature, target = action.operands
    assert isinstance(target, tuple)
    here = np.asarray(moment.value(str(feature)))
    way = np.array([float(each) for each in target]) - here  # type: ignore[arg-type] # three numbers
    for body in _bodies(moment.world, path, action.span):
        pose = moment.pose(body)
        x, y, z = (np.array(pose.position) + way).tolist()
        yield Place(body, Pose((x, y, z), pose.orientation))
