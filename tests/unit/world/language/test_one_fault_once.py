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
MUSEUM = (LIBRARY / "rooms" / "museum.art").read_text("utf-8")
BETWEEN = "between tip.center and base.center = 1 N"
JOINT = "limits: r_elbow_flexion from 0 to 2 rad"

FAULTS = [
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
