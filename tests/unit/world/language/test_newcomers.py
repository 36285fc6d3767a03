"""What somebody writes on the first day: it is read as meant, or the advice leads to what is."""

from __future__ import annotations

from pathlib import Path

import pytest

import articulata as art
from articulata.errors import Diagnostic, WorldError
from articulata.world.document import parse
from articulata.world.language.checking.check import diagnose

TEXT = """units: metre, kilogram, second, degree
let iron = material(density: 7850 kg/m^3)
primitive brick(tint = red) {
  properties: (material: iron, color: tint)
  geometry: cuboid(30 cm, 40 cm, 60 cm) where { upper: (0, 20 cm, 0); lower: (0, -20 cm, 0) }
  dynamics
}
world site(shade = blue) {
  components course[1..3]: brick; green_one: brick(tint: green); other: brick(tint: shade)
    floor: ground
  structure {
    for i in 1..2 {
      join course[i+1] to course[i] with weld matching (lower, upper)
    }
    place course[1] by course[1].lower at (0, 1 m, 0)
    place green_one by green_one.lower at (2 m, 1 m, 0)
    place other by other.lower at (4 m, 1 m, 0)
  }
}
simulate site {
  time: (10 ms, 50 ms)
  report: events
}
"""


def errors(text: str) -> list[Diagnostic]:
    return [each for each in diagnose(text)[1] if each.severity == "error"]


def test_a_colour_is_a_parameter() -> None:
    assert not parse(TEXT).check()
    world = parse(TEXT).requests[0].elaborate()
    colors = [world.bodies[name].color for name in ("course[1]", "green_one", "other")]
    assert colors == ["red", "green", "blue"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("30 cm, 40 cm", "red, 40 cm", "one value, a length, is due for 'x', not a colour"),
        ("material: iron", "material: steel", "'steel' is not defined"),
    ],
)
def test_a_colour_where_none_belongs_is_told(old: str, new: str, message: str) -> None:
    (only,) = errors(TEXT.replace(old, new))
    assert message in only.message


def test_a_hinge_of_a_loop_with_a_number_is_sent_to_its_name() -> None:
    (only,) = errors(TEXT.replace("with weld", "with weld as mortar[i]"))
    assert (only.code, only.suggestion) == (
        "wrong-index",
        "leave 'as mortar' out: hinges of numbered bodies are h12, h23 ... after them",
    )
    joined = parse(TEXT).requests[0].elaborate().hinges
    assert set(joined) == {"h12", "h23"}


@pytest.mark.parametrize(
    ("clauses", "where", "hint"),
    [
        ("time: (10 ms, 50 ms) on time 20 ms: stop", " on time", "add ';' here"),
        ("time: (10 ms, 50 ms), report: events", ", report", "write ';' or begin a new line"),
        ("time: (10 ms, 50 ms), on time 20 ms: stop", ", on", "write ';' or begin a new line"),
        ("report: events time: (10 ms, 50 ms)", " time:", "add ';' here"),
    ],
)
def test_entries_on_one_line_are_parted_by_semicolons(clauses: str, where: str, hint: str) -> None:
    text = TEXT[: TEXT.index("simulate site")] + f"simulate site {{ {clauses} }}\n"
    (only,) = errors(text)
    assert only.suggestion == hint
    line = text.splitlines()[only.line - 1]
    assert only.column - 1 == line.index(where)


REPORTS = (
    "green_one touches floor", "green_one from floor", "green_one.upper to other.lower",
    "new.center.y", "new", "new touches floor", "grip.force",
)  # fmt: skip

ADDS = """
  on time 20 ms: add new: brick by new.lower at (6 m, 1 m, 0)
  on time 30 ms: join other to green_one with weld as grip
"""


@pytest.mark.parametrize("path", REPORTS)
def test_a_report_monitors_pairs_and_what_is_added_later(path: str) -> None:
    text = TEXT.replace("report: events", f"report: events, monitor {path}{ADDS}")
    assert not errors(text)
    request = parse(text).requests[0]
    request.elaborate()
    assert [each.path for each in request.reports] == [None, path]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("green_one to other", "'green_one' is a component, not a point"),
        ("green_one.upper touches floor", "'green_one.upper' is a feature, not a body"),
        ("new.center.y", "there is no component 'new' here"),
    ],
)
def test_what_cannot_be_monitored_is_told_before_the_run(path: str, message: str) -> None:
    found = errors(TEXT.replace("report: events", f"report: events, monitor {path}"))
    assert found[0].message == message


