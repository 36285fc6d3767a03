"""Several places of a figure at once: where they are, and how they move."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from articulata.geometry.arrays import Array, Float64
from articulata.kinematics.figure import Figure
from articulata.kinematics.prepared import tree_table

if TYPE_CHECKING:
    from articulata.kernels.chains.iterative_solvers.tree_solver import Tips, Tree


Named: TypeAlias = str | tuple[int, Array]


class Places:
    """Places of ``figure`` by their ``names``, made ready for any number of postures.

    A place without a name is a joint's number and a frame on its link, X_LP (4, 4).
    """

    def __init__(self, figure: Figure, names: Iterable[Named]) -> None:
        self.figure = figure
        self.names = tuple(names)

    @cached_property
    def tree(self) -> Tree:
        """The figure as the kernels take it."""
        return tree_table(self.figure)

    @cached_property
    def tips(self) -> Tips:
        """The places as the kernels take them."""
        from articulata.kernels.chains.iterative_solvers.tree_solver import PLACE

        return tips_of(self.figure, self.names, [PLACE] * len(self.names))

    def found(
        self, q: Float64[Array, "m dof"]
    ) -> tuple[Float64[Array, "m places 3"], Float64[Array, "m places 3 dof"]]:
        """Return where the places are in postures, m in W, and their Jacobians."""
        from articulata.kernels.chains.iterative_solvers.target_equations import Aim, all_equations

        m, k, dof = len(q), len(self.names), self.figure.dof
        goals, given = np.zeros((k, 3, 4)), np.ascontiguousarray(q)
        p, J = np.empty((m, 3 * k)), np.empty((m, 3 * k, dof))
        all_equations(Aim(self.tree, self.tips, goals), given, p, J, 0, m)
        return p.reshape(m, k, 3), J.reshape(m, k, 3, dof)

    def bends(
        self, q: Float64[Array, "m dof"], weights: Float64[Array, "m places 3"]
    ) -> Float64[Array, "m dof dof"]:
        """Return the change of the Jacobians, summed with ``weights``; it is symmetric."""
        from articulata.kernels.chains.iterative_solvers.target_equations import Aim, all_bends

        m, dof = q.shape
        goals, given = np.zeros((len(self.names), 3, 4)), np.ascontiguousarray(q)
        y, out = np.ascontiguousarray(weights.reshape(m, -1)), np.empty((m, dof, dof))
        all_bends(Aim(self.tree, self.tips, goals), given, y, out, 0, m)
        return out


def tips_of(
    figure: Figure, names: Iterable[Named], asked: Iterable[int], unit: float = 1.0
) -> Tips:
    """Return places as the kernels take them; ``asked`` says what of each counts."""
    from articulata.kernels.chains.iterative_solvers.tree_solver import Tips

    found = [figure.place(name) if isinstance(name, str) else name for name in names]
    poses = [(figure.joints[n].X_JL @ X if n >= 0 else figure.base @ X)[:3] for n, X in found]
    near = np.full(len(found), 1e-6)
    links = np.array([number for number, _ in found], np.int64)
    return Tips(
        links, np.array(poses).reshape(-1, 3, 4), np.array(list(asked), np.int64), unit, near, near
    )
