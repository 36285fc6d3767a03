"""What sensors say, whatever device they belong to.

A sensor sits at a *station*, a number on its device. Its orientation ``R_TS`` is that of the
sensor's frame S in the device's own frame T (a transmitter's, or the world's north and down).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

NO_PLACE = (math.nan, math.nan, math.nan)
"""The place of a sensor that has none to tell."""


class Sample(NamedTuple):
    """One reading of one sensor.

    ``arrival`` (s) is when its last byte came, ``time`` (s) when it was measured, as far as known;
    both by one clock that never runs back. ``q`` is the unit quaternion of ``R_TS``, w first, and
    ``p`` the sensor's place in T, m, NaN where the device has none. ``error`` is the device's own
    letter for a doubtful reading, "" for a good one; ``button`` whether a switch is pressed.

    A named tuple, since it is made some hundred times a second: a frozen dataclass takes five
    times as long to make.
    """

    station: int
    time: float
    arrival: float
    q: tuple[float, float, float, float]
    p: tuple[float, float, float] = NO_PLACE
    error: str = ""
    button: bool = False


@dataclass(frozen=True, slots=True)
class DeviceReport:
    """How a device fares: how much it has sent, what was damaged, and what is the matter now.

    ``bytes`` and ``samples`` count what came; ``skipped`` counts bytes of no record, ``damaged``
    records by what was wrong with them. ``trouble`` is a sentence for a person, "" when all is
    well; ``notice`` is one about what was left out and stops nothing. ``told`` says what the device
    told of itself.
    """

    name: str
    bytes: int = 0
    samples: int = 0
    skipped: int = 0
    damaged: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    trouble: str = ""
    told: str = ""
    notice: str = ""
