"""Documents: worlds and requests from text, imports, units, arguments, findings."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest

from articulata.errors import WorldError
from articulata.world.document import check, parse, read
from articulata.world.masses import body_mass
from articulata.world.writing.worlds import art_text

ROD = """
primitive rod(span: length = 1 m) {
  properties: (density: 2, color: red)
  geometry: cuboid(0.1 m, span, 0.1 m) where { top: (0, span/2, 0); bottom: (0, -span/2, 0) }
  dynamics
}
"""


def findings(text: str) -> list[tuple[int, str]]:
    return [(each.line, each.code) for each in parse(text).check()]


def body_text(statement: str, *, parts: str = "a: fixed_point; b: rod", before: str = "") -> str:
    return (
        f"{ROD}{before}\nworld w {{\ncomponents {{ {parts} }}\nstructure {{\n{statement}\n}}\n}}\n"
    )


PLAIN = "join b to a with pin(axis: z) matching (top, center)"


def test_a_plain_join_has_no_findings() -> None:
    assert findings(body_text(PLAIN)) == []


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("place b by b.top at (0, 1/0, 0)", "division-by-zero"),
        ("place b by b.top at (0, sqrt(-1), 0)", "not-finite"),
        ("for i in 1..1e12 { ignore a with b }", "too-large"),
        (f"{PLAIN} limits (2, 1)", "wrong-kind"),
        (f"{PLAIN} breaks at -3", "not-positive"),
        (f"{PLAIN} as one\n{PLAIN} as one", "duplicate"),
        ("join b to b with pin(axis: z) matching (top, bottom)", "wrong-kind"),
        ("join b to a with screw(lead: 0) matching (top, center)", "not-positive"),
        ("join b to a with pin(axis: (0, 0, 0)) matching (top, center)", "bad-direction"),
        (f"{PLAIN} limits (-1, 1)\nplace b by b.angle = 3", "out-of-range"),
        (f"{PLAIN}\nplace b by b.angle = 1, b.angle = 2", "duplicate"),
        ("join b to a with pin matching (top, center), (bottom, center)", "same-point"),
        ("place b by b.top at (0, 0, 0) turned 3 about (0, 0, 0)", "bad-direction"),
    ],
)
def test_wrong_value_is_one_finding_on_its_line(statement: str, code: str) -> None:
    found = findings(body_text(statement))
    last = body_text(statement).rstrip("}\n").count("\n") + 1
    assert found == [(last, code)]


@pytest.mark.parametrize(
    ("primitive", "code"),
    [
        ("geometry: cuboid(1, -3, 1)", "not-positive"),
        ("geometry: sphere(0)", "not-positive"),
        ("geometry: prism(2, 1, 1)", "bad-shape"),
        ("geometry: sphere(1)\ndynamics: (mass: 0 kg)", "not-positive"),
        ("geometry: sphere(1)\ndynamics: (mass: 1 kg, inertia: (1, 1, 3))", "not-positive"),
        ("properties: (density: -2)\ngeometry: sphere(1)", "not-positive"),
        ("properties: (restitution: 1.5)\ngeometry: sphere(1)", "out-of-range"),
        ("geometry: sphere(1e308 * 1e10)", "not-finite"),
        ("geometry: extruded(((0 0) (1 1) (1 0) (0 1)), 1)", "bad-shape"),
    ],
)
def test_impossible_body_is_one_finding(primitive: str, code: str) -> None:
    text = f"primitive p {{\n{primitive}\n}}\nworld w {{ components {{ a: p; b: p }} }}\n"
    assert [found for _, found in findings(text)] == [code]


def test_all_findings_come_in_one_pass_and_none_follows_from_another() -> None:
    text = (
        "primitive p {\ngeometry: sphere(0)\n}\n"
        "primitive q {\ngeometry: cuboid(1, 1, 1) where { t: (0, 1, 0) }\ndynamics\n}\n"
        "world w {\ncomponents { a: p; b: q; c: q }\nstructure {\n"
        "join b to a with ball matching (t, center)\n"
        "join c to b with ball matching (t, center) breaks at 0\n"
        "place c by c.t at (0, 1/0, 0)\n}\n}\n"
    )
    assert findings(text) == [(2, "not-positive"), (12, "not-positive"), (13, "division-by-zero")]


def test_index_out_of_range_says_the_range() -> None:
    text = body_text("ignore r[n + 1] with b", parts="b: rod; r[1..n]: rod").replace(
        "world w {", "world w(n: count = 3) {"
    )
    (finding,) = parse(text).check()
    assert finding.code == "wrong-index"
    assert "from 1 to 3" in finding.message


def test_type_that_contains_itself_is_a_cycle() -> None:
    text = "composite c {\ncomponents { x: c }\n}\nworld w { components { a: c } }\n"
    codes = [code for _, code in findings(text)]
    assert codes == ["cycle"]


def test_huge_array_is_refused_quickly() -> None:
    text = f"{ROD}world w {{ components {{ r[1..1e9]: rod }} }}"
    assert [code for _, code in findings(text)] == ["too-large"]


# ---- values


def test_units_of_the_file_apply_to_bare_numbers() -> None:
    text = (
        "units: millimetre, gram, second, degree\n"
        "primitive cube(edge: length = 10) { properties: (density: 1)\n"
        "geometry: cuboid(edge, 2 cm, edge) where { top: (0, 10, 0) }\ndynamics }\n"
        "world w(turn = 90) { components { a: cube; b: cube(20) }\n"
        "structure { place a by a.top at (0, 100, 0) turned turn about z } }\n"
        "simulate w(45) { time: (1 ms, 2) }\n"
    )
    document = parse(text)
    world = document.world("w")
    a = world.bodies["a"]
    assert a.density == pytest.approx(1e6)  # 1 g/mm^3
    assert repr(world.bodies["b"].shape) == "Cuboid(x=0.02, y=0.02, z=0.02)"
    assert a.pose.position == pytest.approx((0.01, 0.1, 0.0))
    (request,) = document.requests
    assert request.arguments == pytest.approx((math.pi / 4,))
    assert (request.step, request.until) == (0.001, 2.0)
    half = math.pi / 8
    turned = document.world(request).bodies["a"].pose.orientation
    assert turned == pytest.approx((math.cos(half), 0, 0, math.sin(half)))
    # Values given from Python are SI, whatever the units of the file.
    assert document.world("w", math.pi / 4).bodies["a"].pose.orientation == pytest.approx(turned)


def test_arguments_are_checked_by_name_and_number() -> None:
    document = parse("world w(x, y = 2) { components { a: fixed_point }\n"
                     "structure { place a by a.center at (x, y, 0) } }")  # fmt: skip
    assert document.world("w", 1).bodies["a"].pose.position == (1.0, 2.0, 0.0)
    assert document.world("w", x=3, y=4).bodies["a"].pose.position == (3.0, 4.0, 0.0)
    with pytest.raises(WorldError, match="lacks a value for 'x'"):
        document.world("w")
    with pytest.raises(WorldError, match="takes 2 arguments, 3"):
        document.world("w", 1, 2, 3)
    with pytest.raises(WorldError, match="no parameter 'xx'; did you mean 'x'"):
        document.world("w", xx=1)
    with pytest.raises(WorldError, match="cannot be nan"):
        document.world("w", float("nan"))
    with pytest.raises(WorldError, match="no world 'v'"):
        document.world("v", 1)


def test_scaled_type_scales_lengths_and_given_inertia() -> None:
    text = body_text("", parts="a: fixed_point; b: ball scaled 2", before=(
        "primitive ball { geometry: sphere(1) where { top: (0, 1, 0) }\n"
        "dynamics: (mass: 3 kg, inertia: (2, 2, 2), center: (0, 0.5, 0)) }"
    ))  # fmt: skip
    b = parse(text).world("w").bodies["b"]
    assert repr(b.shape) == "Sphere(radius=2.0)"
    assert b.features["top"].pose.position == (0.0, 2.0, 0.0)
    assert b.properties["mass"] == 24.0
    assert b.properties["inertia"] == (64.0, 64.0, 64.0)
    assert b.properties["mass_center"] == (0.0, 1.0, 0.0)


def test_bodies_of_several_densities_are_welded() -> None:
    text = body_text("join b to c with weld matching (top, bottom)", parts="b, c: rod")
    (hinge,) = parse(text).world("w").hinges.values()
    assert hinge.kind.name == "weld"
    assert parse(text).world("w").relations("b", "c")[1].kind == "rigid"


def test_hinge_of_the_user_is_made_of_its_rows() -> None:
    text = body_text("join b to a with groove(radius: 0.2 m) matching (top, center)", before=(
        "hinge groove(radius: length = 0.1 m) {\n"
        "  point (0, 0, 0) of first on cylinder((0, 0, 0), z, radius) of second\n"
        "  point (0, 0, 0) of first on plane((0, 0, 0), z) of second\n}"
    ))  # fmt: skip
    (hinge,) = parse(text).world("w").hinges.values()
    assert hinge.kind.name == "groove"
    assert [type(row.surface).__name__ for row in hinge.kind.rows] == ["CylinderSurface", "Plane"]
    assert hinge.kind.rows[0].surface.radius == 0.2  # type: ignore[union-attr] # a cylinder


def test_spring_is_a_program_of_distance_and_speed() -> None:
    text = body_text(
        "join b to a with spring(stiffness: 10 N/m, length: 2 m, damping: 3 N*s/m)"
        " matching (top, center)"
    )
    (force,) = parse(text).world("w").forces.values()
    assert force.program == (
        ("distance", 0.0),
        ("push", 2.0),
        ("sub", 0.0),
        ("push", 10.0),
        ("mul", 0.0),
        ("speed", 0.0),
        ("push", 3.0),
        ("mul", 0.0),
        ("add", 0.0),
    )


def test_rates_of_hinges_move_all_that_hangs_on_them() -> None:
    text = body_text(
        "join b to a with pin(axis: z) matching (top, center)\n"
        "join c to b with pin(axis: z) matching (top, bottom)\nplace b by b.rate = 2",
        parts="a: fixed_point; b, c: rod",
    )
    world = parse(text).world("w")
    assert world.bodies["b"].velocity == pytest.approx((1.0, 0.0, 0.0))
    assert world.bodies["c"].velocity == pytest.approx((3.0, 0.0, 0.0))
    assert world.bodies["c"].rate == (0.0, 0.0, 2.0)


# ---- imports


def test_imports_bring_types_values_and_names_of_controllers(tmp_path: Path) -> None:
    (tmp_path / "parts.art").write_text(ROD + "let far = 3 m\nimport 'never.py'".replace("'", '"'))
    (tmp_path / "main.art").write_text(
        'import "parts.art" as parts\nimport "control.py" as c\n'
        "world w { components { a: parts.rod(2 m) }\n"
        "structure { place a by a.top at (parts.far, 0, 0) } }\n"
    )
    document = read(tmp_path / "main.art")
    assert document.check() == ()
    world = document.world("w")
    assert world.bodies["a"].pose.position == (3.0, -1.0, 0.0)
    assert world.imports_python == ("control.py",)


def test_import_outside_the_folder_needs_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "parts.art").write_text(ROD)
    main = inner / "main.art"
    main.write_text('import "../parts.art" as p\nworld w { components { a: p.rod } }\n')
    (finding,) = check(main)
    assert (finding.line, finding.code) == (1, "outside")
    advised = f"ARTICULATA_ALLOW={tmp_path.resolve()}"
    assert finding.suggestion.startswith(f"copy it there, or set {advised} for every command; ")
    assert "check --allow" in finding.suggestion
    assert check(main, allow=[tmp_path]) == ()
    monkeypatch.setenv(*advised.split("="))
    assert check(main) == ()  # as every command reads it
    monkeypatch.setenv("ARTICULATA_ALLOW", f"{inner}{os.pathsep}{tmp_path}")
    assert check(main) == ()
    monkeypatch.setenv("ARTICULATA_ALLOW", str(inner))
    assert [each.code for each in check(main)] == ["outside"]


def test_cyclic_imports_are_reported_at_both_places(tmp_path: Path) -> None:
    (tmp_path / "a.art").write_text('\nimport "b.art" as b\n')
    (tmp_path / "b.art").write_text('\n\nimport "a.art" as a\n')
    found = check(tmp_path / "a.art")
    places = {(Path(each.file).name, each.line, each.code) for each in found}
    assert places == {("a.art", 2, "cycle"), ("b.art", 3, "cycle")}


def test_missing_import_is_the_only_finding(tmp_path: Path) -> None:
    (tmp_path / "people.art").write_text(ROD)
    main = tmp_path / "main.art"
    main.write_text('import "peple.art" as people\nworld w { components { a: people.rod } }\n')
    (finding,) = check(main)
    assert (finding.line, finding.code) == (1, "missing-file")
    assert "people.art" in finding.suggestion


def test_missing_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match=r"nowhere\.art: cannot be read"):
        read(tmp_path / "nowhere.art")


# ---- requests


def test_request_keeps_reports_rules_and_options() -> None:
    text = body_text(PLAIN) + (
        "simulate w { time: (1 ms, 10 s)\nmethod: rk4\ndomains: (geometric, control)\n"
        "report: animation every 20 ms, snapshots 5, events, monitor b.w.z, forces of b.top\n"
        "on b.angle > 90 deg: break b.top\non time 2 s { remove b; stop } }\n"
    )
    (request,) = parse(text).requests
    assert (request.step, request.until, request.method) == (0.001, 10.0, "rk4")
    assert request.domains == ("geometric", "control")
    assert [(r.kind, r.every, r.count, r.path) for r in request.reports] == [
        ("animation", 0.02, None, None),
        ("snapshots", None, 5, None),
        ("events", None, None, None),
        ("monitor", None, None, "b.w.z"),
        ("forces", None, None, "b.top"),
    ]
    first, second = request.rules
    assert (first.event, first.operands) == (
        "condition",
        (">", "b.angle", pytest.approx(math.pi / 2)),
    )
    assert (first.actions[0].verb, first.actions[0].operands) == ("break", ("b.top",))
    assert (second.event, second.operands) == ("time", (2.0,))
    assert [action.verb for action in second.actions] == ["remove", "stop"]


@pytest.mark.parametrize("time", ["(0, 1)", "(-1, 1)", "(2, 1)", "(1, -1)"])
def test_impossible_times_are_findings(time: str) -> None:
    text = body_text(PLAIN) + f"simulate w {{\ntime: {time}\n}}\n"
    found = findings(text)
    assert len(found) == 1
    assert found[0][1] in ("not-positive", "wrong-order", "wrong-kind")


def test_a_seed_is_0_or_more_in_simulate_as_elsewhere() -> None:
    text = body_text(PLAIN) + "simulate w {\ntime: (0.01, 1)\nseed: -3\n}\n"
    (found,) = parse(text).check()
    assert (found.code, found.line) == ("out-of-range", text.count("\n") - 1)
    assert found.message == "a seed is 0 or more, not -3"


def test_wrong_argument_is_blamed_where_it_is_given_and_nothing_follows() -> None:
    text = body_text("join r[2] to r[1] with ball matching (top, bottom)", parts="r[1..3]: rod(-1)")
    (finding,) = parse(text).check()
    line = text.splitlines()[finding.line - 1]
    assert finding.code == "not-positive"
    assert line[finding.column - 1 : finding.end_column - 1] == "-1"


def test_a_type_may_say_that_it_never_moves() -> None:
    text = (
        "primitive table {\n"
        "  properties: (fixed, density: 5)\n"
        "  geometry: cuboid(1, 1, 1)\n"
        "  dynamics\n"
        "}\n"
        "world w { components t: table }\n"
    )
    world = parse(text).world("w")
    assert world.bodies["t"].motion == "fixed"
    assert parse(art_text(world)).world("w").bodies["t"].motion == "fixed"
    with pytest.raises(WorldError, match=r"place \.\.\. by properties: \(placed\)"):
        parse(text.replace("fixed,", "placed,")).world("w")
    with pytest.raises(WorldError, match="'fixed' is given already"):
        parse(text.replace("fixed,", "fixed, fixed,")).world("w")


@pytest.mark.parametrize("name", ["x" * 5000, "a\x00b.art", "\ud800.art", "x" * 5000 + ".py", ".."])
def test_an_import_of_what_cannot_be_a_file_is_a_finding(name: str, tmp_path: Path) -> None:
    found = parse(f'import "{name}" as a').check()
    assert all(each.severity == "warning" or each.suggestion for each in found)
    assert name.endswith(".py") or [each.code for each in found] == ["missing-file"]


SHOP = """
units: centimetre
let thick = 3
primitive shelf(width: length) { geometry: cuboid(width, thick, 30) where { edge: (0, 0, 15) } }
world shop(width: length = 80) {
  components s: shelf(width)
  structure { place s by s.center at (0, 100, 0) }
}
"""


def test_requests_are_about_worlds_of_files_that_are_imported(tmp_path: Path) -> None:
    (tmp_path / "shop.art").write_text(SHOP)
    text = """
