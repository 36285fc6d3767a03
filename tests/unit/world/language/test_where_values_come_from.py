"""What is wrong by an argument, by a factor or by an index is told there, with what mends it."""

from __future__ import annotations

import pytest

from articulata.errors import Diagnostic
from articulata.world.document import parse

TEXT = """units: metre, kilogram, second, degree
primitive rod(span, wall: length = 2 cm) {
  geometry: cuboid(span, wall, wall) where { near: (-span/2, 0, 0); far: (span/2, 0, 0) }
  dynamics: (mass: 1)
}
primitive tube(outer: length, inner: length) {
  geometry: cylinder(outer - inner, 9 cm)
  dynamics: (mass: 1)
}
composite chain(n: count = 4, span = 30 cm) {
  components { link[1..n]: rod(span) }
  structure { for i in 2..n { join link[i] to link[i-1] with pin(axis: z) matching (near, far) } }
}
world crane(start: angle = 30) {
  components { base: fixed_point; arm: rod(50 cm); t: tube(3 cm, 2 cm)
    c: chain(3); s[1..3]: rod(1) }
  structure {
    place base by base.center at (0, 0, 0)
    join arm to base with pin(axis: z) as hub matching (near, center)
      driven by motor(curve: ((0 rpm, 5 N*m), (1000 rpm, 4 N*m), (1500 rpm, 0 N*m)))
    force closer about hub = -9 N*m/rad * angle - 2 N*m*s/rad * rate
    force pull between s[1].center and base.center = -9 N/m * distance - 2 N*s/m * speed
    place arm by hub.angle = start
    place t by t.center at (0, 0, 3)
    place c.link[1] by c.link[1].center at (0, 0, 6)
    for i in 1..3 { place s[i] by s[i].center at (0, i, 9) }
    for i in 1..2 { ignore s[i] with s[i+1] }
  }
}
simulate crane { time: (0.1 s, 1 s); report: monitor c.link[3].far }
"""


def errors(right: str, wrong: str) -> list[Diagnostic]:
    assert right in TEXT
    return list(parse(TEXT.replace(right, wrong, 1), "w.art").check())


def line_of(words: str) -> int:
    return TEXT[: TEXT.index(words)].count("\n") + 1


def test_the_text_is_right() -> None:
    assert errors("", "") == []


@pytest.mark.parametrize(
    ("right", "wrong", "message", "advice"),
    [
        ("arm: rod(50 cm)", "arm: rod(-50 cm)", "not -0.5, which 'span' gives", "greater than 0"),
        ("arm: rod(50 cm)", "arm: rod(50 deg)", "not an angle (deg), which 'span' gives", "in m"),
        ("rod(50 cm)", "rod(5 cm, wall: 0 cm)", "not 0, which 'wall' gives", "greater than 0"),
        ("tube(3 cm, 2 cm)", "tube(2 cm, 3 cm)", "which 'outer' or 'inner' gives",
         "change 'outer' or 'inner': it is outer - inner"),
        ("c: chain(3)", "c: chain(3, 4 kg)", "not a mass (kg), which 'span' gives", "in m"),
        ("c: chain(3)", "c: chain(3, -4 cm)", "not -0.04, which 'span' gives", "greater than 0"),
    ],
)  # fmt: skip
def test_what_an_argument_spoils_is_told_at_the_call(
    right: str, wrong: str, message: str, advice: str
) -> None:
    (found,) = errors(right, wrong)
    assert found.line == line_of(right)
    assert message in found.message
    assert advice in found.suggestion


def test_what_a_default_spoils_is_told_in_the_definition() -> None:
    (found,) = errors("wall: length = 2 cm", "wall: length = -2 cm")
    assert found.line == line_of("cuboid(span")


@pytest.mark.parametrize(
    ("right", "wrong", "advice"),
    [
        ("-9 N*m/rad * angle", "-9 N/m * angle", "write 9 N*m/rad in place of 9 N/m"),
        ("-9 N*m/rad * angle", "-9 N * angle", "write 9 N*m/rad in place of 9 N"),
        ("2 N*m*s/rad * rate", "2 N*s/m * rate", "write 2 N*m*s/rad in place of 2 N*s/m"),
        ("-9 N*m/rad * angle - 2 N*m*s/rad * rate", "-9 * angle - 2 * rate",
         "write 9 N*m/rad in place of 9, and 2 N*m*s/rad in place of 2"),
        ("-9 N*m/rad * angle -", "9 N - ", "write 9 N*m in place of 9 N"),
        ("-9 N*m/rad * angle", "-9 N*m/rad * (angle - 10 cm)", "write an angle (deg) here"),
        ("-9 N/m * distance", "-9 N*m/rad * distance", "write 9 N/m in place of 9 N*m/rad"),
        ("2 N*s/m * speed", "2 N*s * speed", "write 2 N*s/m in place of 2 N*s"),
    ],
)  # fmt: skip
def test_the_unit_of_a_factor_is_named(right: str, wrong: str, advice: str) -> None:
    (found,) = errors(right, wrong)
    assert advice in found.suggestion


