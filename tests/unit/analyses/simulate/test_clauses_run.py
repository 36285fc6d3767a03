"""Clauses of a text in running simulations: exact instants, transactions, welds, replays."""

from __future__ import annotations

import math

import numpy as np
import pytest

import articulata as art
from articulata.records.recording import Recording

BALLS = """
primitive ball {
  properties: (density: 1000, restitution: 0.5)
  geometry: sphere(10 cm)
  dynamics
}
primitive bar {
  properties: (density: 500)
  geometry: cuboid(1 m, 5 cm, 5 cm) where { near: (-50 cm, 0, 0); far: (50 cm, 0, 0) }
  dynamics
}
world w {
  gravity: (0, -9.81, 0)
  components hook: fixed_point; b: ball; r: bar; floor: ground
  structure {
    join r to hook with pin(axis: z) as h1 matching (near, center)
    place hook by hook.center at (0, 2, 0)
    place r by r.center at (0.5, 2, 0)
    place b by b.center at (3, 1, 0)
  }
}
"""


def run(*clauses: str, until: float = 1.0, extra: str = "") -> Recording:
    body = "\n  ".join((f"time: (0.02 s, {until} s)", *clauses))
    return art.simulate(art.parse(f"{BALLS}simulate w {{\n  {body}\n  {extra}\n}}\n").requests[0])


def edits(recording: Recording) -> list[art.Event]:
    return [event for event in recording.events if event.kind == "edit"]


@pytest.mark.parametrize(
    "extra",
    [
        "",
        "domains: (geometric, control, dynamic)",
        pytest.param("method: rk4", marks=pytest.mark.slow),
    ],
)
def test_a_condition_is_met_at_the_exact_instant(extra: str) -> None:
    found = run("on b.center.y < 0.5 m: set b.v = (0, 0, 0)", extra=extra)
    (event,) = [event for event in found.events if event.kind == "condition"]
    assert event.time == pytest.approx(math.sqrt(2 * 0.5 / 9.81), abs=1e-12)
    assert event.who == ("b.center.y",)
    (edit,) = edits(found)
    assert edit.time == event.time
    assert found.causes(edit) == (event,)
    assert found.series("b.v.y")[list(found.times).index(event.time) + 1] == 0.0
    assert art.replay(found).to_bytes() == found.to_bytes()


def test_a_condition_that_holds_at_the_start_waits_until_it_becomes_true_again() -> None:
    found = run("on b.center.y > 90 cm: stop", until=0.3)
    assert found.times[-1] == 0.3
    assert not [event for event in found.events if event.kind == "condition"]


def test_a_peak_between_two_steps_is_not_missed() -> None:
    """A ball thrown up passes 1.2 m by 0.2 micrometres, for 0.4 ms."""
    speed = math.sqrt(2 * 9.81 * (0.2 + 2e-7))
    found = run(
        f"on time 0 s: set b.v = (0, {speed!r}, 0)", "on b.center.y > 1.2 m: stop",
        extra="domains: (geometric, control, dynamic)",
    )  # fmt: skip
    (event,) = [event for event in found.events if event.kind == "condition"]
    rise = speed / 9.81 - math.sqrt(2 * 2e-7 / 9.81)
    assert event.time == pytest.approx(rise, abs=1e-8)
    assert found.times[-1] == event.time


def test_conditions_of_several_quantities_wait_for_all() -> None:
    found = run("on h1.angle < -30 deg and b.center.y < 0.4 m: break h1")
    (event,) = [event for event in found.events if event.kind == "condition"]
    angle, height = math.radians(-30), math.sqrt(2 * 0.6 / 9.81)
    assert event.time == pytest.approx(height, abs=1e-12)
    at = list(found.times).index(event.time)
    assert found.series("h1.angle")[at] < angle
    assert edits(found)[0].values["hinges_broken"] == ("h1",)


def test_a_force_of_a_hinge_may_be_a_condition() -> None:
    found = run("on h1.force > 25 N: break h1")
    strong = run("on h1.force > 100 N: break h1")
    (event,) = [event for event in found.events if event.kind == "condition"]
    at = list(found.times).index(event.time)
    assert np.linalg.norm(found.series("h1.force")[at]) == pytest.approx(25.0, abs=1e-7)
    assert edits(strong) == []


def test_an_impact_below_the_condition_is_passed_over() -> None:
    found = run(
        "on impact(b, floor) with impulse < 20 N*s and speed > 1 m/s: break h1",
        until=1.2,
    )  # fmt: skip
    hits = [event for event in found.events if event.kind == "impact" and "b" in event.who]
    assert len(hits) >= 2
    assert hits[0].values["impulse"] > 20.0  # type: ignore[operator] # a number
    (edit,) = edits(found)
    assert edit.time == hits[1].time


