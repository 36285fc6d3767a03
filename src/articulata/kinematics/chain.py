"""A chain: joints one after another, with a tip. Forward kinematics and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy.typing as npt

from articulata.kinematics.conventions import (
    DH,
    modified_joints,
    standard_joints,
    x_axis_table_joints,
)
from articulata.kinematics.inverse.areas import Area
from articulata.kinematics.inverse.branches import Branches, all_inverse
from articulata.kinematics.inverse.chain_question import ask
from articulata.kinematics.inverse.chain_structure import structure_of
from articulata.kinematics.inverse.descent import Descent
from articulata.kinematics.inverse.method import Method, Progress
from articulata.kinematics.inverse.postures import Postures
from articulata.kinematics.inverse.recognition import all_postures_form
from articulata.kinematics.serial import Serial

if TYPE_CHECKING:
    from articulata.kinematics.inverse.chain_structure import Structure
    from articulata.kinematics.inverse.path_following import Followed
    from articulata.kinematics.symbolic.symbolic import Symbolic

_ENGINE = Descent()


class Chain(Serial):
    """Joints in series on a base; ``end`` is ``X_LT``, the tip's pose in the last link.

    >>> arm = Chain.standard_dh([DH(a=1.0), DH(a=1.0)])
    >>> arm.tip([0.0, np.pi / 2])[:3, 3]
    array([1., 1., 0.])
    """

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

    ik = inverse
    """Inverse kinematics, by the name that many look for."""

    def all_inverse(
        self, X_WT: npt.ArrayLike, *, given: Mapping[str, npt.ArrayLike] | None = None
    ) -> Branches:
        """Return every posture for poses (*batch, 4, 4) by the chain's closed form.

        The structure is recognised: six turning joints, with a form of their own for a spherical
        wrist, three parallel axes and three that meet; seven turning joints, with one of their
        own for spherical-revolute-spherical; or a slide before a universal joint, a ball and a
        hinge; two or three turning joints in a plane, of which two take places (*batch, 3) as well
        (the turns of ``X_WT`` are NaN then). A chain without a known structure raises a
        KinematicsError that says what is missing.
        ``given`` names one joint of seven and its angles (*batch) or one for all, rad: then
        postures are single ones.
        """
        return all_inverse(self, X_WT, given)

    def closed_form(self) -> Structure:
        """Return how ``all_inverse`` answers this chain, and why not by a quicker form.

        Told by the axes to 1e-10 of the arm's size and rad; printed it is a sentence or two.
        """
        return structure_of(self, all_postures_form(self))

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
        from articulata.kinematics.inverse.path_following import follow

        return follow(self, path, start, tolerance, angle_tolerance, method, hysteresis, progress)
