"""Edits in a running simulation: callbacks, clauses, breakable hinges, undo and replay."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.integrate import quad

import articulata as art
from articulata.analyses.simulate.reacting import Callback
from articulata.records.recording import Recording
from articulata.world.edits.transaction import Edit, Transaction, show
from articulata.world.model import Hinge, World

TEXT = """
primitive ball {
  properties: (density: 1000, restitution: 0.5)
  geometry: sphere(0.1)
  dynamics
}
primitive bar {
  properties: (density: 500)
  geometry: cuboid(1, 0.05, 0.05) where { near: (-0.5, 0, 0); far: (0.5, 0, 0) }
  dynamics
}
world w {
  gravity: (0, -9.81, 0)
  components hook: fixed_point; b: ball; r: bar; floor: ground
  structure {
    join r to hook with pin(axis: z) as h matching (near, center) breaks at 25 N
    place hook by hook.center at (0, 2, 0)
    place r by r.center at (0.5, 2, 0)
    place b by b.center at (3, 1, 0)
  }
}
"""


def world() -> World:
    return art.parse(TEXT).world("w")


def unbreakable() -> World:
    return world().edit([art.SetProperty("h.strength", (None, None))])


def kinds(recording: Recording) -> list[str]:
    return [event.kind for event in recording.events]


def edits(recording: Recording) -> list[art.Event]:
    return [event for event in recording.events if event.kind == "edit"]


def breaking_angle() -> float:
    """Below the horizontal, where the pin of a bar let go there bears 25 N.

    A thin bar's pin bears ``m g (5/2 sin q)`` along the bar and ``m g / 4 cos q`` across it, here
    with the bar's own inertia ``m (1 + 0.05^2) / 12`` about its centre.
    """
    m, g, c = 500 * 0.05**2, 9.81, 0.5
    J = m * (1 + 0.05**2) / 12 + m * c**2

    def force(q: float) -> float:
        along = m * g * math.sin(q) + m * c * 2 * m * g * c * math.sin(q) / J
        across = m * g * math.cos(q) * (1 - m * c**2 / J)
        return math.hypot(along, across)

    low, high = 0.0, math.pi / 2
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if force(middle) < 25.0 else (low, middle)
    return low


def falling_time(angle: float) -> float:
    m, g, c = 500 * 0.05**2, 9.81, 0.5
    J = m * (1 + 0.05**2) / 12 + m * c**2
    # With q = s^2 the integrand is smooth where the bar starts from rest.
    rate = 2 * m * g * c / J
    whole, _ = quad(
        lambda s: 2 * s / math.sqrt(rate * math.sin(s * s)) if s else 2 / math.sqrt(rate),
        0.0, math.sqrt(angle), epsabs=1e-13, epsrel=1e-13,
    )  # fmt: skip
    return whole


@pytest.mark.parametrize("method", [art.DOP853(), art.RK4(1e-3)], ids=str)
@pytest.mark.parametrize("domains", [None, ("geometric", "control", "dynamic")])
def test_a_hinge_breaks_at_the_instant_its_force_exceeds_its_strength(
    method: art.DOP853 | art.RK4, domains: tuple[str, ...] | None
) -> None:
    run = art.simulate(world(), until=0.5, step=0.02, method=method, domains=domains)
    broken = next(event for event in run.events if event.kind == "break")
    assert broken.who == ("h",)
    assert broken.values["force"] == pytest.approx(25.0, abs=1e-8)
    assert broken.values["force"] >= 25.0 - 1e-9
    assert broken.values["strength_force"] == 25.0
    assert broken.where == ("r.near", "hook.center")
    assert broken.span.line == 16
    assert broken.time == pytest.approx(falling_time(breaking_angle()), abs=1e-9)
    (edit,) = edits(run)
    assert edit.time == broken.time
    assert edit.values["hinges_broken"] == ("h",)
    assert edit.values["energy_before"] == edit.values["energy_after"]
    assert edit.values["momentum_before"] == edit.values["momentum_after"]
    assert edit.values["rank_before"] == 17.0
    assert edit.values["rank_after"] == 12.0
    assert edit.values["rows_removed"] == ("h fx", "h fy", "h fz", "h mv", "h mu")
    # what flies on keeps its spin
    spin = run.series("r.w.z")[run.times > broken.time]
    assert np.ptp(spin) < 1e-12


def test_a_hinge_that_holds_is_not_broken() -> None:
    strong = world().edit([art.SetProperty("h.strength", (43.0, None))])
    most = float(np.max(np.linalg.norm(art.simulate(strong, until=2.0).series("h.force"), axis=1)))
    assert 30 < most < 43


def test_a_moment_breaks_a_weld() -> None:
    text = TEXT.replace("pin(axis: z)", "weld").replace("breaks at 25 N", "breaks at (1 kN, 5 N*m)")
    run = art.simulate(art.parse(text).world("w"), until=0.1, step=0.02)
    event = next(event for event in run.events if event.kind == "break")
    assert event.time == 0.0
    assert event.values["moment"] == pytest.approx(500 * 0.05**2 * 9.81 * 0.5, rel=1e-12)
    assert event.values["overload"] == "moment"


def test_a_callback_edits_the_world_at_the_instant_of_an_impact() -> None:
    seen: list[tuple[str, float]] = []

    def lifted(event: art.Event, moment: art.Moment) -> art.Place | None:
        seen.append((event.kind, moment.time))
        if event.kind == "impact" and event.who[0] == "b" and len(seen) == 1:
            assert moment.value("b.v.y") > 0
            assert moment.state.time == event.time
            with pytest.raises(ValueError, match="read-only"):
                moment.state.arrays["dynamic.velocity"][0, 0] = 1.0
            return art.Place("b", velocity=(0, 3.0, 0))
        return None

    run = art.simulate(unbreakable(), until=1.2, step=0.02, on_event=lifted)
    assert [kind for kind, _ in seen] == kinds(run)
    hits = [event.time for event in run.events if event.kind == "impact"]
    assert hits[0] == pytest.approx(math.sqrt(2 * 0.9 / 9.81), abs=1e-12)
    assert hits[1] - hits[0] == pytest.approx(2 * 3.0 / 9.81, abs=1e-12)
    (edit,) = edits(run)
    assert edit.values["by"] == ("the callback for 'impact'",)
    assert run.causes(edit)[0].kind == "impact"


def test_a_mapping_gives_each_kind_its_callback_and_stop_ends_the_run() -> None:
    asked: list[str] = []

    def stop(event: art.Event, moment: art.Moment) -> art.Stop:
        asked.append(event.kind)
        return art.Stop("seen enough")

    run = art.simulate(unbreakable(), until=2.0, on_event={"impact": stop})
    assert asked == ["impact"]
    assert run.complete
    assert run.events[-1].kind == "stop"
    assert run.events[-1].values["reason"] == "seen enough"
    assert run.times[-1] == run.events[-1].time
    assert art.replay(run).to_bytes() == run.to_bytes()


def everything(event: art.Event, moment: art.Moment) -> list[Edit] | None:
    """Something of each kind of edit, one after the other."""
    if event.kind != "impact" or "b" not in event.who:
        return None
    ball = moment.world.bodies["b"]
    if moment.world.version == 1:
        return [
            art.AddBody(replace(ball, id="b2", pose=art.Pose((3.0, 2.0, 0.0)))),
            art.SetProperty("gravity", (0.0, -5.0, 0.0)),
        ]
    if "h" in moment.world.hinges:
        return [art.BreakHinge("h"), art.Ignore("b", "b2")]
    return [art.RemoveBody("b2")] if "b2" in moment.world.bodies else None


def test_a_replay_of_edits_equals_the_run_and_each_is_undone_bit_for_bit() -> None:
    run = art.simulate(unbreakable(), until=2.0, step=0.02, on_event=everything)
    assert len(edits(run)) == 3
    assert art.replay(run).to_bytes() == run.to_bytes()
    worlds = list(run.worlds.values())
    assert worlds[-1].gravity == (0.0, -5.0, 0.0)
    for event in edits(run):
        before = run.undo(event)
        frames = [n for n, t in enumerate(run.times) if t == event.time]
        then = run.frame(frames[0])
        assert before.time == event.time
        assert before.state.version == before.world.version == then.version
        after = before.world.edit(before.made)
        assert after.edit(before.edits) == before.world
        for name, array in then.arrays.items():
            assert (before.state.arrays[name] == array).all() or np.isnan(array).any()
    assert run.undo().time == edits(run)[-1].time


def test_a_run_goes_on_from_where_an_edit_was_undone() -> None:
    plain = art.simulate(unbreakable(), until=1.0, step=0.02)

    def broken(event: art.Event, moment: art.Moment) -> art.BreakHinge | None:
        return art.BreakHinge("h") if "h" in moment.world.hinges else None

    run = art.simulate(unbreakable(), until=1.0, step=0.02, on_event={"impact": broken})
    before = run.undo()
    on = art.simulate(before.world, start=before.state, until=1.0, step=0.02)
    assert on.times[0] == before.time
    assert on.times[-1] == 1.0
    assert on.series("r.far")[-1] == pytest.approx(plain.series("r.far")[-1], abs=1e-9)
    assert art.replay(on).to_bytes() == on.to_bytes()


def again(name: str) -> Hinge:
    return replace(world().hinges["h"], id=name, strength=(None, None))


def test_joining_adds_no_energy_and_books_the_impact() -> None:
    def change(event: art.Event, moment: art.Moment) -> list[Edit]:
        if moment.time < 0.15:
            return [art.BreakHinge("h"), art.Place("r", velocity=(0.0, 1.0, 0.0))]
        x, y, z = np.asarray(moment.value("r.near")).tolist()
        return [art.Place("hook", art.Pose((x, y, z))), art.MakeHinge(again("again"))]

    rules = [art.Rule("time", (0.1,), ()), art.Rule("time", (0.17,), ())]
    run = art.simulate(unbreakable(), until=0.3, step=0.02, rules=rules, on_event={"time": change})
    loosened, joined = edits(run)
    assert loosened.values["energy_lost"] == 0.0
    assert joined.values["hinges_made"] == ("again",)
    values = {name: np.array(value) for name, value in joined.values.items()}
    assert values["energy_lost"] > 0.0
    lost = values["kinetic_before"] - values["kinetic_after"]
    assert lost == pytest.approx(values["energy_lost"], rel=1e-12)
    change_of_momentum = values["momentum_after"] - values["momentum_before"]
    assert values["impulse of again"][:3] == pytest.approx(change_of_momentum[:3], abs=1e-9)
    assert np.max(np.abs(run.series("r.near")[-1] - run.series("hook.center")[-1])) < 1e-11


def test_the_books_balance_over_edits() -> None:
    def change(event: art.Event, moment: art.Moment) -> list[Edit]:
        if moment.time < 0.15:
            return [art.BreakHinge("h"), art.SetProperty("gravity", (0.0, -3.0, 0.0))]
        x, y, z = np.asarray(moment.value("r.near")).tolist()
        return [art.Place("hook", art.Pose((x, y, z))), art.MakeHinge(again("again"))]

    rules = [art.Rule("time", (0.1,), ()), art.Rule("time", (0.17,), ())]
    run = art.simulate(
        unbreakable(), until=0.3, step=0.02, rules=rules, on_event={"time": change},
        domains=("geometric", "control", "dynamic"),
    )  # fmt: skip
    energy = {name: run.series(f"energy.{name}") for name in ("total", "work", "dissipated")}
    balance = energy["total"] - energy["work"] + energy["dissipated"]
    assert np.ptp(balance) < 1e-9 * abs(balance[0])
    assert energy["dissipated"][-1] > 0.01


def test_a_join_whose_features_are_apart_is_refused_or_closed() -> None:
    def far(closing: bool) -> Callback:
        def asked(event: art.Event, moment: art.Moment) -> list[Edit]:
            joined = art.MakeHinge(again("reach"), closing=closing)
            lower = art.Place("hook", art.Pose((0.0, 1.9, 0.0)))
            return [art.BreakHinge("h"), lower, joined]

        return asked

    rule = art.Rule("time", (0.1,), ())
    with pytest.raises(art.SimulationError, match="hinge 'reach' joins 'r' and 'hook'") as caught:
        art.simulate(unbreakable(), until=0.3, rules=[rule], on_event={"time": far(False)})
    assert caught.value.recording.times[-1] == 0.1  # type: ignore[attr-defined] # documented
    run = art.simulate(unbreakable(), until=0.3, rules=[rule], on_event={"time": far(True)})
    gap = run.series("r.near")[-1] - np.array([0.0, 1.9, 0.0])
    assert float(np.linalg.norm(gap)) < 1e-11


# ---- errors, each with the recording so far


def failing(
    on_event: object, rules: tuple[art.Rule, ...] = (), **options: object
) -> art.SimulationError:
    with pytest.raises(art.SimulationError) as caught:
        art.simulate(unbreakable(), until=2.0, step=0.02, on_event=on_event, rules=rules)  # type: ignore[arg-type] # wrong on purpose
    recording = caught.value.recording  # type: ignore[attr-defined] # documented
    assert len(recording.times) > 10
    assert recording.reason
    return caught.value


def test_a_clause_s_edits_are_told_in_plain_words() -> None:
    text = (
        TEXT
        + """
