"""Why a camera that an arm carries is slowed or stopped: words for the codes of kernels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from articulata.analyses.film.carrier import Carrier
from articulata.geometry.arrays import Array
from articulata.kernels.chains.camera_control.carried_frames import (
    ACCELERATION,
    CHANGING,
    CLASH,
    JERK,
    KIND,
    LOWER,
    ORIENTATION,
    SINGULAR,
    SPEED,
    TOO_FAR,
    TOO_NEAR,
    TORQUE,
    UPPER,
    WRIST,
)
from articulata.kernels.chains.closed_forms import spherical_wrist_6r as wrist6
from articulata.kinematics.inverse.reason import Reason

KINDS: Final = {
    0: "",
    SPEED: "speed",
    ACCELERATION: "acceleration",
    LOWER: "end of a joint",
    UPPER: "end of a joint",
    TOO_FAR: "outer boundary",
    TOO_NEAR: "inner boundary",
    ORIENTATION: "orientation",
    SINGULAR: "singular",
    WRIST: "wrist in line",
    CLASH: "clash",
    TORQUE: "torque",
    CHANGING: "other posture",
    JERK: "jerk",
}
"""Kinds of reasons, one word or two each."""

DEAD_ZONE: Final = "dead zone"

_UNMET: Final = {
    int(Reason.TOO_FAR): (KINDS[TOO_FAR], "too far: out of the arm's reach"),
    int(Reason.TOO_NEAR): (KINDS[TOO_NEAR], "too near: the arm cannot fold so far"),
    int(Reason.LIMITS): (KINDS[UPPER], "beyond the ends of the joints"),
    int(Reason.ORIENTATION): (
        KINDS[ORIENTATION],
        "orientation: the arm comes there, but cannot turn the camera that way",
    ),
}
"""Kind and words by the reason for which no posture at all meets a pose."""


@dataclass(frozen=True, slots=True)
class Margins:
    """How far, m of the arm, the wrist centre is from where the arm ends; negative outside.

    ``outer`` and ``inner`` are those of the elbow stretched and folded, for the shoulder that the
    arm has, ``dead`` that of the cylinder about the first axis that no wrist enters.
    """

    outer: float
    inner: float
    dead: float


def margins(carrier: Carrier, X_BC: Array, branch: int = 0) -> Margins | None:
    """Return the margins of a pose (4, 4) or (3, 4) in the base; None without a wrist."""
    arm = carrier.arm
    if not arm.spherical:
        return None
    px, py, pz = _wrist_centre(carrier, X_BC)
    a1, d1, ca1, sa1, _, a2, length = arm.constants[wrist6.ARM : wrist6.ARM + 7].tolist()
    m = _beside(carrier, pz)
    y2 = ca1 * m + sa1 * (pz - d1)
    rho = math.hypot(px, py)
    depth = math.sqrt(max(rho * rho - m * m, 0.0))
    reach = math.hypot((depth if branch < 4 else -depth) - a1, y2)
    return Margins(a2 + length - reach, reach - abs(a2 - length), rho - abs(m))


def kind_of(carrier: Carrier, code: int, X_BC: Array, branch: int = 0) -> str:
    """Return the kind of a code in a word or two; "" for none."""
    kind = code // KIND
    if kind in (TOO_FAR, TOO_NEAR):
        found = margins(carrier, X_BC, branch)
        if found is not None:
            return min(
                (found.outer, "outer boundary"),
                (found.inner, "inner boundary"),
                (found.dead, DEAD_ZONE),
            )[1]
    return KINDS[kind]


def reason(carrier: Carrier, code: int, X_BC: Array, branch: int = 0) -> str:
    """Return why, in a sentence without its full stop; "" for a code of nothing."""
    kind, joint = code // KIND, code % KIND
    arm, word = carrier.arm, kind_of(carrier, code, X_BC, branch)
    if kind in (SPEED, ACCELERATION, LOWER, UPPER):
        name, unit = carrier.chain.names[joint], carrier.units[joint]
        if kind == SPEED:
            return f"speed of {name}: at most {arm.speeds[joint]:.4g} {unit}/s"
        if kind == ACCELERATION:
            return f"acceleration of {name}: at most {arm.accelerations[joint]:.4g} {unit}/s^2"
        low = kind == LOWER
        value = float((arm.lower if low else arm.upper)[joint])
        shown = f"{math.degrees(value):.4g} deg" if unit == "rad" else f"{value:.4g} m"
        return f"{name} at its {'lower' if low else 'upper'} end, {shown}"
    if kind == JERK:
        name, unit = carrier.chain.names[joint], carrier.units[joint]
        return f"jerk of {name}: more than {carrier.jerks[joint]:.4g} {unit}/s^3"
    if kind == TORQUE:
        unit = "N m" if carrier.units[joint] == "rad" else "N"
        return (
            f"torque of {carrier.chain.names[joint]}: at most {carrier.efforts[joint]:.4g} {unit}"
        )
    if word == "outer boundary":
        return "outer boundary: the elbow is stretched, the arm reaches no farther"
    if word == "inner boundary":
        return "inner boundary: the elbow is folded, the arm comes no nearer"
    if word == DEAD_ZONE:
        m = _least_distance(carrier, X_BC)
        if m < 1e-6 * arm.size:
            return "dead zone: above the first axis the arm would have to turn about it at once"
        return f"dead zone: the wrist comes no nearer than {1e3 * m:.4g} mm to the first axis"
    return {
        ORIENTATION: "orientation: the wrist cannot turn the camera that way there",
        SINGULAR: "singular posture: no small motion of the joints goes on",
        CHANGING: "other posture: the arm is led there, the camera comes back to its view",
        WRIST: "wrist in line: joints 4 and 6 turn about one axis; the view turns after",
    }.get(kind, word)


def _wrist_centre(carrier: Carrier, X_BC: Array) -> tuple[float, float, float]:
    """Return where the wrist's axes meet, m, in the closed form's frame 0: its z is axis 1."""
    c = carrier.arm.constants
    into = c[wrist6.BASE : wrist6.BASE + 12].reshape(3, 4)
    R, p = into[:, :3] @ X_BC[:3, :3], into[:, :3] @ X_BC[:3, 3] + into[:, 3]
    x, y, z = (p + R @ c[wrist6.END : wrist6.END + 12].reshape(3, 4)[:, 3]).tolist()
    return x, y, z


def _beside(carrier: Carrier, z: float) -> float:
    """Return by how much the wrist centre is beside the plane of the arm at height ``z``, m."""
    c = carrier.arm.constants
    _, d1, ca1, _, lateral = c[wrist6.ARM : wrist6.ARM + 5].tolist()
    return float((ca1 * (z - d1) - lateral) * c[wrist6.SIZE + 1])


def _least_distance(carrier: Carrier, X_BC: Array) -> float:
    return abs(_beside(carrier, _wrist_centre(carrier, X_BC)[2]))


def stays(code: int) -> bool:
    """Return whether a code means an end in space, rather than a matter of how fast."""
    return code // KIND not in (0, SPEED, ACCELERATION, TORQUE, JERK)


def unmet(carrier: Carrier, X_BC: Array) -> list[tuple[str, str, float]]:
    """Return why no posture at all meets each of some poses (n, 4, 4): kind, words, mm it misses.

    The words are "" where a posture meets the pose, or nothing proves that none does.
    """
    nearest = carrier.chain.inverse(X_BC)
    off = 1e3 * carrier.scale * nearest.error
    return [
        (*_UNMET.get(why, ("", "")), miss)
        for why, miss in zip(nearest.reason.tolist(), off.tolist(), strict=True)
    ]
