"""What men and women accept to lift, lower, push, pull and carry through a day of eight hours.

The 14 equations of Potvin, Ciriello, Snook, Maynard and Brogmus, The Liberty Mutual manual
materials handling (LM-MMH) equations, Ergonomics 64 (2021) 955-970, that replace the tables of
Snook and Ciriello (1991): a reference load times a factor for each thing that makes it harder.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final, Literal, TypeAlias, get_args

from articulata.domains.comfort.niosh import Lift
from articulata.errors import KinematicsError

Sex: TypeAlias = Literal["woman", "man"]
Task: TypeAlias = Literal["push", "pull", "carry"]

ROUNDING: Final = 1e-9
GRAVITY: Final = 9.80665
"""m/s^2: the equations tell forces in kilograms-force."""
COUPLINGS: Final = {"good": 1.0, "fair": 0.925, "poor": 0.84}
"""Factors of poor handles and of none (section 4.3)."""
A_DAY: Final = 1.0 / 480.0
"""A minute, the rarest that the equations know: once in eight hours."""
NEAREST: Final = {"woman": 0.20, "man": 0.25}
FARTHEST: Final = {"woman": 0.68, "man": 0.73}
"""m from the ankles to the hands."""
HIGHEST: Final = {"woman": 1.96, "man": 2.14}
"""m, the upward grip reach of the median person (table 3)."""
SHORTEST: Final = 0.25
"""m up or down; nearer ends count as so far apart."""
DISTANCES: Final = {"push": (2.1, 61.0), "pull": (2.1, 61.0), "carry": (2.1, 10.0)}
"""m gone each time."""
HEIGHTS: Final = {
    "push": {"woman": (0.58, 1.33), "man": (0.63, 1.44)},
    "pull": {"woman": (0.58, 1.33), "man": (0.63, 1.44)},
    "carry": {"woman": (0.71, 1.03), "man": (0.78, 1.10)},
}
"""m, the hands above the floor."""
PACES: Final = {"lift": 11.0, "lower": 11.0, "push": 37.0, "pull": 37.0, "carry": 29.0}
"""m/min, the way of all times together at most."""
TIRING: Final = {
    "lift": {"woman": 3.0, "man": 3.0},
    "lower": {"woman": 3.0, "man": 3.0},
    "push": {"woman": 10.0, "man": 15.0},
    "pull": {"woman": 10.0, "man": 15.0},
    "carry": {"woman": 10.0, "man": math.inf},
}
"""m/min beyond which the heart may give up before the muscles do (section 4.3)."""

Term: TypeAlias = tuple[float, float, float]
"""``a``, ``b`` and ``c`` of a factor ``a + x/b + x^2/c``; infinite where there is no such part."""

_NONE: Final = math.inf
_REACH: Final[dict[Sex, Term]] = {
    "woman": (1.2602, -0.7686, _NONE),
    "man": (1.3532, -0.7079, _NONE),
}
_MIDDLE: Final[dict[Sex, Term]] = {
    "woman": (0.9877, 13.69, -9.221),
    "man": (0.7746, 1.912, -3.296),
}
_WAY: Final[dict[Sex, Term]] = {"woman": (0.8199, -7.696, _NONE), "man": (0.8695, -10.62, _NONE)}
_RAISED: Final[dict[tuple[str, Sex], tuple[float, float, Term]]] = {
    ("lift", "woman"): (34.9, 0.260, (0.6767, -12.59, -228.2)),
    ("lift", "man"): (82.6, 0.276, (0.6259, -9.092, -125.0)),
    ("lower", "woman"): (37.0, 0.307, (0.6767, -12.59, -228.2)),
    ("lower", "man"): (95.9, 0.304, (0.5773, -10.80, -255.9)),
}
"""Reference load (kg), coefficient of variation, factor of the frequency's logarithm."""
_WOMAN_STARTS: Final = (
    (-0.5304, 0.3361, -0.6915),
    (1.0286, -72.22, 9782.0),
    (0.7251, -13.19, -197.3),
)
_WOMAN_GOES_ON: Final = (
    (-0.6539, 0.2941, -0.5722),
    (1.0391, -52.91, 7975.0),
    (0.6086, -11.95, -304.4),
)
_MAN_STARTS: Final = ((1.0790, -9.392, _NONE), (0.6281, -13.07, -379.5))
_MAN_GOES_ON: Final = ((1.1035, -7.170, _NONE), (0.4896, -10.20, -403.9))
_MOVED: Final[dict[tuple[str, bool, Sex], tuple[float, float, tuple[Term, Term, Term]]]] = {
    ("push", False, "woman"): (36.9, 0.214, _WOMAN_STARTS),
    ("pull", False, "woman"): (36.9, 0.234, _WOMAN_STARTS),
    ("push", True, "woman"): (25.5, 0.286, _WOMAN_GOES_ON),
    ("pull", True, "woman"): (25.5, 0.298, _WOMAN_GOES_ON),
    ("push", False, "man"): (70.3, 0.231, ((1.2737, -1.335, 2.576), *_MAN_STARTS)),
    ("push", True, "man"): (65.3, 0.267, ((2.2940, -0.3345, 0.6887), *_MAN_GOES_ON)),
    ("pull", False, "man"): (69.8, 0.238, ((1.7186, -0.6888, 2.025), *_MAN_STARTS)),
    ("pull", True, "man"): (61.0, 0.257, ((2.1977, -0.3850, 0.9047), *_MAN_GOES_ON)),
    ("carry", False, "woman"): (
        28.6, 0.231, ((1.1645, -4.437, _NONE), (1.0101, -207.8, _NONE), (0.6224, -16.33, _NONE)),
    ),
    ("carry", False, "man"): (
        74.9, 0.278, ((1.5505, -1.417, _NONE), (1.1172, -6.332, _NONE), (0.5149, -7.958, -131.1)),
    ),
}  # fmt: skip
"""Reference load (kg or kgf), coefficient of variation, factors of the hands' height, of the
distance (its logarithm for men) and of the frequency's logarithm; whether it goes on or starts."""


