"""What a bare number means: an angle has a dimension, and a number keeps the unit of its file.

The expected values are worked out by hand beside each case.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from articulata.errors import WorldError
from articulata.records import quantities as recorded
from articulata.world.document import Document, parse, read
from articulata.world.language.units import QUANTITIES, alike, parse_unit
from articulata.world.language.vocabulary import MEASURED
from articulata.world.model import Program
from articulata.world.requests.pose import Placement, PoseQuestion
from articulata.world.requests.reach import Grid, ReachQuestion
from articulata.world.writing.worlds import art_text

DEGREE = math.pi / 180.0
BODY = """
primitive block { properties: (density: 1000 kg/m^3); geometry: cuboid(1 m, 1 m, 1 m); dynamics }
"""


def angle_of(expression: str, units: str = "degree") -> float:
    """Return the angle (rad) about z by which a block is turned."""
    text = (
        f"units: {units}\n{BODY}world w {{ components {{ b: block }}\n"
        f"structure {{ place b by b.center at (0, 0, 0) turned {expression} about z }} }}"
    )
    w, _, _, z = parse(text).world("w").bodies["b"].pose.orientation
    return 2.0 * math.atan2(z, w)


def number_of(expression: str, units: str = "degree", before: str = "") -> float:
    """Return what an expression is worth where a plain number is due."""
    text = (
        f"units: {units}\n{before}\nprimitive block {{ properties: (density: 1000 kg/m^3, friction:"
        f" {expression}); geometry: cuboid(1 m, 1 m, 1 m); dynamics }}\n"
        "world w { components { b: block } }"
    )
    friction = parse(text).world("w").bodies["b"].properties["friction"]
    assert isinstance(friction, float)
    return friction


def hinged(value: str, units: str) -> Document:
    return parse(
        f"units: {units}\n{BODY}world w {{ components {{ g: fixed_point; b: block }} structure {{\n"
        "  join b to g with pin(axis: z) as h matching (center, center)\n"
        f"  {value}\n}} }}"
    )


def program(value: str, units: str = "degree") -> Program:
    (force,) = hinged(value, units).world("w").forces.values()
    return force.program


def moment(
    expression: str, angle: float = 0.3, rate: float = 0.2, time: float = 0.7, units: str = "degree"
) -> float:
    """Return the moment (N m) about a hinge; angle in rad, rate in rad/s, time in s."""
    return run(program(f"force f about h = {expression}", units),
               {"angle": angle, "rate": rate, "time": time})  # fmt: skip


def tension(expression: str, distance: float, units: str = "metre, degree") -> float:
    """Return the tension (N) between two features."""
    return run(program(f"force f between b.top and g.center = {expression}", units),
               {"distance": distance, "speed": 0.0, "time": 0.7})  # fmt: skip


def run(steps: Program, values: dict[str, float]) -> float:
    """Return what a postfix program gives: an evaluator of the test's own."""
    two = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "pow": lambda a, b: a**b,
        "min": min,
        "max": max,
        "atan2": math.atan2,
    }
    one = {"neg": lambda a: -a, "abs": abs, "sin": math.sin, "cos": math.cos, "exp": math.exp,
           "sqrt": math.sqrt}  # fmt: skip
    stack: list[float] = []
    for name, value in steps:
        if name == "push":
            stack.append(value)
        elif name in two:
            right, left = stack.pop(), stack.pop()
            stack.append(two[name](left, right))
        else:
            stack.append(one[name](stack.pop()) if name in one else values[name])
    (result,) = stack
    return result


