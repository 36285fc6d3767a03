"""Quantities of bodies with mass, and of two things at once."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import articulata as art
from articulata.sessions.command_fields import SimulateAsked
from articulata.sessions.simulation import simulate_file

TEXT = """
primitive brick {
  properties: (density: 1000, friction: 0.5)
  geometry: cuboid(20 cm, 10 cm, 20 cm) where { tip: (10 cm, 5 cm, 0) }
  dynamics
}
world w {
  gravity: (0, -9.81, 0)
  components { floor: ground; low, far: brick }
  structure {
    place low by low.center at (0, 5 cm, 0)
    place far by far.center at (1, 1, 0) velocity = ((0.3, 0, 0) (0.5, 2, 1))
  }
}
"""


@pytest.fixture(scope="module")
def recording() -> art.Recording:
    return art.simulate(art.parse(TEXT).world("w"), until=0.3, step=0.05)


def test_energies_and_momenta_of_bodies_sum_to_those_of_the_world(recording) -> None:
    energy = recording.series("low.energy") + recording.series("far.energy")
    assert energy == pytest.approx(recording.series("energy.total"), rel=1e-13)
    momentum = recording.series("low.momentum") + recording.series("far.momentum")
    assert momentum == pytest.approx(recording.series("momentum"), abs=1e-14)
    assert recording.series("far.momentum.x") == pytest.approx(4.0 * 0.3)
    with pytest.raises(art.NameNotFound, match="'floor' has no mass"):
        recording.series("floor.energy")


def test_position_is_the_centre(recording) -> None:
    assert np.array_equal(recording.series("far.position"), recording.series("far.center"))


def test_moment_of_momentum_of_the_world_has_three_parts(recording) -> None:
    turning = recording.series("angular_momentum")
    assert turning.shape == (len(recording.times), 3)
    assert np.array_equal(turning[:, 2], recording.series("angular_momentum.z"))


def test_distance_of_two_points(recording) -> None:
    expected = np.linalg.norm(recording.series("far.tip") - recording.series("low.center"), axis=1)
    assert np.array_equal(recording.series("far.tip to low.center"), expected)
    assert recording.quantity("far.tip to low.center").unit == "m"
    with pytest.raises(art.NameNotFound, match="no point"):
        recording.series("far.v to low.center")


def test_touching_and_the_force_of_it_from_either_side(recording) -> None:
    assert np.all(recording.series("low touches floor") == 1.0)
    assert np.all(recording.series("floor touches low") == 1.0)
    assert np.all(recording.series("low touches far") == 0.0)
    weight = recording.series("low from floor")
    assert weight == pytest.approx(np.tile([0.0, 4.0 * 9.81, 0.0], (len(weight), 1)), abs=1e-9)
    assert np.array_equal(recording.series("floor from low"), -weight)
    with pytest.raises(art.NameNotFound, match="one body twice"):
        recording.series("low touches low")
    with pytest.raises(art.NameNotFound, match="has no 'lov'"):
        recording.series("lov touches low")


def test_clearance_of_two_bodies_in_a_recording_and_for_controllers() -> None:
    text = (
        TEXT.replace("components {", "components { hook: fixed_point;")
        .replace("place far by far.center at (1, 1, 0) velocity", "place hook by hook.center")
        .replace(" = ((0.3, 0, 0) (0.5, 2, 1))", " at (1, 1, 0)")
        .replace("structure {", "structure {\n    join far to hook with pin(axis: z) as pin "
                 "matching (center, center) driven by f")
    )  # fmt: skip
    seen: list[float] = []

    def f(t: float, sensed: object) -> float:
        seen.append(sensed.value("far to floor"))
        return 0.1

    recording = art.simulate(art.parse(text).world("w"), until=0.2, step=0.05, controllers={"f": f})
    apart = art.clearance(recording, "far", "floor")
    # the lowest corner of a brick of 20 x 10 cm turned by an angle about its centre at 1 m
    turn = np.abs(recording.series("pin.angle"))
    assert apart == pytest.approx(1.0 - 0.1 * np.sin(turn) - 0.05 * np.cos(turn), abs=1e-12)
    assert set(seen) <= set(apart)
    assert np.all(np.abs(art.clearance(recording, "low", "floor")) < 1e-9)
    with pytest.raises(art.NameNotFound, match="has no 'fare'"):
        art.clearance(recording, "fare", "floor")


def test_a_body_has_the_energy_of_the_gravity_and_the_mass_of_the_time() -> None:
    """After an edit the gravity of that world counts; a body that is gone has no energy."""
    text = """
    primitive ball { properties: (density: 1000); geometry: sphere(10 cm); dynamics }
    world w {
      gravity: (0, -10, 0)
      components { a, b: ball }
      structure { place a by a.center at (0, 5, 0); place b by b.center at (2, 5, 0) }
    }
    simulate w {
      time: (0.1 s, 0.4 s)
      on time 0.2 s: set gravity = (0, -2, 0)
      on time 0.3 s: remove b
    }
    """
    recording = art.simulate(art.parse(text).requests[0])
    mass = 1000 * 4 / 3 * np.pi * 1e-3
    energy = recording.series("a.energy")
    y, v = recording.series("a.center.y"), recording.series("a.v.y")
    g = np.array([2.0 if segment.version else 10.0 for segment in recording.segments
                  for _ in segment.times])  # fmt: skip
    np.testing.assert_allclose(energy, mass * (0.5 * v**2 + g * y), rtol=1e-12)
    both = energy + recording.series("b.energy")
    there = recording.times < 0.3
    np.testing.assert_allclose(both[there], recording.series("energy.total")[there], rtol=1e-12)
    assert np.isnan(both[-1])


def test_a_body_that_is_added_touches_from_then_on(tmp_path) -> None:
    request = """simulate w { time: (50 ms, 200 ms)
      report: monitor new touches floor, monitor later.center
      on time 100 ms: add new: brick by new.center at (3 m, 5 cm, 0)
      on time 9 s: add later: brick by later.center at (5 m, 5 cm, 0)
    }"""
    (tmp_path / "w.art").write_text(TEXT + request)
    said: list[str] = []
    listener = SimpleNamespace(simulating=lambda *_: None, writing=lambda *_: None, say=said.append)
    result = simulate_file(SimulateAsked(tmp_path / "w.art", out=tmp_path / "out"), listener)
    touching = result.recording.series("new touches floor")
    before = result.recording.times < 0.1
    assert np.all(np.isnan(touching[before]))
    assert np.all(touching[result.recording.times > 0.1] == 1.0)
    assert (tmp_path / "out" / "monitor-new_touches_floor.csv").is_file()
    assert "monitor later.center: no clause has added it; no file" in said
    assert (tmp_path / "out" / "provenance.json").is_file()
