"""Arms from fewer sensors than three: forearm and hand, or the hand alone, with their places.

Both need what three orientations do without: where the shoulder is, and how long the limbs are.
From them the missing orientations follow, and the arm is solved as with three sensors.

*Forearm and hand.* The upper arm points from the shoulder to the elbow, which the forearm's sensor
tells; its roll is that of the elbow's hinge, square to upper arm and forearm. Near a straight elbow
the hinge is taken from where the forearm's roll was.

*The hand alone.* The wrist is known, and the elbow lies on a circle about the line from shoulder to
wrist (law of cosines); of its points the one with the least discomfort is taken, not far from the
last. Source of both configurations: Waldrop 1995, chapter III; of the circle: Tolani, Goswami and
Badler, Graphical Models 62 (2000) 353-388.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from articulata.analyses.track.arms import ArmAngles, TrackedArm, arms_from
from articulata.domains.comfort.displacement import Discomfort
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64
from articulata.geometry.poses import inverse_pose
from articulata.kinematics.figure import Figure

APART = 1e-9
"""m: how far apart axes may pass that are to meet, and a cosine for axes that are to be square."""

STRAIGHT = np.sin(np.radians(8.0))
"""Sine of the elbow's bend below which the hinge is not seen: at 0.8 mm of noise in place and 0.3 m
of upper arm its direction errs by 1 deg there."""

AROUND = 72
"""Points of the elbow's circle that are compared, 5 deg apart."""

STAYING = 0.05
"""Discomfort per rad by which the elbow turns away from where it was."""


@dataclass(frozen=True, slots=True, eq=False)
class Limbs:
    """An arm's limbs: R is what it hangs on, U the upper arm, F the forearm, H the hand.

    ``shoulder`` (in R and in U), ``elbow`` (in U and in F) and ``wrist`` (in F and in H) are points
    (3,) m; ``hinge`` is the elbow's axis in U, ``roll`` the forearm's in F, ``bending`` the wrist's
    first in F, ``turning`` its last in H, unit vectors.
    """

    figure: Figure
    arm: TrackedArm
    shoulder: tuple[Array, Array]
    elbow: tuple[Array, Array]
    wrist: tuple[Array, Array]
    hinge: Array
    roll: Array
    bending: Array
    turning: Array

    @property
    def upper_length(self) -> float:
        """From shoulder to elbow, m."""
        return float(np.linalg.norm(self.elbow[0] - self.shoulder[1]))

    @property
    def forearm_length(self) -> float:
        """From elbow to wrist, m."""
        return float(np.linalg.norm(self.wrist[0] - self.elbow[1]))


@dataclass(frozen=True, slots=True, eq=False)
class FewerAngles:
    """``angles`` as of three sensors; ``stretch`` (*batch,) m is by how much limbs would be longer.

    ``bend`` (*batch,) is the sine of the elbow's bend, below ``STRAIGHT`` where its hinge was not
    seen. ``upper`` and ``forearm`` (*batch, 3, 3) are how these are turned; ``swivel`` (rad) is
    where on its circle the elbow is, of a hand alone.
    """

    angles: ArmAngles
    stretch: Array
    bend: Array
    upper: Array
    forearm: Array
    swivel: float = 0.0