LENGTHS = "let L = 3 m\nlet D = 2 m\n"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("L/D - 1", 0.5),
        ("sqrt(1 + (L/D)^2)", math.sqrt(3.25)),
        ("max(D/L, 1)", 1.0),
        ("1 - (1 m)/(2 m)", 0.5),
        ("max(0.2, D/L)", 2 / 3),
        ("1 - cos(60)", 0.5),
        ("exp(-L/D) + 1", math.exp(-1.5) + 1.0),
        ("pi/6 + 10", math.pi / 6 + 10.0),
        ("(30 deg)/(90 deg) + 1", 4 / 3),
        ("atan2(1, 1) / (90 deg)", 0.5),
        ("dot((L, 0 m, 0 m), (D, L, L)) / (1 m^2) - 1", 5.0),
    ],
)
def test_a_number_beside_a_ratio_is_a_number(expression: str, expected: float) -> None:
    assert number_of(expression, before=LENGTHS) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("5 N*m*(1 - cos(angle))", 5.0 * (1.0 - math.cos(0.3))),
        ("5 N*m*(1 - time/(2 s))", 5.0 * (1.0 - 0.35)),
        ("5 N*m*(1 - exp(-time/(0.5 s)))", 5.0 * (1.0 - math.exp(-1.4))),
        ("5 N*m*(angle/(90 deg) - 1)", 5.0 * (0.3 / (math.pi / 2) - 1.0)),
        ("2 N*m/rad*(angle - pi/2)", 2.0 * (0.3 - math.pi / 2)),
        ("2 N*m/deg*(angle - 10)", 2.0 / DEGREE * (0.3 - 10 * DEGREE)),
        ("2 N*m*clamp(angle, -10, 10)", 2.0 * 10 * DEGREE),
        ("2 N*m*s*(rate - 90)", 2.0 * (0.2 - 90 * DEGREE)),
        ("servo(60, 20 N*m)", 20.0 * (60 * DEGREE - 0.3)),
        ("servo(60 * ramp(time, 0 s, 1.4 s), 20 N*m)", 20.0 * (30 * DEGREE - 0.3)),
        ("servo(pi/3, 20 N*m)", 20.0 * (math.pi / 3 - 0.3)),
        ("servo(60, 20 N*m, 2 N*m*s, speed: 90)",
         20.0 * (60 * DEGREE - 0.3) - 2.0 * (0.2 - 90 * DEGREE)),
        ("5 N*m*sin(2*pi*time/(1.4 s))", 5.0 * math.sin(math.pi)),
        ("5 N*m*sin(90)", 5.0),
        ("20 N*m*angle + 5", 20.0 * 0.3 + 5.0),
        ("5 * cos(angle)", 5.0 * math.cos(0.3)),
        ("2 N*m*sqrt(angle^2)", 0.6),
        ("2 N*m * min(rate*(1 s), 90, angle, 80)", 0.4),
        ("2 N*m*(1 + max(" + ", ".join(["sin(angle)"] * 900) + "))", 2.0 * (1.0 + math.sin(0.3))),
    ],
)  # fmt: skip
def test_moments_read_their_numbers_once(expression: str, expected: float) -> None:
    assert moment(expression) == pytest.approx(expected, rel=1e-14, abs=1e-14)


