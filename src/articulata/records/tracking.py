"""What tracking gives: a person's posture at an instant, and how far it is to be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from articulata.geometry.arrays import Array

ROLES = (
    "skull",
    "sternum",
    "pelvis",
    "r_upper_arm",
    "r_forearm",
    "r_hand",
    "l_upper_arm",
    "l_forearm",
    "l_hand",
)
"""What a sensor can sit on."""

STATIONS: Mapping[int, str] = {
    1: "skull",
    2: "r_upper_arm",
    3: "r_forearm",
    4: "r_hand",
    5: "sternum",
    6: "l_upper_arm",
    7: "l_forearm",
    8: "l_hand",
}
"""Where sensors sit unless somebody says otherwise: as in 1995 on a first unit, and a second unit,
whose stations count on from 5, for the left arm."""


@dataclass(frozen=True, slots=True, eq=False)
class TrackedPosture:
    """A figure's posture at ``time`` (s).

    ``q`` (dof,) rad are its joint values and ``q_WF`` (4,), ``p_WF`` (3,) m its base's turn and
    place; ``angles`` (arms, 7) rad those of its arms and ``left`` (arms, 2) rad what is left of the
    orientations at elbow and wrist: 0 for an arm, a few degrees for sensors that slip or were
    not calibrated. ``frozen`` (arms,) says which shoulders are in their singular cone,
    ``tracked`` (arms,) which arms are followed at all; ``outside`` names the joints beyond their
    limits. ``delay`` (s) is how far behind the newest sample the posture is on purpose.
    """

    time: float
    q: Array
    q_WF: Array
    p_WF: Array
    angles: Array
    left: Array
    frozen: tuple[bool, ...]
    tracked: tuple[bool, ...]
    outside: tuple[str, ...]
    delay: float = 0.0


GOOD, LATE, SILENT, DOUBTFUL = "good", "late", "silent", "doubtful"
"""How a sensor fares: as it should; slower than its neighbours; not heard; its device doubts it."""


@dataclass(frozen=True, slots=True)
class SensorHealth:
    """How a sensor fares.

    ``rate`` in samples a second, ``age`` (s) of its newest sample, ``jitter`` (s, rms) of its
    intervals; ``state`` is GOOD, LATE, SILENT or DOUBTFUL.
    """

    station: int
    role: str
    rate: float
    age: float
    jitter: float
    state: str


@dataclass(frozen=True, slots=True)
class Latency:
    """Seconds from the last byte of a sample to its picture's departure: half, and 99 of 100.

    ``delay`` (s) is what is waited on purpose, and part of both.
    """

    median: float
    most: float
    delay: float = 0.0
