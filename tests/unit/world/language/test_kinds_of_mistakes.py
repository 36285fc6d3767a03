"""Kinds of mistakes that no row of a table stands for, each by one mistake of its kind."""

from __future__ import annotations

import pytest

from articulata.world.document import parse

TEXT = """units: metre, kilogram, second, degree
primitive disc(size: length = 8 cm) {
  geometry: cylinder(size, 2 cm) where { hub: (0, 0, 0); rim: (size, 0, 0) }
  dynamics: (mass: 1.5 kg)
}
figure lamp {
  chain arm: plain table {
    turn: revolute(axis: z) at (0, 0, 10 cm)
    elbow: revolute(axis: y) at (0, 0, 20 cm)
  }
  posture low { elbow: 20 deg; turn: 0 }
  motion nod { 0 s: low; 1 s: (elbow: 0); ease: smooth }
  landmarks { bulb: elbow at (10 cm, 0, 0) }
}
world desk {
  gravity: (0, -9.81, 0)
  components {
    base: fixed_point
    big: disc(20 cm)
    small[1..3]: disc
    light: lamp
  }
  structure {
    join big to base with pin(axis: z) as main matching (hub, center) limits (-170, 170)
    join small[1] to big with weld matching (hub, rim)
    place big by main.angle = 30
    place small[2] by small[2].hub at (1 m, 1 m, 0) turned 20 deg about y
    place small[3] by small[3].hub at (2 m, 1 m, 0)
    place light by light.bulb at (0, 0, 50 cm)
    light follows nod from 1 s
  }
}
simulate desk {
  time: (1 ms, 4 s)
  method: rk4
  report: animation every 20 ms, monitor main.angle
  on time 2 s: break main
}
pose wave {
  figure: person(1.7 m)
  place: "right hand" at (0, 1 m, 50 cm)
  minimise: discomfort
}
track me {
  figure: person
  from: fastrak "/dev/ttyUSB0"
  stations: 1 skull, 2 r_upper_arm, 3 r_hand
}
film part {
  world: desk
  camera: lens(28 mm) on light.bulb at (-20 cm, 0, 0)
}
"""