def test_features_named_in_a_clause_must_have_met() -> None:
    wrong = run("on contact(r.near, floor): stop", "on time 0.1 s: break h1")
    assert wrong.times[-1] == 1.0
    right = run("on contact(b.surface, floor.top): stop")
    assert right.times[-1] == pytest.approx(math.sqrt(2 * 0.9 / 9.81), abs=1e-12)


def test_several_actions_are_one_transaction() -> None:
    found = run(
        "on time 0.1 s {", "set b.v = (0, 1, 0)", "set b.w = (0, 0, 3)",
        "set gravity = (0, -1, 0)", "remove r", "}",
    )  # fmt: skip
    (edit,) = edits(found)
    assert edit.values["edits"] == 3.0
    assert edit.values["bodies_removed"] == ("r",)
    assert edit.values["hinges_broken"] == ("h1",)
    last = -1
    assert found.series("b.w.z")[last] == 3.0
    assert found.series("b.v.y")[last] == pytest.approx(1.0 - 0.9, abs=1e-12)
    assert np.isnan(found.series("r.center.x")[last])


def test_a_break_of_itself_and_one_by_a_clause_set_off_on_break() -> None:
    for way in ("on time 0.1 s: break h1", "on h1.angle < -20 deg: remove r"):
        found = run(way, "on break h1: set gravity = (0, 0, 0)")
        assert len(edits(found)) == 2
        assert edits(found)[1].values["by"] == ("on break h1",)
        assert edits(found)[0].time == edits(found)[1].time
    text = BALLS.replace(
        "as h1 matching (near, center)", "as h1 matching (near, center) breaks at 25 N"
    )
    text += "simulate w {\n time: (0.02, 1)\n on break r.near: set gravity = (0, 0, 0)\n}\n"
    found = art.simulate(art.parse(text).requests[0])
    (edit,) = edits(found)
    assert edit.values["by"] == ("the strength of h1", "on break r.near")
    assert art.replay(found).to_bytes() == found.to_bytes()


def test_a_weld_without_matching_holds_bodies_as_they_stand() -> None:
    found = run("on contact(b, floor): join b to floor with weld as stuck")
    (edit,) = edits(found)
    assert edit.values["hinges_made"] == ("stuck",)
    rest = found.series("b.center")[found.times > edit.time]
    assert np.ptp(rest, axis=0) == pytest.approx(np.zeros(3), abs=1e-12)
    assert rest[0] == pytest.approx([3.0, 0.1, 0.0], abs=1e-12)


def test_what_is_added_falls_and_collides() -> None:
    found = run("on time 0.1 s: add b2: ball by b2.center at (3, 2.5, 0)", until=1.0)
    hit = next(event for event in found.events if event.kind == "impact" and "b2" in event.who)
    assert hit.time > 0.1
    height = found.series("b2.center.y")
    assert np.isnan(height[0])
    falling = (found.times > 0.1) & (found.times < hit.time)
    t = found.times[falling] - 0.1
    assert height[falling] == pytest.approx(2.5 - 0.5 * 9.81 * t**2, abs=1e-9)


def test_a_composite_is_added_and_removed_again_and_again() -> None:
    pair = """composite pair {
  components one: ball; two: ball
  structure { join two to one with weld as knee matching (center, center) }
}
world w"""
    text = BALLS.replace("world w", pair)
    text += """simulate w {
  time: (0.02 s, 1 s)
  on b.v.y > 0: add p: pair by p.one.center at (5, 3, 0)
  on b.v.y < 0 and time > 0.5 s: remove p
  on impact(b, floor): remove r
}
"""
    found = art.simulate(art.parse(text).requests[0])
    told = [event.values.get("bodies_added", ()) for event in edits(found)]
    assert told.count(("p.one", "p.two")) == 2
    gone = [event.values.get("bodies_removed", ()) for event in edits(found)]
    assert gone == [("r",), (), ("p.one", "p.two"), (), ("p.one", "p.two")]
    for event in edits(found):
        before = found.undo(event)
        assert before.world.edit(before.made).edit(before.edits) == before.world


def test_a_place_moves_a_component_as_it_stands() -> None:
    found = run("on time 0.1 s: place b by b.center at (3, 2, 0)", until=0.2)
    frames = [n for n, t in enumerate(found.times) if t == 0.1]
    before, after = (found.series("b.center")[n] for n in (frames[0], frames[-1]))
    assert after == pytest.approx([3.0, 2.0, 0.0], abs=1e-12)
    assert before[1] == pytest.approx(1 - 0.5 * 9.81 * 0.01, abs=1e-12)
    assert found.series("b.v.y")[frames[0]] == found.series("b.v.y")[frames[-1]]


