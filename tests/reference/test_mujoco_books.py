"""What MuJoCo takes out of a motion is not asked for: the books say that it is not known."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art
from articulata.domains.dynamic.methods import MuJoCo

pytest.importorskip("mujoco")

TEXT = """
primitive ball { properties: (density: 1000, friction: 0.5); geometry: sphere(10 cm); dynamics }
world w {
  gravity: (0, -9.81, 0)
  components { b: ball; floor: ground }
  structure { place b by b.center at (0, 30 cm, 0) }
}
"""


def test_what_a_contact_takes_is_not_known() -> None:
    """A ball falls 20 cm, 0.202 s, and stays down: until then nothing has been taken."""
    found = art.simulate(art.parse(TEXT).world("w"), until=0.5, step=0.05, method=MuJoCo())
    taken = found.series("energy.dissipated")
    before = found.times < 0.2
    assert taken[before].tolist() == [0.0] * int(np.sum(before))
    assert np.all(np.isnan(taken[found.times > 0.25]))
    lost = found.series("energy.total")[0] - found.series("energy.total")[-1]
    assert lost > 5.0
    assert found.series("energy.work")[-1] == 0.0


def test_a_motion_that_nothing_takes_from_says_zero() -> None:
    found = art.simulate(
        art.parse(TEXT).world("w"), until=0.1, step=0.05, method=MuJoCo(contacts=False)
    )
    assert found.series("energy.dissipated").tolist() == [0.0, 0.0, 0.0]
