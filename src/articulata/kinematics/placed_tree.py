"""Trees with places that have names: landmarks, tips, links."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from articulata.geometry.arrays import Array, Float64
from articulata.kinematics.joint_tree import Tree


class PlacedTree(Tree, ABC):
    """A tree that finds places by name; ``Figure`` is the one there is."""

    @abstractmethod
    def place(self, name: str) -> tuple[int, Float64[Array, "4 4"]]:
        """Return the number of the joint whose link a place is on, -1 the root's, and ``X_LP``."""

    def landmark(self, q: npt.ArrayLike, name: str) -> Float64[Array, "*batch 4 4"]:
        """Return ``X_WP`` of a landmark (or chain tip, or link) for postures ``q`` (*batch, dof).

        Its position alone is ``[..., :3, 3]``.
        """
        number, X_LP = self.place(name)
        if number < 0:
            batch = self.values(q)[1]
            return np.array(np.broadcast_to(self.base @ X_LP, (*batch, 4, 4)))
        return self._tips(q, number, self.joints[number].X_JL @ X_LP)

    def landmark_jacobian(self, q: npt.ArrayLike, name: str) -> Float64[Array, "*batch 6 dof"]:
        """Return the Jacobian of a landmark: rows v (m/s) then w (rad/s), in W."""
        number, X_LP = self.place(name)
        if number < 0:
            return np.zeros((*self.values(q)[1], 6, self.dof))
        return self._jacobians(q, number, self.joints[number].X_JL @ X_LP)