def limbs_of(figure: Figure, arm: TrackedArm) -> Limbs:
    """Return the limbs of an arm; raise KinematicsError where its axes do not meet in points."""
    rng = np.random.default_rng(0)
    q = np.tile(figure.neutral, (3, 1))
    q[:, arm.columns] += rng.uniform(-0.5, 0.5, (3, 7))
    X = figure.poses(q)
    numbers = [figure.index(name) for name in arm.joints]
    root = X[:, arm.root] if arm.root >= 0 else np.tile(figure.base, (3, 1, 1))
    U, F, H = (X[:, number] for number in arm.links)
    axes = [_axis(figure, X, number) for number in numbers]
    shoulder = _meeting(figure, axes[0:3], (root, U), "shoulder")
    elbow = _meeting(figure, axes[3:5], (U, F), "elbow")
    wrist = _meeting(figure, axes[5:7], (F, H), "wrist")
    hinge = np.einsum("nji,nj->ni", U[:, :3, :3], axes[3][1])[0]
    roll = np.einsum("nji,nj->ni", F[:, :3, :3], axes[4][1])[0]
    bending = np.einsum("nji,nj->ni", F[:, :3, :3], axes[5][1])[0]
    turning = np.einsum("nji,nj->ni", H[:, :3, :3], axes[6][1])[0]
    u, f = elbow[0] - shoulder[1], wrist[0] - elbow[1]
    square = abs(hinge @ u) / np.linalg.norm(u)
    along = np.linalg.norm(np.cross(roll, f)) / np.linalg.norm(f)
    if max(square, along) > 1e-6:
        raise KinematicsError(
            f"the elbow of '{figure.name}' does not stand square to its upper arm, or its forearm"
            " does not roll about its own line; track it with three sensors an arm"
        )
    return Limbs(figure, arm, shoulder, elbow, wrist, hinge, roll, bending, turning)


def _axis(figure: Figure, X: Array, number: int) -> tuple[Array, Array]:
    """Return a point (n, 3) and the direction (n, 3) of a joint's axis."""
    X_LJ = inverse_pose(figure.joints[number].X_JL)
    at = X[:, number] @ X_LJ
    return at[:, :3, 3], at[:, :3, 2]


def _meeting(
    figure: Figure, axes: list[tuple[Array, Array]], frames: tuple[Array, Array], name: str
) -> tuple[Array, Array]:
    """Return where axes meet, in the frames before and after them, in which it does not move."""
    # the point nearest to all axes
    A = sum((np.eye(3) - d[:, :, None] * d[:, None, :] for _, d in axes), np.zeros((3, 3)))
    b = sum(
        (p - d * np.sum(d * p, axis=1, keepdims=True) for p, d in axes),
        np.zeros((len(frames[0]), 3)),
    )
    found = np.linalg.solve(A, b[..., None])[..., 0]
    places = []
    for X in frames:
        local = np.einsum("nji,nj->ni", X[:, :3, :3], found - X[:, :3, 3])
        if np.max(np.ptp(local, axis=0)) > 1e-8:
            raise KinematicsError(
                f"the axes of the {name} of '{figure.name}' do not meet in a point; track it with"
                " three sensors an arm"
            )
        places.append(local[0])
    return places[0], places[1]


def arms_from_forearm(
    limbs: Limbs,
    X_WR: Float64[Array, "*batch 4 4"],
    X_WF: Float64[Array, "*batch 4 4"],
    R_WH: Float64[Array, "*batch 3 3"],
    *,
    before: Array | None = None,
) -> FewerAngles:
    """Return an arm's angles from poses of its root and forearm and the hand's orientation.

    ``before`` (7,) rad is where the arm was; without it the forearm's rest roll counts where the
    elbow is straight.
    """
    shoulder = _at(X_WR, limbs.shoulder[0])
    way = _at(X_WF, limbs.elbow[1]) - shoulder
    length = np.linalg.norm(way, axis=-1)
    u = way / length[..., None]
    roll = X_WF[..., :3, :3] @ limbs.roll
    h = _cross(u, roll)
    bend = np.linalg.norm(h, axis=-1)
    rest = limbs.arm.rest if before is None else before
    if np.any(bend < STRAIGHT):
        # where the forearm has its hinge at the roll that was
        kept = X_WF[..., :3, :3] @ _hinge_in_forearm(limbs, rest)
        kept = kept - u * np.sum(u * kept, axis=-1, keepdims=True)
        h = np.where((bend < STRAIGHT)[..., None], kept, h)
    h = h / np.linalg.norm(h, axis=-1, keepdims=True)
    R_WU = np.stack([_upper(limbs, u, sign * h) for sign in (1.0, -1.0)])
    others = (np.broadcast_to(R, R_WU.shape) for R in (X_WF[..., :3, :3], R_WH))
    root = np.broadcast_to(X_WR[..., :3, :3], R_WU.shape)
    both = arms_from(limbs.arm, root, R_WU, *others, before=before)
    # the hinge's ends differ by half a turn of the forearm: one is beyond what it can turn
    low, high = limbs.arm.limits[3:5, 0], limbs.arm.limits[3:5, 1]
    elbow = both.q[..., 3:5]
    outside = np.maximum(np.maximum(low - elbow, elbow - high), 0.0).sum(axis=-1)
    far = np.abs(_wrapped(np.asarray(elbow - rest[3:5]))).sum(axis=-1)
    cost = outside + 1e-3 * far
    taken = np.asarray(cost[1] < cost[0])[..., None]
    angles = ArmAngles(
        np.where(taken, both.q[1], both.q[0]), np.where(taken, both.left[1], both.left[0])
    )
    R_WU = np.where(taken[..., None], R_WU[1], R_WU[0])
    stretch = np.asarray(length - limbs.upper_length)
    return FewerAngles(angles, stretch, np.asarray(bend), R_WU, X_WF[..., :3, :3])


