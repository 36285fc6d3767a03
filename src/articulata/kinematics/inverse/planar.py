"""Planar 3R arms: both postures that meet a pose, and all postures that meet a place.

In the plane normal to the three parallel axes a link is a complex number. A given orientation
``phi`` of the tip fixes the last link; the first two close a triangle, with the elbow on either
side. A place alone leaves ``phi`` free. The intervals of ``phi`` within the limits end where a
joint is at a limit, or where the first two links are in line. Each end is exact: a triangle again.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from articulata.geometry.arrays import Array, Float64
from articulata.kinematics.joint import REVOLUTE

if TYPE_CHECKING:
    from articulata.kinematics.serial import Serial

_PARALLEL = 1e-9
"""Most by which axes, a target's height and its axis may be off."""

_SLACK = 1e-10
"""Limits are widened by this, rad: a joint at its limit leaves one angle, no interval."""

Three: TypeAlias = tuple[float, float, float]

ELBOWS = (1.0, -1.0)
"""The two sides of the elbow, in the order of ``LABELS``."""

LABELS = ("elbow +", "elbow -")


class _Triangle(NamedTuple):
    """The first two links: their lengths squared and summed, twice their product, their lead."""

    squares: float
    product: float
    lead: float


class _Plane(NamedTuple):
    """The plane and the tip in it as plain numbers: one posture must cost microseconds.

    ``first`` and ``second`` are the plane's axes in W. ``tip_normal`` and ``tip_first`` are the
    normal and the first axis as the tip has them in posture 0; ``across`` and ``up`` (2,), how far
    the first joint is along the axes, and the tip's plane along the normal.
    """

    first: Three
    second: Three
    normal: Three
    tip_normal: Three
    tip_first: Three
    across: tuple[float, float]
    up: float


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
    lower: Three
    upper: Three
    _triangle: _Triangle = field(init=False)
    _plane: _Plane = field(init=False)
    _middle: Three = field(init=False)

    def __post_init__(self) -> None:
        one, two, _ = self.links
        squares, product = abs(one) ** 2 + abs(two) ** 2, 2.0 * abs(one) * abs(two)
        lead = cmath.phase(one) - cmath.phase(two)
        object.__setattr__(self, "_triangle", _Triangle(squares, product, lead))
        first, second = self.into
        tip_normal, tip_first = self.R.T @ self.normal, self.R.T @ first
        across = float(first @ self.origin), float(second @ self.origin)
        up = float(self.normal @ self.origin) + self.height
        axes = _three(first), _three(second), _three(self.normal)
        tip = _three(tip_normal), _three(tip_first)
        object.__setattr__(self, "_plane", _Plane(*axes, *tip, across, up))
        a, b, c = (
            0.5 * (low + high) if math.isfinite(high - low) else 0.0
            for low, high in zip(self.lower, self.upper, strict=True)
        )
        object.__setattr__(self, "_middle", (a, b, c))

    @staticmethod
    def recognise(chain: Serial, count: int = 3) -> PlanarArm | None:
        """Return the arm of turning joints with parallel axes, None for any other chain.

        There are ``count`` of them, three or two; an arm of two has a third link of no length.
        """
        moving = [i for i, joint in enumerate(chain.joints) if joint.kind != "fixed"]
        if len(moving) != count or chain.dof != count:
            return None
        if any(chain.joints[i].kind != REVOLUTE for i in moving):
            return None
        frames, _ = _frames_at_zero(chain)
        z = np.stack([frames[i][:3, 2] for i in moving])
        normal = z[0]
        if np.abs(np.cross(z, normal)).max() > _PARALLEL:
            return None
        p = [frames[i][:3, 3] for i in moving]
        X_WT = chain.tip(np.zeros(count))
        along = np.eye(3)[int(np.argmin(np.abs(normal)))]
        first = along - normal * (along @ normal)
        first /= np.linalg.norm(first)
        into = np.stack([first, np.cross(normal, first)])
        flat = [complex(*(into @ (point - p[0]))) for point in (*p, X_WT[:3, 3])]
        flat += [flat[-1]] * (3 - count)
        links = (flat[1] - flat[0], flat[2] - flat[1], flat[3] - flat[2])
        if min(abs(links[0]), abs(links[1])) < _PARALLEL:
            return None
        s = [1.0 if float(axis @ normal) > 0.0 else -1.0 for axis in z]
        s += [1.0] * (3 - count)
        low, high = [*chain.lower.tolist(), -math.inf], [*chain.upper.tolist(), math.inf]
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
        (a, b, c, _), (d, e, f, _), (g, h, i, _), _ = X_WT.tolist()
        plane = self._plane
        x, y, z = plane.tip_normal
        u, v, w = plane.normal
        off = abs(a * x + b * y + c * z - u)
        off = max(off, abs(d * x + e * y + f * z - v), abs(g * x + h * y + i * z - w))
        if off > 1e-7:
            return None
        x, y, z = plane.tip_first
        x, y, z = a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z
        u, v, w = plane.first
        k, m, n = plane.second
        return math.atan2(k * x + m * y + n * z, u * x + v * y + w * z)

    def place(self, p_WT: Float64[Array, "3"]) -> complex | None:
        """Return a place in the plane, seen from the first joint; None where it lies off it."""
        x, y, z = p_WT.tolist()
        plane = self._plane
        (a, b, c), (d, e, f), (g, h, i) = plane.first, plane.second, plane.normal
        if abs(g * x + h * y + i * z - plane.up) > 1e-7:
            return None
        left, up = plane.across
        return complex(a * x + b * y + c * z - left, d * x + e * y + f * z - up)

    def at(self, place: complex, phi: float, side: float) -> Three | None:
        """Return the posture of a pose on one side of the elbow, None where there is none."""
        one, two, three = self.links
        wrist = place - cmath.rect(1.0, phi) * three
        triangle = self._triangle
        away = abs(wrist)
        cosine = (away * away - triangle.squares) / triangle.product
        if not -1.0 - 1e-12 <= cosine <= 1.0 + 1e-12:
            return None
        a2 = side * math.acos(min(max(cosine, -1.0), 1.0)) + triangle.lead
        a1 = cmath.phase(wrist) - cmath.phase(one + cmath.rect(1.0, a2) * two)
        return self._kept((a1, a2, phi - a1 - a2))

    def within(self, q: Three) -> bool:
        """Return whether a posture keeps the limits."""
        (a, b, c), (d, e, f), (x, y, z) = self.lower, self.upper, q
        return (
            a - _SLACK <= x <= d + _SLACK
            and b - _SLACK <= y <= e + _SLACK
            and c - _SLACK <= z <= f + _SLACK
        )

    def postures(self, X_WT: Float64[Array, "4 4"]) -> tuple[list[Three], list[int]]:
        """Return the postures of a pose that keep the limits, and the numbers of their labels."""
        phi, place = self.turn(X_WT), self.place(X_WT[:3, 3])
        found: list[Three] = []
        sides: list[int] = []
        if phi is None or place is None:
            return found, sides
        for number, side in enumerate(ELBOWS):
            q = self.at(place, phi, side)
            if q is None or not self.within(q):
                continue
            (a, b, c), (d, e, f), (x, y, z) = self.lower, self.upper, q
            x, y, z = min(max(x, a), d), min(max(y, b), e), min(max(z, c), f)
            if found:
                u, v, w = found[0]
                if max(abs(u - x), abs(v - y), abs(w - z)) <= 1e-12:
                    continue
            found.append((x, y, z))
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

    def _kept(self, turns: Three) -> Three:
        """Return joint values of ``turns``, by whole turns nearest to the middle of the limits."""
        (x, y, z), (r, s, t), (a, b, c) = turns, self.signs, self._middle
        return (
            a + math.remainder(r * x - a, math.tau),
            b + math.remainder(s * y - b, math.tau),
            c + math.remainder(t * z - c, math.tau),
        )


def _three(v: Array) -> Three:
    x, y, z = v.tolist()
    return x, y, z


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