def test_a_clause_that_no_request_knows_is_told_of_and_hinders_nothing() -> None:
    text = (
        "film part { camera: lens(35 mm) on robot.flange; frset (0, 0, 8 cm); from: spacemouse }\n"
    )
    messages = [each.message for each in parse(text).check()]
    assert "'film' has no clause 'frset'" in messages


def test_joints_of_a_figure_are_told_to_be_rows_of_a_chain() -> None:
    found = parse("figure lamp {\n  joints { turn: revolute(axis: y) }\n}\n").check()
    assert [each.code for each in found] == ["unknown-section"]
    assert "chain arm: plain table { turn: revolute(axis: y) }" in found[0].suggestion


def test_a_world_among_the_clauses_of_simulate_is_told_where_it_belongs() -> None:
    found = parse("world yard { }\nsimulate hit { world: yard; time: (1 ms, 1 s) }\n").check()
    said = [each.suggestion for each in found if each.code == "unknown-section"]
    assert said == ["name the world in front of the clauses: simulate yard { ... }"]


def test_what_is_placed_twice_is_said_with_the_line_of_the_first() -> None:
    again = "    place green_one by green_one.lower at (3 m, 1 m, 0)\n"
    twice = TEXT.replace("    place other by", again + "    place other by")
    with pytest.raises(WorldError, match=r"(?s)placed somewhere else already, on line 16.*remove"):
        parse(twice).world("site")
    # the same place once more, and another point of the same body, are no contradiction
    for meant in ("green_one.lower at (2 m, 1 m, 0)", "green_one.upper at (2 m, 1.4 m, 0)"):
        parse(twice.replace("green_one.lower at (3 m, 1 m, 0)", meant)).world("site")


@pytest.mark.parametrize("clause", ["maximise: torque", "maximise: dexterity, 2 torque"])
def test_what_another_clause_takes_is_sent_there(clause: str) -> None:
    (found,) = errors(f"pose p {{\n  figure: person\n  {clause}\n}}\n")
    assert found.line == 3
    assert found.message == "'torque' is not known in 'maximise:'"
    entry = clause.rpartition(": ")[2].rpartition(", ")[2]
    assert found.suggestion == f"write it under 'minimise:', as minimise: {entry}"


def test_a_constant_is_written_without_parentheses() -> None:
    (found,) = errors("let a = PI()/2\n")
    assert found.suggestion == "write 'pi' without parentheses"


@pytest.mark.parametrize(
    ("clause", "message", "hint"),
    [
        (
            "on impact(green_one, other) with force > 10 N: remove other",
            "this event has no 'force'; a hinge that breaks has",
            "write impulse, speed, angular_impulse or rate",
        ),
        (
            "on impact(green_one, other): break course[2]",
            "only hinges break, and this is none",
            "name a hinge, or write remove course[2]",
        ),
    ],
)
def test_what_an_event_does_not_have_is_told_before_the_run(
    clause: str, message: str, hint: str
) -> None:
    (found,) = errors(TEXT.replace("  report: events\n", f"  {clause}\n"))
    assert (found.message, found.suggestion) == (message, hint)


def test_a_coordinate_that_a_hinge_lacks_is_told_before_the_run() -> None:
    sliding = TEXT.replace(
        "    place other",
        "    join other to floor with slider(axis: y) as bore matching (lower, top)\n"
        "    place other",
    ).replace("report: events", "report: monitor bore.angle")
    (found,) = [each for each in parse(sliding).check() if each.severity == "error"]
    assert found.message == "hinge 'bore' (prismatic) has no 'angle'; it has travel"
    assert found.suggestion == "monitor bore.travel"
    whole = sliding.replace("monitor bore.angle", "monitor bore")
    assert not [each for each in parse(whole).check() if each.code == "wrong-kind"]


def test_another_word_of_the_clause_is_told_where_it_alone_fits() -> None:
    text = (
        "film f {\n  robot: camera_robot\n  camera: lens(28 mm) at robot.flange at (0, 1, 0)\n}\n"
    )
    (found,) = [each for each in errors(text) if each.line == 3]
    assert found.message == "'at' does not fit here in 'camera:'"
    assert found.suggestion == "write lens(28 mm) on robot.flange at (0, 1, 0)"


def test_a_text_that_ends_after_two_dots_is_told() -> None:
    assert errors("reach kitchen {\n  person: person\n  points: grid 30 cm ..")


