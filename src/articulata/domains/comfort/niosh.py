"""The revised NIOSH lifting equation: how much a person should lift, and how far a lift is beyond.

Waters, Putz-Anderson and Garg, Applications Manual for the Revised NIOSH Lifting Equation, DHHS
(NIOSH) Publication 94-110 (1994, revised 2021), in its metric form. It holds for two-handed lifts
of somebody who stands, on a floor that does not slip, without much carrying, pushing or heat.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

import numpy as np

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64

Coupling: TypeAlias = Literal["good", "fair", "poor"]

MOST: Final = 23.0
"""kg, the load constant: what is recommended where nothing is against it."""
NEAREST: Final = 0.25
FARTHEST: Final = 0.63
"""m: hands nearer to the ankles count as there, hands farther away lift nothing."""
KNUCKLE: Final = 0.75
HIGHEST: Final = 1.75
"""m: the best height of the hands, and the highest."""
FARTHEST_HANDS: Final = 3.0
"""m from the ankles or the floor: nobody lifts there, a number in cm was meant."""
MOST_TURNED: Final = math.radians(135.0)
FREQUENCIES: Final = (0.2, 0.5, *range(1, 16))
"""Lifts a minute of the rows of table 5."""
LOW: Final = {
    1: (1.0, 0.97, 0.94, 0.91, 0.88, 0.84, 0.8, 0.75, 0.7, 0.6, 0.52, 0.45, 0.41, 0.37, 0, 0, 0),
    2: (0.95, 0.92, 0.88, 0.84, 0.79, 0.72, 0.6, 0.5, 0.42, 0.35, 0.3, 0.26, 0, 0, 0, 0, 0),
    8: (0.85, 0.81, 0.75, 0.65, 0.55, 0.45, 0.35, 0.27, 0.22, 0.18, 0, 0, 0, 0, 0, 0, 0),
}
"""Frequency multipliers by hours of work at most, hands below ``KNUCKLE`` (table 5)."""
HIGH: Final = {
    1: (*LOW[1][:14], 0.34, 0.31, 0.28),
    2: (*LOW[2][:12], 0.23, 0.21, 0, 0, 0),
    8: (*LOW[8][:10], 0.15, 0.13, 0, 0, 0, 0, 0),
}
"""The same for hands at ``KNUCKLE`` or higher."""
COUPLINGS: Final = {"good": (1.0, 1.0), "fair": (0.95, 1.0), "poor": (0.9, 0.9)}
"""Coupling multipliers below ``KNUCKLE`` and above (table 7)."""
CHANGES: Final = {
    "horizontal": "hold the load 25 cm before the ankles",
    "vertical": "take it at 75 cm, the height of the knuckles",
    "distance": "lift it by no more than 25 cm",
    "asymmetry": "face the load, so that the trunk does not turn",
    "frequency": "lift less often, or for fewer hours",
    "coupling": "give the load handles",
}
"""What makes a multiplier 1."""


@dataclass(frozen=True, slots=True)
class HandsAt:
    """Where both hands hold a load: from between the ankles ``horizontal`` m, ``height`` m up.

    ``asymmetry`` (rad, 0 or more) is how far that is turned from straight ahead.
    """

    horizontal: float
    height: float
    asymmetry: float = 0.0


@dataclass(frozen=True, slots=True)
class Lift:
    """A load (kg) lifted from ``start`` to ``end``, ``per_minute`` times in ``hours`` of work.

    ``hours`` is the time of lifting without a rest as long as table 4 of the manual asks.
    ``controlled`` says that the load is put down with care: then the end counts as well.
    """

    load: float
    start: HandsAt
    end: HandsAt
    per_minute: float = 0.2
    hours: float = 1.0
    coupling: Coupling = "good"
    controlled: bool = False

    def __post_init__(self) -> None:
        numbers = {"load": self.load, "per_minute": self.per_minute, "hours": self.hours}
        for place, hands in (("start", self.start), ("end", self.end)):
            for name in ("horizontal", "height", "asymmetry"):
                numbers[f"{place}.{name}"] = getattr(hands, name)
        for name, value in numbers.items():
            if not (math.isfinite(value) and value >= 0.0):
                raise KinematicsError(f"{name} of a lift is {value}; give 0 or more")
            if ("horizontal" in name or "height" in name) and value > FARTHEST_HANDS:
                raise KinematicsError(
                    f"{name} of a lift is {value:g} m, where no hands are; give metres "
                    f"({value:g} cm is {value / 100:g})"
                )
        if not 0.0 < self.hours <= 8.0:
            raise KinematicsError(f"a lift goes on for {self.hours:g} hours; give up to 8")
        if self.coupling not in COUPLINGS:
            raise KinematicsError(
                f"a load is held '{self.coupling}'; give one of {', '.join(COUPLINGS)}"
            )


@dataclass(frozen=True, slots=True)
class LiftingLimit:
    """What NIOSH recommends: ``limit`` (kg), and ``index``, the load as a multiple of it.

    Up to 1 most healthy workers do without more risk; beyond 3 few do. ``multipliers`` are the six
    reductions, ``place`` is where the limit is lower: at the start or at the end of the lift.
    """

    limit: float
    index: float
    multipliers: dict[str, float]
    place: Literal["start", "end"] = "start"

    def __str__(self) -> str:
        """Return limit, index, what reduces the limit most, and what to change."""
        worst = min(self.multipliers, key=lambda name: self.multipliers[name])
        share = self.multipliers[worst]
        said = (
            "most healthy workers do it without more risk"
            if self.index <= 1.0
            else "a risk for many, change the work"
            if self.index <= 3.0
            else "a risk for nearly everybody, change the work"
        )
        told = (
            f"Recommended weight limit {self.limit:.1f} kg at the {self.place}, lifting index "
            f"{self.index:.1f}: {said}."
        )
        if share == 1.0:
            return f"{told} Nothing reduces it."
        allows = f", which allows {self.limit / share:.1f} kg" if share > 0.0 else ""
        return f"{told} '{worst}' (x {share:.2f}) takes most: {CHANGES[worst]}{allows}."


def niosh(lift: Lift) -> LiftingLimit:
    """Return the recommended weight limit and the lifting index of one lift.

    >>> press = Lift(20.0, HandsAt(0.58, 0.38), HandsAt(0.58, 1.63), coupling="fair")
    >>> found = niosh(press)
    >>> round(found.limit, 1), round(found.index, 1)
    (7.2, 2.8)
    """
    found = _at(lift, lift.start, "start")
    if not lift.controlled:
        return found
    end = _at(lift, lift.end, "end")
    return end if end.limit < found.limit else found


def composite_lifting_index(lifts: Iterable[Lift]) -> float:
    """Return the composite lifting index of several lifts that make up one job.

    The hardest lift counts whole, each further one by what its frequency adds (section 2.4). Of
    lifts that are as hard the more frequent is first.
    """
    tasks = sorted(lifts, key=lambda each: (niosh(each).index, each.per_minute), reverse=True)
    if not tasks:
        raise KinematicsError("a job without a lift has no index; give one lift or more")
    total, often = niosh(tasks[0]).index, tasks[0].per_minute
    for task in tasks[1:]:
        rare = niosh(replace(task, per_minute=0.0, hours=1.0))
        before, often = often, often + task.per_minute
        less, more = (_frequency(each, task.hours, task.start.height) for each in (before, often))
        if more == 0.0:
            return math.inf
        total += rare.index * (1.0 / more - 1.0 / less)
    return total


def _at(lift: Lift, hands: HandsAt, place: Literal["start", "end"]) -> LiftingLimit:
    way = abs(lift.end.height - lift.start.height)
    far, height, turned = hands.horizontal, hands.height, hands.asymmetry
    multipliers = {
        "horizontal": NEAREST / max(far, NEAREST) if far <= FARTHEST else 0.0,
        "vertical": 1.0 - 0.3 * abs(height - KNUCKLE) if height <= HIGHEST else 0.0,
        "distance": 0.82 + 0.045 / max(way, NEAREST) if way <= HIGHEST else 0.0,
        "asymmetry": 1.0 - 0.0032 * math.degrees(turned) if turned <= MOST_TURNED else 0.0,
        "frequency": _frequency(lift.per_minute, lift.hours, lift.start.height),
        "coupling": COUPLINGS[lift.coupling][int(height >= KNUCKLE)],
    }
    limit = MOST * math.prod(multipliers.values())
    index = lift.load / limit if limit > 0.0 else math.inf if lift.load > 0.0 else 0.0
    return LiftingLimit(limit, index, multipliers, place)


def _frequency(per_minute: float, hours: float, height: float) -> float:
    """Return the frequency multiplier by where a lift starts, straight between table 5's rows."""
    column = 1 if hours <= 1.0 else 2 if hours <= 2.0 else 8
    table = (HIGH if height >= KNUCKLE else LOW)[column]
    if per_minute > FREQUENCIES[-1]:
        return 0.0
    return float(np.interp(per_minute, FREQUENCIES, table))


def hands_at(ankles: Float64[Array, "2 3"], hands: Float64[Array, "2 3"], up: int = 1) -> HandsAt:
    """Return where hands are to the equation, from points of both ankles and both hands (m).

    Rows are left and right; ``up`` is the axis that points upward, from the floor at 0.

    >>> feet = np.array([[0.1, 0.05, 0.0], [-0.1, 0.05, 0.0]])
    >>> hands_at(feet, feet + [0.0, 0.7, 0.4])
    HandsAt(horizontal=0.4, height=0.75, asymmetry=0.0)
    """
    middle, held = ankles.mean(axis=0), hands.mean(axis=0)
    upward = np.eye(3)[up]
    left = ankles[0] - ankles[1]
    left = left - (left @ upward) * upward
    reach = held - middle
    reach = reach - (reach @ upward) * upward
    ahead = np.cross(left, upward)
    far = float(np.linalg.norm(reach))
    turned = math.atan2(abs(float(reach @ left)), float(reach @ ahead)) if far > 0.0 else 0.0
    return HandsAt(far, float(held @ upward), turned)
