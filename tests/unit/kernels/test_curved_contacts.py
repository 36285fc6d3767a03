"""Contacts of rims and walls: normal as the pieces', motion of normal and point as differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import articulata as art
from articulata.domains.assemble import build
from articulata.kernels.contacts.patches import new_room
from articulata.kernels.contacts.pieces import stand, standing
from articulata.kernels.contacts.separation import separation
from articulata.kernels.multibody.contact.curved import (
    facing_normal,
    motion_of_facing,
    support_of,
)
from articulata.kernels.multibody.contact.features import Found, touching
from articulata.kernels.multibody.contact.rows import (
    CONTACT_WIDTH,
    FEATURE_A,
    FEATURE_B,
    INDEX_A,
    INDEX_B,
    KIND,
    PIECES,
    TABLE_WIDTH,
)

TEXT = """
primitive p {{ properties: (density: 1); geometry: {}; dynamics }}
primitive q {{ properties: (density: 1); geometry: {}; dynamics }}
world w {{
  components {{ a: p; b: q }}
  structure {{ place a by a at (0, 0, 0); place b by b at (3, 0, 0) }}
}}
"""

PAIRS = (
    ("cone(0.2, 0.5)", "cylinder(0.15, 0.5)"),
    ("cone(0.2, 0.4, 0.1)", "cone(0.2, 0.5)"),
    ("cone(0.2, 0.4, 0.1)", "capsule(0.1, 0.3)"),
    ("cylinder(0.15, 0.5)", "cuboid(0.3, 0.2, 0.4)"),
    ("cone(0.2, 0.5)", "prism(5, 0.2, 0.3)"),
    ("cone(0.2, 0.5)", "sphere(0.15)"),
)


def moved(state, t):
    """Return the state t seconds of steady motion later."""
    after = state.copy()
    after[:, :3] += t * state[:, 7:10]
    turns = Rotation.from_rotvec(t * state[:, 10:])
    after[:, 3:7] = (turns * Rotation.from_quat(state[:, [4, 5, 6, 3]])).as_quat()[:, [3, 0, 1, 2]]
    return after


@pytest.mark.parametrize("shapes", PAIRS, ids=lambda pair: pair[0] + " on " + pair[1])
def test_normal_and_point_move_as_they_do(shapes):
    source = build(art.parse(TEXT.format(*shapes)).world("w"))["interference"].pieces
    pieces, now, rng = source.arrays, standing(source.arrays), np.random.default_rng(1)
    i, j = source.of_body[0][0], source.of_body[1][0]
    pairs, met = np.array([[i, j]], np.int64), 0
    for _ in range(60):
        state = np.zeros((2, 13))
        state[:, 3:7] = Rotation.random(2, random_state=rng).as_quat()
        state[:, 7:] = rng.normal(size=(2, 6))
        state[1, :3] = rng.normal(size=3)
        state[1, :3] /= np.linalg.norm(state[1, :3])
        for _ in range(40):
            stand(pieces, state, now)
            gap, n = separation(pieces, now, i, j, np.inf)
            state[0, :3] -= gap * np.array(n)
        if abs(gap) > 1e-11:
            continue
        stand(pieces, state, now)
        table, data = np.zeros((64, TABLE_WIDTH), np.int64), np.zeros((64, CONTACT_WIDTH))
        owner = np.zeros(64, np.int64)
        found = Found(pieces, now, state, table, data)
        count = touching(found, pairs, 1e-9, new_room(1), owner)
        if count != 1 or table[0, KIND] != PIECES:
            continue

        def solved(at, table=table, n=n):
            stand(pieces, at, now)
            one = support_of(pieces, now, i, table[0, FEATURE_A], table[0, INDEX_A])
            two = support_of(pieces, now, j, table[0, FEATURE_B], table[0, INDEX_B])
            assert one[0]
            assert two[0]
            scratch = np.empty(20)
            found, m, z, apart = facing_normal(one[1], two[1], tuple(n), 0.2, scratch)
            moves = tuple(tuple(at[k, c : c + 3]) for c in (0, 7, 10) for k in range(2))
            told, x, bent, dx = motion_of_facing(one[1], two[1], m, z, apart, moves, scratch)
            return found and told, apart, *(np.array(each) for each in (m, x, bent, dx))

        found, apart, m, _, bent, dx = solved(state)
        if not found:
            # two sharp features in one point have no normal of their own
            continue
        met += 1
        h = 1e-7
        _, _, m1, x1, _, _ = solved(moved(state, h))
        _, _, m0, x0, _, _ = solved(moved(state, -h))
        assert abs(apart - gap) < 1e-13
        assert np.abs(m - n).max() < 1e-6  # where the pieces' own search stops
        assert np.abs((m1 - m0) / (2 * h) - bent).max() < 1e-5 * (1 + np.abs(bent).max())
        assert np.abs((x1 - x0) / (2 * h) - dx).max() < 1e-5 * (1 + np.abs(dx).max())
    assert met > 10
