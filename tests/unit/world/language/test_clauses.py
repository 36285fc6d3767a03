"""``on`` clauses from text to values: events, conditions in SI units, actions and their edits."""

from __future__ import annotations

import math

import pytest

from articulata.errors import WorldError
from articulata.world.document import parse
from articulata.world.edits.force_edits import AddForce
from articulata.world.edits.structure_edits import AddBody, MakeHinge, RemoveComponent
from articulata.world.edits.transaction import inverse_of
from articulata.world.requests.request import Rule

WORLD = """
units: centimetre, degree
let high = 30
primitive ball {
  properties: (density: 1 kg/m^3)
  geometry: sphere(10) where { side: (10, 0, 0) }
  dynamics
}
world w(h = 100) {
  components hook: fixed_point; b: ball; c: ball
  structure {
    join b to hook with pin(axis: z) as pin1 matching (side, center)
    place hook by hook.center at (0, h, 0)
    place c by c.center at (200, 0, 0)
  }
}
"""


def rules(*clauses: str, limits: str = "") -> tuple[Rule, ...]:
    joined = "matching (side, center)"
    text = (
        WORLD.replace(joined, f"{joined} {limits}")
        + "simulate w(50) {\n  time: (1 s, 2 s)\n  "
        + "\n  ".join(clauses)
        + "\n}\n"
    )
    document = parse(text)
    assert [each for each in document.check() if each.severity == "error"] == []
    assert parse(document.text).text == document.text
    return document.requests[0].rules


@pytest.mark.parametrize("word", ["contact", "impact", "separation", "stick", "slip"])
def test_events_of_two_bodies(word: str) -> None:
    (rule,) = rules(f"on {word}(b, c.side): stop")
    assert (rule.event, rule.operands, rule.given) == (word, ("b", "c.side"), None)
    assert rule.span.line == 19


def test_events_of_one_thing() -> None:
    found = rules("on settled(c): stop", "on break pin1: stop", "on limit pin1: stop",
                  "on time 1500 ms: stop", limits="limits (-10, 20)")  # fmt: skip
    assert [(rule.event, rule.operands) for rule in found] == [
        ("settled", ("c",)), ("break", ("pin1",)), ("limit", ("pin1",)), ("time", (1.5,)),
    ]  # fmt: skip


def test_an_event_may_have_to_meet_a_condition() -> None:
    (rule,) = rules("on impact(b, c) with impulse > 3 N*s and speed > 20: stop")
    assert rule.given == ("and", (">", "impulse", 3.0), (">", "speed", pytest.approx(0.2)))
    (rule,) = rules("on break pin1 with force > 2 kN: stop")
    assert rule.given == (">", "force", 2000.0)


def test_conditions_are_in_si_units_whatever_the_files_are() -> None:
    (rule,) = rules("on pin1.angle > high and (c.center.y < 5 or not time > 1): stop")
    assert rule.event == "condition"
    assert rule.operands == (
        "and",
        (">", "pin1.angle", pytest.approx(math.radians(30))),
        ("or", ("<", "c.center.y", 0.05), ("not", (">", "time", 1.0))),
    )


def test_sides_of_a_comparison_may_be_computed() -> None:
    (rule,) = rules("on abs(b.v.x) * 2 - c.v.x > 40 + 10 cm/s: stop")
    assert rule.operands == (
        ">", ("-", ("*", ("abs", "b.v.x"), 2.0), "c.v.x"), pytest.approx(0.5),
    )  # fmt: skip
    (rule,) = rules("on -pin1.rate >= 1 rad/s: stop")
    assert rule.operands == (">=", ("neg", "pin1.rate"), 1.0)


def test_actions_keep_their_operands() -> None:
    (rule,) = rules(
        "on time 1 s {", "break pin1", "remove c", "set b.v = (0, 100, 0)", "set b.w = (0, 0, 90)",
        "set gravity = (0, -100, 0)", "set pin1.strength = (3 N, 2 N*m)", "ignore b with c",
        "heed b with c", "place c by c.side at (0, 100, 0)", "stop", "}",
    )  # fmt: skip
    assert [(action.verb, action.operands) for action in rule.actions] == [
        ("break", ("pin1",)),
        ("remove", ("c",)),
        ("set", ("b.v", (0.0, 1.0, 0.0))),
        ("set", ("b.w", (0.0, 0.0, pytest.approx(math.pi / 2)))),
        ("set", ("gravity", (0.0, -1.0, 0.0))),
        ("set", ("pin1.strength", (3.0, 2.0))),
        ("ignore", ("b", "c")),
        ("heed", ("b", "c")),
        ("place", ("c", "c.side", (0.0, 1.0, 0.0))),
        ("stop", ()),
    ]


