"""How people stand: feet, shins, thighs and pelvis in layers, feet set in several ways.

Knees are straight and hips at their height; legs lean as far as feet are beside the hip joints.
Feet stand freely: turned out, apart, one ahead of the other, or both behind the hips. What is found
keeps to how people stand at ease. What is proved allows all that is within a step.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from articulata.analyses.reach.ways.device_parts import (
    CLEAR,
    TURNS,
    DevicePart,
    Limb,
    Member,
    disc,
    rim,
)
from articulata.geometry.arrays import Array
from articulata.geometry.shapes import Capsule, Cuboid
from articulata.kinematics.figure import Figure
from articulata.kinematics.joint import FIXED
from articulata.kinematics.link import Link, Part

OUT: Final = 2
"""Feet are turned out by so many of the ``TURNS`` (30 deg), or not at all."""

BEHIND: Final = 0.056
"""Of the hips' height: so far behind the hips feet stand at most, 5 cm of 0.9 m."""

AHEAD: Final = 0.067
"""Of the hips' height: so far ahead of them a foot stands, 6 cm of 0.9 m. The body is balanced even
where both feet are behind or both ahead: over their balls, or over their heels."""

APART: Final = 0.111
"""Of the hips' height: so far a foot stands beside its hip, 10 cm of 0.9 m."""

STEP: Final = 0.22
"""Of the hips' height: no foot stands farther from the floor's point below its hip, 20 cm of
0.9 m. Proofs allow all of it, with feet turned anyhow."""

LEG: Final = 16
"""Corners of the polygon about a leg."""

SLABS: Final = 2
"""Pieces of shin and of thigh, in proofs."""


@dataclass(frozen=True)
class Build:
    """Measures of a standing person, m.

    Heights of ``hips``, ``knee`` and ``ankle``; ``aside`` is how far a hip joint is from the
    middle; ``thigh`` and ``shin`` are radii. The foot goes from ``heel`` behind the ankle to
    ``toe`` ahead of it and is ``foot`` wide to either side as far as its ``ball``. A ball of radius
    ``pelvis`` about the middle of the hips is within the pelvis; 0 where that is not known.
    """

    hips: float
    knee: float
    ankle: float
    aside: float
    thigh: float
    shin: float
    heel: float
    ball: float
    toe: float
    foot: float
    pelvis: float

    @cached_property
    def limbs(self) -> tuple[Limb, ...]:
        """What takes room where somebody stands at ease: legs, and the pelvis."""
        left = self._standing(
            ((0.0, 0.0, 0), (0.0, 0.0, OUT), (-BEHIND, 0.0, 0), (-BEHIND, 0.0, OUT),
             (AHEAD, 0.0, 0)),
        ) + self._standing(((0.0, APART, 0),))  # fmt: skip
        legs = left, _mirrored(left)
        if self.pelvis <= 0.0:
            return legs
        body = DevicePart(disc(self.pelvis), self.hips - self.pelvis, self.hips)
        return (*legs, ((Member((body,), round=True),),))

    @cached_property
    def core(self) -> tuple[Member, ...]:
        """What takes room however somebody stands."""
        far = STEP * self.hips
        turning = self.aside * np.pi / TURNS
        found = []
        for low, high, radius in self._slabs():
            middle, half = self._lean(low, high)
            inner = radius - far * half
            if inner > 0.0:
                part = DevicePart(rim(inner, LEG), low, high)
                found += [
                    Member((part,), (0.0, y), round=True, sway=far * middle + turning)
                    for y in (self.aside, -self.aside)
                ]
        if self.pelvis > 0.0:
            low = self.hips - 0.5 * self.pelvis
            part = DevicePart(rim(float(np.sqrt(0.75)) * self.pelvis), low, self.hips)
            found.append(Member((part,), round=True))
        return tuple(found)

    @cached_property
    def _foot(self) -> DevicePart:
        """The foot about the ankle, as it looks ahead."""
        y = self.foot
        side = np.array([(-self.heel, 0.6 * y), (0.0, y), (self.ball, y), (self.toe, 0.4 * y)])
        return DevicePart(np.concatenate([side * (1.0, -1.0), side[::-1]]), CLEAR, self.ankle)

    def _standing(self, feet: Sequence[tuple[float, float, int]]) -> Limb:
        """Return the left leg with its foot set in several ways.

        Each is how far the foot is ahead and aside, as a share of the hips' height, and turned.
        """
        shin, thigh = self._lean(self.ankle, self.knee), self._lean(self.knee, self.hips)
        far = self.hips * max(float(np.hypot(ahead, beside)) for ahead, beside, _ in feet)
        # all that a leaning piece covers at its heights is within its disc
        lower = DevicePart(disc(self.shin + far * shin[1], LEG), self.ankle, self.knee)
        upper = DevicePart(disc(self.thigh + far * thigh[1], LEG), self.knee, self.hips)
        found = []
        for ahead, beside, turned in feet:
            x, y = ahead * self.hips, beside * self.hips

            def at(share: float, x: float = x, y: float = y) -> tuple[float, float]:
                return share * x, self.aside + share * y

            found.append(
                (
                    Member((self._foot,), at(1.0), turned),
                    Member((lower,), at(shin[0]), round=True),
                    Member((upper,), at(thigh[0]), round=True),
                )
            )
        return tuple(found)

    def _lean(self, low: float, high: float) -> tuple[float, float]:
        """Return how far a leg between two heights is from below its hip, and how far off that is.

        Both as shares of how far its foot is: the middle, and half of the difference.
        """
        ends = [min((self.hips - z) / (self.hips - self.ankle), 1.0) for z in (low, high)]
        return 0.5 * (ends[0] + ends[1]), 0.5 * (ends[0] - ends[1])

    def _slabs(self) -> list[tuple[float, float, float]]:
        """Return pieces of a leg: from, to and radius within, m."""
        shin = np.linspace(self.ankle, self.knee, SLABS + 1)
        thigh = np.linspace(self.knee, self.hips, SLABS + 1)
        return [
            (CLEAR, self.ankle, min(self.foot, self.heel)),
            *((a, b, self.shin) for a, b in itertools.pairwise(shin.tolist())),
            *((a, b, self.thigh) for a, b in itertools.pairwise(thigh.tolist())),
        ]


