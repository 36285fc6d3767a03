"""Torques of a figure that stands: its supports bear the weight, the joints what is between.

The supports press upward with shares of the weight that add up to 1 and balance it; of all such
shares those with the least squares. Torques are then what the joints exert against weights and
pushes of the floor.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from articulata.geometry.arrays import Array
from articulata.kinematics.statics import Push, Statics

if TYPE_CHECKING:
    from articulata.analyses.pose.scene import Scene


class Bearing:
    """What holds a scene's figure: torques (m, dof) and their gradient (m, dof, dof)."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.statics = scene.statics

    def torques(self, q: Array) -> Array:
        """Return the torques with which the joints hold postures (m, dof)."""
        tau = self.statics.torques(q)
        if not self.scene.floating:
            return tau
        return np.asarray(tau + self._weight * np.einsum("mk,mkn->mn", self.shares(q), self._of(q)))

    def gradient(self, q: Array) -> Array:
        """Return the change of the torques with the posture."""
        H = self.statics.torque_gradient(q)
        if not self.scene.floating:
            return H
        shares, change = self._shares(q)
        for number, each in enumerate(self._pushes):
            H = H + self._weight * shares[:, number, None, None] * each.torque_gradient(q)
        return np.asarray(H + self._weight * np.einsum("mkn,mkj->mnj", self._of(q), change))

    def shares(self, q: Array) -> Array:
        """Return the share (m, supports) of the weight that each support bears."""
        return self._shares(q)[0]

    # ---- inside

    @cached_property
    def _up(self) -> Array:
        g = self.statics.gravity
        return np.asarray(-g / np.linalg.norm(g))

    @cached_property
    def _weight(self) -> float:
        return float(self.statics.mass * np.linalg.norm(self.statics.gravity))

    @cached_property
    def _pushes(self) -> tuple[Statics, ...]:
        """Each support pushed upward with 1 N, in a world without weight."""
        x, y, z = self._up.tolist()
        return tuple(
            Statics(self.scene.figure, pushes=[Push(name, (x, y, z))], gravity=(0.0, 0.0, 0.0))
            for name in self.scene.supports
        )

    def _of(self, q: Array) -> Array:
        """Return the torques (m, supports, dof) against 1 N upward at each support."""
        return np.stack([each.torques(q) for each in self._pushes], axis=1)

    def _shares(self, q: Array) -> tuple[Array, Array]:
        """Return the shares and their change (m, supports, dof) with the posture.

        Least squares with A w = b: ones and places against 1 and the place of the centre of mass,
        seen along gravity.
        """
        figure, supports = self.scene.figure, self.scene.supports
        level = np.linalg.svd(self._up[None])[2][1:]
        b = np.ones((len(q), 3))
        b[:, 1:] = self.statics.center(q) @ level.T
        db = np.zeros((len(q), 3, figure.dof))
        db[:, 1:] = level @ self.statics.center_jacobian(q)
        A = np.ones((len(q), 3, len(supports)))
        dA = np.zeros((len(q), 3, len(supports), figure.dof))
        for number, name in enumerate(supports):
            A[:, 1:, number] = figure.landmark(q, name)[:, :3, 3] @ level.T
            dA[:, 1:, number] = level @ figure.landmark_jacobian(q, name)[:, :3]
        # supports in a line leave a direction open
        M = A @ A.transpose(0, 2, 1) + 1e-9 * np.eye(3)
        y = np.linalg.solve(M, b[:, :, None])[:, :, 0]
        w = np.einsum("mrk,mr->mk", A, y)
        first = np.einsum("mrkj,mr->mkj", dA, y)
        missing = db - np.einsum("mrkj,mk->mrj", dA, w) - np.einsum("mrk,mkj->mrj", A, first)
        return w, first + np.einsum("mrk,mrj->mkj", A, np.linalg.solve(M, missing))
