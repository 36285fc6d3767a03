"""One fault has one finding, at the line where it stands, though more follows from it."""

from __future__ import annotations

import pytest

from articulata.world.document import parse
from articulata.world.world_files import LIBRARY

ROOM = "world room {\n  components { floor: fixed_point }\n}\n"
POSE = ROOM + "pose up {\n  figure: person\n  world: room\n  place: r_grip at floor\n}\n"
REACH = ROOM + "reach room {\n  person: person\n  limits: r_elbow_flexion from 0 to 2 rad\n}\n"
TRACK = ROOM + "track t {\n  figure: person\n  from: emulator\n  stations: 1 skull\n}\n"
WALKER = """units: metre, kilogram, second, degree
figure walker {
  up: z
  chain body: plain table {
    trunk: fixed(link: trunk, mass: 40 kg, shape: cuboid(0.3, 0.2, 0.6))
    hip: revolute(axis: x, limits: (-90, 90), link: leg, mass: 9 kg, shape: capsule(0.05, 0.4))
  }
  posture standing { hip: 0 }
  motion walk {
    0 s: standing, base at (0, 0.6, 0)
    1 s: standing, base at (0, 0.6, 1)
    ease: smooth
  }
}
world hall {
  gravity: (0, -9.81, 0)
  components { max: walker }
  structure {
    place max by max.base at (0, 0.6, 0)
    max follows walk from 0.1 s
  }
}
"""
SLIDE = """primitive block { geometry: cuboid(0.1, 0.1, 0.1) }
world slide {
  components
    base: fixed_point
    tip: block
  structure {
    place base by base.center at (0, 0, 0)
    join tip to base with slider(axis: x) as guide matching (center, center)
    join tip to base with spring(stiffness: 2 N/m) as coil matching (center, center)
    force brake between tip.center and base.center = 1 N
  }
}
"""
RUN = (
    SLIDE
    + """simulate slide {
  time: (1 ms, 10 s)
  on time 1 s: set tip.v = (2 m/s, 0, 0)
  on impact(tip, base): stop
}
"""
)
MUSEUM = (LIBRARY / "rooms" / "museum.art").read_text("utf-8")
BETWEEN = "between tip.center and base.center = 1 N"
JOINT = "limits: r_elbow_flexion from 0 to 2 rad"

FAULTS = [
    (
        SLIDE,
        "primitive block {",
        "primitive block(parameter Length span = 2 m) {",
        "write span: length = 2 m",
    ),
    (
        SLIDE,
        "primitive block {",
        "primitive block(span: Length[m] = 2) {",
        "write span: length = 2 m",
    ),
    (
        SLIDE.replace("block {", "block(n: count = 6) {"),
        "n: count = 6",
        "const int n = 6",
        "write n: count = 6",
    ),
    (RUN, "time: (1 ms, 10 s)", "time: 0..10 s", "write time: (1 ms, 10 s)"),
    (RUN, "tip.v = (2 m/s, 0, 0)", "tip.v = 2 m/s", "write (2 m/s, 0, 0)"),
    (RUN, "on impact(tip, base)", "on tip.impact(base)", "write on impact(tip, base)"),
    (REACH, "person: person", "person: person 1.58 m, woman", "write person(1.58 m, woman)"),
    (REACH, "person: person", "person: person(height_of_user, woman)", "let height_of_user"),
    (REACH, "person: person", "person: child(9)", "write person(child, age: 9)"),
    (
        WALKER,
        "posture standing { hip: 0 }",
        "posture standing = (hip: 0)",
        "write posture standing { hip: 0 }",
    ),
    (WALKER, "chain body: plain table", "chain body: => plain table", "means nothing"),
    (WALKER, "1 s: standing", "50%: standing", "at a time"),
    (SLIDE, "tip: block", "end: block", "'end' is a reserved word"),
    (SLIDE.replace("tip", "end"), "end: block", "end: block", "'end' is a reserved word"),
    (SLIDE, BETWEEN, "about guide = -2 N*s/m * rate", "no one axis to turn about"),
    (
        REACH,
        JOINT,
        "limits: r_elbow_flexion: (0, 2 rad)",
        "write r_elbow_flexion from 0 to 2 rad",
    ),
    (
        REACH,
        JOINT,
        "limits: r_elbow_flexion = 0 .. 2 rad",
        "write r_elbow_flexion from 0 rad to 2 rad",
    ),
    (TRACK, "1 skull", "1: skull", "write 1 skull"),
    (POSE, "place: r_grip at floor", "place: floor at r_grip", "write r_grip at floor"),
    (POSE, "place: r_grip at floor", "look: floor at r_grip", "write r_grip at floor"),
    (POSE, "place: r_grip at floor", "move: right arm", 'write "right arm"'),
    (POSE, "world: room", "room: room", "write world: room"),
    (POSE, "pose up {", "pose up: {", "remove ':'"),
    (POSE, "world: room", "world room", "add ':'"),
    (MUSEUM, "world: museum", "world museum", "add ':'"),
    (WALKER, "posture standing {", "posture {", "a name is missing"),
    (WALKER, "ease: smooth", "easing: smooth", "did you mean 'ease'?"),
    (WALKER, "ease: smooth", "tempo: smooth", "'tempo' is not known here"),
    (
        SLIDE,
        "cuboid(0.1, 0.1, 0.1)",
        "union() {\n sphere(1);\n sphere(2)\n}",
        "union(sphere(1), sphere(2))",
    ),
]


@pytest.mark.parametrize(("text", "right", "wrong", "told"), FAULTS)
def test_a_fault_is_told_once_where_it_stands(text: str, right: str, wrong: str, told: str) -> None:
    mistaken = text.replace(right, wrong, 1)
    (found,) = parse(mistaken).check(starts=False)
    assert found.line == text[: text.index(right)].count("\n") + 1
    assert found.suggestion
    assert told in f"{found.message} | {found.suggestion}"


@pytest.mark.parametrize("text", [SLIDE, REACH, POSE, TRACK, WALKER, MUSEUM])
def test_the_texts_are_right_before(text: str) -> None:
    assert not [e for e in parse(text).check(starts=False) if e.severity == "error"]
