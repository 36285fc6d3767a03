"""One joint of a chain or tree, in the canonical form every convention becomes.

``X_PL(q) = X_PJ Rz(q) X_JL`` for a revolute joint and ``X_PJ Tz(q) X_JL`` for a prismatic one: a
fixed pose from the parent link's frame P to the joint frame J, the motion about or along z of J,
and a fixed pose from there to the link frame L, where the convention at hand puts it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

import numpy as np

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array
from articulata.geometry.joint_frames import axis_frame

JointKind: TypeAlias = Literal["revolute", "prismatic", "fixed"]
REVOLUTE: Final = "revolute"
PRISMATIC: Final = "prismatic"
FIXED: Final = "fixed"

UNLIMITED: Final = (-math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class Mimic:
    """A value that follows: ``factor`` times that of ``joint``, plus ``offset`` (rad or m)."""

    joint: str
    factor: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class Motor:
    """What drives a joint, as far as known.

    ``speed`` (rad/s, m/s), ``acceleration`` (rad/s^2, m/s^2) and ``effort`` (N m, N) are greatest
    values at the joint, inf where unknown; ``gear`` is the ratio of the motor's turns to the
    joint's; ``damping`` (N m s/rad, N s/m) and ``friction`` (N m, N) act at the joint. ``rising``
    and ``falling`` are joint values (rad, m) at which a reference switch goes on and off.
    """

    speed: float = math.inf
    acceleration: float = math.inf
    effort: float = math.inf
    gear: float = 1.0
    damping: float = 0.0
    friction: float = 0.0
    rising: float | None = None
    falling: float | None = None

    def __post_init__(self) -> None:
        for name in ("speed", "acceleration", "effort", "damping", "friction"):
            value = getattr(self, name)
            if not value >= 0.0:
                raise KinematicsError(f"the {name} of a motor is 0 or more, not {value}")
        if not math.isfinite(self.gear) or self.gear == 0.0:
            raise KinematicsError(f"a gear ratio is a number, not 0; {self.gear} is none")


UNKNOWN_MOTOR: Final = Motor()


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """A joint named ``name``, with ``limits`` in rad or m; see the module for ``X_PJ``, ``X_JL``.

    ``neutral`` is its value in the resting posture; ``link`` names the link it carries; ``motor``
    says how fast and how strong it is.
    """

    name: str
    kind: JointKind = REVOLUTE
    X_PJ: Array = field(default_factory=lambda: np.eye(4))
    X_JL: Array = field(default_factory=lambda: np.eye(4))
    limits: tuple[float, float] = UNLIMITED
    neutral: float = 0.0
    mimic: Mimic | None = None
    link: str = ""
    motor: Motor = UNKNOWN_MOTOR

    def __post_init__(self) -> None:
        if self.kind not in (REVOLUTE, PRISMATIC, FIXED):
            raise KinematicsError(
                f"joint '{self.name}' has kind {self.kind!r}; a joint is 'revolute', 'prismatic' "
                "or 'fixed'"
            )
        low, high = self.limits
        if not low <= high:
            raise KinematicsError(
                f"joint '{self.name}' has limits ({low:g}, {high:g}); give the lower one first, "
                "and numbers that are not NaN"
            )
        for name in ("X_PJ", "X_JL"):
            X = np.array(getattr(self, name), float)
            if X.shape != (4, 4) or not np.isfinite(X).all():
                raise KinematicsError(
                    f"{name} of joint '{self.name}' must be a (4, 4) pose of finite numbers, "
                    f"not shape {X.shape}"
                )
            X.flags.writeable = False
            object.__setattr__(self, name, X)


def about(axis: Sequence[float]) -> Array:
    """Return the pose (4, 4) that turns z to the unit vector along ``axis`` (3,).

    With ``C = about(axis)`` a joint about that axis is ``X_PJ C Rz(q) C^-1``.
    """
    direction = np.asarray(axis, float)
    length = float(np.linalg.norm(direction))
    if direction.shape != (3,) or not math.isfinite(length) or length == 0.0:
        raise KinematicsError(f"a joint axis is three numbers, not all zero; {axis} is none")
    return axis_frame(direction)
