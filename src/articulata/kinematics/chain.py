"""A chain: joints one after another, with a tip. Forward kinematics and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64
from articulata.kinematics.conventions import (
    DH,
    modified_joints,
    standard_joints,
    x_axis_table_joints,
)
from articulata.kinematics.inverse.areas import Area
from articulata.kinematics.inverse.asking import ask
from articulata.kinematics.inverse.branches import Branches, all_inverse
from articulata.kinematics.inverse.descent import Descent
from articulata.kinematics.inverse.method import Method, Progress
from articulata.kinematics.joint import Joint
from articulata.kinematics.postures import Postures
from articulata.kinematics.tree import Tree

if TYPE_CHECKING:
    from articulata.kinematics.inverse.following import Followed
    from articulata.kinematics.inverse.prepared import Prepared
    from articulata.kinematics.symbolic.symbolic import Symbolic

_ENGINE = Descent()


class Chain(Tree):
    """Joints in series on a base; ``end`` is ``X_LT``, the tip's pose in the last link.

    >>> arm = Chain.standard_dh([DH(a=1.0), DH(a=1.0)])
    >>> arm.tip([0.0, np.pi / 2])[:3, 3]
    array([1., 1., 0.])
    """

    def __init__(
        self,
        joints: Iterable[Joint],
        *,
        base: npt.ArrayLike | None = None,
        end: npt.ArrayLike | None = None,
        name: str = "",
    ) -> None:
        series = tuple(joints)
        super().__init__(series, range(-1, len(series) - 1), base=base, name=name)
        self.end: Array = np.eye(4) if end is None else np.array(end, float)
        self.end.flags.writeable = False
        if self.end.shape != (4, 4) or not np.isfinite(self.end).all():
            raise KinematicsError("the tip must be a (4, 4) pose of finite numbers")

    @staticmethod
    def standard_dh(
        rows: Iterable[DH],
        *,
        base: npt.ArrayLike | None = None,
        end: npt.ArrayLike | None = None,
        name: str = "",
    ) -> Chain:
        """Return a chain from a standard table: ``Rz(theta) Tz(d) Tx(a) Rx(alpha)`` a row."""
        return Chain(standard_joints(rows), base=base, end=end, name=name)

    @staticmethod
    def modified_dh(
        rows: Iterable[DH],
        *,
        base: npt.ArrayLike | None = None,
        end: npt.ArrayLike | None = None,
        name: str = "",
    ) -> Chain:
        """Return a chain from a modified table: ``Rx(alpha) Tx(a) Rz(theta) Tz(d)`` a row."""
        return Chain(modified_joints(rows), base=base, end=end, name=name)

    @staticmethod
    def x_axis_dh(
        rows: Iterable[DH],
        *,
        base: npt.ArrayLike | None = None,
        end: npt.ArrayLike | None = None,
        name: str = "",
    ) -> Chain:
        """Return a chain from a table about x: ``Rx(theta) Tx(d) Tz(a) Rz(alpha)`` a row."""
        return Chain(x_axis_table_joints(rows), base=base, end=end, name=name)

    def tip(self, q: npt.ArrayLike) -> Float64[Array, "*batch 4 4"]:
        """Return ``X_WT`` for postures ``q`` (*batch, dof)."""
        return self._tips(q, len(self.joints) - 1, self._tip)

    @cached_property
    def _tip(self) -> Array:
        """The tip in the last joint's moved frame, (3, 4)."""
        return np.ascontiguousarray((self.joints[-1].X_JL @ self.end)[:3])

    def jacobian(self, q: npt.ArrayLike) -> Float64[Array, "*batch 6 dof"]:
        """Return the tip's Jacobian: rows v (m/s) then w (rad/s), in W."""
        return self._jacobians(q, len(self.joints) - 1, self._tip)

    def manipulability(
        self, q: npt.ArrayLike, *, rows: slice = slice(0, 6)
    ) -> Float64[Array, "*batch"]:
        """Return Yoshikawa's measure ``sqrt(det(J J^T))`` over the chosen rows of the Jacobian.

        Zero at a singularity. ``rows=slice(0, 3)`` measures translation alone. With fewer
        coordinates than rows it is ``sqrt(det(J^T J))``. Yoshikawa 1985.
        """
        J = self.jacobian(q)[..., rows, :]
        measure = np.prod(np.linalg.svd(J, compute_uv=False), axis=-1)
        return np.asarray(measure)

    @cached_property
    def prepared(self) -> Prepared:
        """What inverse kinematics keeps about this chain; made on the first question."""
        from articulata.kinematics.inverse.prepared import Prepared

        return Prepared(self)

    def inverse(
        self,
        targets: npt.ArrayLike | Area,
        start: npt.ArrayLike | None = None,
        tolerance: float = 0.5e-3,
        method: Method = _ENGINE,
        *,
        angle_tolerance: float | None = None,
        progress: Progress | None = None,
    ) -> Postures:
        """Return postures that bring the tip to ``targets``, within limits.

        ``targets`` are places (*batch, 3) in W, m, poses X_WT (*batch, 4, 4) or an area such
        as ``CircleArea``. ``start`` (dof,) or (*batch, dof) is tried first. A target is met
        when the tip is within ``tolerance`` m and, for poses, ``angle_tolerance`` rad (the same
        number where none is given). ``method`` is a value such as ``Descent()``. A row of a
        batch that holds NaN is answered with the reason NOT_A_NUMBER; alone it is an error.
        """
        return ask(self, targets, start, tolerance, angle_tolerance, method, progress)

    def all_inverse(self, X_WT: npt.ArrayLike) -> Branches:
        """Return every posture for poses (*batch, 4, 4) by the chain's closed form.

        The structure is recognised: a spherical wrist, spherical-revolute-spherical, or a slide
        before a universal joint, a ball and a hinge. A chain without a known structure raises
        a KinematicsError that says what is missing.
        """
        return all_inverse(self, X_WT)

    def symbolic(self, *, tolerance: float = 1e-14) -> Symbolic:
        """Return tip and Jacobian in closed form: ``.text``, ``.latex`` and ``.python``.

        Entries of fixed turns within ``tolerance`` of 0, 1 and -1 are taken for these: 1e-5 mends
        a table that prints a quarter turn as 1.5708, and moves the tip by as little.
        """
        from articulata.kinematics.symbolic.symbolic import symbolic

        return symbolic(self, tolerance=tolerance)

    def follow(
        self,
        path: npt.ArrayLike,
        start: npt.ArrayLike | None = None,
        tolerance: float = 0.5e-3,
        method: Method | None = None,
        *,
        angle_tolerance: float | None = None,
        hysteresis: float = 0.1,
        progress: Progress | None = None,
    ) -> Followed:
        """Return postures along a path of places (k, 3) or poses X_WT (k, 4, 4).

        Each posture continues the one before. Without a ``method``, poses are followed by the
        chain's closed form where it has one, anything else by ``Descent()``; Jacobian methods
        follow by rates. A closed form leaves its branch when that ends or when another branch
        is nearer by more than ``hysteresis``, rad; without a ``start`` it takes the first
        branch with which the path has the fewest gaps, then jumps, then joint travel.
        """
        from articulata.kinematics.inverse.following import follow

        return follow(self, path, start, tolerance, angle_tolerance, method, hysteresis, progress)
