"""Motions with known answers: pendulum, four-bar, heavy top, energy, momentum, gaps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline
from scipy.optimize import brentq

import articulata as art
from articulata.geometry.quaternion import q_to_matrix
from articulata.kinematics.assembly.assembling import gaps, with_poses
from articulata.world.hinges import BALL, REVOLUTE, HingeKind
from articulata.world.model import World
from articulata.world.world_files import LIBRARY
from mechanisms import DOWN, Mechanism, four_bar, turn

METHODS = (art.DOP853(), art.RK4(1e-3), art.Stepping(1e-3))


def swinging(links: int, kind: HingeKind = REVOLUTE) -> World:
    """A chain stretched out along x, let go from rest; each link lies along its own x."""
    made = Mechanism("chain", DOWN)
    before, at = made.ground(), (0.0, 0.0, 0.0)
    for k in range(1, links + 1):
        made.body(f"link{k}", (k - 0.5, 0, 0), size=(1.0, 0.1, 0.1))
        made.join(f"h{k}", f"link{k}", before, (-0.5, 0, 0), at, kind)
        before, at = f"link{k}", (0.5, 0, 0)
    return made.world()


def crossing(recording: art.Recording, level: float) -> float:
    """The time at which the first coordinate passes ``level``."""
    angle = recording.array("dynamic.coordinate")[:, 0]
    rate = recording.array("dynamic.coordinate_rate")[:, 0]
    spline = CubicHermiteSpline(recording.times, angle, rate)
    after = int(np.flatnonzero(np.sign(angle[1:] - level) != np.sign(angle[:-1] - level))[0])
    return float(brentq(lambda t: spline(t) - level, *recording.times[after : after + 2]))


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_a_pendulum_from_horizontal_has_its_period(method: art.RK4) -> None:
    made = Mechanism("pendulum", DOWN)
    ground = made.ground()
    made.body("bob", (1, 0, 0), size=None, mass=1.0, inertia=(1e-12, 1e-12, 1e-12))
    made.join("h", "bob", ground, (-1, 0, 0), kind=REVOLUTE)
    recording = art.simulate(made.world(), until=0.6, step=1e-3, method=method)
    quarter = crossing(recording, -np.pi / 2)
    # dynamics: the period of a 1 m pendulum let go from horizontal, 4 sqrt(l/g) K(1/sqrt 2).
    assert 4 * quarter == pytest.approx(2.3678419475762374, abs=1e-10)


def turning_four_bar() -> World:
    made = four_bar(np.pi / 2)
    for name, velocity, rate in (("bar1", 0.5, -1.0), ("bar2", 1.0, 0.0), ("bar3", 0.5, -1.0)):
        made.bodies[name] = replace(made.bodies[name], velocity=(velocity, 0, 0), rate=(0, 0, rate))
    return made.world()


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_a_four_bar_revolves_in_its_period(method: art.RK4) -> None:
    period = 1.923711817339
    recording = art.simulate(turning_four_bar(), until=period, step=period / 100, method=method)
    angle = recording.array("dynamic.coordinate")[:, 0]
    rate = recording.array("dynamic.coordinate_rate")[-1, 0]
    late = (angle[-1] - angle[0] + 2 * np.pi) / rate
    assert abs(late) <= 1e-10
    energy = recording.array("dynamic.energy")[:, 3]
    assert np.ptp(energy) <= 1e-8


def test_gaps_stay_closed_at_every_frame() -> None:
    recording = art.simulate(turning_four_bar(), until=1.0, step=0.01)
    pose = recording.array("geometric.pose")
    zero = np.zeros((1, 3))
    for frame in pose[::7]:
        R = np.concatenate([q_to_matrix(frame[:, 3:]), np.eye(3)[None]])
        world = with_poses(recording.world, np.concatenate([frame[:, :3], zero]), R)
        assert max(gaps(world).values()) <= 1e-10


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_a_heavy_top_nutates_as_known(method: art.RK4) -> None:
    made = Mechanism("top", (0.0, 0.0, -9.81))
    ground = made.ground()
    made.body(
        "top",
        (0, 1, 0),
        size=None,
        mass=15.0,
        inertia=(0.234375, 0.46875, 0.234375),
        rate=(0, 150, -4.61538),
        velocity=(4.61538, 0, 0),
    )
    made.join("tip", "top", ground, (0, -1, 0), kind=BALL)
    if not isinstance(method, art.DOP853):
        method = replace(method, step=1e-4)
    recording = art.simulate(made.world(), until=0.2, step=0.01, method=method)
    q = recording.state(0.2).arrays["dynamic.orientation"][1]
    known = np.array([-0.70828, 0.43878, 0.54573, 0.0894])
    assert min(np.abs(q - known).max(), np.abs(q + known).max()) <= 1e-5


@pytest.mark.parametrize(
    ("method", "bound"), [(art.DOP853(), 1e-9), (art.RK4(2.5e-4), 1e-9)], ids=str
)
def test_the_energy_of_a_three_link_pendulum_is_kept(method: art.RK4, bound: float) -> None:
    recording = art.simulate(swinging(3), until=10.0, step=0.1, method=method)
    energy = recording.array("dynamic.energy")
    scale = np.max(energy[:, 0])
    assert np.ptp(energy[:, 3]) <= bound * scale


def test_a_symplectic_run_keeps_its_energy_bounded() -> None:
    method = art.Symplectic(2e-3)
    recording = art.simulate(swinging(1), until=40.0, step=0.01, method=method)
    energy = recording.array("dynamic.energy")
    early, late = np.ptp(energy[:500, 3]), np.ptp(energy[-500:, 3])
    assert 0 < late <= 1.05 * early
    assert early <= 1e-4 * np.max(energy[:, 0])


def test_real_time_steps_stay_near_the_motion() -> None:
    exact = art.simulate(swinging(1), until=1.0, step=0.1)
    quick = art.simulate(swinging(1), until=1.0, step=0.1, method=art.RealTime(1e-3))
    apart = exact.array("geometric.pose") - quick.array("geometric.pose")
    assert np.max(np.abs(apart[:, :, :3])) <= 2e-2


def test_momentum_of_free_bodies_is_kept() -> None:
    made = Mechanism("free")
    made.body("one", (0, 0, 0), turn((1, 2, 0), 0.3), rate=(1.0, 2.0, 0.5))
    made.body("two", (0, -1, 0), velocity=(0.3, 0, 1))
    made.join("h", "two", "one", (0, 0.5, 0), (0, -0.5, 0), REVOLUTE)
    recording = art.simulate(made.world(), until=3.0, step=0.1)
    momentum = recording.array("dynamic.momentum")
    assert np.ptp(momentum, axis=0) == pytest.approx(np.zeros(6), abs=1e-9)
    assert np.max(np.abs(momentum[0])) > 0.1


def test_a_hundred_link_chain_falls() -> None:
    recording = art.simulate(swinging(100, BALL), until=0.2, step=0.02, method=art.RK4(1e-3))
    energy = recording.array("dynamic.energy")
    assert np.ptp(energy[:, 3]) <= 1e-9 * np.max(energy[:, 0])


def test_the_heavy_top_of_the_gallery_is_that_of_the_benchmark() -> None:
    request = art.read(LIBRARY / "gallery" / "heavy_top.art").requests[0]
    recording = art.simulate(request, until=0.2)
    q = recording.state(0.2).arrays["dynamic.orientation"][1]
    known = np.array([-0.70828, 0.43878, 0.54573, 0.0894])
    assert min(np.abs(q - known).max(), np.abs(q + known).max()) <= 1e-5
