"""A door between two rooms of one floor: the way begins at both its sides."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

import articulata as art
from articulata.analyses.reach.reach_question import study_of
from articulata.analyses.reach.study import Study

TEXT = """
units: metre

primitive block(w: length, h: length, d: length) {{
  properties: (fixed)
  geometry: cuboid(w, h, d) where {{ front: (0, 0.5*h + 0.01, 0.5*d - 0.02) }}
}}

world home {{
  gravity: (0, -9.81, 0)
  components {{
    floor: block(4, 0.1, 3); left, right: block(0.1, 2.4, 3); back, front: block(4.2, 2.4, 0.1)
    near, far: block({wall}, 2.4, 0.1); side: block(0.1, 2.4, 1.45); closet: block(1, 2.4, 0.1)
    east: block(0.4, 0.8, 0.4)
    outer, inner: fixed_point
  }}
  structure {{
    place floor by floor.center at (2, -0.05, 1.5)
    place left by left.center at (-0.05, 1.2, 1.5)
    place right by right.center at (4.05, 1.2, 1.5)
    place back by back.center at (2, 1.2, -0.05)
    place front by front.center at (2, 1.2, 3.05)
    place near by near.center at (2, 1.2, {one}) turned 90 deg about y
    place far by far.center at (2, 1.2, {other}) turned 90 deg about y
    place side by side.center at (3.05, 1.2, 2.275)
    place closet by closet.center at (2.55, 1.2, 2.05)
    place east by east.center at (3.7, 0.4, 0.3)
    place inner by inner.center at (2, 0, 1.5)
    place outer by outer.center at (0, 0, 1.5)
  }}
}}

reach home {{
  person: human_upper_body on foot, human_upper_body on wheelchair
  objects: east.front
  approach: from {door}
}}
"""


def study(door: str, opening: float) -> Study:
    wall = 1.5 - 0.5 * opening
    text = TEXT.format(wall=wall, one=0.5 * wall, other=3.0 - 0.5 * wall, door=door)
    return study_of(art.parse(text).requests[0])[0]


def floor_at(made: Study, who: str, x: float, z: float) -> tuple[bool, bool]:
    """Return whether somebody surely stands at a place of the floor, and whether perhaps."""
    places = made.case(who).places
    at = shapely.Point(*made.room.into(np.array([x, 0.0, z]))[:2])
    return bool(places.all_free.covers(at)), bool(places.anywhere.covers(at))


@pytest.mark.parametrize("opening", [1.0, 0.5])
def test_both_rooms_of_an_inner_door_are_come_into(opening: float) -> None:
    # a chair has no room in an opening of 0.5 m, and may be at either side of it
    made = study("inner", opening)
    for who in made.names:
        assert floor_at(made, who, 1.0, 1.5) == (True, True)
        assert floor_at(made, who, 3.0, 0.9) == (True, True)
    # the closet is near the door, and no way leads into it
    assert floor_at(made, "on foot", 2.5, 2.5) == (False, False)
    (note,) = (each for each in made.notes() if "within the floor" in each)
    assert note.startswith("the door is within the floor, not at its edge: the way begins at both")


def test_nobody_comes_through_the_wall_at_the_edge_of_the_floor() -> None:
    made = study("outer", 1.0)
    assert made.case("manual wheelchair").places.shut
    assert not [each for each in made.notes() if "within the floor" in each]