@pytest.mark.parametrize(
    ("expression", "distance", "units", "expected"),
    [
        ("10 N * (distance/(0.5 m) - 1)", 0.6, "metre, degree", 2.0),
        ("100 N/m * (max(distance, 50) - 50)", 0.6, "centimetre, degree", 10.0),
        ("100 N/m * (distance - 50)", 0.6, "centimetre", 10.0),
        ("servo(50, 100 N/m)", 0.6, "centimetre", 10.0),
        ("servo(50, 100)", 0.6, "centimetre, kilogram, second", 10.0),
    ],
)
def test_tensions_read_their_numbers_once(
    expression: str, distance: float, units: str, expected: float
) -> None:
    assert tension(expression, distance, units) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("sqrt(pi^2/36)", math.pi / 6),
        ("norm((pi/6, 0, 0))", math.pi / 6),
        ("2*pi/6", math.pi / 3),
        ("pi*(1 m)/(6 m)", math.pi / 6),
        ("pi/6 + 10 deg", math.pi / 6 + 10 * DEGREE),
        ("atan2(50, 1 m)", math.atan2(0.05, 1.0)),
        ("asin(0.5) + 10", 40 * DEGREE),
        ("30 + 10", 40 * DEGREE),
        ("30 * cos(60)", 15 * DEGREE),
        ("(3 m) * (10 deg) / (1 m)", 30 * DEGREE),
        ("360/8", 45 * DEGREE),
        ("(20 N*m)/(20 N*m/rad)", 1.0),
        ("(90 deg/s) * (0.5 s)", 45 * DEGREE),
        ("0 * (1 m)/(2 m)", 0.0),
    ],
)
def test_angles_keep_their_unit(expression: str, expected: float) -> None:
    found = angle_of(expression, "millimetre, degree")
    assert found == pytest.approx(expected, rel=1e-14, abs=1e-15)


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("pi/6 + 10", "in rad or in deg"),
        ("(1 m)/(2 m)", "0.5 could be meant in rad or in deg"),
        ("90 * (1 m)/(2 m)", "45 could be meant"),
        ("1 - (1 m)/(2 m)", "0.5 could be meant"),
        ("30 deg + (1 m)/(2 m)", "0.5 could be meant in rad or in deg"),
        ("sin((1 m)/(2 m)) * 30", "in rad or in deg"),
    ],
)
def test_what_stays_ambiguous_is_an_error_with_both_readings(expression: str, words: str) -> None:
    with pytest.raises(WorldError, match=words) as caught:
        angle_of(expression)
    assert caught.value.diagnostics[0].code == "ambiguous-unit"
    # In radians there is one reading.
    assert math.isfinite(angle_of(expression, "radian"))


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("min(5 N*m, angle)", "cannot be compared with an angle"),
        ("5 N*m + angle", "an angle .* cannot be added to a torque"),
        ("5 N*m * exp(-angle)", "a plain number is due .*divide it by 1 rad"),
        ("servo(60, 20, 2)", "for each radian or for each degree"),
        ("2 N*m * (rate - 1 m/s)", "cannot be subtracted"),
        ("5 N*m * 2^angle", "a power is a plain number"),
    ],
)
def test_quantities_that_do_not_fit_are_refused(expression: str, words: str) -> None:
    with pytest.raises(WorldError, match=words):
        moment(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "5 N*m*(angle/(90 deg) - 1)",
        "2 N*m*clamp(angle, -10, 10) - 3 N*m/rad*(angle - pi/2)",
        "servo(60 * ramp(time, 0 s, 1.4 s), 20 N*m, 2 N*m*s, 50 N*m)",
        "5 N*m * atan2(rate*(1 s), angle) * exp(-time/(1 s)) * sqrt(angle^2)",
        "2 N*m * asin(min(1, max(time/(1 s), -1))) * sin(2*pi*time/(1 s))",
    ],
)
def test_a_moment_that_is_written_out_is_read_again(expression: str) -> None:
    world = hinged(f"force f about h = {expression}", "degree").world("w")
    assert parse(art_text(world)).world().forces["f"].program == world.forces["f"].program


def test_conditions_and_recordings_know_the_same_quantities() -> None:
    units = {**recorded.UNITS, "position": recorded.UNITS["point"], "angle": "rad",
             "travel": "m", "rate": "rad/s"}  # fmt: skip
    for name, kind in MEASURED.items():
        unit = parse_unit(units[name].replace(" ", "*"))
        assert alike(unit.dimension, QUANTITIES[kind]), name
    assert set(recorded.UNITS) - {"point", "orientation"} <= set(MEASURED)


def test_an_angle_is_given_up_in_arcs_moments_and_energies() -> None:
    def speed(expression: str) -> float:
        text = (
            f"units: degree\n{BODY}world w {{ components {{ b: block }} structure {{ place b by "
            f"b.center at (0, 0, 0), velocity = (({expression}, 0, 0) (0, 0, 0)) }} }}"
        )
        return parse(text).world("w").bodies["b"].velocity[0]

    assert speed("(90 deg/s) * (2 m)") == pytest.approx(math.pi)  # w x r
    assert speed("pi * (1 m/s)") == pytest.approx(math.pi)
    assert speed("sqrt((1 rad/s)^2 * (4 m^2))") == 2.0
    assert speed("(1 kg*m^2*rad/s) / (2 kg*m)") == 0.5  # angular momentum over mass times radius
    assert moment("5 J / (2 rad) + 1 N*m") == 3.5
    with pytest.raises(WorldError, match="an angle is due"):
        angle_of("(1 rad/s) * (1 s^2)")
    with pytest.raises(WorldError, match="divide it by 1 rad"):
        number_of("30 deg")