CURVE = "((0 rpm, 5 N*m), (1000 rpm, 4 N*m), (1500 rpm, 0 N*m))"


@pytest.mark.parametrize(
    "wrong",
    [
        "((5 N*m, 0 rpm), (4 N*m, 1000 rpm), (0 N*m, 1500 rpm))",
        "((1500 rpm, 0 N*m), (1000 rpm, 4 N*m), (0 rpm, 5 N*m))",
        "((0 N*m, 1500 rpm), (4 N*m, 1000 rpm), (5 N*m, 0 rpm))",
    ],
)
def test_points_of_a_curve_are_put_in_order(wrong: str) -> None:
    (found,) = errors(CURVE, wrong)
    assert found.suggestion == f"write curve: {CURVE}"
    assert found.code == "wrong-order"


def test_a_list_of_speeds_and_one_of_torques_become_points() -> None:
    (found,) = errors(CURVE, "((0 rpm, 1500 rpm), (5 N*m, 0 N*m))")
    assert found.suggestion == "write curve: ((0 rpm, 5 N*m), (1500 rpm, 0 N*m))"


def test_a_torque_that_rises_without_end_is_doubted() -> None:
    (found,) = errors(CURVE, "((0 rpm, 0 N*m), (1000 rpm, 4 N*m))")
    assert (found.severity, "the faster it moves" in found.message) == ("warning", True)


@pytest.mark.parametrize(
    ("right", "wrong", "advice"),
    [
        ("c.link[3].far", "c.link[n].far", "write a number, such as link[1]"),
        ("c.link[3].far", "c.link[last].far", "write a number, such as link[1]"),
        ("c.link[3].far", "c.link[1..3].far", "give each an entry: link[1] ... link[3]"),
        ("c.link[3].far", "c[3].far", "write c.link[3]"),
        ("c.link[3].far", "[3].far", "write what is numbered before it: name[3]"),
        ("for i in 1..2 { ignore s[i] with s[i+1] }", "ignore s[i] with s[i+1]",
         "or repeat this: for i in 1..n { ... }"),
        ("{ ignore s[i] with", "{ ignore s[j] with", "write s[i]"),
        ("for i in 1..2 { ignore s[i] with s[i+1] }", "ignore s[1..3] with arm",
         "repeat this: for i in 1..3 { ... s[i] ... }"),
        ("for i in 1..2 {", "for i in 0..2 {", "begin with 1: for i in 1.."),
        ("for i in 1..2 {", "for i in 1..3 {", "end with 2: for i in 1..2"),
    ],
)  # fmt: skip
def test_an_index_that_leads_nowhere_names_one_that_does(
    right: str, wrong: str, advice: str
) -> None:
    (found,) = errors(right, wrong)
    assert advice in found.suggestion
    assert found.line == line_of(right)


TRACK = """track me {
  figure: person(1.75 m); from: fastrak "/dev/ttyUSB0"; stations: 1 skull
  to: viewer, OUTLET
}
"""


@pytest.mark.parametrize(
    ("wrong", "advice"),
    [
        ('rosbridge "ws://localhost:9090"', 'write rosbridge "localhost:9090"'),
        ("rosbridge ws://robot:9090", 'write rosbridge "robot:9090"'),
        ('rosbridge "192.168.1.5:9090/"', 'write rosbridge "192.168.1.5:9090"'),
        ('vmc "udp://10.0.0.2"', 'write vmc "10.0.0.2:PORT"'),
        ('vmc "39539"', "write vmc 39539"),
        ("ros2 9090", "write rosbridge"),
        ("dis", "it is a command: articulata join --from SOURCE"),
    ],
)
def test_who_hears_a_posture_is_told_by_host_and_port(wrong: str, advice: str) -> None:
    (found,) = parse(TRACK.replace("OUTLET", wrong)).check(starts=False)
    assert found.suggestion.startswith(advice)
    assert found.line == 3


@pytest.mark.parametrize(
    "right",
    ['rosbridge "localhost:9090"', 'vmc "[::1]:39539"', 'rosbridge "a.b:1?topic=/x&rate=9"'],
)
def test_hosts_and_ports_are_taken(right: str) -> None:
    assert parse(TRACK.replace("OUTLET", right)).check(starts=False) == ()
