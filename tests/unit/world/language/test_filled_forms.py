"""Advice is written in the words of the entry that it is about."""

from __future__ import annotations

import time

import pytest

from articulata.errors import Diagnostic
from articulata.world.language.checking.check import diagnose
from articulata.world.language.filled_forms import filled
from articulata.world.language.meant_words import nearest

TEXT = """units: metre, kilogram, degree
primitive jar {
  properties: (density: 900 kg/m^3)
  geometry: cylinder(5 cm, 14 cm) where { side: (5 cm, 0, 0) }
  dynamics
}
primitive door { properties: (fixed); geometry: cuboid(80 cm, 2 m, 4 cm) where { edge: (-40 cm, 0, 0) } }
figure worker {
  chain "right arm": plain table {
    head: revolute(axis: y)
    r_elbow_flexion: revolute(axis: x) at (0, 30 cm, 0)
  }
  landmarks { r_grip: r_elbow_flexion at (0, 30 cm, 0); "right hand": r_elbow_flexion; skull: head }
}
world pantry {
  components
    floor: ground
    anna: worker
    leaf: door
    jar: jar
  structure {
    place leaf by leaf.center at (0, 1 m, -2 m)
    place jar by jar.center at (0, 1 m, -1 m)
    join jar to leaf with pin(axis: y) as hub matching (side, edge) breaks at 1.2 kN
  }
}
simulate pantry {
  time: (5 ms, 2 s)
  report: animation every 20 ms
  on impact(jar, leaf) with impulse > 10 N*s: stop
}
pose take {
  figure: anna
  world: pantry
  place: r_grip at jar.side
  look: skull at jar
  load: 1.5 kg in r_grip
  move: "right arm", head
  motion: straight in 2 s
}
reach pantry {
  person: anna
  limits: r_elbow_flexion from 10 deg to 120 deg
  points: grid 50 cm in floor
  approach: from leaf
}
track live {
  figure: worker
  from: fastrak
  to: file "me.bvh"
}
film round {
  world: pantry
  camera: lens(28 mm) at (0, 1 m, 3 m) turned 37 deg about y
  look: at jar.side roll level
  body: box(10 cm, 9 cm, 16 cm)
}
"""  # noqa: E501 -- a line of the text


def only(old: str, new: str) -> Diagnostic:
    """Return the one error of the text with ``old`` replaced, on the line where that stands."""
    assert old in TEXT
    (found,) = (each for each in diagnose(TEXT.replace(old, new))[1] if each.severity == "error")
    assert found.line == TEXT.count("\n", 0, TEXT.index(old)) + 1
    return found


def test_the_text_is_right() -> None:
    assert not [each for each in diagnose(TEXT)[1] if each.severity == "error"]


@pytest.mark.parametrize(
    ("old", "new", "advice"),
    [
        ("1.5 kg in r_grip", "1.5 kg at r_grip", "write 1.5 kg in r_grip"),
        ("1.5 kg in r_grip", "r_grip 2.5 kg", "write 2.5 kg in r_grip"),
        ("1.5 kg in r_grip", "2.5 kg", 'write 2.5 kg in "right hand"'),
        ("from 10 deg to 120 deg", "(10 deg, 120 deg)",
         "write r_elbow_flexion from 10 deg to 120 deg"),
        ("straight in 2 s", "straight 3 s", "write straight in 3 s"),
        ("grid 50 cm in floor", "40 cm in floor", "write grid 40 cm in floor"),
        ("grid 50 cm in floor", "grid in floor, 40 cm", "write grid 40 cm in floor"),
        ("from leaf", "leaf", "write from leaf"),
        ("animation every 20 ms", "animation 40 ms", "write animation every 40 ms"),
        ("time: (5 ms, 2 s)", "time: 6 s", "write (0.05 s, 6 s)"),
        ('file "me.bvh"', '"arms.csv"', 'write file "arms.csv"'),
        ("at jar.side roll level", "jar.side roll locked lead 80 ms",
         "write at jar.side roll locked lead 80 ms"),
        ("box(10 cm, 9 cm, 16 cm)", "cuboid(12 cm, 9 cm, 20 cm)", "write box(12 cm, 9 cm, 20 cm)"),
    ],
)  # fmt: skip
def test_a_form_is_filled_with_what_the_entry_holds(old: str, new: str, advice: str) -> None:
    assert only(old, new).suggestion == advice


@pytest.mark.parametrize(
    ("old", "new", "advice"),
    [
        ("r_grip at jar.side", "jar.side at r_grip", "write r_grip at jar.side"),
        ("r_grip at jar.side", "jar at r_grip within 1 cm", "write r_grip at jar within 1 cm"),
        ("skull at jar", "jar at skull", "write skull at jar"),
        ("matching (side, edge)", "matching (edge, side)", "write (side, edge)"),
    ],
)
def test_names_known_in_each_others_place_are_exchanged(old: str, new: str, advice: str) -> None:
    found = only(old, new)
    assert (found.code, found.suggestion) == ("wrong-order", advice)


