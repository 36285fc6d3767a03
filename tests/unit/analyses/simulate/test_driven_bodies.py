"""Bodies that move as they are told: they push others, and say when they run into each other."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art

TEXT = """
primitive block {
  properties: (density: 1000, friction: 0.5)
  geometry: cuboid(0.2, 0.2, 0.2)
  dynamics
}
primitive post { properties: (friction: 0.5); geometry: cuboid(0.2, 0.2, 0.2) }
primitive told {
  properties: (friction: 0.5)
  geometry: cuboid(0.2, 0.2, 0.2)
  control: acceleration = hold
}
world apart {
  gravity: (0, -9.81, 0)
  components { floor: ground; a, b: told; wall: post }
  structure {
    place wall by wall.center at (0.8, 0.5, 0)
    place a by a.center at (-1, 0.5, 0) velocity = ((1, 0, 0) (0, 0, 0))
    place b by b.center at (0.4, 0.5, 0) velocity = ((-1, 0, 0) (0, 0, 0))
  }
}
world push {
  gravity: (0, -9.81, 0)
  components { floor: ground; a: told; c: block }
  structure {
    place a by a.center at (-1, 0.1001, 0) velocity = ((1, 0, 0) (0, 0, 0))
    place c by c.center at (0, 0.1, 0)
  }
}
world squeeze {
  gravity: (0, -9.81, 0)
  components { floor: ground; a, b: told; c: block }
  structure {
    place a by a.center at (-1, 0.1001, 0) velocity = ((1, 0, 0) (0, 0, 0))
    place b by b.center at (1, 0.1001, 0) velocity = ((-1, 0, 0) (0, 0, 0))
    place c by c.center at (0.1, 0.1, 0)
  }
}
"""

METHODS = (
    art.DOP853(),
    pytest.param(art.RK4(1e-3), marks=pytest.mark.slow),
    art.Stepping(1e-3),
)


def run(name: str, method: art.RK4) -> art.Recording:
    world = art.parse(TEXT).world(name)
    return art.simulate(
        world,
        until=1.7 if name == "apart" else 1.5,
        step=0.05,
        method=method,
        controllers={"hold": lambda t, sensed: (0.0, 0.0, 0.0)},
        contact=art.Contact(crowd=0.0),
    )


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_two_that_meet_say_so_at_the_instant(method: art.RK4) -> None:
    found = [event for event in run("apart", method).events if event.kind == "contact"]
    assert [event.who for event in found] == [("a", "b"), ("a", "wall")]
    error = 2e-3 if isinstance(method, art.Stepping) else 2e-9
    # faces are 1.2 m apart at 2 m/s, then 1.6 m at 1 m/s
    assert [event.time for event in found] == pytest.approx([0.6, 1.6], abs=error)
    assert found[0].values["speed"] == pytest.approx(2.0)
    assert "pass through each other" in found[0].story


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_one_pushes_what_is_free(method: art.RK4) -> None:
    recording = run("push", method)
    a, c = recording.series("a.center")[-1], recording.series("c.center")[-1]
    assert c - a == pytest.approx([0.2, -0.0001, 0.0], abs=1e-9)
    assert recording.series("c.v")[-1] == pytest.approx([1.0, 0.0, 0.0], abs=1e-9)


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_what_pushes_stays_within_its_cone(method: art.RK4) -> None:
    recording = run("push", method)
    force = recording.array("dynamic.pair_force")[-1]
    labels = recording.channels["dynamic.pair_force"].labels
    (pushed,) = (f for f, each in zip(force, labels, strict=True) if "a" in each and "c" in each)
    # friction between the two may bear up to mu times the push of the weight
    least, most = 0.5 * 8.0 * 9.81 / (1.0 + 0.5**2), 0.5 * 8.0 * 9.81
    assert least * (1.0 - 1e-6) <= abs(pushed[0]) <= most * (1.0 + 1e-6)


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_what_is_squeezed_ends_the_run_by_name(method: art.RK4) -> None:
    with pytest.raises(art.InconsistentSystem, match="cannot but run into each other") as caught:
        run("squeeze", method)
    assert "a.right on c.left" in str(caught.value)
    assert caught.value.time == pytest.approx(0.8, abs=5e-3)
    assert len(caught.value.recording.times) > 10  # type: ignore[attr-defined] # as documented


def test_what_overlaps_at_the_start_is_no_meeting() -> None:
    text = TEXT.replace("at (-1, 0.5, 0)", "at (0.3, 0.5, 0)")
    recording = art.simulate(
        art.parse(text).world("apart"), until=0.1, step=0.05,
        controllers={"hold": lambda t, sensed: np.zeros(3)},
    )  # fmt: skip
    assert [event.kind for event in recording.events] == []
