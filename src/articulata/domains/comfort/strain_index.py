"""The strain index: how hard a hand's work is on hand, wrist and elbow.

Moore and Garg, The Strain Index: a proposed method to analyze jobs for risk of distal upper
extremity disorders, American Industrial Hygiene Association Journal 56 (1995) 443-458: the product
of six multipliers.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from articulata.errors import KinematicsError

Wrist: TypeAlias = Literal["very good", "good", "fair", "bad", "very bad"]
Speed: TypeAlias = Literal["very slow", "slow", "fair", "fast", "very fast"]

INTENSITY: Final = ((2.0, 3.0, 5.0, 7.0), (1.0, 3.0, 6.0, 9.0, 13.0))
"""Up to which effort (Borg's scale, 0 to 10) each multiplier but the last holds."""
SHARE: Final = ((0.1, 0.3, 0.5, 0.8), (0.5, 1.0, 1.5, 2.0, 3.0))
"""From which share of the cycle each multiplier but the first holds."""
PER_MINUTE: Final = ((4.0, 9.0, 15.0, 20.0), (0.5, 1.0, 1.5, 2.0, 3.0))
"""From how many efforts a minute each multiplier but the first holds."""
HOURS: Final = ((1.0, 2.0, 4.0, 8.0), (0.25, 0.5, 0.75, 1.0, 1.5))
"""Up to how many hours a day each multiplier but the last holds."""
WRIST: Final = (1.0, 1.0, 1.5, 2.0, 3.0)
SPEED: Final = (1.0, 1.0, 1.0, 1.5, 2.0)


@dataclass(frozen=True, slots=True)
class HandWork:
    """What one hand does in a cycle of work.

    ``effort`` of an exertion on Borg's scale, 0 to 10; ``share`` of the cycle, 0 to 1, in which
    the hand exerts itself, ``per_minute`` times, for ``hours`` of the day.
    """

    effort: float
    share: float
    per_minute: float
    wrist: Wrist = "good"
    speed: Speed = "fair"
    hours: float = 8.0

    def __post_init__(self) -> None:
        for name, most in (
            ("effort", 10.0), ("share", 1.0), ("per_minute", math.inf), ("hours", 24.0),
        ):  # fmt: skip
            value = getattr(self, name)
            if not (0.0 <= value <= most and math.isfinite(value)):
                bound = "0 or more" if most == math.inf else f"0 to {most:g}"
                raise KinematicsError(f"{name} of a hand's work is {value}; give {bound}")
        for name, words in (("wrist", get_args(Wrist)), ("speed", get_args(Speed))):
            if getattr(self, name) not in words:
                raise KinematicsError(
                    f"{name} of a hand's work is '{getattr(self, name)}'; give one of "
                    f"{', '.join(words)}"
                )


@dataclass(frozen=True, slots=True)
class StrainIndex:
    """``index``, the product of six ``multipliers``: up to 3 is probably safe, from 7 on not."""

    index: float
    multipliers: dict[str, float]


def strain_index(work: HandWork) -> StrainIndex:
    """Return the strain index of a hand's work.

    >>> strain_index(HandWork(effort=6, share=0.54, per_minute=33)).index
    54.0
    """
    multipliers = {
        "effort": INTENSITY[1][bisect_left(INTENSITY[0], work.effort)],
        "share": SHARE[1][bisect_right(SHARE[0], work.share)],
        "per_minute": PER_MINUTE[1][bisect_right(PER_MINUTE[0], work.per_minute)],
        "wrist": WRIST[get_args(Wrist).index(work.wrist)],
        "speed": SPEED[get_args(Speed).index(work.speed)],
        "hours": HOURS[1][bisect_left(HOURS[0], work.hours)],
    }
    return StrainIndex(math.prod(multipliers.values()), multipliers)
