"""Where contacts press: recorded point by point."""

from __future__ import annotations

import numpy as np

import articulata as art

SHELF = """
primitive box { properties: (density: 1000); geometry: cuboid(0.2, 0.1, 0.4); dynamics }
primitive ball { properties: (density: 1000); geometry: sphere(10 cm); dynamics }
world shelf {
  gravity: (0, -10, 0)
  components { floor: ground; box: box; ball: ball }
  structure {
    place box by box.center at (0, 0.05, 0)
    place ball by ball.center at (2, 1.1, 0)
  }
}
"""


def test_the_corners_of_a_resting_box_carry_its_weight() -> None:
    recording = art.simulate(art.parse(SHELF).world("shelf"), until=0.2, step=0.1)
    points = recording.array("dynamic.contact_point")[-1]
    forces = recording.array("dynamic.contact_point_force")[-1]
    there = ~np.isnan(points[:, 0])
    assert there.sum() == 4
    assert {tuple(point) for point in points[there].round(9) + 0.0} == {
        (x, 0.0, z) for x in (-0.1, 0.1) for z in (-0.2, 0.2)
    }
    # the force is on one of the two bodies: the box or the floor
    np.testing.assert_allclose(np.abs(forces[there].sum(axis=0)), (0, 80, 0), atol=1e-9)
    np.testing.assert_array_equal(np.isnan(points), np.isnan(forces))


def test_every_frame_has_as_many_rows() -> None:
    recording = art.simulate(art.parse(SHELF).world("shelf"), until=0.6, step=0.1)
    assert recording.array("dynamic.contact_point").shape == (7, 24, 3)
    falling = ~np.isnan(recording.series("dynamic.contact_point.5.x"))
    assert falling.tolist() == [False] * 5 + [True] * 2  # the ball lands after 0.447 s
