"""Ordinary mistakes in texts of the library: one error, on its line, with what to write."""

from functools import cache
from importlib.resources import files

import pytest

from articulata.world.document import parse

TRACK = """
track arms {
  figure: person(1.75 m)
  from: fastrak "/dev/ttyUSB0"
  stations: 1 skull, 2 r_upper_arm
  calibrate: t_pose
  body: standing
  to: viewer, file "me.bvh"
}
"""
VARY = """
primitive bar(span: length) {
  properties: (density: 7850 kg/m^3)
  geometry: cuboid(5 cm, span, 5 cm) where { top: (0, span/2, 0) }
  dynamics
}
world swing(start: angle = 30 deg, span: length = 1 m) {
  components { nail: fixed_point; rod: bar(span) }
  structure {
    join rod to nail with pin(axis: z) as hook matching (top, center)
    place nail by nail.center at (0, 2 m, 0)
    place rod by hook.angle = start
  }
}
vary swing {
  time: (1 ms, 2 s)
  parameters: span from 0.5 m to 1.5 m with 6 values
  measure: max hook.rate, hook.angle at 0.5 s
}
"""


@cache
def text_of(name: str) -> str:
    own = {"track": TRACK, "vary": VARY}
    library = files("articulata.world") / "library"
    return own.get(name) or (library / f"{name}.art").read_text("utf-8")


ARGUMENTS = [
    ("gallery/four_bar", "bar(orange)", "bar(color: orange)", "'shade'"),
    ("gallery/governor", "friction(viscous: 0.4 N*m*s)", "friction(damping: 0.4 N*m*s)", "viscous"),
    ("gallery/governor", "pin(axis: y) as main", "pin(y axis) as main", "axis: y"),
    ("gallery/governor", "pin(axis: y) as main", "pin(axis: y, as: main)", "as main after"),
    ("rooms/museum", "lens(28 mm)", "lens(f: 28 mm)", "'focal'"),
    ("gallery/visit", "at (0, 2 cm, 0),\n    left", "at (0, 2 cm, 0)\n    left", "add ','"),
    ("gallery/pendulum", "7850 kg/m^3", "7.85 g/ccm", "7.85 g/cm^3"),
    (
        "gallery/planetary_gear",
        "sin(120 deg), 0)\n    arm3",
        "sind(120), 0)\n    arm3",
        "(120 deg)",
    ),
    ("rooms/inspection_cell", "8.8 mm, 6.6 mm", "8.8 x 6.6 mm", "8.8 mm, 6.6 mm"),
]
STATEMENTS = [
    ("gallery/four_bar", "left_pin, right_pin: fixed", "left_pin; right_pin: fixed", "','"),
    ("gallery/four_bar", "matching (bottom, top)", "matching bottom, top", "(bottom, top)"),
    ("gallery/governor", "matching (foot, center)\n", "matching (foot, center),\n", "remove ','"),
    ("gallery/governor", "motor(speed: speed)", "engine(speed: speed)", "motor(speed: speed)"),
    ("gallery/wrecking", "breaks at 1.2 kN", "strength 1.2 kN", "breaks at 1.2 kN"),
    ("rooms/kitchen", "limits (0, 40 cm)", "range (0, 40 cm)", "'limits'"),
    ("gallery/pendulum", "in 2..n", "from 2 to n", "for i in 2..n"),
    ("rooms/kitchen", "for i in 1..3", "for i in [1, 2, 3]", "1..3"),
    ("rooms/kitchen", "shelf[1..3].front", "shelf[1-3].front", "1..3"),
    ("gallery/pendulum", "at (0, 2 m, 0), p.", "at (0, 2 m, 0) and p.", "write ,"),
    ("gallery/wrecking", "50 cm: stop", "50 cm: end", "'stop'"),
    ("gallery/wrecking", "on impact(", "on collision(", "'impact'"),
    ("gallery/visit", "floor: floor\n", "floor: plane\n", "'ground'"),
]
CLAUSES = [
    # a clause by another name is found by what it holds
    ("rooms/kitchen", "rules: ada_2010", "law: ada_2010", "'rules'"),
    ("rooms/kitchen", "approach: from door", "entrance: door", "approach: from door"),
    ("rooms/pantry", "place: r_grip at", "target_of_hand: r_grip at", "'place'"),
    ("rooms/pantry", "minimise: 3 discomfort", "aim: 3 discomfort", "minimise: 3 discomfort"),
    ("rooms/pantry", "figure: anna", "person: anna", "figure: anna"),
    ("track", "body: standing", "pelvis: standing", "'body'"),
    ("rooms/pantry", "look: at jar", "look at jar", "add ':'"),
    ("vary", "measure: max", "output: max", "write measure: max hook.rate, hook.angle at 0.5 s"),
]
ENTRIES = [
    ("rooms/inspection_cell", '"inspection_tour.csv"', "inspection_tour.csv", '"inspection_tour'),
    ("track", 'file "me.bvh"', "file me.bvh", '"me.bvh"'),
    ("track", "calibrate: t_pose", "calibrate: n_pose, t_pose", "t_pose"),
    ("track", "calibrate: t_pose", "calibrate: no", "none"),
    ("rooms/kitchen", "on power_chair", "on power chair", "on power_chair"),
    ("rooms/pantry", "minimum_jerk in", "minimum jerk in", "minimum_jerk in 2 s"),
    ("rooms/pantry", "pointing (-1, 0, 0)", "facing (-1, 0, 0)", "pointing (-1, 0, 0)"),
    ("rooms/lift", "front finger pointing", "front with finger pointing", "front finger pointing"),
    (
        "rooms/museum",
        "limits(speed: 1.5 rad/s, acceleration: 8 rad/s^2)",
        "speed 1.5 rad/s, acceleration 8 rad/s^2",
        "limits(speed: 1.5 rad/s, acceleration: 8 rad/s^2)",
    ),
    ("vary", "with 6 values", "step 25 cm", "write with 5 values"),
    ("vary", "to 1.5 m with 6 values", "to 1.5 m in 6 steps", "to 1.5 m with 6 values"),
    ("vary", "span from 0.5 m to 1.5 m with 6 values", "span = 0.5 m .. 1.5 m", "span from 0.5 m"),
    ("vary", "max hook.rate", "greatest hook.rate", "max"),
    ("vary", "max hook.rate", "average hook.rate", "mean hook.rate"),
]


