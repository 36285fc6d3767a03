"""Bodies that lie in each other when the hinge between them breaks."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art

BARS = """
primitive bar {{
  properties: (density: 1000)
  geometry: cuboid(5 cm, 1, 5 cm) where {{ top: (0, 0.5, 0); low: (0, -0.5, 0) }}
  dynamics
}}
world w {{
  gravity: (0, -9.81, 0)
  components {{ post: fixed_point; a, b{more}: bar }}
  structure {{
    place post by post.center at (0, 0, 0)
    join a to post with pin(axis: z) as h matching (top, center)
    join b to a with pin(axis: z) as k matching (top, low) {strength}
    place b by b.angle = 60 deg
    {joins}
  }}
}}
simulate w {{ time: (10 ms, 0.6 s) {clause} }}
"""


def request(strength: str = "", clause: str = "", more: str = "", joins: str = "") -> art.Request:
    text = BARS.format(strength=strength, clause=clause, more=more, joins=joins)
    return art.parse(text).requests[0]


def edit_of(run: art.Recording) -> art.Event:
    (event,) = (event for event in run.events if event.kind == "edit")
    return event


@pytest.mark.parametrize(
    "asked",
    [
        request(strength="breaks at 60 N"),
        request(clause="; on time > 0.3 s: break k"),
    ],
    ids=["strength", "clause"],
)
def test_bars_on_a_pin_fall_apart_when_it_breaks(asked: art.Request) -> None:
    run = art.simulate(asked)
    event = edit_of(run)
    assert event.values["left_out"] == ("a with b",)
    assert "Never tested for contact from now on: a with b." in event.story
    assert run.complete
    late = run.times > event.time
    fall = run.series("b.v.y")[late]
    assert np.diff(fall) == pytest.approx(np.full(len(fall) - 1, -0.0981), abs=1e-9)
    assert art.replay(run).to_bytes() == run.to_bytes()
    before, after = run.worlds[0], run.worlds[max(run.worlds)]
    assert after.ignored - before.ignored == {frozenset(("a", "b"))}


def test_all_that_lie_on_a_broken_pin_are_left_out() -> None:
    joins = (
        "join c to a with pin(axis: z) as l matching (top, low)\n    place c by c.angle = -60 deg"
    )
    run = art.simulate(request(clause="; on time > 0.1 s: break k", more=", c", joins=joins))
    assert edit_of(run).values["left_out"] == ("a with b", "b with c")
    assert run.complete


def test_bodies_that_are_apart_are_tested_as_before() -> None:
    text = BARS.format(strength="", clause="; on time > 0.1 s: break k", more="", joins="")
    apart = text.replace("low: (0, -0.5, 0)", "low: (0, -0.8, 0)")
    run = art.simulate(art.parse(apart.replace("b.angle = 60 deg", "b.angle = 0")).requests[0])
    assert "left_out" not in edit_of(run).values


def test_without_contact_nothing_is_left_out() -> None:
    asked = request(clause="; domains: (geometric, control, dynamic); on time > 0.1 s: break k")
    assert "left_out" not in edit_of(art.simulate(asked)).values
