"""Self-motion known in closed form: the curves of postures that one target leaves, or its points.

An arm whose moving joints have a closed form needs no search. A pose leaves a swivel arm, and
Leonardo's arm over his shrug, curves; six joints and three in a plane isolated postures; a place
alone leaves three joints in a plane curves. Limits cut the curves, to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, cast

import numpy as np

from articulata.analyses.pose.pose_scene import Scene
from articulata.geometry.arrays import Array, Float64, IntArray
from articulata.kinematics.chain import Chain
from articulata.kinematics.figure import Figure
from articulata.kinematics.inverse.closed_form import ClosedForm, FamilyForm
from articulata.kinematics.inverse.planar import LABELS, PlanarArm
from articulata.kinematics.inverse.recognition import closed_form
from articulata.kinematics.inverse.targets import PLACE, POSE, At, Pointing, Target, kind
from articulata.kinematics.joint import FIXED, Joint

_INSET: Final = 1e-12
"""Share of a curve kept from its ends, where a joint stands exactly at a limit."""


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """Curves of postures over one parameter, all within the limits.

    Each has a label, and values from ``low`` to ``high`` (c,), rad or m. ``at`` returns postures
    (m, moving) of curves by their numbers (m,) at values (m,).
    """

    labels: tuple[str, ...]
    low: Array
    high: Array
    at: Callable[[IntArray, Array], Array]

    def __len__(self) -> int:
        return len(self.labels)

    def postures(self, numbers: IntArray, shares: Array) -> Array:
        """Return postures (m, moving) of curves (m,) at shares (m,), 0 to 1, of each."""
        low, high = self.low[numbers], self.high[numbers]
        inset = _INSET * (high - low)
        values = np.clip(low + shares * (high - low), low + inset, high - inset)
        return self.at(numbers, np.asarray(values))


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """Every posture that meets a target: ``curves``, or ``points`` (k, moving) with labels.

    Neither where there is none.
    """

    structure: str
    curves: Curves | None = None
    points: Array | None = None
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Arm:
    """The joints that move as one chain to the tip, with what structure they have."""

    chain: Chain
    planar: PlanarArm | None
    form: ClosedForm | None

    def family(self, scene: Scene) -> Family | None:
        """Return all postures that meet the scene's target, None where they are not known."""
        (wanted,) = scene.targets.values()
        return self.family_of(wanted)

    def family_of(self, wanted: Target) -> Family | None:
        """Return all postures that meet a target, None where they are not known."""
        if self.planar is not None:
            return _in_plane(self.planar, wanted)
        if self.form is None or not isinstance(wanted, At) or kind(wanted) != POSE:
            return None
        return _of_pose(self.form, wanted.X)

    def sampled(self, scene: Scene, turns: int, each: int) -> Array | None:
        """Return postures (m, moving) spread over what a direction leaves free."""
        (wanted,) = scene.targets.values()
        if self.form is None or not isinstance(wanted, Pointing):
            return None
        angles = np.arange(turns) / turns * 2.0 * np.pi
        found = _of_poses(self.form, _turned(wanted, angles), each)
        return found if len(found) else None


def arm_of(scene: Scene) -> Arm | None:
    """Return the scene's arm where one place is asked for and what moves is a chain to it."""
    if len(scene.targets) != 1 or scene.supports:
        return None
    key = scene.columns.tobytes(), scene.start.tobytes()
    return _recognised(scene.figure, scene.place, *key)


@lru_cache(maxsize=16)
def _recognised(figure: Figure, place: str, columns: bytes, start: bytes) -> Arm | None:
    """Return the arm that ``columns`` of a figure are; figures are known by who they are."""
    scene = Scene(figure, {place: At(np.zeros(3))}, np.frombuffer(start))
    scene.__dict__["columns"] = np.frombuffer(columns, np.int64)
    chain = moving_chain(scene)
    if chain is None:
        return None
    planar = PlanarArm.recognise(chain)
    form = None
    if planar is None and chain.dof in (6, 7):
        form = closed_form(chain)
    return None if planar is None and form is None else Arm(chain, planar, form)


