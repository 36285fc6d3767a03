"""``place`` statements: points, turns, hinge coordinates, velocities and properties."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from articulata.world.language.diagnostics import Abandon, span_of
from articulata.world.language.elaboration.binding import Elaboration
from articulata.world.language.elaboration.evaluate import Scope, is_group
from articulata.world.language.elaboration.instances import (
    BodyInstance,
    Broken,
    Clause,
    CompositeInstance,
    Instance,
    RigidMotion,
    locate,
    locate_body,
    locate_feature,
)
from articulata.world.language.elaboration.primitive_parts import read_property
from articulata.world.language.elaboration.shape_calls import near, turn_of
from articulata.world.language.elaboration.standing import pose_said, root_of_figure, says_posture
from articulata.world.language.syntax import tree as t
from articulata.world.language.vocabulary import LOOSE
from articulata.world.model import Feature, Hinge, PropertyValue
from articulata.world.values import ZERO, Vector3

STANDARD_GRAVITY: Vector3 = (0.0, -9.81, 0.0)
"""What ``properties: (gravity)`` of a placed component means, in m/s^2, y up (1986 report)."""

MOTION_WORDS = ("velocity",)


def place(
    elaboration: Elaboration, scope: Scope, owner: CompositeInstance, item: t.Place, factor: float
) -> None:
    """Note what one statement says of its target; each clause stands for itself."""
    target, used = locate(scope, owner, item.target)
    if used < len(item.target.parts) or isinstance(target, Hinge):
        locate_body(scope, owner, item.target)
        raise Abandon
    first: Clause | None = None
    motions: list[t.PlaceSet] = []
    for clause in item.clauses:
        with suppress(Abandon):
            if isinstance(clause, t.PlaceAt):
                made = _at(scope, owner, clause, target, factor)
                _agree(scope, owner, clause, made)
                owner.said.append(made)
                first = first or made
            elif isinstance(clause, t.Properties):
                _properties(scope, clause, target)
            elif clause.path.simple in MOTION_WORDS:
                motions.append(clause)
            elif isinstance(target, CompositeInstance) and says_posture(
                scope, owner, clause, target, factor
            ):
                continue
            elif clause.path.simple == "position":
                made = _position(scope, clause, target, factor)
                _agree(scope, owner, clause, made)
                owner.said.append(made)
                first = first or made
            elif clause.path.simple == "pose":
                _pose(scope, clause, target)
            else:
                _coordinate(elaboration, scope, owner, clause, target, factor)
    for motion in motions:
        try:
            v, w = _velocity(scope, motion)
        except Abandon:
            continue
        elaboration.motions.append(RigidMotion(target, v, w, first, owner))


def _at(
    scope: Scope, owner: CompositeInstance, clause: t.PlaceAt, target: Instance, factor: float
) -> Clause:
    body, feature = locate_feature(scope, owner, clause.path, target)
    if not _within(body, target):
        raise scope.fail(
            clause.path,
            "wrong-kind",
            f"'{clause.path.text}' is no part of what is placed here",
            f"name a feature of '{target.name}'",
        )
    turn = turn_of(scope, clause.turns) if clause.turns else None
    span = span_of(scope.source, clause.span)
    onto = _onto(scope, owner, clause.at)
    if onto is not None:
        if onto[0] is body or _within(onto[0], target):
            scope.warn(clause.at, "unused", "this places a thing on a part of itself")
        return Clause(body, feature, ZERO, onto, turn, target, span)
    x, y, z = near(scope, scope.vector(clause.at, "length"), clause.at)
    return Clause(body, feature, (factor * x, factor * y, factor * z), None, turn, target, span)


def _agree(
    scope: Scope, owner: CompositeInstance, clause: t.PlaceAt | t.PlaceSet, made: Clause
) -> None:
    """Refuse what puts a feature of a body in a second place, or turns it a second time."""
    for other in owner.said:
        if other.body is not made.body or other.feature.name != made.feature.name:
            continue
        elsewhere = other.onto != made.onto or (made.onto is None and other.point != made.point)
        if elsewhere or (None not in (other.turn, made.turn) and other.turn != made.turn):
            what = "placed somewhere else" if elsewhere else "turned another way"
            raise scope.fail(
                clause,
                "duplicate",
                f"'{made.feature.name}' of '{made.body.id}' is {what} already, on line "
                f"{other.span.line}",
                "remove one of the two; what moves later is moved by an event or by edit()",
            )


def _onto(
    scope: Scope, owner: CompositeInstance, item: t.Expression
) -> tuple[BodyInstance, Feature] | None:
    """Return the feature that something is placed on, None where a point is given."""
    if not isinstance(item, t.Path):
        return None
    if item.simple and scope.name(item.simple) is not None:
        return None
    if scope.look_up is not None and scope.look_up(item) is not None:
        return None
    return locate_feature(scope, owner, item)


def _position(scope: Scope, clause: t.PlaceSet, target: Instance, factor: float) -> Clause:
    """Return ``position = (x, y, z)`` as a clause about the centre of a body."""
    if not isinstance(target, BodyInstance):
        raise scope.fail(
            clause.path,
            "wrong-kind",
            "only a body has a position",
            "say where one of its features is: place c by c.rod.top at (0, 1, 0)",
        )
    feature = target.type.feature("center")
    assert feature is not None
    x, y, z = scope.vector(clause.value, "length")
    point = (factor * x, factor * y, factor * z)
    return Clause(target, feature, point, None, None, target, span_of(scope.source, clause.span))


def _pose(scope: Scope, clause: t.PlaceSet, target: Instance) -> None:
    """Start a body at ``pose = ((x, y, z), rotation)`` in W; assembly may move it."""
    if not isinstance(target, BodyInstance):
        raise scope.fail(clause.value, "wrong-kind", "a body starts at a pose", "place its bodies")
    target.exact = pose_said(scope, clause, "a body starts at a pose")


def _within(body: BodyInstance, target: Instance) -> bool:
    if body is target:
        return True
    owner: CompositeInstance | None = body.owner
    while owner is not None:
        if owner is target:
            return True
        owner = owner.owner
    return False


def _velocity(scope: Scope, clause: t.PlaceSet) -> tuple[Vector3, Vector3]:
    """Return ((vx, vy, vz) (wx, wy, wz)), or the first triple alone."""
    value = scope.evaluate(clause.value)
    if is_group(value, 3):
        return scope.to_vector(value, "speed", clause.value), ZERO
    if is_group(value, 2):
        items: Any = clause.value.items if isinstance(clause.value, t.Tuple) else (clause,) * 2
        return (
            scope.to_vector(value[0], "speed", items[0]),
            scope.to_vector(value[1], "rate", items[1]),
        )
    raise scope.unlike(clause.value, "a velocity is", value, "write ((vx, vy, vz) (wx, wy, wz))")


def _coordinate(
    elaboration: Elaboration,
    scope: Scope,
    owner: CompositeInstance,
    clause: t.PlaceSet,
    target: Instance,
    factor: float,
) -> None:
    """Note ``path.angle = value`` or ``path.rate = value`` of a hinge, or of what moves on it."""
    quantity = clause.path.parts[-1].name
    before = clause.path.parts[:-1]
    if quantity not in ("angle", "travel", "rate"):
        raise scope.fail(
            clause.path,
            "unknown-name",
            f"'{clause.path.text}' cannot be set here",
            "set velocity, or the angle, travel or rate of a hinge",
        )
    hinge = _hinge(elaboration, scope, owner, clause, before, target)
    names = hinge.kind.coordinates
    if quantity == "rate":
        if not names:
            raise scope.fail(clause.path, "wrong-kind", f"a {hinge.kind.name} has no rate to set")
        kind = "speed" if names[0] == "travel" else "rate"
        elaboration.rates[hinge.id] = scope.number(clause.value, kind)
        return
    if quantity not in names:
        there = f"; it has {', '.join(names)}" if names else ""
        told = f"a {hinge.kind.name} has no {quantity}{there}"
        own = hinge.id.rpartition(".")[2]
        raise scope.fail(
            clause.path, "wrong-kind", told, f"write {own}.{names[0]} = ..." if names else ""
        )
    value = scope.number(clause.value, "length" if quantity == "travel" else "angle")
    value *= factor if quantity == "travel" else 1.0
    if hinge.limits:
        low, high = hinge.limits[names.index(quantity)]
        if not low <= value <= high:
            raise scope.fail(
                clause.value,
                "out-of-range",
                f"{value:g} lies outside the limits ({low:g}, {high:g}) of '{hinge.id}'",
            )
    known = elaboration.coordinates.get(f"{hinge.id}.{quantity}")
    if known is not None and known != value:
        raise scope.fail(clause, "duplicate", f"the {quantity} of '{hinge.id}' is set twice")
    elaboration.coordinates[f"{hinge.id}.{quantity}"] = value


def _hinge(
    elaboration: Elaboration,
    scope: Scope,
    owner: CompositeInstance,
    clause: t.PlaceSet,
    parts: tuple[t.Part, ...],
    target: Instance,
) -> Hinge:
    if parts:
        path = t.Path(parts, span=clause.path.span)
        node, used = locate(scope, owner, path)
        if used < len(parts):
            body, feature = locate_feature(scope, owner, path, target)
            return _only(
                scope,
                clause,
                [
                    hinge
                    for hinge in elaboration.hinges.values()
                    if any(
                        ref.body == body.id and ref.feature == feature.name
                        for pair in hinge.matching
                        for ref in pair
                    )
                ],
                path.text,
            )
        if isinstance(node, Hinge):
            return node
    else:
        node = target
    if not isinstance(node, BodyInstance):
        raise scope.fail(clause.path, "wrong-kind", f"'{clause.path.text}' names no hinge")
    moving = [hinge for hinge in elaboration.hinges.values() if hinge.body_a == node.id]
    return _only(scope, clause, moving, node.id)


def _only(scope: Scope, clause: t.PlaceSet, found: list[Hinge], name: str) -> Hinge:
    if len(found) == 1:
        return found[0]
    if not found:
        raise scope.fail(clause.path, "unknown-name", f"'{name}' moves on no hinge")
    listed = ", ".join(hinge.id for hinge in found[:6])
    raise scope.fail(
        clause.path,
        "ambiguous-name",
        f"'{name}' moves on {len(found)} hinges",
        f"name one of {listed}",
    )


def _properties(scope: Scope, clause: t.Properties, target: Instance) -> None:
    """Give all bodies of the target gravity, hold them, or overrule their properties."""
    if isinstance(target, Broken):
        raise Abandon
    bodies = [target] if isinstance(target, BodyInstance) else target.bodies()
    standing = bodies
    if isinstance(target, CompositeInstance) and target.derived is not None:
        standing = root_of_figure(target)
    for field in clause.fields:
        word = field.value.simple if isinstance(field.value, t.Path) else ""
        if field.name == "gravity" or (field.name is None and word == "gravity"):
            gravity = STANDARD_GRAVITY
            if field.name is not None:
                gravity = scope.vector(field.value, "acceleration")
            for body in bodies:
                body.gravity = gravity
            continue
        flags: set[str] = set()
        properties: dict[str, PropertyValue] = {}
        try:
            material = read_property(scope, field, properties, flags)
        except Abandon:
            continue
        if LOOSE in flags and (isinstance(target, BodyInstance) or target.derived is None):
            raise scope.fail(
                field, "wrong-kind", f"{LOOSE} are figures with a table of joints", "leave it out"
            )
        for body in standing:
            body.fixed |= "fixed" in flags
            body.held |= "placed" in flags
        for body in bodies:
            if material is not None:
                body.material = material
            if properties:
                body.properties = {**(body.properties or {}), **properties}
