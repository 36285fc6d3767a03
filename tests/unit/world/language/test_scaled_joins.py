"""``scaled k`` enlarges all lengths of a composite: also those of its joins."""

from __future__ import annotations

import pytest

import articulata as art
from articulata.errors import ArticulataError
from articulata.world.hinges import CylinderSurface
from articulata.world.writing.worlds import art_text

TEXT = """
primitive bar {
  properties: (density: 500)
  geometry: cuboid(1 m, 5 cm, 5 cm) where { near: (-50 cm, 0, 0); far: (50 cm, 0, 0) }
  dynamics
}
hinge on_a_tube(radius: length) {
  point (1 cm, 0, 0) of first on cylinder((0, 2 cm, 0), z, radius) of second
}
composite machine {
  components { base, a, b, c, d: bar }
  structure {
    join a to base with slider(axis: x) as s limits (-10 cm, 20 cm) matching (near, far)
    join b to base with screw(axis: x, lead: 3 mm) as turn limits (0 deg, 90 deg)
      matching (near, near)
    join c to base with spring(stiffness: 100 N/m, length: 40 cm) as coil matching (near, far)
    join d to base with on_a_tube(radius: 5 cm) as tube matching (near, near)
  }
}
world w {
  components { m: machine SCALE }
  structure { place m by m.s.travel = TRAVEL; }
}
"""


def made(scale: str, travel: str) -> art.World:
    text = TEXT.replace("SCALE", scale).replace("TRAVEL", travel)
    return art.parse(text.replace("place m by m.s.travel = 0 m; ", "")).world("w")


def test_limits_of_travels_leads_and_springs_are_scaled() -> None:
    world = made("scaled 2", "0 m")
    assert world.hinges["m.s"].limits == ((-0.2, 0.4),)
    assert dict(world.hinges["m.turn"].kind.parameters)["lead"] == pytest.approx(0.006)
    ((low, high),) = world.hinges["m.turn"].limits
    assert (low, high) == pytest.approx((0.0, 1.5707963267948966))
    assert ("push", 0.8) in world.forces["m.coil"].program
    assert ("push", 100.0) in world.forces["m.coil"].program
    (row,) = world.hinges["m.tube"].kind.rows
    assert row.point == pytest.approx((0.02, 0.0, 0.0))
    assert isinstance(row.surface, CylinderSurface)
    assert row.surface.radius == pytest.approx(0.1)
    assert row.surface.point == pytest.approx((0.0, 0.04, 0.0))


def test_a_scaled_world_is_written_and_read_again() -> None:
    world = made("scaled 2", "0 m")
    assert art.parse(art_text(world)).world("w").hinges == world.hinges


@pytest.mark.parametrize("word", ["spring(stiffness: 100 N/m)", "damper(damping: 3 N*s/m)"])
@pytest.mark.parametrize(
    ("clause", "says"),
    [("breaks at 25 N", "never breaks"), ("driven by push", "no coordinate to drive")],
)
def test_a_force_takes_no_clause_of_a_hinge(word: str, clause: str, says: str) -> None:
    text = TEXT.replace("SCALE", "").replace("place m by m.s.travel = TRAVEL; ", "")
    text = text.replace("spring(stiffness: 100 N/m, length: 40 cm) as coil", f"{word} as coil")
    text = text.replace("as coil matching (near, far)", f"as coil matching (near, far) {clause}")
    with pytest.raises(ArticulataError, match=says):
        art.parse(text).world("w")
