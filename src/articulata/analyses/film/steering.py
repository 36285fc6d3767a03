"""Ways of steering a camera: from rates of a device to the twist of the nodal point.

The ways that users of 3D mice know. All but ``object`` move the camera as the device is moved:

- ``fly``: along and about the camera's own axes;
- ``object``: the scene follows the device, so that the camera moves against it, about the pivot;
- ``target``: the camera goes round the pivot, in and out;
- ``helicopter``: level, up and down along the world's up, turns about it, looks up and down;
- ``global``: along and about the world's axes.

``look`` keeps a point in the middle of the picture, ``hold`` keeps the direction of the view,
``horizon`` keeps the camera level.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, TypeAlias

import numpy as np

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64
from articulata.geometry.camera_motion import (
    FLAT,
    ROLLS,
    Roll,
    Triple,
    aiming_twist,
    twist_between,
)
from articulata.geometry.rotation import Rotation

Mode: TypeAlias = Literal["fly", "object", "target", "helicopter", "global"]
MODES: Final = ("fly", "object", "target", "helicopter", "global")

NEAREST: Final = 1e-3
"""m: nearer to what is looked at a camera keeps its view."""

_STILL: Final = 1e-7
"""rad/s below which a camera that does not move looks at what it should."""

_STEEP: Final = math.radians(1.0)
"""A level camera looks up and down to this from the vertical: beyond it right becomes left."""


@dataclass(frozen=True, slots=True)
class Steering:
    """How rates steer. ``pivot`` (3,) in W is what ``object`` and ``target`` go about.

    With ``look`` the camera turns to what is looked at by at most ``turn`` rad/s, its picture
    upright by the rule ``roll``; ``lead`` s ahead of a target that moves. By how much it looks
    elsewhere falls to 37 % in ``smoothing`` s, at once with 0. ``up`` (3,) is the world's.
    """

    mode: Mode = "fly"
    pivot: tuple[float, float, float] = (0.0, 0.0, 0.0)
    up: tuple[float, float, float] = (0.0, 1.0, 0.0)
    horizon: bool = False
    hold: bool = False
    look: bool = False
    roll: Roll = "level"
    lead: float = 0.0
    turn: float = 2.0
    smoothing: float = 0.0

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise KinematicsError(f"a mode is one of {', '.join(MODES)}; not {self.mode!r}")
        if self.roll not in ROLLS:
            raise KinematicsError(f"roll is one of {', '.join(ROLLS)}; not {self.roll!r}")
        if not any(self.up) or not all(map(math.isfinite, (*self.up, *self.pivot, self.lead))):
            raise KinematicsError("up is a direction, a pivot a point, lead a time; finite numbers")
        if not (math.isfinite(self.turn) and self.turn > 0.0):
            raise KinematicsError(f"turn is the greatest rate of looking, rad/s; not {self.turn}")
        if not (math.isfinite(self.smoothing) and self.smoothing >= 0.0):
            raise KinematicsError(f"smoothing is a time in s, 0 or more; not {self.smoothing}")

    def twist(
        self,
        rates: Sequence[float],
        X_WC: Array,
        step: float,
        *,
        target: Sequence[float] | None = None,
        velocity: Sequence[float] = (0.0, 0.0, 0.0),
    ) -> Float64[Array, "6"]:
        """Return the twist (6,), in the axes of C, that ``rates`` (6,) ask for now.

        ``target`` (3,) in W is what is looked at, and the pivot in place of ``pivot``, where there
        is one; ``velocity`` (3,) its own, m/s. ``step`` s is for how long the twist will be held.
        """
        looking = self.look and target is not None
        if self.mode == "fly" and not (self.hold or self.horizon):
            if not looking:
                return np.array(rates, float)
            assert target is not None
            return self._looking(X_WC, rates[:3], rates[5], step, target, velocity)
        R = X_WC[:3, :3]
        v, w = np.array(rates[:3], float), np.array(rates[3:], float)
        if self.mode == "global":
            v, w = R.T @ v, R.T @ w
        elif self.mode == "helicopter":
            v, w = self._level(R, v, w, step)
        elif self.mode in ("object", "target"):
            p_C = R.T @ (np.asarray(self.pivot if target is None else target) - X_WC[:3, 3])
            if self.mode == "object":
                v, w = -v, -w
            v = v + _cross(p_C, w)
        if self.hold:
            w = np.zeros(3)
        elif self.horizon and self.mode != "helicopter":
            w = self._upright(R, w)
        if looking:
            assert target is not None
            return self._looking(X_WC, v.tolist(), float(w[2]), step, target, velocity)
        return np.concatenate([v, w])

    def _level(self, R: Array, v: Array, w: Array, step: float) -> tuple[Array, Array]:
        w = self._upright(R, w)
        # The camera turns while it goes: as it stands half way, its way is what was asked for.
        half = Rotation.from_rotation_vector(0.5 * step * w).to_matrix()
        up = self._up_in(R @ half)
        ahead = np.array((0.0, 0.0, -1.0))
        flat = ahead - (ahead @ up) * up
        if math.hypot(*flat.tolist()) < 1e-6:
            flat = np.array((0.0, 1.0, 0.0))  # straight down: the top of the picture is ahead
        flat = flat / math.hypot(*flat.tolist())
        right = _cross(flat, up)
        return v[0] * right + v[1] * up - v[2] * flat, w

    def _upright(self, R: Array, w: Array) -> Array:
        """Return turns about the camera's right and the world's up alone, that bring back level."""
        up = self._up_in(R)
        nod = float(w[0])
        # up along the way back: it looks down
        if abs(up[2]) > math.cos(_STEEP) and nod * up[2] < 0.0:
            nod = 0.0
        turned = nod * np.array((1.0, 0.0, 0.0)) + float(w[1]) * up
        if abs(up[1]) > _STEEP:
            turned[2] += 4.0 * math.atan2(-up[0], up[1])
        return np.asarray(turned)

    def _looking(
        self,
        X_WC: Array,
        v: Sequence[float],
        rolling: float,
        step: float,
        target: Sequence[float],
        velocity: Sequence[float],
    ) -> Array:
        """Return the twist that moves by ``v`` and turns to the target; roll is the user's.

        Within ``NEAREST`` of the target there is no direction to look in: the view stays.
        """
        ahead = step + self.lead
        tx, ty, tz = target[0], target[1], target[2]
        ux, uy, uz = velocity[0], velocity[1], velocity[2]
        to = tx + ahead * ux, ty + ahead * uy, tz + ahead * uz
        if math.dist(to, X_WC[:3, 3].tolist()) < NEAREST + 2.0 * step * math.hypot(*v):
            return np.array((*v, 0.0, 0.0, rolling))
        at_once = self.smoothing == 0.0
        a, b, c, x, y, z = self._aiming(X_WC, v, step, to, self.turn if at_once else math.inf)
        if not at_once:
            # what it lacks now is made up little by little, what comes to it at once
            now = (tx + self.lead * ux, ty + self.lead * uy, tz + self.lead * uz)
            lack = self._aiming(X_WC, (0.0, 0.0, 0.0), step, now, math.inf)[3:]
            later = math.exp(-step / self.smoothing)
            x, y, z = x - later * lack[0], y - later * lack[1], z - later * lack[2]
            a, b, c, x, y, z = self._turned_by(X_WC, v, (x, y, z), step)
        size = math.hypot(x, y, z)
        if size < _STILL and not any(v) and rolling == 0.0:
            return np.zeros(6)
        if size > self.turn * (1.0 + 1e-9):
            # the same axis, as far as it may; the nodal point goes straight
            share = self.turn / size
            a, b, c, x, y, z = self._turned_by(X_WC, v, (share * x, share * y, share * z), step)
        if self.roll != "level":
            z += rolling
        return np.array((a, b, c, x, y, z))

    def _aiming(
        self, X_WC: Array, v: Triple, step: float, to: Triple, most: float
    ) -> Sequence[float]:
        """Return ``aiming_twist`` of this roll, that turns by at most ``most`` rad/s."""
        out, roll = np.empty(6), ROLLS.index(self.roll)
        pose = np.ascontiguousarray(X_WC, np.float64)
        if _aiming()(pose, (v[0], v[1], v[2]), step, to, roll, self.up, FLAT, most, out):
            found: list[float] = out.tolist()
            return found
        return aiming_twist(X_WC, v, step, to, roll=self.roll, up=self.up)

    @staticmethod
    def _turned_by(X_WC: Array, v: Sequence[float], w: Sequence[float], step: float) -> list[float]:
        """Return the twist that goes straight by ``v`` while the view turns by ``w``."""
        wanted = np.eye(4)
        wanted[:3, :3] = _turned(X_WC[:3, :3], np.array(w) * step)
        wanted[:3, 3] = X_WC[:3, 3] + X_WC[:3, :3] @ np.array(v) * step
        found: list[float] = twist_between(X_WC, wanted, step).tolist()
        return found

    def _up_in(self, R: Array) -> Array:
        up = R.T @ np.asarray(self.up, float)
        return np.asarray(up / math.hypot(*up.tolist()))


def led_to(
    X_WC: Array, X_goal: Array, *, speed: float, turn: float, time: float = 0.3
) -> Float64[Array, "6"]:
    """Return the twist (6,) that leads a camera to a pose (4, 4), in its own axes.

    What it lacks falls to 37 % in ``time`` s, by at most ``speed`` m/s and ``turn`` rad/s.
    """
    twist = twist_between(X_WC, X_goal, time)
    for part, most in ((slice(0, 3), speed), (slice(3, 6), turn)):
        size = math.hypot(*twist[part].tolist())
        if size > most:
            twist[part] *= most / size
    return np.where(np.abs(twist) < _STILL, 0.0, twist)


@cache
def _aiming() -> Callable[..., bool]:
    from articulata.kernels.chains.camera_control.aiming_twists import aiming
    from articulata.kernels.compile import bind

    three = (0.0, 0.0, 0.0)
    return bind(aiming, np.empty((4, 4)), three, 0.0, three, 0, three, 0.0, 0.0, np.empty(6))


def _cross(a: Array, b: Array) -> Array:
    (ax, ay, az), (bx, by, bz) = a.tolist(), b.tolist()
    return np.array((ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx))


def _turned(R: Array, w: Array) -> Array:
    from articulata.kernels.chains.screw_steps import turn_by

    out = np.empty((3, 3))
    turn_by(np.ascontiguousarray(w), 1.0, out)
    return np.asarray(R @ out)
