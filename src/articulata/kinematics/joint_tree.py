"""Joints as a tree: two arms share a trunk. Poses and Jacobians for any batch of postures.

``q`` holds the free coordinates, one for each joint that is neither fixed nor mimics another, in
the tree's order; rad and m. Leading ``*batch`` axes are carried through.
"""

from __future__ import annotations

import difflib
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError, NameNotFound
from articulata.geometry.arrays import Array, Float64
from articulata.kernels.chains.forward_kinematics import TreeArrays
from articulata.kinematics.joint import FIXED, PRISMATIC, REVOLUTE, Joint
from articulata.kinematics.rhythm import LedJoints, ShoulderRhythm, led_joints

_CODES = {REVOLUTE: 0, PRISMATIC: 1, FIXED: 2}
_GRAIN = 2048
"""Postures a thread takes at a time; fewer cost more to hand over than to compute."""


class Tree:
    """Joints with parents, standing on a base with pose ``X_WB`` in W.

    ``parents`` gives the index of each joint's parent joint, -1 for the base; parents come first.
    Joints that a ``rhythm`` leads have no coordinate of their own.
    """

    def __init__(
        self,
        joints: Iterable[Joint],
        parents: Sequence[int],
        *,
        base: npt.ArrayLike | None = None,
        name: str = "",
        rhythm: ShoulderRhythm | None = None,
    ) -> None:
        self.rhythm = rhythm
        self.joints: tuple[Joint, ...] = tuple(joints)
        self.parents: tuple[int, ...] = tuple(int(p) for p in parents)
        self.name = name
        self.base: Array = np.eye(4) if base is None else np.array(base, float)
        self.base.flags.writeable = False
        self._check()

    def __repr__(self) -> str:
        title = f" '{self.name}'" if self.name else ""
        return f"{type(self).__name__}{title}: {len(self.joints)} joints, {self.dof} free"

    @cached_property
    def free(self) -> tuple[int, ...]:
        """Indices of the joints that have a coordinate of their own, in order."""
        led = () if self.led is None else self.led.led
        return tuple(
            i
            for i, j in enumerate(self.joints)
            if j.kind != FIXED and j.mimic is None and i not in led
        )

    @cached_property
    def led(self) -> LedJoints | None:
        """The joints that a rhythm leads, None without one."""
        if self.rhythm is None:
            return None
        return led_joints(self.rhythm, self._numbers, self.name or "the tree")

    @property
    def dof(self) -> int:
        """Number of free coordinates."""
        return len(self.free)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the free coordinates, in order."""
        return tuple(self.joints[i].name for i in self.free)

    @cached_property
    def lower(self) -> Array:
        """Lower limits of the free coordinates, (dof,), rad or m."""
        return np.array([self.joints[i].limits[0] for i in self.free], float)

    @cached_property
    def upper(self) -> Array:
        """Upper limits of the free coordinates, (dof,), rad or m."""
        return np.array([self.joints[i].limits[1] for i in self.free], float)

    @cached_property
    def speeds(self) -> Array:
        """Greatest speeds of the free coordinates, (dof,), rad/s or m/s; inf where unknown."""
        return np.array([self.joints[i].motor.speed for i in self.free], float)

    @cached_property
    def efforts(self) -> Array:
        """Greatest efforts of the free coordinates, (dof,), N m or N; inf where unknown."""
        return np.array([self.joints[i].motor.effort for i in self.free], float)

    @cached_property
    def neutral(self) -> Array:
        """The resting posture, (dof,), rad or m."""
        return np.array([self.joints[i].neutral for i in self.free], float)

    def index(self, joint: str) -> int:
        """Return the index of the joint called ``joint``; NameNotFound suggests a near name."""
        found = self._numbers.get(joint)
        if found is None:
            near = difflib.get_close_matches(joint, self._numbers, 1)
            hint = (
                f"; did you mean '{near[0]}'?" if near else f"; it has {', '.join(self._numbers)}"
            )
            raise NameNotFound(f"'{self.name or 'the chain'}' has no joint '{joint}'{hint}")
        return found

    def poses(self, q: npt.ArrayLike) -> Float64[Array, "*batch links 4 4"]:
        """Return ``X_WL`` of every link L for postures ``q`` (*batch, dof)."""
        from articulata.kernels.chains.forward_kinematics import poses
        from articulata.kernels.lanes.host import spread

        values, batch = self.values(q)
        out = np.empty((len(values), len(self.joints), 4, 4))
        spread(
            lambda begin, end: poses(self.arrays, values, out, begin, end),
            len(values),
            grain=_GRAIN,
        )
        if self._ends is not None:
            out = out @ self._ends
        return out.reshape(*batch, len(self.joints), 4, 4)

    def link_pose(self, q: npt.ArrayLike, joint: str) -> Float64[Array, "*batch 4 4"]:
        """Return ``X_WL`` of the link that ``joint`` carries, for postures ``q`` (*batch, dof)."""
        return self._tips(q, self.index(joint), self.joints[self.index(joint)].X_JL)

    def link_jacobian(self, q: npt.ArrayLike, joint: str) -> Float64[Array, "*batch 6 dof"]:
        """Return the Jacobian of the link frame that ``joint`` carries: v then w, in W."""
        return self._jacobians(q, self.index(joint), self.joints[self.index(joint)].X_JL)

    @cached_property
    def arrays(self) -> TreeArrays:
        """``fixed`` (joints, 3, 4), ``kinds``, ``parents``: the canonical form of the kernels."""
        fixed = np.empty((len(self.joints), 3, 4))
        for i, (joint, parent) in enumerate(zip(self.joints, self.parents, strict=True)):
            before = self.base if parent < 0 else self.joints[parent].X_JL
            fixed[i] = (before @ joint.X_PJ)[:3]
        kinds = np.array([_CODES[joint.kind] for joint in self.joints], np.int64)
        return TreeArrays(fixed, kinds, np.array(self.parents, np.int64))

    @cached_property
    def mapping(self) -> tuple[Array, Array]:
        """``M`` (joints, dof) and ``offset`` (joints,): joint values are ``M q + offset``."""
        if self.rhythm is not None:
            raise KinematicsError(
                f"the collarbones of '{self.name}' follow its arms by a rule that is not linear; "
                "what is asked here takes joints on their own: ask figure.with_rhythm(None)"
            )
        M = np.zeros((len(self.joints), self.dof))
        offset = np.zeros(len(self.joints))
        for column, i in enumerate(self.free):
            M[i, column] = 1.0
        for i in self._mimics:
            mimic = self.joints[i].mimic
            assert mimic is not None
            leader = self._numbers[mimic.joint]
            M[i] = mimic.factor * M[leader]
            offset[i] = mimic.factor * offset[leader] + mimic.offset
        return M, offset

    def values(self, q: npt.ArrayLike) -> tuple[Float64[Array, "n joints"], tuple[int, ...]]:
        """Return the joint values of postures ``q`` (*batch, dof), flattened, and the batch."""
        given = np.asarray(q, float)
        if given.ndim == 0 or given.shape[-1] != self.dof:
            raise KinematicsError(
                f"a posture of '{self.name or 'the chain'}' has {self.dof} values "
                f"({', '.join(self.names)}); the array given has shape {given.shape}"
            )
        batch = given.shape[:-1]
        flat = np.ascontiguousarray(given.reshape(math.prod(batch), self.dof))
        if self.dof == len(self.joints):
            return flat, batch
        if not self._mimics:
            values = np.zeros((len(flat), len(self.joints)))
            values[:, self.free] = flat
            if self.led is not None:
                self.led.fill(values)
            return values, batch
        M, offset = self.mapping
        return np.ascontiguousarray(flat @ M.T + offset), batch

    def _tips(self, q: npt.ArrayLike, link: int, X_JT: Array) -> Array:
        values, batch = self.values(q)
        X_JT = np.ascontiguousarray(X_JT)
        out = np.empty((len(values), 4, 4))
        if len(values) == 1:
            # one posture must cost microseconds: nothing to look up, nothing to spread
            self._tip_of_one(self.arrays, values, link, X_JT, out, 0, 1)
            return out.reshape(*batch, 4, 4)
        from articulata.kernels.chains.forward_kinematics import tips
        from articulata.kernels.lanes.host import spread

        spread(
            lambda begin, end: tips(self.arrays, values, link, X_JT, out, begin, end),
            len(values),
            grain=_GRAIN,
        )
        return out.reshape(*batch, 4, 4)

    @cached_property
    def _tip_of_one(self) -> Callable[..., None]:
        from articulata.kernels.chains.forward_kinematics import tips
        from articulata.kernels.compile import bind

        q, out = np.empty((1, len(self.joints))), np.empty((1, 4, 4))
        return bind(tips, self.arrays, q, 0, np.empty((3, 4)), out, 0, 1)

    def _jacobians(self, q: npt.ArrayLike, link: int, X_JT: Array) -> Array:
        from articulata.kernels.chains.forward_kinematics import jacobians
        from articulata.kernels.lanes.host import spread

        values, batch = self.values(q)
        X_JT = np.ascontiguousarray(X_JT)
        out = np.empty((len(values), 6, len(self.joints)))
        spread(
            lambda begin, end: jacobians(self.arrays, values, link, X_JT, out, begin, end),
            len(values),
            grain=_GRAIN,
        )
        if self.led is not None:
            out = self.led.gather(out, values)
        return self._columns(out).reshape(*batch, 6, self.dof)

    def _columns(self, by_joint: Array) -> Array:
        if not self._mimics and self.dof == len(self.joints):
            return by_joint
        if not self._mimics:
            return np.ascontiguousarray(by_joint[:, :, self.free])
        return np.asarray(by_joint @ self.mapping[0])

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {joint.name: i for i, joint in enumerate(self.joints)}

    @cached_property
    def _ends(self) -> Array | None:
        ends = np.stack([joint.X_JL for joint in self.joints])
        return None if (ends == np.eye(4)).all() else ends

    @cached_property
    def _mimics(self) -> tuple[int, ...]:
        """Joints that mimic, each after the joint it follows."""
        order: list[int] = []

        def visit(i: int, path: tuple[int, ...]) -> None:
            mimic = self.joints[i].mimic
            if mimic is None or i in order:
                return
            if i in path:
                chain = " -> ".join(self.joints[k].name for k in (*path, i))
                raise KinematicsError(f"joints mimic each other in a circle: {chain}")
            leader = self._numbers.get(mimic.joint)
            if leader is None:
                raise KinematicsError(
                    f"joint '{self.joints[i].name}' mimics '{mimic.joint}', which does not exist"
                )
            visit(leader, (*path, i))
            order.append(i)

        for i in range(len(self.joints)):
            visit(i, ())
        return tuple(order)

    def _check(self) -> None:
        if not self.joints:
            raise KinematicsError("a chain or tree needs at least one joint")
        if len(self.parents) != len(self.joints):
            raise KinematicsError(
                f"{len(self.joints)} joints need as many parents, not {len(self.parents)}"
            )
        if len(self._numbers) != len(self.joints):
            names = [joint.name for joint in self.joints]
            twice = next(name for name in names if names.count(name) > 1)
            raise KinematicsError(f"two joints are called '{twice}'; give each its own name")
        for i, parent in enumerate(self.parents):
            if not -1 <= parent < i:
                raise KinematicsError(
                    f"joint '{self.joints[i].name}' has parent {parent}; parents come before "
                    "their children, the base is -1"
                )
        if self.base.shape != (4, 4) or not np.isfinite(self.base).all():
            raise KinematicsError("the base must be a (4, 4) pose of finite numbers")
        if self._mimics and self.rhythm is not None:
            raise KinematicsError(
                f"'{self.name}' has joints that mimic others; it takes no rhythm of the shoulder"
            )


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

    fk = landmark
    """Forward kinematics, by the name that many look for."""

    def landmark_jacobian(self, q: npt.ArrayLike, name: str) -> Float64[Array, "*batch 6 dof"]:
        """Return the Jacobian of a landmark: rows v (m/s) then w (rad/s), in W."""
        number, X_LP = self.place(name)
        if number < 0:
            return np.zeros((*self.values(q)[1], 6, self.dof))
        return self._jacobians(q, number, self.joints[number].X_JL @ X_LP)
