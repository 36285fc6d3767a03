"""Advice is tried before it is given: what it says to write, in place of the entry, checks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import articulata as art

CRANE = """\
primitive rod(span: length = 40 cm) {
  properties: (density: 7850 kg/m^3)
  geometry: cuboid(2 cm, span, 2 cm) where { top: (0, span/2, 0); bottom: (0, -span/2, 0) }
  dynamics
}
world crane {
  components { stand: fixed_point; boom: rod(60 cm); load: rod }
  structure {
    place stand by stand.center at (0, 2 m, 0) turned 90 deg about y
    join boom to stand with pin(axis: z) as shoulder matching (top, center)
    join load to stand with spring(stiffness: 200 N/m, length: 50 cm) matching (bottom, center)
    place boom by shoulder.angle = 30 deg
  }
}
"""
WARD = """\
primitive slab { properties: (fixed); geometry: cuboid(1 m, 8 cm, 1 m) where { rim: (0, 0, 0) } }
world ward { components { floor, cup, door: slab } }
reach ward {
  person: person(1.62 m, woman) on wheelchair
  objects: cup, floor.rim
  load: 0.3 kg
  limits: r_shoulder_flexion from 0 deg to 90 deg
  approach: from door
  report: map, table
}
pose drink {
  figure: person(1.62 m, woman)
  world: ward
  place: r_grip at cup within 3 cm
}
"""
HALL = """\
units: metre, degree
primitive statue { properties: (fixed); geometry: sphere(1) where { face: (0, 0, 1) } }
figure arm {
  chain body: plain table {
    shoulder: revolute(axis: z, limits: (-90, 90)) at (0, 0, 0.3)
    elbow: revolute(axis: y, limits: (0, 150)) at (0.4, 0, 0)
  }
  landmarks { tip: elbow at (0.1, 0, 0) }
  motion nod { 1 s: (elbow: 90); 2 s: (elbow: 30) }
}
world hall {
  components { statue: statue; vase[1..3]: statue; robot: arm }
  structure {
    place robot by properties: (fixed)
    robot follows nod by servo(40 N*m, 2 N*m*s)
  }
}
film pan {
  world: hall
  camera: lens(35 mm) on robot.tip at (0, 10 cm, 0) turned 90 deg about x
  mode: fly, lock horizon
  look: at statue.face smooth 0.3 s
  limits: robot
  body: box(10 cm, 8 cm, 16 cm)
}
"""
DRIVE = """\
units: metre, kilogram, second, degree
primitive wheel { properties: (density: 7850); geometry: cylinder(4 cm, 2 cm); dynamics }
contact wheel with wheel: (friction: 0.4, restitution: 0.5)
figure dog {
  chain body: plain table { neck: revolute(axis: y, link: head, mass: 3 kg, shape: sphere(0.1)) }
  posture proud { neck: -30 }
}
world drive(speed: rate = 60 rpm) {
  components { base: fixed_point; big, small: wheel; rex: dog }
  structure {
    join big to base with pin(axis: z) as main matching (center, center)
    join small to base with pin(axis: z) as idler matching (center, center)
    gear mesh between main and idler = -2
    ignore big with small
    place rex by rex.head at (0, 1, 0), posture = proud
  }
}
simulate drive {
  time: (1 ms, 2 s)
  method: rk4(step: 1 ms)
  on idler.angle > 90 deg: stop
}
vary drive {
  parameters: speed in (30 rpm, 60 rpm, 90 rpm)
  measure: max idler.rate
}
"""
SLIPS = [
    (DRIVE, "gear mesh between main and idler =", "gear mesh from main to idler with ratio"),
    (DRIVE, "(friction: 0.4, restitution: 0.5)", "friction 0.4, restitution 0.5"),
    (DRIVE, "posture proud { neck: -30 }", "posture proud: neck -30"),
    (DRIVE, ", posture = proud", ", in posture proud"),
    (DRIVE, "on idler.angle > 90 deg: stop", "on idler.angle exceeds 90 deg: stop"),
    (DRIVE, "on idler.angle > 90 deg: stop", "stop when idler.angle > 90 deg"),
    (DRIVE, "speed in (30 rpm, 60 rpm, 90 rpm)", "speed = 30 rpm, 60 rpm, 90 rpm"),
    (CRANE, "pin(axis: z) as shoulder", "pin joint(axis: z) as shoulder"),
    (CRANE, "turned 90 deg about y", "rotated by 90 deg around y"),
    (CRANE, "with spring(stiffness: 200 N/m, length: 50 cm)", "with spring stiffness 200 N/m"),
    (WARD, "objects: cup, floor.rim", "objects: the cup, the rim of the floor"),
    (WARD, "load: 0.3 kg", "load: cup with 0.3 kg"),
    (WARD, "r_shoulder_flexion from 0", "right shoulder flexion from 0"),
    (WARD, "report: map, table", "report: a map and a table"),
    (HALL, "tip: elbow at (0.1, 0, 0)", "tip at (0.1, 0, 0) of elbow"),
    (HALL, "nod by servo", "nod with servo"),
    (HALL, "camera: lens(35 mm) on", "camera: lens 35 mm on"),
    (HALL, "at statue.face smooth", "statue.face smooth"),
    (HALL, "smooth 0.3 s", "smoothing: 0.3 s"),
    (HALL, "mode: fly, lock horizon", "mode: fly with locked horizon"),
    (HALL, "body: box(10 cm, 8 cm, 16 cm)", "body: 10 x 8 x 16 cm"),
    (HALL, "limits: robot", "limits: all joints of robot"),
]
"""What is right in a text, and what somebody wrote in its place."""


def findings(text: str) -> Iterator[tuple[int, str]]:
    for each in art.parse(text).check():
        if each.severity == "error" and each.code != "refused":
            yield each.line, each.suggestion


@pytest.mark.parametrize("text", [CRANE, WARD, HALL, DRIVE])
def test_the_texts_are_right_before_anything_is_changed(text: str) -> None:
    assert not list(findings(text))


@pytest.mark.parametrize(("text", "right", "wrong"), SLIPS, ids=lambda each: each[:30])
def test_advice_in_place_of_the_entry_is_right(text: str, right: str, wrong: str) -> None:
    faulty = text.replace(right, wrong)
    ((line, advice),) = findings(faulty)
    meant = advice.removeprefix("write ")
    assert meant != advice
    before, said, after = text.partition(right)
    start = max(before.rfind(sign) for sign in "\n{;") + 1
    whole = (text[start : len(before)] + said + after.partition("\n")[0]).strip()
    whole = whole if "{" in said else whole.rstrip(" }")
    assert line == before.count("\n") + 1
    if "spring" not in right:  # its length was not said
        assert meant in (whole, whole.partition(": ")[2])  # the line, or what its clause takes


@pytest.mark.parametrize(
    ("right", "wrong", "advice"),
    [
        ("load: 0.3 kg", "load: -0.3 kg", "greater than 0"),  # of values nobody knows what is meant
        ("report: map, table", "report: pictures", "map, table or document"),
        ("objects: cup, floor.rim", "objects: cop, floor.rim", "did you mean 'cup'?"),
    ],
)
def test_what_nobody_can_know_is_not_made_up(right: str, wrong: str, advice: str) -> None:
    ((_, told),) = findings(WARD.replace(right, wrong))
    assert advice in told


def test_the_name_of_an_argument_given_twice_in_other_words_is_told_once() -> None:
    faulty = HALL.replace("(axis: z, limits", "(axis: z, lower: -9, limits")
    ((line, _),) = findings(faulty)
    assert line == 5


def test_several_things_are_numbered_after_their_name() -> None:
    ((_, advice),) = findings(HALL.replace("vase[1..3]: statue", "3 vases: statue"))
    assert advice == "write vase[1..3]"


def test_a_trial_that_breaks_leaves_the_first_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: object) -> str:
        raise KeyError("trial")

    text = CRANE.replace("200 N/m", "200 N per m")
    first = art.parse(text).check(starts=False)
    monkeypatch.setattr("articulata.world.language.checking.tried_advice._Search.advice", broken)
    assert art.parse(text).check() == first


SHOT = """\
units: metre
primitive statue { properties: (fixed); geometry: sphere(1) }
world room {
  components { statue: statue; vase[1..3]: statue }
  structure {
    for i in 1..3 { place vase[i] by vase[i].center at (i, 0, 0) }
    ignore vase[1] with vase[2]
  }
}
film shot {
  world: room
  camera: lens(28 mm) at (2, 1, 3)
  look: at statue
  report: verdict
}
track felt {
  figure: person(1.7 m)
  from: emulator
}
"""
SIBLINGS = (
    (CRANE, "7850 kg/m^3", "7.85 kg/dm", "7.85 kg/dm^3"),
    (CRANE, "200 N/m", "200 N/mm^2", "200 N/mm"),
    (CRANE, "rod(span: length = 40 cm)", "rod(length span = 40 cm)", "span: length"),
    (CRANE, "  dynamics", "  color: red\n  dynamics", "(density: 7850 kg/m^3, color: red)"),
    (CRANE, "place boom by shoulder.angle = 30 deg",
     "spring about shoulder: k = 3 N*m/rad", "force spring about shoulder = -3 N*m/rad * angle"),
    (CRANE, "shoulder.angle = 30 deg", "shoulder.angle = 30 deg shoulder.rate = 2 rad/s", "','"),
    (CRANE, "shoulder.angle = 30 deg", "shoulder.angle = 30 deg, velocity = (1, 0, 0), (0, 0, 0)",
     "velocity = ((1, 0, 0), (0, 0, 0))"),
    (CRANE, "cuboid(2 cm, span, 2 cm)", "extruded((0, 0), (1 cm, 0), (0, 1 cm), 2 cm)",
     "((0, 0), (1 cm, 0), (0, 1 cm))"),
    (WARD, "r_grip at cup within 3 cm", "r_grip at cup tolerance 2 cm",
     "r_grip at cup within 2 cm"),
    (WARD, "r_grip at cup within 3 cm", "r_grip at cup +- 2 cm", "within 2 cm"),
    (HALL, "1 s: (elbow: 90)", "1 s: elbow: 90", "1 s: (elbow: 90)"),
    (HALL, "revolute(axis: z,", "revolute(axis: left,", "-x"),
    (CRANE, "shoulder.angle = 30 deg", "shoulder.angle(30 deg)", "shoulder.angle = 30 deg"),
    (CRANE, "shoulder.angle = 30 deg", "angle = 30 deg", "shoulder.angle = 30 deg"),
    (CRANE, "shoulder.angle = 30 deg", "30 deg at shoulder.angle", "shoulder.angle = 30 deg"),
    (CRANE, "shoulder.angle = 30 deg", "shoulder.rate = 30 deg", "30 deg/s"),
    (CRANE, "boom: rod(60 cm)", "rod(60 cm) boom", "boom: rod(60 cm)"),
    (CRANE, "rod(60 cm)", "rod(if 1 > 0 then 60 cm else 40 cm)", "choose(1 > 0, 60 cm, 40 cm)"),
    (CRANE, "cuboid(2 cm, span, 2 cm)", "cuboid(2 cm, span*sqrt(1, 2 cm)", "sqrt(1), 2 cm)"),
    (CRANE, "cuboid(2 cm, span, 2 cm)", "cuboid(2 cm, span), 2 cm)", "cuboid(2 cm, span, 2 cm)"),
    (CRANE, "stand.center at (0, 2 m, 0)", "stand.center (0, 2 m, 0)", "at (0, 2 m, 0)"),
    (DRIVE, "max idler.rate", "max (idler.rate, main.rate)", "max idler.rate, max main.rate"),
    (DRIVE, "measure: max idler.rate", "constraint: max idler.rate below 3 rad/s",
     "keep: max idler.rate below 3 rad/s"),
    (DRIVE, "simulate drive {", "view drive {", "articulata view"),
    (HALL, "tip: elbow at (0.1, 0, 0)", "tip: (0.1, 0, 0)", "tip: elbow at (0.1, 0, 0)"),
    (HALL, "vase[1..3]: statue", "vase[1..sum(1, 2, 3)^2]: statue", "write (1 + 2 + 3)"),
    (CRANE, "shoulder.angle = 30 deg", "shoulder.angle = degrees(1)", "write 1 * 1 rad"),
    (CRANE, "shoulder.angle = 30 deg", "shoulder.angle = degrees(2*30 deg)",
     "write 2*30 deg, or (2*30 deg)/1 deg where a number is due"),
    (CRANE, "cuboid(2 cm, span, 2 cm)", "cuboid(cube(2), span, 2 cm)", "write 2^3"),
    (CRANE, "cuboid(2 cm, span, 2 cm)", "cube(2 cm)", "write cuboid(2 cm, 2 cm, 2 cm)"),
    (CRANE, "cuboid(2 cm, span, 2 cm)", "cone(5 cm, 2 cm, height: 9 cm)",
     "write top_radius: 2 cm, length: 9 cm"),
    (SHOT, "camera: lens(28 mm) at (2, 1, 3)", "fov: 60 deg\n  camera: at (2, 1, 3)",
     "write camera: lens(31.2 mm) at (2, 1, 3)"),
    (SHOT, "lens(28 mm) at (2, 1, 3)", "(2, 1, 3), fov: 60 deg",
     "write camera: lens(31.2 mm) at (2, 1, 3)"),
    (SHOT, "camera: lens(28 mm) at (2, 1, 3)", "position: (2, 1, 3)\n  fov: 60 deg",
     "write camera: lens(31.2 mm) at (2, 1, 3)"),
    (SHOT, "camera: lens(28 mm) at (2, 1, 3)", "fov: 60 deg\n  position: (2, 1, 3)",
     "write camera: lens(31.2 mm) at (2, 1, 3)"),
    (SHOT, "lens(28 mm) at (2, 1, 3)", "fov: 60 deg at (2, 1, 3)", "write lens(31.2 mm)"),
    (SHOT, "look: at statue", "look: at statue\n  fov: 60 deg", "in 'camera:', as lens(31.2 mm)"),
    (SHOT, "camera: lens(28 mm) at (2, 1, 3)", "position: (2, 1, 3)",
     "write camera: lens(35 mm) at (2, 1, 3)"),
    (SHOT, "camera: lens(28 mm) at (2, 1, 3)", "camera: at (2, 1, 3)",
     "write lens(35 mm) at (2, 1, 3)"),
    (SHOT, "from: emulator", "from: emulator; stream: viewer", "write to: viewer"),
    (SHOT, "ignore vase[1] with vase[2]", "ignore vase.1 with vase[2]", "write vase[1]"),
    (SHOT, "for i in 1..3 { place vase[i] by vase[i].center at (i, 0, 0) }",
     "for i in 1..3: place vase[i] by vase[i].center at (i, 0, 0)",
     "write for i in 1..3 { place vase[i] by vase[i].center at (i, 0, 0) }"),
    (HALL, "units: metre", 'use "people.art"\nunits: metre', 'import "people.art"'),
)  # fmt: skip
"""Kinds of mistakes of which each was first seen elsewhere, and what the first advice holds."""


@pytest.mark.parametrize(("base", "right", "wrong", "advice"), SIBLINGS)
def test_values_of_the_text_stay(base: str, right: str, wrong: str, advice: str) -> None:
    assert base.count(right) == 1
    found = art.parse(base.replace(right, wrong)).check()
    first = next(each for each in found if each.severity == "error")
    assert advice in first.suggestion


@pytest.mark.parametrize(
    "wrong",
    ["camera: (2, 1, 3), fov: 60 deg", "camera: (2, 1, 3)\n  fov: 60",
     "position: (2, 1, 3), fov: 60", "position: (2, 1, 3)\n  fov: 60 deg",
     "fov: 60 deg\n  position: (2, 1, 3)"],
)  # fmt: skip
def test_place_and_angle_of_a_camera_are_told_once(wrong: str) -> None:
    found = art.parse(SHOT.replace("camera: lens(28 mm) at (2, 1, 3)", wrong)).check()
    assert [each.suggestion for each in found] == ["write camera: lens(31.2 mm) at (2, 1, 3)"]


def test_a_colon_behind_repeat_is_told() -> None:
    nod = HALL.replace("2 s: (elbow: 30) }", "2 s: (elbow: 30); repeat: 3 }")
    found = art.parse(nod).diagnostics
    assert [(each.severity, each.suggestion) for each in found] == [("warning", "write repeat 3")]


def test_files_of_the_library_are_read_once() -> None:
    one, other = (art.parse('import "person.art"\n' + CRANE).module for _ in range(2))
    assert one.merged[0] is other.merged[0]


def test_requests_share_the_worlds_that_they_ask_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from articulata.world import document

    made, elaborated = [], document.elaborated

    def counted(module, item, *rest, **named):  # type: ignore[no-untyped-def] # as it is
        made.append(item.name)
        return elaborated(module, item, *rest, **named)

    monkeypatch.setattr(document, "elaborated", counted)
    again = WARD[WARD.index("pose drink") :].replace("drink", "eat")
    assert not art.parse(WARD + again).check(starts=False)
    assert made == ["ward", "ward"]  # for the requests, and with what is wrong in it
