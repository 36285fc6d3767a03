"""A chain made ready for the kernels, once: tables, spread starts, bounds.

Chains do not change after they are made, so that what is prepared stays with the chain.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64, IntArray
from articulata.kinematics.joint import FIXED, PRISMATIC
from articulata.kinematics.joint_tree import Tree

if TYPE_CHECKING:
    from articulata.kernels.chains.iterative_solvers.tip_targets import Solver
    from articulata.kernels.chains.iterative_solvers.tree_solver import Tree as TreeTable


class BaseTurn(NamedTuple):
    """The joint that turns a chain's base: its number, axis (3,) in W and limits, rad."""

    joint: int
    axis: Array
    lower: float
    upper: float


class Prepared:
    """What inverse kinematics keeps about one chain.

    ``fixed`` (joints, 3, 4), ``kinds`` (joints,), ``tip`` (3, 4), ``lower`` and ``upper``
    (joints,) are the kernels' canonical form; ``free`` (dof,) picks the coordinates.
    """

    def __init__(self, chain: Tree, tip: Float64[Array, "3 4"]) -> None:
        if chain.dof == 0:
            raise KinematicsError(
                f"'{chain.name or 'the chain'}' has no joint that moves; inverse kinematics "
                "needs at least one revolute or prismatic joint"
            )
        self.chain = chain
        self.fixed, self.kinds, _ = chain.arrays
        self.tip = tip
        self.free: IntArray = np.array(chain.free, np.int64)
        self.every = len(self.free) == len(chain.joints)
        limits = [(0.0, 0.0) if j.kind == FIXED else j.limits for j in chain.joints]
        self.lower: Array = np.array([low for low, _ in limits])
        self.upper: Array = np.array([high for _, high in limits])
        slides = np.array([j.kind == PRISMATIC for j in chain.joints])
        bounded = bool(
            np.isfinite(self.lower[slides]).all() & np.isfinite(self.upper[slides]).all()
        )
        # the engine of chains knows neither joints that follow others nor endless slides
        self.plain = bounded and all(joint.mimic is None for joint in chain.joints)
        self._solvers: dict[tuple[tuple[int, int], int], Solver] = {}
        self.kept: dict[str, Any] = {}
        """What closed forms keep about this chain, by name."""

    @cached_property
    def reach(self) -> float:
        """A length, m, that the tip's distance from the first joint does not exceed by much."""
        spans = np.linalg.norm(self.fixed[1:, :, 3], axis=1).sum()
        travel = np.abs(np.array([self.lower, self.upper]))[:, self.kinds == 1]
        slides = np.where(np.isfinite(travel), travel, 0.0).max(axis=0, initial=0.0).sum()
        return float(spans + np.linalg.norm(self.tip[:, 3]) + slides) or 1.0

    @cached_property
    def base_turn(self) -> BaseTurn | None:
        """The first joint that moves, which turns the base; None where it slides."""
        joint = int(np.flatnonzero(self.kinds < 2)[0])
        if self.kinds[joint] != 0:
            return None
        R = np.eye(3)
        for pose in self.fixed[: joint + 1]:
            R = R @ pose[:, :3]
        return BaseTurn(joint, R[:, 2], float(self.lower[joint]), float(self.upper[joint]))

    def solver(self, starts: tuple[int, int], seed: int = 0) -> Solver:
        """Return the solver with so many starts at first, and so many for close misses."""
        solver = self._solvers.get((starts, seed))
        if solver is None:
            from articulata.kernels.chains.iterative_solvers.tip_targets import prepare

            limits = self.lower, self.upper
            solver = prepare(self.fixed, self.kinds, self.tip, *limits, starts, seed)
            self._solvers[starts, seed] = solver
        return solver

    @cached_property
    def tree(self) -> TreeTable:
        """The chain for the engine of trees, which knows mimics and endless slides."""
        return tree_table(self.chain)

    def all_joints(self, q: Array) -> Array:
        """Return postures (..., dof) as values of all joints (..., joints), 0 for fixed ones."""
        if self.every:
            return q
        values = np.zeros((*q.shape[:-1], len(self.kinds)))
        values[..., self.free] = q
        return values

    def coordinates(self, q: Array) -> Array:
        """Return values of all joints (..., joints) as postures (..., dof)."""
        return q if self.every else np.ascontiguousarray(q[..., self.free])


def tree_table(tree: Tree) -> TreeTable:
    """Return what the engine of trees reads of a tree."""
    from articulata.kernels.chains.iterative_solvers.tree_solver import Tree as TreeTable

    M, offset = tree.mapping
    moved = M.any(axis=1)
    source = np.where(moved, np.abs(M).argmax(axis=1), -1).astype(np.int64)
    ratio = np.where(moved, M[np.arange(len(M)), source], 0.0)
    return TreeTable(tree.arrays, source, ratio, offset, tree.lower, tree.upper)
