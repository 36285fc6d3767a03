"""A world written as text reads back equal: from the gallery, edited, assembled."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
