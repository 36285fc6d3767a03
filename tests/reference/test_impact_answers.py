"""Impacts against closed forms: two rods joined at their corners, Newton's cradle, energy."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art
from articulata.domains.assemble import build
from articulata.domains.protocols import Inputs
from articulata.records.state import State

RODS = """
primitive rod {
  properties: (density: 1, restitution: %s)
  geometry: cuboid(2, 8, 1) where { near: (1, 4, 0); far: (1, -4, 0) }
  dynamics
}
world rods {
  components { wall: fixed_point; one, two: rod }
  structure {
    place wall by wall.center at (0, 0, 0)
    join one to wall with pin(axis: z) matching (near, center) as top
    join two to one with pin(axis: z) matching (near, far) as knee
  }
}
"""


def perp(v):
    return np.array([-v[1], v[0]])


def closed_form(r, theta, v, w, e, m, J, u, n):
    """Solve the equations of section 4.3 (Hoffmann & Hopcroft 1986) in the plane.

    Rod i at ``r[i]`` turned by ``theta[i]``; the contact is at ``u`` with normal ``n`` from rod 1
    to rod 2. Unknowns: velocities after, impulse F at u, impulses at the two hinges.
    """
    R = [np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]]) for t in theta]
    c10, c12, c21 = R[0] @ [1, 4], R[0] @ [1, -4], R[1] @ [1, 4]
    d12, d21 = u - r[0], u - r[1]
    A, b = np.zeros((11, 11)), np.zeros(11)
    # unknowns: v1 (0:2), w1 (2), v2 (3:5), w2 (5), F (6), X1 (7:9), X2 (9:11)
    for k in range(2):
        A[k, k], A[k, 6], A[k, 7 + k], A[k, 9 + k] = m, n[k], -1, 1
        b[k] = m * v[0][k]
        A[3 + k, 3 + k], A[3 + k, 6], A[3 + k, 9 + k] = m, -n[k], -1
        b[3 + k] = m * v[1][k]
    A[2, 2], A[2, 6], A[2, 7:9], A[2, 9:11] = J, perp(d12) @ n, -perp(c10), perp(c12)
    b[2] = J * w[0]
    A[5, 5], A[5, 6], A[5, 9:11] = J, -(perp(d21) @ n), -perp(c21)
    b[5] = J * w[1]
    A[6, 0:2], A[6, 2], A[6, 3:5], A[6, 5] = n, perp(d12) @ n, -n, -(perp(d21) @ n)
    before = (v[0] + w[0] * perp(d12) - v[1] - w[1] * perp(d21)) @ n
    b[6] = -e * before
    for k in range(2):
        A[7 + k, k], A[7 + k, 2] = 1, perp(c10)[k]
        A[9 + k, 3 + k], A[9 + k, 5], A[9 + k, k], A[9 + k, 2] = (
            1,
            perp(c21)[k],
            -1,
            -perp(c12)[k],
        )
    return np.linalg.solve(A, b)


def entered(world, contact=None):
    """Return the model, its state at the start, the state after what happens there, and events."""
    built = art.assemble(world)
    model = build(built)["dynamic"].moving(art.DOP853(), contact or art.Contact(within=True))
    before = State(0.0, dict(model.start()), 0)
    inputs = Inputs(
        np.zeros((len(built.bodies), 6)),
        np.zeros((len(built.bodies), 3)),
        np.zeros((0, 3)),
        np.zeros(2),
    )
    after, events = model.leg(before, 1e-3, lambda t: inputs)
    return model, before, after, events


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_hinges_pass_the_impact_of_two_rods_on(e):
    # Example 4.2 of the 1986 report: two rods, each 2 wide and 8 long, joined at their corners.
    # They hang straight, the ends that face each other touching, and turn against each other.
    world = art.parse(RODS % e).world("rods")
    world = world.edit([art.Place("two", rate=(0, 0, -1.0)), art.Place("one", rate=(0, 0, 0.3))])
    model, before, after, events = entered(world)
    (hit,) = (event for event in events if event.kind == "impact")
    one, two = (model.model.parts.index[name] for name in ("one", "two"))
    old = {name: before.arrays[f"dynamic.{name}"] for name in ("position", "velocity", "rate")}
    new = {name: after.arrays[f"dynamic.{name}"] for name in ("velocity", "rate")}
    r = [old["position"][k][:2] for k in (one, two)]
    v = [old["velocity"][k][:2] for k in (one, two)]
    w = [old["rate"][k][2] for k in (one, two)]
    m, J = 16.0, 16.0 * (2**2 + 8**2) / 12
    u = r[0] + np.array([-1.0, -4.0])
    expected = closed_form(r, [0.0, 0.0], v, w, e, m, J, u, np.array([0.0, -1.0]))
    given = np.concatenate(
        [
            new["velocity"][one][:2],
            [new["rate"][one][2]],
            new["velocity"][two][:2],
            [new["rate"][two][2]],
        ]
    )
    assert np.max(np.abs(given - expected[:6])) < 1e-12
    assert hit.values["impulse"] == pytest.approx(expected[6], abs=1e-11)
    assert np.abs(hit.values["impulse of top"][:2]) == pytest.approx(
        np.abs(expected[7:9]), abs=1e-10
    )
    assert hit.values["impulse of knee"][:2] == pytest.approx(expected[9:11], abs=1e-10)
    assert hit.values["separation_speed"] == pytest.approx(
        e * hit.values["approach_speed"], abs=1e-12
    )
    # the work of the impulse is the energy lost
    mean = 0.5 * (hit.values["separation_speed"] - hit.values["approach_speed"])
    lost = hit.values["energy_after"] - hit.values["energy_before"]
    assert lost == pytest.approx(expected[6] * mean, abs=1e-11)


CRADLE = """
primitive ball { properties: (density: 1000, restitution: %s); geometry: sphere(0.1); dynamics }
world cradle {
  components { b[1..5]: ball }
  structure {
    for i in 1..4 { place b[i] by b[i].center at (0.2 * i, 0, 0) }
    place b[5] by b[5].center at (1.0, 0, 0) velocity = ((-1, 0, 0) (0, 0, 0))
  }
}
"""


def speeds(law, e=1):
    world = art.parse(CRADLE % e).world("cradle")
    recording = art.simulate(world, until=0.1, step=0.05, contact=art.Contact(impact=law))
    return recording, [float(recording.series(f"b[{i}].v.x")[-1]) for i in range(1, 6)]


def test_a_cradle_of_pairs_in_sequence_passes_the_blow_to_the_last_ball():
    _, after = speeds(art.Sequential())
    assert after == pytest.approx([-1, 0, 0, 0, 0], abs=1e-12)


@pytest.mark.parametrize("law", [art.Newton(), art.Poisson()])
def test_simultaneous_laws_keep_momentum_and_energy_of_the_cradle(law):
    recording, after = speeds(law)
    assert sum(after) == pytest.approx(-1, abs=1e-12)
    assert sum(v * v for v in after) <= 1 + 1e-12
    assert after[0] == pytest.approx(-0.4 if law == art.Newton() else after[0], abs=1e-12)
    event = recording.events[0]
    assert event.values["momentum_after"] == pytest.approx(
        event.values["momentum_before"], abs=1e-12
    )


BOXES = """
primitive box {
  properties: (density: 1000, restitution: 0.5, friction: 0.3)
  geometry: cuboid(0.2, 0.1, 0.3)
  dynamics
}
world boxes {
  gravity: (0, -9.81, 0)
  components { low, high: box; floor: ground }
  structure {
    place low by low.center at (0, 0.2, 0)
    place high by high.center at (0.02, 0.5, 0.01)
  }
}
"""


def test_falling_boxes_lose_energy_only_at_events_and_never_overlap():
    recording = art.simulate(art.parse(BOXES).world("boxes"), until=0.3, step=0.005)
    assert len(recording.events) > 8
    for event in recording.events:
        if event.kind in ("impact", "settled"):
            assert event.values["energy_after"] <= event.values["energy_before"] * (1 + 1e-12)
            assert len(event.where) >= 2
    energy = recording.series("energy.total")
    times = np.array([event.time for event in recording.events])
    quiet = [
        not np.any((times > a) & (times <= b))
        for a, b in zip(recording.times, recording.times[1:], strict=False)
    ]
    assert np.max(np.abs(np.diff(energy)[np.array(quiet)])) < 1e-9 * energy[0]
    half = 0.5 * np.array([0.2, 0.1, 0.3])
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    poses = recording.array("geometric.pose")
    for frame in poses[:, :2]:
        for pose in frame:
            X = art.Rotation.from_quaternion(pose[3:]).to_matrix()
            assert np.min((corners @ X.T + pose[:3])[:, 1]) > -1e-9


def test_bodies_that_overlap_at_the_start_are_named_with_their_lines():
    text = BOXES.replace("(0.02, 0.5, 0.01)", "(0.02, 0.25, 0.01)")
    with pytest.raises(art.SimulationError, match=r"'low' and 'high'.*overlap.*ignore") as caught:
        art.simulate(art.parse(text).world("boxes"), until=0.1)
    assert ":9:" in str(caught.value)


def test_pairs_of_one_mechanism_and_ignored_pairs_are_not_tested():
    text = BOXES.replace(
        "place high by high.center at (0.02, 0.5, 0.01)",
        "place high by high.center at (0.02, 0.25, 0.01)\n    ignore low with high",
    )
    recording = art.simulate(art.parse(text).world("boxes"), until=0.1, step=0.05)
    assert not recording.events


def test_a_run_with_contact_is_replayed_byte_for_byte(tmp_path):
    recording = art.simulate(art.parse(BOXES).world("boxes"), until=0.28, step=0.02)
    again = art.replay(recording)
    recording.save(tmp_path / "one.artrun")
    again.save(tmp_path / "two.artrun")
    assert (tmp_path / "one.artrun").read_bytes() == (tmp_path / "two.artrun").read_bytes()
    assert again.events == recording.events
