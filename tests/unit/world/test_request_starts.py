"""``check`` tells what a command would refuse as it begins, at the clause that asks for it."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import get_args

import pytest

from articulata.analyses.simulate.run import simulate
from articulata.errors import ArticulataError, SimulationError
from articulata.world.document import parse
from articulata.world.request_starts import STARTS
from articulata.world.requests.request import RequestKind

ROOM = """units: metre, degree
primitive slab(w: length, h: length, d: length) {
  properties: (fixed)
  geometry: cuboid(w, h, d)
}
primitive pole {
  properties: (fixed)
  geometry: cuboid(0.1, 2, 0.1) where { hook: (0.05, 0, 0) }
}
primitive leaf {
  geometry: cuboid(0.8, 2, 0.04) where { edge: (-0.4, 0, 0); handle: (0.3, 0, 0.02) }
}
world room {
  gravity: (0, -9.81, 0)
  components {
    floor: slab(4, 0.1, 4)
    box: slab(0.3, 0.9, 0.3)
    post: pole
    door: leaf
    ur: camera_robot
  }
  structure {
    place floor by floor.top at (0, 0, 0)
    place box by box.center at (0.5, 0.45, 0.5)
    place post by post.center at (-0.9, 1, -1.9)
    place ur by ur.base at (-1.5, 0, 0)
    place door by door.edge at (-0.85, 1, -1.9)
    join door to post with pin(axis: y) as hinge matching (edge, hook) limits (0, 90)
  }
}
"""

REACH = "reach room {\n  person: person\n  objects: box\n"
POSE = "pose up {\n  figure: person\n  place: r_grip at (0.4, 1.2, 0.3)\n"
TRACK = "track t {\n  figure: person\n"
FILM = "film f {\n  world: room\n  camera: lens(35 mm) on ur.flange\n"
FREE = "film f {\n  world: room\n  camera: lens(35 mm) at (0, 1, 3)\n"

REFUSED = [
    (REACH.replace("person\n", "person(168 m)\n"), "person(168 m)", "168 m is beyond", "168 cm"),
    (REACH.replace("person\n", "person(stature: 17 cm)\n"), "17 cm", "stature of 0.17 m", ""),
    (REACH + "  limits: l_knee_flexion from 0 to 200", "limits", "from 0 to 135 deg", "within"),
    (REACH + "  operate: box.center", "operate", "'box' is on no hinge", "pin or slider"),
    (REACH + "  forces: 20 N at door.handle", "forces", "is not operated", "operate"),
    (REACH + "  surfaces: box.front", "surfaces", "no body with a surface", "not a feature"),
    (REACH + "  comfort: best of 900", "comfort", "best of 900 postures", "1 to 200"),
    (REACH + '  rules: "mine.csv"', "rules", "mine.csv cannot be read", "put the file"),
    (REACH.replace("objects: box", "points: (1, 1, 0)"), "points", "has no name", "name a feat"),
    (POSE.replace("person\n", "person(168 m)\n"), "person(168 m)", "168 m is beyond", "168 cm"),
    (POSE + "  limits: l_knee_flexion from 0 to 200", "limits", "from 0 to 135 deg", "within"),
    (POSE + "  weigh: r_elbow_flexion by 3\n  minimise: energy", "weigh", "neither is", "discom"),
    (POSE + "  supports: r_grip", "r_grip at", "rests on the floor and is a target", "once"),
    (TRACK.replace("person\n", "person(17 m)\n") + "  from: emulator", "17 m", "beyond", "2.3 m"),
    (TRACK + "  from: fastrak", "from", "hangs on a serial port", 'fastrak "/dev/ttyUSB0"'),
    (TRACK + '  from: fastrak "/dev/ttyS0"\n  stations: 4 skull, 99 r_hand', "stations",
     "there is no station 99", "a second unit"),
    (TRACK + '  from: "gone.artrun"', "from", "gone.artrun cannot be read", "give an .artrun"),
    (TRACK + '  from: emulator\n  to: file "a.xyz"', "to:", "no kind that a take", ".bvh"),
    (TRACK.replace("person", "camera_robot") + "  from: emulator", "figure", "no arm", "chains"),
    (FREE + "  mode: fly, object", "mode", "contradict each other", "name one"),
    (FREE + "  look: at (0, 1, 3)", "look", "inside the camera at the start", "move"),
    (FREE + '  motion: "gone.artrun"', "motion", "gone.artrun cannot be read", ""),
    (FREE + '  from: "gone.csv"', "from", "gone.csv cannot be read", ""),
]  # fmt: skip


@pytest.mark.parametrize(("request_text", "where", "message", "advice"), REFUSED)
def test_what_a_start_refuses_is_told_at_its_clause(
    request_text: str, where: str, message: str, advice: str
) -> None:
    text = f"{ROOM}{request_text}\n}}\n"
    assert parse(text).check(starts=False) == ()
    (found,) = parse(text).check()
    line = text.splitlines()[found.line - 1]
    assert where in line, found
    assert line[found.column - 1 :].strip(), found
    assert message in found.message
    assert advice in found.suggestion
    assert found.code == ("missing-file" if "cannot be read" in message else "refused")


@pytest.mark.parametrize("text", [REACH, POSE, TRACK + "  from: emulator\n", FILM, FREE])
def test_a_request_that_begins_has_no_finding(text: str) -> None:
    assert parse(f"{ROOM}{text}}}\n").check() == ()


def test_a_hinge_that_cannot_be_closed_is_told_where_it_stands() -> None:
    apart = ROOM.replace("place door by door.edge at (-0.85,", "place door by door.edge at (3,")
    fixed = apart.replace("primitive leaf {", "primitive leaf {\n  properties: (fixed)")
    text = fixed + "simulate room {\n  time: (10 ms, 1 s)\n}\n"
    (found,) = parse(text).check()
    assert text.splitlines()[found.line - 1].strip().startswith("join door to post")
    assert "cannot be assembled" in found.message
    assert found.suggestion.startswith("Change the lengths or the places")


def test_a_port_alone_names_no_device() -> None:
    (found,) = parse(TRACK + '  from: "/dev/ttyUSB0"\n}\n').check(starts=False)
    assert (found.line, found.column) == (3, 9)
    assert found.suggestion == 'name the device before it: fastrak "/dev/ttyUSB0"'


def test_no_python_is_executed(tmp_path: Path) -> None:
    (tmp_path / "control.py").write_text("raise SystemExit('executed')\n")
    text = 'import "control.py" as mine\n' + ROOM + "simulate room { time: (10 ms, 1 s) }\n"
    assert parse(text, str(tmp_path / "room.art")).check() == ()


def test_every_kind_of_request_has_a_start_that_its_command_takes() -> None:
    assert set(STARTS) == set(get_args(RequestKind))
    for name in STARTS.values():
        module, _, function = name.partition(":")
        begun: Callable[..., object] = getattr(import_module(module), function)
        assert callable(begun)


def test_the_command_refuses_with_the_same_words() -> None:
    text = f"{ROOM}{REACH}  comfort: best of 900\n}}\n"
    (found,) = parse(text).check()
    from articulata.analyses.reach.reach_question import reach

    with pytest.raises(ArticulataError, match="best of 900 postures") as refused:
        reach(parse(text).requests[0])
    place = f"<text>:{ROOM.count(chr(10)) + 1}:1"
    assert str(refused.value) == f"{place}: {found.message}; {found.suggestion}"


def test_bodies_that_begin_in_each_other_are_told_as_a_run_tells_them() -> None:
    text = (
        "units: metre\nprimitive crate {\n  properties: (density: 500 kg/m^3)\n"
        "  geometry: cuboid(1, 1, 1)\n  dynamics\n}\nworld w {\n  components {\n    a: crate\n"
        "    b: crate\n  }\n  structure {\n    place b by b.center at (0.3, 0.1, 0)\n  }\n}\n"
        "simulate w { time: (0.01 s, 1 s) }\n"
    )
    (found,) = parse(text).check()
    assert (found.line, found.severity) == (9, "error")
    assert found.message.endswith("overlap by 0.7 m at t = 0 s")  # 1 m wide, 0.3 m apart
    assert found.suggestion == "move them apart, or say ignore a with b"
    with pytest.raises(SimulationError, match=re.escape(found.message)):
        simulate(parse(text).requests[0])
    apart = text.replace("at (0.3, ", "at (1.3, ")
    assert parse(apart).check() == ()
    assert parse(text.replace("1 s) }", "1 s); method: mujoco() }")).check() == ()
