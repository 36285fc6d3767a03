"""The body that is tracked: a figure, its arms and neck, and which way it faces.

F is the frame the figure stands in, W of ``Figure.poses``. The figure's own joints keep their
names and conventions; what sensors sit on is called by the roles of ``records.tracking``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from articulata.analyses.track.arms import Arms, tracked_arm, triple
from articulata.errors import KinematicsError, NameNotFound
from articulata.geometry.arrays import Array, IntArray
from articulata.kinematics.figure import Figure
from articulata.records.tracking import ROLES

ARM_CHAINS = {"r": "right arm", "l": "left arm"}
"""The chains that are arms, by the first letter of what sits on them."""

ARM_PARTS = ("upper_arm", "forearm", "hand")
"""What the sensors of an arm sit on, from the shoulder on."""

CROWN = "skull_tip"
"""The landmark of the head; the three joints that carry it are the neck."""


@dataclass(frozen=True, slots=True, eq=False)
class Neck:
    """Three joints that meet at right angles and carry the head; numbers of joints.

    ``columns`` (3,) are their places in ``q``; ``table`` (3, 4) and ``turns`` (2, 3, 3) are the
    kernels'.
    """

    columns: IntArray
    root: int
    head: int
    table: Array
    turns: Array


@dataclass(frozen=True, slots=True, eq=False)
class TrackedBody:
    """A figure made ready to be tracked.

    ``sides`` names the arms by "r" and "l", in the order of ``arms``. ``rest`` (dof,) rad is the
    posture of what is not tracked. ``forward`` and ``up`` (3,) are directions in F; the figure as a
    whole turns about ``pivot`` (3,) m, the height of its origin between the shoulders.
    """

    figure: Figure
    arms: Arms
    sides: tuple[str, ...]
    neck: Neck | None
    rest: Array
    forward: Array
    up: Array
    pivot: Array

    @property
    def columns(self) -> IntArray:
        """The arms' places in ``q``, (arms, 7)."""
        return np.array([arm.columns for arm in self.arms.each], np.int64).reshape(-1, 7)

    def posture(self, name: str) -> Array:
        """Return a named posture (dof,) of the figure, for instance to calibrate by."""
        try:
            return self.figure.posture(name)
        except NameNotFound as error:
            raise NameNotFound(
                f"{error}; to be calibrated in a posture, a figure's text has to say what it is, as"
                " in: posture n_pose { ... }"
            ) from None

    def orientations(self, q: Array) -> dict[str, Array]:
        """Return orientations (3, 3) in F of all that sensors can sit on, in posture ``q``.

        Skull, sternum and pelvis are turned as the whole figure is, so theirs is the identity.
        """
        X = self.figure.poses(q)[:, :3, :3]
        found = {role: np.eye(3) for role in ("skull", "sternum", "pelvis")}
        for side, arm in zip(self.sides, self.arms.each, strict=True):
            for part, link in zip(ARM_PARTS, arm.links, strict=True):
                found[f"{side}_{part}"] = X[link]
        return {role: found[role] for role in ROLES if role in found}

    def roots(self) -> Array:
        """Return what arms hang on, what the neck stands on and the head, (arms + 2, 3, 3) in F."""
        X = self.figure.poses(self.rest)[:, :3, :3]
        base = self.figure.base[:3, :3]
        numbers = [arm.root for arm in self.arms.each]
        numbers += [-1, -1] if self.neck is None else [self.neck.root, self.neck.head]
        return np.array([base if number < 0 else X[number] for number in numbers])


def tracked_body(figure: Figure, *, rest: Array | None = None) -> TrackedBody:
    """Return a figure made ready to be tracked.

    Its arms are the chains "right arm" and "left arm"; it needs one at least. ``rest`` (dof,) rad
    is the posture of what is not tracked, ``n_pose`` or the neutral one where none is given.
    """
    sides = tuple(side for side, chain in ARM_CHAINS.items() if chain in figure.chains)
    if not sides:
        raise KinematicsError(
            f"figure '{figure.name}' has no arm that could be tracked; name chains of it"
            f" {' or '.join(ARM_CHAINS.values())!r}"
        )
    arms = Arms(tuple(tracked_arm(figure, ARM_CHAINS[side]) for side in sides))
    if rest is None:
        rest = figure.posture("n_pose") if "n_pose" in figure.postures else figure.neutral
    up = figure.up / np.linalg.norm(figure.up)
    forward = _forward(figure, arms, sides, up)
    X = figure.poses(figure.neutral)
    middle = np.mean([X[arm.upper, :3, 3] for arm in arms.each], axis=0)
    pivot = middle - up * (up @ (middle - figure.base[:3, 3]))
    neck = _neck(figure)
    return TrackedBody(figure, arms, sides, neck, np.array(rest), forward, up, pivot)


def _forward(figure: Figure, arms: Arms, sides: tuple[str, ...], up: Array) -> Array:
    """Return where the figure faces: left, as its shoulders lie, across up."""
    X = figure.poses(figure.neutral)
    shoulders = {side: X[arm.upper, :3, 3] for side, arm in zip(sides, arms.each, strict=True)}
    if len(shoulders) == 2:
        left = shoulders["l"] - shoulders["r"]
    else:
        ((side, place),) = shoulders.items()
        left = (place - figure.base[:3, 3]) * (1.0 if side == "l" else -1.0)
    left = left - up * (up @ left)
    forward = np.cross(left, up)
    length = float(np.linalg.norm(forward))
    if length < 1e-9:
        # an arm straight above its base: as figures with z up or down are drawn
        forward = np.array((0.0, 0.0, 1.0)) if abs(up[1]) > 0.5 else np.array((1.0, 0.0, 0.0))
        length = 1.0
    return np.asarray(forward / length)


def _neck(figure: Figure) -> Neck | None:
    mark = figure.landmarks.get(CROWN)
    if mark is None or not mark.joint:
        return None
    numbers: list[int] = []
    at = figure.index(mark.joint)
    while at >= 0 and len(numbers) < 3:
        if at in figure.free:
            numbers.insert(0, at)
        at = figure.parents[at]
    if len(numbers) < 3:
        return None
    found = triple(figure, numbers)
    if found is None:
        return None
    table, turns = found
    columns = np.array([figure.coordinate(figure.joints[i].name) for i in numbers], np.int64)
    return Neck(columns, figure.parents[numbers[0]], numbers[2], table, turns)
