"""``set`` of a rate on a body that hinges hold: as ordered, or the event says what was left."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art
from articulata.records.recording import Recording

TEXT = """
primitive bar {
  properties: (density: 500)
  geometry: cuboid(1 m, 5 cm, 5 cm) where { near: (-50 cm, 0, 0); far: (50 cm, 0, 0) }
  dynamics
}
world w {
  components { hook: fixed_point; arm, hand: bar }
  structure {
    join arm to hook with pin(axis: z) as h1 matching (near, center)
    join hand to arm with pin(axis: z) as h2 matching (near, far)
    place hook by hook.center at (0, 2, 0)
    place arm by h1.angle = 10 deg
    place hand by h2.angle = 50 deg
  }
}
simulate w { time: (10 ms, 20 ms); on time 10 ms { %s } }
"""


def after(action: str, text: str = TEXT) -> tuple[Recording, art.Event]:
    found = art.simulate(art.parse(text % action).requests[0])
    (edit,) = [event for event in found.events if event.kind == "edit"]
    return found, edit


def test_a_body_on_a_fixed_pin_turns_as_it_is_told() -> None:
    alone = TEXT.replace("arm, hand: bar", "arm: bar")
    alone = "\n".join(line for line in alone.splitlines() if "h2" not in line)
    found, edit = after("set arm.w = (0, 0, 5)", alone)
    at = list(found.times).index(edit.time) + 1
    assert found.series("arm.w.z")[at] == pytest.approx(5.0, abs=1e-12)
    assert np.linalg.norm(found.series("arm.v")[at]) == pytest.approx(2.5, abs=1e-12)
    assert not [name for name in edit.values if name.startswith(("asked ", "left w"))]


def test_what_hinges_do_not_leave_is_told() -> None:
    """A hand that hangs on the arm takes some of what the arm is told."""
    found, edit = after("set arm.w = (0, 0, 5)")
    at = list(found.times).index(edit.time) + 1
    left = found.series("arm.w")[at]
    assert edit.values["asked w of arm"] == (0.0, 0.0, 5.0)
    assert edit.values["left w of arm"] == pytest.approx(left.tolist(), abs=1e-12)
    assert abs(left[2] - 5.0) > 0.1
    assert "(0, 0, 5) was asked for" in edit.story


def test_an_axis_that_a_pin_has_not_is_told() -> None:
    _, edit = after("set hand.w = (3, 0, 0)")
    assert edit.values["asked w of hand"] == (3.0, 0.0, 0.0)
    left = edit.values["left w of hand"]
    assert isinstance(left, tuple)
    assert left[0] == pytest.approx(0.0, abs=1e-12)