def test_an_untyped_argument_is_read_once() -> None:
    text = (
        f"units: millimetre, degree\n{BODY}world w(turn) {{\n"
        "components { g: fixed_point; b: block } structure {\n"
        "  join b to g with pin(axis: z) as h matching (center, center)\n"
        "  force f about h = servo(turn, 20 N*m) } }\n"
        "simulate w(60) { time: (1 ms, 1 s) }"
    )
    document = parse(text)
    (request,) = document.requests
    assert request.arguments == pytest.approx((60 * DEGREE,))
    for world in (document.world(request), document.world("w", 60 * DEGREE)):
        steps = world.forces["f"].program
        found = run(steps, {"angle": 0.3, "rate": 0.0, "time": 0.0})
        assert found == pytest.approx(20.0 * (60 * DEGREE - 0.3))


def test_a_count_that_meets_pi_or_a_number_of_degrees_is_a_count() -> None:
    for expression in ("2*pi/n", "360/n"):
        text = (
            f"units: degree\n{BODY}world w(n) {{ components {{ b: block }} structure {{\n"
            f"place b by b.center at (0, 0, 0) turned {expression} about z }} }}\n"
            "simulate w(4) { time: (1 ms, 1 s) }"
        )
        document = parse(text)
        half = math.sqrt(0.5)
        for world in (document.world("w", 4), document.world(document.requests[0])):
            assert world.bodies["b"].pose.orientation == pytest.approx((half, 0, 0, half))


def test_an_argument_of_two_kinds_must_be_declared() -> None:
    text = (
        f"units: degree\n{BODY}world w(n) {{ components {{ b: block; c: block }} structure {{\n"
        "place b by b.center at (0, 0, 0) turned n about z\n"
        "place c by c.center at (5 m, 0, 0) turned pi/n about z } }"
    )
    with pytest.raises(WorldError, match="'n' is used as a plain number and as an angle"):
        parse(text).world("w", 4)


def test_bare_values_keep_their_unit_across_an_import(tmp_path: Path) -> None:
    (tmp_path / "parts.art").write_text(
        "units: millimetre, degree\nlet size = 100\nlet lean = 30\n"
        "primitive brick(edge, tilt = 10) { properties: (density: 1000 kg/m^3)\n"
        "geometry: cuboid(edge, size, 2*edge) where { tip: (0, 1, 0) turned tilt about z }\n"
        "dynamics }\n"
    )
    (tmp_path / "main.art").write_text(
        'import "parts.art" as parts\n'
        "world w { components { a: parts.brick(parts.size); b: parts.brick(2) } structure {\n"
        "  place a by a.center at (parts.size, 2*parts.size, 3) turned parts.lean about z } }\n"
        "world mixed { components { a: parts.brick(1) } structure {\n"
        "  place a by a.center at (parts.size + 1, 0, 0) } }\n"
    )
    document = read(tmp_path / "main.art")
    world = document.world("w")
    a, b = world.bodies["a"], world.bodies["b"]
    assert a.pose.position == pytest.approx((0.1, 0.2, 3.0))
    assert 2 * math.atan2(a.pose.orientation[3], a.pose.orientation[0]) == pytest.approx(
        30 * DEGREE
    )
    assert repr(a.shape) == "Cuboid(x=0.1, y=0.1, z=0.2)"
    assert repr(b.shape) == "Cuboid(x=2.0, y=0.1, z=4.0)"
    with pytest.raises(WorldError, match="numbers of files with other units"):
        document.world("mixed")


