"""Edits undo exactly, stand in transactions, and survive plain data."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from articulata.errors import WorldError
from articulata.world.document import parse
from articulata.world.edits.force_edits import (
    AddDrive,
    AddForce,
    Heed,
    Ignore,
    RemoveDrive,
    RemoveForce,
)
from articulata.world.edits.structure_edits import AddBody, BreakHinge, MakeHinge, RemoveBody
from articulata.world.edits.transaction import Edit, inverse_of
from articulata.world.edits.value_edits import Place, SetProperty
from articulata.world.model import Drive, World
from articulata.world.plain_data import from_data, to_data
from articulata.world.values import Pose

TEXT = """
primitive bar {
  properties: (density: 2, color: red, friction: 0.4)
  geometry: cuboid(1, 3, 1) where { top: (0, 1.5, 0); bottom: (0, -1.5, 0) }
  dynamics
  control: force = wind at top
}
composite chain(n: count = 4) {
  components
    anchor: fixed_point
    rod[1..n]: bar
  structure {
    join rod[1] to anchor with pin matching (top, center) limits (-2, 2) driven by motor
    for i in 2..n {
      join rod[i] to rod[i-1] with pin(axis: z) matching (top, bottom) breaks at (10, 20)
    }
    ignore rod[1] with rod[3]
    force pull between rod[1].bottom and rod[4].top = 10 N/m * (distance - 1 m) + 2 N*s/m * speed
  }
}
world w {
  gravity: (0, -9.81, 0)
  components c: chain; loose: bar
  structure {
    place c by c.anchor at (0, 2, 0), c.rod[1].angle = 0.5
    place loose by loose.center at (5, 0, 0)
    join loose to c.rod[2] with spring(stiffness: 3, length: 1) matching (top, top)
  }
}
"""
WORLD = parse(TEXT).world("w")


def _any(rng: random.Random, items: object) -> str:
    return rng.choice(sorted(items))  # type: ignore[call-overload,no-any-return] # keys are strings


def _make(rng: random.Random, world: World) -> Edit:
    hinge = replace(WORLD.hinges["c.h23"], id=f"new{rng.randrange(10**6)}")
    a, b = rng.sample(sorted(world.bodies), 2)
    return MakeHinge(
        replace(hinge, body_a=a, body_b=b), rng.choice([None, 0, len(world.hinges) // 2])
    )


def _add(rng: random.Random, world: World) -> Edit:
    owner = rng.choice(["", "c."])
    body = replace(WORLD.bodies["loose"], id=f"{owner}extra{rng.randrange(10**6)}")
    return AddBody(body, rng.choice([None, 0, 2]), rng.choice([None, 0, 1]) if owner else None)


def _value(rng: random.Random) -> float:
    return round(rng.uniform(0.1, 9.0), 3)


MAKERS: dict[str, Callable[[random.Random, World], Edit]] = {
    "make": _make,
    "add": _add,
    "break": lambda rng, w: BreakHinge(_any(rng, w.hinges)),
    "remove": lambda rng, w: RemoveBody(_any(rng, w.bodies)),
    "remove_force": lambda rng, w: RemoveForce(_any(rng, w.forces)),
    "remove_drive": lambda rng, w: RemoveDrive(_any(rng, w.drives)),
    "add_force": lambda rng, w: AddForce(
        replace(WORLD.forces["c.pull"], id=f"f{rng.randrange(10**6)}"), rng.choice([None, 0])
    ),
    "add_drive": lambda rng, w: AddDrive(
        Drive(f"d{rng.randrange(10**6)}", "torque", _any(rng, w.bodies), "f"), 0
    ),
    "set": lambda rng, w: SetProperty(
        f"{_any(rng, w.bodies)}.{rng.choice(['density', 'friction', 'mass'])}", _value(rng)
    ),
    "unset": lambda rng, w: SetProperty(f"{_any(rng, w.bodies)}.color", None),
    "gravity": lambda rng, w: SetProperty("gravity", (0.0, -_value(rng), 0.0)),
    "own_gravity": lambda rng, w: SetProperty(f"{_any(rng, w.bodies)}.gravity", (0.0, 0.0, 1.0)),
    "limits": lambda rng, w: SetProperty(f"{_any(rng, w.hinges)}.limits", ((-1.0, _value(rng)),)),
    "place": lambda rng, w: Place(_any(rng, w.bodies), Pose((_value(rng), 0.0, 0.0))),
    "ignore": lambda rng, w: Ignore(*rng.sample(sorted(w.bodies), 2)),
    "heed": lambda rng, w: Heed(*rng.sample(sorted(w.bodies), 2)),
}


def _orders(world: World) -> object:
    return (
        [(id, list(body.properties)) for id, body in world.bodies.items()],
        list(world.hinges),
        list(world.forces),
        list(world.drives),
        [(id, each.children) for id, each in world.components.items()],
    )


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(sorted(MAKERS)), min_size=1, max_size=8), st.integers(0, 10**6))
def test_inverse_leads_back_to_an_equal_world(names: list[str], seed: int) -> None:
    rng = random.Random(seed)
    world = WORLD
    undo: list[tuple[World, tuple[Edit, ...]]] = []
    for name in names:
        try:
            edit = MAKERS[name](rng, world)
            back = edit.inverse(world)
            after = edit.apply(world)
        except (WorldError, ValueError, IndexError):
            continue  # nothing of the kind is left to edit, or the edit cannot be made
        plain = json.loads(json.dumps(to_data(edit)))
        assert from_data(plain) == edit
        assert from_data(plain).apply(world) == after
        undo.append((world, back))
        world = after
    for before, back in reversed(undo):
        world = world.edit(back)
        assert world == before
        assert _orders(world) == _orders(before)
    assert world == WORLD


def test_a_list_of_edits_is_undone_by_one_list() -> None:
    edits: list[Edit] = [
        BreakHinge("c.rod1_anchor"),
        SetProperty("c.rod[2].density", 5.0),
        RemoveBody("c.rod[3]"),
        RemoveBody("loose"),
    ]
    after = WORLD.edit(edits)
    assert "c.rod[3]" not in after.bodies
    assert "c.rod1_anchor.drive" not in after.drives
    assert after.edit(inverse_of(WORLD, edits)) == WORLD


def test_a_transaction_is_made_whole_or_not_at_all() -> None:
    with pytest.raises(WorldError, match="has no 'nowhere'"):
        WORLD.edit([SetProperty("loose.density", 3.0), BreakHinge("nowhere")])
    assert WORLD.bodies["loose"].properties["density"] == 2.0


def test_contradictory_edits_name_each_other() -> None:
    with pytest.raises(WorldError, match=r"edit 2 \(loose.density is set to 4\) contra"):
        WORLD.edit([SetProperty("loose.density", 3.0), SetProperty("loose.density", 4.0)])
    with pytest.raises(WorldError, match=r"edit 2 .*contradicts edit 1"):
        WORLD.edit([BreakHinge("c.h12"), SetProperty("c.h12.limits", ((-1.0, 1.0),))])
    with pytest.raises(WorldError, match=r"edit 3 .*contradicts edit 1"):
        WORLD.edit([RemoveBody("loose"), Ignore("c.rod[1]", "c.rod[2]"), Place("loose", Pose())])


def test_unchanged_parts_are_shared() -> None:
    after = WORLD.edit([SetProperty("loose.density", 3.0)])
    assert after.hinges is WORLD.hinges
    assert after.bodies["c.rod[1]"] is WORLD.bodies["c.rod[1]"]
    assert (after.version, WORLD.version) == (1, 0)
    assert (after.text, after.arguments) == ("", ())


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (SetProperty("loose.density", -1.0), "greater than 0"),
        (SetProperty("loose.density", float("nan")), "finite"),
        (SetProperty("loose.densty", 1.0), "did you mean 'density'"),
        (SetProperty("c.h12.limits", ((2.0, 1.0),)), "wrong way round"),
        (BreakHinge("c.h21"), "did you mean"),
        (MakeHinge(WORLD.hinges["c.h12"]), "already has"),
        (RemoveBody("c.rod[9]"), "has no part"),
        (SetProperty("loose.restitution", 7.0), "lies from 0 to 1, not at 7"),
        (AddBody(replace(WORLD.bodies["loose"], id="d.x")), "no component 'd'"),
    ],
)
def test_impossible_edits_say_why(edit: Edit, words: str) -> None:
    with pytest.raises(WorldError, match=words):
        WORLD.edit([edit])
