"""Steps per second with contact: a stack of ten boxes, and a figure of twenty bodies on its feet.

Classical steps of 1 ms. A peer is a function from bodies and hinges to one that takes ``count``
steps from the start; others are added to ``PEERS``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from types import MappingProxyType

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


def _minus(a: Triple, b: Triple) -> str:
    return "({}, {}, {})".format(*(x - y for x, y in zip(a, b, strict=True)))


def ours(blocks: list[Block], method: art.RK4 | art.Stepping) -> Callable[[], object]:
    """Return what takes COUNT steps from the start in articulata."""
    kinds, lines = [], []
    for k, block in enumerate(blocks):
        points = [f"up: {_minus(block.pin, block.middle)}"] if block.above is not None else []
        points += [
            f"down{j}: {_minus(other.pin, block.middle)}"
            for j, other in enumerate(blocks)
            if other.above == k
        ]
        where = f" where {{ {'; '.join(points)} }}" if points else ""
        size = ", ".join(map(str, block.size))
        kinds.append(
            f"primitive kind{k} {{ properties: (density: {DENSITY}, friction: {FRICTION}); "
            f"geometry: cuboid({size}){where}; dynamics }}"
        )
        if block.above is None:
            at = "({}, {}, {})".format(*block.middle)
            lines.append(f"place b{k} by b{k}.center at {at}")
        else:
            lines.append(f"join b{k} to b{block.above} with pin(axis: x) matching (up, down{k})")
    bodies = "; ".join(f"b{k}: kind{k}" for k in range(len(blocks)))
    text = "\n".join(
        [
            *kinds,
            "world w { gravity: (0, -9.81, 0)",
            f"components {{ floor: ground; {bodies} }}",
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

    def run() -> None:
        now = state
        while now.time < COUNT * STEP:
            now, _ = model.leg(now, COUNT * STEP, inputs)

    return run


def in_mujoco(blocks: list[Block]) -> Callable[[], object]:
    """Return the same in MuJoCo: RK4, its usual contact."""
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
        return (
            f'<body pos="{x} {y} {z}">{joint}<geom type="box" size="{size}" density="{DENSITY}" '
            f'friction="{FRICTION}" contype="1" conaffinity="{2 if block.above is not None else 3}"'
            f"/>{inside}</body>"
        )

    roots = "".join(body(k, (0.0, 0.0, 0.0)) for k, b in enumerate(blocks) if b.above is None)
    hinged = any(b.above is not None for b in blocks)
    types = 'contype="2" conaffinity="1"' if hinged else ""
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option gravity="0 -9.81 0" integrator="RK4" timestep="{STEP}"/><worldbody>'
        f'<geom type="plane" size="9 9 1" zaxis="0 1 0" {types}/>{roots}</worldbody></mujoco>'
    )
    data = mujoco.MjData(model)

    def run() -> None:
        mujoco.mj_resetData(model, data)
        mujoco.mj_step(model, data, COUNT)

    return run


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
