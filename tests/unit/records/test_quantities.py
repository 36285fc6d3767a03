"""Paths of a recording: points move with their bodies, channels are read, units are known."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import articulata as art
import recorded
from articulata.errors import NameNotFound, RecordingError
from articulata.records.header import Header
from articulata.records.recorder import Recorder
from articulata.records.recording import Recording
from articulata.records.state import Channel, Frame
from articulata.world.model import FeatureRef, Force, frozen


@pytest.fixture(scope="module")
def swing() -> Recording:
    return recorded.swing(2001)


def angle(t: np.ndarray) -> np.ndarray:
    return np.sin(2 * t)


def test_a_point_moves_with_its_body(swing: Recording) -> None:
    th = angle(swing.times)
    bottom = swing.series("p.rod[3].bottom")
    assert bottom.shape == (2001, 3)
    expected = np.stack([3 * np.sin(th), 2 - 3 * np.cos(th), 0 * th], axis=1)
    assert np.abs(bottom - expected).max() < 1e-14
    assert swing.unit("p.rod[3].bottom") == "m"
    assert np.array_equal(swing.series("rod[3].bottom.y"), bottom[:, 1])
    assert np.abs(swing.series("rod[3].center") - swing.series("rod[3].mass_center")).max() < 1e-14


def test_velocity_and_acceleration_of_a_point_are_its_derivatives(swing: Recording) -> None:
    t = swing.times
    for path in ("rod[2].top", "rod[3].bottom", "rod[1].center"):
        p, v, a = (swing.series(path + end) for end in ("", ".v", ".a"))
        inner = slice(2, -2)
        fourth = (p[:-4] - 8 * p[1:-3] + 8 * p[3:-1] - p[4:]) / (12 * (t[1] - t[0]))
        assert np.abs(v[inner] - fourth).max() < 2e-3
        fourth = (v[:-4] - 8 * v[1:-3] + 8 * v[3:-1] - v[4:]) / (12 * (t[1] - t[0]))
        assert np.abs(a[inner] - fourth).max() < 2e-2
    assert (swing.unit("rod[2].top.v"), swing.unit("rod[2].top.a")) == ("m/s", "m/s^2")


def test_quantities_of_bodies_hinges_and_the_world(swing: Recording) -> None:
    t = swing.times
    assert np.array_equal(swing.series("rod[2].w.z"), 2 * np.array([math.cos(2 * x) for x in t]))
    assert swing.unit("rod[2].w.z") == "rad/s"
    assert swing.unit("rod[2].alpha") == "rad/s^2"
    assert swing.series("rod[2].orientation").shape == (2001, 4)
    assert np.abs(swing.series("p.rod_anchor.angle") - angle(t)).max() < 1e-14
    assert np.array_equal(swing.series("rod[1].angle"), swing.series("rod_anchor.angle"))
    assert swing.unit("rod_anchor.angle") == "rad"
    assert swing.unit("rod_anchor.rate") == "rad/s"
    force = swing.series("h2_1.force")
    assert force.shape == (2001, 3)
    assert np.array_equal(force[:, 1], 7 + t)
    assert np.array_equal(swing.series("h2_1.moment.z"), 11 + t)
    assert (swing.unit("h2_1.force"), swing.unit("h2_1.moment")) == ("N", "N m")
    assert np.array_equal(swing.series("energy"), swing.series("energy.total"))
    assert swing.unit("energy.kinetic") == "J"
    assert np.array_equal(swing.series("time"), t)
    assert swing.series("momentum").shape == (2001, 3)
    assert swing.unit("momentum.x") == "N s"


def test_channels_are_read_by_their_own_names(swing: Recording) -> None:
    energy = swing.quantity("dynamic.energy")
    assert energy.parts == ("kinetic", "potential", "elastic", "total")
    assert energy.values.shape == (2001, 4)
    rate = swing.quantity("dynamic.rate.p.rod[2].z")
    assert np.array_equal(rate.values, swing.series("rod[2].w.z"))
    assert rate.unit == "rad/s"
    row = swing.quantity("dynamic.position.p.rod[1]")
    assert row.names == tuple(f"dynamic.position.p.rod[1].{axis}" for axis in "xyz")


def test_channels_of_a_domain_nobody_has_are_read_too() -> None:
    recorder = Recorder(Header(recorded.chain()))
    recorder.layout([Channel("electrical.current", "A", ("coil.left", "coil.right"))])
    recorder.frame(Frame(0.0, {"electrical.current": np.array([1.5, 2.5])}))
    recording = recorder.recording()
    assert recording.series("electrical.current.coil.right").tolist() == [2.5]
    assert recording.unit("electrical.current") == "A"


def test_a_kinematic_run_has_velocities_of_points_too() -> None:
    world = recorded.chain()
    recorder = Recorder(Header(world))
    pose = Channel(
        "geometric.pose", "m, 1", tuple(world.bodies), ("x", "y", "z", "w", "a", "b", "c")
    )
    velocity = Channel("geometric.velocity", "m/s, rad/s", tuple(world.bodies))
    recorder.layout([pose, velocity])
    for number in range(5):
        frame = recorded.frame(world, 0.1 * number)
        arrays = frame.arrays
        both = np.hstack([arrays["dynamic.velocity"], arrays["dynamic.rate"]])
        recorder.frame(
            Frame(
                frame.time, {"geometric.pose": arrays["geometric.pose"], "geometric.velocity": both}
            )
        )
    full = recorded.swing(2001)
    recording = recorder.recording()
    for path in ("rod[3].bottom.v", "rod[3].v", "rod[2].w"):
        expected = full.series(path)[[0, 2, 4, 6, 8]]
        assert np.abs(recording.series(path) - expected).max() < 1e-14
    with pytest.raises(RecordingError, match=r"was not recorded.*geometric\.pose"):
        recording.series("h2_1.force")


def test_distance_and_speed_of_a_force_between_features() -> None:
    world = recorded.chain()
    ends = (FeatureRef("p.rod[1]", "center"), FeatureRef("p.rod[3]", "bottom"))
    world = replace(
        world, forces=frozen({"p.spring": Force("p.spring", "between", ends, None, ())})
    )
    recorder = Recorder(Header(world))
    recorded.record(recorder, world, 5)
    recording = recorder.recording()
    assert np.abs(recording.series("spring.distance") - 2.5).max() < 1e-14
    assert np.abs(recording.series("spring.speed")).max() < 1e-13


def test_a_body_that_is_removed_gives_nan_from_then_on() -> None:
    world = recorded.chain()
    recorder = Recorder(Header(world))
    recorder.layout(recorded.channels(world))
    recorder.frame(recorded.frame(world, 0.0))
    fewer = recorded.chain(2)
    recorder.layout(recorded.channels(fewer))
    recorder.frame(recorded.frame(fewer, 0.1, version=1))
    values = recorder.recording().series("rod[3].center")
    assert np.isfinite(values[0]).all()
    assert np.isnan(values[1]).all()


def test_a_figure_is_told_where_its_joints_are() -> None:
    text = """
    figure arm { chain a: plain table {
      base: fixed(mass: 1 kg); turn: revolute(mass: 1 kg, shape: cuboid(1, 1, 1)) } }
    world w {
      components { robot: arm }
      structure { place robot by properties: (fixed) }
    }"""
    run = art.simulate(art.parse(text).world(), until=0.1, step=0.1)
    with pytest.raises(NameNotFound, match=r"write robot\.JOINT\.angle, or kinematic\.coordinate"):
        run.series("robot")
    assert run.series("robot.turn.angle").shape == (2,)
    assert run.series("kinematic.coordinate").shape == (2, 1)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("rod[2].botom", "did you mean 'bottom'"),
        ("rod[9].top", "rod"),
        ("p.rod[2]", r"names a body, not a quantity; write p\.rod\[2\]\.center"),
        ("h2_1", r"names a hinge, not a quantity; write p\.h2_1\.angle"),
        ("h2_1.travel", "no 'travel'"),
        ("energy.heat", "no part 'heat'"),
    ],
)
def test_what_is_not_there_is_said_so(swing: Recording, path: str, message: str) -> None:
    with pytest.raises(NameNotFound, match=message):
        swing.series(path)


def test_a_motor_without_its_quantity_is_told_which_it_has() -> None:
    text = """units: metre
    primitive rod { properties: (density: 1000 kg/m^3)
      geometry: cuboid(1, 0.1, 0.1) where { near: (-0.5, 0, 0) } dynamics }
    world w { components { base: fixed_point; arm: rod }
      structure { join arm to base with pin(axis: z) as h matching (near, center)
        driven by motor(torque: 5 N*m) } }"""
    run = art.simulate(art.parse(text).world(), until=0.1, step=0.1)
    with pytest.raises(NameNotFound, match=r"names a motor or gear.*write h\.motor\.torque or"):
        run.series("h.motor")
    assert run.series("h.motor.torque") == pytest.approx([5.0, 5.0])
