"""Edits while steps have pressed bodies into each other: only what an edit makes is refused."""

from __future__ import annotations

import pytest

import articulata as art

SHOT = """
primitive link {{
  properties: (density: 178, friction: 0.9)
  geometry: union(cuboid(45 mm, 15 mm, 15 mm), sphere(7.5 mm))
    where {{ l: (-25 mm, 0, 0); r: (25 mm, 0, 0) }}
  dynamics
}}
primitive shot {{ properties: (density: 7000, friction: 0.5); geometry: sphere(5 cm); dynamics }}
primitive bead {{ properties: (density: 178); geometry: sphere(5 mm); dynamics }}
world w {{
  gravity: (0, -1.62, 0)
  components {{ floor: ground; a, b: link; ball: shot; c: bead }}
  structure {{
    place a by a.origin at (0, 7.5 mm, 0)
    place b by b.origin at (50 mm, 7.5 mm, 0)
    join b to a with ball as j matching (l, r)
    place ball by ball.origin at (50 mm, 0.2, 0), velocity = ((0, -0.5, 0) (0, 0, 0))
    {more}
  }}
}}
simulate w {{ time: (2 ms, 0.22 s) {clause} }}
"""
"""A heavy ball strikes light links, which the steps leave 0.4 mm deep in the floor at 0.204 s."""

PRESSED = 0.204
RESTS = "place c by c.origin at (1, 5 mm, 0)"
METHODS = pytest.mark.parametrize(
    ("method", "contact"),
    [(art.Stepping(), None), (art.DOP853(), art.Contact(crowd=1.0, quiet=10.0))],
    ids=["stepping", "handed over"],
)


def run(
    method: art.DOP853 | art.Stepping, contact: art.Contact | None, clause: str, more: str = RESTS
) -> art.Recording:
    request = art.parse(SHOT.format(clause=clause, more=more)).requests[0]
    return art.simulate(request, method=method, contact=contact)


def depth(recording: art.Recording, one: str) -> float:
    frame = int(abs(recording.times - PRESSED).argmin())
    return -float(art.clearance(recording, one, "floor")[frame])


@METHODS
@pytest.mark.parametrize(
    "action",
    ["set b.restitution = 0.3", "set gravity = (0, -1.5, 0)", "break j", "remove c"],
)
def test_an_edit_is_not_refused_for_what_steps_had_pressed(
    method: art.DOP853 | art.Stepping, contact: art.Contact | None, action: str
) -> None:
    made = run(method, contact, f"; on time {PRESSED} s: {action}")
    assert depth(made, "b") > 1e-4
    assert made.complete
    assert [event.kind for event in made.events].count("edit") == 1
    assert "left_out" not in next(e for e in made.events if e.kind == "edit").values
    assert art.replay(made).to_bytes() == made.to_bytes()


@METHODS
@pytest.mark.parametrize(
    ("action", "pair"),
    [
        ("break j; place b by b.origin at (60 mm, 5 mm, 0)", "'b' and 'floor'"),
        ("place c by c.origin at (1, 4 mm, 0)", "'c' and 'floor'"),
        ("add d: bead() by d.origin at (2, 4 mm, 0)", "'d' and 'floor'"),
    ],
)
def test_an_edit_is_refused_for_the_overlap_that_it_makes(
    method: art.DOP853 | art.Stepping, contact: art.Contact | None, action: str, pair: str
) -> None:
    with pytest.raises(
        art.SimulationError, match=rf"{pair}.* overlap by 0\.00\d+ m at t = 0\.204 s"
    ):
        run(method, contact, f"; on time {PRESSED} s {{ {action} }}")


@METHODS
def test_a_pair_that_is_heeded_again_must_be_apart(
    method: art.DOP853 | art.Stepping, contact: art.Contact | None
) -> None:
    # it falls until then
    more = "place c by c.origin at (1, 3 mm, 0)\n    ignore c with floor"
    with pytest.raises(art.SimulationError, match=r"'c' and 'floor'.* overlap by 0\.0357 m at t"):
        run(method, contact, f"; on time {PRESSED} s: heed c with floor", more)
