"""Events stand in the order of their instants, whatever they are about."""

from __future__ import annotations

import itertools

import pytest

import articulata as art

BOUNCE = """
primitive ball { properties: (density: 1000, restitution: 0.8); geometry: sphere(0.1); dynamics }
world w {
  gravity: (0, -9.81, 0)
  components { a, b: ball; floor: ground }
  structure {
    place a by a.center at (0, 0.1 + HEIGHT, 0)
    place b by b.center at (1, 0.1 + HEIGHT + 0.0004, 0)
  }
}
"""


def run(clauses: str, height: str = "0.02") -> art.Recording:
    asked = f"simulate w {{ time: (10 ms, 0.7 s); {clauses} }}"
    return art.simulate(art.parse(BOUNCE.replace("HEIGHT", height) + asked).requests[0])


def test_a_series_of_bounces_is_told_where_it_ends() -> None:
    recording = run("on settled(a): set b.friction = 0.5")
    times = [event.time for event in recording.events]
    assert times == sorted(times)
    ends = [event for event in recording.events if event.kind == "settled"]
    assert [event.who[0] for event in ends] == ["a", "b"]
    # both end (1 + e) / (1 - e) falls after the start; the second fell a little deeper
    for event, height in zip(ends, (0.02, 0.0204), strict=True):
        assert event.time == pytest.approx(9.0 * (2.0 * height / 9.81) ** 0.5, abs=1e-9)
    (edit,) = (event for event in recording.events if event.kind == "edit")
    assert edit.time == ends[0].time
    # while one series is on its way the other ball still strikes
    begins = ends[0].time - float(ends[0].values["series"])
    assert any(begins < event.time < ends[0].time for event in recording.events)


def test_a_series_that_the_end_of_a_run_cuts_off_is_told_last() -> None:
    end = 9.0 * (2.0 * 0.02 / 9.81) ** 0.5
    asked = f"simulate w {{ time: (10 ms, {end - 2e-4:.9f} s) }}"
    recording = art.simulate(art.parse(BOUNCE.replace("HEIGHT", "0.02") + asked).requests[0])
    last = recording.events[-1]
    assert (last.kind, last.who) == ("settled", ("a", "floor"))
    assert all(a.time <= b.time for a, b in itertools.pairwise(recording.events))
