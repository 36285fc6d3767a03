"""A question made ready: values of all aims, conditions, and slopes, for batches of postures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from articulata.analyses.pose.aims import Aim
from articulata.analyses.pose.pose_scene import Scene
from articulata.geometry.arrays import Array, BoolArray
from articulata.kinematics.inverse.targets import Target
from articulata.records.posture_fronts import AimLabel

ON_SUPPORT: Final = -1e-9
"""m: a centre of mass this far outside its supports still counts as over their edge."""

_UNITS: Final = {"revolute": "rad", "prismatic": "m"}


@dataclass(frozen=True, eq=False)
class Judging:
    """A scene with its aims. ``x`` (m, moving) are the coordinates that move."""

    scene: Scene
    aims: tuple[Aim, ...]

    def at(self, targets: Mapping[str, Target]) -> Judging:
        """Return the same question with other targets of the same places."""
        made = object.__new__(Judging)
        made.__dict__.update(self.__dict__)
        made.__dict__["scene"] = self.scene.at(targets)
        return made

    @cached_property
    def labels(self) -> tuple[AimLabel, ...]:
        """What the aims are, as a record tells it."""
        return tuple(
            AimLabel(aim.name, aim.unit, aim.source, aim.weight, aim.sign < 0.0)
            for aim in self.aims
        )

    @cached_property
    def units(self) -> tuple[str, ...]:
        """The units of the figure's coordinates, rad or m."""
        figure = self.scene.figure
        return tuple(_UNITS[figure.joints[i].kind] for i in figure.free)

    @cached_property
    def signs(self) -> Array:
        """-1 for aims whose numbers are read the other way round, else 1, (k,)."""
        return np.array([aim.sign for aim in self.aims])

    @cached_property
    def weights(self) -> Array:
        """The weights of the aims, (k,), with a sum of 1."""
        w = np.array([aim.weight for aim in self.aims])
        return np.asarray(w / w.sum())

    def values(self, x: Array) -> Array:
        """Return the aims' values (m, k), to be kept low."""
        q = self.scene.whole(x)
        out = np.empty((len(x), len(self.aims)))
        for number, aim in enumerate(self.aims):
            out[:, number] = aim.values(q)
        return out

    def slopes(self, x: Array) -> Array:
        """Return the change of the values with what moves, (m, k, moving)."""
        q = self.scene.whole(x)
        return np.stack([self.scene.by_moving(aim.slopes(q)) for aim in self.aims], axis=1)

    @cached_property
    def learns(self) -> bool:
        """Whether there is an aim whose bend is not known, so that it is learned from steps."""
        return any(aim.bends is None for aim in self.aims)

    def bends(self, x: Array, by_aim: Array, secants: Array | None) -> Array:
        """Return the bend (m, moving, moving) of the aims, weighted by ``by_aim`` (m, k).

        ``secants`` (m, k, moving, moving) stand in for those that are not known.
        """
        q = self.scene.whole(x)
        out = np.zeros((len(x), x.shape[1], x.shape[1]))
        for number, aim in enumerate(self.aims):
            if aim.bends is not None:
                out += by_aim[:, number, None, None] * aim.bends(q)
            elif secants is not None:
                out += by_aim[:, number, None, None] * secants[:, number]
        return out

    def kept(self, x: Array) -> BoolArray:
        """Return which postures keep the conditions.

        Clear of room and self, over the supports, within what a body does, and motors of a base
        within their limits.
        """
        good = np.ones(len(x), np.bool_)
        scene = self.scene
        if scene.drive is not None:
            good &= (scene.drive.room(scene.whole(x))[0] >= ON_SUPPORT).all(axis=1)
        if scene.body is not None:
            good &= (scene.body.room(scene.whole(x))[0] >= ON_SUPPORT).all(axis=1)
        for clash, margin in scene.clashes:
            good[good] = clash.free(scene.whole(x[good]), margin)
        if scene.standing and scene.supports and good.any():
            found = scene.statics.balance(scene.whole(x[good]), scene.supports)
            good[good] = found.margin >= ON_SUPPORT
        return good

    def judge(self, x: Array) -> tuple[Array, BoolArray]:
        """Return values (m, k) and which postures keep the conditions, of finite values."""
        values = self.values(x)
        finite = np.asarray(np.isfinite(np.ascontiguousarray(values.T)).all(axis=0))
        return values, self.kept(x) & finite if self.conditioned else finite

    @property
    def conditioned(self) -> bool:
        """Whether there are conditions beside the targets."""
        scene = self.scene
        over = bool(scene.standing and scene.supports)
        bound = scene.drive is not None or scene.body is not None
        return scene.margin is not None or over or bound

    def conditions(self, x: Array) -> tuple[Array, Array]:
        """Return how far conditions are kept, (m, c) m and rad, negative where not, and slopes."""
        scene, q = self.scene, self.scene.whole(x)
        found, slopes = [], []
        for clash, margin in scene.clashes:
            near = clash.clearances(q, enough=margin + _NEAR, gradient=True)
            assert near.gradient is not None
            found.append(near.distance - margin)
            slopes.append(scene.by_moving(near.gradient))
        if scene.standing and scene.supports:
            over = scene.statics.balance(q, scene.supports)
            found.append(over.margin)
            slopes.append(scene.by_moving(over.gradient))
        if scene.body is not None:
            kept, rise = scene.body.room(q)
            found += list(kept.T)
            slopes += list(scene.by_moving(rise).transpose(1, 0, 2))
        if scene.drive is not None:
            room, change = scene.drive.room(q)
            by_joint = np.zeros((*room.shape, len(scene.figure.names)))
            by_joint[..., scene.drive.columns] = change
            found += list(room.T)
            slopes += list(by_joint[..., scene.columns].transpose(1, 0, 2))
        if not found:
            return np.zeros((len(x), 0)), np.zeros((len(x), 0, x.shape[1]))
        return np.stack(found, axis=1), np.stack(slopes, axis=1)


_NEAR: Final = 0.05
"""m beyond the margin within which distances have slopes."""
