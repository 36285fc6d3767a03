"""Forces about a hinge: read, printed, checked, elaborated, written back and simulated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import articulata as art
from articulata.world.document import parse
from articulata.world.language.checking.check import diagnose
from articulata.world.language.syntax.printer import print_file
from articulata.world.writing.worlds import art_text

DOOR = """
units: metre, kilogram, second, degree

primitive leaf {
  geometry: cuboid(1, 2, 0.04) where { edge: (-0.5, 0, 0) }
  dynamics: (mass: 12 kg, inertia: (4, 1, 5))
}

composite doorway {
  components {
    post: fixed_point
    door: leaf
  }
  structure {
    force closer about hub = -8 N*m/rad * (angle - 30) - 3 N*m*s/rad * rate
    join door to post with pin(axis: y) as hub matching (edge, center)
  }
}

world house(start: angle = 90) {
  components { a: doorway }
  structure { place a by a.post at (0, 0, 0), a.hub.angle = start }
}

simulate house(90) { time: (10 ms, 3 s); report: monitor a.closer.moment }
"""
CLOSER = "force closer about hub = -8 N*m/rad * (angle - 30) - 3 N*m*s/rad * rate"
INERTIA = 1.0 + 12.0 * 0.5**2  # about the hinge: Steiner
STIFFNESS, DAMPING, REST, START = 8.0, 3.0, np.radians(30.0), np.radians(90.0)


def damped(times: np.ndarray) -> np.ndarray:
    """Return the angle of the linear oscillator I q'' + c q' + k (q - q0) = 0 from rest."""
    decay = DAMPING / (2.0 * INERTIA)
    omega = np.sqrt(STIFFNESS / INERTIA - decay**2)
    swing = np.cos(omega * times) + decay / omega * np.sin(omega * times)
    return np.asarray(REST + (START - REST) * np.exp(-decay * times) * swing)


def test_is_printed_as_it_is_written() -> None:
    tree, findings = diagnose(DOOR)
    assert findings == ()
    assert CLOSER in print_file(tree)


def test_a_hinge_may_be_named_after_its_force() -> None:
    world = parse(DOOR).world()
    force = world.forces["a.closer"]
    assert (force.kind, force.hinge, force.features) == ("torsion", "a.hub", None)


def test_moves_as_the_damped_oscillator_does() -> None:
    recording = art.simulate(parse(DOOR).world(), until=3.0, step=0.05)
    assert recording.series("a.hub.angle") == pytest.approx(damped(recording.times), abs=1e-9)
    angle, rate = recording.series("a.closer.angle"), recording.series("a.closer.rate")
    moment = recording.series("a.closer.moment")
    assert moment == pytest.approx(-STIFFNESS * (angle - REST) - DAMPING * rate, abs=1e-9)


def test_a_law_that_is_not_linear_is_followed() -> None:
    """The energy of a pendulum-like law -k sin q is kept: k (1 - cos q) + I w^2 / 2."""
    world = parse(DOOR.replace(CLOSER, "force closer about hub = -8 N*m * sin(angle)")).world()
    recording = art.simulate(world, until=3.0, step=0.05)
    angle, rate = recording.series("a.hub.angle"), recording.series("a.hub.rate")
    energy = STIFFNESS * (1.0 - np.cos(angle)) + 0.5 * INERTIA * rate**2
    assert np.ptp(energy) <= 1e-8 * STIFFNESS
    assert np.ptp(angle) > 1.0


def test_is_written_back_and_made_in_python() -> None:
    world = parse(DOOR).world("house", START)
    assert parse(art_text(world)).world().forces == world.forces
    builder = art.Builder("b")
    post = builder.add("post", "fixed_point")
    del post
    leaf = builder.primitive("leaf", None, mass=1.0, inertia=(1.0, 1.0, 1.0))
    builder.add("door", leaf)
    builder.join("door", "post", "pin", ("center", "center"), axis="y", name="hub")
    builder.moment("closer", "hub", "-8 N*m/rad * angle")
    (force,) = builder.world().forces.values()
    assert (force.kind, force.hinge) == ("torsion", "hub")


def test_goes_with_its_hinge() -> None:
    world = parse(DOOR).world()
    after = world.edit([art.BreakHinge("a.hub")])
    assert "a.closer" not in after.forces
    assert replace(world, text="") == replace(
        after.edit(art.BreakHinge("a.hub").inverse(world)), text=""
    )


@pytest.mark.parametrize(
    ("right", "wrong", "advice"),
    [
        ("about hub", "about hubb", "did you mean 'hub'?"),
        ("about hub", "abuot hub", "did you mean 'about'?"),
        ("about hub", "about door", "name the hinge"),
        ("about hub", "about", "add a name here"),
        ("8 N*m/rad", "8 N/m", "N*m"),
        ("* rate", "* rat", "did you mean 'rate'?"),
        ("(angle - 30)", "(distance - 30)", "angle"),
        ("pin(axis: y)", "ball", "use a pin, a cylindrical hinge or a screw"),
        (
            "monitor a.closer.moment",
            "monitor a.closer.force",
            "use moment, angle, rate or saturation",
        ),
    ],
)
def test_mistakes_come_with_advice(right: str, wrong: str, advice: str) -> None:
    text = DOOR.replace(right, wrong)
    if wrong == "ball":
        text = text.replace(", a.hub.angle = start", "")
    found = parse(text).check()
    assert any(advice in each.suggestion for each in found), found


def test_a_force_along_a_slide_is_one_finding_that_says_what_to_write() -> None:
    text = """
primitive b { properties: (density: 1000); geometry: cuboid(1, 1, 1); dynamics }
world w {
  components { p: fixed_point; a: b }
  structure {
    join a to p with slider(axis: x) as rail matching (center, center)
    force g along rail = 3 N
  }
}
"""
    (finding,) = art.parse(text).check()
    assert (finding.line, finding.column) == (7, 13)
    assert "between two features" in finding.message
    about = art.parse(text.replace("along rail = 3 N", "about rail = 3 N*m")).check()
    assert ["for a slide, a force between features" in each.suggestion for each in about] == [True]


def test_a_function_called_like_a_unit_is_no_part_of_a_unit() -> None:
    """``min`` is a minute and the least of two; what stands in parentheses tells which."""
    least = DOOR.replace(CLOSER, "force closer about hub = -8 N*m*min(angle/(1 rad), 2)")
    assert parse(least).check() == ()
    product = DOOR.replace(CLOSER, "force closer about hub = -8 N*m * min(angle/(1 rad), 2)")
    assert parse(least).text == parse(product).text