def test_a_controller_that_its_file_lacks_is_told_and_the_file_is_not_executed(
    tmp_path: Path,
) -> None:
    (tmp_path / "brake.py").write_text("def brake(t, sensed):\n    return 0\n\nraise SystemExit\n")
    (tmp_path / "open.py").write_text("globals()['brakes'] = print\n")
    text = TEXT.replace("units:", 'import "brake.py" as b\nimport "open.py" as o\nunits:')
    weld = "with weld"
    for driven, told in (("b.brakes", 1), ("b.brake", 0), ("o.brakes", 0)):
        file = tmp_path / "site.art"
        turned = text.replace(weld, "with revolute(axis: x)").replace(
            "matching (lower, upper)", f"matching (lower, upper) driven by {driven}"
        )
        file.write_text(turned)
        found = [each for each in art.check(file) if "defines no" in each.message]
        assert [each.suggestion for each in found] == ["did you mean 'brake'?"] * told
        assert all(each.severity == "warning" for each in found)


@pytest.mark.parametrize(
    ("line", "message", "advice"),
    [
        (
            "let a = box(1, 2 at (0, 0, 0)\nlet c = 2",
            "')' is missing before 'at'",
            "add ')' here",
        ),
        (
            "simulate nowhere { time: (1 s, 2 s) }\nsimulate nowhere { time: (1 s, 2 s) }",
            "there is no world 'nowhere'",
            "name site, or import the file that defines it, or write world nowhere { ... }",
        ),
        (
            "pose reach_it { figure: person\n place: r_grip at (0, 1 m, 0) within 2,5 mm }",
            "a number has a decimal point, and commas stand between values",
            "write 2.5",
        ),
    ],
)
def test_what_strangers_wrote_is_told_once(line: str, message: str, advice: str) -> None:
    (found,) = errors(f"{TEXT}\n{line}\n")
    assert (found.message, found.suggestion) == (message, advice)


def test_points_of_a_table_without_parentheses_are_written_with_them(tmp_path: Path) -> None:
    file = tmp_path / "site.art"
    file.write_text(TEXT.replace("cuboid(30 cm", "cuboid(1 m*interpolate(0.5, 0, 1, 1, 0.6)"))
    (found,) = art.check(file)
    assert found.message == "a point (x, y) is due here, not the number 0"
    assert found.suggestion == "write (0, 1)"


@pytest.mark.parametrize(
    ("old", "new", "message", "advice"),
    [
        ("to course[i] with", "to course(i) with", "a number of an array stands in [ ]",
         "write course[i]"),
        ("geometry: cuboid(30 cm, 40 cm, 60 cm)", "geometry: cylinder(30 cm, 40 cm, axis: x)",
         "'cylinder' takes no 'axis'",
         "its axis is z: write turned 90 deg about y after it, or x, to lay it down"),
        ("tint = red", "size: length = 2 * other, other: length = 1 m, tint = red",
         "'other' is used before it is defined", "write the parameter 'other' before it"),
        ("tint = red", "count: count within 1..4 = 2, tint = red", "limits stand in parentheses",
         "write (1, 4)"),
        ("place course[1] by course[1].lower at", "place course[1].angle = 20 deg #",
         "'place' and 'by' stand around the body that is placed",
         "write place BODY by course[1].angle = 20 deg"),
        ("  structure {", "  primitive pin_of_it {\n    geometry: sphere(1 cm)\n  }\n  structure {",
         "'primitive pin_of_it' is defined within world 'site'", "write it above world 'site'"),
        ("weld matching (lower, upper)", "pin matching (lower, upper) as h\n"
         "force f about h = -4 N*m/rad * angle - 5 deg",
         "an angle (deg) cannot be subtracted from a torque (N*m)",
         "write -4 N*m/rad * (angle - 5 deg)"),
        ("weld matching (lower, upper)", "pin matching (lower, upper) as h\n"
         "force f about h = 5 N*m * sin(time)",
         "an angle is due for 'angle', not a time (s)", "multiply it by a rate: 360 deg/s * time"),
        ("  dynamics\n", "  dynamics\n  control: turn = torque\n",
         "'turn' cannot be controlled", "write torque = turn"),
    ],
)  # fmt: skip
def test_what_more_strangers_wrote_is_told_once(
    old: str, new: str, message: str, advice: str
) -> None:
    assert old in TEXT
    (found,) = errors(TEXT.replace(old, new, 1))
    assert (found.message, found.suggestion) == (message, advice)


