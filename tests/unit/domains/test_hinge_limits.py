"""Limits of hinges in a run: beside contacts, in clauses, in edits, in messages."""

import math

import numpy as np
import pytest

import articulata as art
from articulata.world.writing.worlds import art_text

G = 9.81

DOOR = """
primitive bar {
  properties: (density: 1000)
  geometry: cuboid(4 cm, 1 m, 4 cm) where { top: (0, 0.5, 0) }
  dynamics
}
world door {
  gravity: (0, -9.81, 0)
  components { wall: fixed_point; bar: bar }
  structure {
    place wall by wall at (0, 0, 0)
    place bar by bar.top at (0, 0, 0) turned 80 deg about z
    join bar to wall with pin(axis: z) as h matching (top, center)
      limits (-20 deg, 90 deg) restitution 0.5
  }
}
"""

RAIL = """
primitive cart { properties: (density: 2000); geometry: cuboid(10 cm, 10 cm, 10 cm); dynamics }
world rail {
  components { post: fixed_point; cart: cart }
  structure {
    place post by post at (0, 0, 0)
    place cart by cart.center at (0, 0, 0) velocity = ((2, 0, 0) (0, 0, 0))
    join cart to post with slider(axis: x) as s matching (center, center)
      limits (-1 m, 1 m) restitution 0.5
  }
}
"""

SHELF = """
primitive plank {
  properties: (density: 500, friction: 0.6)
  geometry: cuboid(1 m, 4 cm, 30 cm) where { edge: (-0.5, 0, 0) }
  dynamics
}
primitive box {
  properties: (density: 800, friction: 0.6)
  geometry: cuboid(10 cm, 10 cm, 10 cm)
  dynamics
}
world shelf {
  gravity: (0, -9.81, 0)
  components { wall: fixed_point; plank: plank; box: box }
  structure {
    place wall by wall at (0, 1, 0)
    place plank by plank.edge at (0, 1, 0)
    join plank to wall with pin(axis: z) as h matching (edge, center) limits (-10 deg, 90 deg)
    place box by box.center at (0.7, 1.2, 0)
  }
}
"""


def kinds(recording: art.Recording) -> list[str]:
    return [event.kind for event in recording.events]


def test_a_limit_that_presses_and_corners_that_stick_are_one_problem() -> None:
    """The shelf falls to its stop, the box on it: then the stop bears both about the pin."""
    run = art.simulate(art.parse(SHELF).world("shelf"), until=3.0, step=0.02)
    plank, box = 500.0 * 0.04 * 0.3, 800.0 * 0.1**3
    assert {"limit", "contact"} <= set(kinds(run))
    rests = [event for event in run.events if event.kind == "contact" and event.who == ("h",)]
    assert rests
    assert run.series("h.angle")[-1] == pytest.approx(math.radians(-10.0), abs=1e-12)
    assert float(np.min(run.series("h.angle"))) > math.radians(-10.0) - 1e-9
    # at rest: moments about the pin
    arm = 0.5 * math.cos(math.radians(10.0))
    x = float(run.series("box.center.x")[-1])
    assert np.linalg.norm(run.series("box.v")[-1]) == pytest.approx(0.0, abs=1e-9)
    moment = float(run.series("h.moment")[-1][2])
    assert moment == pytest.approx(G * (plank * arm + box * x), rel=1e-9)
    assert run.series("h.force")[-1][1] == pytest.approx(G * (plank + box), rel=1e-9)
    # nothing of the stop is told as a force of contact
    pressed = run.array("dynamic.contact_force")[-1]
    bodies = list(run.world.bodies)
    assert pressed[bodies.index("box"), 1] == pytest.approx(G * box, rel=1e-9)
    assert pressed[bodies.index("plank"), 1] == pytest.approx(-G * box, rel=1e-9)
    books = run.series("energy.total") + run.series("energy.dissipated")
    assert np.ptp(books) < 1e-7


