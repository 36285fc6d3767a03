"""How a figure is built below its waist: what takes room where it stands."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from articulata.analyses.reach.ways.stances import Build, usual_build
from articulata.geometry.arrays import Array
from articulata.geometry.shapes import Capsule, Cuboid
from articulata.kinematics.figure import Figure
from articulata.kinematics.joint import FIXED
from articulata.kinematics.link import Link, Part

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