def _mirrored(limb: Limb) -> Limb:
    """Return the right leg of a left one."""
    return tuple(
        tuple(
            replace(member, at=(member.at[0], -member.at[1]), turned=-member.turned)
            for member in alternative
        )
        for alternative in limb
    )


def usual_build(hips: float) -> Build:
    """Return the measures of somebody whose hips are ``hips`` m high.

    Those of the figure ``person``, 1.75 m tall, in proportion: where a figure has no legs.
    """
    s = hips / 0.8975
    return Build(
        hips, 0.4896 * s, 0.0725 * s, 0.0856 * s, 0.0955 * s, 0.0648 * s, 0.0675 * s, 0.1325 * s,
        0.2025 * s, 0.0406 * s, 0.1109 * s,
    )  # fmt: skip


MARKS: Final = ("hip", "knee", "ankle", "heel", "ball", "ball_outer", "toe")
"""Landmarks of a leg, after "l_" or "r_"."""


def build_of(figure: Figure, resting: Array, hips: float, lean: str) -> Build:
    """Return the measures of a figure on base joints, m, as it stands: posture ``resting`` (dof,).

    The joint ``lean`` carries the pelvis. Where the figure has no legs they are the usual ones for
    ``hips`` of that height.
    """
    pelvis = _pelvis(figure, lean)
    usual = replace(usual_build(hips), pelvis=pelvis)
    side = next((s for s in "lr" if all(f"{s}_{m}" in figure.landmarks for m in MARKS)), None)
    if side is None:
        return usual
    at = {mark: figure.landmark(resting, f"{side}_{mark}")[:3, 3] for mark in MARKS}
    thigh, shin = (_radius(figure, f"{side}_{mark}") for mark in ("hip", "knee"))
    foot = {mark: at[mark] - at["ankle"] for mark in ("heel", "ball", "ball_outer", "toe")}
    knee, ankle = float(at["knee"][2]), float(at["ankle"][2])
    if not (thigh > 0.0 and shin > 0.0 and 0.0 < ankle < knee < hips):
        return usual
    return Build(
        hips, knee, ankle, abs(float(at["hip"][1])), thigh, shin,
        heel=-float(foot["heel"][0]),
        ball=float(max(foot["ball"][0], foot["ball_outer"][0])),
        toe=float(foot["toe"][0]),
        foot=float(max(abs(foot["ball"][1]), abs(foot["ball_outer"][1]))),
        pelvis=pelvis,
    )  # fmt: skip


def _pelvis(figure: Figure, lean: str) -> float:
    """Return the radius of a ball about the middle of the hips within what leans with them, m."""
    found = 0.0
    X = np.eye(4)
    fixed = {figure.index(lean): X}
    for number, joint in enumerate(figure.joints):
        if number not in fixed and joint.kind == FIXED and figure.parents[number] in fixed:
            fixed[number] = fixed[figure.parents[number]] @ joint.X_PJ @ joint.X_JL
    for number, X in fixed.items():
        for part in figure.links[figure.joints[number].name].collisions:
            if isinstance(part.shape, Cuboid):
                p = (X @ part.X_LS)[:3]
                half = 0.5 * np.array([part.shape.x, part.shape.y, part.shape.z])
                found = max(found, float((half - np.abs(p[:, 3] @ p[:, :3])).min()))
    return found


def _radius(figure: Figure, mark: str) -> float:
    """Return the radius of the link that begins at a landmark, m; 0 where it is not known."""
    number = figure.index(figure.landmarks[mark].joint)
    link: Link = figure.links[figure.joints[number].name]
    parts: list[Part] = list(link.collisions)
    return max((p.shape.radius for p in parts if isinstance(p.shape, Capsule)), default=0.0)
