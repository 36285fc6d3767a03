"""Worlds with absurd numbers, files without an end, controllers that leave: one message each."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import articulata as art
from articulata.app.look import check_exported
from articulata.app.text_commands import checked
from articulata.sessions.command_fields import SimulateAsked
from articulata.sessions.simulation import simulate_file

ROD = """primitive rod {
  properties: (density: 1000)
  geometry: cuboid(0.1, 1, 0.1) where { top: (0, 0.5, 0); bottom: (0, -0.5, 0) }
  dynamics
  control: acceleration = push
}
"""
STILL = ROD.replace("  control: acceleration = push\n", "")


@pytest.mark.parametrize("place", ["(1e308, 0, 0)", "(0, -1e200, 0)", "(0, 0, 2e30)"])
def test_a_place_beyond_all_numbers_is_refused(place: str) -> None:
    text = f"{STILL}world w {{ components a: rod; structure {{ place a by a.top at {place} }} }}"
    found = art.parse(text).check()
    assert [(each.line, each.code) for each in found] == [(6, "too-large")]


@pytest.mark.parametrize("feature", ["top: (1e308, 0, 0)", "axis top: ((0, 1e99, 0), z)"])
def test_a_feature_beyond_all_numbers_is_refused(feature: str) -> None:
    text = STILL.replace("top: (0, 0.5, 0)", feature) + "world w { components a: rod }"
    found = art.parse(text).check()
    assert [(each.line, each.code) for each in found] == [(3, "too-large")]


def test_a_part_of_a_shape_beyond_all_numbers_is_refused() -> None:
    parts = "union(cuboid(0.1, 1, 0.1), cylinder(1, 2) at (0, -1e200, 0))"
    text = STILL.replace("cuboid(0.1, 1, 0.1)", parts) + "world w { components a: rod }"
    found = art.parse(text).check()
    assert [(each.line, each.code) for each in found] == [(3, "too-large")]


@pytest.mark.parametrize("value", ["1e-308", "1e-100", "1e100", "1e308"])
@pytest.mark.parametrize("given", ["(density: 1000)", "dynamics"])
def test_a_mass_beyond_all_numbers_is_refused(given: str, value: str) -> None:
    told = {"dynamics": f"dynamics: (mass: {value} kg)"}.get(given, f"(density: {value})")
    text = STILL.replace(given, told)
    world = art.parse(f"{text}world w {{ components a: rod }}").world()
    with pytest.raises(art.ModelError, match=r"'a' has a mass of .* give one from"):
        art.simulate(world, until=0.01)


@pytest.mark.parametrize("moving", ["(1e308, 0, 0) (0, 0, 0)", "(0, 0, 0) (0, 1e99, 0)"])
def test_a_velocity_beyond_all_numbers_is_refused(moving: str) -> None:
    placed = f"place a by a.center at (0, 0, 0), velocity = ({moving})"
    text = f"{STILL}world w {{ components {{ a: rod }} structure {{ {placed} }} }}"
    with pytest.raises(art.ModelError, match=r"'a' starts at a place or velocity .* below 1e\+60"):
        art.simulate(art.parse(text).world(), until=0.01)


@pytest.mark.parametrize("apart", ["1e7 m", "1e12 m"])
def test_points_too_far_apart_for_a_rod_are_told(apart: str) -> None:
    text = f"""{STILL}
    world w {{
      components {{ a, b: rod; p, q: fixed_point }}
      structure {{
        place p by p at (0, 0, 0)
        place q by q at ({apart}, 0, 0)
        join a to p with pin(axis: z) matching (top, center)
        join b to a with pin(axis: z) matching (top, bottom)
        join b to q with pin(axis: z) matching (bottom, center)
      }}
    }}"""
    with pytest.raises(art.AssemblyError, match="these joins cannot all be met"):
        art.simulate(art.parse(text).world(), until=0.01)


@pytest.mark.parametrize("unit", [-1, 0, 1e-300, 1e300, math.nan, math.inf, "x", True, None])
def test_a_figure_has_a_unit_of_some_length(unit: Any) -> None:
    with pytest.raises(art.WorldError, match="'unit'"):
        art.figure("jack", unit=unit)


def test_a_figure_takes_numbers_of_numpy() -> None:
    assert art.figure("jack", unit=np.float32(0.5)).names == art.figure("jack").names


def test_a_file_without_an_end_is_not_read_to_its_end() -> None:
    text, errors = checked([Path("/dev/zero")], json=False, allow=())
    assert errors
    assert "larger than" in text


@pytest.mark.parametrize("axis", ["ixx", "iyy", "izz"])
def test_a_robots_moments_of_inertia_are_not_negative(axis: str, tmp_path: Path) -> None:
    moments = " ".join(f'{each}="{-1 if each == axis else 1}"' for each in ("ixx", "iyy", "izz"))
    file = tmp_path / "r.urdf"
    file.write_text(
        f'<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>'
        f'<inertia {moments}/></inertial></link><joint name="j" type="continuous">'
        '<parent link="a"/><child link="b"/></joint></robot>'
    )
    with pytest.raises(art.FormatError, match=rf"'b' has {axis} = -1 kg m\^2"):
        art.read_urdf(file)


def leaving(_t: float, _sensed: object) -> object:
    sys.exit("enough")


def test_a_controller_or_callback_that_leaves_is_an_error_with_its_line() -> None:
    world = art.parse(f"{ROD}world w {{ components a: rod }}").world()
    line = leaving.__code__.co_firstlineno + 1
    with pytest.raises(art.ControllerError, match=rf"SystemExit: enough .*\.py, line {line}\)"):
        art.simulate(world, until=0.01, controllers={"push": leaving})
    asked = "simulate w { time: (1 ms, 10 ms); on time 5 ms: set a.friction = 1 }"
    request = art.parse(f"{STILL}world w {{ components a: rod }}\n{asked}").requests[0]
    with pytest.raises(art.SimulationError, match="raised SystemExit: enough"):
        art.simulate(request, on_event=leaving)


class Quiet:
    """Listens to nothing."""

    def simulating(self, done: int, total: int) -> None: ...

    def writing(self, done: int, total: int) -> None: ...

    def say(self, text: str) -> None: ...


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("def pusch(t, s): return (0, 0, 0)", r"c\.py has pusch; did you mean 'pusch'"),
        ("x = 3", r"c\.py has no functions"),
        ("raise SystemExit(3)", r"c\.py, line 1: SystemExit: 3"),
        ("def push(t, s):\n    return 1 / 0", r"ZeroDivisionError.*\(c\.py, line 2\)"),
    ],
)
def test_what_is_wrong_in_a_controllers_file_is_shown(code: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "c.py").write_text(code)
    file = tmp_path / "w.art"
    file.write_text(
        f'import "c.py"\n{ROD}world w {{ components a: rod }}\nsimulate w {{ time: (0.1, 1) }}'
    )
    with pytest.raises(art.ControllerError, match=told):
        simulate_file(SimulateAsked(file, out=tmp_path / "out"), Quiet())


class Hearing(Quiet):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def say(self, text: str) -> None:
        self.told.append(text)


def test_a_body_that_stays_for_want_of_a_word_is_named(tmp_path: Path) -> None:
    text = STILL.replace("  dynamics\n", "")
    wall = text.replace("primitive rod", "primitive wall").replace("(density", "(fixed, density")
    file = tmp_path / "w.art"
    file.write_text(
        f"{text}{wall}world w {{ gravity: (0, -9.81, 0); components a, b: rod; c: wall }}\n"
        "simulate w { time: (0.01, 0.01) }"
    )
    listener = Hearing()
    simulate_file(SimulateAsked(file, out=tmp_path / "out"), listener)
    (told,) = listener.told
    assert told.startswith("a and 1 more: stays in place, for 'rod' has a density but no dynamics")


def test_a_check_warns_of_bodies_that_only_lack_a_word() -> None:
    rod = "primitive rod { properties: (density: 1000KIND); geometry: sphere(1)WORD }\n"
    world = "world w { components a, b: rod\nstructure { place b by b.center at (3, 0, 0) } }\n"
    asked = "simulate w { time: (0.1 s, 1 s)MORE }"

    def codes(kind: str = "", word: str = "", more: str = "") -> list[str]:
        text = rod.replace("KIND", kind).replace("WORD", word) + world
        found = art.parse(text + asked.replace("MORE", more)).check()
        return [f"{each.line}:{each.column} {each.code}" for each in found]

    assert codes() == ["1:11 still"]
    assert codes(kind=", fixed") == codes(word="; dynamics") == []
    assert codes(more="; domains: (geometric, kinematic)") == []


def test_a_linkage_of_bodies_without_dynamics_names_the_word() -> None:
    text = f"""{STILL.replace("  dynamics", "")}
    world w {{
      components {{ a, b: rod }}
      structure {{
        place a by a.top at (0, 0, 0)
        place b by b.top at (5, 0, 0)
        join a to b with pin(axis: z) matching (top, top)
      }}
    }}"""
    with pytest.raises(art.AssemblyError, match=r"a, b would move if 'dynamics' stood in 'rod'"):
        art.simulate(art.parse(text).world(), until=0.01)


def test_a_world_that_is_exported_has_to_be_simulated_first(tmp_path: Path) -> None:
    file = tmp_path / "w.art"
    file.write_text(f"{STILL}world w {{ components a: rod }}")
    with pytest.raises(art.FormatError, match=r"articulata simulate w\.art"):
        check_exported(file, tmp_path / "x.csv")


def test_a_spring_whose_length_without_tension_is_beyond_all_numbers_runs() -> None:
    pulled = """
    world w {
      components { a: rod; p: fixed_point }
      structure {
        place a by a.center at (0, 1, 0)
        force f between a.top and p.center = 1 N + 1e-160 N/m * distance
      }
    }"""
    run = art.simulate(art.parse(STILL + pulled).world(), until=0.01)
    assert np.isfinite(run.series("a.center")).all()


def test_equations_without_finite_numbers_are_one_message(
    capfd: pytest.CaptureFixture[str],
) -> None:
    pulled = """
    world w {
      components { a: rod; p: fixed_point }
      structure {
        join a to p with pin(axis: z) matching (top, center)
        force f between a.bottom and p.center = 1e306 N * (1 + time/(1 us))^9
      }
    }"""
    with pytest.raises(art.SimulationError, match="no longer a finite number"):
        art.simulate(art.parse(STILL + pulled).world(), until=0.01)
    assert capfd.readouterr() == ("", "")


def test_a_join_to_the_middle_of_nothing_names_the_shape() -> None:
    gone = "difference(block: cuboid(0.1, 1, 0.1), hole: cylinder(20, 20))"
    pinned = """world w {
      components { a: rod; p: fixed_point }
      structure { join a to p with pin(axis: z) matching (center, center) }
    }"""
    found = art.parse(STILL.replace("cuboid(0.1, 1, 0.1)", gone) + pinned).check()
    assert [(each.line, each.code) for each in found] == [(3, "bad-shape")]
    assert "nothing is left" in found[0].message
