"""Joints in series with a tip: forward kinematics and what inverse kinematics needs of them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64
from articulata.kinematics.joint import PRISMATIC, Joint
from articulata.kinematics.joint_tree import Tree
from articulata.kinematics.prepared import Prepared


class Serial(Tree):
    """Joints in series on a base; ``end`` is ``X_LT``, the tip's pose in the last link.

    It knows forward kinematics and its Jacobian alone; ``Chain`` also answers the inverse.
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

    def tip(self, q: npt.ArrayLike) -> Float64[Array, "*batch 4 4"]:
        """Return ``X_WT`` for postures ``q`` (*batch, dof)."""
        return self._tips(q, len(self.joints) - 1, self._tip)

    fk = tip
    """Forward kinematics, by the name that many look for."""

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
        return Prepared(self, self._tip)


def units_of(chain: Serial) -> tuple[str, ...]:
    """Return the unit of each coordinate of a chain: "rad" or "m"."""
    return tuple("m" if chain.joints[i].kind == PRISMATIC else "rad" for i in chain.free)