def test_digits_of_pi_in_a_file_of_degrees_are_warned_about() -> None:
    for turn, told in (("1.5708", ["write 90, or 1.5708 rad"]), ("1.57", []), ("1.562", [])):
        put = f"green_one.lower at (2 m, 1 m, 0) turned {turn} about z"
        text = TEXT.replace("green_one.lower at (2 m, 1 m, 0)", put)
        found = parse(text).check()
        assert [each.suggestion for each in found] == told


FORM = """units: centimetre, degree
figure crane(reach: length = 60 cm) {
  up: z
  chain mast: plain table {
    turn: revolute(axis: z)
    hook: revolute(axis: y) at (0, 0, 100)
  }
}
"""


@pytest.mark.parametrize(
    ("old", "new", "message", "advice"),
    [
        ("revolute(axis: y)", "revolute(axis: y, a: reach)", "a row of a plain table has no 'a'",
         "write at (x, y, z) turned ... behind 'revolute(...)', or a standard table"),
        ("plain table {\n    turn: revolute(axis: z)\n    hook: revolute(axis: y) at (0, 0, 100)",
         "standard table {\n    turn: revolute(axis: x)", "a row of a standard table has no 'axis'",
         "it moves along or about z: remove it, or write a plain table"),
    ],
)  # fmt: skip
def test_what_a_table_does_not_read_is_refused(
    old: str, new: str, message: str, advice: str
) -> None:
    """Both passed in silence, and the row stood elsewhere than it said."""
    assert not errors(FORM)
    (found,) = errors(FORM.replace(old, new))
    assert (found.message, found.suggestion) == (message, advice)


@pytest.mark.parametrize(
    ("old", "new", "advice"),
    [
        ("for i in 1..2 {\n      join course[i+1] to course[i]",
         "for i in 1..2 {\n      join course[i] to course[i-1]", "begin with 2: for i in 2.."),
        ("place course[1]", "join other to green_one with pin matching (lower, upper) driven by "
         "servo(60 deg, 40 N*m/rad)\n    place course[1]",
         "write force hold about its_hinge = servo(60 deg, 40 N*m/rad)"),
        ("let iron", "let f(k) = 5*k\nlet iron",
         "write let f = a value, or what it gives where it is used"),
        ("report: events", "report: monitor other/rate", "write other.rate"),
        ("report: events", 'report: monitor other["upper"].position', 'write other."upper"'),
        ("report: events", "on time 1 s: set other.center = (0, 0, 0)",
         "write place other by other.center at (0, 0, 0)"),
        ("report: events", "on time 1 s: add fifth: brick(red) at (2 m, 1 m, 0)",
         "write add fifth: brick(red) by fifth.center at"),
        ("simulate site {", "optimise site { }\nsimulate site {", "did you mean 'vary'?"),
        ("30 cm, 40 cm", "1 m * interpolate(0.5, (0, 1, 2), (2, 3, 4)), 40 cm",
         "write (0, 2), (1, 3), (2, 4)"),
    ],
)  # fmt: skip
def test_habits_of_strangers_lead_to_what_is_written_here(old: str, new: str, advice: str) -> None:
    assert old in TEXT
    text = TEXT.replace(old, new, 1)
    try:
        found = [each for each in parse(text).check() if each.severity == "error"]
        if not found:
            parse(text).requests[0].elaborate()
    except WorldError as error:
        found = list(error.diagnostics)
    assert [each.suggestion for each in found] == [advice]


@pytest.mark.parametrize("at", ["green_one.upper + (1, 0, 0)", "(1 m, green_one.upper, 0)"])
def test_a_place_within_a_sum_is_told_to_stand_alone(at: str) -> None:
    found = errors(TEXT.replace("other.lower at (4 m, 1 m, 0)", f"other.lower at {at}"))
    assert found[0].message == "'green_one.upper' is a place, which stands alone after 'at'"
    assert found[0].suggestion.endswith("write at green_one.spot")


def test_a_type_in_place_of_a_world_is_told_how_to_stand_in_one() -> None:
    text = "primitive hall { geometry: sphere(1 m) }\nsimulate hall { time: (10 ms, 1 s) }\n"
    (found,) = parse(text).check()
    assert found.message == "'hall' is a primitive, no world"
    assert "world w { components { it: hall } }" in found.suggestion
