"""How strong and how fast a joint's motor is, in the program of the servo that it is driven by."""

from __future__ import annotations

import math
from collections.abc import Mapping

from articulata.world.model import Force, Program

FADING = 0.1
"""The share of a motor's greatest speed over which its strength falls to none."""


def strengthened(program: Program, motor: Mapping[str, float]) -> Program:
    """Return the program of a moment (N m) that a motor can give.

    It keeps the limit that it has; else the motor's ``effort`` is its limit. Beyond the motor's
    ``speed`` (rad/s) nothing drives the joint on; in the last tenth below it the strength falls to
    none, as a motor's does. What slows the joint down keeps its strength. Without any limit the
    program stays as it is.
    """
    bounds = Force("", "torsion", None, None, program).bounds
    limit = motor.get("effort", math.inf) if bounds is None else bounds[1]
    if not 0.0 < limit < math.inf:
        return program
    core = program if bounds is None else program[:-4]
    speed = motor.get("speed", math.inf)
    if 0.0 < speed < math.inf:
        core = (
            *core,
            *_fading(speed, "sub", limit), ("min", 0.0),
            *_fading(speed, "add", limit), ("neg", 0.0), ("max", 0.0),
        )  # fmt: skip
    return (*core, ("push", limit), ("min", 0.0), ("push", -limit), ("max", 0.0))


def _fading(speed: float, sign: str, limit: float) -> Program:
    """Return ``limit * clamp((speed -+ rate) / (FADING * speed), 0, 1)``."""
    return (
        ("push", speed), ("rate", 0.0), (sign, 0.0), ("push", limit / (FADING * speed)),
        ("mul", 0.0), ("push", limit), ("min", 0.0), ("push", 0.0), ("max", 0.0),
    )  # fmt: skip
