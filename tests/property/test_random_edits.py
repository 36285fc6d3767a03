"""Random mechanisms edited at random instants: replay, undo, energy, momentum."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest

import articulata as art
from articulata.records.recording import Recording
from articulata.world.edits.transaction import Edit
from articulata.world.hinges import BALL, REVOLUTE, WELD, HingeKind
from articulata.world.model import Hinge, World
from articulata.world.single_frames import compose, inverse
from articulata.world.values import Pose
from mechanisms import DOWN, Mechanism

KINDS: tuple[HingeKind, ...] = (REVOLUTE, BALL, WELD)


def tree(draw: np.random.Generator) -> World:
    """A tree of three to eight rods, each hung on an earlier one or on the ground."""
    made = Mechanism("tree", DOWN)
    ground = made.ground()
    ends = [(ground, (0.0, 0.0, 0.0), np.zeros(3))]
    for number in range(int(draw.integers(3, 9))):
        owner, at, p_W = ends[int(draw.integers(len(ends)))]
        name = f"rod{number}"
        sideways = float(draw.uniform(-0.2, 0.2))
        position = np.add(p_W, (sideways, -0.5, 0.1))
        made.body(name, tuple(position), size=(0.1, 1.0, 0.1))
        made.bodies[name] = replace(made.bodies[name], rate=tuple(draw.uniform(-2, 2, 3).tolist()))
        arm = (-sideways, 0.5, -0.1)
        made.join(f"h{number}", name, owner, arm, at, KINDS[int(draw.integers(len(KINDS)))])
        ends.append((name, (0.0, -0.5, 0.0), np.add(position, (0.0, -0.5, 0.0))))
    return made.world()


def changed(draw: np.random.Generator, moment: art.Moment) -> list[Edit]:
    """A random edit of what there is."""
    world = moment.world
    rods = [name for name in world.bodies if name != "ground"]
    rod = rods[int(draw.integers(len(rods)))]
    match int(draw.integers(6)):
        case 0 if world.hinges:
            hinges = list(world.hinges)
            return [art.BreakHinge(hinges[int(draw.integers(len(hinges)))])]
        case 1 if len(rods) > 1:
            return [art.RemoveBody(rod)]
        case 2:
            body = world.bodies[rod]
            x, y, z = np.add(moment.value(f"{rod}.origin"), (3.0, 0.0, 0.0)).tolist()
            pose = Pose((x, y, z), moment.pose(rod).orientation)
            name = f"twin{world.version}"
            return [art.AddBody(replace(body, id=name, pose=pose, span=body.span))]
        case 3:
            return [art.SetProperty("gravity", tuple(draw.uniform(-9, 9, 3).tolist()))]
        case 4:
            return [art.Place(rod, velocity=tuple(draw.uniform(-1, 1, 3).tolist()))]
        case _:
            other = rods[int(draw.integers(len(rods)))]
            if other == rod:
                return [art.SetProperty(f"{rod}.density", float(draw.uniform(10, 1000)))]
            X_BA = compose(inverse(moment.pose(other)), moment.pose(rod))
            kind = KINDS[int(draw.integers(len(KINDS)))]
            name = f"more{world.version}"
            return [art.MakeHinge(Hinge(name, kind, rod, other, (), Pose(), X_BA))]


def edited(seed: int) -> Recording:
    draw = np.random.default_rng(seed)
    world = tree(draw)
    instants = np.sort(draw.uniform(0.02, 0.35, 4)).tolist()
    rules = [art.Rule("time", (instant,), ()) for instant in instants]
    return art.simulate(
        world, until=0.4, step=0.05, rules=rules, domains=("geometric", "control", "dynamic"),
        on_event={"time": lambda event, moment: changed(draw, moment)},
    )  # fmt: skip


def check(run: Recording) -> None:
    edits = [event for event in run.events if event.kind == "edit"]
    assert len(edits) >= 3
    assert art.replay(run).to_bytes() == run.to_bytes()
    energy = {name: run.series(f"energy.{name}") for name in ("total", "work", "dissipated")}
    balance = energy["total"] - energy["work"] + energy["dissipated"]
    scale = max(1.0, float(np.max(np.abs(energy["total"]))))
    assert np.ptp(balance) < 1e-7 * scale
    for event in edits:
        assert event.values["energy_lost"] >= -1e-12 * scale  # type: ignore[operator] # a number
        before = run.undo(event)
        after = before.world.edit(before.made)
        assert after.edit(before.edits) == before.world
        place = int(np.flatnonzero(run.times == event.time)[0])
        frame = run.frame(place)
        assert before.state.version == frame.version
        for name, array in frame.arrays.items():
            assert np.array_equal(before.state.arrays[name], array, equal_nan=True)
        again = art.simulate(
            before.world, start=before.state, until=event.time + 0.02, step=0.05,
            domains=("geometric", "control", "dynamic"),
        )  # fmt: skip
        for name in ("dynamic.position", "dynamic.orientation", "dynamic.velocity"):
            assert np.array_equal(again.frame(0).arrays[name], frame.arrays[name])


@pytest.mark.parametrize("seed", range(6))
def test_random_edits(seed: int) -> None:
    check(edited(seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 200))
def test_a_hundred_random_edits(seed: int) -> None:
    check(edited(seed))


def test_an_edit_makes_new_worlds_and_leaves_the_first() -> None:
    run = edited(3)
    first = run.world
    assert all(isinstance(world.bodies, MappingProxyType) for world in run.worlds.values())
    assert run.worlds[first.version] is first
