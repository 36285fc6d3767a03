"""How people move: on foot, with a walker, on a wheelchair; and how texts say so.

The usual sizes of an occupied manual wheelchair are 0.70 m by 1.20 m; seats are 0.496 m high on
manual and 0.539 m on power chairs (Anthropometry of Wheeled Mobility, 65 and older).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from articulata.world.requests.clauses import (
    Form,
    forms,
    length_between,
)

CHAIR = (0.70, 1.20)
"""Width and length (m) of an occupied manual wheelchair."""

MANUAL_SEAT, POWER_SEAT = 0.496, 0.539
"""Heights of seats, m."""

WALKER = 0.40
"""The radius (m) of the circle that a person with a walker stands in."""

CHAIR_SIZES = {"width": (0.3, 1.5), "length": (0.5, 2.5), "seat": (0.1, 1.2)}
"""Between what (m) the sizes of a wheelchair lie, from a child's to one with a lift."""

WALKER_RADII = (0.1, 1.5)
"""The same of the circle around a walker."""


@dataclass(frozen=True, slots=True)
class OnFoot:
    """A person who walks with free hands."""


@dataclass(frozen=True, slots=True)
class Walker:
    """A person who walks with a walker: both stand in a circle of ``radius``, m.

    Raise WorldError for a radius that no walker has.
    """

    radius: float = WALKER

    def __post_init__(self) -> None:
        length_between("radius", self.radius, *WALKER_RADII, "the radius of a walker")


@dataclass(frozen=True, slots=True)
class Wheelchair:
    """A person on a wheelchair: its ``width``, ``length`` and the height of its ``seat``, m.

    Raise WorldError for sizes that no wheelchair has.
    """

    width: float = CHAIR[0]
    length: float = CHAIR[1]
    seat: float = MANUAL_SEAT
    power: bool = False

    def __post_init__(self) -> None:
        for what, bounds in CHAIR_SIZES.items():
            length_between(what, getattr(self, what), *bounds, f"the {what} of a wheelchair")


Means: TypeAlias = OnFoot | Walker | Wheelchair


_CHAIR_WORDS = "([width length], [length length], [seat length])"
MOUNTS: dict[str, Form] = forms(
    ("foot", "she walks", "foot", OnFoot),
    (f"wheelchair{_CHAIR_WORDS}", "a manual wheelchair",
     "wheelchair(width: 70 cm, length: 120 cm, seat: 50 cm)", Wheelchair),
    (f"power_chair{_CHAIR_WORDS}", "a wheelchair with a motor",
     "power_chair(width: 70 cm, length: 120 cm, seat: 54 cm)",
     partial(Wheelchair, seat=POWER_SEAT, power=True)),
)  # fmt: skip
"""What a person can be on."""

AIDS: dict[str, Form] = forms(
    ("walker([radius length])", "a walker", "walker(radius: 40 cm)", Walker),
)
"""What a person can walk with."""