def condition(text: str, units: str = "centimetre, degree") -> object:
    """Return a clause's condition as data in SI."""
    document = parse(
        f"units: {units}\n{BODY}world w {{ components {{ g: fixed_point; c: block; b: block;\n"
        "s: block }\nstructure { join b to g with pin(axis: z) as h matching (center, center)\n"
        "join s to g with prismatic(axis: x) as slide matching (center, center)\n"
        "force f between c.top and g.center = clamp(10 N/m * distance, -5 N, 5 N) } }\n"
        f"simulate w {{ time: (1 ms, 1 s)\non {text}: stop }}"
    )
    found = [each for each in document.check(starts=False) if each.severity == "error"]
    assert not found, found
    (rule,) = document.requests[0].rules
    return rule.operands if rule.given is None else rule.given


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sin(h.angle) < -0.5", ("<", ("sin", "h.angle"), -0.5)),
        ("2*(h.angle + 30) < 0",
         ("<", ("*", 2.0, ("+", "h.angle", 30 * DEGREE)), 0.0)),
        ("c.v.y^2 > 4", (">", ("^", "c.v.y", 2.0), 4e-4)),
        ("c.v.y > 2", (">", "c.v.y", 0.02)),
        ("h.rate > 90", (">", "h.rate", 90 * DEGREE)),
        ("slide.rate > 50", (">", "slide.rate", 0.5)),
        ("f.saturation > 0.9", (">", "f.saturation", 0.9)),
        ("f.speed > 50", (">", "f.speed", 0.5)),
        ("angular_momentum.z > 2", (">", "angular_momentum.z", 2e-4)),
        ("abs(h.angle) > 10", (">", ("abs", "h.angle"), 10 * DEGREE)),
        ("max(h.angle, 20) > 30", (">", ("max", "h.angle", 20 * DEGREE), 30 * DEGREE)),
        ("h.angle > pi/2", (">", "h.angle", math.pi / 2)),
        ("c.center.x/(2 m) < 0.5", ("<", ("/", "c.center.x", 2.0), 0.5)),
        ("c.center.x > 5 and not (time < 2)",
         ("and", (">", "c.center.x", 0.05), ("not", ("<", "time", 2.0)))),
        ("impact(c, b) with speed > 5", (">", "speed", 0.05)),
    ],
)  # fmt: skip
def test_conditions_read_their_numbers_once(text: str, expected: tuple[object, ...]) -> None:
    def flat(item: object) -> list[object]:
        return [x for each in item for x in flat(each)] if isinstance(item, tuple) else [item]

    found, due = flat(condition(text)), flat(expected)
    assert [each for each in found if isinstance(each, str)] == [
        each for each in due if isinstance(each, str)
    ]
    numbers = [each for each in found if isinstance(each, float)]
    assert numbers == pytest.approx([each for each in due if isinstance(each, float)], rel=1e-13)


def test_conditions_of_other_dimensions_are_refused() -> None:
    for text, words in (
        ("h.angle > 3 m", "cannot be compared"),
        ("f.saturation > 1 m", "cannot be compared"),
        ("h.angle > c.center.x/(1 m)", "in rad or in deg"),
        ("(c.v.y > 2) + 1 > 0", "cannot be computed with"),
    ):
        with pytest.raises((AssertionError, WorldError), match=words):
            condition(text)


def test_clauses_of_requests_read_bare_numbers_in_the_units_of_the_file() -> None:
    document = parse(
        f"units: centimetre, degree\n{BODY}world w {{ components {{ b: block }} }}\n"
        "figure someone { components { trunk: block }\n"
        'landmarks { "right hand": trunk.center; "left hand": trunk.center } }\n'
        "pose stretch { figure: someone; world: w\n"
        '  place: "right hand" at (50, 2*60, 1 m), "left hand" at (0, 0, 1) pointing x }\n'
        "reach w { person: someone; points: grid 5 in b }"
    )
    pose, reach = document.requests
    assert isinstance(pose.question, PoseQuestion)
    assert pose.question.places == (
        Placement("right hand", (0.5, 1.2, 1.0)),
        Placement("left hand", (0.0, 0.0, 0.01), pointing=(1.0, 0.0, 0.0)),
    )
    assert isinstance(reach.question, ReachQuestion)
    assert reach.question.points == (Grid(0.05, "b"),)
