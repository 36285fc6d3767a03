"""Motors and friction of joins, and ratios of gears between them, as couplings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from articulata.world.language.diagnostics import span_of
from articulata.world.language.elaboration.actuation import bound
from articulata.world.language.elaboration.arithmetic import quantity
from articulata.world.language.elaboration.evaluate import Quantity, Scope, is_group
from articulata.world.language.elaboration.expression_data import warn_of_no_effort
from articulata.world.language.elaboration.function_calls import positive
from articulata.world.language.resistances import FRICTIONS, MOTORS
from articulata.world.language.syntax import tree as t
from articulata.world.language.units import QUANTITIES, Dimension
from articulata.world.language.units import multiply as multiplied
from articulata.world.model import Coupling, Friction, Hinge


def motor_of(
    scope: Scope, id: str, call: t.Call, hinge: Hinge, most: float | None = None
) -> Coupling:
    """Return the motor of a hinge with one coordinate.

    ``most`` (N m, N) limits one of a speed alone, where the text does not; 0 is none, and told.
    """
    name = _coordinate(scope, call, hinge)
    slides = name == "travel"
    effort, pace = ("force", "speed") if slides else ("torque", "rate")
    given = bound(scope, call, MOTORS["travel" if slides else "angle"])
    terms, span = ((f"{hinge.id}.{name}", 1.0),), span_of(scope.source, call.span)
    gear = scope.number(given["gear"], "number") if "gear" in given else 1.0
    if gear == 0.0:
        raise scope.fail(given["gear"], "not-positive", "the ratio of a gear must not be 0")
    if "curve" in given:
        points = _points(scope, given, (pace, effort), gear)
        return Coupling(id, terms, None, _at_rest(points), span, curve=points)
    rate = strength = limit = None
    if DATA_SHEET & given.keys():
        rate, strength = _of_data_sheet(scope, call, given, effort)
    elif {"speed", effort}.isdisjoint(given):
        raise scope.fail(call, "missing-clause", f"a motor needs a speed, a {effort} or a voltage")
    elif "no_load" in given and ("speed" in given or effort not in given):
        raise scope.fail(
            given["no_load"],
            "duplicate" if "speed" in given else "missing-clause",
            f"no_load is the speed at which a motor with a {effort} gives none",
            f"give {effort} and no_load, or speed alone",
        )
    for key in {"speed", "no_load"} & given.keys():
        rate = scope.number(given[key], pace)
    if effort in given:
        strength = scope.number(given[effort], effort)
    if "limit" in given:
        limit = scope.number(given["limit"], effort)
        if not limit > 0.0 or rate is None:
            raise scope.fail(
                given["limit"],
                "not-positive",
                f"the limit of a motor is the greatest {effort} by which it keeps a speed",
                f"give a speed and a limit greater than 0; a {effort} alone needs no limit",
            )
    if rate is not None and strength is not None and not rate * strength > 0.0:
        raise scope.fail(
            given[effort],
            "not-positive",
            f"a motor with a speed and a {effort} drives both the same way, and neither is 0",
            f"give both the same sign; a {effort} alone needs no speed",
        )
    if limit is None and strength is None and most == 0.0:
        warn_of_no_effort(scope, call)
    return Coupling(
        id,
        terms,
        None if rate is None else rate / gear,
        None if strength is None else strength * gear,
        span,
        limit=limit * abs(gear) if limit is not None else (most if strength is None else 0) or None,
    )


Points = tuple[tuple[float, float], ...]


def _points(
    scope: Scope, given: dict[str, t.Expression], kinds: tuple[str, str], gear: float
) -> Points:
    """Return the points of a curve by the hinge's rate, rad/s and N m or m/s and N."""
    at = given["curve"]
    if extra := sorted(given.keys() - {"curve", "gear"}):
        said = f"a motor with a curve has its {extra[0]} from that"
        hint = "a lower limit is a curve whose points lie no higher"
        raise scope.fail(given[extra[0]], "duplicate", said, hint)
    example = "write curve: ((0 rpm, 5 N*m), (1000 rpm, 4 N*m), (1500 rpm, 0 N*m))"
    if kinds[1] == "force":
        example = "write curve: ((0 m/s, 500 N), (0.1 m/s, 400 N), (0.2 m/s, 0 N))"
    value, points = scope.evaluate(at), list[tuple[float, float]]()
    if not is_group(value):
        raise scope.unlike(at, "points of a curve are", value, example)
    items = at.items if isinstance(at, t.Tuple) and len(at.items) == len(value) else (at,)
    example = _arranged(scope, items, QUANTITIES[kinds[0]]) or example
    for point, item in zip(value, items * len(value), strict=False):
        if not is_group(point, 2):
            raise scope.unlike(item, f"a point (speed, {kinds[1]}) is", point, example)
        found = [each.dimension for each in point if isinstance(each, Quantity)]
        if QUANTITIES[kinds[1]] in found[:1] or QUANTITIES[kinds[0]] in found[1:]:
            told = f"each point of a curve is a speed and a {kinds[1]}, in this order"
            raise scope.fail(at, "wrong-order", told, example)
        rate, strength = (scope.to_kind(*each, item) for each in zip(point, kinds, strict=True))
        if points and not rate > points[-1][0]:
            told = "the points of a curve stand from the least speed to the greatest"
            raise scope.fail(item, "wrong-order", told, example)
        points.append((rate, strength))
    if points[-1][1] > max(0.0, points[-2][1] if points[1:] else 0.0) and points[-1][0] > 0.0:
        told = f"beyond its last point this motor gives more {kinds[1]} the faster it moves"
        scope.warn(at, "out-of-scale", told, f"end with the speed at which it gives no {kinds[1]}")
    return tuple(sorted((rate / gear, strength * gear) for rate, strength in points))


