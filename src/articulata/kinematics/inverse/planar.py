"""Three parallel turning joints: both postures of a pose, and the whole family of a place.

In the plane across the axes a link is a complex number. With the tip's turn ``phi`` given, the last
link is known and the first two meet in a triangle: two postures, one for each side of the elbow. A
place alone leaves ``phi`` free. The intervals in which the limits are kept end where a joint stands
at a limit, or where the first two links are in line: each is a triangle again, so ends are exact.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from articulata.geometry.arrays import Array, Float64
from articulata.kinematics.joint import REVOLUTE

if TYPE_CHECKING:
    from articulata.kinematics.serial import Serial

_PARALLEL = 1e-9
"""Most by which axes, a target's height and its axis may be off."""

_SLACK = 1e-10
"""Limits are widened by this, rad: a joint at its limit leaves one angle, no interval."""

ELBOWS = (1.0, -1.0)
"""The two sides of the elbow, in the order of ``LABELS``."""

LABELS = ("elbow +", "elbow -")


@dataclass(frozen=True, slots=True, eq=False)
class PlanarArm:
    """A chain of three parallel axes: links as complex numbers, in a plane of W.

    ``into`` (2, 3) are the plane's axes and ``origin`` (3,) is the first joint; ``signs`` are +1
    where an axis points along the plane's normal, else -1. ``R`` (3, 3) turns the tip in posture
    0, ``height`` is how far it is from the plane, m.
    """

    links: tuple[complex, complex, complex]
    into: Array
    normal: Array
    origin: Array
    signs: tuple[float, float, float]
    R: Array
    height: float
    lower: tuple[float, float, float]
    upper: tuple[float, float, float]

    @staticmethod
    def recognise(chain: Serial) -> PlanarArm | None:
        """Return the arm of three turning joints with parallel axes, None for any other chain."""
        moving = [i for i, joint in enumerate(chain.joints) if joint.kind != "fixed"]
        if len(moving) != 3 or chain.dof != 3:
            return None
        if any(chain.joints[i].kind != REVOLUTE for i in moving):
            return None
        frames, _ = _frames_at_zero(chain)
        z = np.stack([frames[i][:3, 2] for i in moving])
        normal = z[0]
        if np.abs(np.cross(z, normal)).max() > _PARALLEL:
            return None
        p = [frames[i][:3, 3] for i in moving]
        X_WT = chain.tip(np.zeros(3))
        along = np.eye(3)[int(np.argmin(np.abs(normal)))]
        first = along - normal * (along @ normal)
        first /= np.linalg.norm(first)
        into = np.stack([first, np.cross(normal, first)])
        flat = [complex(*(into @ (point - p[0]))) for point in (*p, X_WT[:3, 3])]
        links = (flat[1] - flat[0], flat[2] - flat[1], flat[3] - flat[2])
        if min(abs(links[0]), abs(links[1])) < _PARALLEL:
            return None
        s = [1.0 if float(axis @ normal) > 0.0 else -1.0 for axis in z]
        low, high = chain.lower.tolist(), chain.upper.tolist()
        return PlanarArm(
            links,
            into,
            np.asarray(normal),
            np.asarray(p[0]),
            (s[0], s[1], s[2]),
            np.asarray(X_WT[:3, :3]),
            float(normal @ (X_WT[:3, 3] - p[0])),
            (low[0], low[1], low[2]),
            (high[0], high[1], high[2]),
        )

    def turn(self, X_WT: Float64[Array, "4 4"]) -> float | None:
        """Return the turn ``phi`` of a pose, rad, None where the tip cannot be turned so."""
        turn = X_WT[:3, :3] @ self.R.T
        if np.abs(turn @ self.normal - self.normal).max() > 1e-7:
            return None
        e = self.into
        return math.atan2(float(e[1] @ turn @ e[0]), float(e[0] @ turn @ e[0]))

    def place(self, p_WT: Float64[Array, "3"]) -> complex | None:
        """Return a place in the plane, seen from the first joint; None where it lies off it."""
        away = p_WT - self.origin
        if abs(float(away @ self.normal) - self.height) > 1e-7:
            return None
        return complex(float(self.into[0] @ away), float(self.into[1] @ away))

    def at(self, place: complex, phi: float, side: float) -> tuple[float, float, float] | None:
        """Return the posture of a pose on one side of the elbow, None where there is none."""
        one, two, three = self.links
        wrist = place - cmath.rect(1.0, phi) * three
        away = abs(wrist)
        cosine = (away * away - abs(one) ** 2 - abs(two) ** 2) / (2.0 * abs(one) * abs(two))
        if not -1.0 - 1e-12 <= cosine <= 1.0 + 1e-12:
            return None
        bend = side * math.acos(min(max(cosine, -1.0), 1.0))
        a2 = bend - cmath.phase(two) + cmath.phase(one)
        a1 = cmath.phase(wrist) - cmath.phase(one + cmath.rect(1.0, a2) * two)
        return self._kept((a1, a2, phi - a1 - a2))

    def within(self, q: tuple[float, float, float]) -> bool:
        """Return whether a posture keeps the limits."""
        return all(
            low - _SLACK <= value <= high + _SLACK
            for value, low, high in zip(q, self.lower, self.upper, strict=True)
        )

    def postures(self, X_WT: Float64[Array, "4 4"]) -> tuple[list[tuple[float, ...]], list[int]]:
        """Return the postures of a pose that keep the limits, and the numbers of their labels."""
        phi, place = self.turn(X_WT), self.place(X_WT[:3, 3])
        found: list[tuple[float, ...]] = []
        sides: list[int] = []
        if phi is None or place is None:
            return found, sides
        for number, side in enumerate(ELBOWS):
            q = self.at(place, phi, side)
            if q is None or not self.within(q):
                continue
            kept = tuple(
                min(max(v, a), b) for v, a, b in zip(q, self.lower, self.upper, strict=True)
            )
            if not found or max(abs(a - b) for a, b in zip(found[0], kept, strict=True)) > 1e-12:
                found.append(kept)
                sides.append(number)
        return found, sides

    def intervals(self, p_WT: Float64[Array, "3"]) -> list[tuple[int, float, float]]:
        """Return (number of the label, from, to) of every piece of the family of a place."""
        place = self.place(p_WT)
        if place is None:
            return []
        ends = sorted({math.remainder(phi, math.tau) for phi in self._ends(place)})
        if not ends:
            ends = [-math.pi]
        found = []
        for low, high in zip(ends, [*ends[1:], ends[0] + math.tau], strict=True):
            if high - low < 1e-13:
                continue
            for number, side in enumerate(ELBOWS):
                q = self.at(place, 0.5 * (low + high), side)
                if q is not None and self.within(q):
                    found.append((number, low, high))
        return found

    def along(self, p_WT: Float64[Array, "3"], number: int, phi: Array) -> Float64[Array, "m 3"]:
        """Return postures of the family of a place at turns ``phi`` (m,), limits kept."""
        place = self.place(p_WT)
        assert place is not None
        out = np.empty((len(phi), 3))
        for i, value in enumerate(phi.tolist()):
            out[i] = self.at(place, value, ELBOWS[number]) or (math.nan,) * 3
        return np.clip(out, self.lower, self.upper)

    # ---- inside

    def _ends(self, place: complex) -> list[float]:
        """Return the turns at which an interval can end."""
        one, two, three = self.links
        found: list[float] = []
        reaches = [abs(one) + abs(two), abs(abs(one) - abs(two))]
        for limits in (self.lower, self.upper):
            q = [s * v for s, v in zip(self.signs, limits, strict=True)]
            if math.isfinite(q[1]):
                reaches.append(abs(one + cmath.rect(1.0, q[1]) * two))
            if math.isfinite(q[0]):
                rest = place - cmath.rect(1.0, q[0]) * one
                for a3 in _bends(two, three, abs(rest)):
                    turn = cmath.phase(rest) - cmath.phase(two + cmath.rect(1.0, a3) * three)
                    found.append(turn + a3)
            if math.isfinite(q[2]):
                outer = two + cmath.rect(1.0, q[2]) * three
                for a2 in _bends(one, outer, abs(place)):
                    a1 = cmath.phase(place) - cmath.phase(one + cmath.rect(1.0, a2) * outer)
                    found.append(a1 + a2 + q[2])
        for reach in reaches:
            # |place - e^(i phi) three| = reach: a triangle about the place
            found += _bends(place, -three, reach)
        return found

    def _kept(self, turns: tuple[float, float, float]) -> tuple[float, float, float]:
        """Return joint values of ``turns``, by whole turns nearest to the middle of the limits."""
        found = []
        for value, sign, low, high in zip(turns, self.signs, self.lower, self.upper, strict=True):
            middle = 0.5 * (low + high) if math.isfinite(high - low) else 0.0
            found.append(middle + math.remainder(sign * value - middle, math.tau))
        return found[0], found[1], found[2]


def _bends(a: complex, b: complex, reach: float) -> list[float]:
    """Return the angles x with |a + e^(ix) b| = reach."""
    if abs(a) < _PARALLEL or abs(b) < _PARALLEL:
        return []
    cosine = (reach * reach - abs(a) ** 2 - abs(b) ** 2) / (2.0 * abs(a) * abs(b))
    if not -1.0 <= cosine <= 1.0:
        return []
    turn = math.acos(cosine)
    lead = cmath.phase(a) - cmath.phase(b)
    return [lead + turn, lead - turn]


def _frames_at_zero(chain: Serial) -> tuple[Array, Array]:
    """Return the frames in which the joints move, posture 0: (joints, 4, 4), and the base."""
    X = np.array(chain.base)
    found = []
    for joint in chain.joints:
        X = X @ joint.X_PJ
        found.append(X)
        X = X @ joint.X_JL
    return np.stack(found), chain.base
