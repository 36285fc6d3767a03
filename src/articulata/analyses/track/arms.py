"""Arms of figures as the closed form wants them, whatever figure they belong to.

An arm is the last seven free joints of a chain: three at the shoulder, two at the elbow, two at
the wrist. Their axes have to stand at right angles within each of these groups; the angles that
come out are the figure's own, in its own convention, by its own names.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64, IntArray
from articulata.geometry.quaternion import q_from_matrix
from articulata.kernels.chains.sensor_fusion.arm_angles import JOINTS, ArmTables
from articulata.kernels.chains.sensor_fusion.tracked_body import ANGLES, LEFT, SOLVED, solve_arms
from articulata.kinematics.figure import Figure
from articulata.kinematics.joint import REVOLUTE

SQUARE = 1e-9
"""Cosine up to which two axes count as standing at right angles; tables of 1995 round pi/2."""

CONE = np.radians(10.0)
"""Half angle of the singular cone, rad: at its rim 0.15 deg of noise swing the first angle by 0.9
deg, in its middle by any angle. Wider, the arm hesitates longer when it is raised; narrower, the
first angle swings more beside the body."""

TOLERANCE = np.radians(0.45)
"""How far (rad) the upper arm may point beside what is measured in the middle of the cone: thrice
the noise of a magnetic tracker. Smaller, the first angle follows the noise; larger, the upper arm
visibly hesitates."""


@dataclass(frozen=True, slots=True, eq=False)
class TrackedArm:
    """An arm made ready.

    ``name`` is its chain's, ``joints`` its seven joints, ``columns`` (7,) their places in the
    figure's ``q``. ``root``, ``upper``, ``forearm`` and ``hand`` are numbers of the joints whose
    links these are; the root is -1 where the arm hangs on what stands still. ``turns``
    (6, 3, 3), ``offsets`` (9,), ``limits`` (7, 3) are the kernels' tables, ``rest`` (7,) rad.
    """

    name: str
    joints: tuple[str, ...]
    columns: IntArray
    root: int
    upper: int
    forearm: int
    hand: int
    turns: Array
    offsets: Array
    limits: Array
    rest: Array

    @property
    def links(self) -> tuple[int, int, int]:
        """The joints whose links carry the three sensors, from the shoulder on."""
        return self.upper, self.forearm, self.hand


@dataclass(frozen=True, slots=True, eq=False)
class ArmAngles:
    """What ``arms_from`` found.

    ``q`` (*batch, 7) rad, in the figure's convention; ``left`` (*batch, 2) rad is what is left at
    elbow and wrist, 0 where the orientations are those of an arm.
    """

    q: Array
    left: Array


def tracked_arm(figure: Figure, chain: str) -> TrackedArm:
    """Return the arm of a figure at the end of a named chain.

    Raises KinematicsError where the chain has fewer than seven turning joints, or where axes of a
    group do not stand at right angles.
    """
    numbers = [i for i in figure.path(chain) if i in figure.free][-JOINTS:]
    joints = [figure.joints[i] for i in numbers]
    if len(joints) < JOINTS or any(joint.kind != REVOLUTE for joint in joints):
        raise KinematicsError(
            f"chain '{chain}' of '{figure.name}' ends in {len(joints)} joints that can be tracked;"
            " an arm has seven that turn: three at the shoulder, two at elbow and wrist"
        )
    P = [joint.X_PJ[:3, :3] for joint in joints]
    L = [joint.X_JL[:3, :3] for joint in joints]
    # fixed joints between two free ones turn what comes after them
    for k in range(1, JOINTS):
        P[k] = _between(figure, numbers[k - 1], numbers[k]) @ P[k]
    first, second = _square(L[0] @ P[1]), _square(L[1] @ P[2])
    elbow, wrist = _square(L[3] @ P[4]), _square(L[5] @ P[6])
    for pair, which in ((first, 0), (second, 1), (elbow, 3), (wrist, 5)):
        if pair is None:
            raise KinematicsError(
                f"'{joints[which].name}' and '{joints[which + 1].name}' of '{figure.name}' do not"
                " stand at right angles, which the closed form of a tracked arm needs; use"
                " figure.inverse, or a figure whose axes do"
            )
    assert first is not None
    assert second is not None
    assert elbow is not None
    assert wrist is not None
    across = _square(L[4] @ P[5]) or (np.nan, np.nan)
    offsets = np.array(
        [first[0], first[1] + second[0], second[1], *elbow, *wrist, *across], np.float64
    )
    root = figure.parents[numbers[0]]
    turns = np.array([P[0].T, L[2].T, P[3].T, L[4].T, P[5].T, L[6].T])
    neutral = np.array([joint.neutral for joint in joints])
    low, high = np.array([joint.limits for joint in joints]).T
    middle = np.where(np.isfinite(low + high), 0.5 * (low + high), neutral)
    return TrackedArm(
        chain,
        tuple(joint.name for joint in joints),
        np.array([figure.coordinate(joint.name) for joint in joints], np.int64),
        root,
        numbers[2],
        numbers[4],
        numbers[6],
        np.ascontiguousarray(turns),
        offsets,
        np.stack([low, high, middle], axis=1),
        neutral,
    )


def _between(figure: Figure, before: int, number: int) -> Array:
    """Return the turn of the fixed joints between a joint's link and what carries another."""
    R = np.eye(3)
    at = figure.parents[number]
    while at != before:
        joint = figure.joints[at]
        if joint.mimic is not None:
            raise KinematicsError(
                f"joint '{joint.name}' of '{figure.name}' follows '{joint.mimic.joint}'; an arm"
                " with such a joint between its own cannot be tracked in closed form"
            )
        R = joint.X_PJ[:3, :3] @ joint.X_JL[:3, :3] @ R
        at = figure.parents[at]
    return R