@dataclass(frozen=True, slots=True)
class Haul:
    """What is pushed, pulled or carried ``distance`` m each time, hands ``height`` m up.

    ``load`` is what it takes: kg carried, N of a push or a pull. A push or a pull is harder where
    it starts; ``going_on`` asks of the force that keeps it moving.
    """

    task: Task
    load: float
    height: float
    distance: float
    per_minute: float = 0.2
    going_on: bool = False

    def __post_init__(self) -> None:
        if self.task not in get_args(Task):
            raise KinematicsError(
                f"task of a haul is '{self.task}'; give one of {', '.join(get_args(Task))}"
            )
        if self.task == "carry" and self.going_on:
            raise KinematicsError(
                "what is carried has one load from start to end; leave going_on out"
            )
        for name in ("load", "height", "distance", "per_minute"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise KinematicsError(f"{name} of a haul is {value}; give 0 or more")


@dataclass(frozen=True, slots=True)
class AcceptableLoad:
    """What people accept: kg that are lifted, lowered or carried, N of a push or a pull.

    ``mean`` is accepted by half of them, ``share`` is the part of them, 0 to 1, that accepts the
    load that was asked about, ``variation`` their standard deviation as a part of the mean.
    ``factors`` tell what takes most from the reference load, and ``caution`` where the way of a
    minute is so long that the heart may give up first, "" elsewhere.
    """

    mean: float
    share: float
    variation: float
    factors: dict[str, float]
    caution: str = ""

    def accepted_by(self, share: float) -> float:
        """Return the load that a ``share`` of people accepts, as 0.75 of them."""
        if not 0.0 < share < 1.0:
            raise KinematicsError(f"a share of people is {share:g}; give more than 0 and below 1")
        return self.mean * max(0.0, 1.0 - self.variation * NormalDist().inv_cdf(share))


def acceptable_load(work: Lift | Haul, sex: Sex) -> AcceptableLoad:
    """Return the load that women or men accept for a lift, which may go down, or for a haul.

    KinematicsError where the work is beyond what the equations were made from.

    >>> from articulata.domains.comfort.niosh import HandsAt
    >>> tray = Lift(12.0, HandsAt(0.38, 0.775), HandsAt(0.38, 1.285), per_minute=1.0, hours=8.0)
    >>> found = acceptable_load(tray, "woman")
    >>> f"{found.mean:.2f} kg, {found.share:.1%} accept 12 kg"
    '15.56 kg, 81.0% accept 12 kg'
    """
    if sex not in get_args(Sex):
        raise KinematicsError(f"sex is '{sex}'; give one of {', '.join(get_args(Sex))}")
    return _raised(work, sex) if isinstance(work, Lift) else _moved(work, sex)


def _raised(lift: Lift, sex: Sex) -> AcceptableLoad:
    """Return what is accepted of a lift, or of lowering where its end is the lower one."""
    task = "lift" if lift.end.height >= lift.start.height else "lower"
    reach = max(lift.start.horizontal, lift.end.horizontal)
    top = max(lift.start.height, lift.end.height)
    way = max(abs(lift.end.height - lift.start.height), SHORTEST)
    if max(lift.start.asymmetry, lift.end.asymmetry) > 0.0:
        raise KinematicsError(
            "the equations know no lift with a turned trunk; leave asymmetry at 0, or ask niosh"
        )
    _within("a lift's hands", "from the ankles", reach, NEAREST[sex], FARTHEST[sex])
    _within("a lift's hands", "above the floor", top, 0.0, HIGHEST[sex])
    often = _often(lift.per_minute, 20.0)
    caution = _pace(task, sex, way * often)
    load, variation, frequency = _RAISED[task, sex]
    factors = {
        "reach": _value(_REACH[sex], reach),
        "height": _value(_MIDDLE[sex], 0.5 * (lift.start.height + lift.end.height)),
        "distance": _value(_WAY[sex], math.log(way)),
        "frequency": _value(frequency, math.log(often)),
        "coupling": COUPLINGS[lift.coupling],
    }
    return _accepted(load, variation, factors, lift.load, caution)


def _moved(haul: Haul, sex: Sex) -> AcceptableLoad:
    """Return what is accepted of a push, a pull or of carrying."""
    task = haul.task
    _within(f"the hands of a {task}", "above the floor", haul.height, *HEIGHTS[task][sex])
    _within(f"a {task}", "long", haul.distance, *DISTANCES[task])
    often = _often(haul.per_minute, 10.0)
    caution = _pace(task, sex, haul.distance * often)
    load, variation, (height, distance, frequency) = _MOVED[task, haul.going_on, sex]
    gone = math.log(haul.distance) if sex == "man" else haul.distance
    factors = {
        "height": _value(height, haul.height),
        "distance": _value(distance, gone),
        "frequency": _value(frequency, math.log(often)),
    }
    unit = 1.0 if task == "carry" else GRAVITY
    return _accepted(load * unit, variation, factors, haul.load, caution)


def _accepted(
    most: float, variation: float, factors: dict[str, float], load: float, caution: str
) -> AcceptableLoad:
    mean = most * math.prod(factors.values())
    share = 1.0 - NormalDist(mean, variation * mean).cdf(load)
    return AcceptableLoad(mean, share, variation, factors, caution)


def _value(term: Term, x: float) -> float:
    a, b, c = term
    return a + x / b + x * x / c


def _within(what: str, where: str, value: float, low: float, high: float) -> None:
    if not low - ROUNDING <= value <= high + ROUNDING:
        is_are = "are" if "hands" in what else "is"
        raise KinematicsError(
            f"{what} {is_are} {value:g} m {where}; the equations hold from {low:g} to {high:g} m"
        )


def _often(per_minute: float, most: float) -> float:
    """Return how often a minute, once a day at least; refuse what is more than ``most``."""
    if per_minute > most:
        raise KinematicsError(
            f"it is done {per_minute:g} times a minute; the equations hold up to {most:g}"
        )
    return max(per_minute, A_DAY)


def _pace(task: str, sex: Sex, pace: float) -> str:
    """Refuse a way of a minute (m) that is too long, and tell one that tires the heart."""
    if pace > PACES[task] + ROUNDING:
        raise KinematicsError(
            f"the way of all times in a minute is {pace:g} m; the equations hold up to "
            f"{PACES[task]:g} m"
        )
    if pace <= TIRING[task][sex] + ROUNDING:
        return ""
    return (
        f"{pace:g} m a minute are more than {TIRING[task][sex]:g} m: the heart may give up before "
        "the muscles do"
    )
