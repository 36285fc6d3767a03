"""First touches within a step: steps along a gap by the chords of its points, and rounding."""

from __future__ import annotations

import numpy as np

from articulata.geometry.convex_pieces.piece_table import piece_table
from articulata.geometry.shapes import Cuboid, Cylinder, Prism, Shape
from articulata.kernels.contacts.pieces import standing
from articulata.kernels.multibody.contact import approach

SHAPES: list[Shape] = [Cuboid(0.4, 0.3, 0.2), Cylinder(0.2, 0.3), Prism(5, 0.2, 0.3)]


def test_nothing_touches_within_a_step_by_chords() -> None:
    rng, long = np.random.default_rng(4), 0
    for _ in range(60):
        one, other = rng.integers(0, len(SHAPES), 2)
        table = piece_table([SHAPES[one], SHAPES[other]])
        pieces, now = table.arrays, standing(table.arrays)
        reach = np.linalg.norm(pieces.ball[:, :3], axis=1) + pieces.ball[:, 3]
        # both turn and go together at nearly the same rates, nearly in touch
        h, w, v = 0.01, rng.normal(size=3), rng.normal(size=3)
        old, dense = np.zeros((2, 13)), np.zeros((7, 2, 13))
        old[:, 3] = 1.0
        old[1, :3] = rng.normal(size=3)
        step = approach.Step(dense, old, h, np.zeros((2, approach.BOUND_WIDTH)), np.zeros_like(old))
        near = approach.Approach(pieces, now, reach, 0.0, step)
        gap, n = approach.at_share(near, 0, 1, 0.0)
        old[1, :3] += (gap - 1e-7) * np.array(n)
        for k in range(2):
            arm = old[k, :3] - old[1, :3]
            old[k, 7:10] = v + np.cross(w, arm) + 1e-5 * rng.normal(size=3)
            old[k, 10:] = w + 1e-4 * rng.normal(size=3)
            spin = old[k, 10:]
            # place and orientation by their series, velocities of even turning
            pull = np.cross(spin, np.cross(spin, arm))
            dense[0, k, :3] = h * old[k, 7:10] + 0.5 * h * h * pull
            dense[1, k, :3] = -0.5 * h * h * pull
            half = 0.5 * h * float(np.linalg.norm(spin))
            turned = np.array([np.cos(half), *(np.sin(half) / half * 0.5 * h * spin)])
            rate = np.array([0.0, *(0.5 * h * spin)])
            dense[0, k, 3:7] = turned - [1, 0, 0, 0]
            dense[1, k, 3:7] = rate - dense[0, k, 3:7]
            dense[0, k, 7:10] = h * pull
        gap, n = approach.at_share(near, 0, 1, 0.0)
        approach.bound_motion(step)
        speed = h * approach.closing_speed(near, 0, 1, n)
        for frame in (0, 1):
            bend = approach.bend(near, 1 - frame, frame)
            far = approach.chord(near, 0, 1, frame, 0.0, 1.0, bend, (gap, n))
            shares = np.linspace(0.0, far, 40)
            assert min(approach.at_share(near, 0, 1, share)[0] for share in shares) > 0.0
            long += far > 10.0 * gap / speed
    # what creeps by the bound on speeds takes long steps by chords
    assert long > 60


def test_rounding_is_no_bounce() -> None:
    table = piece_table([Cuboid(0.2, 0.2, 0.2), Cuboid(0.2, 0.2, 0.2)])
    pieces, now = table.arrays, standing(table.arrays)
    reach = np.linalg.norm(pieces.ball[:, :3], axis=1) + pieces.ball[:, 3]
    old, dense = np.zeros((2, 13)), np.zeros((7, 2, 13))
    old[:, 3] = 1.0
    # the gap k s (s - 0.25) (s - 0.6) stays within what rounding may make of none
    k = 5e-13
    old[1, 0] = 0.2
    dense[0, 1, 0], dense[1, 1, 0], dense[2, 1, 0] = 0.3 * k, -0.15 * k, -k
    bounds, moved = np.zeros((2, approach.BOUND_WIDTH)), np.zeros_like(old)
    step = approach.Step(dense, old, 1e-3, bounds, moved)
    near = approach.Approach(pieces, now, reach, 1e-10, step)
    pair, share = approach.first_touch(near, np.array([[0, 1]]), np.zeros(1, np.int64))
    assert (pair, share) == (-1, 2.0)
