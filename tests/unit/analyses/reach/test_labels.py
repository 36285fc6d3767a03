"""Labels against a search of another kind: proofs rechecked, what is excluded or missed tried."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import articulata as art
from articulata.analyses.reach.points import neighbour_postures
from articulata.analyses.reach.points.hollows import hollows_of, thread_end
from articulata.analyses.reach.points.labelling import labels_of, labels_on_grid
from articulata.analyses.reach.points.search import MANY, Case, Labels
from articulata.analyses.reach.reach_question import grid_of, study_of
from articulata.records.reach_shares import ACCESSIBLE, NOT_FOUND, PROVED
from articulata.records.reach_verdicts import ReachReason
from articulata.sessions.given_files import request_in
from articulata.world.document import read
from articulata.world.world_files import shipped
from reach_checks import check_postures, searched
from rooms import TEXT, document
from shares import shares

ROOMS, WAYS = ("kitchen", "bathroom", "office"), ("manual wheelchair", "on foot")

Array = np.ndarray


def proofs_hold(case: Case, points: Array, found: Labels, index: Array) -> None:
    """Recheck postures: fingertip, limits, place to stand, and what arm and trunk are in."""
    worst = check_postures(case, points[index], case.whole(found, index), found.hand[index])
    assert worst["miss"] <= 1.1e-3
    assert worst["beyond"] <= 1e-9
    assert worst["shut"] == 0
    assert worst["deep"] < 2e-3
    assert worst["drawn"] < 2e-3
    assert worst["pressed"] < 2e-3
    assert worst["sunk"] < 0.025


@pytest.mark.parametrize("way", ["on foot", "manual wheelchair"])
def test_labels_agree_with_a_search_from_drawn_places(way: str) -> None:
    study = study_of(document().requests[0])[0]
    case = study.case(way)
    # about the counter and the shelf above it: what is hard to reach
    axes = [np.arange(-1.15, 0.2, 0.075), np.arange(-0.7, -0.02, 0.075), [0.95, 1.25, 1.9]]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    found = labels_of(case, points)
    reached = np.flatnonzero(found.label == ACCESSIBLE)
    assert len(reached) > 100
    proofs_hold(case, points, found, reached)
    few = np.random.default_rng(1).permutation(len(points))
    for label, most in ((PROVED, 0), (NOT_FOUND, 2)):
        some = few[found.label[few] == label][:25]
        assert searched(case, points[some], bases=20, starts=4)[0].sum() <= most


def test_points_of_a_wide_grid_are_helped_by_points_between() -> None:
    study = study_of(document().requests[0])[0]
    case = study.case("on foot")
    points = study.room.into(grid_of(study.room, 0.16))
    alone, helped = labels_of(case, points), labels_on_grid(case, points, 0.16)
    missed = alone.label == NOT_FOUND
    np.testing.assert_array_equal(helped.label[~missed], alone.label[~missed])
    new = np.flatnonzero(missed & (helped.label == ACCESSIBLE))
    assert len(new) >= 5
    proofs_hold(case, points, helped, new)


def test_points_with_no_neighbour_in_reach_borrow_nothing() -> None:
    # the third is a cell beside the first, seen from there, and farther than it may lend
    along = [0.0, 10.0, 0.15, 50.0, 60.0, 70.0]
    points = np.column_stack([along, np.zeros(6), np.zeros(6)])
    who, lender = neighbour_postures._lenders(points, np.arange(2), np.arange(2, 6), 5)
    assert len(who) == len(lender) == 0


@pytest.mark.parametrize("high", [1.7, -2.5])
def test_what_is_reached_does_not_depend_on_how_high_the_floor_is(high: float) -> None:
    text = re.sub(
        r"at \((.*?), (.*?), (.*?)\)",
        lambda place: f"at ({place[1]}, {place[2]} + {high}, {place[3]})",
        TEXT.format(shelf=1.4),
    )
    at_zero, case = (
        study_of(art.parse(each).requests[0])[0].case("manual wheelchair")
        for each in (TEXT.format(shelf=1.4), text)
    )
    # over the counter, under the shelf and within it
    axes = [np.arange(-1.1, 0.2, 0.25), np.arange(-0.7, -0.02, 0.15), [0.95, 1.2, 1.4, 1.5]]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    higher = at_zero.room.out(points) + np.array([0.0, high, 0.0])
    found = labels_of(case, case.room.into(higher))
    same = labels_of(at_zero, points)
    assert found.label.tolist() == same.label.tolist()
    assert found.reason.tolist() == same.reason.tolist()
    reached = np.flatnonzero(found.label == ACCESSIBLE)
    assert 0 < len(reached) < len(points)
    proofs_hold(case, points, found, reached)


def test_a_forearm_is_kept_off_chair_and_pelvis_beside_which_it_hangs() -> None:
    case = study_of(document().requests[0])[0].case("manual wheelchair")
    axes = [np.arange(0.2, 1.2, 0.1), np.arange(-2.0, -0.2, 0.1), np.arange(0.1, 0.8, 0.2)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    found = labels_of(case, points)
    reached = np.flatnonzero(found.label == ACCESSIBLE)
    assert len(reached) > 100
    proofs_hold(case, points, found, reached)


CABINET = """
primitive cabinet(gap: length) {{
  properties: (fixed)
  geometry: union(
    cuboid(0.5, 0.02, 0.5) at (0, 0.01, 0), cuboid(0.5, 0.02, 0.5) at (0, 0.59, 0),
    cuboid(0.02, 0.6, 0.5) at (-0.24, 0.3, 0), cuboid(0.02, 0.6, 0.5) at (0.24, 0.3, 0),
    cuboid(0.5, 0.6, 0.02) at (0, 0.3, -0.24),
    cuboid(0.46, 0.56 - gap, 0.02) at (0, 0.3 - 0.5*gap, 0.26)
  ) where {{ foot: (0, 0, 0) }}
}}

