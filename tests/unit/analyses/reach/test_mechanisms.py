"""What moves on a hinge: how far it goes, and what it strikes, told to half a millimetre."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art
from articulata.analyses.reach.surroundings.mechanisms import Mechanism, mechanism_of
from articulata.analyses.reach.surroundings.room import room_of

TEXT = """
primitive block(w: length, h: length, d: length) {{
  properties: (fixed)
  geometry: cuboid(w, h, d) where {{ front: (0, 0, 0.5*d); side: (0.5*w, 0, 0) }}
}}
primitive panel {{
  properties: (fixed)
  geometry: cuboid(50 cm, 20 cm, 2 cm) where {{ back: (0, 0, -1 cm); handle: (0, 11 cm, 1 cm) }}
}}
primitive swing {{
  properties: (fixed)
  geometry: cuboid(60 cm, 1.8 m, 4 cm) where {{ edge: (-30 cm, 0, 0); handle: (28 cm, 0, 4 cm) }}
}}
world room {{
  gravity: (0, -9.81, 0)
  components {{
    floor: block(4 m, 10 cm, 4 m)
    case: block(50 cm, 20 cm, 40 cm)
    post, jamb: block(10 cm, 2 m, 10 cm)
    drawer: panel
    leaf: swing
    {others}
  }}
  structure {{
    place floor by floor.center at (0, -5 cm, 0)
    place case by case.front at (0, 70 cm, -1 m)
    place drawer by drawer.back at (0, 70 cm, -1 m)
    join drawer to case with slider(axis: z) as rail matching (back, front) limits (0, 40 cm)
    place post by post.side at (1 m, 1 m, 0)
    place leaf by leaf.edge at (1 m, 1 m, 0)
    place jamb by jamb.center at (1.65 m, 1 m, 0)
    join leaf to post with pin(axis: y) as pin matching (edge, side) limits (-90 deg, 0)
    {places}
  }}
}}
"""


def mechanism(path: str, **others: str) -> Mechanism:
    """Return what moves where others, 20 cm deep, 30 cm wide and 1 m high, stand at places."""
    text = TEXT.format(
        others="; ".join(f"{name}: block(30 cm, 1 m, 20 cm)" for name in others),
        places="\n".join(f"place {name} by {name}.center at {at}" for name, at in others.items()),
    )
    return mechanism_of(room_of(art.parse(text).world("room")), path)


@pytest.mark.parametrize("gap", [-0.5, 0.0, 0.5, 1.5, 50.0, 100.0, 113.0])
def test_a_drawer_goes_as_far_as_what_stands_before_it(gap: float) -> None:
    # the drawer's front is 2 cm before z = -1 m; what touches it at first gives way by 1 mm
    found = mechanism("drawer.handle", box=f"(0, 50 cm, -88 cm + {gap} mm)")
    assert found.struck == "box"
    goes = 1e-3 * max(gap, 0.0) + (1e-3 if gap < 1.0 else 0.0)
    assert 0.4 * found.free == pytest.approx(goes, abs=6e-4)
    assert found.values[found.last] <= 0.4 * found.free + 1e-9


def test_what_is_touched_where_the_way_ends_is_not_struck() -> None:
    found = mechanism("drawer.handle", box="(0, 50 cm, -48 cm)")
    assert (found.free, found.struck, found.last) == (1.0, "", len(found.values) - 1)


@pytest.mark.parametrize("into", [0.0, 5.0])
def test_a_drawer_slides_along_what_touches_it_at_first(into: float) -> None:
    # beside the drawer, flush or 5 mm within it; it passes both and never comes deeper
    found = mechanism("drawer.handle", left=f"(-40 cm + {into} mm, 50 cm, -90 cm)")
    assert (found.free, found.struck) == (1.0, "")


@pytest.mark.parametrize(("gap", "struck"), [(0.5, ""), (50.0, "box")])
def test_a_drawer_goes_into_what_carries_it_and_touches_it_at_first(
    gap: float, struck: str
) -> None:
    # the box before the drawer, 0.5 mm away or 5 cm, is welded to the case it slides on
    weld = "join box to case with weld as held matching (center, center)"
    found = mechanism("drawer.handle", box=f"(0, 50 cm, -88 cm + {gap} mm)\n{weld}")
    assert found.struck == struck


def test_a_leaf_turns_in_its_frame_and_not_into_a_bin_that_leans_on_it() -> None:
    free = mechanism("leaf.handle")
    # its corners at the jamb, 60 cm away and 2 cm off the pin's plane, come 0.3 mm deeper
    assert (free.free, free.struck) == (1.0, "")
    bin_ahead = mechanism("leaf.handle", bin="(1.45 m, 50 cm, 12.05 cm)")
    bin_behind = mechanism("leaf.handle", bin="(1.45 m, 50 cm, -12.05 cm)")
    struck = [each for each in (bin_ahead, bin_behind) if each.struck]
    # it turns one way: the bin on that side is struck, the other is left behind
    assert [each.struck for each in struck] == ["bin"]
    assert np.degrees(struck[0].free * np.ptp(struck[0].values)) < 0.3


@pytest.mark.parametrize(
    ("placed", "limits", "way"),
    [
        (45, (0, 90), (45, 0)),
        (200, (0, 220), (200, 0)),
        (270, (180, 300), (270, 180)),
        (-200, (-220, 10), (-200, 10)),
        (190, (100, 190), (190, 100)),
        (-30, (0, 90), (-30, 90)),
        (20, (-360, 360), (20, -360)),
    ],
)
def test_a_leaf_that_stands_open_beyond_half_a_turn_goes_the_way_its_limits_allow(
    placed: int, limits: tuple[int, int], way: tuple[int, int]
) -> None:
    text = TEXT.format(others="", places="")
    text = text.replace(
        "leaf.edge at (1 m, 1 m, 0)", f"leaf.edge at (1 m, 1 m, 0) turned {placed} deg about y"
    ).replace("(-90 deg, 0)", "({} deg, {} deg)".format(*limits))
    found = mechanism_of(room_of(art.parse(text).world("room")), "leaf.handle")
    np.testing.assert_allclose(np.degrees(found.values[[0, -1]]), way, atol=1e-6)
