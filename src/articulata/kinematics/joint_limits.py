"""Joint limits in use: clamped with flags as in 1995.

Waldrop 1995: a command outside a link's range is clamped to the limit and raises that link's
motion-limit flag; a legal move of the link clears it. ``Limited`` is that state as a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Bool, BoolArray, Float64
from articulata.kinematics.joint_tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class Limited:
    """A posture ``q`` (dof,) that keeps the limits, rad or m, and a flag for each coordinate.

    A raised flag says that the last move of that joint was cut short at a limit.
    """

    tree: Tree
    q: Float64[Array, "dof"]
    flags: Bool[BoolArray, "dof"]

    @staticmethod
    def at(tree: Tree, q: npt.ArrayLike | None = None) -> Limited:
        """Return the state at posture ``q`` (dof,), the neutral one where none is given."""
        wanted = _checked(tree, tree.neutral if q is None else q)
        held = np.clip(wanted, tree.lower, tree.upper)
        return Limited(tree, held, held != wanted)

    @property
    def flagged(self) -> tuple[str, ...]:
        """Names of the joints whose flag is up."""
        return tuple(name for name, up in zip(self.tree.names, self.flags, strict=True) if up)

    def to(self, wanted: npt.ArrayLike | Mapping[str, float]) -> Limited:
        """Return the state after a move to ``wanted`` (dof,), or of the joints named alone.

        Each joint moved is clamped; its flag is up where it was cut short and down otherwise.
        Joints that are not named keep value and flag.
        """
        if isinstance(wanted, Mapping):
            goal, moved = self.q.copy(), np.zeros(len(self.q), bool)
            for name, value in wanted.items():
                place = _place(self.tree, name)
                goal[place], moved[place] = float(value), True
            goal = _checked(self.tree, goal)
        else:
            goal, moved = _checked(self.tree, wanted), np.ones(len(self.q), bool)
        held = np.clip(goal, self.tree.lower, self.tree.upper)
        return Limited(self.tree, held, np.where(moved, held != goal, self.flags))

    def by(self, steps: npt.ArrayLike | Mapping[str, float]) -> Limited:
        """Return the state after a move by ``steps`` (dof,), or of the joints named alone.

        A step of zero moves nothing and leaves the joint's flag as it is.
        """
        if isinstance(steps, Mapping):
            places = {name: _place(self.tree, name) for name in steps}
            return self.to({name: self.q[places[name]] + value for name, value in steps.items()})
        step = _checked(self.tree, steps)
        after = self.to(self.q + step)
        return Limited(self.tree, after.q, np.where(step == 0.0, self.flags, after.flags))


def _place(tree: Tree, name: str) -> int:
    number = tree.index(name)
    if number not in tree.free:
        raise KinematicsError(f"joint '{name}' has no value of its own; it is fixed or follows")
    return tree.free.index(number)


def _checked(tree: Tree, q: npt.ArrayLike) -> Array:
    values = np.array(q, float)
    if values.shape != (tree.dof,) or not np.isfinite(values).all():
        raise KinematicsError(
            f"a posture or step has {tree.dof} finite numbers ({', '.join(tree.names)}), not "
            f"{np.asarray(q).tolist()}"
        )
    return values
