"""What tracking gives: a person's posture at an instant, and how far it is to be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

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


class TrackedPosture(NamedTuple):
    """A figure's posture at ``time`` (s).

    ``q`` (dof,) rad are its joint values, ``base`` (7,) the turn (w first) and place (m) of the
    whole figure; ``solved`` holds for each arm its seven angles (rad), what is left at elbow and
    wrist (rad), how its shoulder was solved, and which joints are beyond their limits.
    ``joints`` names the arms' joints. ``delay`` (s) is how far behind the newest sample the
    posture is on purpose; ``headed`` whether the neck follows a sensor; ``X_FT`` (4, 4) the pose of
    what is carried, in the figure's frame. A named tuple for the same reason as a sample.
    """

    time: float
    q: Array
    base: Array
    solved: Array
    joints: tuple[tuple[str, ...], ...]
    delay: float = 0.0
    headed: bool = False
    X_FT: Array | None = None

    @property
    def q_WF(self) -> Array:
        """The turn of the whole figure, a quaternion (4,), w first."""
        return self.base[:4]

    @property
    def p_WF(self) -> Array:
        """The place of the whole figure, (3,) m."""
        return self.base[4:]

    @property
    def angles(self) -> Array:
        """The arms' angles, (arms, 7) rad, in the figure's convention."""
        return self.solved[:, :7]

    @property
    def left(self) -> Array:
        """What is left at elbow and wrist, (arms, 2) rad.

        0 for an arm, a few degrees for sensors that slip or were not calibrated.
        """
        return self.solved[:, 7:9]

    @property
    def tracked(self) -> tuple[bool, ...]:
        """Which arms are followed at all."""
        return tuple([told >= 0.0 for told in self.solved[:, 9].tolist()])

    @property
    def frozen(self) -> tuple[bool, ...]:
        """Which shoulders are held in their singular cone."""
        return tuple([told > 0.0 and int(told) & 1 == 1 for told in self.solved[:, 9].tolist()])

    @property
    def held(self) -> tuple[bool, ...]:
        """Which arms have a sensor that is silent, or that fades in.

        What it sits on stays as it was beside what carries it.
        """
        return tuple([told > 0.0 and int(told) & 4 == 4 for told in self.solved[:, 9].tolist()])

    @property
    def outside(self) -> tuple[str, ...]:
        """The joints beyond their limits."""
        return tuple(
            name
            for names, bits in zip(self.joints, self.solved[:, 10].tolist(), strict=True)
            for k, name in enumerate(names)
            if int(bits) >> k & 1
        )


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


@dataclass(frozen=True, slots=True)
class Recognised:
    """What was shown: the signal's name, "" for none that is known.

    ``confidence`` from 0 to 1, ``distance`` the mean one of directions; ``ended`` says whether
    the arms are at rest again, or this is a guess while they move.
    """

    name: str
    confidence: float
    distance: float
    ended: bool
    time: float = 0.0


class ScriptEdit(NamedTuple):
    """A change of a motion's key frames that somebody makes by hand.

    ``what`` is CHANGED (key frame number ``key`` is at ``value`` s and holds ``joints``, deg),
    ADDED (one after it), REMOVED, or PACE (``value`` times as fast).
    """

    motion: str
    what: str
    key: int = 0
    value: float = 0.0
    joints: Mapping[str, float] = MappingProxyType({})


CHANGED, ADDED, REMOVED, PACE = "changed", "added", "removed", "pace"
"""What a ScriptEdit changes."""


class KeyedMotion(NamedTuple):
    """A motion as a panel shows it: ``times`` (n,) s and joint values (n, dof) rad of its keys."""

    times: Array
    q: Array
