"""What moves farther in a step than it is thick is met in steps as from event to event."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import articulata as art
from shares import shares

SHAPES = ("ball", "block", "plate", "rod", "cylinder", "disc", "cone", "capsule")
LATE = 1.0
"""Steps: what a slow pair touches in the second half of one is told in the middle of the next."""

QUICK, MANY = range(40), range(40, 2040)

GRAZES = (770, 1206, 1445)
"""A corner dips by less than a tenth of the thickness, right after a step that ended before it."""

SUMMED = (503, 1100, 1393, 2026)
"""In event mode the first stroke begins a series of bounces that is summed."""

SLENDER = (878, 1560, 1595)
"""Turned about an axis whose nine digits miss length one by less than 1e-12."""


def shot(diameter: float, speed: float, thickness: float) -> art.World:
    """Return a ball that flies 10 cm to a fixed plate, e = 0.5."""
    away = 0.1 + diameter / 2 + thickness / 2
    return art.parse(f"""
primitive ball {{
  properties: (density: 1000, restitution: 0.5)
  geometry: sphere({diameter / 2} m)
  dynamics
}}
primitive plate {{ properties: (fixed); geometry: cuboid({thickness} m, 1 m, 1 m) }}
world w {{
  components {{ b: ball; p: plate }}
  structure {{
    place p by p.center at (0, 0, 0)
    place b by b.center at (-{away} m, 1 cm, 2 cm), velocity = (({speed}, 0, 0) (0, 0, 0))
  }}
}}
""").world("w")


@pytest.mark.parametrize(
    ("diameter", "speed", "thickness"),
    [
        (0.02, 100, 0.001),
        (0.002, 900, 0.001),
        (0.005, 10, 0.001),
        (0.005, 20, 0.01),
        (0.005, 40, 0.05),
        (0.005, 50, 0.05),
        (0.005, 100, 0.05),
    ],
)
def test_a_fast_ball_bounces_off_a_plate(diameter: float, speed: float, thickness: float) -> None:
    """Back at half its speed, at 10 cm over its speed."""
    world, due = shot(diameter, speed, thickness), 0.1 / speed
    run = art.simulate(world, until=due + 0.01, step=0.005, method=art.Stepping(step=1e-3))
    assert [event.kind for event in run.events] == ["impact"]
    assert due <= run.events[0].time <= due + 1e-3
    assert run.series("b.v.x")[-1] == pytest.approx(-speed / 2, rel=1e-9)


def test_what_is_not_swept_is_said_to_pass_through(tmp_path: Path) -> None:
    """An open surface touches nothing in dynamics: steps name it at the start."""
    (tmp_path / "sheet.obj").write_text(
        "v 0 -1 -1\nv 0 1 -1\nv 0 1 1\nv 0 -1 1\nf 1 2 3\nf 1 3 4\n"
    )
    (tmp_path / "w.art").write_text("""
primitive ball { properties: (density: 1000); geometry: sphere(5 mm); dynamics }
primitive sheet { properties: (fixed); geometry: mesh("sheet.obj") }
world w {
  components { b: ball; s: sheet }
  structure {
    place s by s.center at (0, 0, 0)
    place b by b.center at (-1, 0.1, 0.2), velocity = ((100, 0, 0) (0, 0, 0))
  }
}
""")
    world = art.read(tmp_path / "w.art").world("w")
    run = art.simulate(world, until=0.02, step=0.01, method=art.Stepping())
    (told,) = run.events
    assert (told.kind, told.who, told.time) == ("untested", ("s",), 0.0)
    assert run.series("b.center.x")[-1] == pytest.approx(1.0, abs=1e-9)


RODS = """
primitive rod {
  properties: (density: 7800, restitution: 0.25)
  geometry: cuboid(1 m, 2 mm, 2 mm)
  dynamics
}
world w(away: length = 0.3 m) {
  components { a: rod; b: rod }
  structure {
    place a by a.center at (0, 0, 0), velocity = ((0, 0, 0) (0, 0, 500))
    place b by b.center at (0.2 m, away, 0 m), velocity = ((0, -20, 0) (0, 0, 0))
  }
}
"""


@pytest.mark.parametrize(("away", "times"), [(0.7, 1), (0.3, 2)])
def test_a_rod_that_whirls_hits_another(away: float, times: int) -> None:
    """As often, at the instants and with the impulses of event mode."""
    world = art.parse(RODS).world("w", away=away)
    exact = art.simulate(world, until=0.02, step=0.01)
    steps = art.simulate(world, until=0.02, step=0.01, method=art.Stepping(step=1e-3))
    assert [event.kind for event in exact.events] == ["impact"] * times
    for one, other in zip(exact.events, steps.events, strict=True):
        assert other.time == pytest.approx(one.time, abs=1e-5)
        assert other.values["impulse"] == pytest.approx(one.values["impulse"], rel=1e-4)


RATTLE = """
primitive rattler { properties: (density: 1000, restitution: 1); geometry: sphere(5 mm); dynamics }
primitive wall { properties: (fixed, restitution: 1); geometry: cuboid(10 cm, 10 cm, 10 cm) }
"""
BETWEEN = """
    place left by left.center at (-5.55 cm, 90 m, 0)
    place right by right.center at (5.55 cm, 90 m, 0)
    place c by c.center at (0, 90 m, 0), velocity = ((10, 0, 0) (0, 0, 0))
