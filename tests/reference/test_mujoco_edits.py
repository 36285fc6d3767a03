"""Runs that MuJoCo carries and that edit themselves: the same instants and motion as ours."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art

TEXT = """
primitive rod {
  properties: (density: 1000, friction: 0.3)
  geometry: cuboid(10 cm, 1 m, 10 cm) where { top: (0, 0.5, 0); bottom: (0, -0.5, 0) }
  dynamics
}
world swing {
  gravity: (0, -9.81, 0)
  components { floor: ground; anchor: fixed_point; r, q: rod }
  structure {
    place anchor by anchor.center at (0, 2.5, 0)
    place r by r.top at (0, 2.5, 0) turned 60 deg about z
    join r to anchor with pin(axis: z) as h matching (top, center) STRENGTH
    join q to r with ball as b matching (top, bottom)
  }
}
simulate swing { time: (20 ms, UNTIL); method: METHOD; CLAUSES }
"""

SLOW = pytest.mark.slow
METHODS = ("dop853", "mujoco(step: 1 ms)")


def runs(until: str, clauses: str, strength: str = "") -> list[art.Recording]:
    text = TEXT.replace("UNTIL", until).replace("CLAUSES", clauses).replace("STRENGTH", strength)
    return [
        art.simulate(art.parse(text.replace("METHOD", method)).requests[0]) for method in METHODS
    ]


def times(recording: art.Recording, kind: str) -> list[float]:
    return [event.time for event in recording.events if event.kind == kind]


@pytest.mark.parametrize(
    ("clauses", "strength", "kind", "until"),
    [
        pytest.param("on h.angle < 0 deg: break b", "", "condition", "0.8 s", marks=SLOW),
        ("on time 0.3 s: break b", "", "time", "0.6 s"),
        ("", "breaks at 300 N", "break", "0.8 s"),
    ],
)
def test_conditions_times_and_strengths_act_at_the_same_instant(
    clauses, strength, kind, until
) -> None:
    ours, theirs = runs(until, clauses, strength)
    (one,), (other,) = times(ours, kind), times(theirs, kind)
    assert other == pytest.approx(one, abs=1e-6)
    for name in ("r.center", "q.center"):
        assert np.max(np.abs(ours.series(name)[-1] - theirs.series(name)[-1])) < 1e-5
    (edit,) = (event for event in theirs.events if event.kind == "edit")
    assert "MuJoCo's model is made anew" in edit.story
    assert art.replay(theirs).to_bytes() == theirs.to_bytes()


def test_what_touches_is_an_event_that_a_clause_can_wait_for() -> None:
    clauses = "on time 0.3 s: break b\n  on contact(q, floor): set q.v = (0, 3 m/s, 0)"
    ours, theirs = runs("0.8 s", clauses)
    struck = next(event for event in ours.events if event.kind == "impact")
    met = next(event for event in theirs.events if event.kind == "contact")
    assert met.who == struck.who == ("q", "floor")
    assert met.time == pytest.approx(struck.time, abs=2e-3)
    assert times(theirs, "separation")[0] > met.time
    assert np.max(np.abs(ours.series("q.center")[-1] - theirs.series("q.center")[-1])) < 0.02


def test_a_run_goes_on_from_a_state_of_the_edited_world() -> None:
    _, theirs = runs("0.8 s", "on time 0.3 s: break b")
    state = theirs.state(0.5)
    on = art.simulate(
        theirs.worlds[state.version], until=0.8, step=0.02, start=state, method=art.MuJoCo()
    )
    assert np.max(np.abs(on.series("q.center")[-1] - theirs.series("q.center")[-1])) < 1e-8


def test_bodies_come_and_go() -> None:
    clauses = (
        "on time 0.2 s: add extra: rod by extra.top at (3 m, 2 m, 0)\n  on time 0.4 s: remove q"
    )
    ours, theirs = runs("0.6 s", clauses)
    last = theirs.worlds[max(theirs.worlds)]
    assert "extra" in last.bodies
    assert "q" not in last.bodies
    for run in (ours, theirs):
        run_end = run.state(0.6).arrays["dynamic.position"]
        assert run_end.shape == (4, 3)
    ends = [run.state(0.6).arrays["dynamic.position"] for run in (ours, theirs)]
    assert np.max(np.abs(ends[0] - ends[1])) < 1e-6


def test_hinges_are_made_on_the_way() -> None:
    clauses = (
        "on time 0.2 s: break b\n"
        "  on time 0.3 s: join q to r with ball as c matching (top, bottom) closing"
    )
    ours, theirs = runs("0.5 s", clauses)
    ends = [run.state(0.5).arrays["dynamic.position"] for run in (ours, theirs)]
    assert np.max(np.abs(ends[0] - ends[1])) < 1e-5


def test_edited_runs_are_laid_side_by_side_by_the_bodies_that_stayed() -> None:
    clauses = "on time 0.2 s: add extra: rod by extra.top at (3 m, 2 m, 0)"
    compared = art.beside(*runs("0.4 s", clauses))
    assert [each.body for each in compared.bodies] == ["r", "q"]
    assert compared.widest is not None
    assert compared.widest.distance < 1e-6


ROUGH = """
primitive block(mu: number) {
  properties: (density: 1000, friction: mu)
  geometry: cuboid(0.2, 0.2, 0.2)
  dynamics
}
world slide {
  gravity: (0, -9.81, 0)
  components { table: table; b: block(0.9) }
  structure { place b by b.center at (0, 0.1, 0) velocity = ((2 m/s, 0, 0) (0, 0, 0)) }
}
primitive table {
  properties: (friction: 0.1)
  geometry: cuboid(9, 2, 9) where { middle: (0, 1, 0) }
}
"""


def test_friction_of_two_bodies_is_mixed_as_ours() -> None:
    text = ROUGH.replace("{ place b", "{ place table by table.middle at (0, 0, 0); place b")
    world = art.parse(text).world("slide")
    run = art.simulate(world, until=1.2, step=0.02, method=art.MuJoCo(step=5e-4))
    # v^2 / 2 mu g with mu = sqrt(0.9 0.1)
    assert run.series("b.center.x")[-1] == pytest.approx(4.0 / (2 * 0.3 * 9.81), rel=0.02)


def test_bodies_of_one_mechanism_pass_through_each_other_unless_asked() -> None:
    text = TEXT.replace("METHOD", "mujoco").replace("UNTIL", "0.3 s").replace("STRENGTH", "")
    # a third rod that hangs on the second where that hangs on the first, and lies in both
    text = text.replace("r, q: rod", "r, q, s: rod").replace(
        "matching (top, bottom)",
        "matching (top, bottom)\n    join s to q with pin(axis: z) as c matching (top, top)",
    )
    for clauses, touches in (("contact: newton", False), ("contact: within mechanisms", True)):
        run = art.simulate(art.parse(text.replace("CLAUSES", clauses)).requests[0])
        assert any(event.kind == "contact" for event in run.events) == touches
        alone = art.simulate(
            art.parse(text.replace("CLAUSES", clauses)).requests[0],
            domains=("geometric", "control", "dynamic"),
        )
        assert "mujoco.touched" not in alone.channels


def test_work_that_mujoco_does_not_book_is_not_called_gained() -> None:
    text = TEXT.replace("STRENGTH", "driven by push").replace("UNTIL", "0.3 s")
    text = text.replace("CLAUSES", "contact: newton")
    runs = [
        art.simulate(
            art.parse(text.replace("METHOD", method)).requests[0],
            controllers={"push": lambda t, sensed: 40.0 * np.sin(9.0 * t)},
        )
        for method in METHODS
    ]
    compared = art.beside(*runs)
    assert compared.widest is not None
    assert compared.widest.distance < 1e-4
    assert np.isfinite(compared.drift[0])
    assert np.isnan(compared.drift[1])