@pytest.mark.parametrize(
    ("old", "new", "value"),
    [
        ("1.5 kg in r_grip", "20 N in r_grip", "2.04 kg"),  # 20 / 9.81
        ("breaks at 1.2 kN", "breaks at 120 kg", "1177 N"),  # 120 * 9.81
        ("lens(28 mm)", "lens(50 deg)", "50 mm"),
        ("box(10 cm, 9 cm", "box(10 cm, 8 kg", "8 cm"),
        ("every 20 ms", "every 50 Hz", "20 ms"),
    ],
)
def test_numbers_of_another_dimension_are_told_in_the_one_that_is_due(
    old: str, new: str, value: str
) -> None:
    assert only(old, new).suggestion.endswith(f": {value}")


def test_what_the_entry_lacks_is_an_example_and_the_form_of_its_words_comes_first() -> None:
    forms = ("<target>", "grid <length> in <path>")
    assert filled(forms, "grid", {"path": "floor", "length": "5 cm"}).startswith("grid 5 cm in")
    assert filled(("breaks at 500 N",), "breaks") == "breaks at 500 N"


@pytest.mark.parametrize(
    ("old", "new", "advice"),
    [
        ('move: "right arm", head', "move: right arm, head", 'write "right arm"'),
        ("1.5 kg in r_grip", "1.5 kg in right hand", 'write 1.5 kg in "right hand"'),
        ("with impulse > 10 N*s", "and impulse > 10 N*s",
         "write impact(jar, leaf) with impulse > 10 N*s"),
        ("with impulse > 10 N*s", "and speed > 2 m/s",
         "write impact(jar, leaf) with speed > 2 m/s"),
        ("impact(jar, leaf) with impulse > 10 N*s", "jar.center.y and time > 1 s",
         "write jar.center.y > 1 m"),
        ("pin(axis: y)", "pin(axis: y, stiffness: 8 N*m/rad)",
         "write force spring about hub = -8 N*m/rad * angle"),
        ("pin(axis: y)", "pin(axis: y, damping: 2 N*m*s/rad)",
         "write force damper about hub = -2 N*m*s/rad * rate"),
        ("m, 3 m) turned 37 deg about y", "m, 3 m) rotation (90, 0, 45)",
         "write lens(28 mm) at (0, 1 m, 3 m) turned 90 deg about x turned 45 deg about z"),
        ("revolute(axis: y)", "revolute(axis: y, lower: -70 deg, upper: 10 deg)",
         "write limits: (-70 deg, 10 deg)"),
        ("cylinder(5 cm, 14 cm)", "translate([0, 1 m, 0]) cylinder(5 cm, 14 cm)",
         "write cylinder(5 cm, 14 cm) at (0, 1 m, 0)"),
        ("cylinder(5 cm, 14 cm)", "rotate([90, 0, 0]) cylinder(5 cm, 14 cm)",
         "write cylinder(5 cm, 14 cm) turned 90 deg about x"),
        ("join jar to leaf with pin(axis: y) as hub matching (side, edge) breaks at 1.2 kN",
         "connect(jar.side, leaf.edge);",
         "write join jar to leaf with pin matching (side, edge)"),
        ("place leaf by leaf.center at (0, 1 m, -2 m)", "if n > 1:", "write for i in 2..n"),
    ],
)  # fmt: skip
def test_words_of_other_programs_lead_to_ours_with_the_entrys_values(
    old: str, new: str, advice: str
) -> None:
    assert only(old, new).suggestion.startswith(advice)


def test_a_line_that_goes_on_with_a_clause_belongs_to_that() -> None:
    (found,) = (
        each
        for each in diagnose(TEXT.replace(" turned 37", "\n    rotation (0, 37, 0)\n    # 37"))[1]
        if each.severity == "error"
    )
    assert found.suggestion == "write camera: ... turned 37 deg about y"


def test_the_name_that_was_meant_is_found_where_a_name_is_given_twice() -> None:
    text = TEXT.replace(
        "    place leaf by",
        "    join leaf to floor with weld as hub matching (center, origin)\n"
        "    gear teeth between hub and hub2 = 2\n    place leaf by",
    )
    found = [each for each in diagnose(text)[1] if each.severity == "error"]
    assert [each.code for each in found] == ["duplicate"]
    assert "'hub2'" in found[0].suggestion


def test_of_many_names_the_nearest_are_told() -> None:
    names = tuple(f"{side}_{part}" for side in "lr" for part in (
        "hip", "knee", "ankle", "toe", "shoulder", "elbow", "wrist"))  # fmt: skip
    shown = nearest("spine", names)
    assert shown.endswith("or one of 9 more")
    assert shown.count(",") == 5
    assert nearest("x", ("a", "b")) == "a or b"
    begun = time.process_time()
    assert nearest("spine" + "a" * 3_000_000, names).endswith("or one of 9 more")
    assert time.process_time() - begun < 5.0