def arms_from_hand(
    limbs: Limbs,
    X_WR: Float64[Array, "4 4"],
    X_WH: Float64[Array, "4 4"],
    *,
    before: Array | None = None,
    swivel: Float64[Array, "n"] | None = None,
    discomfort: Discomfort | None = None,
) -> FewerAngles:
    """Return an arm's angles from the poses of its root and its hand alone.

    ``swivel`` (n,) rad gives points of the elbow's circle in place of the usual ones. Beyond reach
    the arm is stretched toward the hand, and ``stretch`` tells by how much it is too short.
    """
    angles = np.linspace(-np.pi, np.pi, AROUND, endpoint=False) if swivel is None else swivel
    n = len(angles)
    a, b = limbs.upper_length, limbs.forearm_length
    S, W = _at(X_WR, limbs.shoulder[0]), _at(X_WH, limbs.wrist[1])
    reach = float(np.linalg.norm(W - S))
    axis = (W - S) / reach
    d = min(max(reach, abs(a - b) + 1e-9), a + b - 1e-9)
    along = (a * a - b * b + d * d) / (2.0 * d)
    radius = np.sqrt(max(a * a - along * along, 0.0))
    down = -limbs.figure.up
    e1 = down - axis * (axis @ down)
    if float(np.linalg.norm(e1)) < 1e-6:
        e1 = np.cross(axis, X_WR[:3, 0])
    e1 = e1 / np.linalg.norm(e1)
    e2 = _cross(axis, e1)
    E = S + along * axis + radius * (np.cos(angles)[:, None] * e1 + np.sin(angles)[:, None] * e2)
    u, w = E - S, S + d * axis - E
    u, w = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (u, w))
    h = _cross(u, w)
    h = h / np.maximum(np.linalg.norm(h, axis=1, keepdims=True), 1e-300)
    toward = 1.0 if limbs.roll @ (limbs.wrist[0] - limbs.elbow[1]) > 0.0 else -1.0
    hands = np.broadcast_to(X_WH[:3, :3], (n, 3, 3))
    # the hinge has two ends, and the forearm two ways to hold the hand by each
    upper, forearm = [], []
    for sign in (1.0, -1.0):
        ways = _forearms(limbs, toward * w, sign * h, hands)
        forearm += ways
        upper += [_upper(limbs, u, sign * h)] * len(ways)
    R_WU, R_WF = np.concatenate(upper), np.concatenate(forearm)
    root, hand = (np.broadcast_to(X[:3, :3], R_WU.shape) for X in (X_WR, X_WH))
    found = arms_from(limbs.arm, root, R_WU, R_WF, hand, before=before)
    rest = limbs.arm.rest if before is None else before
    k = int(np.argmin(_cost(limbs, found.q, discomfort or Discomfort(), rest)))
    return FewerAngles(
        ArmAngles(found.q[k], found.left[k]),
        np.asarray(reach - d),
        np.asarray(radius / a),
        R_WU[k],
        R_WF[k],
        float(angles[k % n]),
    )


