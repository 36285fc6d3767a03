"""Two recordings of one world, side by side."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art
from articulata.formats import csv

TEXT = """
primitive ball { properties: (density: 1000, restitution: 0.5); geometry: sphere(10 cm); dynamics }
primitive bar {
  properties: (density: 1000)
  geometry: cuboid(5 cm, 1, 5 cm) where { top: (0, 0.5, 0) }
  dynamics
}
world falling {
  gravity: (0, -9.81, 0)
  components { floor: ground; b: ball; post: fixed_point; a: bar }
  structure {
    place b by b.center at (0, 1.1, 0)
    place post by post.center at (3, 2, 0)
    join a to post with pin(axis: z) as h matching (top, center)
    place a by a.angle = 60 deg
  }
}
"""


@pytest.fixture(scope="module")
def ours() -> art.Recording:
    return art.simulate(art.parse(TEXT).world("falling"), until=0.8, step=0.01)


def test_a_recording_beside_itself_is_nowhere_apart(ours: art.Recording) -> None:
    found = art.beside(ours, ours)
    assert not np.any(found.distances)
    assert not np.any(found.angles)
    assert [each.body for each in found.bodies] == ["b", "a"]
    assert found.bodies[0].touched == pytest.approx((0.45152364098573095,) * 2, abs=1e-12)
    assert found.bodies[1].touched == (None, None)
    # half the ball's energy of motion goes at its impact, which the event books
    assert found.drift[0] <= 1e-9


def test_runs_with_other_steps_meet_where_both_have_frames(ours: art.Recording) -> None:
    other = art.simulate(
        art.parse(TEXT).world("falling"), until=0.6, step=0.015, method=art.RK4(1e-3)
    )
    found = art.beside(ours, other)
    assert found.times == pytest.approx(np.arange(0, 0.61, 0.03))
    assert np.max(found.distances) < 1e-6
    assert found.methods == ("DOP853", "RK4")
    back = csv.read(csv.write(found.columns()))
    assert back.names == ("time", "b.distance", "a.distance", "b.angle", "a.angle")
    assert np.array_equal(back.values[:, 1:3], found.distances)


def test_distances_and_angles_are_those_of_the_motion(ours: art.Recording) -> None:
    still = TEXT.replace("a.angle = 60 deg", "a.angle = 59 deg")
    other = art.simulate(art.parse(still).world("falling"), until=0.8, step=0.01)
    found = art.beside(ours, other)
    arm = next(each for each in found.bodies if each.body == "a")
    assert found.angles[0, 1] == pytest.approx(np.radians(1), abs=1e-12)
    assert found.distances[0, 1] == pytest.approx(np.sin(np.radians(0.5)), abs=1e-12)
    assert arm.distance == np.max(found.distances[:, 1])
    assert found.widest == arm


def test_mujoco_is_told_from_ours(ours: art.Recording) -> None:
    pytest.importorskip("mujoco")
    world = art.parse(TEXT).world("falling")
    theirs = art.simulate(world, until=0.8, step=0.01, method=art.MuJoCo(step=1e-3))
    found = art.beside(ours, theirs)
    ball, arm = found.bodies
    assert arm.distance < 1e-8
    assert ball.touched[0] == pytest.approx(0.45152364098573095, abs=1e-12)
    assert ball.touched[1] == pytest.approx(0.4515, abs=1.5e-3)
    assert ball.depth[0] == 0.0
    assert 1e-3 < ball.depth[1] < 2e-2
    assert ball.distance > 1e-3
    text = str(found).splitlines()
    assert text[0] == "DOP853 beside MuJoCo, 81 instants to t = 0.8 s"
    assert text[2].split()[0] == "b"


def test_what_cannot_be_compared_is_said(ours: art.Recording) -> None:
    other = art.parse(TEXT.replace("; b: ball", "; c: ball").replace("b by b", "c by c"))
    with pytest.raises(art.RecordingError, match="these differ in b, c"):
        art.beside(ours, art.simulate(other.world("falling"), until=0.1, step=0.01))
    late = art.simulate(art.parse(TEXT).world("falling"), until=0.007, step=0.007)
    found = art.beside(ours, late)  # the start is common
    assert found.times.tolist() == [0.0]


def test_energy_that_is_not_booked_is_no_drift() -> None:
    damped = TEXT.replace("place a by", "force brake about h = -9 N*m*s/rad * rate\n    place a by")
    world = art.parse(damped).world("falling")
    free = ("geometric", "control", "dynamic")
    one = art.simulate(world, until=0.3, step=0.01, domains=free)
    other = art.simulate(world, until=0.3, step=0.01, method=art.Symplectic(1e-3), domains=free)
    found = art.beside(one, other)
    assert found.drift[0] <= 1e-8
    assert np.isnan(found.drift[1])
    assert "Symplectic  not booked" in str(found)
