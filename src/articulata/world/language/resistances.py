"""What drives and what resists the coordinate of a join: motors and friction, by its name."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from articulata.world.language.vocabulary import Signature, signature

_KINDS = (("angle", "rate", "torque"), ("travel", "speed", "force"))
"""Coordinates, the kind of their rates and of what acts along them."""

MOTORS: dict[str, Signature] = {
    name: signature(
        f"motor([speed {speed}], [{effort} {effort}], [no_load {speed}], [limit {effort}], "
        f"[gear number], [voltage voltage], [resistance resistance], [constant {effort}_constant], "
        "[curve any])",
        "motor",
        f"a speed, whatever {effort} up to its limit it takes; a {effort}; or both: all of it at "
        "rest, none at the speed; all of its own shaft, which turns so much faster by a gear; "
        f"or a voltage with what a data sheet says: resistance and {effort} constant; or a curve "
        f"of points ({speed}, {effort}), straight in between",
        "motor",
    )
    for name, speed, effort in _KINDS
}  # fmt: skip
"""Motors after ``driven by``."""

FRICTIONS: dict[str, Signature] = {
    name: signature(
        f"friction([dry {effort}], [static {effort}], [speed {speed}], [viscous any], {load})",
        "friction",
        f"a dry {effort} while it moves, a static one at rest, which falls to the dry one within "
        "about a speed (Stribeck), a viscous one by the rate, and a coefficient of what the hinge "
        "bears across its axis (of a pin times the radius of its journal)",
        "friction",
    )
    for (name, speed, effort), load in zip(
        _KINDS, ("[coefficient number], [radius length]", "[coefficient number]"), strict=True
    )
}  # fmt: skip
"""Friction of a join."""


def as_said(given: Signature, names: Collection[str]) -> Signature:
    """Return what takes values of these names: a limit goes with a speed, not with an effort.

    So a motor whose largest torque is given alone has a torque, which it gives at rest.
    """
    if {"", "speed", "limit", "voltage", "curve"} & {*names}:
        return given
    return replace(given, slots=tuple(each for each in given.slots if each.name != "limit"))
