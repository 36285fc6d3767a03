"""Motors and gears as a text has them."""

from __future__ import annotations

from collections.abc import Mapping

from articulata.errors import WorldError
from articulata.world.model import Coupling


def motor_words(motor: Coupling) -> str:
    """Return what stands after ``driven by``: "motor(speed: 2.0 rad/s)"."""
    slides = motor.terms[0][0].endswith(".travel")
    said = [] if motor.rate is None else [f"speed: {motor.rate!r} {'m' if slides else 'rad'}/s"]
    if motor.effort is not None:
        said.append(f"force: {motor.effort!r} N" if slides else f"torque: {motor.effort!r} N*m")
    return f"motor({', '.join(said)})"


def gear_words(gear: Coupling, names: Mapping[str, str]) -> str:
    """Return the statement of a gear; ``names`` are those of its coordinates in the text."""
    ratio, count, last = gear.terms[0][1], 1, len(gear.terms) - 1
    while count < last and abs(gear.terms[count][1]) == abs(ratio):
        count += 1
    sides = []
    for terms, unit in ((gear.terms[:count], ratio), (gear.terms[count:], -1.0)):
        text = ""
        for label, factor in terms:
            if abs(factor) != abs(unit):
                raise WorldError(
                    f"gear '{gear.id}' cannot be written as text: it has more than one ratio"
                )
            text += f" {'+' if factor / unit > 0.0 else '-'} {names[label]}"
        sides.append(text[3:] if text.startswith(" + ") else f"-{text[3:]}")
    one, other = (gear.terms[k][0].rpartition(".")[2] for k in (0, -1))
    unit_of = "" if one == other else " m/rad" if other == "travel" else " rad/m"
    name = gear.id.rpartition(".")[2]
    return f"gear {name} between {' and '.join(sides)} = {ratio!r}{unit_of}"
