"""When steps take over: instants are counted with their contacts, over edits as well."""

from __future__ import annotations

import articulata as art
from articulata.domains.dynamic.contact.intervals import TRIES, WORTH, Patience
from articulata.domains.dynamic.stepping.choice import WINDOW, Choice
from articulata.records.events import Event

QUIET = Choice(3000.0, 0.05, 0.05)


def instants_until_steps(closed: int) -> int:
    choice, time = QUIET, 0.0
    for count in range(1, 1000):
        time += 1e-3 * WINDOW
        choice, told = choice.seen((Event(time, "impact"),), time, closed)
        if told:
            assert choice.stepping
            return count
    return 0


def test_an_instant_counts_as_often_as_it_has_contacts() -> None:
    assert instants_until_steps(0) == instants_until_steps(1) == 301
    assert instants_until_steps(30) == 11


def test_instants_long_ago_do_not_count() -> None:
    choice = QUIET
    for count in range(1000):
        time = count * WINDOW / 9.0
        choice, told = choice.seen((Event(time, "impact"),), time, 30)
        assert not told


def test_a_choice_is_recorded_and_goes_on_counting() -> None:
    before = QUIET
    for count in range(10):
        before, _ = before.seen((Event(1e-3 * count, "impact"),), 1e-3 * count, 30)
    again = Choice.recalled(before.plain())
    assert again == before
    after, told = again.seen((Event(0.011, "impact"),), 0.011, 30)
    assert told
    assert after.stepping
    assert not before.stepping


def test_steps_with_many_contacts_have_to_lead_further() -> None:
    for closed, often in ((0, 1.0), (3, 1.0), (30, 90.0)):
        for share, ended in ((0.9, True), (1.1, False)):
            patience, step = Patience(0.0), WORTH * often * share
            ends = [patience.ends(k * step, closed) for k in range(TRIES + 1)]
            assert not any(ends[:-1])
            assert ends[-1] == ended


def test_a_crowd_that_comes_up_again_at_once_makes_steps_stay_longer() -> None:
    choice, time, waits = QUIET, 0.0, []

    def crowded(choice: Choice, time: float) -> tuple[Choice, float]:
        while not choice.stepping:
            time += 1e-4
            choice, _ = choice.seen((Event(time, "impact"),), time, 100)
        return choice, time

    for _ in range(7):
        choice, time = crowded(choice, time)
        since, told = time, ()
        while not told:
            choice, told = choice.handed_back(time)
            time += 0.0 if told else 1e-3
        waits.append(round(time - since, 2))
    assert waits == [0.05, 0.1, 0.2, 0.4, 0.8, 0.8, 0.8]
    # a while without a crowd, and the usual time is enough again
    choice, time = crowded(choice, time + 2.0 * WINDOW)
    assert not choice.handed_back(time + 0.049)[1]
    assert choice.handed_back(time + 0.051)[1]


RINGS = """
primitive ring {
  properties: (density: 1000, friction: 0.5)
  geometry: difference(cylinder(15 cm, 5 cm), cylinder(8 cm, 20 cm))
  dynamics
}
world rings {
  gravity: (0, -9.81, 0)
  components { floor: ground; low: ring; high: ring }
  structure {
    place low by low.origin at (0, 25 mm, 0) turned 90 deg about x
    place high by high.origin at (3 cm, 75 mm, 1 cm) turned 90 deg about x
  }
}
"""


def test_too_many_points_between_two_bodies_are_left_to_steps() -> None:
    run = art.simulate(art.parse(RINGS).world("rings"), until=0.1, step=0.02)
    modes = [(event.time, event.values["mode"]) for event in run.events if event.kind == "mode"]
    assert modes == [(0.0, "stepping")]
    assert abs(float(run.series("high.origin.y")[-1]) - 0.075) < 1e-6


EDITED = """
primitive box {
  properties: (density: 1000, restitution: 0.5); geometry: cuboid(2 cm, 2 cm, 2 cm); dynamics
}
world rain {
  gravity: (0, -9.81, 0)
  components { floor: ground; box[1..8]: box }
  structure {
    for i in 1..8 {
      place box[i] by box[i].center at (10 cm * i, 2 cm + 3 mm * i, 0)
        velocity = ((0, 0, 0) (1, 2, 3))
    }
  }
}
simulate rain {
  time: (0.02 s, 0.2 s)
  contact: crowd 200
  on impact(box[3], floor): set gravity = (0.1, -9.81, 0)
}
"""


def test_edits_do_not_keep_a_crowd_from_steps() -> None:
    run = art.simulate(art.parse(EDITED).requests[0])
    kinds = [event.kind for event in run.events]
    modes = [event.values["mode"] for event in run.events if event.kind == "mode"]
    assert modes[0] == "stepping"
    taken = kinds.index("mode")
    assert "edit" in kinds[:taken]
    assert art.replay(run).to_bytes() == run.to_bytes()
