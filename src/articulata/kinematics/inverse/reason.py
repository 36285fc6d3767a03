"""Why a target is not met, and the branch of a posture that has none."""

from __future__ import annotations

from enum import IntEnum

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