def test_an_ignored_pair_passes_and_is_heeded_again() -> None:
    found = run(
        "on b.center.y < 0.3 m and time < 0.5 s: ignore b with floor",
        "on b.center.y < -0.5 m { place b by b.center at (3, 1, 0); heed b with floor }",
        until=1.5,
    )  # fmt: skip
    assert min(found.series("b.center.y")) < -0.49
    hits = [event for event in found.events if event.kind == "impact" and "b" in event.who]
    assert hits
    assert hits[0].time > edits(found)[1].time


@pytest.mark.parametrize(
    "clause",
    [
        "on time 0.1 s: break h1",
        "on h1.angle < -20 deg: break h1",
        "on contact(b, floor): break h1",
    ],
)
def test_an_edit_that_was_undone_is_not_asked_for_again(clause: str) -> None:
    found = run(clause, until=0.5)
    before = found.undo()
    on = art.simulate(
        before.world, start=before.state, rules=found.header.rules, until=0.5, step=0.02
    )
    assert [event for event in on.events if event.kind == "edit"] == []
    assert art.replay(on).to_bytes() == on.to_bytes()


def test_a_prescribed_motion_without_forces_is_edited_too() -> None:
    found = run("on time 0.1 s: set b.v = (1, 0, 0)", until=0.3, extra="domains: (geometric)")
    assert found.series("b.center.x")[-1] == pytest.approx(3.2, abs=1e-12)


def test_clauses_in_stepping_mode_are_met_within_a_step() -> None:
    text = (
        BALLS
        + """simulate w {
  time: (0.02 s, 0.8 s)
  on b.center.y < 0.5 m: set b.v = (0, 0, 0)
  on contact(b, floor.top): break h1
  on time 0.7 s: remove r
}
"""
    )
    found = art.simulate(art.parse(text).requests[0], method=art.Stepping(1e-3))
    falling, struck, removed = edits(found)
    assert falling.time == pytest.approx(math.sqrt(2 * 0.5 / 9.81), abs=1e-12)
    assert 0.0 <= struck.time - falling.time - math.sqrt(2 * 0.4 / 9.81) <= 3e-3
    assert removed.time == 0.7
    assert art.replay(found).to_bytes() == found.to_bytes()


@pytest.mark.parametrize(
    ("condition", "within"),
    [
        ("h1.angle < -10 deg", 1e-9),
        pytest.param("r.center.y < 1.6 m", 1e-9, marks=pytest.mark.slow),
        ("h1.force.y > 20 N", 1e-5),
    ],
)
def test_conditions_are_met_within_steps(condition: str, within: float) -> None:
    text = BALLS + f"simulate w {{ time: (0.02 s, 1 s); on {condition}: stop }}\n"
    request = art.parse(text).requests[0]
    exact, found = (
        next(event.time for event in run.events if event.kind == "condition")
        for run in (art.simulate(request), art.simulate(request, method=art.Stepping(1e-3)))
    )
    assert found == pytest.approx(exact, abs=within)


def test_a_hinge_that_reaches_a_limit_is_an_event() -> None:
    joined = "as h1 matching (near, center)"
    text = BALLS.replace(joined, f"{joined} limits (-40 deg, 10 deg)")
    text += "simulate w {\n time: (0.02, 1)\n on limit h1: break h1\n}\n"
    found = art.simulate(art.parse(text).requests[0])
    (event,) = [event for event in found.events if event.kind == "limit"]
    assert event.who == ("h1",)
    assert event.values["limit"] == math.radians(-40)
    assert event.values["value"] == pytest.approx(math.radians(-40), abs=1e-10)
    (edit,) = edits(found)
    assert edit.time == event.time
    assert [each.kind for each in found.causes(edit)] == ["limit", "contact"]
    assert art.replay(found).to_bytes() == found.to_bytes()


def test_an_unknown_quantity_is_named_with_its_clause() -> None:
    with pytest.raises(art.SimulationError, match=r"<text>:24:3: on b.angle > 1: .* no hinge"):
        run("on b.angle > 1: stop")


def test_a_clause_waits_for_what_another_brings_into_the_world() -> None:
    """A hinge joined and a body added during the run; a name that never comes is refused."""
    recording = run(
        "on time 0.1 s: join b to r with weld as knee",
        "on knee.force > 1 N: break knee",
        "on time 0.3 s: add late: ball by late at (6, 5, 0)",
        "on late.v.y < -1 m/s: stop",
    )
    told = [
        (event.kind, event.time) for event in recording.events if event.kind in ("edit", "stop")
    ]
    assert [kind for kind, _ in told] == ["edit", "edit", "edit", "stop"]
    assert [time for _, time in told[:3]] == [0.1, 0.1, 0.3]
    assert told[3][1] == pytest.approx(0.3 + 1.0 / 9.81, abs=1e-9)
    with pytest.raises(art.WorldError, match="no component 'knees'"):
        run("on time 0.1 s: join b to r with weld as knee", "on knees.force > 1 N: break knee")
