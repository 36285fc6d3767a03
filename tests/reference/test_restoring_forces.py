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


def loads(length, places, middle):
    text = TEXT % (length, *places, middle)
    recording = art.simulate(art.parse(text).world("shelf"), until=0.2, step=0.1)
    channel = recording.channels["dynamic.pair_force"]
    force = recording.array("dynamic.pair_force")[-1]
    found = [force[channel.labels.index(f"A on B{k}")][1] for k in (1, 2, 3)]
    assert np.all(recording.series("A.v")[-1] == 0.0)
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
def test_three_blocks_share_the_load_as_equal_springs(length, places, middle):
    found = loads(length, places, middle)
    expected, weight = springs(length, places, middle)
    assert found.sum() == pytest.approx(weight, rel=1e-12)
    assert found == pytest.approx(expected, rel=1e-9)