def test_what_is_added_and_joined_is_found_by_elaborating_the_world() -> None:
    (rule,) = rules(
        "on time 1 s {", "add d: ball by d.center at (0, 300, 0)",
        "join d to c with spring(stiffness: 10 N/m, length: 10) as s matching (center, center)",
        "join c to b with ball.and.socket as link matching (side, center) closing breaks at 5 N",
        "}",
    )  # fmt: skip
    added, spring, link = (action.edits for action in rule.actions)
    (body,) = added
    assert isinstance(body, AddBody)
    assert (body.body.id, body.body.pose.position) == ("d", (0.0, pytest.approx(3.0), 0.0))
    (force,) = spring
    assert isinstance(force, AddForce)
    assert force.force.id == "s"
    (hinge,) = link
    assert isinstance(hinge, MakeHinge)
    assert hinge.closing
    assert hinge.hinge.strength == (5.0, None)
    assert hinge.hinge.frame_a.position == (pytest.approx(0.1), 0.0, 0.0)


def test_a_composite_is_added_with_all_its_parts() -> None:
    text = WORLD.replace(
        "world w",
        """composite pair {
  components one: ball; two: ball
  structure { join two to one with pin(axis: z) as knee matching (side, side) }
}
world w""",
    )
    text += "simulate w(50) {\n  time: (1 s, 2 s)\n  on time 1 s: add p: pair by p.one.center at "
    document = parse(text + "(0, 500, 0)\n}\n")
    assert document.check() == ()
    (action,) = document.requests[0].rules[0].actions
    world = document.world(document.requests[0])
    after = world.edit(action.edits)
    assert [name for name in after.bodies if name.startswith("p.")] == ["p.one", "p.two"]
    assert after.components["p"].children == ("p.one", "p.two")
    assert "p.knee" in after.hinges
    assert after.edit(inverse_of(world, action.edits)) == world
    with pytest.raises(WorldError, match=r"still has p\.one, p\.two"):
        after.edit([RemoveComponent("p")])


def test_a_weld_without_matching_holds_bodies_as_they_stand() -> None:
    (rule,) = rules("on contact(b, c): join c to b with weld as stuck breaks at 50 N")
    (action,) = rule.actions
    assert (action.verb, action.operands) == ("weld", ("stuck", "c", "b", 50.0, -1.0))


@pytest.mark.parametrize(
    ("clause", "message"),
    [
        ("on time 1 s: join b to c with pin(axis: z)", "'matching' and the features"),
        ("on time 1 s: place c by c.center at (0, 1, 0) turned 3 about z", "placed by one point"),
        ("on b.momentum.y > 3 m: stop", "an impulse"),
        ("on contact(b, c) with impulse: stop", "compares two values"),
        ("on time 1 s: add d: cube by d.center at (0, 1, 0)", "no type 'cube'"),
        ("on time 1 s: add c: ball by c.center at (0, 1, 0)", "declared twice"),
        ("on pin1.angle > 3 m: stop", "an angle (deg) cannot be compared with a length"),
    ],
)
def test_what_cannot_be_meant_is_found(clause: str, message: str) -> None:
    text = WORLD + f"simulate w(50) {{\n  time: (1 s, 2 s)\n  {clause}\n}}\n"
    found = [each for each in parse(text).check() if each.severity == "error"]
    assert any(message in each.message for each in found)
    assert {each.line for each in found} == {19}
    with pytest.raises(WorldError):
        assert parse(text).requests


@pytest.mark.parametrize(
    ("clause", "message"),
    [
        ("on c.angle > 3 deg: stop", "body 'c' moves on no hinge, so it has no 'angle'"),
        ("on pin1.travel > 3: stop", "hinge 'pin1' (revolute) has no 'travel'; it has angle"),
        ("on limit pin1: stop", "hinge 'pin1' has no limits to reach"),
        ("on hook.energy > 3: stop", "body 'hook' has no mass"),
        ("on impact(b, c) with c.rate > 3: stop", "moves on no hinge"),
    ],
)
def test_a_quantity_that_the_world_does_not_have_is_found(clause: str, message: str) -> None:
    text = WORLD + f"simulate w(50) {{\n  time: (1 s, 2 s)\n  {clause}\n}}\n"
    (finding,) = parse(text).check()
    assert message in finding.message
    assert finding.line == 19


def test_closing_is_no_word_of_a_worlds_own_joins() -> None:
    text = WORLD.replace("matching (side, center)", "matching (side, center) closing")
    (finding,) = parse(text).check()
    assert "during a run" in finding.message


@pytest.mark.parametrize(
    "clause", ["on c.center.y == 5: stop", "on not (time != 1 s and c.center.y > 5): stop",
               "on time == 1 s: stop"]
)  # fmt: skip
def test_nothing_is_equal_for_a_while(clause: str) -> None:
    document = parse(WORLD + f"simulate w(50) {{ time: (1 s, 2 s); {clause} }}")
    (found,) = (each for each in document.check() if each.severity == "error")
    said = "there is no '=='" if "==" in clause else "there is no '!='"
    assert found.message.startswith(said)
    assert ("write time 1 s" if "on time" in clause else "abs(a - b)") in found.suggestion
