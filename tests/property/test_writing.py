"""A world written as text reads back equal: from the gallery, edited, assembled."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from articulata.analyses.simulate.run import simulate
from articulata.errors import WorldError
from articulata.kinematics.assembly.assembling import assemble
from articulata.world.document import parse, read
from articulata.world.edits.structure_edits import BreakHinge, RemoveBody
from articulata.world.edits.value_edits import Place, SetProperty
from articulata.world.model import World
from articulata.world.values import Pose
from articulata.world.world_files import LIBRARY
from articulata.world.writing.worlds import art_text

GALLERY = sorted((LIBRARY / "gallery").glob("*.art"))

TEXT = """
let steel = material(density: 7850 kg/m^3, color: silver)
hinge groove(r: length = 1 m) {
  point (0, 0, 0) of first on cylinder((0, 0, 0), z, r) of second
  point (0, 0, 0) of first on plane((0, 0, 0), (0, 1, 1)) of second
}
primitive bar(l: length = 3 m) {
  properties: (material: steel, friction: 0.25)
  geometry: cuboid(1, l, 1) where {
    top: (0, l/2, 0)
    axis spin: ((0, -l/2, 0), (1, 2, 3))
    frame grip: (0, 0.1, 0) turned 0.3 about (1, 1, 0)
    face seat: top
  }
  dynamics
  control: force = wind at top, torque = motor
}
primitive link { geometry: capsule(0.1, 0.4); dynamics: (mass: 2 kg, inertia: (1, 1, 1.5)) }
composite arm(n: count = 2, l: length = 3 m) {
  components { base: fixed_point; b[1..n]: bar(l); tip: link }
  structure {
    join b[1] to base with pin(axis: (1, 1, 0)) matching (top, center) limits (-2, 2) driven by m
    for i in 2..n { join b[i] to b[i-1] with universal(axis: y, second: x) matching (spin, grip) }
    join tip to b[n] with groove(2 m) matching (center, seat)
    force pull between tip.center and base.center = 3 N/m * (distance - 1 m) - 2 N*s/m * speed
  }
}
world w {
  gravity: (0, 0, -9.81)
  components { left: arm; right: arm(3, 2 m); floor: ground; loose: link scaled 2 }
  structure {
    place left by left.base at (0, 2, 0), left.b[1].angle = 0.5
    place right by right.base at (4, 2, 0) turned 1 about z, velocity = ((1, 0, 0) (0, 0, 2))
    place loose by loose.center at (0.1, 0.2, 0.3)
    join loose to left.tip with screw(lead: 2 cm, axis: x) as thread matching (center, center)
    join loose to right.tip with cylindrical(axis: x) matching (center, center)
      limits ((-1, 1), (0, 2)) breaks at (100, 5)
    ignore left with right
    place loose by loose.thread.angle = 0.25
  }
}
"""


def again(world: World) -> World:
    text = art_text(world)
    document = parse(text)
    assert document.text == text
    return document.world(world.name)


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_gallery_worlds_read_back_equal(path: object) -> None:
    document = read(path)  # type: ignore[arg-type] # a path of the gallery
    world = document.world(document.requests[0])
    assert again(world) == world
    assembled = assemble(world)
    assert again(assembled) == assembled


def test_everything_a_world_can_hold_is_written() -> None:
    world = parse(TEXT.replace("place loose by loose.thread", "place loose by thread")).world("w")
    assert again(world) == world


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_edited_worlds_read_back_equal(seed: int) -> None:
    rng = random.Random(seed)
    world = parse(TEXT.replace("place loose by loose.thread", "place loose by thread")).world("w")
    for _ in range(rng.randrange(1, 5)):
        body = rng.choice(sorted(world.bodies))
        edit = rng.choice(
            [
                BreakHinge(rng.choice(sorted(world.hinges))),
                RemoveBody(body),
                SetProperty(f"{body}.density", rng.uniform(1, 9)),
                SetProperty(f"{body}.gravity", (0.0, 1.0, rng.random())),
                Place(body, Pose((rng.random(), 0.5, 1.0)), (0.0, rng.random(), 0.0)),
            ]
        )
        try:
            world = world.edit([edit])
        except WorldError:
            continue
    assert again(world) == world


RATES = """
primitive rod {
  properties: (density: 1000)
  geometry: cuboid(0.1, 2, 0.1) where { top: (0, 1, 0); bottom: (0, -1, 0) }
  dynamics
}
composite leg {
  components { upper, lower: rod }
  structure { join lower to upper with pin(axis: z) as knee matching (top, bottom) }
}
world w {
  components { hold: ground; swing, hung, slid, wound, free, ball: rod; pair: leg }
  structure {
    join swing to hold with pin(axis: z) as h matching (top, center)
    join hung to swing with pin(axis: z) as g matching (top, bottom)
    join slid to hung with slider(axis: y) as s matching (top, bottom)
    join wound to hold with screw(lead: 0.5 m, axis: y) as t matching (top, center)
    join ball to hold with ball.and.socket as b matching (top, center)
    join pair.upper to hold with cylindrical(axis: y) as c matching (top, center)
    place swing by h.rate = 2 rad/s
    place hung by g.rate = -0.7 rad/s, velocity = ((0, 0.1, 0) (0.3, 0, 0.2))
    place slid by s.rate = 0.25 m/s
    place wound by t.rate = -3 rad/s
    place free by free.center at (5, 0, 0), velocity = ((1, 2, 3) (0.1, 0.2, 0.3))
    place ball by velocity = ((0, 0, 0.4) (0.4, 0.1, 0))
    place pair.upper by c.rate = 0.8 rad/s
    place pair.lower by pair.knee.rate = 1.1 rad/s
  }
}
"""


def test_rates_of_hinges_are_written_beside_the_velocities_that_bodies_have() -> None:
    world = parse(RATES).world("w")
    back = again(world)
    assert back == world
    text = art_text(world)
    for said in ("swing by h.rate = 2", "s.rate = 0.25", "t.rate = -3", "pair.knee.rate = 1.1"):
        assert said in text, said
    for name in ("swing", "slid", "wound", "pair.upper", "pair.lower"):  # by their hinges alone
        lines = [line for line in text.splitlines() if f"place {name} by pose" in line]
        assert not any("velocity" in line for line in lines), lines
    # every rod hangs down from the origin: rates about z add up, speeds are rates times lengths
    assert back.bodies["swing"].velocity == pytest.approx((2.0, 0.0, 0.0), abs=1e-12)
    assert back.bodies["hung"].rate == pytest.approx((0.3, 0.0, 2.0 - 0.7 + 0.2), abs=1e-12)
    assert back.bodies["hung"].velocity == pytest.approx((2 * 3 - 0.7, 0.1, 0.0), abs=1e-12)
    assert back.bodies["slid"].velocity == pytest.approx((2 * 5 - 0.7 * 3, 0.25, 0), abs=1e-12)
    assert back.bodies["wound"].velocity[1] == pytest.approx(-3 * 0.5 / (2 * math.pi), abs=1e-12)
    assert back.bodies["pair.lower"].rate == pytest.approx((0.0, 0.8, 1.1), abs=1e-12)
    assert back.bodies["ball"].rate == pytest.approx((0.4, 0.1, 0.0), abs=1e-12)
    for changed in (
        assemble(world),
        world.edit([SetProperty("slid.velocity", (0.0, 0.0, 1.0))]),
        world.edit([BreakHinge("h")]),
        world.edit([RemoveBody("hung")]),
    ):
        assert again(changed) == changed


@pytest.mark.parametrize("seed", range(8))
def test_rates_and_velocities_read_back_to_the_last_digits(seed: int) -> None:
    rng = random.Random(seed)
    rates = [rng.choice((0.0, rng.uniform(-20.0, 20.0))) for _ in range(4)]
    said = [rng.uniform(-20.0, 20.0) * 10.0 ** rng.randrange(-9, 1) for _ in range(6)]
    text = RATES.replace("h.rate = 2", f"h.rate = {rates[0]!r}")
    text = text.replace(
        "g.rate = -0.7 rad/s", f"g.rate = {rates[1]!r} rad/s, g.angle = {rates[2] / 7!r} rad"
    )
    text = text.replace("s.rate = 0.25", f"s.rate = {rates[3]!r}")
    v, w = tuple(said[:3]), tuple(said[3:])
    world = parse(text.replace("((0, 0.1, 0) (0.3, 0, 0.2))", f"({v} {w})")).world("w")
    back = again(world)
    assert back.placements == world.placements
    for id, body in world.bodies.items():
        assert back.bodies[id].velocity == pytest.approx(body.velocity, rel=0.0, abs=1e-12)
        assert back.bodies[id].rate == pytest.approx(body.rate, rel=0.0, abs=1e-12)


def test_the_rate_of_a_loop_is_kept_in_a_written_text() -> None:
    bar = (
        "primitive bar(l: length) {{ properties: (density: 1000); geometry: {}; dynamics }}".format(
            "cuboid(l, 2 cm, 2 cm) where { near: (-l/2, 0, 0); far: (l/2, 0, 0) }"
        )
    )
    text = f"""{bar}
    world w {{
      components {{
        left, right: fixed_point; crank: bar(0.2); coupler: bar(0.6); rocker: bar(0.5)
      }}
      structure {{
        place left by left.center at (0, 0, 0)
        place right by right.center at (0.6, 0, 0)
        join crank to left with pin(axis: z) as turn matching (near, center)
        join coupler to crank with pin(axis: z) as knee matching (near, far)
        join rocker to right with pin(axis: z) as rock matching (near, center)
        join coupler to rocker with pin(axis: z) as elbow matching (far, far)
        place crank by turn.angle = 60 deg, turn.rate = 6 rad/s
      }}
    }}
    simulate w {{ time: (1 ms, 1 ms) }}
    """
    document = parse(text)
    written = f"{art_text(document.world('w'))}\nsimulate w {{ time: (1 ms, 1 ms) }}"
    starts = [
        simulate(each.requests[0]).series("turn.rate")[0] for each in (document, parse(written))
    ]
    assert starts == pytest.approx([6.0] * 2, rel=1e-12)


def test_the_rate_of_a_figure_s_joint_is_written() -> None:
    text = """
    figure arm {
      chain all: plain table {
        first: revolute(axis: z, link: "upper", mass: 1 kg, shape: sphere(0.1))
        second: revolute(axis: z, link: "lower", mass: 1 kg, shape: sphere(0.1)) at (1, 0, 0)
      }
    }
    world w {
      components { a: arm }
      structure { place a by second = 0.3 rad; place a.lower by a.second.rate = 3 rad/s }
    }
    """
    world = parse(text).world("w")
    assert world.bodies["a.lower"].rate == pytest.approx((0.0, 3.0, 0.0), abs=1e-12)  # upright
    assert again(world) == world
