"""Tables of joints in a text: conventions, rows, places, motors and the links they carry."""

from __future__ import annotations

from collections.abc import Callable, Collection
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from articulata.world.figures.nodes import Following, JointRow, LinkData, TableNode
from articulata.world.language.diagnostics import Abandon, span_of
from articulata.world.language.elaboration.actuation import bound
from articulata.world.language.elaboration.evaluate import Scope, is_group
from articulata.world.language.elaboration.hinging import check_limits
from articulata.world.language.elaboration.instances import CompositeInstance, locate_body
from articulata.world.language.elaboration.primitive_parts import moments_of, positive_mass
from articulata.world.language.elaboration.shape_calls import shape, solid, turn_of
from articulata.world.language.syntax import tree as t
from articulata.world.language.vocabulary import JOINTS
from articulata.world.values import ZERO, Pose, Vector3

if TYPE_CHECKING:
    from articulata.geometry.shapes import Shape

CONVENTIONS = {"standard": "standard", "modified": "modified", "x_axis": "x-axis", "plain": "plain"}
_MOTION = {
    "speed": ("rate", "speed"),
    "acceleration": ("angular_acceleration", "acceleration"),
    "effort": ("torque", "force"),
    "damping": ("angular_impulse", "damping"),
    "friction": ("torque", "force"),
}
"""The quantity of each for a joint that turns, and for one that slides."""


def table_node(
    scope: Scope,
    item: t.Chain,
    course: t.Table,
    instance: CompositeInstance,
    factor: float,
    joints: Collection[str],
) -> TableNode:
    """Return a chain's table; ``joints`` are those of the tables before it."""
    base = None
    if course.base is not None:
        known = course.base.simple in joints
        base = course.base.simple if known else locate_body(scope, instance, course.base).id
    place = place_of(scope, course.at, course.turns, factor)
    rows: list[JointRow] = []
    failed = False
    for row in course.rows:
        try:
            if row.name in joints or any(row.name == other.name for other in rows):
                raise scope.fail(row, "duplicate", f"joint '{row.name}' is defined twice")
            rows.append(_row(scope, row, factor))
        except Abandon:
            failed = True
    if failed:
        raise Abandon
    span = span_of(scope.source, item.span)
    return TableNode(item.name, CONVENTIONS[course.convention], tuple(rows), base, place, span)


def place_of(
    scope: Scope, at: t.Expression | None, turns: tuple[t.Turn, ...], factor: float
) -> Pose:
    """Return the pose that ``at point turned angle about axis`` says."""
    point = ZERO if at is None else _scaled(scope.vector(at, "length"), factor)
    return Pose(point, turn_of(scope, turns))


def pair(scope: Scope, item: t.Expression, kind: str, factor: float = 1.0) -> tuple[float, float]:
    """Return limits: the low and the high one, of a joint of ``kind``."""
    value = scope.evaluate(item)
    if not is_group(value, 2):
        raise scope.fail(item, "wrong-count", "limits are a pair", "write (low, high)")
    quantity = "length" if kind == "prismatic" else "angle"
    times = factor if kind == "prismatic" else 1.0
    low, high = (times * scope.to_kind(each, quantity, item) for each in value)
    check_limits(scope, low, high, item)
    return (low, high)


def _scaled(value: Vector3, factor: float) -> Vector3:
    return (factor * value[0], factor * value[1], factor * value[2])


def _row(scope: Scope, item: t.Row, factor: float) -> JointRow:
    call = item.joint
    kind = call.function.text
    if kind not in JOINTS:
        raise scope.unmeant(call.function)
    given = bound(scope, call, JOINTS[kind])
    sliding = kind == "prismatic"

    def coordinate(value: t.Expression) -> float:
        if sliding:
            return factor * scope.number(value, "length")
        return scope.number(value, "angle")

    def read(name: str, take: Callable[[t.Expression], Any], default: Any) -> Any:
        return take(given[name]) if name in given else default

    def length(value: t.Expression) -> float:
        return factor * scope.number(value, "length")

    def angle(value: t.Expression) -> float:
        return scope.number(value, "angle")

    motor = {
        name: scope.number(given[name], quantities[sliding])
        for name, quantities in _MOTION.items()
        if name in given
    }
    if "gear" in given:
        motor["gear"] = scope.number(given["gear"], "number")
    return JointRow(
        item.name,
        kind,  # type: ignore[arg-type] # a key of JOINTS
        read("theta", angle, 0.0),
        read("d", length, 0.0),
        read("a", length, 0.0),
        read("alpha", angle, 0.0),
        read("limits", lambda value: pair(scope, value, kind, factor), None),
        place_of(scope, item.at, item.turns, factor),
        read("axis", scope.direction, (0.0, 0.0, 1.0)),
        read("neutral", coordinate, 0.0),
        _following(scope, given, coordinate),
        MappingProxyType(motor),
        _link(scope, given, factor),
        span_of(scope.source, item.span),
    )


def _following(
    scope: Scope, given: dict[str, t.Expression], coordinate: Callable[[t.Expression], float]
) -> Following | None:
    leader = given.get("mimic")
    if leader is None:
        return None
    name = leader.value if isinstance(leader, t.Text) else getattr(leader, "simple", "")
    if not name:
        raise scope.fail(leader, "wrong-kind", "the name of a joint is due here")
    factor = scope.number(given["factor"], "number") if "factor" in given else 1.0
    return Following(name, factor, coordinate(given["offset"]) if "offset" in given else 0.0)


def _link(scope: Scope, given: dict[str, t.Expression], factor: float) -> LinkData:
    mass = center = inertia = form = look = color = None
    if "mass" in given:
        mass = positive_mass(scope, given["mass"]) * factor**3
    if "center" in given:
        center = _scaled(scope.vector(given["center"], "length"), factor)
    if "inertia" in given:
        # A link that only turns about one axis may have a single moment known.
        moments = moments_of(scope, given["inertia"], whole=False)
        inertia = tuple(each * factor**5 for each in moments)
    if "shape" in given:
        form = _enlarged(solid(scope, given["shape"]), factor)
    if "look" in given:
        look = _enlarged(shape(scope, given["look"]), factor)
    if "color" in given:
        value = scope.evaluate(given["color"])
        color = str(value) if isinstance(value, str) else tuple(each.value for each in value)
    return LinkData(mass, center or ZERO, inertia or (), form, color, _link_name(given), look)


def _enlarged(made: Shape, factor: float) -> Shape:
    if factor == 1.0:
        return made
    from articulata.geometry.shapes import scaled

    return scaled(made, factor)


def _link_name(given: dict[str, t.Expression]) -> str:
    item = given.get("link")
    return item.value if isinstance(item, t.Text) else getattr(item, "simple", "")
