"""People on their feet at tables, blocks and basins: where they stand, and what they reach there.

Feet are set freely by ``reach_checks``, which shares no code with the search.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
import shapely

import articulata as art
from articulata.analyses.reach.one_person.body import Capability
from articulata.analyses.reach.points.labelling import labels_alone, labels_of
from articulata.analyses.reach.points.search import Case
from articulata.analyses.reach.points.surface_shares import reached_from
from articulata.analyses.reach.study import Reacher, Study
from articulata.records.reach_shares import ACCESSIBLE, NOT_FOUND, PROVED
from articulata.world.requests.ways_to_move import Means
from reach_checks import Feet, check_postures, searched, stand

Array = np.ndarray

THINGS = {
    "table": "cuboid(4, 0.03, 0.8) at (0, 0.735, 0)",
    "block": "cuboid(4, 0.75, 0.8) at (0, 0.375, 0)",
    "kick": "union(cuboid(4, 0.65, 0.8) at (0, 0.425, 0), cuboid(4, 0.1, 0.75) at (0, 0.05, "
    "-0.025))",
    "counter": "cuboid(4, 0.9, 0.8) at (0, 0.45, 0)",
    "basin": "cuboid(0.6, 0.2, 0.8) at (0, 0.75, 0)",
}
"""Things 0.8 m deep, all but the basin as wide as the room: their front is at y -0.8 of G."""

ON_FOOT = art.OnFoot()

TEXT = """
units: metre

primitive slab {{ properties: (fixed); geometry: cuboid(4, 0.1, 4) }}
primitive wall {{ properties: (fixed); geometry: cuboid(4, 2.4, 0.1) }}
primitive thing {{ properties: (fixed); geometry: {shape} where {{ foot: (0, 0, 0) }} }}