def test_worlds_without_contact_have_limits_all_the_same() -> None:
    world = art.parse(DOOR).world("door")
    domains = ("geometric", "control", "dynamic")
    run = art.simulate(world, until=1.0, step=0.01, domains=domains)
    assert kinds(run) == ["limit"]
    assert "dynamic.contact_force" not in run.channels
    assert run.events == art.simulate(world, until=1.0, step=0.01).events


@pytest.mark.parametrize("method", [art.DOP853(), art.RK4(2e-3), art.Stepping(1e-3)])
def test_a_clause_about_a_limit_is_told_once(method: art.DOP853 | art.RK4 | art.Stepping) -> None:
    text = DOOR + "simulate door {\n time: (0.02, 1)\n on limit h: break h\n}\n"
    (request,) = art.parse(text).requests
    run = art.simulate(request, method=method)
    assert kinds(run) == ["limit", "edit"]
    hit, edit = run.events
    assert run.causes(edit) == (hit,)
    assert hit.values["limit"] == math.radians(-20.0)
    assert art.replay(run).to_bytes() == run.to_bytes()


def test_a_clause_may_ask_how_hard_a_limit_was_struck() -> None:
    text = RAIL + "simulate rail {\n time: (0.02, 1)\n on limit s with impulse > SAID: stop\n}\n"
    hard, soft = (
        art.simulate(art.parse(text.replace("SAID", said)).requests[0])
        for said in ("5 N*s", "7 N*s")
    )
    assert kinds(hard) == ["limit", "stop"]
    assert kinds(soft) == ["limit"]
    assert soft.events[0].values["impulse"] == pytest.approx(6.0, rel=1e-12)


def test_how_hard_a_turning_hinge_strikes_has_units_of_its_own() -> None:
    text = DOOR + "simulate door {\n time: (0.02, 1.9)\n on limit h with SAID: stop\n}\n"

    def ends(said: str) -> list[str]:
        return kinds(art.simulate(art.parse(text.replace("SAID", said)).requests[0]))

    # 3.80 N m s at 4.75 rad/s first, half of that next
    assert ends("angular_impulse > 3 N*m*s") == ["limit", "stop"]
    assert ends("rate > 3 rad/s") == ["limit", "stop"]
    assert ends("angular_impulse < 3 N*m*s") == ["limit", "limit", "stop"]
    assert ends("angular_impulse > 5 N*m*s") == ["limit", "limit"]
    assert ends("speed > 1 m/s or impulse > 1 N*s") == ["limit", "limit"]
    with pytest.raises(art.WorldError, match=r"N\*m\*s"):
        ends("angular_impulse > 5 N*s")


def test_edits_change_limits_and_their_restitution() -> None:
    text = DOOR + "simulate door {\n time: (0.02, 1.9)\n on limit h: set h.restitution = 1\n}\n"
    run = art.simulate(art.parse(text).requests[0])
    hits = [event for event in run.events if event.kind == "limit"]
    assert [hit.values["restitution"] for hit in hits] == [0.5, 1.0]
    edit = next(event for event in run.events if event.kind == "edit")
    before = run.undo(edit)
    assert before.world == run.world
    on = art.simulate(before.world, start=before.state, until=1.9, step=0.02)
    again = [event for event in on.events if event.kind == "limit"]
    assert [hit.values["restitution"] for hit in again] == [0.5]
    assert art.replay(run).to_bytes() == run.to_bytes()
    with pytest.raises(art.WorldError, match="from 0 to 1"):
        run.world.edit([art.SetProperty("h.restitution", 1.5)])
    changed = run.world.edit([art.SetProperty("h.restitution", 0.25)])
    assert changed.hinges["h"].restitution == 0.25
    undone = changed.edit(art.SetProperty("h.restitution", 0.25).inverse(run.world))
    assert undone.hinges["h"].restitution == 0.5


def test_two_runs_are_equal_and_go_on_from_any_frame() -> None:
    world = art.parse(DOOR).world("door")
    run = art.simulate(world, until=1.9, step=0.05)
    assert run.to_bytes() == art.simulate(world, until=1.9, step=0.05).to_bytes()
    on = art.simulate(world, start=run.state(0.6), until=1.9, step=0.05)
    (later,) = (event.time for event in on.events)
    assert later == pytest.approx(run.events[-1].time, abs=1e-11)


