"""Fast bodies within a step: when they first touch, by conservative advancement.

Contacts are looked for in the middle of a step, where the velocities at its start lead; what moves
farther in a step than it is thick could pass through. Such pairs are followed along that way; a
step in which they touch is cut so that the touch comes in its middle. World axes, SI.
Mirtich and Canny, Impulse-based simulation of rigid bodies, 1995 (conservative advancement).
"""

from __future__ import annotations

import math

from articulata.kernels.compile import kernel
from articulata.kernels.contacts.patches import too_far
from articulata.kernels.contacts.pieces import HALF_SPACE, Pieces, stand_piece
from articulata.kernels.contacts.separation import separation
from articulata.kernels.multibody.project import turn
from articulata.kernels.multibody.stepping.flight import spun
from articulata.kernels.multibody.stepping.scene import PIECE_A, PIECE_B, Contacts, Scene
from articulata.kernels.multibody.system import Array

FAST = 0.25
"""Pairs that approach by more than this share of the thinner piece in a step are followed."""

TURN = 0.1
"""Angle (rad) by which a body that is followed turns in a step at most, so that its way is close to
that by which it is followed."""

SHORTEST = 1e-4
"""The shortest part of a step, as a share of it."""

BEFORE = 15.0 / 16.0
"""A touch in the later half of a step is gone up to by this share of the way first."""

LOOKS = 400
"""Looks at a pair on its way; what grazes for longer is gone up to, and looked at anew."""


@kernel(counted=False)
def cut(scene: Scene, contacts: Contacts, h: float, margin: float) -> float:
    """Return how long a step of ``h`` (s) from ``contacts.start`` may be, ``h`` where none strikes.

    Pieces nearer than ``margin`` (m) are in contact.
    """
    pieces = scene.pieces
    farthest, thinnest = 0.0, math.inf
    for i in range(pieces.kind.shape[0]):
        farthest = max(farthest, way(scene, contacts, i, h))
        thinnest = min(thinnest, thickness(pieces, i))
    if 2.0 * farthest <= FAST * thinnest:
        return h
    whole = h
    for k in range(scene.pairs.shape[0]):
        i, j = scene.pairs[k, PIECE_A], scene.pairs[k, PIECE_B]
        turning = h * max(
            spin(contacts.start, pieces.body[i]), spin(contacts.start, pieces.body[j])
        )
        if turning > TURN and followed(scene, contacts, i, j, h):
            h *= TURN / turning
    first = h
    for k in range(scene.pairs.shape[0]):
        i, j = scene.pairs[k, PIECE_A], scene.pairs[k, PIECE_B]
        if followed(scene, contacts, i, j, h):
            speed = approach(scene, contacts, i, j)
            first = min(first, up_to_touch(scene, contacts, i, j, h, speed, margin))
    return max(first, SHORTEST * whole)


@kernel(counted=False)
def followed(scene: Scene, contacts: Contacts, i: int, j: int, h: float) -> bool:
    """Return whether two pieces are fast, and near enough to touch in a step."""
    pieces = scene.pieces
    if pieces.kind[i] > HALF_SPACE:
        return False
    least = FAST * min(thickness(pieces, i), thickness(pieces, j))
    if way(scene, contacts, i, h) + way(scene, contacts, j, h) <= least:
        return False
    far = h * approach(scene, contacts, i, j)
    if far <= least:
        return False
    stand_after(scene, contacts, i, 0.0)
    stand_after(scene, contacts, j, 0.0)
    return not too_far(pieces, contacts.now, i, j, far)


@kernel(counted=False)
def up_to_touch(
    scene: Scene, contacts: Contacts, i: int, j: int, h: float, speed: float, margin: float
) -> float:
    """Return how long a step may be in which pieces i and j touch, ``h`` where they do not.

    The touch comes in its middle, or after its end. ``speed`` (m/s) bounds that at which their
    points approach. What touches at the start does not count.
    """
    pieces, now = scene.pieces, contacts.now
    gap, _ = separation(pieces, now, i, j, math.inf)
    if gap <= margin:
        return h
    t = 0.0
    for _ in range(LOOKS):
        t += (gap - 0.25 * margin) / speed
        if t >= h:
            return h
        stand_after(scene, contacts, i, t)
        stand_after(scene, contacts, j, t)
        gap, _ = separation(pieces, now, i, j, math.inf)
        if gap <= 0.5 * margin:
            return 2.0 * t if t <= 0.5 * h else BEFORE * t
    return t


@kernel(counted=False)
def thickness(pieces: Pieces, i: int) -> float:
    """Return how thick a piece is, m: the least edge of the cuboid about it."""
    if pieces.kind[i] >= HALF_SPACE:
        return math.inf
    return 2.0 * min(pieces.box[i, 3], pieces.box[i, 4], pieces.box[i, 5])


@kernel(counted=False)
def reach(scene: Scene, i: int) -> float:
    """Return how far a piece reaches from its body's mass centre, m."""
    pieces, b = scene.pieces, scene.pieces.body[i]
    if pieces.kind[i] >= HALF_SPACE:
        return 0.0
    far = 0.0
    for k in range(3):
        far += (pieces.ball[i, k] - scene.center[b, k]) ** 2
    return math.sqrt(far) + pieces.ball[i, 3]


@kernel(counted=False)
def spin(state: Array, b: int) -> float:
    """Return how fast a body turns, rad/s."""
    return math.sqrt(state[b, 10] ** 2 + state[b, 11] ** 2 + state[b, 12] ** 2)


@kernel(counted=False)
def way(scene: Scene, contacts: Contacts, i: int, h: float) -> float:
    """Return a bound on the way of a piece's points in a step, m."""
    b, state = scene.pieces.body[i], contacts.start
    speed = math.sqrt(state[b, 7] ** 2 + state[b, 8] ** 2 + state[b, 9] ** 2)
    return h * (speed + spin(state, b) * reach(scene, i))


@kernel(counted=False)
def approach(scene: Scene, contacts: Contacts, i: int, j: int) -> float:
    """Return a bound on the speed at which points of two pieces approach, m/s."""
    a, b, state = scene.pieces.body[i], scene.pieces.body[j], contacts.start
    square = 0.0
    for k in range(3):
        square += (state[a, 7 + k] - state[b, 7 + k]) ** 2
    turning = spin(state, a) * reach(scene, i) + spin(state, b) * reach(scene, j)
    return math.sqrt(square) + turning


@kernel(counted=False)
def stand_after(scene: Scene, contacts: Contacts, i: int, t: float) -> None:
    """Let a piece stand where the velocities at the start take its body in ``t`` s."""
    b, state, poses = scene.pieces.body[i], contacts.middle, contacts.poses
    for k in range(7):
        state[b, k] = contacts.start[b, k]
    for k in range(3):
        state[b, k] += t * contacts.start[b, 7 + k]
    w = contacts.start
    turn(state, b, t * w[b, 10], t * w[b, 11], t * w[b, 12])
    q = state[b, 3], state[b, 4], state[b, 5], state[b, 6]
    arm = spun(q, (scene.center[b, 0], scene.center[b, 1], scene.center[b, 2]))
    for k in range(3):
        poses[b, k] = state[b, k] - arm[k]
    poses[b, 3], poses[b, 4], poses[b, 5], poses[b, 6] = q
    stand_piece(scene.pieces, i, poses, contacts.now)
