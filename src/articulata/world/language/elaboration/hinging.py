"""Joins to hinges: kind, rows, frames on both bodies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from articulata.world import hinges as kinds
from articulata.world.hinges import (
    CylinderSurface,
    Helicoid,
    HingeKind,
    Plane,
    PointOnSurface,
    SphereSurface,
    Surface,
)
from articulata.world.language.elaboration.actuation import bound
from articulata.world.language.elaboration.evaluate import (
    Quantity,
    Scope,
    Turned,
    is_group,
    type_name,
)
from articulata.world.language.elaboration.function_calls import not_negative, positive
from articulata.world.language.syntax import tree as t
from articulata.world.language.vocabulary import HINGES, SURFACES
from articulata.world.model import Feature, Program
from articulata.world.single_frames import (
    along,
    cross,
    direction,
    frame_of,
    from_axes,
    length,
    multiply,
    subtract,
    tuple_scaled,
)
from articulata.world.values import NO_TURN, ZERO, Pose, Quaternion, Vector3

LENGTH_TOLERANCE = 1e-9
"""Relative difference of two matched distances beyond which no assembly can meet both; no unit."""


@dataclass(frozen=True, slots=True)
class Connection:
    """What a join makes: a hinge of ``kind`` turned by ``turn`` in its features, or a force."""

    kind: HingeKind | None
    turn: Quaternion | None = None
    force: str = ""
    program: Program = ()
    axes: tuple[Quaternion, Quaternion] | None = None
    """The hinge's axes on A and on B, in the bodies' own axes, where they are given outright."""


def built_in(scope: Scope, join: t.Join, name: str, factor: float = 1.0) -> Connection:
    """Return what a built-in word after ``with`` means with its options.

    ``factor`` enlarges the length of a spring; ``enlarged`` does the same to hinges.
    """
    word = HINGES[name]
    call = t.Call(join.hinge, join.options, span=join.span)
    given = bound(scope, call, word.signature)
    if name in ("spring", "damper"):
        return _force(scope, given, name, factor)
    turn = _frame_option(scope, given)
    if isinstance(turn, tuple) and len(turn) == 2:
        made = built_in(scope, _without_frame(join), name)
        return Connection(made.kind, None, "", (), turn)
    if name == "screw":
        lead = scope.number(given["lead"], "length")
        if lead == 0.0:
            raise scope.fail(given["lead"], "not-positive", "a screw's lead must not be 0")
        return Connection(kinds.screw(lead), turn or _axis(scope, given, "axis"))
    if name == "point.on.surface":
        value = given["surface"]
        if not isinstance(value, t.Call):
            raise scope.fail(
                value, "wrong-kind", "a surface is due here", "write plane((0, 0, 0), z)"
            )
        kind = HingeKind("point-on-surface", (PointOnSurface(ZERO, surface(scope, value)),))
        return Connection(kind, turn)
    kind = kinds.HINGE_KINDS[name]
    if name == "universal":
        return Connection(kind, turn or _universal(scope, given))
    return Connection(kind, turn or _axis(scope, given, "normal" if name == "planar" else "axis"))


def _without_frame(join: t.Join) -> t.Join:
    options = tuple(each for each in join.options if each.name != "frame")
    return replace(join, options=options)


def _frame_option(
    scope: Scope, given: dict[str, t.Expression]
) -> Quaternion | tuple[Quaternion, Quaternion] | None:
    """Return ``frame: rotation``, the hinge's frame in the features it matches.

    Two rotations are its axes on the first and on the second body, in the bodies' own axes.
    """
    if "frame" not in given:
        return None
    value = scope.evaluate(given["frame"])
    if isinstance(value, tuple) and len(value) == 2:
        a, b = value
        if isinstance(a, Turned) and isinstance(b, Turned):
            return a.quaternion, b.quaternion
    if not isinstance(value, Turned):
        raise scope.unlike(given["frame"], "a rotation is", value)
    if "axis" in given or "normal" in given or "second" in given:
        raise scope.fail(given["frame"], "duplicate", "give the axis or the frame, not both")
    return value.quaternion


def _axis(scope: Scope, given: dict[str, t.Expression], slot: str) -> Quaternion | None:
    return along(scope.direction(given[slot])) if slot in given else None


def _universal(scope: Scope, given: dict[str, t.Expression]) -> Quaternion | None:
    """Return the frame whose z is the axis on A and whose x is the second axis, on B."""
    if not given:
        return None
    z = scope.direction(given["axis"]) if "axis" in given else kinds.Z
    if "second" not in given:
        return along(z)
    x = scope.direction(given["second"])
    if length(cross(z, x)) < 1e-6:
        raise scope.fail(
            given["second"], "bad-direction", "the two axes of a universal hinge must cross"
        )
    return frame_of(z, x)


def _force(scope: Scope, given: dict[str, t.Expression], name: str, factor: float) -> Connection:
    program: list[tuple[str, float]] = []
    if name == "spring":
        stiffness = not_negative(scope, given["stiffness"], "stiffness", "a stiffness")
        program.append(("distance", 0.0))
        if "length" in given:
            rest = not_negative(scope, given["length"], "length", "the length of a spring")
            program += [("push", factor * rest), ("sub", 0.0)]
        program += [("push", stiffness), ("mul", 0.0)]
    if "damping" in given:
        damping = not_negative(scope, given["damping"], "damping", "a damping")
        program += [("speed", 0.0), ("push", damping), ("mul", 0.0)]
        if name == "spring":
            program.append(("add", 0.0))
    return Connection(None, None, name, tuple(program))


# ---- surfaces and hinges of the user


def surface(scope: Scope, item: t.Call) -> Surface:
    """Return a surface: plane, sphere, cylinder or helicoid."""
    name = item.function.text
    signature = SURFACES.get(name)
    if signature is None:
        message = f"there is no surface '{name}'"
        raise scope.unknown(item.function, "unknown-function", message, name, SURFACES)
    given = bound(scope, item, signature)
    if name == "plane":
        return Plane(scope.direction(given["normal"]), scope.vector(given["point"], "length"))
    if name == "helicoid":
        lead = scope.number(given["lead"], "length")
        if lead == 0.0:
            raise scope.fail(given["lead"], "not-positive", "the lead of a helicoid must not be 0")
        return Helicoid(lead)
    radius = positive(scope, given["radius"], "length", "a radius")
    if name == "sphere":
        return SphereSurface(radius, scope.vector(given["center"], "length"))
    axis = scope.direction(given["axis"])
    return CylinderSurface(radius, axis, scope.vector(given["point"], "length"))


def own_kind(
    scope: Scope, item: t.HingeType, parameters: tuple[tuple[str, float], ...]
) -> HingeKind:
    """Return the kind that a ``hinge`` definition makes of its rows."""
    rows: list[PointOnSurface] = []
    for row in item.rows:
        if row.point_of == "second":
            raise scope.fail(
                row,
                "wrong-kind",
                "a row keeps a point of first on a surface of second",
                "join the bodies the other way round, or write the row for first",
            )
        rows.append(PointOnSurface(scope.vector(row.point, "length"), surface(scope, row.surface)))
    if not rows:
        raise scope.fail(item, "empty", f"hinge '{item.name}' has no rows")
    return HingeKind(type_name(item.name), tuple(rows), (), parameters)


# ---- frames


def hinge_frames(
    scope: Scope,
    item: t.Join,
    turn: Quaternion | None,
    matched: list[tuple[Feature, Feature]],
    axes: tuple[Quaternion, Quaternion] | None = None,
) -> tuple[Pose, Pose]:
    """Return ``X_AH`` and ``X_BH`` from one to three matched pairs of features.

    One pair: the features' own frames, turned so that z is the hinge's axis. Two pairs: z runs
    from the first to the second. Three: x and y lie in their plane, z is its normal.
    """
    a, b = matched[0]
    if axes is not None:
        return Pose(a.pose.position, axes[0]), Pose(b.pose.position, axes[1])
    if len(matched) == 1:
        if turn is None or turn == NO_TURN:
            return a.pose, b.pose
        return (
            Pose(a.pose.position, multiply(a.pose.orientation, turn)),
            Pose(b.pose.position, multiply(b.pose.orientation, turn)),
        )
    if turn is not None:
        scope.warn(
            item,
            "unused",
            "the axis runs through the two matched points; the axis given is not used",
            "leave out the axis, or match one pair",
        )
    on_a = [pair[0].pose.position for pair in matched]
    on_b = [pair[1].pose.position for pair in matched]
    for first in range(len(matched)):
        for second in range(first):
            _same_distance(scope, item, on_a, on_b, first, second)
    return Pose(on_a[0], _spanned(scope, item, on_a)), Pose(on_b[0], _spanned(scope, item, on_b))


def _same_distance(
    scope: Scope, item: t.Join, on_a: list[Vector3], on_b: list[Vector3], i: int, j: int
) -> None:
    far_a = length(subtract(on_a[i], on_a[j]))
    far_b = length(subtract(on_b[i], on_b[j]))
    if min(far_a, far_b) == 0.0:
        raise scope.fail(
            item.matching[i], "same-point", "two matched points of one body are the same"
        )
    if abs(far_a - far_b) > LENGTH_TOLERANCE * max(far_a, far_b):
        raise scope.fail(
            item.matching[i],
            "cannot-match",
            f"these points are {far_a:.6g} m apart on the first body and {far_b:.6g} m on the "
            "second, so both pairs can never meet",
        )


def _spanned(scope: Scope, item: t.Join, points: list[Vector3]) -> Quaternion:
    first = direction(subtract(points[1], points[0]))
    if len(points) == 2:
        return along(first)
    normal = cross(first, subtract(points[2], points[0]))
    if length(normal) < 1e-12:
        raise scope.fail(item, "same-point", "the three matched points lie on one line")
    z = direction(normal)
    return from_axes(first, cross(z, first), z)


def enlarged(kind: HingeKind, factor: float) -> HingeKind:
    """Return a kind of hinge with its lengths times ``factor``: a lead, a surface, a point."""
    if factor == 1.0 or (kind.name in kinds.HINGE_KINDS and kind.name != "point-on-surface"):
        return kind
    if kind.name == "screw":
        return kinds.screw(factor * dict(kind.parameters)["lead"])
    rows = tuple(
        PointOnSurface(tuple_scaled(row.point, factor), _enlarged(row.surface, factor))
        for row in kind.rows
    )
    return replace(kind, rows=rows)


def _enlarged(surface: Surface, factor: float) -> Surface:
    if isinstance(surface, Plane):
        return replace(surface, point=tuple_scaled(surface.point, factor))
    if isinstance(surface, SphereSurface):
        return SphereSurface(factor * surface.radius, tuple_scaled(surface.center, factor))
    if isinstance(surface, CylinderSurface):
        point = tuple_scaled(surface.point, factor)
        return CylinderSurface(factor * surface.radius, surface.axis, point)
    return Helicoid(factor * surface.lead)


def check_limits(scope: Scope, low: float, high: float, item: t.Expression) -> None:
    """Refuse limits of which the lower one is the greater."""
    if low > high:
        raise scope.fail(
            item,
            "wrong-order",
            f"the lower limit {low:g} is greater than the upper limit {high:g}",
            "write (low, high)",
        )


def limits_of(
    scope: Scope, item: t.Expression, kind: HingeKind, factor: float = 1.0
) -> tuple[tuple[float, float], ...]:
    """Return a hinge's limits, one (low, high) for each coordinate, in SI; travels enlarged."""
    value = scope.evaluate(item)
    count = len(kind.coordinates)
    pairs: Any = value
    if not isinstance(value, tuple) or len(value) < 1 or _is_pair(value):
        pairs = (value,)
    if not count:
        raise scope.fail(item, "wrong-count", f"a {kind.name} has no coordinate to limit")
    if len(pairs) != count or not all(_is_pair(pair) for pair in pairs):
        needed = "(low, high)" if count == 1 else f"{count} pairs, ((low, high), (low, high))"
        raise scope.fail(item, "wrong-count", f"the limits of a {kind.name} are {needed}")
    limits: list[tuple[float, float]] = []
    told = item.items if count == 1 and isinstance(item, t.Tuple) else ()
    ends = told if len(told) == 2 else (item, item)
    for name, pair in zip(kind.coordinates, pairs, strict=True):
        quantity = "length" if name == "travel" else "angle"
        times = factor if name == "travel" else 1.0
        least, most = (
            scope.to_kind(each, quantity, at) for each, at in zip(pair, ends, strict=True)
        )
        check_limits(scope, least, most, item)
        limits.append((times * least, times * most))
    return tuple(limits)


def _is_pair(value: Any) -> bool:
    return is_group(value, 2) and all(isinstance(each, Quantity) for each in value)


def restitution_of(scope: Scope, item: t.Expression | None) -> float:
    """Return the restitution of a hinge's limits, 0 where nothing is said."""
    if item is None:
        return 0.0
    value = scope.number(item, "number")
    if not 0.0 <= value <= 1.0:
        raise scope.fail(
            item,
            "out-of-range",
            f"a hinge cannot leave its limit with {value:g} times the speed it came with",
            "give a number from 0 to 1",
        )
    return value


def strength_of(scope: Scope, item: t.Expression) -> tuple[float | None, float | None]:
    """Return the force (N) and moment (N m) that a hinge bears."""
    value = scope.evaluate(item)
    if _is_pair(value):
        force = scope.to_kind(value[0], "force", item)
        moment = scope.to_kind(value[1], "torque", item)
    else:
        force, moment = scope.to_kind(value, "force", item), None
    if force <= 0 or (moment is not None and moment <= 0):
        raise scope.fail(item, "not-positive", "what a hinge bears must be greater than 0")
    return (force, moment)
