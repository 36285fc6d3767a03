"""A mode of small motions as a recording to look at: one swing, large enough to be seen."""

from __future__ import annotations

import numpy as np

from articulata.analyses.rest.linear_model import Mode, dynamic_model, independent, standing
from articulata.domains.dynamic.mechanism import COORDINATE
from articulata.domains.dynamic.packing import pack
from articulata.domains.dynamic.tangent import Tangent
from articulata.domains.protocols import POSE, POSE_COLUMNS
from articulata.errors import SimulationError
from articulata.records.events import Event
from articulata.records.header import Header
from articulata.records.recorder import Recorder
from articulata.records.recording import Recording
from articulata.records.state import Channel, Frame, State
from articulata.world.model import World

FRAMES = 48
"""Frames of one swing."""

LASTS = 2.0
"""How long one swing is shown (s), whatever its frequency."""

SHRINKS = 8
"""Times that a swing is halved until hinges close all along it."""


def record_mode(world: World, at: State, mode: Mode, largest: float = 0.2) -> Recording:
    """Return one swing of ``mode`` about ``at``, a rest position's ``state``, as a recording.

    The swing is ``Re(shape exp(i phase))``, shown in 2 s and without decay or growth, its hinges
    closed in each frame. ``largest`` is how far the body turns that turns most (rad), or goes by
    lengths of the mechanism; less where hinges would not close. SimulationError where ``largest``
    is not above 0 or the state is another world's.
    """
    if not largest > 0.0:
        raise SimulationError(f"largest is {largest!r}; give a number greater than 0")
    model = dynamic_model(world)
    rest = standing(model, at)
    ways = independent(rest)[1] @ mode.shape
    ways = ways / max(float(np.max(np.abs(ways), initial=0.0)), 1e-300)
    phases = 2.0 * np.pi * np.arange(FRAMES + 1) / FRAMES
    for shrink in range(SHRINKS):
        size = largest * 0.5**shrink
        swing = [rest.moved((ways * size * np.exp(1j * x)).imag).closed() for x in phases.tolist()]
        if None not in swing:
            break
    else:
        raise SimulationError("the hinges do not close along this mode, however little it swings")
    told = next(each for each in model.channels if each.name == COORDINATE)
    with Recorder(Header(world, LASTS / FRAMES, LASTS, "mode")) as recorder:
        recorder.layout([Channel(POSE, "m, 1", tuple(world.bodies), POSE_COLUMNS), told])
        recorder.event(_told(mode))
        for time, there in zip((LASTS * phases / phases[-1]).tolist(), swing, strict=True):
            assert isinstance(there, Tangent)
            pose = model.observer.stand(pack(there.arrays))[0]
            recorder.frame(Frame(time, {POSE: pose, COORDINATE: there.arrays[COORDINATE]}))
    return recorder.recording()


def _told(mode: Mode) -> Event:
    what = f"{mode.frequency:.6g} Hz" if mode.frequency else f"{mode.eigenvalue.real:.6g} 1/s"
    story = f"A mode of {what}, shown in {LASTS:g} s, without decay or growth."
    values = {"frequency": mode.frequency, "damping": mode.damping}
    return Event(0.0, "mark", values=values, story=story)