simulate w {
  time: (0.05 s, 0.15 s)
  on time 0.02 s: set gravity = (0, -1.6, 0)
  on time 0.04 s: set b.v = (1, 0, 2)
  on time 0.06 s: place b by b.center at (4, 1, 0)
  on time 0.08 s { set b.restitution = 0.25; set r.friction = 1/3 }
  on time 0.1 s: ignore b with r
}
"""
    )
    told = [event.story.partition(" The equations")[0] for event in edits(art.simulate(
        art.parse(text).requests[0]
    ))]  # fmt: skip
    assert told == [
        "gravity is set to (0, -1.6, 0).",
        "the velocity of b is set to (1, 0, 2) m/s at its origin and the rate of b is set to "
        "(0, 0, 0) rad/s.",
        "b is placed with its origin at (4, 1, 0) m.",
        "b.restitution is set to 0.25; r.friction is set to 0.333333.",
        "b with r is not tested for contact from here on.",
    ]


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (art.BreakHinge("h"), "hinge h ends"),
        (art.RemoveBody("b"), "body b leaves"),
        (art.SetProperty("b.friction", None), "b.friction is no longer given"),
        (art.SetProperty("h.strength", (25.0, None)), "h.strength is set to (25, none)"),
        (art.SetPair(art.MaterialPair("ball", "ground", static_friction=0.5)),
         "contact ball with ground is set to static friction 0.5"),
        (art.Heed("b", "r"), "b with r is tested for contact from here on"),
        (art.Place("b"), "b stays where it is"),
    ],
)  # fmt: skip
def test_every_edit_has_words(edit: Edit, words: str) -> None:
    assert show(edit) == words
    assert show(Transaction((edit, art.BreakHinge("k")))) == f"{words}; hinge k ends"


def test_a_stranger_s_edit_is_told_by_its_name_and_subject() -> None:
    @dataclass(frozen=True)
    class Paint:
        body: str

    assert show(Paint("b")) == "Paint b"  # type: ignore[arg-type] # an edit in what is shown of it


def test_edits_that_contradict_each_other_name_both_and_their_lines() -> None:
    rule = art.Rule(
        "contact", ("b", "floor"), (art.Action("set", ("b.restitution", 0.1)),),
        span=art.parse(TEXT).world("w").bodies["b"].span,
    )  # fmt: skip

    def other(event: art.Event, moment: art.Moment) -> Edit:
        return art.SetProperty("b.restitution", 0.9)

    error = failing({"impact": other}, (rule,))
    assert "the callback for 'impact'" in str(error)
    assert "asks that b.restitution is set to 0.9" in str(error)
    assert "on contact(b, floor) (<text>:14:" in str(error)
    assert "contradict" in str(error)


def test_a_hinge_broken_twice_is_named_with_who_broke_it() -> None:
    error = failing({"impact": lambda event, moment: art.BreakHinge("h")})
    assert "hinge 'h' was broken before, at t = 0.428" in str(error)
    assert "the callback for 'impact'" in str(error)


def test_a_clause_that_has_broken_its_hinge_has_nothing_more_to_do() -> None:
    rule = art.Rule("contact", ("b", "floor"), (art.Action("break", ("r.near",)),))
    run = art.simulate(unbreakable(), until=1.0, step=0.02, rules=[rule])
    assert kinds(run).count("edit") == 1
    assert kinds(run).count("impact") > 2


def test_a_callback_that_raises_is_named() -> None:
    error = failing(lambda event, moment: 1 / 0)
    assert "the callback for 'impact' raised ZeroDivisionError: division by zero" in str(error)


def test_a_callback_that_returns_no_edit_is_told_what_to_return() -> None:
    error = failing(lambda event, moment: "break h")
    assert "returned 'break h'" in str(error)
    assert "BreakHinge" in str(error)


def test_edits_without_end_are_stopped() -> None:
    def forth(event: art.Event, moment: art.Moment) -> Edit:
        return art.SetProperty("b.restitution", 0.1 if moment.world.version % 2 else 0.2)

    assert "without end" in str(failing(forth))


def test_why_tells_the_chain_of_causes() -> None:
    run = art.simulate(world(), until=1.0, step=0.02)
    hit = next(event for event in run.events if event.kind == "impact" and "r" in event.who)
    account = run.why(hit).splitlines()
    assert len(account) == 3
    assert "gives way: it bears a force of 25 N and holds 25 N" in account[0]
    assert "Hinge h ends" in account[1]
    assert "therefore" in account[1]
    assert "strikes floor.top" in account[2]
    assert "<text>:16:" in account[0]
    assert "rank: 17 before, 12 after" in edits(run)[0].explain()


def test_an_edit_tells_the_energy_that_goes_and_comes_with_a_force() -> None:
    text = """
    primitive ball { geometry: sphere(0.1); dynamics: (mass: 1 kg) }
    world w {
      components hook: fixed_point; b: ball
      structure {
        join b to hook with spring(stiffness: 200 N/m, length: 50 cm) as pull
          matching (center, center)
        place hook by hook.center at (0, 0, 0)
        place b by b.center at (0.8, 0, 0)
      }
    }
    simulate w { time: (0.01 s, 0.02 s); on time 0 s { break pull } }
    """
    (broken,) = edits(art.simulate(art.parse(text).requests[0]))
    # half the stiffness by the square of what the spring is longer
    assert broken.values["energy_before"] == pytest.approx(0.5 * 200 * 0.3**2)
    assert broken.story.startswith("Force pull ends. 9 J of energy went with that.")
