"""The equations of motion at one instant of a world: ``A x = b`` with names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from articulata.analyses.simulate.course import channels_of
from articulata.analyses.simulate.run import bound
from articulata.analyses.simulate.sensing import Snapshot
from articulata.domains.assemble import build
from articulata.domains.dynamic.dynamic_domain import DynamicModel
from articulata.domains.dynamic.equations import Equations
from articulata.domains.dynamic.methods import DOP853
from articulata.domains.protocols import Controller
from articulata.errors import SimulationError
from articulata.kinematics.assembly.assembling import assemble
from articulata.records.state import Frame, State
from articulata.world.model import World


def equations(
    world: World,
    at: State | None = None,
    controllers: Mapping[str, Controller] | None = None,
) -> Equations:
    """Return ``A x = b`` of ``world`` in state ``at``, or at its start.

    Controllers are asked at the state's time and sense that state.
    """
    models = build(assemble(world) if at is None else world, None)
    model = cast("DynamicModel", models["dynamic"])
    control = bound(models, controllers or {})
    assert control is not None
    state = State(0.0, dict(model.start()), world.version) if at is None else at
    if at is not None and len(at.arrays["dynamic.position"]) != len(world.bodies):
        raise SimulationError(
            f"the state has {len(at.arrays['dynamic.position'])} bodies and the world "
            f"{len(world.bodies)}; give the world that the state belongs to"
        )
    motion = model.moving(DOP853())
    frame = Frame(state.time, {**motion.before(state), **state.arrays}, state.version)
    sensed = Snapshot(models.world, channels_of(models, motion), frame).sensed()
    inputs = control.control(sensed, state, lambda name, time, values: None)(state.time)
    return model.equations(state, inputs)