@pytest.mark.parametrize(
    ("right", "wrong", "advice"),
    [
        # a value along an axis
        ("gravity: (0, -9.81, 0)", "gravity: -9.81 y", "(0, -9.81, 0)"),
        ("gravity: (0, -9.81, 0)", "gravity: -9.81 m/s^2 y", "(0, -9.81 m/s^2, 0)"),
        ("gravity: (0, -9.81, 0)", "gravity: down", "(0, -9.81, 0)"),
        ("turned 20 deg about y", "turned (0, 20 deg, 0)", "turned 20 deg about y"),
        ("turned 20 deg about y", "facing east", "turned"),
        # numbers of components
        ("small[1..3]: disc", "small: disc[3]", "small[1..3]: disc"),
        # what is given belongs in another section, or is measured otherwise
        ("(mass: 1.5 kg)", "(mass: 1.5 kg, restitution: 0.4)", "properties: (restitution: 0.4)"),
        ("cylinder(size, 2 cm)", "cylinder(diameter: size, length: 2 cm)", "radius: size/2"),
        # a statement without its word
        ("place big by main.angle = 30", "main.angle = 30", "place big by main.angle = 30"),
        ("light follows nod from 1 s", "light plays nod at 1 s", "light follows nod from 1 s"),
        ("limits (-170, 170)", "limits (170, -170)", "(-170, 170)"),
        ("  dynamics: (mass: 1.5 kg)\n", "  fixed: true\n", "properties: (fixed)"),
        ("join big to base", "join big to ground", "ground: ground"),
        ("place small[3] by", "fix small[3]\n    place small[3] by", "(fixed) in primitive disc"),
        (
            "place big by main.angle = 30",
            "ignore big, small[1] with base",
            "ignore big with base; ignore small[1] with base",
        ),
        ("join small[1] to big with", "join with weld small[1] to big", "small[1] to big with"),
        (
            "    place light by",
            "    gear between main and main = 2\n    place light by",
            "gear drive",
        ),
        ("    place light by", "    for 1..2 { }\n    place light by", "for i in 1..2"),
        (
            "primitive disc(size: length = 8 cm)",
            "primitive (size: length = 8 cm) disc",
            "disc(size: length = 8 cm)",
        ),
        ("components {", "components {{", "remove '{'"),
        ("  }\n  structure {", "  }}\n  structure {", "remove '}'"),
        ("about y", "about (0, 20 deg, 0)", "write y"),
        ("(mass: 1.5 kg)", "(mass: 1.5 kgs)", "'kg'"),
        (
            "join small[1] to big with weld matching (hub, rim)",
            "join small[1].hub to big.rim with pin(axis: z)",
            "matching (hub, rim)",
        ),
        (
            "place small[3] by small[3].hub at (2 m, 1 m, 0)",
            "place small[3] at (2 m, 1 m, 0) by small[3].hub",
            "place small[3] by small[3].hub at (2 m, 1 m, 0)",
        ),
        ("(size: length = 8 cm)", "(size: distance = 8 cm)", "length"),
        ("(size: length = 8 cm)", "(size: length = 8 cm; n: count = 2)", "','"),
        ("cylinder(size, 2 cm)", "mesh(disc.stl)", '"disc.stl"'),
        # rows and entries of a figure
        ("0 s: low; 1 s: (elbow: 0)", "low at 0 s; low at 1 s", "0 s: low"),
        ("chain arm: plain table {", "chain arm {", "chain arm: plain table {"),
        ("turn: revolute(axis: z) at", "turn: revolute axis z at", "revolute(axis: z) at"),
        ("elbow at (10 cm, 0, 0) }", "(10 cm, 0, 0) on elbow }", "bulb: elbow at (10 cm, 0, 0)"),
        ("elbow: 20 deg; turn: 0", "elbow = 20 deg; turn = 0", "':'"),
        # requests
        ("on time 2 s: break main", "after 2 s: break main", "on time 2 s"),
        ("break main", 'print("now")', "report: events"),
        ("on time 2 s:", "on impact big small[1]:", "impact(big, small[1])"),
        ("figure: person(1.7 m)", "figure: person 1.7 m", "person(1.7 m)"),
        ("minimise: discomfort", "limits: right elbow from 0 deg to 9 deg", "r_elbow_flexion from"),
        ("time: (1 ms, 4 s)", "time: 1 ms to 4 s", "(1 ms, 4 s)"),
        ("world: desk", 'world: "desk.art"', "write desk"),
        ("break main", "break hinge main", "remove 'hinge'"),
        ("break main", "small[2].v = (0, 0, 0)", "set small[2].v = (0, 0, 0)"),
        ("figure: person(1.7 m)", "figure: 50th percentile man", "person(man, percentile: 50)"),
        ("every 20 ms, monitor", "at 50 Hz, monitor", "animation every 20 ms"),
        ("every 20 ms, monitor", "every 50 fps, monitor", "write 20 ms"),
        ("1 skull, 2 r_upper_arm", "1 forehead, 2 r_upper_arm", "'skull'"),
        ("minimise: discomfort", "supports: feet", "l_heel, l_ball, l_toe, r_heel, r_ball, r_toe"),
        ("  world: desk", "  world: museum", 'import "museum.art"'),
        ("0, 50 cm)\n    light", "0, 50 cm), pose = low\n    light", "posture = low"),
        ("-20 cm, 0, 0)", "-20 cm, 0, 0); look: at light.bulb roll 0 deg", "write roll level"),
        ("method: rk4", "method: RK45", "dop853"),
        ("1 skull, 2 r_upper_arm", "1 skull, r_upper_arm", "2 r_upper_arm"),
        ('"right hand" at', "right_hand at", '"right hand"'),
        ("50 cm)\n  minimise", "50 cm) within 2 deg\n  minimise", "(1 mm, 2 deg)"),
        ('fastrak "/dev/ttyUSB0"', 'fastrak(port: "/dev/ttyUSB0")', 'fastrak "/dev/ttyUSB0"'),
        ("camera: lens(28 mm)", "camera: 28 mm", "lens(28 mm) on light.bulb"),
        # what other keyboards, programs and sheets write
        ("minimise: discomfort", "maximise: comfort", "minimise: discomfort"),
        ("limits (-170, 170)", "driven by motor(rpm: 300)", "write speed: 300 rpm"),
        ("0 s: low; 1 s", "0 s: low\uff1b 1 s", "write ;"),
        ("light follows nod from 1 s", "light follows nod at 1 s", "write 'from'"),
        ("film part {", "film first part {", "write first_part"),
        ("  from: fastrak", "  world: desk\n  from: fastrak", "remove it"),
        (
            "place small[3] by small[3].hub at (2 m, 1 m, 0)",
            "for i in 3..3:\n      place small[i] by small[i].hub at (2 m, 1 m, 0)",
            "write '{' instead of ':'",
        ),
    ],
)
def test_a_kind_of_mistake_is_told_once_with_what_to_write(
    right: str, wrong: str, advice: str
) -> None:
    assert TEXT.count(right) == 1
    assert parse(TEXT).check(starts=False) == ()
    (found,) = parse(TEXT.replace(right, wrong)).check(starts=False)
    assert found.line == TEXT[: TEXT.index(right)].count("\n") + 1
    assert advice in found.suggestion


@pytest.mark.parametrize(
    ("units", "said", "advice"),
    [
        ("", "place big by main.angle = 90", "write 90 deg"),
        ("units: metre, kilogram, second, degree", "place big by main.angle = 90", ""),
        ("", "place big by main.angle = 2", ""),
        ("", "gear pair between main and along = 20", "20 mm/rad"),
        ("", "gear pair between main and along = 0.02", ""),
    ],
)
def test_a_bare_number_beyond_sense_is_doubted(units: str, said: str, advice: str) -> None:
    text = f"""{units}
primitive disc {{ geometry: cylinder(0.1, 0.02); dynamics: (mass: 1) }}
world w {{
  components {{ base: fixed_point; big, small: disc }}
  structure {{
    join big to base with pin(axis: z) as main matching (center, center)
    join small to base with slider(axis: x) as along matching (center, center)
    {said}
  }}
}}
"""
    found = parse(text).check(starts=False)
    assert [each.severity for each in found] == ["warning"] * bool(advice)
    assert all(advice in each.suggestion for each in found)


def test_types_that_are_called_like_components_are_no_mistake() -> None:
    text = """primitive ball(e: mass = 0.8) { geometry: sphere(0.1); dynamics: (mass: e) }
primitive link { geometry: sphere(0.1); dynamics: (mass: 1) }
world w { components { ball[1..3]: ball(1); loose: link scaled 2 } }
"""
    assert parse(text).check(starts=False) == ()
