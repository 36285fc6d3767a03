"""Actuators and servos with limits, as controllers of a hinge.

Example 3.3 of the 1986 report: ``w' = K1 u - K2 w``, with ``u`` the input signal and ``w`` the
joint's rate. Here the torque (N m) or force (N) is ``gain * u(t, sensed) - damping * rate``; gain
and damping are numbers or functions of what is sensed. A limit is the actuator's strength: beyond
it the output saturates.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from articulata.domains.protocols import Sensed
from articulata.errors import ControllerError

Coefficient = float | Callable[[Sensed], float]
Course = float | Callable[[float], float]
"""A number, or a function of the time (s)."""


@dataclass(frozen=True, slots=True)
class Actuator:
    """A controller ``f(t, sensed)`` for a drive of kind "hinge".

    ``signal`` is the input ``u(t, sensed)``, ``rate`` the path of the joint's rate
    ("links.h23.rate"), ``gain`` (N m or N per unit of u), ``damping`` (N m s/rad or N s/m).
    ``limit`` (N m or N) bounds the output, None leaves it unbounded.
    """

    signal: Callable[[float, Sensed], float]
    rate: str
    gain: Coefficient = 1.0
    damping: Coefficient = 0.0
    limit: float | None = None

    def __post_init__(self) -> None:
        """Refuse a limit that is none."""
        _check_limit(self.limit)

    def __call__(self, time: float, sensed: Sensed) -> float:
        """Return the torque or force at ``time``."""
        gain = self.gain(sensed) if callable(self.gain) else self.gain
        damping = self.damping(sensed) if callable(self.damping) else self.damping
        effort = gain * self.signal(time, sensed) - damping * float(sensed.value(self.rate))
        return _bounded(effort, self.limit)


@dataclass(frozen=True, slots=True)
class Servo:
    """A controller that brings a joint to a target: a spring and a damper, up to a limit.

    ``joint`` is the path of its coordinate ("arm.elbow.angle", "gripper.slide.travel"), ``target``
    where it is to be (rad or m) and ``speed`` how fast it is to move there (rad/s or m/s), numbers
    or functions of the time. ``stiffness`` is in N m/rad or N/m, ``damping`` in N m s/rad or
    N s/m, ``limit`` in N m or N. With ``stiffness`` 0 it is a servo of the speed alone.
    ``feed`` adds what is known to be needed, such as the moment of a weight.
    """

    joint: str
    target: Course
    stiffness: float
    damping: float = 0.0
    limit: float | None = None
    speed: Course = 0.0
    feed: Callable[[float, Sensed], float] | None = None

    def __post_init__(self) -> None:
        """Refuse a limit that is none."""
        _check_limit(self.limit)

    def __call__(self, time: float, sensed: Sensed) -> float:
        """Return the torque or force at ``time``."""
        rate = self.joint.rpartition(".")[0] + ".rate"
        lack = _at(self.target, time) - float(sensed.value(self.joint))
        lag = _at(self.speed, time) - float(sensed.value(rate))
        effort = self.stiffness * lack + self.damping * lag
        if self.feed is not None:
            effort += self.feed(time, sensed)
        return _bounded(effort, self.limit)


def _at(course: Course, time: float) -> float:
    return course(time) if callable(course) else course


def _bounded(effort: float, limit: float | None) -> float:
    # A NaN passes on: the run ends with the control that gave it.
    if limit is None or math.isnan(effort):
        return effort
    return max(-limit, min(limit, effort))


def _check_limit(limit: float | None) -> None:
    if limit is not None and not limit > 0.0:
        raise ControllerError(f"limit = {limit!r}; give a number greater than 0, or None for none")