@pytest.mark.parametrize(
    ("name", "right", "wrong", "advice"), [*ARGUMENTS, *STATEMENTS, *CLAUSES, *ENTRIES]
)
def test_an_ordinary_mistake_is_told_once_with_what_to_write(
    name: str, right: str, wrong: str, advice: str
) -> None:
    text = text_of(name)
    assert right in text
    (found,) = parse(text.replace(right, wrong, 1)).check(starts=False)
    same = next(i for i, letter in enumerate(right) if letter != wrong[i])
    assert found.line == text.count("\n", 0, text.index(right) + same) + 1
    assert advice in found.suggestion


@pytest.mark.parametrize("name", ["rooms/kitchen", "rooms/pantry", "track", "vary"])
def test_the_texts_are_right(name: str) -> None:
    assert parse(text_of(name)).check(starts=False) == ()


UNITS_AND_NAMES = [
    ("gallery/four_bar", "cuboid(0.04 m, 1 m", "cuboid(0.04 m + 5, 1 m", "write 5 m"),
    ("rooms/kitchen", "limits (0, 90 deg)", "limits (0, 90)", "90 deg"),
    ("gallery/planetary_gear", "sin(120 deg), 0)\n    arm3", "sin(12), 0)\n    arm3", "12 deg"),
    ("gallery/visit", "rk4(step: 10 ms)", "rk4(1)", "write 1 ms"),
    ("gallery/pendulum", "metre, kilogram, second, degree", "SI", "leave the line out"),
    ("gallery/governor", "0.4 N*m*s)\n    join", "0.4 Nms)\n    join", "N*m*s"),
    ("gallery/planetary_gear", "s.motor.torque", "s.torque", "s.motor.torque"),
    ("gallery/motor_crank", "motor(speed: speed)", "speed", "motor(speed: speed)"),
    ("gallery/visit", "person(1.68 m, woman)", "human(1.68 m, woman)", "'person'"),
    ("gallery/visit", "anna follows wave", "anna does wave", "'follows'"),
    ("rooms/pantry", "1.5 kg in", "jar in", "a mass, such as 10 kg"),
    ("rooms/pantry", "pose take_jar", "posture take_jar", "'pose'"),
    ("rooms/museum", "on robot.flange", "on flange", "robot.flange"),
    ("rooms/museum", "limits(speed", "(speed", "proposed: limits(speed: 1.5 rad/s"),
    ("figures/camera_robot", "revolute() at (1012", "revolute at (1012", "revolute() at (1012"),
    ("figures/otmani_2009", "table on theta0", "table from theta0", "'on'"),
]


@pytest.mark.parametrize(("name", "right", "wrong", "advice"), UNITS_AND_NAMES)
def test_a_unit_or_a_name_is_told_once_with_what_to_write(
    name: str, right: str, wrong: str, advice: str
) -> None:
    text = text_of(name)
    assert right in text
    (found,) = parse(text.replace(right, wrong, 1)).check(starts=False)
    assert found.line == text.count("\n", 0, text.index(right)) + 1
    assert advice in found.suggestion


def test_a_landmark_of_a_robot_that_is_named_by_its_type_is_found() -> None:
    text = text_of("rooms/museum").replace("on robot.flange", "on camera_robot.flange", 1)
    (found,) = parse(text).check(starts=False)
    assert (found.severity, found.suggestion) == ("warning", "write 'robot'")


@pytest.mark.parametrize("units", ["centimetre", "centimetre, second"])
def test_a_number_beside_one_in_the_unit_of_the_file_lacks_none(units: str) -> None:
    text = f"units: {units}\nlet a = 12 cm + 5\nlet b = 3 - 2 cm/s\nlet c = 4 mm + 1\n"
    found = parse(text).check(starts=False)
    assert [(each.line, each.suggestion) for each in found] == [(4, "write 1 mm")]
