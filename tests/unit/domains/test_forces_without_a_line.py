"""A force between features in one place has no line to act along, and says so."""

from __future__ import annotations

import articulata as art

TEXT = """
primitive rod {{ properties: (density: 1000); geometry: cuboid(0.1, 0.5, 0.1); dynamics }}
world w {{
  components {{ a, b: rod }}
  structure {{
    place a by a.center at (0, 0, 0)
    place b by b.center at {place}
    ignore a with b
    force hold between a.center and b.center = {law}
  }}
}}
"""

SERVO = "servo(0.2 m, stiffness: 10 N/m, damping: 1 N*s/m)"


def told(law: str, place: str = "(0, 0, 0)") -> list[art.Event]:
    world = art.parse(TEXT.format(law=law, place=place)).world()
    run = art.simulate(world, until=0.01, step=0.01)
    return [event for event in run.events if event.kind == "start"]


def test_a_servo_between_features_in_one_place_says_that_it_does_nothing() -> None:
    (event,) = told(SERVO)
    assert event.who == ("a", "b")
    assert event.where == ("a.center", "b.center")
    assert event.values["force"] == -2.0
    assert "no line between them" in event.story


def test_nothing_is_said_where_there_is_a_line_or_nothing_to_do() -> None:
    assert told(SERVO, "(0, 0.1, 0)") == []
    assert told("10 N/m * distance") == []
