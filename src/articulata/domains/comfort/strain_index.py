"""The strain index: how hard a hand's work is on hand, wrist and elbow.

Moore and Garg, The Strain Index: a proposed method to analyze jobs for risk of distal upper
extremity disorders, American Industrial Hygiene Association Journal 56 (1995) 443-458: the product
of six multipliers; and its revision of 2017, the product of five.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
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
    """``index``, the product of its ``multipliers``.

    Of 1995 up to 3 is probably safe and from 7 on not, of 2017 up to 10 is and beyond not.
    """

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


@dataclass(frozen=True, slots=True)
class Exertion:
    """One kind of exertion of a hand, as the revised strain index reads it.

    ``effort`` on Borg's scale, 0 to 10; ``per_minute`` exertions, each of ``seconds``; the wrist
    ``extended`` (rad, below zero where it is flexed); ``hours`` of the day.
    """

    effort: float
    per_minute: float
    seconds: float
    extended: float = 0.0
    hours: float = 8.0

    def __post_init__(self) -> None:
        for name, most in (
            ("effort", 10.0), ("per_minute", math.inf), ("seconds", math.inf), ("hours", 24.0),
        ):  # fmt: skip
            value = getattr(self, name)
            if not (0.0 < value <= most and math.isfinite(value)):
                bound = "more than 0" if most == math.inf else f"more than 0, up to {most:g}"
                raise KinematicsError(f"{name} of an exertion is {value}; give {bound}")
        if not abs(self.extended) <= 0.5 * math.pi:
            raise KinematicsError(
                f"the wrist is extended by {self.extended} rad; give -pi/2 to pi/2"
            )
        if self.per_minute * self.seconds > 60.0 * (1.0 + 1e-9):
            raise KinematicsError(
                f"{self.per_minute:g} exertions of {self.seconds:g} s take more than a minute; "
                f"give up to {60.0 / self.per_minute:g} s"
            )


def revised_strain_index(work: Exertion) -> StrainIndex:
    """Return the revised strain index: up to 10 is probably safe.

    Garg, Moore and Kapellusch, The Revised Strain Index, Ergonomics 60 (2017) 912-922: smooth
    multipliers in place of ratings, and how long one exertion takes in place of its share.

    >>> round(revised_strain_index(Exertion(effort=3, per_minute=10, seconds=2)).index, 2)
    10.31
    """
    multipliers = {
        "effort": _effort(0.1 * work.effort),
        "per_minute": _per_minute(work.per_minute),
        "seconds": _seconds(work.seconds),
        "extended": _extended(math.degrees(work.extended)),
        "hours": _hours(work.hours),
    }
    return StrainIndex(math.prod(multipliers.values()), multipliers)


def composite_strain(exertions: Iterable[Exertion]) -> float:
    """Return the composite strain index of a task whose cycle has several kinds of exertions.

    The hardest counts whole, each further one by what its frequency adds (Garg, Moore and
    Kapellusch, The Composite Strain Index and Cumulative Strain Index, Ergonomics 60 (2017)
    1033-1041).
    """
    kinds = sorted(exertions, key=lambda each: -revised_strain_index(each).index)
    if not kinds:
        raise KinematicsError("a task without an exertion has no index; give one or more")
    if len({each.hours for each in kinds}) > 1:
        raise KinematicsError(
            "exertions of one task go on for the same hours; ask of each task by itself, and add "
            "tasks with cumulative_strain"
        )
    total = often = 0.0
    for each in kinds:
        before, often = often, often + each.per_minute
        more = _per_minute(often) - (_per_minute(before) if before else 0.0)
        total += revised_strain_index(each).index / _per_minute(each.per_minute) * more
    return total


def cumulative_strain(tasks: Iterable[Iterable[Exertion]]) -> float:
    """Return the cumulative strain index of a day of several tasks, each with its exertions.

    The hardest task counts whole, each further one by what its hours add (the same source).
    """
    done = [tuple(each) for each in tasks]
    if not done:
        raise KinematicsError("a day without a task has no index; give one task or more")
    found = sorted(((composite_strain(each), each[0].hours) for each in done), reverse=True)
    if (day := sum(hours for _, hours in found)) > 24.0:
        raise KinematicsError(f"the tasks take {day:g} hours; give up to 24 together")
    total = long = 0.0
    for index, hours in found:
        before, long = long, long + hours
        total += index / _hours(hours) * (_hours(long) - (_hours(before) if before else 0.0))
    return total


def _effort(i: float) -> float:
    """Return the intensity multiplier of a part ``i`` of the greatest effort (table 2)."""
    if i <= 0.4:
        return 30.0 * i**3 - 15.6 * i**2 + 13.0 * i + 0.4
    return 36.0 * i**3 - 33.3 * i**2 + 24.77 * i - 1.86


def _per_minute(e: float) -> float:
    return 0.1 + 0.25 * e if e <= 90.0 else 0.00334 * e**1.96


def _seconds(d: float) -> float:
    return 0.45 + 0.31 * d if d <= 60.0 else 19.17 * math.log(d) - 59.44


def _extended(p: float) -> float:
    """Return the posture multiplier of a wrist extended by ``p`` degrees."""
    if p < 0.0:
        return 1.2 * math.exp(-0.009 * p) - 0.2
    return 1.0 + 0.00028 * max(p - 30.0, 0.0) ** 2


def _hours(h: float) -> float:
    return 0.2 if h <= 0.05 else 0.042 * h + 0.09 * math.log(h) + 0.477