import "shop.art"
primitive shelf { geometry: sphere(1 m) }
film tour { world: shop(120 cm); camera: lens(35 mm) at (0, 1 m, 2 m); look: at s.edge }
"""
    (tmp_path / "tour.art").write_text(text)
    document = read(tmp_path / "tour.art")
    assert document.check() == ()
    (request,) = document.requests
    for world, width in (
        (request.elaborate(), 1.2),
        (document.world("shop"), 0.8),
        (document.world("shop", 0.5), 0.5),
    ):
        shape = world.bodies["s"].shape
        assert (shape.x, shape.y) == pytest.approx((width, 0.03))  # the shelf of its own file
    assert document.called("shop(1 m)", "--world") == ("shop", (1.0,))
    (tmp_path / "tour.art").write_text(text.replace("s.edge", "s.egde"))
    assert "did you mean" in str(read(tmp_path / "tour.art").check())


def test_rooms_of_the_library_are_imported_by_their_file() -> None:
    document = parse('import "museum.art"')
    assert document.world("museum").bodies["statue"].motion == "fixed"
    with pytest.raises(WorldError, match=r"did you mean 'museum\.art'"):
        parse('import "musem.art"').world("museum")


def test_a_world_that_ships_is_read_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert [each.kind for each in read("kitchen").requests] == ["reach"]
    assert read("clock").requests[0].kind == "simulate"
    with pytest.raises(WorldError, match="did you mean 'kitchen'"):
        read("kitchn")
    (tmp_path / "kitchen").write_text("world own { components floor: ground }")
    assert read("kitchen").requests == ()


def test_a_body_of_which_all_is_given_is_not_asked_what_its_shape_weighs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = """
    primitive limb {
      geometry: union(sphere(0.3 m), sphere(0.2 m) at (0, 0.3 m, 0))
      dynamics: (mass: 2 kg, center: (0, 1 m, 0), inertia: (1, 2, 2.5))
    }
    world w { components b: limb }
    """
    limb = parse(text).world("w").bodies["b"]
    asked: list[object] = []
    monkeypatch.setattr("articulata.geometry.solids.mass_properties", lambda *it: asked.append(it))
    found = body_mass(limb)
    assert found is not None
    assert (found.mass, found.center.tolist()) == (2.0, [0.0, 1.0, 0.0])
    assert np.diag(found.inertia).tolist() == [1.0, 2.0, 2.5]
    assert asked == []
