"""Clear floor of all turns at once: beside each turn by itself, and nothing is made twice."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from articulata.analyses.reach.building_codes.clear_floor import Middles
from articulata.analyses.reach.building_codes.rule_tables import rules_of
from articulata.analyses.reach.surroundings.room import Solid
from articulata.geometry.arrays import Array

HALF, SIDE = 0.61, 0.38


def middles() -> Middles:
    """Return middles by turn: squares about places that differ, and nowhere for one turn."""
    turns = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
    areas = [shapely.box(0.1 * k, -0.5, 0.1 * k + 0.8, 0.3) for k in range(12)]
    areas[5] = shapely.Polygon()
    return Middles(HALF, SIDE, turns, np.array(areas))


def within(p: Array, middle: Array, turn: float) -> tuple[float, float]:
    """Return how far ahead of a rectangle's middle a point is, and how far to its left."""
    ahead, left = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    return float((p - middle) @ ahead), float((p - middle) @ left)


@pytest.mark.parametrize("p", [(0.5, 0.9), (0.2, 0.0), (3.0, -1.0)])
def test_gaps_and_areas_of_all_turns_are_those_of_each(p: tuple[float, float]) -> None:
    here, given = np.array(p), middles()
    ahead, aside = given.gaps(here)
    seen, beside = given.ahead(here, 0.2), given.beside(here, 0.2)
    grid = np.stack(np.meshgrid(np.linspace(-0.5, 2.5, 61), np.linspace(-1.0, 1.0, 41)), -1)
    for k, turn in enumerate(given.turns):
        inside = shapely.contains_xy(given.areas[k], *grid.reshape(-1, 2).T)
        told = [within(here, middle, turn) for middle in grid.reshape(-1, 2)[inside]]
        fronts = [max(0.0, x - HALF) for x, y in told if x > 0.0 and abs(y) <= SIDE]
        flanks = [max(0.0, abs(y) - SIDE) for x, y in told if abs(x) <= HALF]
        # the grid's steps are 5 cm
        assert ahead[k] <= min(fronts, default=np.inf)
        assert not fronts or ahead[k] >= min(fronts) - 0.08
        assert aside[k] <= min(flanks, default=np.inf)
        assert not flanks or aside[k] >= min(flanks) - 0.08
        assert (seen[k].area > 0.0) == (ahead[k] < 0.2)
        assert (beside[k].area > 0.0) == (aside[k] < 0.2)
    assert np.isinf(ahead[5])
    assert np.isinf(aside[5])


def test_outlines_and_tables_that_ship_are_made_once() -> None:
    solid = Solid("box", np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]), np.empty((0, 3)))
    assert solid.outline is solid.outline
    assert solid.outline.area == pytest.approx(0.5)
    assert rules_of("ada_2010") is rules_of("ada_2010")
