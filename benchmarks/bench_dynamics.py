"""Steps a second of chains of rods, with the energy that each contestant keeps.

Ours is the whole of ``art.simulate``: building, stepping with projection, and recording a frame
every ``EVERY`` steps. The peers only step. Everyone uses explicit Runge-Kutta 4 at the same step,
from the same start, without contacts.
"""

from __future__ import annotations

from collections.abc import Callable

import articulata as art
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


def ours(world: art.World, steps: int) -> Callable[[], art.Recording]:
    """Return a run of so many steps."""
    return lambda: art.simulate(
        world, until=steps * STEP, step=EVERY * STEP, method=art.RK4(step=STEP)
    )


def lost_by_us(world: art.World, steps: int) -> float:
    """Return how far the energy has gone from its start at the end, in J."""
    energy = ours(world, steps)().series("energy")
    return float(abs(energy[-1] - energy[0]))


def enter(case: Case, name: str, peer: peers.Peer, steps: int) -> None:
    """Enter a peer, with the energy it has lost after the same number of steps."""
    before = peer.energy()
    peer.advance(steps)
    lost = abs(peer.energy() - before)
    note = "" if lost != lost else f"energy lost {lost:.1e} J"
    peer.reset()
    case.time(name, lambda: peer.advance(steps), count=steps, note=note)


def run(report: Report) -> None:
    for title, links, hinge, joint, steps, target in (
        ("three-link pendulum, RK4", 3, "pin(axis: z)", "hinge", 20_000, 80_000),
        ("chain of 100 ball joints, RK4", 100, "ball", "ball", 400, 4_000),
    ):
        world = chain(links, hinge)
        with report.case(
            title,
            unit="steps/s",
            better="higher",
            target=target,
            note=f"step {STEP:g} s, {steps} steps; ours projects, and records every {EVERY} steps",
        ) as case:
            note = f"energy lost {lost_by_us(world, steps):.1e} J"
            case.time("articulata", ours(world, steps), count=steps, ours=True, note=note)
            enter(case, "MuJoCo RK4", peers.mujoco_chain(links, joint, STEP), steps)
            in_python = peers.pinocchio_chain(links, joint, STEP)
            enter(case, "Pinocchio ABA, RK4 in Python", in_python, min(steps, 2000))
            if joint == "hinge":
                try:
                    exudyn = peers.exudyn_chain(links, STEP)
                except ImportError as error:
                    case.missing("Exudyn RK44", str(error))
                else:
                    enter(case, "Exudyn RK44", exudyn, steps)
