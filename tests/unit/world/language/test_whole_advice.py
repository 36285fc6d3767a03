"""What advice says to write is whole: put into the text, nothing is wrong on that line."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from articulata.errors import Diagnostic
from articulata.world.document import parse
from articulata.world.language.filled_forms import filled

TEXT = """units: metre, kilogram, second, degree
let steel = material(density: 7850 kg/m^3)
primitive link(span: length = 30 cm) {
  properties: (density: 7850 kg/m^3)
  geometry: cuboid(span, 2 cm, 1 cm) where { near: (-span/2, 0, 0); far: (span/2, 0, 0) }
  dynamics
}
primitive cart {
  geometry: cuboid(30 cm, 10 cm, 20 cm)
  dynamics: (mass: 5 kg)
}
composite double {
  components { pivot: fixed_point; upper: link }
  structure {
    join upper to pivot with pin(axis: z) as shoulder matching (near, center)
  }
}
world rig(n: count = 3, c: damping = 2 N*s/m) {
  gravity: (0, 0, -9.81)
  components { d: double; wall, base: fixed_point; cart: cart; bead[1..n]: link; crank, arm: link }
  structure {
    place d by d.pivot at (0, 1, 0), d.shoulder.angle = 10 deg
    join cart to wall with slider(axis: x) as rail matching (center, center)
    join crank to base with pin(axis: z) as main matching (near, center)
    join arm to crank with pin(axis: z) as wrist matching (near, far)
    force drag between cart.center and wall.center = c * speed
    gear mesh between main and wrist = 2
    for i in 1..n {
      place bead[i] by bead[i].center at (i * 1 m, 5, 0)
    }
    ignore bead[n] with cart
  }
}
simulate rig {
  time: (10 ms, 2 s)
  report: monitor main.angle, monitor energy
}
"""
PLAYED = """world stage { components { anna: person(1.7 m); tap: fixed_point } }
simulate stage {
  time: (20 ms, 4 s)
  domains: (geometric, kinematic)
  on time 1 s: start anna.wave
}
reach stage {
  person: anna
  objects: tap.center palm pointing -y
}
"""
DRAG = "force drag between cart.center and wall.center = c * speed"
MESH = "gear mesh between main and wrist = 2"
SHAPE = "geometry: cuboid(30 cm, 10 cm, 20 cm)\n"


def replaced(text: str, told: Diagnostic) -> Iterator[str]:
    """Texts with the advice in place of what is marked, or of its entry from there or whole."""
    forms = r"write |remove it|add 'with' here: |did you mean '(\w+)'\?"
    advice = re.sub(forms, r"\1", told.suggestion, count=1)
    starts = [0, *(each.end() for each in re.finditer("\n", text))]
    start, end = (
        starts[told.line - 1] + told.column - 1,
        starts[told.line - 1] + told.end_column - 1,
    )
    if advice == "":  # the argument, with the comma before it
        yield text[: text.rfind(",", 0, start)] + text[text.index(")", end) :]
    first = max(text.rfind(sign, 0, start) for sign in "\n;{") + 1
    action = max(first, text.rfind(": ", first, start) + 1)
    last = min(at for sign in "\n;}{" if (at := text.find(sign, end)) >= 0)
    for a in dict.fromkeys((start, action, first)):
        for b in (end, last):
            yield f"{text[:a]} {advice} {text[b:]}"


def errors(text: str) -> list[Diagnostic]:
    return [each for each in parse(text).check(starts=False) if each.severity == "error"]


@pytest.mark.parametrize(
    ("right", "wrong", "advice"),
    [
        # the world of what is named
        ("simulate rig {", "simulate double {", "write rig"),
        ("simulate rig {", "simulate d {", "write rig"),
        # kinds of joins as values of forces
        (DRAG, "force drag between cart.center and wall.center = spring(k: 9 N/m, rest_length: 1)",
         "write join cart to wall with spring(stiffness: 9 N/m, length: 1) as drag matching "
         "(center, center)"),
        (DRAG, "force drag between cart.center and wall.center = damper(2 N*s/m)",
         "write join cart to wall with damper(damping: 2 N*s/m) as drag matching (center, center)"),
        (DRAG, "force drag between cart.center and wall.center = rope(length: 30 cm)",
         "write force drag between cart.center and wall.center = "
         "max(2e4 N/m * (distance - 30 cm), 0 N)"),
        (DRAG, "force drag about main = spring(stiffness: 20 N*m)",
         "write force drag about main = -20 N*m * angle"),
        # forces and gears of one end, or with other words between two
        (DRAG, "force drag on cart.center = c * speed",
         "write force drag between cart.center and wall.center = c * speed"),
        (DRAG, "force drag on cart = 5 N",
         "write force drag between cart.center and wall.center = 5 N"),
        (DRAG, "force on cart.center = 5 N",
         "write force pull between cart.center and wall.center = 5 N"),
        (DRAG, "force drag from cart.center to wall.center = 5 N",
         "write force drag between cart.center and wall.center = 5 N"),
        (DRAG, "force drag cart.center wall.center = 5 N",
         "write force drag between cart.center and wall.center = 5 N"),
        (DRAG, "force drag of main = 5 N*m", "write force drag about main = 5 N*m"),
        (MESH, "gear mesh from main to wrist = 2", "write gear mesh between main and wrist = 2"),
        # values without the name of their section
        (SHAPE, "cuboid(30 cm, 10 cm, 20 cm)\n", "write geometry: cuboid(30 cm, 10 cm, 20 cm)"),
        (SHAPE, "box(30 cm, 10 cm, 20 cm)\n", "write geometry: cuboid(30 cm, 10 cm, 20 cm)"),
        (SHAPE, f"red\n  {SHAPE}", "write properties: (color: red)"),
        (SHAPE, f"steel\n  {SHAPE}", "write properties: (material: steel)"),
        (SHAPE, f"fixed\n  {SHAPE}", "write properties: (fixed)"),
        ("dynamics: (mass: 5 kg)", "5 kg", "write dynamics: (mass: 5 kg)"),
        ("dynamics: (mass: 5 kg)", "mass 5 kg", "write dynamics: (mass: 5 kg)"),
        ("dynamics: (mass: 5 kg)", "(mass: 5 kg)", "write dynamics: (mass: 5 kg)"),
        ("gravity: (0, 0, -9.81)", "(0, 0, -9.81)", "write gravity: (0, 0, -9.81)"),
        # options by other words, by the dimension of their values, in order
        ("cart: cart; bead", "cart: cart; rope: link(len: 40 cm); bead", "write span: 40 cm"),
        (DRAG, "force drag about main = servo(40 deg, kp: 300 N*m, damping: 15 N*m*s)",
         "did you mean 'stiffness'?"),
        ("cuboid(30 cm, 10 cm, 20 cm)", "sphere(12 cm, segments: 32)", "remove it"),
        ("cuboid(30 cm, 10 cm, 20 cm)", "sphere(diameter: 12 cm)", "write radius: 12 cm/2"),
        ("cuboid(30 cm, 10 cm, 20 cm)", "cylinder(radius: 2 cm, width: 9 cm)",
         "write length: 9 cm"),
        ("cuboid(30 cm, 10 cm, 20 cm)", "cuboid((30 cm, 10 cm, 20 cm))",
         "write 30 cm, 10 cm, 20 cm"),
        # shapes of other programs
        ("cuboid(30 cm, 10 cm, 20 cm)", "tube(30 mm, 26 mm, 20 cm)",
         "write difference(outer: cylinder(30 mm, 20 cm), bore: cylinder(26 mm, 1.1 * 20 cm))"),
        ("cuboid(30 cm, 10 cm, 20 cm)", "disk(diameter: 20 cm, thickness: 1 cm)",
         "write cylinder(20 cm/2, 1 cm)"),
        ("cuboid(30 cm, 10 cm, 20 cm)", "rod(length: 30 cm, radius: 1 cm)",
         "write cylinder(1 cm, 30 cm)"),
        ("cuboid(30 cm, 10 cm, 20 cm)", "plane(2 m, 3 m)", "write cuboid(2 m, 1 cm, 3 m)"),
        ("cuboid(30 cm, 10 cm, 20 cm)", "wedge(1 cm, 2 cm, 3 cm)",
         "write extruded(((0, 0), (1 cm, 0), (0, 2 cm)), 3 cm)"),
        # what has a name keeps it
        ("to base with pin(axis: z) as main", "to base pin(axis: z) as main",
         "add 'with' here: with pin(axis: z) as main matching (near, center)"),
        # crosses between measures
        ("cuboid(30 cm, 10 cm, 20 cm)", "cuboid(30 cm x 10 cm x 20 cm)",
         "write 30 cm, 10 cm, 20 cm"),
        ("cuboid(30 cm, 10 cm, 20 cm)", "cuboid(30x10x20 cm)", "write 30 cm, 10 cm, 20 cm"),
        # clauses and places
        ("report: monitor main.angle, monitor energy", "report: main.angle, energy",
         "write monitor main.angle, monitor energy"),
        ("time: (10 ms, 2 s)", "t_span: (0, 2 s)", "write time: (10 ms, 2 s)"),
        ("time: (10 ms, 2 s)", "time: (0, 2 s)", "write (10 ms, 2 s)"),
        ("as main matching (near, center)", "as main at near, center",
         "write matching (near, center)"),
    ],
)  # fmt: skip
def test_advice_is_whole(right: str, wrong: str, advice: str) -> None:
    assert TEXT.count(right) == 1
    text = TEXT.replace(right, wrong)
    found, *more = errors(text)
    assert (found.suggestion, more) == (advice, [])
    lines = {found.line}
    assert any(not lines & {each.line for each in errors(put)} for put in replaced(text, found))


@pytest.mark.parametrize("wrong", ["for i = 1..n {", "for i=1..n{", "for i = 1 to n {"])
def test_the_number_of_a_loop_is_known_in_it_however_the_loop_is_written(wrong: str) -> None:
    (found,) = errors(TEXT.replace("for i in 1..n {", wrong))
    assert found.suggestion == "write for i in 1..n"


def test_a_number_beyond_the_last_is_the_last_one() -> None:
    text = TEXT.replace("monitor energy", "monitor bead[4].energy")
    (found,) = [each for each in parse(text).check(starts=True) if each.severity == "error"]
    assert found.message.endswith("'bead' goes from 1 to 3")
    assert found.suggestion == "write bead[3].energy"


def test_an_index_from_the_end_is_the_last_number_by_its_name() -> None:
    (found,) = errors(TEXT.replace("ignore bead[n]", "ignore bead[-1]"))
    assert found.suggestion == "write bead[n]"


@pytest.mark.parametrize(
    "wrong",
    ["anna follows wave", "anna.wave starts", "play wave", "play anna.wave", "wave of anna starts",
     "start wave of anna", "anna.play(wave)", "start wave", "anna: wave"],
)  # fmt: skip
def test_a_motion_is_begun_by_start(wrong: str) -> None:
    (found,) = errors(PLAYED.replace("start anna.wave", wrong))
    assert found.suggestion == "write start anna.wave"


@pytest.mark.parametrize(("fall", "axis"), [("", "-y"), ("gravity: (0, 0, -9.81)", "-z")])
def test_down_is_where_things_fall(fall: str, axis: str) -> None:
    text = PLAYED.replace("pointing -y", "down").replace("stage { comp", f"stage {{ {fall}\ncomp")
    told = [each.suggestion for each in errors(text)]
    assert any(each.endswith(f"palm pointing {axis}") for each in told), told


@pytest.mark.parametrize("stray", ["(", ")", "[", "*", "?", "\\"])
def test_a_sign_where_a_section_is_due_is_told(stray: str) -> None:
    found = errors(TEXT.replace(SHAPE, f"{stray}\n  {SHAPE}"))
    assert found[0].line == TEXT.count("\n", 0, TEXT.index(SHAPE)) + 1


ASKED = """world room { components { tap: fixed_point } }
pose bend {
  figure: person(1.7 m)
  world: room
  place: r_grip at tap within 5 mm
  clear: 1 cm
  minimise: discomfort
}
track suit {
  figure: human_upper_body
  from: fastrak "/dev/ttyUSB0"
  stations: 1 r_upper_arm, 2 r_forearm
  calibrate: t_pose
  to: viewer, file "a.bvh"
}
film room_film {
  world: room
  camera: lens(28 mm) at (0, 1 m, 0)
  view: lens(24 mm) at (3 m, 2 m, 3 m) turned 40 deg about y
  scale: 10
  from: spacemouse
  frames: 24
}
"""
PORT = 'from: fastrak "/dev/ttyUSB0"'
VIEW = "view: lens(24 mm) at (3 m, 2 m, 3 m) turned 40 deg about y"


@pytest.mark.parametrize(
    ("right", "wrong", "advice"),
    [
        # nothing, or yes and no, for the value of a clause
        ("clear: 1 cm", "clear: yes", "write clear: 1 cm"),
        ("clear: 1 cm", "clear:", "write clear: 1 cm"),
        ("clear: 1 cm", "clear: auto", "leave the line out, or write clear: 1 cm"),
        ("calibrate: t_pose", "calibrate: off", "write calibrate: none"),
        ("frames: 24", "frames: default", "leave the line out, or write frames: 25"),
        ("camera: lens", "Camera: lens", "write camera: lens(28 mm) at (0, 1 m, 0)"),
        # what belongs in another clause, or has another name elsewhere
        ("minimise: discomfort", "minimise: dexterity",
         "write it under 'maximise:', as maximise: dexterity"),
        ("minimise: discomfort", "objective: 2 lumbar_load, discomfort",
         "write minimise: 2 lumbar_load, discomfort"),
        ("to: viewer", "output: viewer", 'write to: viewer, file "a.bvh"'),
        ("figure: human", "subject: human", "write figure: human_upper_body"),
        # devices and their ports, files
        ("from: spacemouse", "from: spacemouse /dev/hidraw3", 'write spacemouse "/dev/hidraw3"'),
        ("from: spacemouse", "from: /dev/hidraw3", 'write spacemouse "/dev/hidraw3"'),
        (PORT, "from: fastrak 'COM3'", 'write fastrak "COM3"'),
        (PORT, "from: udp:9000", "write udp 9000"),
        (PORT, "from: udp 0.0.0.0:9000", 'write udp "0.0.0.0:9000"'),
        (PORT, "from: tcp://localhost:9000", 'write udp "localhost:9000"'),
        (PORT, "from: emulator: 3", "write emulator 3"),
        (PORT, "from: \u201cdance.bvh\u201d", 'write "dance.bvh"'),
        (PORT, "from: data/dance.bvh", 'write "data/dance.bvh"'),
        ('file "a.bvh"', "file a.bvh", 'write file "a.bvh"'),
        # rates, ratios, and what lacks beside numbers that are right
        ("frames: 24", "frames: 40 ms", "write 25"),
        ("scale: 10", "scale: 1:87", "write 87"),
        ("scale: 10", "scale: 87:1", "write 1/87"),
        (VIEW, VIEW.replace("lens(24 mm) ", ""), f"write {VIEW[6:].replace('24', '35')}"),
    ],
)  # fmt: skip
def test_a_clause_is_told_what_it_takes(right: str, wrong: str, advice: str) -> None:
    assert ASKED.count(right) == 1
    text = ASKED.replace(right, wrong)
    (found,) = (each for each in parse(text).check(starts=True) if each.severity == "error")
    assert found.suggestion == advice
    assert found.line == ASKED[: ASKED.index(right)].count("\n") + 1


@pytest.mark.parametrize("said", ["at 50 fps", "50 Hz", "50 per second", "(fps: 50)", "fps 50"])
def test_pictures_a_second_become_the_time_between_two(said: str) -> None:
    report = "report: monitor main.angle"
    (found,) = errors(TEXT.replace(report, f"report: animation {said}, monitor main.angle"))
    assert found.suggestion == "write animation every 20 ms"


TOUCHED = """primitive cup { geometry: cylinder(4 cm, 10 cm) where { handle: (4 cm, 0, 0) } }
primitive slab { geometry: cuboid(4 m, 10 cm, 4 m) }
world w { components { floor: slab; mug: cup } structure { place mug by mug.center at (0, 1, 0) } }
reach w {
  person: person(1.7 m)
  objects: mug.handle
  operate: mug.handle
}
"""


def test_what_hangs_on_no_hinge_is_an_object_and_no_handle() -> None:
    (found,) = (each for each in parse(TOUCHED).check(starts=True) if each.severity == "error")
    assert found.line == 7
    assert found.suggestion.startswith("write objects: mug.handle where it is only touched")


def test_a_sign_belongs_to_what_it_stands_at() -> None:
    forms = ("<paths> [palm pointing <direction>] [finger pointing <direction>] [within <angle>]",)
    for entry in ("finger toward -z within 30 deg", "finger -z within 30 deg"):
        meant = "call.front finger pointing -z within 30 deg"
        assert filled(forms, f"call.front {entry}") == meant
    assert filled(("force = <number>",), "force = 3 - 2*x") == "force = 3 - 2 * x"


def test_what_enters_is_put_by_one_of_its_points() -> None:
    event = "on time 1 s: add late: link at (0, 1 m, 0)\n  report"
    (found,) = errors(TEXT.replace("report", event))
    assert found.suggestion == "write add late: link by late.center at (0, 1 m, 0)"


def test_a_type_of_an_import_with_a_name_is_told_by_it() -> None:
    text = 'import "furniture.art" as f\nworld w { components { closet: wardrobe } }\n'
    (found,) = errors(text)
    assert found.suggestion == "did you mean 'f.wardrobe'?"


def test_a_joint_with_a_blank_in_its_name_is_told_where_it_is_named_alone() -> None:
    text = """figure crane {
  chain jib: standard table {
    hook swing: revolute(a: 15 cm)
  }
  landmarks { hook: "hook swing" }
}
"""
    (found,) = errors(text)
    assert (found.line, found.message) == (3, "a name is one word")
