"""A person's posture as observational scales read it: angles of one side, and how the work is.

Angles in rad, arrays of any one batch shape or single numbers. Flexion is positive forward,
extension negative; all are zero when standing upright with hanging arms, palms to the thighs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, BoolArray, IntArray

Angle: TypeAlias = float | Array
Flag: TypeAlias = bool | BoolArray

NOTICED: Final = math.radians(10.0)
"""rad: from here a turn or a lean to the side counts. The sheets say "twisted" and give no angle: a
proposal. A smaller one scores more postures as twisted, a larger one fewer."""

NEUTRAL: Final = 5.0
"""deg: up to here a trunk is upright, a neck not bent back and a wrist straight.

The sheets say "0" and "in extension": a proposal."""

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class BodyAngles:
    """The angles of trunk, neck, legs and one arm.

    ``trunk`` and ``neck`` come as flexion, lean to the side and twist; ``neck_flexion`` is that
    of the head against the trunk. ``shoulder_flexion`` and then ``shoulder_abduction`` raise the
    upper arm from the trunk's side; ``elevation`` and ``plane`` tell the same as the ISB does.
    ``shoulder_rotation`` turns the upper arm about its own axis, beyond what raising it does.
    ``shoulder_raise`` is the lift of the shoulder, rad of the clavicle. ``forearm_twist`` is the
    share of its range from the middle, 0 to 1. ``across`` says whether the hand works across the
    midline or out to the side. ``knee_flexion`` is that of the knee bent more.
    """

    trunk_flexion: Angle = 0.0
    trunk_side: Angle = 0.0
    trunk_twist: Angle = 0.0
    neck_flexion: Angle = 0.0
    neck_side: Angle = 0.0
    neck_twist: Angle = 0.0
    shoulder_flexion: Angle = 0.0
    shoulder_abduction: Angle = 0.0
    shoulder_rotation: Angle = 0.0
    shoulder_raise: Angle = 0.0
    elbow_flexion: Angle = 0.0
    forearm_twist: Angle = 0.0
    wrist_flexion: Angle = 0.0
    wrist_deviation: Angle = 0.0
    knee_flexion: Angle = 0.0
    across: Flag = False

    def __post_init__(self) -> None:
        for each in fields(self):
            value = np.asarray(getattr(self, each.name))
            if not np.isfinite(value).all():
                raise KinematicsError(
                    f"{each.name} of a posture to be scored holds NaN or inf; give angles in rad"
                )

    @property
    def batch(self) -> tuple[int, ...]:
        """The shape that all angles have together."""
        return np.broadcast_shapes(*(np.shape(getattr(self, each.name)) for each in fields(self)))

    @property
    def elevation(self) -> Array:
        """The angle of the upper arm from hanging, rad, 0 to pi (ISB: Wu et al. 2005)."""
        down = np.cos(self.shoulder_flexion) * np.cos(self.shoulder_abduction)
        return np.asarray(np.arccos(np.clip(down, -1.0, 1.0)))

    @property
    def plane(self) -> Array:
        """The plane of elevation, rad: 0 to the side, pi/2 forward (ISB: Wu et al. 2005)."""
        return np.asarray(np.arctan2(self._forward, np.sin(self.shoulder_abduction)))

    @property
    def upper_arm(self) -> Array:
        """The angle that sheets ask of the upper arm, rad: its elevation, negative behind the back.

        An arm counts as behind where it goes farther back than out, and no higher than level.
        """
        raised = self.elevation
        out = np.maximum(np.sin(self.shoulder_abduction), 0.0)
        behind = (self._forward < -out - _ROUNDING) & (raised <= 0.5 * np.pi)
        return np.asarray(np.where(behind, -raised, raised))

    @property
    def abducted(self) -> IntArray:
        """1 where the upper arm stands off to the side by more than ``NOTICED``, else 0."""
        return np.asarray(np.sin(self.shoulder_abduction) > math.sin(NOTICED), np.int64)

    @property
    def raised(self) -> IntArray:
        """1 where the shoulder is lifted by more than ``NOTICED``, else 0."""
        return np.asarray(np.asarray(self.shoulder_raise, float) > NOTICED, np.int64)

    @property
    def _forward(self) -> Array:
        return np.asarray(np.sin(self.shoulder_flexion) * np.cos(self.shoulder_abduction))


@dataclass(frozen=True, slots=True)
class WorkConditions:
    """How the work is that a posture belongs to.

    ``load`` in kg. ``static``: held for long (RULA: ten minutes, REBA: one); ``repeated``: more
    than four times a minute; ``shock``: with a jerk; ``unstable``: with quick large changes of
    posture or on an unstable base. ``supported``: the arm is held, the person leans on it, or
    gravity helps to hold it; ``seated``, ``back_rest``: a rest carries the back of who sits;
    ``balanced``: both feet bear evenly. ``grip`` is 0 good, 1 fair, 2 poor or 3 unacceptable.
    """

    load: float = 0.0
    static: bool = False
    repeated: bool = False
    shock: bool = False
    unstable: bool = False
    supported: bool = False
    seated: bool = False
    back_rest: bool = False
    balanced: bool = True
    grip: int = 0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.load) and self.load >= 0.0):
            raise KinematicsError(f"the load of work is {self.load}; give kg, 0 or more")
        if self.grip not in (0, 1, 2, 3):
            raise KinematicsError(
                f"a grip is 0 (good), 1 (fair), 2 (poor) or 3 (unacceptable), not {self.grip!r}"
            )


NO_WORK: Final = WorkConditions()


@dataclass(frozen=True, slots=True)
class PostureScore:
    """A score by a scale and the scores it is made of, integers of one batch shape.

    ``score`` is the grand score and ``level`` its level of action, 0 for nothing to do. ``parts``
    maps the names of the sheet's steps to their scores.
    """

    score: IntArray
    level: IntArray
    parts: dict[str, IntArray] = field(default_factory=dict)


def scored(angle: Angle, bounds: Sequence[float], scores: Sequence[int]) -> IntArray:
    """Return the score of an ``angle`` (rad) by the interval between ``bounds`` (deg) it is in.

    There is one score more than there are bounds. An angle on a bound takes the lower score of
    the two, within what rounding makes of a degree.
    """
    edges, given = np.radians(bounds), np.asarray(angle, float)
    table = np.asarray(scores, np.int64)
    below = table[np.searchsorted(edges + _ROUNDING, given, side="left")]
    above = table[np.searchsorted(edges - _ROUNDING, given, side="right")]
    return np.asarray(np.minimum(below, above), np.int64)


def noticed(*angles: Angle) -> IntArray:
    """Return 1 where one of ``angles`` (rad) is more than ``NOTICED`` to either side, else 0."""
    seen = np.zeros((), bool)
    for angle in angles:
        seen = seen | (np.abs(np.asarray(angle, float)) > NOTICED)
    return np.asarray(seen, np.int64)


def whole(given: npt.ArrayLike, shape: tuple[int, ...]) -> IntArray:
    """Return scores as an array of integers of ``shape``."""
    return np.array(np.broadcast_to(np.asarray(given, np.int64), shape))