"""


def test_what_rattles_elsewhere_hides_no_impact() -> None:
    """Steps take over at 0.03 s; the fast ball is due at (60 m - 5 mm) / 300 m/s."""
    text = (
        RATTLE
        + """
primitive ball { properties: (density: 1000, restitution: 0.5); geometry: sphere(2.5 mm); dynamics }
primitive plate { properties: (fixed); geometry: cuboid(5 mm, 1 m, 1 m) }
world w {
  components { c: rattler; left, right: wall; b: ball; p: plate }
  structure {"""
        + BETWEEN
        + """
    place p by p.center at (60 m, 0, 0)
    place b by b.center at (0, 0, 0), velocity = ((300, 0, 0) (0, 0, 0))
  }
}
"""
    )
    run = art.simulate(art.parse(text).world("w"), until=0.21, step=0.07)
    assert any(event.kind == "mode" for event in run.events)
    (hit,) = [event for event in run.events if event.kind == "impact" and "b" in event.who]
    assert 0 <= hit.time - (60 - 0.005) / 300 <= 1e-3
    assert run.series("b.v.x")[-1] == pytest.approx(-150, rel=1e-9)
    assert abs(run.series("c.v.x")[-1]) == pytest.approx(10, rel=1e-9)


DOOR = """
primitive leaf {
  properties: (density: 500)
  geometry: cuboid(80 cm, 2 m, 4 cm) where { edge: (-40 cm, 0, 0) }
  dynamics
}
world room {
  components { post: fixed_point; leaf: leaf }
  structure {
    place post by post at (0, 1, 0)
    place leaf by leaf.edge at (0, 1, 0) turned 60 deg about y
    join leaf to post with pin(axis: y) as hinge matching (edge, center)
      limits (0, 120 deg) restitution 0.3
    force closer about hinge = -6 N*m
  }
}
"""


def test_a_hinge_keeps_its_limit_in_every_frame() -> None:
    """A constant moment M closes the leaf: t = sqrt(2 a J / M), J of a cuboid about its edge."""
    world = art.parse(DOOR).world("room")
    run = art.simulate(world, until=1.6, step=1e-3, method=art.Stepping(step=1e-3))
    inertia = 500 * 0.8 * 2 * 0.04 * ((0.8**2 + 0.04**2) / 12 + 0.4**2)
    due, speed = math.sqrt(2 * math.pi / 3 * inertia / 6), math.sqrt(2 * 6 * math.pi / 3 / inertia)
    (hit,) = run.events
    assert hit.time == pytest.approx(due, abs=1e-3)
    assert hit.values["approach_speed"] == pytest.approx(speed, rel=1e-4)
    assert np.min(run.series("hinge.angle")) >= -1e-9


def shape(kind: str, size: float) -> str:
    """Return the text of a shape of a size (m)."""
    name, *shares = {
        "ball": ("sphere", "0.5"),
        "block": ("cuboid", "1", "0.7", "0.5"),
        "plate": ("cuboid", "1", "1", "0.02"),
        "rod": ("cuboid", "1", "0.02", "0.02"),
        "cylinder": ("cylinder", "0.3", "1"),
        "disc": ("cylinder", "0.5", "0.03"),
        "cone": ("cone", "0.4", "1"),
        "capsule": ("capsule", "0.2", "0.6"),
    }[kind]
    return f"{name}({', '.join(f'{size * float(each):.9f} m' for each in shares)})"


def vector(values: np.ndarray) -> str:
    return f"({', '.join(f'{value:.9f}' for value in values)})"


def random_pair(seed: int, rattling: bool = False) -> tuple[art.World, float, float]:
    """Return two bodies that fly towards each other, the length of a step and of the run (s).

    Of every fifth pair the second is fixed.
    """
    rng, fixed = np.random.default_rng(seed), seed % 5 == 4

    def direction() -> np.ndarray:
        found = rng.normal(size=3)
        return found / np.linalg.norm(found)

    kinds, sizes = rng.choice(SHAPES, 2), 10 ** rng.uniform(-2.3, 0, 2)
    step, speed = 10 ** rng.uniform(-4, -2), 10 ** rng.uniform(0, 3)
    spins = [direction() * rng.uniform(0, 500) for _ in range(2)]
    share, way = max(rng.uniform(0, 1), float(fixed)), direction()
    aside = np.cross(way, direction()) * rng.uniform(0, 0.4) * min(sizes)
    gap = sum(sizes) + speed * rng.uniform(0.3, 4) * step
    places = (-way * gap * share, way * gap * (1 - share) + aside)
    speeds = (way * speed * share, -way * speed * (1 - share))
    text = RATTLE
    placed = BETWEEN if rattling else ""
    for name, kind, size, place, v, w in zip(
        "ab", kinds, sizes, places, speeds, spins, strict=True
    ):
        still = fixed and name == "b"
        text += f"primitive {name}_shape {{\n  properties: (density: 1000, restitution: 0.5"
        text += f"{', fixed' if still else ''})\n  geometry: {shape(kind, size)}\n"
        text += f"{'' if still else '  dynamics'} }}\n"
        turn = f"{rng.uniform(0, 3):.9f} rad about {vector(direction())}"
        placed += f"    place {name} by {name}.center at {vector(place)} turned {turn}"
        placed += "\n" if still else f", velocity = ({vector(v)} {vector(w)})\n"
    beside = "; c: rattler; left, right: wall" if rattling else ""
    text += (
        f"world w {{ components {{ a: a_shape; b: b_shape{beside} }}\nstructure {{\n{placed}}} }}"
    )
    return art.parse(text).world("w"), step, 1.5 * gap / speed


def first_stroke(run: art.Recording) -> float | None:
    """Return when the two bodies first strike (s); a series of bounces is told where it ends."""
    strokes = [
        event.time - float(event.values.get("series", 0.0))
        for event in run.events
        if set(event.who) == {"a", "b"}
        and (event.kind == "impact" or (event.kind == "settled" and "series" in event.values))
    ]
    return min(strokes, default=None)


def agrees(seed: int, rattling: bool = False, share: float = 1.0) -> str:
    """Return how the first stroke in steps differs from that of event mode; empty where not.

    ``share`` of the run is looked at.
    """
    world, step, until = random_pair(seed)
    until *= share
    exact = first_stroke(art.simulate(world, until=until, step=until))
    if rattling:
        world, contact = random_pair(seed, True)[0], art.Contact(crowd=1, steps=step)
        run = art.simulate(world, until=until, step=until, contact=contact)
    else:
        run = art.simulate(world, until=until, step=until, method=art.Stepping(step=step))
    found = first_stroke(run)
    if exact is None and found is None:
        return ""
    if exact is None or found is None:
        return f"{seed}: {'no' if found is None else 'one'} impact in steps"
    late = (found - exact) / step
    return "" if abs(late) <= LATE else f"{seed}: {late:.3g} steps late"


def test_random_pairs_meet_in_steps_as_from_event_to_event() -> None:
    """Speeds to 1000 m/s, spins to 500 rad/s, steps of 0.1 to 10 ms."""
    assert not [told for seed in QUICK if (told := agrees(seed))]


@pytest.mark.parametrize("seed", [*GRAZES, *SUMMED, *SLENDER])
def test_pairs_that_once_differed_agree(seed: int) -> None:
    assert not agrees(seed)


def test_a_disc_that_turns_by_a_radian_in_a_step_strikes_nothing_it_does_not_touch() -> None:
    assert not agrees(56, share=2 / 3)


def test_a_needle_that_is_made_to_whirl_is_followed_to_the_end() -> None:
    """It leaves the impact at 1e5 rad/s, and turns by 340 rad in a step; no impact makes energy."""
    world, step, until = random_pair(353)
    run = art.simulate(world, until=until, step=step, method=art.Stepping(step=step))
    energy = run.series("energy.total")
    assert first_stroke(run) is not None
    assert np.all(np.diff(energy) <= 1e-6 * energy[0])


@pytest.mark.parametrize("rattling", [False, True])
@pytest.mark.parametrize("part", shares(range(20), slow=2))
def test_many_random_pairs_meet_in_steps(part: int, rattling: bool) -> None:
    """By ``Stepping``, and by the default method with a rattling ball beside them."""
    assert not [told for seed in MANY[part::20] if (told := agrees(seed, rattling))]


def test_a_slender_body_keeps_its_energy_in_flight() -> None:
    """A rod of 2 mm and 24 cm tumbles: little of its momentum turns fast about its axis."""
    text = """
primitive rod { properties: (density: 1000); geometry: cylinder(2 mm, 24 cm); dynamics }
world tumbling {
  components { rod: rod }
  structure {
    place rod by rod.center at (0, 0, 0), velocity = ((0, 0, 0), (24, 10, -42))
  }
}
"""
    world = art.parse(text).world("tumbling")
    for step in (1e-3, 4e-3, 1e-2):
        run = art.simulate(world, until=1.0, step=0.1, method=art.Stepping(step=step))
        energy = run.array("dynamic.energy").sum(axis=1)
        assert np.ptp(energy) < 1e-6 * energy[0]
    exact = art.simulate(world, until=1.0, step=1.0, method=art.DOP853())
    turned = [each.array("dynamic.orientation")[-1][0] for each in (run, exact)]
    assert abs(abs(float(turned[0] @ turned[1])) - 1.0) < 1e-3