def test_a_world_that_starts_beyond_a_limit_says_so() -> None:
    text = DOOR.replace("limits (-20 deg, 90 deg)", "limits (-20 deg, 60 deg)")
    with pytest.raises(art.SimulationError) as caught:
        art.simulate(art.parse(text).world("door"), until=1.0, step=0.01)
    message = str(caught.value)
    for part in ("angle of hinge 'h'", "80 deg", "upper limit", "60 deg", "widen the limits"):
        assert part in message


def test_an_edit_that_leaves_a_hinge_beyond_its_limits_stops_the_run() -> None:
    text = DOOR + "simulate door {\n time: (0.02, 1)\n on time 0.1 s: stop\n}\n"
    run = art.simulate(art.parse(text).requests[0])
    narrow = run.world.edit([art.SetProperty("h.limits", ((0.0, 0.5),))])
    with pytest.raises(art.SimulationError, match=r"t = 0\.1 s, beyond its upper limit 0\.5 rad"):
        art.simulate(narrow, start=run.state(0.1), until=1.0, step=0.01)


def test_a_run_goes_on_from_where_steps_have_left_a_hinge_beyond_its_limits() -> None:
    text = DOOR + "simulate door {\n time: (0.02, 1)\n on time 0.1 s: stop\n}\n"
    run = art.simulate(art.parse(text).requests[0])
    reached = float(run.series("h.angle")[-1])
    narrow = run.world.edit([art.SetProperty("h.limits", ((-math.pi, reached - 2e-6),))])
    on = art.simulate(narrow, start=run.state(0.1), until=0.5, step=0.01)
    assert on.frame(0).arrays["geometric.pose"].tobytes() == (
        run.state(0.1).arrays["geometric.pose"].tobytes()
    )
    assert kinds(on)[:2] == ["start", "mode"]
    assert "beyond their limits" in on.events[1].story
    assert kinds(on).count("mode") == 2
    assert float(on.series("h.angle")[-1]) < reached


def test_a_start_is_taken_into_limits_by_whole_turns() -> None:
    text = DOOR.replace("turned 80 deg", "turned -170 deg").replace("(-20 deg, 90", "(100 deg, 300")
    run = art.simulate(art.parse(text).world("door"), until=0.1, step=0.01)
    assert run.series("h.angle")[0] == pytest.approx(math.radians(190.0), abs=1e-12)
    assert run.events == ()


def test_methods_that_follow_no_limits_say_so() -> None:
    run = art.simulate(art.parse(DOOR).world("door"), until=0.1, step=0.01, method=art.Symplectic())
    (event,) = run.events
    assert event.kind == "untested"
    assert "limits" in event.story


def test_a_bar_that_stands_at_both_limits_is_held_there() -> None:
    text = DOOR.replace("limits (-20 deg, 90 deg)", "limits (80 deg, 80 deg)")
    run = art.simulate(art.parse(text).world("door"), until=1.0, step=0.05)
    assert np.allclose(run.series("h.angle"), math.radians(80.0), rtol=0.0, atol=1e-12)
    assert set(kinds(run)) == {"contact"}


def test_the_text_says_restitution_of_limits_and_is_told_where_it_errs() -> None:
    world = art.parse(DOOR).world("door")
    assert world.hinges["h"].restitution == 0.5
    assert art.parse(art_text(world)).world("door").hinges["h"].restitution == 0.5
    for old, new, said in (
        ("restitution 0.5", "restitution 1.5", "from 0 to 1"),
        ("limits (-20 deg, 90 deg) ", "", "limits"),
    ):
        with pytest.raises(art.WorldError, match=said):
            art.parse(DOOR.replace(old, new)).world("door")


