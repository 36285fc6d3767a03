"""Models made by edits, part by part from those before, are those built of the world anew."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

import articulata as art
from articulata.domains.assemble import Models, build
from articulata.domains.dynamic.dynamic_domain import DynamicModel
from articulata.domains.dynamic.integrated_motion import IntegratedMotion
from articulata.domains.dynamic.mechanism import Mechanism
from articulata.geometry.convex_pieces.piece_table import piece_table
from articulata.kinematics.assembly.assembling import assemble
from articulata.records.state import State
from articulata.world.edits.transaction import Transaction
from articulata.world.model import World

TEXT = """
let rubber = material(density: 1100, friction: 0.9)
contact rubber with ground: (friction: 0.6, restitution: 0.2)
primitive rod {
  properties: (density: 1000)
  geometry: cuboid(1, 0.1, 0.1) where { near: (-0.5, 0, 0); far: (0.5, 0, 0) }
  dynamics
}
primitive ball { properties: (material: rubber); geometry: sphere(10 cm); dynamics }
primitive tee {
  properties: (density: 500)
  geometry: union(cuboid(40 cm, 10 cm, 10 cm), cuboid(10 cm, 40 cm, 10 cm))
  dynamics
}
world yard {
  gravity: (0, -9.81, 0)
  components { hook: fixed_point; floor: ground; rod[1..4]: rod; ball[1..3]: ball; tee: tee }
  structure {
    place hook by hook at (0, 3, 0)
    place rod[1] by rod[1].near at (0, 3, 0)
    join rod[1] to hook with ball as h1 matching (near, center)
    join rod[2] to rod[1] with pin(axis: z) as h2 matching (near, far)
    join rod[3] to rod[2] with pin(axis: z) as h3 matching (near, far)
    join rod[4] to rod[3] with ball as h4 matching (near, far)
    for i in 1..3 { place ball[i] by ball[i].center at (i, 1, 1) }
    place tee by tee.center at (0, 1, 3)
    ignore ball[1] with ball[2]
  }
}
"""
CONTACT = art.Contact()


def models(world: World) -> tuple[Models, IntegratedMotion]:
    made = build(world)
    dynamic = made["dynamic"]
    assert isinstance(dynamic, DynamicModel)
    return made, IntegratedMotion(dynamic, art.DOP853(), CONTACT, piece_table)


def same(one: object, other: object, what: str) -> None:
    """Arrays bit for bit, whatever else by its own equality."""
    if isinstance(one, np.ndarray):
        assert isinstance(other, np.ndarray), what
        assert one.dtype == other.dtype, what
        np.testing.assert_array_equal(one, other, what)
    elif hasattr(one, "_fields"):
        for name in one._fields:
            same(getattr(one, name), getattr(other, name), f"{what}.{name}")
    else:
        assert one == other, what


def check(edited: IntegratedMotion, fresh: IntegratedMotion) -> None:
    for field in fields(Mechanism):
        one, other = getattr(edited.model.parts, field.name), getattr(fresh.model.parts, field.name)
        if field.name in ("rows", "coordinates"):
            for part in fields(one):
                same(getattr(one, part.name), getattr(other, part.name), f"rows.{part.name}")
        elif field.name not in ("world", "hinges", "drives"):
            same(one, other, field.name)
    same(edited.model.engine.arrays, fresh.model.engine.arrays, "system")
    one, other = edited.around, fresh.around
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        for name in ("pieces", "reach", "pairs", "hinged", "untested", "body_pairs"):
            same(getattr(one, name), getattr(other, name), name)
        assert list(one.surfaces) == list(other.surfaces)
    assert edited.channels == fresh.channels


def edits(world: World) -> dict[str, list[object]]:
    return {
        "gravity": [art.SetProperty("gravity", (0.0, -1.6, 0.0))],
        "density": [art.SetProperty("rod[2].density", 500.0)],
        "friction": [art.SetProperty("ball[2].friction", 0.1)],
        "fixed": [art.SetProperty("ball[2].fixed", True)],
        "break": [art.BreakHinge("h3")],
        "break and make": [art.BreakHinge("h2"), art.BreakHinge("h3")],
        "remove": [art.RemoveBody("rod[2]")],
        "remove a ball": [art.RemoveBody("ball[1]")],
        "ignore": [art.Ignore("ball[1]", "ball[3]")],
        "heed": [art.Heed("ball[1]", "ball[2]")],
        "pair": [art.SetPair(art.MaterialPair("rubber", "rod", friction=0.3))],
        "several": [art.RemoveBody("tee"), art.BreakHinge("h1"), art.Ignore("rod[1]", "ball[1]")],
    }


def edited(
    made: Models, motion: IntegratedMotion, state: State, edit: Transaction
) -> tuple[Models, IntegratedMotion, State]:
    after, carried = made.transfer(edit, state)
    moved = motion.after(after, state, carried, edit)
    assert isinstance(moved.motion, IntegratedMotion)
    return after, moved.motion, moved.state


NAMES = tuple(edits(assemble(art.parse(TEXT).world())))


@pytest.mark.parametrize("name", NAMES)
def test_a_model_after_an_edit_is_that_of_the_world_after_it(name: str) -> None:
    world = assemble(art.parse(TEXT).world())
    made, motion = models(world)
    check(motion, motion)
    edit = Transaction(tuple(edits(world)[name]))  # type: ignore[arg-type] # edits
    after, moved, state = edited(made, motion, State(0.0, made.start()), edit)
    check(moved, models(after.world)[1])
    # and back again, by the edits that undo it
    back, again, _ = edited(after, moved, state, Transaction(edit.inverse(world)))
    assert back.world.hinges == world.hinges
    check(again, motion)


def test_a_chain_of_edits_comes_to_the_same() -> None:
    world = assemble(art.parse(TEXT).world())
    now, motion = models(world)
    state = State(0.0, now.start())
    for name in ("density", "remove", "pair", "remove a ball", "gravity", "friction"):
        edit = Transaction(tuple(edits(world)[name]))  # type: ignore[arg-type] # edits
        now, motion, state = edited(now, motion, state, edit)
        check(motion, models(now.world)[1])
