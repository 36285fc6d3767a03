"""Motors at hinges and gears between them: from what a text says to ``world.model.Coupling``."""

from __future__ import annotations

from articulata.world.language.elaboration.actuation import bound
from articulata.world.language.elaboration.arithmetic import quantity
from articulata.world.language.elaboration.evaluate import Scope
from articulata.world.language.elaboration.findings import span_of
from articulata.world.language.syntax import tree as t
from articulata.world.language.units import QUANTITIES, multiply
from articulata.world.language.vocabulary import MOTORS
from articulata.world.model import Coupling, Hinge


def motor_of(scope: Scope, id: str, call: t.Call, hinge: Hinge) -> Coupling:
    """Return the motor of a hinge with one coordinate."""
    if len(hinge.kind.coordinates) != 1:
        raise scope.fail(
            call,
            "wrong-kind",
            f"a {hinge.kind.name} has no one coordinate to drive",
            "drive a pin, a slider or a screw",
        )
    (name,) = hinge.kind.coordinates
    slides = name == "travel"
    effort = "force" if slides else "torque"
    given = bound(scope, call, MOTORS["travel" if slides else "angle"])
    if not given:
        raise scope.fail(call, "missing-clause", "a motor needs a speed or a " + effort)
    said = {key: scope.number(given[key], key) for key in (effort,) if key in given}
    rate = None
    if "speed" in given:
        rate = scope.number(given["speed"], "speed" if slides else "rate")
    strength = said.get(effort)
    if rate is not None and strength is not None and not rate * strength > 0.0:
        raise scope.fail(
            given[effort],
            "not-positive",
            f"a motor with a speed and a {effort} drives both the same way, and neither is 0",
            f"give both the same sign; a {effort} alone needs no speed",
        )
    return Coupling(
        id, ((f"{hinge.id}.{name}", 1.0),), rate, strength, span_of(scope.source, call.span)
    )


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
    if sign:
        bare = multiply(due, QUANTITIES["length"], sign)
        due = multiply(bare, QUANTITIES["angle"], -sign)
        due = bare if value.dimension == bare else due
    ratio = scope.to_dimension(value, due, item).value
    if ratio == 0.0:
        raise scope.fail(item, "not-positive", "the ratio of a gear must not be 0")
    return float(ratio * factor**sign)
