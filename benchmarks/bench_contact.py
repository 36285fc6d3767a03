"""Steps per second with contact: a stack of ten boxes, and a figure of twenty bodies on its feet.

Classical steps of 1 ms. A peer is a function from bodies and hinges to one that takes ``count``
steps from the start; others are added to ``PEERS``.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import articulata as art
from articulata.domains.assemble import build
from articulata.domains.control import ControlModel
from articulata.geometry.convex_pieces.piece_table import piece_table
from articulata.records.state import State
from benchmarks.harness import Report

STEP = 1e-3
COUNT = 100
"""Steps of one timing."""

DENSITY, FRICTION = 1000.0, 0.8

FIGURES, FALLEN, FALLING = 100, 50, 20
"""Figures of the heap, the steps after which they lie on each other, and those timed then."""

Triple = tuple[float, float, float]


@dataclasses.dataclass(frozen=True, slots=True)
class Block:
    """A cuboid: ``size`` and ``middle`` (m); ``above`` hangs it on another by a pin at ``pin``."""

    size: Triple
    middle: Triple
    above: int | None = None
    pin: Triple = (0.0, 0.0, 0.0)


def stack() -> list[Block]:
    return [Block((1.0, 1.0, 1.0), (0.0, k + 0.5, 0.0)) for k in range(10)]


def figure() -> list[Block]:
    """Return a standing figure of 20 cuboids, hinged by pins across; its feet are on the ground."""
    blocks = [Block((0.3, 0.1, 0.2), (0.0, 0.9, 0.0))]
    for k in range(1, 5):
        y = 0.9 + 0.1 * k
        blocks.append(Block((0.3, 0.1, 0.2), (0.0, y, 0.0), k - 1, (0.0, y - 0.05, 0.0)))
    blocks.append(Block((0.2, 0.24, 0.2), (0.0, 1.47, 0.0), 4, (0.0, 1.35, 0.0)))
    for side in (-1.0, 1.0):
        x, n = 0.1 * side, len(blocks)
        blocks += [
            Block((0.12, 0.4, 0.12), (x, 0.65, 0.0), 0, (x, 0.85, 0.0)),
            Block((0.1, 0.39, 0.1), (x, 0.255, 0.0), n, (x, 0.45, 0.0)),
            Block((0.1, 0.06, 0.26), (x, 0.03, 0.05), n + 1, (x, 0.06, 0.0)),
            Block((0.1, 0.1, 0.1), (2 * x, 1.3, 0.0), 4, (1.5 * x, 1.3, 0.0)),
            Block((0.08, 0.3, 0.08), (2.5 * x, 1.1, 0.0), n + 3, (2.5 * x, 1.25, 0.0)),
            Block((0.07, 0.28, 0.07), (2.5 * x, 0.81, 0.0), n + 4, (2.5 * x, 0.95, 0.0)),
            Block((0.06, 0.12, 0.03), (2.5 * x, 0.61, 0.0), n + 5, (2.5 * x, 0.67, 0.0)),
        ]
    return blocks


def heap() -> list[Block]:
    """Return figures in four layers, each layer half a place aside, 1 cm apart: they fall."""
    one, blocks = figure(), list[Block]()
    for k in range(FIGURES):
        layer, place = divmod(k, 25)
        x, z = (0.7 * n + 0.35 * (layer % 2) for n in divmod(place, 5))
        by, first = (x, 0.01 + 1.6 * layer, z), len(blocks)
        blocks += [
            Block(
                each.size,
                _plus(each.middle, by),
                None if each.above is None else each.above + first,
                _plus(each.pin, by),
            )
            for each in one
        ]
    return blocks


def _plus(a: Triple, b: Triple) -> Triple:
    x, y, z = (round(p + q, 9) for p, q in zip(a, b, strict=True))
    return x, y, z


def _minus(a: Triple, b: Triple) -> str:
    return "({}, {}, {})".format(*(round(x - y, 9) for x, y in zip(a, b, strict=True)))


def ours(blocks: list[Block], method: art.RK4 | art.Stepping) -> Callable[[], object]:
    """Return what takes COUNT steps from the start in articulata."""
    state, on = begun(blocks, method)
    return lambda: on(state, COUNT)


def begun(
    blocks: list[Block], method: art.RK4 | art.Stepping
) -> tuple[State, Callable[[State, int], State]]:
    """Return the start, and what goes on from a state to the end of a step by its number."""
    kinds, lines, bodies = dict[str, int](), [], []
    for k, block in enumerate(blocks):
        points = [f"up: {_minus(block.pin, block.middle)}"] if block.above is not None else []
        points += [
            f"down{j - k}: {_minus(other.pin, block.middle)}"
            for j, other in enumerate(blocks)
            if other.above == k
        ]
        where = f" where {{ {'; '.join(points)} }}" if points else ""
        size = ", ".join(map(str, block.size))
        kind = (
            f"{{ properties: (density: {DENSITY}, friction: {FRICTION}); "
            f"geometry: cuboid({size}){where}; dynamics }}"
        )
        bodies.append(f"b{k}: kind{kinds.setdefault(kind, len(kinds))}")
        if block.above is None:
            at = "({}, {}, {})".format(*block.middle)
            lines.append(f"place b{k} by b{k}.center at {at}")
        else:
            down = f"down{k - block.above}"
            lines.append(f"join b{k} to b{block.above} with pin(axis: x) matching (up, {down})")
    text = "\n".join(
        [
            *(f"primitive kind{number} {kind}" for kind, number in kinds.items()),
            "world w { gravity: (0, -9.81, 0)",
            f"components {{ floor: ground; {'; '.join(bodies)} }}",
            "structure {",
            *lines,
            "} }",
        ]
    )
    world = art.assemble(art.parse(text).world("w"))
    models = build(world)
    model = models["dynamic"].moving(method, art.Contact(), piece_table)
    control = models["control"]
    assert isinstance(control, ControlModel)
    state = State(0.0, MappingProxyType(dict(model.start())), 0)
    inputs = control.control(None, state, lambda *given: None)  # type: ignore[arg-type] # no controller

    def on(now: State, count: int) -> State:
        while now.time < count * STEP:
            now, _ = model.leg(now, count * STEP, inputs)
        return now

    return state, on


def in_mujoco(blocks: list[Block]) -> Callable[[], object]:
    """Return the same in MuJoCo: RK4, its usual contact."""
    import mujoco

    model = mujoco_model(blocks)
    data = mujoco.MjData(model)

    def run() -> None:
        mujoco.mj_resetData(model, data)
        mujoco.mj_step(model, data, COUNT)

    return run


def mujoco_model(blocks: list[Block], integrator: str = "RK4") -> Any:
    """Return the blocks as a model; those of several figures touch, those of one the ground."""
    import mujoco

    def body(k: int, frame: Triple) -> str:
        block = blocks[k]
        x, y, z = (p - q for p, q in zip(block.middle, frame, strict=True))
        joint = "<freejoint/>"
        if block.above is not None:
            pin = " ".join(str(p - q) for p, q in zip(block.pin, block.middle, strict=True))
            joint = f'<joint type="hinge" axis="1 0 0" pos="{pin}"/>'
        size = " ".join(str(s / 2) for s in block.size)
        inside = "".join(
            body(j, block.middle) for j, other in enumerate(blocks) if other.above == k
        )
        affinity = 2 if block.above is not None and len(roots) == 1 else 3
        return (
            f'<body pos="{x} {y} {z}">{joint}<geom type="box" size="{size}" density="{DENSITY}" '
            f'friction="{FRICTION}" contype="1" conaffinity="{affinity}"'
            f"/>{inside}</body>"
        )

    roots = [k for k, each in enumerate(blocks) if each.above is None]
    inner = "".join(body(k, (0.0, 0.0, 0.0)) for k in roots)
    hinged = any(b.above is not None for b in blocks)
    types = 'contype="2" conaffinity="1"' if hinged else ""
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><size memory="2G"/>'
        f'<option gravity="0 -9.81 0" integrator="{integrator}" timestep="{STEP}"/><worldbody>'
        f'<geom type="plane" size="9 9 1" zaxis="0 1 0" {types}/>{inner}</worldbody></mujoco>'
    )


PEERS: Mapping[str, Callable[[list[Block]], Callable[[], object]]] = {"MuJoCo": in_mujoco}


def run(report: Report) -> None:
    for name, blocks, target in (
        ("steps of a stack of 10 boxes", stack(), 1e3),
        ("steps of a figure of 20 bodies on its feet", figure(), 3e3),
    ):
        with report.case(
            name,
            unit="steps/s",
            better="higher",
            target=target,
            note=f"the first {COUNT} classical steps of 1 ms, what happens on the way included; "
            "ours finds contacts and their forces exactly, a peer as its method does",
        ) as case:
            case.time("articulata", ours(blocks, art.RK4(step=STEP)), count=COUNT, ours=True)
            case.time("articulata, in steps", ours(blocks, art.Stepping(step=STEP)), count=COUNT)
            for peer, maker in PEERS.items():
                try:
                    case.time(peer, maker(blocks), count=COUNT)
                except ImportError as error:
                    case.missing(peer, str(error))
    fall(report)


def fall(report: Report) -> None:
    """Time figures that have fallen on each other: once, for it takes a while."""
    blocks = heap()
    with report.case(
        f"steps of {FIGURES} figures of 20 bodies that fall on each other",
        unit="steps/s",
        better="higher",
        note=f"steps {FALLEN} to {FALLEN + FALLING} of 1 ms, in steps; timed once",
    ) as case:
        state, on = begun(blocks, art.Stepping(step=STEP))
        state = on(state, FALLEN)
        began = time.perf_counter()
        on(state, FALLEN + FALLING)
        case.number("articulata", FALLING / (time.perf_counter() - began), ours=True)
        try:
            import mujoco
        except ImportError as error:
            case.missing("MuJoCo", str(error))
            return
        model = mujoco_model(blocks, "implicitfast")
        data = mujoco.MjData(model)
        mujoco.mj_step(model, data, FALLEN)
        began = time.perf_counter()
        mujoco.mj_step(model, data, FALLING)
        pace = FALLING / (time.perf_counter() - began)
        case.number("MuJoCo, implicitfast", pace, note=f"{data.ncon} contacts")