world room"""


@pytest.mark.parametrize(("gap", "shut"), [(0.01, True), (0.1, False)])
def test_no_hand_gets_into_a_cabinet_that_is_shut(gap: float, shut: bool) -> None:
    text = TEXT.replace("world room", CABINET, 1)
    text = text.replace("door: fixed_point", f"cabinet: cabinet({gap}); door: fixed_point")
    text = text.replace("place door", "place cabinet by cabinet.foot at (0.6, 0, 0.4)\n place door")
    study = study_of(art.parse(text.format(shelf=1.4)).requests[0])[0]
    case = study.case("on foot")
    end = thread_end(case.body, "right")
    assert end == pytest.approx(0.025)
    inner = np.array([[0.6, -0.4, 0.2], [0.5, -0.3, 0.5], [0.75, -0.55, 0.1]])
    outer = np.array([[0.6, -0.4, 0.7], [0.6, -0.8, 0.3], [0.95, -0.4, 0.3], [-0.6, -0.3, 1.0]])
    found = hollows_of(study.room)
    assert len(found) == int(shut)
    for each in found:
        assert each.closed(inner, case.places, case.body.hips, end).all()
        assert not each.closed(outer, case.places, case.body.hips, end).any()
    # and a map says so of what is within, and of nothing else
    axes = [np.linspace(0.2, 1.0, 65), np.linspace(-0.8, 0.0, 65), [0.3]]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    assert len(points) >= MANY
    told = labels_of(case, points)
    hollow = told.reason == int(ReachReason.SHUT_IN)
    x, y = points[:, 0], points[:, 1]
    within = (x > 0.38) & (x < 0.82) & (y > -0.63) & (y < -0.18)
    assert hollow[within].all() if shut else not hollow.any()
    assert (told.label[hollow] == PROVED).all()
    assert not hollow[(np.abs(x - 0.6) > 0.25) | (y < -0.67) | (y > -0.15)].any()


@pytest.mark.parametrize("asked", shares(itertools.product(ROOMS, WAYS), slow=2))
def test_a_map_misses_little_that_a_search_from_drawn_places_finds(
    asked: tuple[str, str], record_property: Callable[[str, object], None]
) -> None:
    name, way = asked
    study, _, step = study_of(request_in(read(shipped(Path(name))), "reach"))
    case = study.case(way)
    points = study.room.into(grid_of(study.room, step or 0.05))
    found = labels_of(case, points)
    # every posture of the map is a proof: all are rechecked, the rest is searched for by chance
    proofs_hold(case, points, found, np.flatnonzero(found.label == ACCESSIBLE))
    drawn = np.random.default_rng(1).choice(len(points), 33_334, replace=False)
    labels = found.label[drawn]
    missed = searched(case, points[drawn[labels == NOT_FOUND]], bases=40, starts=10)[0].sum()
    for what, count in (
        ("drawn", len(drawn)), ("accessible", (labels == ACCESSIBLE).sum()),
        ("proved", (labels == PROVED).sum()), ("not found", (labels == NOT_FOUND).sum()),
        ("missed", missed), ("postures", (found.label == ACCESSIBLE).sum()),
    ):  # fmt: skip
        record_property(what, int(count))
    assert missed <= 0.001 * len(drawn)
    excluded = points[drawn[labels == PROVED]]
    assert not searched(case, excluded, bases=40, starts=10)[0].any()
