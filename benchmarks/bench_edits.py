"""What an edit of a running world of 100 bodies takes, until it can go on, and a watched step.

Ours is the whole of an edit: world, models of all domains, state, equations' size and rank before
and after, energy and momentum, and what a recording is told of its channels. MuJoCo has one way for
all edits but those of options: to change the specification and to compile it again, which keeps the
state; Drake and Pinocchio have none but to build anew.
"""

from __future__ import annotations

from collections.abc import Callable

import mujoco

import articulata as art
from articulata.analyses.simulate.course import channels_of
from articulata.analyses.simulate.editing import Gone, edited
from articulata.analyses.simulate.reacting import Decision
from articulata.analyses.simulate.run import Run, moving
from articulata.analyses.simulate.run_question import asked
from articulata.domains.assemble import build
from articulata.kinematics.assembly.assembling import assemble
from articulata.records.state import State
from benchmarks import texts
from benchmarks.bench_dynamics import chain
from benchmarks.harness import Report

BODIES = 100

HEAP = f"""
primitive ball {{ properties: (density: 1000); geometry: sphere(5 cm); dynamics }}
world heap {{
  gravity: (0, -9.81, 0)
  components {{ floor: ground; b[1..{BODIES}]: ball }}
  structure {{ for i in 1..{BODIES} {{ place b[i] by b[i].center at (20 cm * i, 1, 0) }} }}
}}
"""

WATCHED = """
primitive bar {
  properties: (density: 500 kg/m^3)
  geometry: cuboid(1 m, 5 cm, 5 cm) where { near: (-50 cm, 0, 0) }
  dynamics
}
world arm {
  gravity: (0, -9.81, 0)
  components { hook: fixed_point; b: bar }
  structure {
    join b to hook with pin(axis: z) as h matching (near, center)
    force hold about h = FORCE
  }
}
simulate arm { time: (10 ms, 1 s)
  CLAUSE
}
"""
WATCHED_STEPS = 100


def watched(force: str, clause: str) -> Callable[[], object]:
    """Return a call that simulates an arm for 100 steps while a clause waits."""
    text = WATCHED.replace("FORCE", force).replace("CLAUSE", clause)
    request = art.parse(text).requests[0]
    return lambda: art.simulate(request)


def editing(world: art.World, contact: art.Contact) -> Callable[[object], Callable[[], object]]:
    """Return what makes of an edit a call that makes it, always of the same running world."""
    question = asked(
        world,
        until=1.0,
        step=0.01,
        method=None,
        domains=None,
        contact=contact,
        start=None,
        rules=None,
    )
    run = Run(question, build(assemble(world), question.domains), 0)
    run, mover = moving(run)
    models = run.models
    state = State(0.0, {**models.start(), **mover.start()}, world.version)
    channels_of(models, mover)

    def of(edit: object) -> Callable[[], object]:
        decision = Decision((edit,), ("a clause",))  # type: ignore[arg-type] # an edit

        def make() -> object:
            made = edited(models, mover, state, decision, Gone())
            return channels_of(made.models, made.mover)

        return make

    return of


def recompiled() -> Callable[[], object]:
    """Return a call by which MuJoCo takes up a changed specification of a chain."""
    spec = mujoco.MjSpec.from_string(texts.mujoco_chains(1, BODIES))
    model = spec.compile()
    data = mujoco.MjData(model)
    geom = spec.geoms[-1]

    def make() -> object:
        nonlocal model, data
        geom.density = 1001.0 if geom.density == 1000.0 else 1000.0
        model, data = spec.recompile(model, data)
        return model

    return make


def run(report: Report) -> None:
    world = chain(BODIES, "ball")
    middle = list(world.hinges)[BODIES // 2]
    last = list(world.bodies)[-1]
    hung = editing(world, art.Contact())
    close = editing(world, art.Contact(within=True))
    heap = editing(art.parse(HEAP).world("heap"), art.Contact())
    value = art.SetProperty(f"{last}.density", 900.0)
    cases = (
        ("a value", hung(value), "density of a link of a chain"),
        ("a hinge", hung(art.BreakHinge(middle)), "the chain in two: 2500 pairs may touch now"),
        ("a body", hung(art.RemoveBody(last)), "the last link, with its hinge"),
        ("a value, all may touch", close(value), "contact within the chain: 4950 pairs"),
        ("a hinge, all may touch", close(art.BreakHinge(middle)), "contact within the chain"),
        ("a body of a heap", heap(art.RemoveBody("b[100]")), "balls and a floor: 5050 pairs"),
    )
    for name, make, note in cases:
        with report.case(
            f"an edit at {BODIES} bodies: {name}", unit="s", better="lower", target=1e-3, note=note
        ) as case:
            case.time("articulata", make, ours=True)
            case.time("MuJoCo recompile", recompiled(), note="of a chain, density of a link")
    never = "on h.angle > 10 rad: stop"
    for name, force in (
        ("a damper", "-0.1 N*m*s * rate"),
        ("a servo with an integral", "servo(0.5 rad, 40 N*m, 8 N*m*s, integral: 50 N*m/s)"),
    ):
        with report.case(
            f"a watched step: {name}",
            unit="s",
            better="lower",
            note="10 ms, a clause waits for an angle; the run's start is part of it",
        ) as case:
            case.time("articulata", watched(force, never), count=WATCHED_STEPS, ours=True)
            case.time("articulata unwatched", watched(force, ""), count=WATCHED_STEPS)
