"""Blocks of poses of six-joint arms: what closed forms on lanes have in common.

An arm is an array of constants. The first 12 are the pose of the chain's base in the table's frame,
12 more that of the last frame in the tip's, both by rows; from ``JOINTS`` on three for each joint:
the table's angle in the middle of the range, the joint's, and half the range, rad.

A block holds a pose in each lane: ``target`` (12 rows), ``q`` (48 rows: branch by branch, six joint
values) and ``flags`` (9 rows: one for each branch, then why there is none). The same kernels run on
scalars, one pose at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.host import LANES_FLOAT64, spread
from articulata.kernels.lanes.tiles import TILE, expect_writing, turn_tile
from articulata.kernels.lanes.vectors import (
    FASTMATH,
    absolute,
    aligned,
    fill,
    load,
    nearest,
    store,
    where,
    workspace,
)

Bytes = npt.NDArray[np.uint8]

VALID, WRIST, ELBOW, SHOULDER, OUTSIDE = 1, 2, 4, 8, 16
"""Flags of a branch: that it exists; where branches meet; that it leaves the limits."""

JOINTS = 40
"""Where the constants of joints begin."""


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def tip_in_table(constants: Any, target: Any, q: Any) -> None:
    """Write the pose of the last frame in the table's, by rows, into the first 12 rows of ``q``."""
    for r in range(3):
        b0 = constants[4 * r]
        b1 = constants[4 * r + 1]
        b2 = constants[4 * r + 2]
        t0 = b0 * load(target, 0) + b1 * load(target, 4) + b2 * load(target, 8)
        t1 = b0 * load(target, 1) + b1 * load(target, 5) + b2 * load(target, 9)
        t2 = b0 * load(target, 2) + b1 * load(target, 6) + b2 * load(target, 10)
        t3 = b0 * load(target, 3) + b1 * load(target, 7) + b2 * load(target, 11)
        t3 = t3 + constants[4 * r + 3]
        for c in range(4):
            turned = t0 * constants[12 + c] + t1 * constants[16 + c] + t2 * constants[20 + c]
            store(q, 4 * r + c, turned + t3 if c == 3 else turned)


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def joint_value(constants: Any, joint: int, angle: Any) -> Any:
    """Return the joint value of a table angle, within half a turn of the range's middle.

    And whether it lies outside the limits by more than rounding.
    """
    k = JOINTS + 3 * joint
    away = angle - constants[k]
    away = away - nearest(away * (0.5 / math.pi)) * (2.0 * math.pi)
    return away + constants[k + 1], absolute(away) > constants[k + 2]


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def put_branch(q: Any, flags: Any, branch: int, ok: Any, values: Any, kind: Any) -> None:
    """Write a branch, six ``values`` as ``joint_value`` gives them, where it is ``ok``."""
    v0, v1, v2, v3, v4, v5 = values
    row = 6 * branch
    store(q, row, where(ok, v0[0], np.nan))
    store(q, row + 1, where(ok, v1[0], np.nan))
    store(q, row + 2, where(ok, v2[0], np.nan))
    store(q, row + 3, where(ok, v3[0], np.nan))
    store(q, row + 4, where(ok, v4[0], np.nan))
    store(q, row + 5, where(ok, v5[0], np.nan))
    beyond = v0[1] | v1[1] | v2[1] | v3[1] | v4[1] | v5[1]
    store(flags, branch, where(ok, kind + where(beyond, 17.0, 1.0), 0.0))


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def put_reason(flags: Any, far: Any, near: Any, placed: Any) -> None:
    """Write why no branch keeps the limits: 0 where one does.

    Some branch is too ``far`` or too ``near``; it is ``placed`` and the orientation fails.
    """
    zero = fill(flags, 0.0)
    found, inside = zero, zero
    for branch in range(8):
        flag = load(flags, branch)
        found = where(flag > 0.0, 1.0, found)
        inside = where((flag > 0.0) & (flag < 16.0), 1.0, inside)
    reason = where(placed > 0.0, 4.0, where(far > 0.0, 1.0, where(near > 0.0, 2.0, zero + 4.0)))
    store(flags, 8, where(found > 0.0, where(inside > 0.0, zero, 3.0), reason))


