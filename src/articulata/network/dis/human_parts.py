"""A human body in DIS: which articulated part each joint is, and what appearance tells of it.

SISO's list of articulated parts (SISO-REF-010, UID 59) has none of the human body. Parts of ours
are numbered from ``FIRST_PART`` on, in steps of 32 as the list does; the metric that is added says
which turn of it is told, and metric + 1 how fast it is. Other programs find the same table in
docs/networked-figures.md. Life form appearance: SISO-REF-010, UID 35 (state, bits 16 to 19) and
UID 36 (weapon 1, bits 24 and 25).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from articulata.geometry.arrays import Array, IntArray
from articulata.network.dis.packets import ARTICULATED, Parameter

FIRST_PART = 65536
"""Number of the first part of a human body: far above those that are listed (1024 to 6368)."""

STEP = 32
"""From one part to the next; a metric is below it."""

AZIMUTH, ELEVATION, ROTATION = 11, 13, 15
"""Metrics (SISO-REF-010, UID 58) of an angle, rad; the next number is its rate, rad/s."""

_SEGMENTS: Sequence[tuple[str, str, Mapping[str, int]]] = (
    ("lumbar", "", {"vl3_flexion": ELEVATION, "vl3_lateral": AZIMUTH, "vl3_rotation": ROTATION}),
    ("chest", "lumbar",
     {"vt6_flexion": ELEVATION, "vt6_lateral": AZIMUTH, "vt6_rotation": ROTATION}),
    ("head", "chest",
     {"vc7_flexion": ELEVATION, "vc7_lateral": AZIMUTH, "vc7_rotation": ROTATION}),
    *(
        part
        for side in ("r", "l")
        for part in (
            (f"{side}_collarbone", "chest",
             {f"{side}_sternoclavicular_elevation": ELEVATION,
              f"{side}_sternoclavicular_protraction": AZIMUTH}),
            (f"{side}_upper_arm", f"{side}_collarbone",
             {f"{side}_shoulder_flexion": ELEVATION, f"{side}_shoulder_abduction": AZIMUTH,
              f"{side}_shoulder_rotation": ROTATION}),
            (f"{side}_forearm", f"{side}_upper_arm",
             {f"{side}_elbow_flexion": ELEVATION, f"{side}_elbow_pronation": ROTATION}),
            (f"{side}_hand", f"{side}_forearm",
             {f"{side}_radiocarpal_flexion": ELEVATION,
              f"{side}_radiocarpal_deviation": AZIMUTH}),
            (f"{side}_thigh", "",
             {f"{side}_hip_flexion": ELEVATION, f"{side}_hip_abduction": AZIMUTH,
              f"{side}_hip_rotation": ROTATION}),
            (f"{side}_shank", f"{side}_thigh", {f"{side}_knee_flexion": ELEVATION}),
            (f"{side}_foot", f"{side}_shank",
             {f"{side}_talocrural_flexion": ELEVATION,
              f"{side}_talocrural_inversion": AZIMUTH}),
        )
    ),
)  # fmt: skip
"""Parts from the pelvis on: name, the part that carries it ("" the entity), metric by joint."""


class BodyPart(NamedTuple):
    """One turn of one part: the joint it is, its number in packets, and the part's own."""

    joint: str
    number: int
    part: str
    carried_by: str


PARTS: tuple[BodyPart, ...] = tuple(
    BodyPart(joint, FIRST_PART + STEP * k + metric, part, carried_by)
    for k, (part, carried_by, joints) in enumerate(_SEGMENTS)
    for joint, metric in joints.items()
)
"""Every joint of the figure ``person``; a column of what is heard is a number in this table."""

COLUMNS: Mapping[str, int] = MappingProxyType({each.joint: k for k, each in enumerate(PARTS)})
"""The column of a joint."""

_BY_NUMBER = np.full(STEP * len(_SEGMENTS), -1)
for _k, _part in enumerate(PARTS):
    _BY_NUMBER[_part.number - FIRST_PART] = _k


def columns_of(parameters: npt.NDArray[Any]) -> IntArray:
    """Return the columns whose angles variable parameters are; -1 for others, as for rates."""
    number = parameters["part"].astype(np.int64) - FIRST_PART
    ours = (parameters["type"] == ARTICULATED) & (number >= 0) & (number < len(_BY_NUMBER))
    return np.where(ours, _BY_NUMBER[np.where(ours, number, 0)], -1)


def parameters_of(
    columns: Sequence[int], angles: Array, changes: Sequence[int]
) -> list[Parameter]:  # fmt: skip
    """Return the records of joints in ``columns`` with their ``angles`` (rad).

    ``changes`` count how often each was changed.
    """
    found: list[Parameter] = []
    first: dict[str, int] = {}
    for k, column in enumerate(columns):
        part = PARTS[column]
        attached = first.get(part.carried_by, 0)
        first.setdefault(part.part, len(found) + 1)
        found.append(Parameter(part.number, float(angles[k]), attached, changes[k] & 255))
    return found


# ---- appearance

STANCES: Mapping[str, int] = MappingProxyType(
    {
        "standing": 1,
        "walking": 2,
        "running": 3,
        "kneeling": 4,
        "prone": 5,
        "crawling": 6,
        "seated": 10,
    }
)
"""Life form states by what a body does, in the words of texts."""

_OTHER_STANCES = {7: "crawling", 9: "standing", 11: "kneeling", 12: "kneeling", 13: "walking",
                  14: "standing", 15: "standing"}  # fmt: skip
"""What others do that ours has no word for: swimming, jumping, squatting, crouching, wading ..."""

_WEAPON = {"": 0, "slung": 1, "deployed": 2}
_FATAL = 3
_DEACTIVATED = 1 << 23


@dataclass(frozen=True, slots=True)
class Appearance:
    """What a body does ("standing", "dead" ...), how a weapon is carried, whether it is leaving."""

    stance: str = "standing"
    weapon: str = ""
    leaving: bool = False

    @property
    def bits(self) -> int:
        """The 32 bits of a packet."""
        dead = self.stance == "dead"
        return (
            STANCES.get("prone" if dead else self.stance, 1) << 16
            | (_FATAL << 3 if dead else 0)
            | _WEAPON.get(self.weapon, 0) << 24
            | (_DEACTIVATED if self.leaving else 0)
        )


@functools.lru_cache(maxsize=256)
def appearance_of(bits: int) -> Appearance:
    """Return what 32 bits of a life form's appearance say."""
    state = bits >> 16 & 15
    words = {number: word for word, number in STANCES.items()}
    stance = words.get(state, _OTHER_STANCES.get(state, "standing"))
    if bits >> 3 & 3 == _FATAL:
        stance = "dead"
    weapon = {1: "slung", 2: "deployed", 3: "deployed"}.get(bits >> 24 & 3, "")
    return Appearance(stance, weapon, bool(bits & _DEACTIVATED))
