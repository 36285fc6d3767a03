"""Chains that the tests of inverse kinematics use, made from the kernels' test chains."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from tests.unit.kernels.chains import camera_robot, torso_to_hand

from articulata.kinematics.chain import Chain
from articulata.kinematics.conventions import DH
from articulata.kinematics.joint import Joint

P = 0.5 * math.pi


def chain_of(parts: Any, name: str = "") -> Chain:
    """Return the public chain of a kernel chain."""
    fixed, kinds, tip, low, high = parts
    words = ("revolute", "prismatic", "fixed")
    joints = [
        Joint(f"j{i + 1}", words[kind], _pose(fixed[i]), limits=(low[i], high[i]))  # type: ignore[arg-type] # one of the kinds
        for i, kind in enumerate(kinds)
    ]
    return Chain(joints, end=_pose(tip), name=name)


def _pose(part: Any) -> Any:
    return np.vstack([part, [0.0, 0.0, 0.0, 1.0]])


def camera() -> Chain:
    """The camera robot of Li 2011, without limits."""
    return chain_of(camera_robot(), "camera robot")


def person() -> Chain:
    """The 21 joints of Otmani & Pruski 2009."""
    return chain_of(torso_to_hand(), "torso to hand")


def industrial(*, limit: float = math.inf, beside: float = 0.1) -> Chain:
    """Six joints with shoulder and elbow offsets and turned zero positions."""
    rows = [
        DH(d=0.4, alpha=P, a=0.05),
        DH(theta=0.3, d=beside, a=0.5),
        DH(d=0.02, alpha=-P, a=0.06),
        DH(theta=0.1, d=0.45, alpha=P),
        DH(alpha=-P),
        DH(d=0.1),
    ]
    rows = [_limited(row, limit) for row in rows]
    return Chain.standard_dh(rows, name="industrial")


def puma() -> Chain:
    """An arm that moves beside its first axis: left and right shoulders."""
    rows = [
        DH(d=0.6, alpha=-P),
        DH(a=0.43, d=0.15),
        DH(alpha=P),
        DH(d=0.43, alpha=-P),
        DH(alpha=P),
        DH(d=0.05),
    ]
    return Chain.standard_dh(rows)


def seven() -> Chain:
    """Seven joints: lengths and limits of the KUKA LBR iiwa 7 data sheet."""
    d = (0.34, 0.0, 0.4, 0.0, 0.4, 0.0, 0.126)
    alpha = (-P, P, P, -P, -P, P, 0.0)
    limits = np.radians([170.0, 120, 170, 120, 170, 120, 175])
    rows = [
        DH(d=d[i], alpha=alpha[i], limits=(-limits[i], limits[i]), name=f"A{i + 1}")
        for i in range(7)
    ]
    return Chain.standard_dh(rows, name="seven")


def planar(limit: float = math.radians(60.0)) -> Chain:
    """The planar arm of links 4, 2, 1 of Thomann 2005, its limits 60 deg either way."""
    rows = [DH(a=a, limits=(-limit, limit), name=f"q{i}") for i, a in enumerate((4.0, 2.0, 1.0))]
    return Chain.standard_dh(rows)


def drawn(chain: Chain, rng: np.random.Generator, count: int) -> Any:
    """Return postures (count, dof) within limits, within half a turn where there are none."""
    low = np.maximum(chain.lower, -math.pi)
    high = np.minimum(chain.upper, math.pi)
    return rng.uniform(low, high, (count, chain.dof))


def _limited(row: DH, limit: float) -> DH:
    return DH(theta=row.theta, d=row.d, a=row.a, alpha=row.alpha, limits=(-limit, limit))


def keeps_limits(chain: Any, q: Any) -> bool:
    """Return whether postures (*batch, dof) keep the limits, but for 1e-9."""
    return bool(((q >= chain.lower - 1e-9) & (q <= chain.upper + 1e-9)).all())
