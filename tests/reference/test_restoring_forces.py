"""Figure 4.4 of the 1986 report: a block on three equal blocks, statically indeterminate."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art

TEXT = """
primitive plank { properties: (density: 500); geometry: cuboid(%s, 0.2, 0.4); dynamics }
primitive support { properties: (density: 2000); geometry: cuboid(0.2, 0.5, 0.4); dynamics }
world shelf {
  gravity: (0, -9.81, 0)
  components { A: plank; B1, B2, B3: support; floor: ground }
  structure {
    place B1 by B1.center at (%s, 0.25, 0)
    place B2 by B2.center at (%s, 0.25, 0)
    place B3 by B3.center at (%s, 0.25, 0)
    place A by A.center at (%s, 0.6, 0)
  }
}
"""


def loads(length, places, middle, method=None):
    text = TEXT % (length, *places, middle)
    recording = art.simulate(art.parse(text).world("shelf"), until=0.2, step=0.1, method=method)
    channel = recording.channels["dynamic.pair_force"]
    force = recording.array("dynamic.pair_force")[-1]
    found = [force[channel.labels.index(f"A on B{k}")][1] for k in (1, 2, 3)]
    assert np.max(np.abs(recording.series("A.v")[-1])) <= (0.0 if method is None else 1e-17)
    assert [event.kind for event in recording.events] == ["contact"] * 6
    return np.array(found)


def springs(length, places, middle):
    """Return the loads of equal springs under the corners of the areas in touch."""
    x = np.array([edge for place in places for edge in (place - 0.1, place + 0.1)])
    low, high = middle - length / 2, middle + length / 2
    x = np.clip(x, low, high)
    weight = 500 * length * 0.2 * 0.4 * 9.81
    # heights a + s x of a rigid plank on springs of stiffness 1, two corners in depth each
    K = 2 * np.array([[len(x), x.sum()], [x.sum(), (x * x).sum()]])
    a, s = np.linalg.solve(K, [weight, weight * middle])
    return (2 * (a + s * x)).reshape(-1, 2).sum(1), weight


@pytest.mark.parametrize(
    ("length", "places", "middle"),
    [
        (2.2, (-1.0, 0.0, 1.0), 0.0),
        (2.2, (-1.0, 0.1, 1.0), 0.0),
        (2.4, (-0.9, 0.3, 1.1), 0.05),
    ],
)
@pytest.mark.parametrize("method", [None, art.Stepping()], ids=["events", "steps"])
def test_three_blocks_share_the_load_as_equal_springs(length, places, middle, method):
    found = loads(length, places, middle, method)
    expected, weight = springs(length, places, middle)
    assert found.sum() == pytest.approx(weight, rel=1e-12)
    assert found == pytest.approx(expected, rel=1e-9)


SOFT = """
let wood = material(density: 500)
let steel = material(density: 2000)
let felt = material(density: 2000)
contact wood with steel: (friction: 0.9, stiffness: 3e6 N/m, shear_stiffness: 1e6 N/m)
contact wood with felt: (friction: 0.9, stiffness: 5e5 N/m, shear_stiffness: 4e5 N/m)
primitive plank { properties: (material: wood); geometry: cuboid(2.2, 0.2, 0.4); dynamics }
primitive support { properties: (material: steel, fixed); geometry: cuboid(0.2, 0.5, 0.4) }
primitive cushion { properties: (material: felt, fixed); geometry: cuboid(0.2, 0.5, 0.4) }
world shelf(push = 0) {
  gravity: (push, -9.81, 0)
  components { A: plank; B1, B3: support; B2: cushion }
  structure {
    place B1 by B1.center at (-1, 0.25, 0)
    place B2 by B2.center at (0.1, 0.25, 0)
    place B3 by B3.center at (1, 0.25, 0)
    place A by A.center at (0, 0.6, 0)
  }
}
"""


def shelf_forces(push=0.0):
    recording = art.simulate(art.parse(SOFT).world("shelf", push), until=0.1, step=0.1)
    assert np.all(np.abs(recording.series("A.v")) == 0.0)
    channel = recording.channels["dynamic.pair_force"]
    force = recording.array("dynamic.pair_force")[-1]
    return np.array([force[channel.labels.index(f"A on B{k}")] for k in (1, 2, 3)])


def test_stiffness_of_two_materials_shares_the_load_in_its_proportion():
    """A rigid plank on springs k_i: K (a, s) = (weight, moment), loads k_i (a + s x_i)."""
    found = shelf_forces()[:, 1]
    x = np.array([-1.1, -0.9, 0.0, 0.2, 0.9, 1.1])
    k = np.array([3e6, 3e6, 5e5, 5e5, 3e6, 3e6])
    weight = 500 * 2.2 * 0.2 * 0.4 * 9.81
    K = 2 * np.array([[k.sum(), (k * x).sum()], [(k * x).sum(), (k * x * x).sum()]])
    a, s = np.linalg.solve(K, [weight, 0.0])
    expected = (2 * k * (a + s * x)).reshape(-1, 2).sum(1)
    assert found == pytest.approx(expected, rel=1e-9)
    assert sum(found) == pytest.approx(weight, rel=1e-12)


def test_shear_stiffness_shares_what_pushes_along():
    """All points lie at one height, so that they shift by the same way: forces are as k_s."""
    found = shelf_forces(push=1.0)[:, 0]
    mass = 500 * 2.2 * 0.2 * 0.4
    expected = -mass * 1.0 * np.array([1e6, 4e5, 1e6]) / 2.4e6
    assert found == pytest.approx(expected, rel=1e-9)
