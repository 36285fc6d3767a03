"""Steps a second of chains of rods, with the energy that each contestant keeps.

Ours is the whole of ``art.simulate``: building, stepping with projection, and recording a frame
every so many steps; the peers only step. Everyone uses explicit Runge-Kutta 4 at the same step,
from the same start, without contacts. Errors are those of the last rod's place, measured against
our integration of order 8 with tight tolerances.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import articulata as art
from articulata.geometry.arrays import Array
from articulata.world.model import Drive
from benchmarks import peers_dynamics as peers
from benchmarks.harness import Case, Report

STEP = 1e-3
EVERY = 100

CHAIN = """
primitive rod {{
  properties: (density: {density})
  geometry: cuboid({length}, {width}, {width}) where {{
    top: (-{half}, 0, 0)
    bottom: ({half}, 0, 0)
  }}
  dynamics
}}
world chain {{
  gravity: (0, -{gravity}, 0)
  components
    anchor: fixed_point
    rod[1..{links}]: rod
  structure {{
    place anchor by anchor at (0, 0, 0)
    join rod[1] to anchor with {hinge} matching (top, center)
    for i in 2..{links} {{ join rod[i] to rod[i-1] with {hinge} matching (top, bottom) }}
  }}
}}
"""


def chain(links: int, hinge: str) -> art.World:
    """Return the chain of ``peers_dynamics`` as a world."""
    text = CHAIN.format(
        density=peers.DENSITY,
        width=peers.WIDTH,
        length=peers.LENGTH,
        half=peers.LENGTH / 2,
        gravity=peers.GRAVITY,
        links=links,
        hinge=hinge,
    )
    return art.parse(text).world("chain")


def ours(world: art.World, steps: int, every: int = EVERY) -> Callable[[], art.Recording]:
    """Return a run of so many steps that records a frame every so many."""
    controllers = {drive.controller: push for drive in world.drives.values()}
    return lambda: art.simulate(
        world,
        until=steps * STEP,
        step=every * STEP,
        method=art.RK4(step=STEP),
        controllers=controllers,
    )


def pushed(world: art.World) -> art.World:
    """Return the chain with a controller's torque on its last rod."""
    last = list(world.bodies)[-1]
    return world.edit([art.AddDrive(Drive("push", "torque", last, "push"))])


def push(time: float, sensed: object) -> tuple[float, float, float]:
    """Return a torque (N m) that changes with time."""
    return (0.0, 0.0, 0.1 * time)


def compared(steps: int) -> int:
    """Return the steps after which errors are stated: a second of the motion at most."""
    return min(steps, round(1.0 / STEP))


def exact_place(world: art.World, steps: int) -> Array:
    """Return where the last rod's mass centre is (3,) after so many steps, by order 8."""
    end = compared(steps) * STEP
    method = art.DOP853(relative=1e-13, absolute=1e-13)
    recording = art.simulate(world, until=end, step=end, method=method)
    return np.asarray(recording.array("dynamic.position")[-1, -1])


def reached_by_us(world: art.World, steps: int, exact: Array) -> str:
    """Return how much energy is lost at the end and how far off the last rod is."""
    energy = ours(world, steps)().array("dynamic.energy")[:, 3]
    end = compared(steps)
    place = ours(world, end)().array("dynamic.position")[-1, -1]
    return reached(abs(energy[-1] - energy[0]), place - exact, end)


def reached(lost: float, off: Array, end: int) -> str:
    """Return energy lost (J) and error of place as words."""
    size = float(np.max(np.abs(off)))
    return f"energy lost {lost:.1e} J, off by {size:.0e} m at {end * STEP:g} s"


def enter(case: Case, name: str, peer: peers.Peer, steps: int, exact: Array) -> None:
    """Enter a peer, with what it has reached after the same number of steps."""
    before, end = peer.energy(), compared(steps)
    peer.advance(end)
    off = peer.place() - exact
    peer.advance(steps - end)
    lost = abs(peer.energy() - before)
    note = "" if lost != lost else reached(lost, off, end)
    peer.reset()
    case.time(name, lambda: peer.advance(steps), count=steps, note=note)


def run(report: Report) -> None:
    for title, links, hinge, joint, steps, target in (
        ("three-link pendulum, RK4", 3, "pin(axis: z)", "hinge", 20_000, 80_000),
        ("chain of 100 ball joints, RK4", 100, "ball", "ball", 400, 4_000),
    ):
        world = chain(links, hinge)
        exact = exact_place(world, steps)
        note = reached_by_us(world, steps, exact)
        for every, wanted in ((EVERY, target), (steps, target), (1, None)):
            with report.case(
                f"{title}, {steps // every} frames",
                unit="steps/s",
                better="higher",
                target=wanted,
                note=f"step {STEP:g} s, {steps} steps; ours projects, and records the frames",
            ) as case:
                mine = ours(world, steps, every)
                case.time("articulata", mine, count=steps, ours=True, note=note)
                mujoco = peers.mujoco_chain(links, joint, STEP)
                enter(case, "MuJoCo RK4", mujoco, steps, exact)
                if every == EVERY:
                    others(case, links, joint, steps, exact)
        with report.case(
            f"{title}, a controller in Python",
            unit="steps/s",
            better="higher",
            note=f"asked at the three stage times of every step; {steps // EVERY} frames",
        ) as case:
            case.time("articulata", ours(pushed(world), steps), count=steps, ours=True)
            case.time("articulata without it", ours(world, steps), count=steps)


def others(case: Case, links: int, joint: str, steps: int, exact: Array) -> None:
    """Enter the peers beside MuJoCo."""
    in_python = peers.pinocchio_chain(links, joint, STEP)
    enter(case, "Pinocchio ABA, RK4 in Python", in_python, min(steps, 2000), exact)
    if joint == "hinge":
        try:
            exudyn = peers.exudyn_chain(links, STEP)
        except ImportError as error:
            case.missing("Exudyn RK44", str(error))
        else:
            enter(case, "Exudyn RK44", exudyn, steps, exact)