class Batch(NamedTuple):
    """Poses ``targets`` (m, 4, 4), and rows for their ``answers`` (m, 48).

    ``marks`` (m, 8) and ``reasons`` (m,) are bytes.
    """

    targets: Any
    answers: Any
    marks: Any
    reasons: Any


class Lanes(NamedTuple):
    """A block: rows ``target`` 16, ``q`` 48, ``flags`` 9."""

    target: Any
    q: Any
    flags: Any


@kernel(counted=False)
def load_block(targets: Any, first: int, end: int, target: Any) -> None:
    """Bring poses from ``first`` on of ``targets`` (m, 4, 4) into the lanes, up to ``end``."""
    if end - first >= LANES_FLOAT64:
        for lane in range(0, LANES_FLOAT64, TILE):
            for column in range(0, 12, TILE):
                start = 16 * (first + lane) + column
                turn_tile(targets, start, 16, target, LANES_FLOAT64 * column + lane, LANES_FLOAT64)
        return
    for lane in range(LANES_FLOAT64):
        # spare lanes repeat the last pose
        p = min(first + lane, end - 1)
        for r in range(3):
            for c in range(4):
                target[4 * r + c, lane] = targets[p, r, c]


@kernel(counted=False)
def store_block(lanes: Lanes, first: int, end: int, batch: Batch, words: Any) -> None:
    """Bring the branches out to rows from ``first`` on of ``answers`` (m, 48), up to ``end``.

    ``words`` (m, 2) of 32 bits take four flags each.
    """
    q, flags, answers = lanes.q, lanes.flags, batch.answers
    count = min(LANES_FLOAT64, end - first)
    if count == LANES_FLOAT64:
        for lane in range(0, LANES_FLOAT64, TILE):
            for row in range(0, 48, TILE):
                at = LANES_FLOAT64 * row + lane
                turn_tile(q, at, LANES_FLOAT64, answers, 48 * (first + lane) + row, 48)
                # the same share of the next block's answers
                ahead = 48 * (first + LANES_FLOAT64 + lane) + TILE * row
                for line in range(0, TILE * TILE, 8):
                    expect_writing(answers, ahead + line)
    else:
        for lane in range(count):
            for row in range(48):
                answers[first + lane, row] = q[row, lane]
    for half in range(2):
        word = load(flags, 4 * half + 3)
        for b in range(2, -1, -1):
            word = word * 256.0 + load(flags, 4 * half + b)
        store(flags, half, word)
    for lane in range(count):
        words[first + lane, 0] = np.int64(flags[0, lane])
        words[first + lane, 1] = np.int64(flags[1, lane])
        batch.reasons[first + lane] = np.int64(flags[8, lane])


def solve_blocks(
    solve_block: Callable[..., None],
    arm: tuple[Any, ...],
    targets: Array,
    *,
    grain: int,
    threads: int | None,
) -> tuple[Array, Bytes, Bytes]:
    """Return branches (m, 8, 6), flags (m, 8) and reasons (m,) of poses X_BT (m, 4, 4).

    ``solve_block`` is the kernel of a closed form, which takes what ``arm`` holds first; ``grain``
    are the poses in one piece of a batch.
    """
    targets = np.ascontiguousarray(targets, np.float64)
    m = len(targets)
    marks = np.empty((m, 8), np.uint8)
    batch = Batch(targets, aligned((m, 48)), marks, np.empty(m, np.uint8))

    def work(begin: int, end: int) -> None:
        lanes = Lanes(workspace(16), workspace(48), workspace(9))
        solve_block(*arm, batch, lanes, begin, end)

    spread(work, m, grain=grain, threads=threads)
    return batch.answers.reshape(m, 8, 6), batch.marks, batch.reasons