def _arranged(scope: Scope, points: Sequence[t.Expression], pace: Dimension) -> str:
    """Return the points of a curve in order, the ``pace`` first in each; "" where that is unknown.

    They may be exchanged, fall, or be a list of paces and one of what belongs to them.
    """
    rows = [[*each.items] for each in points if isinstance(each, t.Tuple)]
    if len(rows) == 2 and len({_dimension(scope, each) for each in rows[0]}) == 1:
        rows = [[*each] for each in zip(*rows, strict=False)]
    rows = [sorted(each, key=lambda value: _dimension(scope, value) != pace) for each in rows]
    if len(rows) < len(points) or any(
        len(each) != 2 or _dimension(scope, each[0]) != pace for each in rows
    ):
        return ""
    rows.sort(key=lambda each: float(scope.evaluate(each[0]).value))
    text = scope.source.text
    shown = (", ".join(text[slice(*value.span)] for value in each) for each in rows)
    return f"write curve: (({'), ('.join(shown)}))"


def _dimension(scope: Scope, item: t.Expression) -> Dimension | None:
    value = scope.evaluate(item)
    return value.dimension if isinstance(value, Quantity) else None


def _at_rest(points: Points) -> float:
    """Return what a curve gives at rest, N m or N."""
    ends = next((ends for ends in pairwise(points) if ends[1][0] >= 0.0), points[-2:])
    (begin, one), (end, other) = ends
    return one - begin * (other - one) / (end - begin)


DATA_SHEET = {"voltage", "resistance", "constant"}
"""What a data sheet says of a DC motor."""


def _of_data_sheet(
    scope: Scope, call: t.Call, given: dict[str, t.Expression], effort: str
) -> tuple[float, float]:
    """Return speed without load and stall torque (or force) of a DC motor.

    Voltage V, resistance R and constant k give the torque ``k (V - k rate) / R``, a straight line:
    V/k and k V/R at its ends.
    """
    extra = sorted({"speed", effort, "no_load"} & given.keys())
    lacking = sorted(DATA_SHEET - given.keys())
    constant = "8 N/A" if effort == "force" else "0.05 N*m/A"
    form = f"write motor(voltage: 12 V, resistance: 1.5 ohm, constant: {constant})"
    if extra:
        said = f"a motor at a voltage has its {extra[0]} from resistance and constant"
        raise scope.fail(given[extra[0]], "duplicate", said, form)
    if lacking:
        said = f"a motor at a voltage needs {' and '.join(lacking)} as well"
        raise scope.fail(call, "missing-clause", said, form)
    V = scope.number(given["voltage"], "voltage")
    R = positive(scope, given["resistance"], "resistance", "the resistance of a motor")
    k = positive(scope, given["constant"], f"{effort}_constant", "the constant of a motor")
    if V == 0.0:
        raise scope.fail(
            given["voltage"],
            "not-positive",
            "a motor at no voltage brakes by constant^2 / resistance times its speed",
            f"write friction(viscous: {k * k / R:g} {'N*s/m' if effort == 'force' else 'N*m*s'})",
        )
    return V / k, k * V / R


