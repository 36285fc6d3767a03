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


FOLDED = """
primitive bar {{
  properties: (density: 1000)
  geometry: cuboid(40 cm, 5 cm, 5 cm) where {{ l: (-20 cm, 0, 0); r: (20 cm, 0, 0) }}
  dynamics
}}
world w {{
  gravity: (0, -9.81, 0)
  components {{ floor: ground; a, b, c, d: bar }}
  structure {{
    place a by a.center at (0, 2, 0)
    join b to a with pin(axis: z) as j1 matching (l, r) {strength}
    join c to b with pin(axis: z) as j2 matching (l, r)
    join d to c with pin(axis: z) as j3 matching (l, r)
    place b by j1.angle = {fold} deg
    place c by j2.angle = {fold} deg
    place d by j3.angle = {fold} deg
    {more}
  }}
}}
simulate w {{ time: (10 ms, 0.2 s) {clause} }}
"""
"""Four bars on a string, folded so that every two of them cross."""

CROSSED = ("a with b", "a with c", "a with d", "b with c", "b with d", "c with d")


def folded(clause: str = "", strength: str = "", more: str = "", fold: int = 170) -> art.Request:
    text = FOLDED.format(clause=clause, strength=strength, more=more, fold=fold)
    return art.parse(text).requests[0]


BOTH = pytest.mark.parametrize("method", [art.DOP853(), art.Stepping()], ids=["events", "steps"])


@BOTH
@pytest.mark.parametrize("by", ["clause", "callback", "strength"])
def test_bodies_many_hinges_from_the_broken_one_are_left_out(
    by: str, method: art.DOP853 | art.Stepping
) -> None:
    def breaks(event: art.Event, moment: art.Moment) -> list[art.Edit]:
        return [art.BreakHinge("j1")]

    if by == "strength":
        # in free fall the hinge bears nothing until a bar is set spinning
        asked = folded(strength="breaks at 1e-3 N", clause="; on time 0.05 s: set b.w = (0, 0, 5)")
    elif by == "clause":
        asked = folded("; on time 0.05 s: break j1")
    else:
        asked = folded("; on time 0.05 s: set b.friction = 0.1")
    on_event = {"time": breaks} if by == "callback" else None
    run = art.simulate(asked, method=method, on_event=on_event)
    event = next(e for e in run.events if e.values.get("hinges_broken") == ("j1",))
    # b, c and d stay one mechanism
    assert event.values["left_out"] == CROSSED[:3]
    assert run.complete
    assert art.replay(run).to_bytes() == run.to_bytes()


@BOTH
def test_what_comes_loose_as_one_is_not_left_out_with_itself(
    method: art.DOP853 | art.Stepping,
) -> None:
    asked = folded("; on time 0.05 s: break j2")
    run = art.simulate(asked, method=method)
    assert edit_of(run).values["left_out"] == ("a with c", "a with d", "b with c", "b with d")


@BOTH
def test_a_loop_that_opens_is_one_mechanism_still(method: art.DOP853 | art.Stepping) -> None:
    more = "join d to a with pin(axis: z) as j4 matching (r, l)"
    asked = folded("; on time 0.05 s: break j1; on time 0.1 s: break j3", more=more, fold=90)
    run = art.simulate(asked, method=method)
    first, second = (event for event in run.events if event.kind == "edit")
    assert "left_out" not in first.values
    # each two that were neighbours lie in each other at their corner
    assert second.values["left_out"] == ("a with b", "c with d")
    assert run.complete


@BOTH
def test_what_a_removed_body_joined_is_left_out(method: art.DOP853 | art.Stepping) -> None:
    run = art.simulate(folded("; on time 0.05 s: remove b"), method=method)
    assert edit_of(run).values["left_out"] == ("a with c", "a with d")
    assert run.complete


@BOTH
def test_what_a_placed_body_runs_into_is_refused(method: art.DOP853 | art.Stepping) -> None:
    asked = folded("; on time 0.05 s { break j1; place a by a.center at (0.1, 2, 0) }")
    with pytest.raises(art.SimulationError, match=r"'a' and '[bcd]'.* overlap by"):
        art.simulate(asked, method=method)


@BOTH
def test_a_placed_body_that_is_apart_is_tested(method: art.DOP853 | art.Stepping) -> None:
    asked = folded("; on time 0.05 s { break j1; place a by a.center at (0, 4, 0) }")
    run = art.simulate(asked, method=method)
    assert "left_out" not in edit_of(run).values