def _cost(limbs: Limbs, q: Array, rule: Discomfort, rest: Array) -> Array:
    """Return what each posture (n, 7) costs: discomfort, joints beyond limits, leaps."""
    whole = np.tile(limbs.figure.neutral, (len(q), 1))
    whole[:, limbs.arm.columns] = q
    low, high = limbs.arm.limits[:, 0], limbs.arm.limits[:, 1]
    outside = np.maximum(np.maximum(low - q, q - high), 0.0).sum(axis=1)
    inside = np.clip(q, low, high)
    whole[:, limbs.arm.columns] = inside
    away = np.abs(_wrapped(q - rest)).max(axis=1)
    return np.asarray(rule.of(limbs.figure, whole) + 100.0 * outside + STAYING * away)


def _forearms(limbs: Limbs, roll: Array, hinge: Array, hands: Array) -> list[Array]:
    """Return forearms (n, 3, 3) whose roll axis is given and whose wrist can hold the hand.

    The first axis of the wrist is square to the forearm's roll and to the hand's last axis: two
    ways.
    """
    first, last = limbs.bending, limbs.turning
    if abs(first @ limbs.roll) > 1e-6:
        raise KinematicsError(
            f"the wrist of '{limbs.figure.name}' does not stand square to its forearm; track it"
            " with more than a hand's sensor"
        )
    line = _cross(roll, hands @ last)
    size = np.linalg.norm(line, axis=1, keepdims=True)
    line = np.where(size < 1e-9, hinge, line / np.maximum(size, 1e-300))
    frame = np.stack([limbs.roll, first, _cross(limbs.roll, first)])
    found = []
    for sign in (1.0, -1.0):
        side = sign * line
        side = side - roll * np.sum(side * roll, axis=1, keepdims=True)
        side = side / np.linalg.norm(side, axis=1, keepdims=True)
        seen = np.stack([roll, side, _cross(roll, side)], axis=2)
        found.append(seen @ frame)
    return found


def _upper(limbs: Limbs, u: Array, h: Array) -> Array:
    """Return the upper arm's orientation (*batch, 3, 3): it points along u, its hinge along h."""
    own = limbs.elbow[0] - limbs.shoulder[1]
    own = own / np.linalg.norm(own)
    hinge = limbs.hinge - own * (own @ limbs.hinge)
    hinge = hinge / np.linalg.norm(hinge)
    frame = np.stack([own, hinge, _cross(own, hinge)])
    seen = np.stack([u, h, _cross(u, h)], axis=-1)
    return np.asarray(seen @ frame)


def _hinge_in_forearm(limbs: Limbs, q: Array) -> Array:
    """Return the elbow's axis (3,) in F for joint values (7,)."""
    whole = limbs.figure.neutral.copy()
    whole[limbs.arm.columns] = q
    X = limbs.figure.poses(whole)
    return np.asarray(X[limbs.arm.forearm, :3, :3].T @ X[limbs.arm.upper, :3, :3] @ limbs.hinge)


def _cross(a: Array, b: Array) -> Array:
    """Return products (*batch, 3): NumPy's own takes five times as long for a few of them."""
    a, b = np.asarray(a), np.asarray(b)
    return np.asarray(a[..., _NEXT] * b[..., _LAST] - a[..., _LAST] * b[..., _NEXT])


_NEXT, _LAST = np.array((1, 2, 0)), np.array((2, 0, 1))


def _at(X: Array, p: Array) -> Array:
    return np.asarray(X[..., :3, :3] @ p + X[..., :3, 3])


def _wrapped(angle: Array) -> Array:
    """Return angles between -pi and pi."""
    return np.asarray(angle - 2.0 * np.pi * np.round(angle / (2.0 * np.pi)))