def _coordinate(scope: Scope, call: t.Call, hinge: Hinge) -> str:
    if len(hinge.kind.coordinates) != 1:
        raise scope.fail(
            call,
            "wrong-kind",
            f"a {hinge.kind.name} has no one coordinate for a {call.function.text}",
            "take a pin, a slider or a screw",
        )
    return hinge.kind.coordinates[0]


def friction_of(scope: Scope, id: str, call: t.Call, hinge: Hinge) -> Coupling:
    """Return the friction of a hinge with one coordinate."""
    name = _coordinate(scope, call, hinge)
    slides = name == "travel"
    given = bound(scope, call, FRICTIONS[name])
    effort, pace = ("force", "speed") if slides else ("torque", "rate")
    kinds = {"dry": effort, "static": effort, "speed": pace, "coefficient": "number"}
    kinds["radius"] = "length"
    said = {key: scope.number(given[key], kind) for key, kind in kinds.items() if key in given}
    if "viscous" in given:
        value = quantity(scope, scope.evaluate(given["viscous"]), given["viscous"])
        due = multiplied(QUANTITIES[effort], QUANTITIES[pace], -1)
        if not slides and value.dimension == multiplied(due, QUANTITIES["angle"], 1):
            due = value.dimension
        said["viscous"] = float(scope.to_dimension(value, due, given["viscous"]).value)
    for key, value_of in said.items():
        if value_of < 0.0 or (key == "speed" and value_of == 0.0):
            raise scope.fail(given[key], "not-positive", f"the {key} of friction is not negative")
    dry = said.get("dry", 0.0)
    static = said.get("static", dry)
    if static < dry:
        raise scope.fail(
            given["static"],
            "not-positive",
            "static friction is no less than dry friction: it is what holds at rest",
            "give static: the larger and dry: the smaller",
        )
    if not said.keys() & {"dry", "static", "viscous", "coefficient"}:
        raise scope.fail(call, "missing-clause", f"friction needs a dry or a viscous {effort}")
    if "coefficient" in given and hinge.kind.name not in ("revolute", "prismatic"):
        raise scope.fail(
            given["coefficient"], "wrong-kind", f"a {hinge.kind.name} bears more than across its "
            f"axis; give friction a dry {effort}",
        )  # fmt: skip
    if not slides and ("coefficient" in given) != ("radius" in given):
        raise scope.fail(
            call, "missing-clause", "the friction of a bearing needs its coefficient and the "
            "radius of its journal", "write friction(coefficient: 0.1, radius: 10 mm)",
        )  # fmt: skip
    law = Friction(
        dry, static, said.get("speed", 0.0), said.get("viscous", 0.0),
        said.get("coefficient", 0.0), said.get("radius", 1.0),
    )  # fmt: skip
    span = span_of(scope.source, call.span)
    return Coupling(id, ((f"{hinge.id}.{name}", 1.0),), None, None, span, law)


def ratio_of(
    scope: Scope, item: t.Expression, one: list[str], other: list[str], factor: float
) -> float:
    """Return how much faster ``other`` moves than ``one``, sums of labels "hinge.coordinate".

    A number between angles or travels. From an angle to a travel it is a length for each radian,
    20 mm/rad or, as a wheel's radius, 20 mm; from a travel to an angle the inverse. ``factor``
    enlarges what has a length.
    """
    slides = []
    for side in (one, other):
        kinds = {label.endswith(".travel") for label in side}
        if len(kinds) > 1:
            raise scope.fail(
                item,
                "wrong-kind",
                f"{' and '.join(side)} cannot be added: one turns and the other slides",
                "add angles to angles and travels to travels",
            )
        slides.append(kinds.pop())
    value = quantity(scope, scope.evaluate(item), item)
    due = QUANTITIES["number"]
    sign = int(slides[1]) - int(slides[0])
    if sign and value.dimension is None and abs(value.value) ** sign >= 1.0:
        told = "this number is a length in metres for each radian"
        scope.warn(item, "out-of-scale", told, f"give it a unit, such as {value.value:g} mm/rad")
    if sign:
        bare = multiplied(due, QUANTITIES["length"], sign)
        due = multiplied(bare, QUANTITIES["angle"], -sign)
        due = bare if value.dimension == bare else due
    ratio = scope.to_dimension(value, due, item).value
    if ratio == 0.0:
        raise scope.fail(item, "not-positive", "the ratio of a gear must not be 0")
    return float(ratio * factor**sign)