world room {{
  gravity: (0, -9.81, 0)
  components {{ floor: slab; back: wall; thing: thing }}
  structure {{
    place floor by floor.center at (0, -0.05, 2)
    place back by back.center at (0, 1.2, -{wall} - 0.05)
    place thing by thing.foot at (0, 0, 0.4)
  }}
}}
"""


@lru_cache(maxsize=8)
def case_of(
    thing: str, way: Means = ON_FOOT, stiff: bool = False, wall: float = 0.0, **person: float
) -> Case:
    """Return a person at a thing; who is ``stiff`` moves the arms straight ahead alone."""
    text = TEXT.format(shape=THINGS.get(thing, thing), wall=wall)
    figure = art.figure("person", **person)
    held = [n for n in figure.names if n.startswith(("vl3", "vt6")) or "shoulder_abd" in n]
    straight = Capability(lean=0.0, limits=dict.fromkeys(held, (-0.01, 0.01)))
    reacher = Reacher(figure, way, straight if stiff else Capability())
    study = Study(art.parse(text).world("room"), [reacher])
    return study.case(study.names[0])


def nearest(case: Case) -> float:
    """Return how far ahead of the hips the front edge is at least, looking at it."""
    area = case.places.of_turn(0.5 * np.pi)
    within = area.intersection(shapely.box(-0.05, -4.0, 0.05, 0.0))
    return -0.8 - float(within.bounds[3])


def closest(case: Case, feet: Feet) -> float:
    """Return the same by feet that are set freely, to 1 mm."""
    away = np.arange(0.0, 0.4, 0.001)
    bases = np.column_stack([0.0 * away, -0.8 - away, 0.0 * away + 0.5 * np.pi])
    return float(away[stand(case, bases, feet)].min())


def test_a_table_a_block_and_a_kick_plate_let_people_come_as_near_as_their_bodies_do() -> None:
    cases = {thing: case_of(thing, height=1.75) for thing in THINGS}
    away = {thing: nearest(case) for thing, case in cases.items()}
    # 5 cm behind the hips and 30 deg out: sin 60 of 20.3 cm, and half of the toe's width of 3.2 cm
    assert away["block"] == pytest.approx(0.203 * 0.866 + 0.016 * 0.5 - 0.05, abs=0.003)
    # a thigh is 9.5 cm thick to the front, and a shin stands back with its foot
    assert away["table"] == pytest.approx(0.0955, abs=0.005)
    # feet that are turned out or set back stand below the edge as well, others do not
    assert away["kick"] == pytest.approx(away["table"], abs=0.004)
    areas = [sum(each.area for each in cases[t].places.free) for t in ("block", "kick", "table")]
    assert areas[0] < areas[1] - 0.1
    assert areas[1] < areas[2]
    # the belly is 11.1 cm thick to the front
    assert away["basin"] == pytest.approx(0.111, abs=0.003)
    for thing in ("table", "block", "kick"):
        free = closest(cases[thing], Feet.at_ease(200))
        assert free - 0.001 <= away[thing] <= free + 0.025


@pytest.mark.parametrize("thing", ["table", "block", "kick"])
def test_nobody_is_proved_away_from_where_feet_can_stand(thing: str) -> None:
    case = case_of(thing, height=1.62)
    rng = np.random.default_rng(3)
    bases = rng.uniform((-1.2, -1.1, -np.pi), (1.2, -0.1, np.pi), (4000, 3))
    stands = stand(case, bases, Feet.anyhow(60))
    anywhere = shapely.contains_xy(case.places.anywhere, bases[:, 0], bases[:, 1])
    assert 100 < stands.sum() < 3900
    assert not (stands & ~anywhere).any()
    # and where people are said to stand feet have room
    for turn, area in zip(case.places.turns, case.places.free, strict=True):
        some = bases[shapely.contains_xy(area, bases[:, 0], bases[:, 1])]
        some[:, 2] = turn
        assert stand(case, some).all()


def test_a_walker_stands_before_a_block_and_before_a_basin() -> None:
    away = [nearest(case_of(thing, art.Walker(), height=1.75)) for thing in ("block", "basin")]
    # its front is 24 cm ahead of the hips, and as high as a basin
    assert away == pytest.approx([0.24, 0.24], abs=0.02)


def test_more_is_reached_over_a_table_than_over_a_block() -> None:
    axes = [np.array([-0.3, 0.0, 0.3]), np.arange(-0.79, 0.0, 0.01), [1.0]]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    deepest = {}
    for thing in ("table", "block"):
        found = labels_of(case_of(thing, height=1.5, stiff=True), points)
        deepest[thing] = float(points[found.label == ACCESSIBLE, 1].max())
    # thighs of 9.7 cm against toes that are turned out and set back, 11.8 cm
    assert deepest["table"] - deepest["block"] == pytest.approx(0.021, abs=0.011)


def test_the_corner_behind_an_l_shaped_desk_is_reached_by_who_leans_on_its_edge() -> None:
    woman: dict[str, float] = {"height": 1.62, "sex": 1.0}
    point = np.array([[-1.95, -0.05, 0.76]])
    far = float(case_of("table", **woman).envelope.farthest(point[0, 2:])[0])
    # from a circle of 25 cm in the inner corner 2 mm are missing
    d = (far + 0.002) / np.sqrt(2.0) - 0.25 + 0.05
    desk = (
        f"union(cuboid(4, 0.03, {d}) at (0, 0.735, {0.5 * d - 0.4}), cuboid({d}, 0.03, {3.0 - d}) "
        f"at ({0.5 * d - 2.0}, 0.735, {0.5 * (3.0 + d) - 0.4}))"
    )
    case = case_of(desk, **woman)
    found = labels_alone(case, point)
    assert found.label[0] == ACCESSIBLE
    worst = check_postures(case, point, case.whole(found, np.array([0])), found.hand)
    assert worst["miss"] <= 1.1e-3
    assert worst["deep"] < 2e-3
    assert worst["shut"] == 0


@pytest.mark.parametrize(
    ("sex", "height", "mean", "spread"), [(0.0, 1.755, 0.425, 0.048), (1.0, 1.63, 0.371, 0.056)]
)
def test_reach_over_a_table_is_near_to_what_was_measured(
    sex: float, height: float, mean: float, spread: float
) -> None:
    """Beyond arm's length people of 20 to 40 years reach so far: Duncan et al. 1990, table 2.

    J. Gerontol. 45(6) M192-M197. They stand on both feet, and raise the arm at shoulder height.
    """
    case = case_of("table", wall=2.0, height=height, sex=sex)
    figure, q = case.body.figure, case.body.resting.copy()
    q[figure.names.index("r_shoulder_flexion")] = 0.5 * np.pi
    arm = figure.landmark(q, "r_middle_distal_tip")[:3, 3]
    z = float(figure.landmark(q, "r_shoulder")[2, 3])
    edge = nearest(case)
    points = np.column_stack([np.full(90, 0.17), -0.8 + np.arange(0.6, 1.5, 0.01), np.full(90, z)])
    base = np.array([0.0, -0.8 - edge - 1e-6, 0.5 * np.pi])
    reached = [point for point in points if reached_from(case, base, point) is not None]
    beyond = max(point[1] for point in reached) - base[1] - arm[0]
    # hips that lean by 60 deg and all of the spine reach farther: 10 cm, two standard deviations
    assert beyond - mean == pytest.approx(0.10, abs=0.03)
    assert beyond - mean < 2.5 * spread


def agrees(thing: str, height: float, sex: float, count: int, seed: int) -> tuple[int, int]:
    """Recheck labels of points about a thing; return how many were missed, and of how many."""
    case = case_of(thing, height=height, sex=sex)
    rng = np.random.default_rng(seed)
    points = rng.uniform((-0.9, -1.0, 0.0), (0.9, -0.03, 0.0), (20 * count, 3))
    points[:, 2] = rng.choice([0.12, 0.4, 0.78, 0.95, 1.5, 1.85], len(points))
    found = labels_of(case, points)
    reached = np.flatnonzero(found.label == ACCESSIBLE)
    worst = check_postures(case, points[reached], case.whole(found, reached), found.hand[reached])
    assert worst["miss"] <= 1.1e-3
    assert worst["beyond"] <= 1e-9
    assert worst["deep"] < 2e-3
    assert worst["shut"] == 0
    proved = np.flatnonzero(found.label == PROVED)[:count]

    def anyhow(bases: Array) -> Array:
        return stand(case, bases, Feet.anyhow(12, seed))

    def at_ease(bases: Array) -> Array:
        return stand(case, bases, Feet.at_ease())

    assert not searched(case, points[proved], bases=10, starts=4, stands=anyhow)[0].any()
    missed = np.flatnonzero(found.label == NOT_FOUND)[:count]
    return int(searched(case, points[missed], bases=10, starts=4, stands=at_ease)[0].sum()), len(
        points
    )


@pytest.mark.parametrize(("thing", "height"), [("table", 1.62), ("kick", 1.95)])
def test_labels_agree_with_a_search_that_sets_feet_freely(thing: str, height: float) -> None:
    missed, _ = agrees(thing, height, 0.5, 8, 1)
    assert missed <= 1


@pytest.mark.slow
@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize("height", [1.45, 1.6, 1.78, 1.95])
def test_labels_at_furniture_agree_for_people_of_all_statures(thing: str, height: float) -> None:
    missed, count = agrees(thing, height, float(height < 1.7), 100, 2)
    assert missed <= 0.002 * count
