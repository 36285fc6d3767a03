"""Motions of a figure's text, for an emulated wearer to perform and for signals to be known by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from articulata.analyses.track.body import TrackedBody
from articulata.analyses.track.carrying import Carrying, carrying
from articulata.analyses.track.signals import PERIOD
from articulata.domains.kinematic.model import kinematic_model
from articulata.errors import NameNotFound
from articulata.geometry.arrays import Array
from articulata.sessions.track.tracked_figures import Follower
from articulata.world.figures.nodes import Performance
from articulata.world.paths import hint

SIGNAL = "signal_"
"""What names of motions begin with that are signals."""


def performed(who: Follower, motion: str) -> tuple[Callable[[float], Array], float]:
    """Return joint values (dof,) rad at a time (s) of a motion of the text, and its length (s)."""
    model = kinematic_model(who.world).performers[who.who]
    known = model.node.motions
    if motion not in known:
        raise NameNotFound(
            f"figure '{who.figure.name}' has no motion '{motion}'{hint(motion, list(known))}"
        )
    node = replace(model.node, follows=(Performance(motion, 0.0),))
    performer = replace(model, node=node, _kept={})
    length = known[motion].frames[-1].time
    return (lambda time: performer.at(time)[0]), length


def carried(who: Follower, body: TrackedBody) -> Carrying:
    """Return what carries the arms of a figure."""
    return carrying(kinematic_model(who.world).performers[who.who], body)


def motions_of_signals(who: Follower) -> Mapping[str, Array]:
    """Return postures (n, dof) of every signal that the figure's text has, by its name."""
    found = {}
    for name in who.world.figures[who.who].motions:
        if name.startswith(SIGNAL):
            posture, length = performed(who, name)
            found[name.removeprefix(SIGNAL)] = np.array(
                [posture(time) for time in np.arange(0.0, length, PERIOD)]
            )
    return found


def one_after_another(
    who: Follower, motions: tuple[str, ...], pause: float = 1.0, pace: float = 1.0
) -> Callable[[float], Array]:
    """Return what a wearer does who performs motions in turn, with a ``pause`` (s) after each.

    He goes through them ``pace`` times as fast.
    """
    parts = [performed(who, name) for name in motions]
    ends = np.cumsum([length / pace + pause for _, length in parts])

    def posture(time: float) -> Array:
        t = time % float(ends[-1])
        k = int(np.searchsorted(ends, t, side="right"))
        begun = float(ends[k - 1]) if k else 0.0
        move, length = parts[k]
        return move(min(pace * (t - begun), length))

    return posture