def test_steps_tell_what_a_hinge_bears_at_its_limit() -> None:
    text = DOOR.replace("limits (-20 deg, 90 deg) restitution 0.5", "limits (30 deg, 90 deg)")
    world = art.parse(text).world("door")
    run = art.simulate(world, until=1.0, step=0.05, method=art.Stepping(1e-3))
    exact = art.simulate(world, until=1.0, step=0.05)
    assert kinds(run) == ["limit", "contact"]
    for quantity in ("h.moment", "h.force"):
        assert run.series(quantity)[-1] == pytest.approx(exact.series(quantity)[-1], abs=1e-4)
    assert np.allclose(run.array("dynamic.contact_force"), 0.0, rtol=0.0, atol=1e-12)


RAM = """
primitive cart { properties: (density: 2000); geometry: cuboid(10 cm, 10 cm, 10 cm); dynamics }
primitive pusher {
  properties: (density: 2000)
  geometry: cuboid(10 cm, 10 cm, 10 cm)
  dynamics
  control: acceleration = push
}
world rail {
  components { post: fixed_point; cart: cart; ram: pusher }
  structure {
    place post by post at (0, 0, 0)
    place cart by cart.center at (0, 0, 0)
    place ram by ram.center at (-1, 0, 0) velocity = ((1, 0, 0) (0, 0, 0))
    join cart to post with slider(axis: x) as s matching (center, center) limits (-1 m, 5 m)
    join cart to ram with slider(axis: x) as r matching (center, center)
      limits (0.5 m, 1.5 m) restitution 0.5
  }
}
"""


def still(t: float, sensed: object) -> tuple[tuple[float, float, float], ...]:
    return ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def test_a_body_that_moves_as_it_is_told_pushes_through_a_limit_and_is_booked() -> None:
    """The cart of 2 kg, struck at 1 m/s with e = 0.5, runs ahead at 1.5 m/s to the other limit."""
    world = art.parse(RAM).world("rail")
    run = art.simulate(world, until=3.0, step=0.05, controllers={"push": still})
    first, second = (event for event in run.events if event.kind == "limit")
    assert (first.time, second.time) == pytest.approx((0.5, 2.5), abs=1e-11)
    assert first.values["impulse"] == pytest.approx(3.0, rel=1e-12)
    assert second.values["impulse"] == pytest.approx(1.5, rel=1e-12)
    work = run.series("energy.work")
    # the ram's impulses act while it moves at 1 m/s
    assert work[-1] == pytest.approx((3.0 - 1.5) * 1.0, rel=1e-12)
    books = run.series("energy.total") - work + run.series("energy.dissipated")
    assert np.ptp(books) < 1e-12


def test_limits_that_close_on_each_other_are_named() -> None:
    text = RAM.replace("limits (-1 m, 5 m)", "limits (-1 m, 0.5 m)").replace("restitution 0.5", "")
    with pytest.raises(art.InconsistentSystem) as caught:
        art.simulate(
            art.parse(text).world("rail"), until=3.0, step=0.05, controllers={"push": still}
        )
    assert {"s at its upper limit", "r at its lower limit"} <= set(caught.value.constraints)
    assert caught.value.time == pytest.approx(1.0, abs=1e-9)


def test_peaks_of_a_hinge_contain_what_its_limit_does() -> None:
    text = DOOR.replace("limits (-20 deg, 90 deg) restitution 0.5", "limits (30 deg, 90 deg)")
    run = art.simulate(art.parse(text).world("door"), until=1.0, step=0.01)
    (peak,) = run.peaks()
    weight = 1.6 * G * 0.5 * math.sin(math.radians(30.0))
    assert peak.moment.value == pytest.approx(weight, rel=1e-9)
    assert peak.moment.time > next(event.time for event in run.events if event.kind == "limit")


@pytest.mark.parametrize("law", [art.Newton(), art.Poisson(), art.Sequential()])
def test_all_laws_of_impact_agree_on_one_limit(
    law: art.Newton | art.Poisson | art.Sequential,
) -> None:
    run = art.simulate(
        art.parse(RAIL).world("rail"), until=1.0, step=0.05, contact=art.Contact(impact=law)
    )
    (hit,) = run.events
    assert hit.values["law"] == law.name
    assert hit.values["separation_speed"] == pytest.approx(1.0, abs=1e-12)