def moving_chain(scene: Scene) -> Chain | None:
    """Return what moves as a chain that ends in the place, the rest held as in ``start``.

    None where joints move that do not carry the place, or that others follow.
    """
    figure, columns = scene.figure, set(scene.columns.tolist())
    number, X_LP = figure.place(scene.place)
    path = _path(figure, number)
    free = {i: c for c, i in enumerate(figure.free)}
    moving = [i for i in path if free.get(i) in columns]
    if len(moving) != len(columns) or not moving:
        return None
    values = figure.values(scene.start[None])[0][0]
    M = figure.mapping[0]
    joints: list[Joint] = []
    base = np.array(figure.base)
    X = np.eye(4)
    for i in path:
        joint = figure.joints[i]
        if i in moving:
            if joint.mimic is not None:
                return None
            if not joints:
                base, X = base @ X, np.eye(4)
            joints.append(replace(joint, X_PJ=X @ joint.X_PJ))
            X = np.eye(4)
            continue
        if M[i, scene.columns].any():
            return None  # it follows a joint that moves
        X = X @ joint.X_PJ @ _moved(joint, float(values[i])) @ joint.X_JL
    return Chain(joints, base=base, end=X @ X_LP, name=scene.place)


def _moved(joint: Joint, value: float) -> Array:
    X = np.eye(4)
    if joint.kind == "prismatic":
        X[2, 3] = value
    elif joint.kind != FIXED:
        c, s = np.cos(value), np.sin(value)
        X[:2, :2] = (c, -s), (s, c)
    return X


def _path(figure: Figure, number: int) -> list[int]:
    path = []
    while number >= 0:
        path.append(number)
        number = figure.parents[number]
    return path[::-1]


def _in_plane(arm: PlanarArm, wanted: object) -> Family | None:
    if isinstance(wanted, At) and kind(wanted) == POSE:
        q, sides = arm.postures(wanted.X)
        points = np.array(q, float).reshape(-1, 3)
        return Family(_PLANAR, points=points, labels=tuple(LABELS[i] for i in sides))
    if not (isinstance(wanted, At) and kind(wanted) == PLACE):
        return None
    pieces = arm.intervals(wanted.X)
    if not pieces:
        return Family(_PLANAR)
    elbows = np.array([side for side, _, _ in pieces], np.int64)
    low, high = np.array([ends for _, *ends in pieces], float).T

    def at(numbers: IntArray, values: Array) -> Array:
        out = np.empty((len(values), 3))
        for number in range(len(LABELS)):
            mine = elbows[numbers] == number
            out[mine] = arm.along(wanted.X, number, values[mine])
        return out

    return Family(_PLANAR, Curves(tuple(LABELS[i] for i in elbows), low, high, at))


_PLANAR = "three parallel axes in a plane"


def _of_pose(form: ClosedForm, X_WT: Array) -> Family:
    table = form.branches(X_WT[None])
    if table.intervals is None or table.counts is None:
        slots = np.flatnonzero(table.within[0])
        labels = tuple(form.labels[slot] for slot in slots)
        return Family(form.structure, points=table.q[0, slots], labels=labels)
    slots = np.repeat(np.arange(table.counts.shape[1]), table.counts[0])
    if not len(slots):
        return Family(form.structure)
    most = np.arange(table.intervals.shape[2])
    ends = table.intervals[0][most < table.counts[0][:, None]]
    pose, family = np.ascontiguousarray(X_WT[None]), cast(FamilyForm, form)

    def at(numbers: IntArray, values: Array) -> Array:
        return family.at(np.repeat(pose, len(values), axis=0), slots[numbers], values)

    labels = tuple(form.labels[slot] for slot in slots)
    return Family(form.structure, Curves(labels, ends[:, 0].copy(), ends[:, 1].copy(), at))


def _turned(wanted: Pointing, angles: Array) -> Float64[Array, "m 4 4"]:
    """Return poses with z along the direction, turned about it by ``angles``."""
    z = wanted.direction
    x = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = x - z * (x @ z)
    x /= np.linalg.norm(x)
    y = np.cross(z, x)
    X = np.tile(np.eye(4), (len(angles), 1, 1))
    c, s = np.cos(angles)[:, None], np.sin(angles)[:, None]
    X[:, :3, 0], X[:, :3, 1] = c * x + s * y, c * y - s * x
    X[:, :3, 2], X[:, :3, 3] = z, wanted.place
    return X


def _of_poses(form: ClosedForm, X: Array, each: int) -> Array:
    """Return postures of all branches of poses, ``each`` on every interval of a family."""
    table = form.branches(X)
    if table.intervals is None or table.counts is None:
        return np.asarray(table.q[table.within])
    pose, slot, which = np.nonzero(np.arange(table.intervals.shape[2]) < table.counts[:, :, None])
    ends = table.intervals[pose, slot, which]
    share = (np.arange(each) + 0.5) / each
    values = (ends[:, :1] + share * (ends[:, 1:] - ends[:, :1])).reshape(-1)
    poses, slots = np.repeat(pose, each), np.repeat(slot, each)
    X, values = np.ascontiguousarray(X[poses]), np.ascontiguousarray(values)
    return cast(FamilyForm, form).at(X, slots, values)
