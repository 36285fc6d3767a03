"""Why a target is not met, and words for what stops a tip; the branch of a posture without one."""

from __future__ import annotations

import math
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from articulata.geometry.arrays import Array
from articulata.kinematics.joint import PRISMATIC

if TYPE_CHECKING:
    from articulata.kinematics.joint_tree import Tree


NO_BRANCH = -1
"""Branch of a posture that came from a search."""


class Reason(IntEnum):
    """Why a target is not met. Arrays of reasons hold the numbers; ``Reason(number)`` names one."""

    MET = 0
    """It is met."""
    TOO_FAR = 1
    """Proved: beyond what the links span, whatever the limits of the joints that turn."""
    TOO_NEAR = 2
    """Proved: the links cannot fold so near."""
    LIMITS = 3
    """Proved: the links would reach, the joints' limits do not allow it."""
    ORIENTATION = 4
    """Proved: the place can be reached, not with this orientation."""
    GAVE_UP = 5
    """Not proved: the search ended without meeting the target."""
    COLLISION = 6
    """A posture meets the target and strikes something."""
    NOT_A_NUMBER = 7
    """The target holds NaN or an infinite number."""

    @property
    def proved(self) -> bool:
        """Whether no posture of the chain can meet the target."""
        return self in (Reason.TOO_FAR, Reason.TOO_NEAR, Reason.LIMITS, Reason.ORIENTATION)


_AT_LIMIT = 1e-6
"""Share of a joint's range within which it counts as standing at its limit."""

_PUSH = 0.02
"""Share of the strongest pull below which a joint at its limit is not named."""

_MOST_NAMED = 4


def stopped(chain: Tree, q: Array, pull: Array) -> str:
    """Name the joints at a limit that the target pulls outward, the strongest first."""
    span = np.where(np.isfinite(chain.upper - chain.lower), chain.upper - chain.lower, 1.0)
    room = _AT_LIMIT * np.maximum(span, 1e-3)
    high = (q >= chain.upper - room) & (pull > 0.0)
    low = (q <= chain.lower + room) & (pull < 0.0)
    strongest = np.abs(pull).max()
    named = [
        i
        for i in np.argsort(-np.abs(pull))
        if (high[i] or low[i]) and abs(pull[i]) > _PUSH * strongest
    ]
    words = []
    for i in named[:_MOST_NAMED]:
        joint = chain.joints[chain.free[i]]
        limit = joint.limits[1] if high[i] else joint.limits[0]
        value = length(limit) if joint.kind == PRISMATIC else degrees(limit)
        words.append(f"'{joint.name}' at its {'upper' if high[i] else 'lower'} limit ({value})")
    more = len(named) - _MOST_NAMED
    if more > 0:
        words.append(f"{more} more")
    return ", ".join(words[:-1]) + " and " + words[-1] if len(words) > 1 else "".join(words)


def length(value: float) -> str:
    """Return a length in words, mm below a metre."""
    return f"{value:.3f} m" if abs(value) >= 1.0 else f"{value * 1e3:.3g} mm"


def degrees(value: float) -> str:
    """Return an angle in words."""
    return f"{math.degrees(value):.3g} deg"
