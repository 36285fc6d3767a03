"""Frames of chosen links of a tree, one posture after the other, and which of them have moved."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from articulata.geometry.arrays import Array, IntArray
from articulata.kinematics.joint_tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable


class LinkFrames:
    """Where ``links`` (numbers, -1 the base) of a tree are, for who asks a hundred times a second.

    ``stands`` are the rows of what each one's frame is told in, -1 for the frame that the tree
    stands in. ``rows`` (n, 7) holds place (m) and quaternion (w first) of each, ``poses``
    (joints, 4, 4) the poses of all links; both are written anew by ``place``. Before the first
    posture rows are NaN.
    """

    def __init__(
        self,
        tree: Tree,
        links: Sequence[int] | IntArray,
        stands: Sequence[int] | IntArray,
        *,
        same: float = 0.0,
    ) -> None:
        self._tree, self._same = tree, same
        self.links, self.stands = np.array(links, np.int64), np.array(stands, np.int64)
        self._ends = np.array([joint.X_JL for joint in tree.joints])
        self._base, self._still = np.array(tree.base), np.eye(4)
        self.poses = np.empty((len(tree.joints), 4, 4))
        self.rows = np.full((len(self.links), 7), np.nan)
        self._moved = np.zeros(len(self.links), np.int64)

    def place(self, q: Array, X: Array | None = None) -> IntArray:
        """Move the tree to posture ``q`` (dof,) rad or m, its base to ``X @ base``.

        ``X`` (4, 4) is the pose of the frame that the tree stands in; None puts it into the world.
        Returns for each row what is farther than ``same`` (m, 1) from what it held: the bits
        ``PLACED`` and ``TURNED`` of ``kernels.chains.limb_frames``. Of the two quaternions of a
        turn a row gets the one nearer to what it held. What is returned, ``rows`` and ``poses``
        hold until the next posture.
        """
        values, _ = self._tree.values(q)
        self._kernel(
            self._tree.arrays, self._ends, self._base, values[0], self._still if X is None else X,
            self.links, self.stands, self._same, self.poses, self.rows, self._moved,
        )  # fmt: skip
        return self._moved

    @cached_property
    def _kernel(self) -> Callable[..., None]:
        from articulata.kernels.chains.limb_frames import limb_frames
        from articulata.kernels.compile import bind

        values = np.empty(len(self._ends))
        return bind(
            limb_frames, self._tree.arrays, self._ends, self._base, values, self._still,
            self.links, self.stands, self._same, self.poses, self.rows, self._moved,
        )  # fmt: skip
