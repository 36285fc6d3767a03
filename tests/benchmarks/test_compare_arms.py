"""The comparison of arms finds what is missing, and only that."""

from __future__ import annotations

import numpy as np
from benchmarks.compare_arms import chain_of_screws, compare
from tests.unit.kinematics.arms import puma

from articulata.kinematics.joint import Joint


def test_what_is_missing_is_counted() -> None:
    known = puma()
    before = [joint.X_PJ for joint in known.joints]
    behind = [joint.X_JL for joint in known.joints]
    limits = [(-9.0, 9.0)] * 6
    chain = chain_of_screws(before, np.tile([0.0, 0.0, 1.0], (6, 1)), behind, limits)
    q = np.random.default_rng(0).uniform(-2.0, 2.0, (5, 6))
    np.testing.assert_allclose(chain.tip(q), known.tip(q), atol=1e-12)
    assert isinstance(chain.joints[0], Joint)
    peers = [found[~np.isnan(found[:, 0])] for found in chain.all_inverse(chain.tip(q)).q]
    row = compare(chain, q, peers, lambda: 0.0)
    assert (row.structure, row.missed, row.missing, row.unmet) == ("spherical wrist", 0, 0, 0)
    assert row.ours == row.theirs == sum(map(len, peers))
    peers[2] = peers[2] + 0.01
    assert compare(chain, q, peers, lambda: 0.0).unmet == len(peers[2])
