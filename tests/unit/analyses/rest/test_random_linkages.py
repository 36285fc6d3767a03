"""Modes of random linkages against mass and stiffness matrices of their own (1e-7)."""

from __future__ import annotations

import numpy as np
import pytest
from tests.linkages_by_chance import linkage, small_motions

import articulata as art
from articulata.analyses.rest import rest_positions

SEEDS = (*range(50), *range(51, 70, 2))
"""Fifty, and ten in space with shafts that turn alike."""

QUICK = (1, 4, 6, 7, 15, 51)
"""Two sliders, a branched planar one, a planar loop, one in space, a geared chain, shafts."""


@pytest.mark.parametrize(
    "seed",
    [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in SEEDS],
)
def test_modes_of_a_random_linkage_are_those_of_its_own_matrices(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rest_positions, "MOST", 0)  # what two starts lead to is enough
    made = linkage(seed)
    world = art.parse(made.text()).world()
    rest = art.rest(world, starts=2, seed=seed)
    assert rest.led > 0
    for position in rest.positions:
        own = small_motions(made, position, world)
        assert own.left < 1e-8
        modes = position.linear.modes()
        assert len(position.linear.names) == len(own.M)
        known = own.eigenvalues()
        largest = float(np.abs(known).max())
        for mode in modes:
            off = float(np.abs(known**2 - mode.eigenvalue**2).min())
            assert off <= 1e-7 * max(abs(mode.eigenvalue) ** 2, 1e-3 * largest**2)
        # each pair of conjugate eigenvalues is one mode; a double one at 0 is known to 1e-5
        pairs = known[known.imag >= -1e-5 * largest]
        swinging = [mode for mode in modes if mode.eigenvalue.imag > 1e-5 * largest]
        assert len(swinging) == int(np.sum(pairs.imag > 1e-5 * largest))