def _square(C: Array) -> tuple[float, float] | None:
    """Return alpha, beta of ``C = Rz(alpha) Rx(90) Rz(beta)``; None for another form."""
    if abs(C[2, 2]) > SQUARE:
        return None
    return float(np.arctan2(C[0, 2], -C[1, 2])), float(np.arctan2(C[2, 0], C[2, 1]))


def triple(figure: Figure, numbers: list[int]) -> tuple[Array, Array] | None:
    """Return the tables of three joints that meet at right angles; None where they do not.

    ``(3, 4)``: offset, lowest, highest and middle value of each joint, rad; ``(2, 3, 3)``: the
    fixed turns before and after them.
    """
    joints = [figure.joints[i] for i in numbers]
    if any(joint.kind != REVOLUTE for joint in joints):
        return None
    P = [joint.X_PJ[:3, :3] for joint in joints]
    L = [joint.X_JL[:3, :3] for joint in joints]
    for k in (1, 2):
        P[k] = _between(figure, numbers[k - 1], numbers[k]) @ P[k]
    first, second = _square(L[0] @ P[1]), _square(L[1] @ P[2])
    if first is None or second is None:
        return None
    offsets = (first[0], first[1] + second[0], second[1])
    rows = []
    for joint, offset in zip(joints, offsets, strict=True):
        low, high = joint.limits
        middle = 0.5 * (low + high) if np.isfinite(low + high) else joint.neutral
        rows.append((offset, low, high, middle))
    return np.array(rows), np.array([P[0].T, L[2].T])


@dataclass(frozen=True, eq=False)
class Arms:
    """The arms that are tracked together, their tables stacked for the kernels."""

    each: tuple[TrackedArm, ...]

    @cached_property
    def turns(self) -> Array:
        """The fixed turns of all arms, (arms, 6, 3, 3)."""
        return np.array([arm.turns for arm in self.each]).reshape(-1, 6, 3, 3)

    @cached_property
    def offsets(self) -> Array:
        """The constants of all arms, (arms, 9) rad."""
        return np.array([arm.offsets for arm in self.each]).reshape(-1, 9)

    @cached_property
    def limits(self) -> Array:
        """Lowest, highest and middle values, (arms, 7, 3) rad."""
        return np.array([arm.limits for arm in self.each]).reshape(-1, 7, 3)

    @cached_property
    def rest(self) -> Array:
        """Where the arms rest, (arms, 8): seven angles in rad, and that nothing is known yet."""
        rest = np.zeros((len(self.each), ANGLES + 1))
        for row, arm in zip(rest, self.each, strict=True):
            row[:ANGLES] = arm.rest
        return rest


def arms_from(
    arm: TrackedArm,
    root: Float64[Array, "*batch 3 3"],
    upper: Float64[Array, "*batch 3 3"],
    forearm: Float64[Array, "*batch 3 3"],
    hand: Float64[Array, "*batch 3 3"],
    *,
    before: Array | None = None,
) -> ArmAngles:
    """Return an arm's angles for orientations, all in one frame, of what it hangs on and its parts.

    ``before`` (7,) rad is where the arm was: it chooses the branch and holds the first angle in
    the singular cone. Without it each answer stands alone.
    """
    batch = np.broadcast_shapes(*(x.shape[:-2] for x in (root, upper, forearm, hand)))
    parts = [np.broadcast_to(x, (*batch, 3, 3)).reshape(-1, 3, 3) for x in (upper, forearm, hand)]
    roots = np.broadcast_to(root, (*batch, 3, 3)).reshape(-1, 3, 3).copy()
    count = len(roots)
    segments = np.stack([q_from_matrix(x) for x in parts], axis=1).reshape(-1, 4)
    rows = np.arange(3 * count, dtype=np.int64).reshape(count, 3)
    start = np.zeros((count, ANGLES + 1))
    start[:, :ANGLES] = arm.rest if before is None else before
    start[:, ANGLES] = 0.0 if before is None else 1.0
    solved = np.empty((count, SOLVED))
    table = ArmTables(
        np.broadcast_to(arm.turns, (count, 6, 3, 3)).copy(),
        np.broadcast_to(arm.offsets, (count, 9)).copy(),
        np.broadcast_to(arm.limits, (count, 7, 3)).copy(),
        float(np.sin(CONE)),
        float(TOLERANCE),
    )
    solve_arms(segments, roots, rows, table, start, solved, np.empty((6, 3, 3)))
    return ArmAngles(
        solved[:, :ANGLES].reshape(*batch, ANGLES),
        solved[:, LEFT : LEFT + 2].reshape(*batch, 2),
    )
